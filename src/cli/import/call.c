/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A statement that rules have no word for, between others that become rules: it
 * becomes a sub of VCL, which the rules call in its place.
 *
 *	if (req.method == "BAN") {		when method is BAN {
 *		unset req.http.Cookie;			unset Cookie;
 *		ban("obj.http.X ~ " + req.http.X);	call ban_3;
 *		return (synth(200));			synth 200;
 *	}					}
 *
 * Rules make all edits before they call subs.  So nothing that comes after the
 * statement may touch what it reads or writes.  It must not return, as rules go
 * on after a call: but for a synth(), after which they end.
 */

#include <ctype.h>
#include <string.h>

#include "bounds.h"
#include "import.h"

/*--------------------------------------------------------------------
 * Statements that run after another one
 */

static const char * const lifetimes[] = { "beresp.ttl", "beresp.grace",
    "beresp.keep", "beresp.uncacheable", NULL };

/* A walk through a sub, which looks for what follows a statement. */
struct walk {
	const struct fm_import	*im;
	const struct fm_vstmt	*stmt;
	bool			lives;		/* it has some of these */
	bool			found;
	bool			ran;		/* before here, on some path */
	bool			bound;		/* some that comes after it
						 * depends on it */
};

/* A verdict of *delivery* calls none of the subs. */
static bool
is_bound(const struct walk *walk, const struct fm_vstmt *after)
{
	static const char * const verdicts[] = { "synth", NULL };
	const struct fm_vcl_tree *vcl = &walk->im->vcl;

	return (!fm_vstmts_free(vcl, walk->stmt, 1, after, 1) ||
	    (walk->lives && fm_vstmts_touch(vcl, after, 1, lifetimes)) ||
	    (walk->im->phase == FM_IN_DELIVER &&
	    fm_vstmts_read(vcl, after, 1, verdicts)));
}

static bool walk_stmts(struct walk *, const struct fm_vstmt *);

/* Returns true if no path goes on after these arms. */
static bool
walk_arms(struct walk *walk, const struct fm_arm *arm)
{
	bool before = walk->ran, ran = false, ends = true, otherwise = false;

	for (; arm != NULL; arm = arm->next) {
		walk->ran = before;
		otherwise |= arm->cond == NULL;
		if (!walk_stmts(walk, arm->body)) {
			ran |= walk->ran;
			ends = false;
		}
	}
	walk->ran = ran || (before && !otherwise);
	return (ends && otherwise);
}

/* Returns true if no path goes on after these statements. */
static bool
walk_stmts(struct walk *walk, const struct fm_vstmt *at)
{
	const struct fm_vdecl *sub;

	for (; at != NULL; at = at->next) {
		walk->bound |= walk->ran && is_bound(walk, at);
		if (at->first == walk->stmt->first)
			walk->found = walk->ran = true;
		if (at->kind == FM_VSTMT_RETURN && at->name.len > 0)
			return (true);
		/* It may be in an arm, or in a sub that is called there. */
		sub = at->kind == FM_VSTMT_CALL ? fm_vcl_find(&walk->im->vcl,
		    "sub", at->name) : NULL;
		if (!walk->ran && ((sub != NULL && walk_stmts(walk,
		    sub->body)) || (at->arms != NULL && walk_arms(walk,
		    at->arms))))
			return (true);
	}
	return (false);
}

/* Returns true if a statement may as well run at the end of its sub. */
static bool
may_wait(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct walk walk = { .im = im, .stmt = stmt,
	    .lives = fm_vstmts_touch(&im->vcl, stmt, 1, lifetimes) };

	(void)walk_stmts(&walk, im->body);
	return (walk.found && !walk.bound);
}

/*--------------------------------------------------------------------
 * Names
 */

/* Returns what a statement does: "ban", "std_syslog", "set_x_tag", "if". */
static const char *
does(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct fm_text name = stmt->kind == FM_VSTMT_ACTION ?
	    stmt->value->text : stmt->name;
	const char *dot = memrchr(name.b, '.', name.len);
	char *text;
	size_t i;

	if (stmt->kind == FM_VSTMT_IF)
		return ("if");
	if (stmt->kind != FM_VSTMT_ACTION && dot != NULL)
		name = fm_text_span(dot + 1, name.b + name.len);
	text = fm_import_alloc(im, name.len + 1);
	for (i = 0; i < name.len; i++)
		text[i] = isalnum((unsigned char)name.b[i]) ?
		    (char)tolower((unsigned char)name.b[i]) : '_';
	return (stmt->kind == FM_VSTMT_SET ? fm_import_printf(im, "set_%s",
	    text) : stmt->kind == FM_VSTMT_UNSET ? fm_import_printf(im,
	    "unset_%s", text) : text);
}

static bool
is_taken(const struct fm_import *im, const char *name)
{
	const struct fm_vcl_token *token;
	const struct fm_import_call *call;

	for (token = im->vcl.tokens; token->kind != FM_VCL_END; token++)
		if (fm_text_is(token->text, name))
			return (true);
	for (call = im->calls; call != NULL; call = call->next)
		if (strcmp(call->name, name) == 0)
			return (true);
	return (false);
}

/* Returns the call of a statement, which is added if it isn't there. */
static struct fm_import_call *
call_of(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct fm_import_call *call, **last;
	const char *name;
	unsigned n = 1;

	for (last = &im->calls; *last != NULL; last = &(*last)->next)
		if ((*last)->stmt.first == stmt->first)
			return (*last);
	name = fm_import_printf(im, "%s_%u", does(im, stmt), stmt->at.line);
	call = fm_import_alloc(im, sizeof *call);
	for (call->name = name; is_taken(im, call->name);)
		call->name = fm_import_printf(im, "%s_%u", name, ++n);
	call->stmt = *stmt;
	call->stmt.next = NULL;
	*last = call;
	return (call);
}

/*--------------------------------------------------------------------
 * Bans
 */

static bool
is_called(const struct fm_import *im, const struct fm_vstmt *stmt)
{
	const struct fm_import_call *call = im->calls;

	while (call != NULL && call->stmt.first != stmt->first)
		call = call->next;
	return (call != NULL);
}

/*
 * Returns true if a ban of rules may come before the end of these statements.
 * `lost`: one may come before a statement that answers; it is not made then.
 */
static bool
bans_before(const struct fm_import *im, const struct fm_vstmt *at, bool bans,
    const struct fm_vstmt *stmt, bool *lost)
{
	const struct fm_vdecl *sub;
	const struct fm_arm *arm;
	bool before;

	for (; at != NULL; at = at->next) {
		*lost |= bans && at->first == stmt->first;
		if (is_called(im, at))
			continue;
		bans |= fm_import_is_ban(at);
		sub = at->kind == FM_VSTMT_CALL ? fm_vcl_find(&im->vcl,
		    "sub", at->name) : NULL;
		if (sub != NULL)
			bans = bans_before(im, sub->body, bans, stmt, lost);
		before = bans;
		for (arm = at->arms; arm != NULL; arm = arm->next)
			bans |= bans_before(im, arm->body, before, stmt,
			    lost) && !fm_vstmts_end(arm->body);
	}
	return (bans);
}

/*--------------------------------------------------------------------
 * Calls
 */

/*
 * Returns "synth 403;" for a return (synth(403, ...)), to end the rules after
 * the call: the sub gives the answer.  NULL: another statement.
 */
static const char *
synth_of(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct fm_text status;
	bool lost = false;

	(void)bans_before(im, im->body, false, stmt, &lost);
	if (lost || im->phase != FM_IN_RECV || stmt->kind != FM_VSTMT_RETURN ||
	    !fm_text_is(stmt->name, "synth") ||
	    stmt->value->kind != FM_EXPR_CALL || im->vcl.esi)
		return (NULL);
	status = stmt->value->first->text;
	return (status.len == 3 && *status.b >= '2' && *status.b <= '5' ?
	    fm_import_printf(im, "synth %.*s;\n", FM_ARG(status)) : NULL);
}

/* Returns true if rules may call a sub with a statement. */
static bool
is_callable(struct fm_import *im, const struct fm_vstmt *stmt)
{
	static const char * const cookie[] = { "cookie", NULL };

	return (!stmt->cut && im->phase != FM_IN_HASH &&
	    im->phase != FM_IN_FETCH &&
	    im->phase != FM_IN_SYNTH && (synth_of(im, stmt) != NULL ||
	    !fm_vstmts_may_end(&im->vcl, stmt, 1)) &&
	    !fm_vstmts_touch(&im->vcl, stmt, 1, cookie) &&
	    /* In a pass the rules have set none of these. */
	    !fm_vstmts_read(&im->vcl, stmt, 1, lifetimes) &&
	    may_wait(im, stmt));
}

bool
fm_import_call(struct fm_import *im, const struct fm_vstmt *stmt,
    const struct fm_import *before)
{
	struct fm_import_called *called;
	struct fm_import_call *call;
	const char *synth;

	if (!im->may_call || im->ncalls >= FM_LIMIT_CALLS ||
	    !is_callable(im, stmt))
		return (false);
	call = call_of(im, stmt);
	if (call->why == NULL) {
		call->why = im->why == NULL ? "rules have no word for it" :
		    im->why;
		call->at = im->why_at.name == NULL ? stmt->at : im->why_at;
	}
	im->why = before->why;
	im->why_at = before->why_at;
	im->seen = before->seen;
	im->joined = before->joined;
	im->emptied = before->emptied;
	im->uncached = before->uncached;
	im->nmaps = before->nmaps;
	im->ncalls = before->ncalls;
	called = fm_import_alloc(im, sizeof *called);
	called->call = call;
	called->next = im->seen.called;
	im->seen.called = called;
	im->ncalls++;
	synth = synth_of(im, stmt);
	fm_import_put(im, "call %s;\n%s", call->name, synth == NULL ? "" :
	    synth);
	return (true);
}

unsigned
fm_import_unit_count(const struct fm_import_unit *unit)
{
	const struct fm_import_called *called;
	unsigned n = fm_vstmts_count(unit->stmt, unit->n);

	for (called = unit->seen.called; called != NULL; called = called->next)
		n -= fm_vstmts_count(&called->call->stmt, 1);
	return (n);
}

/* Counts the statements of a list, without each `if` itself. */
static unsigned
leaves(const struct fm_vstmt *stmt, size_t n)
{
	const struct fm_arm *arm;
	unsigned count = 0;

	for (; stmt != NULL && n > 0; stmt = stmt->next, n--) {
		count += stmt->arms == NULL;
		for (arm = stmt->arms; arm != NULL; arm = arm->next)
			count += leaves(arm->body, (size_t)-1);
	}
	return (count);
}

bool
fm_import_only_calls(const struct fm_import_unit *unit)
{
	const struct fm_import_called *called;
	unsigned n = leaves(unit->stmt, unit->n);

	for (called = unit->seen.called; called != NULL; called = called->next)
		n -= leaves(&called->call->stmt, 1);
	return (n == 0);
}

/* Makes the sub of a call, or only a copy of the call for a second object. */
static void
sub_make(struct fm_import *im, struct fm_import_call *call, const char *object)
{
	struct fm_import_call *second;
	struct fm_import_unit *kept;

	if (call->object != NULL && strcmp(call->object, object) == 0)
		return;
	if (call->object != NULL) {
		second = fm_import_alloc(im, sizeof *second);
		*second = *call;
		second->object = object;
		second->vcl = NULL;
		call->next = second;
		return;
	}
	call->object = object;
	kept = fm_import_alloc(im, sizeof *kept);
	*kept = (struct fm_import_unit){ .stmt = &call->stmt, .n = 1,
	    .at = call->at, .why = call->why, .next = im->called };
	fm_import_catch(im);
	fm_import_kept(im, kept);
	call->vcl = fm_import_caught(im);
	im->called = kept;
}

void
fm_import_called(struct fm_import *im, const struct fm_import_unit *unit,
    const char *object)
{
	const struct fm_import_called *called;

	for (called = unit->seen.called; called != NULL; called = called->next)
		sub_make(im, called->call, object);
}

void
fm_import_called_put(struct fm_import *im, const char *object)
{
	const struct fm_import_call *call;

	for (call = im->calls; call != NULL; call = call->next) {
		if (call->object == NULL)
			continue;
		if (object == NULL && call->vcl != NULL)
			fm_import_put(im, "\n\nsub %s {%s\n}", call->name,
			    call->vcl + 1);
		else if (object != NULL &&
		    strcmp(call->object, object) == 0)
			fm_import_put(im, "\n\t%s.sub(\"%s\", %s);", object,
			    call->name, call->name);
	}
}
