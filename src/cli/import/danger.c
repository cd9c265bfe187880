/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds what is dangerous in the old VCL, so that `import` tells of it: rules
 * that do the same are not safer.
 */

#include <stdlib.h>
#include <string.h>

#include "import.h"

#define LONG_TTL	3600	/* seconds: too long for a page that has
				 * failed once */

static void
danger(struct fm_import *im, const struct fm_place *at, const char *text)
{
	struct fm_import_danger **last = &im->dangers, *danger;

	for (; *last != NULL; last = &(*last)->next)
		if ((*last)->at.line == at->line &&
		    (*last)->at.name == at->name &&
		    strcmp((*last)->text, text) == 0)
			return;
	danger = fm_import_alloc(im, sizeof *danger);
	danger->at = *at;
	danger->text = text;
	*last = danger;
}

/* Returns true if an expression has a variable of this name. */
static bool
has_name(const struct fm_expr *expr, const char *name)
{
	for (; expr != NULL; expr = expr->next)
		if (fm_expr_is(expr, name) || has_name(expr->first, name))
			return (true);
	return (false);
}

static double
seconds_of(struct fm_import *im, const struct fm_expr *expr)
{
	static const char units[] = "smhdwy";
	static const unsigned seconds[] = { 1, 60, 3600, 86400, 604800,
	    31536000 };
	const char *text = fm_import_duration(im, expr), *unit;
	char *end;
	double number;

	if (text == NULL)
		return (-1);
	number = strtod(text, &end);
	unit = strchr(units, *end);
	return (strcmp(end, "ms") == 0 ? number / 1000 : unit == NULL ? -1 :
	    number * seconds[unit - units]);
}

/*--------------------------------------------------------------------
 * vcl_backend_response
 */

/* Returns true for a text as "NO:Not cacheable", or "uncacheable". */
static bool
says_no(const struct fm_expr *value)
{
	const struct fm_expr *first = value->kind == FM_EXPR_CONCAT ?
	    value->first : value;
	struct fm_text text = first->text;

	return (first->kind == FM_EXPR_STRING && text.len >= 2 &&
	    (fm_text_is_nocase(text, "no") || fm_text_begins(text, "NO:") ||
	    fm_text_begins(text, "NO ") || fm_text_has(text, "ot cache") ||
	    fm_text_has(text, "ncacheable")));
}

/*
 * Looks at a list of statements: one that says that the page is not cached, and
 * a `return (deliver)` that stores it.
 */
static void
look_stored(struct fm_import *im, const struct fm_vstmt *stmt)
{
	const struct fm_vstmt *said = NULL;
	const struct fm_arm *arm;
	bool kept = true;

	for (; stmt != NULL; stmt = stmt->next) {
		for (arm = stmt->arms; arm != NULL; arm = arm->next)
			look_stored(im, arm->body);
		if (stmt->kind == FM_VSTMT_SET &&
		    fm_text_begins(stmt->name, "beresp.http.") &&
		    says_no(stmt->value))
			said = stmt;
		if (stmt->kind == FM_VSTMT_SET &&
		    (fm_text_is(stmt->name, "beresp.uncacheable") ||
		    fm_text_is(stmt->name, "beresp.ttl")))
			kept = false;
		if (said != NULL && kept && stmt->kind == FM_VSTMT_RETURN &&
		    fm_text_is(stmt->name, "deliver"))
			danger(im, &said->at, "this says that the page is not "
			    "cached, but return (deliver) stores it for all "
			    "clients, as builtin.vcl does not run then: say "
			    "uncacheable");
	}
}

/* Looks at lifetimes; `asked`: a condition around them asks for the status. */
static void
look_ttl(struct fm_import *im, const struct fm_vstmt *stmt, bool asked)
{
	const struct fm_arm *arm;
	double seconds;

	for (; stmt != NULL; stmt = stmt->next) {
		for (arm = stmt->arms; arm != NULL; arm = arm->next)
			look_ttl(im, arm->body, asked || (arm->cond != NULL &&
			    has_name(arm->cond, "beresp.status")));
		/* A status was asked for: `if (status != 200) { return }`. */
		for (arm = stmt->arms; arm != NULL; arm = arm->next)
			asked |= arm->cond != NULL && has_name(arm->cond,
			    "beresp.status") && fm_vstmts_end(arm->body);
		if (stmt->kind != FM_VSTMT_SET ||
		    !fm_text_is(stmt->name, "beresp.ttl"))
			continue;
		seconds = seconds_of(im, stmt->value);
		if (seconds == 0)
			danger(im, &stmt->at, "with a ttl of 0 s requests "
			    "for this URL wait for each other, and where VCL "
			    "delivers the page it is given out for its grace: "
			    "say uncacheable");
		else if (seconds > LONG_TTL && !asked)
			danger(im, &stmt->at, "an error of the backend is "
			    "stored as long as a page here: test the status");
	}
}

/* Returns true if some condition asks for a variable. */
static bool
is_asked(const struct fm_vstmt *stmt, const char *name)
{
	const struct fm_arm *arm;

	for (; stmt != NULL; stmt = stmt->next)
		for (arm = stmt->arms; arm != NULL; arm = arm->next)
			if (has_name(arm->cond, name) ||
			    is_asked(arm->body, name))
				return (true);
	return (false);
}

/* Returns true if statements only remove headers, and process the body. */
static bool
only_processes(const struct fm_vstmt *stmt)
{
	for (; stmt != NULL; stmt = stmt->next)
		if (stmt->kind != FM_VSTMT_UNSET &&
		    (stmt->kind != FM_VSTMT_SET ||
		    !fm_text_begins(stmt->name, "beresp.do_")))
			return (false);
	return (true);
}

/*
 * Looks for a header that is removed where a condition around it asks for it.
 * Varnish does not process the body again after a 304.
 */
static void
look_304(struct fm_import *im, const struct fm_vstmt *stmt,
    const struct fm_under *under)
{
	const struct fm_under *around;
	const struct fm_arm *arm;

	for (; stmt != NULL; stmt = stmt->next) {
		for (arm = stmt->arms; arm != NULL; arm = arm->next)
			if (!only_processes(arm->body))
				look_304(im, arm->body, &(struct fm_under){
				    .cond = arm->cond, .up = under });
		if (stmt->kind != FM_VSTMT_UNSET ||
		    !fm_text_begins(stmt->name, "beresp.http."))
			continue;
		for (around = under; around != NULL; around = around->up)
			if (has_name(around->cond, fm_import_printf(im,
			    "%.*s", FM_ARG(stmt->name))))
				danger(im, &stmt->at, "the condition asks for "
				    "this header: after a 304 it is gone, as "
				    "the stored headers count then; unset it "
				    "in vcl_deliver");
	}
}

/*--------------------------------------------------------------------
 * Headers that a client can set
 */

/*
 * Returns true if a statement gives the header a value or removes it, whatever
 * the conditions are.
 */
static bool
is_made(const struct fm_vstmt *stmt, struct fm_text name)
{
	const struct fm_arm *arm;

	for (; stmt != NULL; stmt = stmt->next) {
		if ((stmt->kind == FM_VSTMT_SET ||
		    stmt->kind == FM_VSTMT_UNSET) &&
		    fm_text_eq_nocase(stmt->name, name))
			return (true);
		for (arm = stmt->arms; arm != NULL && is_made(arm->body, name);
		    arm = arm->next)
			if (arm->cond == NULL)
				return (true);
	}
	return (false);
}

/* Returns true if a condition of another sub asks for a header X. */
static bool
is_asked_later(struct fm_import *im, struct fm_text header)
{
	const struct fm_vdecl *decl;
	const char *own = fm_import_printf(im, "req.http.%.*s",
	    FM_ARG(header)), *sent = fm_import_printf(im, "be%s", own);

	for (decl = im->vcl.decls; decl != NULL; decl = decl->next)
		if (fm_text_is(decl->kind, "sub") &&
		    !fm_text_is(decl->name, "vcl_recv") &&
		    (is_asked(decl->body, own) || is_asked(decl->body, sent)))
			return (true);
	return (false);
}

static void
look_client(struct fm_import *im, const struct fm_vstmt *all,
    const struct fm_vstmt *stmt)
{
	const struct fm_arm *arm;
	struct fm_text header;

	for (; stmt != NULL; stmt = stmt->next) {
		for (arm = stmt->arms; arm != NULL; arm = arm->next)
			look_client(im, all, arm->body);
		header = stmt->kind != FM_VSTMT_SET ? fm_text(NULL, 0) :
		    fm_header_of(stmt->name);
		/* Headers of browsers and proxies are the client's own. */
		if (header.len > 2 && fm_text_begins(header, "X-") &&
		    !fm_text_begins(header, "X-Forwarded") &&
		    !is_made(all, stmt->name) && is_asked_later(im, header))
			danger(im, &stmt->at, "a client can send this header "
			    "itself, and a later sub asks for it: unset it at "
			    "the beginning of vcl_recv");
	}
}

void
fm_import_dangers(struct fm_import *im)
{
	const struct fm_vdecl *decl;

	for (decl = im->vcl.decls; decl != NULL; decl = decl->next) {
		if (fm_vdecl_is_sub(decl, "vcl_recv"))
			look_client(im, decl->body, decl->body);
		if (!fm_vdecl_is_sub(decl, "vcl_backend_response"))
			continue;
		look_stored(im, decl->body);
		look_ttl(im, decl->body, false);
		look_304(im, decl->body, NULL);
	}
}
