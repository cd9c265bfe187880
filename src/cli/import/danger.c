/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds what is dangerous in the old VCL, so that `import` tells of it: rules
 * that do the same are not safer.
 */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* Returns the statements of a sub that is called; NULL: it is not there. */
static const struct fm_vstmt *
called(const struct fm_import *im, const struct fm_vstmt *stmt)
{
	const struct fm_vdecl *sub = stmt->kind != FM_VSTMT_CALL ? NULL :
	    fm_vcl_find(&im->vcl, "sub", stmt->name);

	return (sub == NULL ? NULL : sub->body);
}

/* Returns true if an expression has a variable of this name. */
static bool
has_name(const struct fm_expr *expr, const char *name)
{
	for (; expr != NULL; expr = expr->next)
		if ((expr->kind == FM_EXPR_NAME &&
		    fm_text_is_nocase(expr->text, name)) ||
		    has_name(expr->first, name))
			return (true);
	return (false);
}

/* Returns the seconds of 1m, or of std.duration("1m", 2m); -1: not known. */
static double
seconds_of(struct fm_import *im, const struct fm_expr *expr)
{
	static const char units[] = "smhdwy";
	static const unsigned seconds[] = { 1, 60, 3600, 86400, 604800,
	    31536000 };
	const char *text = fm_import_duration(im, expr), *unit;
	struct fm_text constant;
	char *end;
	double number;

	if ((fm_expr_calls(expr, "std.duration", 1) ||
	    fm_expr_calls(expr, "std.duration", 2)) &&
	    fm_expr_constant(&im->vcl, expr->first, &constant))
		text = fm_import_printf(im, "%.*s",
		    FM_ARG(fm_text_trim(constant)));
	if (text == NULL)
		return (-1);
	number = strtod(text, &end);
	unit = strchr(units, *end);
	return (end == text ? -1 : strcmp(end, "ms") == 0 ? number / 1000 :
	    *end == '\0' || unit == NULL ? -1 :
	    number * seconds[unit - units]);
}

/* Returns true for `set beresp.ttl = -1s;`. */
static bool
is_below_zero(const struct fm_import *im, const struct fm_vstmt *stmt)
{
	return (fm_text_begins(im->vcl.tokens[stmt->first + 3].text, "-"));
}

/*--------------------------------------------------------------------
 * vcl_backend_response
 */

/* Returns true for a text as "NO:Not cacheable", "pass", or "uncacheable". */
static bool
says_no(struct fm_import *im, const struct fm_vstmt *stmt)
{
	static const char * const others[] = { "beresp.http.cache-control",
	    "beresp.http.pragma", "beresp.http.surrogate-control", NULL };
	const struct fm_expr *first = stmt->value->kind == FM_EXPR_CONCAT ?
	    stmt->value->first : stmt->value;
	char *lower;
	size_t i;

	if (first->kind != FM_EXPR_STRING)
		return (false);
	/* These are for clients, which may get other lifetimes. */
	for (i = 0; others[i] != NULL; i++)
		if (fm_text_is_nocase(stmt->name, others[i]))
			return (false);
	lower = fm_import_alloc(im, first->text.len + 1);
	fm_text_lower(lower, first->text);
	lower[first->text.len] = '\0';
	return ((strncmp(lower, "no", 2) == 0 &&
	    !isalnum((unsigned char)lower[2])) ||
	    strncmp(lower, "pass", 4) == 0 || strstr(lower, "bypass") != NULL ||
	    strstr(lower, "not cach") != NULL ||
	    strstr(lower, "non-cach") != NULL ||
	    strstr(lower, "not-cach") != NULL ||
	    strstr(lower, "uncach") != NULL);
}

/* Returns true if a response is made uncacheable, or without a lifetime. */
static bool
is_uncached(const struct fm_vstmt *stmt)
{
	return (stmt->kind == FM_VSTMT_SET &&
	    (fm_text_is(stmt->name, "beresp.uncacheable") ||
	    fm_text_is(stmt->name, "beresp.ttl")));
}

/* The statements after those that are looked at, inside out. */
struct after {
	const struct fm_vstmt	*stmt;
	const struct after	*up;
};

/* Returns true if these deliver the page, and leave its lifetime. */
static bool
stores(const struct fm_vstmt *stmt, const struct after *after)
{
	for (; stmt != NULL; stmt = stmt->next) {
		if (stmt->kind == FM_VSTMT_RETURN)
			return (fm_text_is(stmt->name, "deliver"));
		if (is_uncached(stmt))
			return (false);
	}
	return (after != NULL && stores(after->stmt, after->up));
}

/*
 * Looks for statements that say that the page is not cached, and come to a
 * `return (deliver)` that stores it.
 */
static void
look_stored(struct fm_import *im, const struct fm_vstmt *stmt,
    const struct after *after)
{
	const struct fm_arm *arm;
	bool kept = true;

	for (; stmt != NULL; stmt = stmt->next) {
		const struct after next = { .stmt = stmt->next, .up = after };

		for (arm = stmt->arms; kept && arm != NULL; arm = arm->next)
			look_stored(im, arm->body, &next);
		if (kept && called(im, stmt) != NULL)
			look_stored(im, called(im, stmt), &next);
		kept = kept && !is_uncached(stmt);
		if (kept && stmt->kind == FM_VSTMT_SET &&
		    fm_text_begins(stmt->name, "beresp.http.") &&
		    says_no(im, stmt) && stores(stmt->next, after))
			danger(im, &stmt->at, "this says that the page is not "
			    "cached, but return (deliver) stores it for all "
			    "clients, as builtin.vcl does not run then: say "
			    "uncacheable");
	}
}

/* Returns true if a condition is true for errors: 410 is one that stays. */
static bool
asks_for_errors(const struct fm_expr *cond)
{
	const struct fm_expr *part, *number;
	unsigned long status;

	if (cond == NULL)
		return (false);
	if (cond->kind == FM_EXPR_OR || cond->kind == FM_EXPR_AND) {
		for (part = cond->first; part != NULL; part = part->next)
			if (asks_for_errors(part))
				return (true);
		return (false);
	}
	if (cond->kind != FM_EXPR_COMPARE ||
	    !fm_expr_is(cond->first, "beresp.status") ||
	    cond->first->next->kind != FM_EXPR_NUMBER)
		return (false);
	number = cond->first->next;
	status = strtoul(number->text.b, NULL, 10);
	return ((fm_text_is(cond->text, "==") && status >= 400 &&
	    status != 410) || (*cond->text.b == '>' && status >= 399) ||
	    (fm_text_is(cond->text, "!=") && status == 200));
}

/* Says if the conditions before a statement ask for the status. */
enum status { UNKNOWN, ASKED, ERRORS };

/* Returns true if one of the statements makes the response uncacheable. */
static bool
is_uncacheable(const struct fm_vstmt *stmt)
{
	for (; stmt != NULL; stmt = stmt->next)
		if (stmt->kind == FM_VSTMT_SET &&
		    fm_text_is(stmt->name, "beresp.uncacheable") &&
		    stmt->value->kind == FM_EXPR_TRUE)
			return (true);
	return (false);
}

/* Tells a lifetime of the page; `first` begins the statements around it. */
static void
tell_ttl(struct fm_import *im, const struct fm_vstmt *stmt,
    const struct fm_vstmt *first, enum status status)
{
	double seconds = seconds_of(im, stmt->value);

	if ((seconds == 0 || is_below_zero(im, stmt)) &&
	    is_uncacheable(first))
		danger(im, &stmt->at, "with a ttl of 0 s Varnish forgets at "
		    "once that the page is uncacheable, so that requests for "
		    "this URL wait for each other: set a ttl of 120s");
	else if (seconds == 0 || is_below_zero(im, stmt))
		danger(im, &stmt->at, "with a ttl of 0 s requests for this "
		    "URL wait for each other, and where VCL delivers the page "
		    "it is given out for its grace: say uncacheable");
	else if (seconds > LONG_TTL && status == ERRORS)
		danger(im, &stmt->at, "an error is stored for more than an "
		    "hour here");
	else if (seconds > LONG_TTL && status == UNKNOWN)
		danger(im, &stmt->at, "an error of the backend is stored as "
		    "long as a page here: test the status");
}

static void
look_ttl(struct fm_import *im, const struct fm_vstmt *stmt, enum status status)
{
	const struct fm_vstmt *first = stmt;
	const struct fm_arm *arm;

	for (; stmt != NULL; stmt = stmt->next) {
		for (arm = stmt->arms; arm != NULL; arm = arm->next)
			look_ttl(im, arm->body, asks_for_errors(arm->cond) ?
			    ERRORS : arm->cond != NULL && has_name(arm->cond,
			    "beresp.status") ? ASKED : status);
		/* A status was asked for: `if (status != 200) { return }`. */
		for (arm = stmt->arms; arm != NULL; arm = arm->next)
			if (status == UNKNOWN && arm->cond != NULL &&
			    has_name(arm->cond, "beresp.status") &&
			    fm_vstmts_end(arm->body))
				status = ASKED;
		look_ttl(im, called(im, stmt), status);
		if (stmt->kind == FM_VSTMT_SET &&
		    fm_text_is(stmt->name, "beresp.ttl"))
			tell_ttl(im, stmt, first, status);
		if (stmt->kind == FM_VSTMT_RETURN && stmt->value != NULL &&
		    fm_expr_calls(stmt->value, "pass", 1) &&
		    seconds_of(im, stmt->value->first) == 0)
			danger(im, &stmt->at, "with 0 s Varnish forgets at "
			    "once that the page is passed, so that requests "
			    "for this URL wait for each other: pass(120s)");
	}
}

/* Returns true if some condition, or hash_data(), asks for a variable. */
static bool
is_asked(const struct fm_vstmt *stmt, const char *name)
{
	const struct fm_arm *arm;

	for (; stmt != NULL; stmt = stmt->next) {
		if (stmt->kind == FM_VSTMT_ACTION &&
		    fm_expr_calls(stmt->value, "hash_data", 1) &&
		    has_name(stmt->value, name))
			return (true);
		for (arm = stmt->arms; arm != NULL; arm = arm->next)
			if (has_name(arm->cond, name) ||
			    is_asked(arm->body, name))
				return (true);
	}
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
		look_304(im, called(im, stmt), under);
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

/* Returns true if statements set a lifetime of what is stored. */
static bool
sets_lifetime(const struct fm_vstmt *stmt)
{
	static const char * const lifetimes[] = { "beresp.ttl",
	    "beresp.grace", "beresp.keep", NULL };
	bool sets = false;

	for (; stmt != NULL; stmt = stmt->next) {
		if (stmt->kind != FM_VSTMT_SET)
			continue;
		if (fm_text_is(stmt->name, "beresp.uncacheable"))
			return (false);
		sets |= fm_text_is_one_of(stmt->name, lifetimes);
	}
	return (sets);
}

/* Returns true if a lifetime comes of a header, before some statement. */
static bool
makes_lifetime(const struct fm_vstmt *stmt, const struct fm_vstmt *end,
    const char *name)
{
	const struct fm_arm *arm;
	struct fm_vstmt alone;

	for (; stmt != NULL && stmt != end; stmt = stmt->next) {
		alone = *stmt;
		alone.next = NULL;
		if (stmt->kind == FM_VSTMT_SET && sets_lifetime(&alone) &&
		    has_name(stmt->value, name))
			return (true);
		for (arm = stmt->arms; arm != NULL; arm = arm->next)
			if ((has_name(arm->cond, name) &&
			    arm->close < end->first &&
			    sets_lifetime(arm->body)) ||
			    makes_lifetime(arm->body, end, name))
				return (true);
	}
	return (false);
}

/* Looks for a header that is removed after a lifetime was made of it. */
static void
look_spent(struct fm_import *im, const struct fm_vstmt *all,
    const struct fm_vstmt *stmt)
{
	/* A 304 has these itself. */
	static const char * const fresh[] = { "beresp.http.cache-control",
	    "beresp.http.expires", "beresp.http.set-cookie",
	    "beresp.http.vary", "beresp.http.pragma" };
	const struct fm_arm *arm;
	const char *name;
	size_t i;

	for (; stmt != NULL; stmt = stmt->next) {
		for (arm = stmt->arms; arm != NULL; arm = arm->next)
			look_spent(im, all, arm->body);
		if (stmt->kind != FM_VSTMT_UNSET ||
		    !fm_text_begins(stmt->name, "beresp.http."))
			continue;
		name = fm_import_printf(im, "%.*s", FM_ARG(stmt->name));
		for (i = 0; i < sizeof fresh / sizeof *fresh; i++)
			if (fm_text_is_nocase(stmt->name, fresh[i]))
				name = NULL;
		if (name != NULL && makes_lifetime(all, stmt, name))
			danger(im, &stmt->at, "a lifetime is made of this "
			    "header: after a 304 it is gone, as the stored "
			    "headers count then; unset it in vcl_deliver");
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

/* Returns true for a header that browsers and proxies send themselves. */
static bool
is_usual(struct fm_text header)
{
	static const char * const usual[] = { "Accept", "Authorization",
	    "Cache-Control", "Connection", "Content-", "Cookie", "DNT",
	    "Expect", "Forwarded", "Host", "If-", "Origin", "Pragma", "Range",
	    "Referer", "Sec-", "Surrogate-Capability", "TE", "Upgrade",
	    "User-Agent", "Via", "X-Forwarded", "X-Requested-With" };
	size_t i, len;

	for (i = 0; i < sizeof usual / sizeof *usual; i++) {
		len = strlen(usual[i]);
		if (header.len >= len &&
		    strncasecmp(header.b, usual[i], len) == 0)
			return (true);
	}
	return (false);
}

/* Returns the first statement that sets a variable. */
static const struct fm_vstmt *
first_set(const struct fm_vstmt *stmt, struct fm_text name)
{
	const struct fm_vstmt *found = NULL;
	const struct fm_arm *arm;

	for (; stmt != NULL && found == NULL; stmt = stmt->next) {
		if (stmt->kind == FM_VSTMT_SET &&
		    fm_text_eq_nocase(stmt->name, name))
			return (stmt);
		for (arm = stmt->arms; arm != NULL && found == NULL;
		    arm = arm->next)
			found = first_set(arm->body, name);
	}
	return (found);
}

/* Returns the statements after the one, of a list, that has another inside. */
static const struct fm_vstmt *
stmt_after(const struct fm_vstmt *all, const struct fm_vstmt *inside)
{
	while (all != NULL && all->last < inside->last)
		all = all->next;
	return (all == NULL ? NULL : all->next);
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
		if (header.len > 0 && !is_usual(header) &&
		    !is_made(all, stmt->name) &&
		    first_set(all, stmt->name) == stmt &&
		    (is_asked_later(im, header) ||
		    is_asked(stmt_after(all, stmt), fm_import_printf(im,
		    "req.http.%.*s", FM_ARG(header)))))
			danger(im, &stmt->at, "a client can send this header "
			    "itself, and VCL asks for it later: unset it at "
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
		if (fm_vdecl_is_sub(decl, "vcl_backend_error"))
			look_ttl(im, decl->body, ERRORS);
		if (!fm_vdecl_is_sub(decl, "vcl_backend_response"))
			continue;
		look_stored(im, decl->body, NULL);
		look_spent(im, decl->body, decl->body);
		look_ttl(im, decl->body, UNKNOWN);
		look_304(im, decl->body, NULL);
	}
}
