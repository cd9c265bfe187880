/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Leaves out subs that only do what Varnish does by itself since version 4, or
 * since 6, and arms of an `if` that are never reached.
 */

#include "duration.h"
#include "import.h"

/* Returns true if statements do nothing but return in one of some ways. */
static bool
only_returns(const struct fm_vstmt *stmt, const char * const *ways)
{
	const struct fm_arm *arm;

	for (; stmt != NULL; stmt = stmt->next) {
		if (stmt->kind == FM_VSTMT_IF)
			for (arm = stmt->arms; arm != NULL; arm = arm->next) {
				if (!only_returns(arm->body, ways))
					return (false);
			}
		else if (stmt->kind != FM_VSTMT_RETURN ||
		    stmt->name.len == 0 ||
		    !fm_text_is_one_of(stmt->name, ways))
			return (false);
	}
	return (true);
}

/*
 * Returns true for a vcl_hit of Varnish 4 that chooses between `deliver` and
 * `miss`, by the grace, and only leaves notes in headers of the request.  Later
 * releases don't load it, as they choose by themselves.
 */
static bool
only_chooses(const struct fm_vstmt *stmt, bool *misses)
{
	const struct fm_arm *arm;

	for (; stmt != NULL; stmt = stmt->next) {
		for (arm = stmt->arms; arm != NULL; arm = arm->next)
			if (!only_chooses(arm->body, misses))
				return (false);
		if (stmt->kind == FM_VSTMT_IF)
			continue;
		if (stmt->kind == FM_VSTMT_RETURN &&
		    (fm_text_is(stmt->name, "miss") ||
		    fm_text_is(stmt->name, "fetch")))
			*misses = true;
		else if ((stmt->kind != FM_VSTMT_RETURN ||
		    !fm_text_is(stmt->name, "deliver")) &&
		    (stmt->kind != FM_VSTMT_SET ||
		    fm_header_of(stmt->name).b == NULL) &&
		    (stmt->kind != FM_VSTMT_ACTION ||
		    !fm_text_is(stmt->value->text, "std.log")))
			return (false);
	}
	return (true);
}

/* Returns true for a vcl_purge that answers as builtin.vcl does. */
static bool
is_builtin_purge(const struct fm_vstmt *stmt)
{
	const struct fm_expr *status;

	if (stmt == NULL || stmt->next != NULL ||
	    stmt->kind != FM_VSTMT_RETURN ||
	    !fm_expr_calls(stmt->value, "synth", 2))
		return (false);
	status = stmt->value->first;
	return (fm_text_is(status->text, "200") &&
	    fm_text_is(status->next->text, "Purged"));
}

static void
drop(struct fm_import *im, struct fm_vdecl *decl)
{
	char where[FM_PLACE_LEN];

	im->ndropped += fm_vstmts_count(decl->body, (size_t)-1);
	decl->replaced = decl->dropped = true;
	im->obsolete = fm_import_printf(im, "%s%s: %.*s is not needed any "
	    "more: Varnish does so by itself\n", im->obsolete == NULL ? "" :
	    im->obsolete, fm_place_print(&im->vcl.tokens[decl->first].at,
	    where), FM_ARG(decl->name));
}

static void
obsolete_drop(struct fm_import *im)
{
	static const char * const hit[] = { "deliver", "miss", "fetch",
	    NULL };
	static const char * const fetch[] = { "fetch", NULL };
	static const char * const pipe[] = { "pipe", NULL };
	static const struct {
		const char		*sub;
		const char * const	*ways;
	} subs[] = {
		{ "vcl_hit", hit }, { "vcl_miss", fetch },
		{ "vcl_pass", fetch }, { "vcl_pipe", pipe }
	};
	struct fm_vdecl *decl;
	bool misses;
	size_t i;

	for (decl = im->vcl.decls; decl != NULL; decl = decl->next) {
		for (i = 0; i < sizeof subs / sizeof *subs; i++)
			if (decl->body != NULL &&
			    fm_vdecl_is_sub(decl, subs[i].sub) &&
			    only_returns(decl->body, subs[i].ways))
				drop(im, decl);
		misses = false;
		if ((fm_vdecl_is_sub(decl, "vcl_purge") &&
		    is_builtin_purge(decl->body)) ||
		    (fm_vdecl_is_sub(decl, "vcl_hit") && !decl->dropped &&
		    only_chooses(decl->body, &misses) && misses))
			drop(im, decl);
	}
}

/* Counts the statements of subs that rules have nothing for. */
static void
others_count(struct fm_import *im)
{
	static const char * const subs[] = { "vcl_hit", "vcl_miss",
	    "vcl_pass", "vcl_pipe", "vcl_purge", "vcl_backend_refresh",
	    NULL };
	const struct fm_vdecl *decl;

	for (decl = im->vcl.decls; decl != NULL; decl = decl->next)
		if (fm_text_is(decl->kind, "sub") && !decl->dropped &&
		    fm_text_is_one_of(decl->name, subs))
			im->nkept += fm_vstmts_count(decl->body, (size_t)-1);
}

void
fm_import_obsolete(struct fm_import *im)
{
	obsolete_drop(im);
	others_count(im);
}

/*--------------------------------------------------------------------
 * Conditions of a ttl that was just set
 *
 *	set beresp.ttl = 48h;
 *	if (beresp.ttl < 1s) { ... }		never
 */

/* Returns the seconds of a duration that is written down; else -1. */
static double
seconds_of(struct fm_import *im, const struct fm_expr *expr)
{
	const char *text = fm_import_duration(im, expr);
	double seconds;

	return (text == NULL || fm_duration_parse(fm_text_of(text),
	    &seconds) != FM_DURATION_OK ? -1 : seconds);
}

/* Returns true if a condition of beresp.ttl is false for this one. */
static bool
is_never(struct fm_import *im, const struct fm_expr *cond, double ttl)
{
	double other;

	if (cond == NULL || cond->kind != FM_EXPR_COMPARE ||
	    !fm_expr_is(cond->first, "beresp.ttl"))
		return (false);
	other = seconds_of(im, cond->first->next);
	if (other < 0)
		return (false);
	return (fm_text_is(cond->text, "<") ? ttl >= other :
	    fm_text_is(cond->text, "<=") ? ttl > other :
	    fm_text_is(cond->text, ">") ? ttl <= other :
	    fm_text_is(cond->text, ">=") && ttl < other);
}

/* Returns an `if` without the arms that are never reached; NULL: all are. */
static const struct fm_vstmt *
arms_live(struct fm_import *im, const struct fm_vstmt *stmt, double ttl)
{
	struct fm_vstmt *live = fm_vstmt_arms(&im->vcl, stmt, stmt->arms,
	    (size_t)-1);
	struct fm_arm **arm = &live->arms;
	char where[FM_PLACE_LEN];
	unsigned n = 0;

	while (*arm != NULL)
		if (is_never(im, (*arm)->cond, ttl)) {
			n += fm_vstmts_count((*arm)->body, (size_t)-1);
			*arm = (*arm)->next;
		} else {
			arm = &(*arm)->next;
		}
	/* An `else` alone would be no `if`. */
	if (n == 0 || (live->arms != NULL && live->arms->cond == NULL))
		return (stmt);
	im->ndropped += n + (live->arms == NULL);
	im->obsolete = fm_import_printf(im, "%s%s: a part of this `if` is "
	    "never reached, as the ttl was just set\n", im->obsolete == NULL ?
	    "" : im->obsolete, fm_place_print(&stmt->at, where));
	return (live->arms == NULL ? NULL : live);
}

/* Returns true if a statement may set the ttl. */
static bool
may_set_ttl(const struct fm_import *im, const struct fm_vstmt *stmt)
{
	size_t i;

	for (i = stmt->first; i < stmt->last; i++)
		if (fm_token_is(&im->vcl, i, "call") ||
		    (fm_token_is(&im->vcl, i, "set") &&
		    fm_token_is(&im->vcl, i + 1, "beresp.ttl")))
			return (true);
	return (false);
}

const struct fm_vstmt *
fm_import_live(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct fm_vstmt *first = NULL, **tail = &first;
	const struct fm_vstmt *live;
	double ttl = -1;	/* not known */

	for (; stmt != NULL; stmt = stmt->next) {
		live = ttl >= 0 && stmt->kind == FM_VSTMT_IF ?
		    arms_live(im, stmt, ttl) : stmt;
		if (stmt->kind == FM_VSTMT_SET &&
		    fm_text_is(stmt->name, "beresp.ttl"))
			ttl = seconds_of(im, stmt->value);
		else if (may_set_ttl(im, stmt))
			ttl = -1;
		if (live == NULL)
			continue;
		*tail = fm_import_alloc(im, sizeof **tail);
		**tail = *live;
		(*tail)->next = NULL;
		tail = &(*tail)->next;
	}
	return (first);
}
