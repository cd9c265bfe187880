/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds out if VCL can tell an empty header from a missing one.
 *
 * VCL may set a header to nothing: then the header is there, and equal to "".
 * Rules remove such a header, and a header that is not there is not equal to
 * "".  So a statement that may leave a header empty can only become rules if
 * nothing that runs later asks for the difference:
 *
 *	set req.http.X = regsub(req.url, "a", "");	EMPTY
 *	if (req.http.X ~ "^$") { ... }			the same for both
 *	if (req.http.X == "") { unset req.http.X; }	MISSING or THERE
 *	if (req.http.X) { ... }				so nothing is lost
 */

#include <string.h>
#include <strings.h>

#include "import.h"

/* Bits that say what is known of a header before a statement. */
#define MISSING	1u	/* it may not be there */
#define THERE	2u	/* it may be there in VCL and in rules */
#define EMPTY	4u	/* the statements may have left it empty */

struct walk {
	struct fm_import	*im;
	const char		*name;		/* "req.http.X" */
	struct fm_text		header;		/* "X" */
	size_t			from, last;	/* the statements, by tokens */
	unsigned		inside;		/* subs that they call */
	const struct fm_vstmt	*joined;	/* may ask: see import.h */
	unsigned		left;		/* where `return;` leaves */
	unsigned		ends;		/* where vcl_recv ends */
	bool			asked;
};

static unsigned walk_stmts(struct walk *, const struct fm_vstmt *, unsigned);

/*--------------------------------------------------------------------
 * Conditions
 */

static unsigned
filled(unsigned state)
{
	return (state & EMPTY ? (state & ~EMPTY) | THERE : state);
}

/* Returns what is known of the header if a comparison of it came out so. */
static unsigned
after_compare(struct walk *walk, const struct fm_expr *expr, bool truth,
    unsigned state)
{
	bool regex = expr->text.b[expr->text.len - 1] == '~';
	bool hit = (*expr->text.b == '!') != truth, empty;
	struct fm_text text;

	if (!fm_expr_is(expr->first, walk->name) || !fm_expr_constant(
	    &walk->im->vcl, expr->first->next, &text) || (!regex &&
	    !fm_text_is(expr->text, "==") && !fm_text_is(expr->text, "!=")))
		return (state);
	empty = regex ? fm_import_regex_fits(text, "") == 1 : text.len == 0;
	if (hit != empty)
		state = filled(state);
	/* For a regex a missing header is the empty text. */
	if (regex ? hit != empty : hit)
		state &= ~MISSING;
	return (state);
}

/* Returns what is known of the header if a condition came out so. */
static unsigned
after_cond(struct walk *walk, const struct fm_expr *expr, bool truth,
    unsigned state)
{
	const struct fm_expr *part;
	unsigned any = 0;

	switch (expr->kind) {
	case FM_EXPR_NOT:
		return (after_cond(walk, expr->first, !truth, state));
	case FM_EXPR_AND:
	case FM_EXPR_OR:
		for (part = expr->first; part != NULL; part = part->next) {
			any |= after_cond(walk, part, truth, state);
			state = after_cond(walk, part,
			    expr->kind == FM_EXPR_AND, state);
		}
		return (truth == (expr->kind == FM_EXPR_AND) ? state : any);
	case FM_EXPR_NAME:
		if (!fm_expr_is(expr, walk->name))
			return (state);
		return (truth ? state & ~MISSING : state & MISSING);
	case FM_EXPR_COMPARE:
		return (after_compare(walk, expr, truth, state));
	default:
		return (state);
	}
}

/*--------------------------------------------------------------------
 * Statements
 */

static bool
is_inside(const struct walk *walk, const struct fm_vstmt *stmt)
{
	return (walk->inside > 0 || (stmt->first >= walk->from &&
	    stmt->first <= walk->last));
}

static void
ask(struct walk *walk, size_t first, size_t last, unsigned state)
{
	if (state & EMPTY && fm_vcl_asks_for(&walk->im->vcl, walk->header,
	    first, last))
		walk->asked = true;
}

/* Returns true for `if (...) { unset req.http.X; }`: rules lose nothing. */
static bool
only_unsets(const struct walk *walk, const struct fm_vstmt *stmt)
{
	const struct fm_vstmt *body = stmt->arms->body;

	return (stmt->arms->next == NULL && body != NULL &&
	    body->next == NULL && body->kind == FM_VSTMT_UNSET &&
	    fm_text_is_nocase(body->name, walk->name));
}

static unsigned
walk_if(struct walk *walk, const struct fm_vstmt *stmt, unsigned state)
{
	bool joined = walk->joined != NULL &&
	    walk->joined->first == stmt->first, free = joined ||
	    is_inside(walk, stmt) || only_unsets(walk, stmt);
	const struct fm_arm *arm;
	unsigned after = 0, then;

	/* It is joined because the header is there, whatever happened. */
	walk->asked |= joined && state & MISSING;
	for (arm = stmt->arms; arm != NULL; arm = arm->next) {
		then = state;
		if (arm->cond != NULL) {
			if (!free)
				ask(walk, arm->first, arm->last, state);
			then = after_cond(walk, arm->cond, true, state);
			state = after_cond(walk, arm->cond, false, state);
		} else {
			state = 0;
		}
		after |= walk_stmts(walk, arm->body, then);
	}
	return (after | state);
}

static unsigned
walk_call(struct walk *walk, const struct fm_vstmt *stmt, unsigned state)
{
	const struct fm_vdecl *sub = fm_vcl_find(&walk->im->vcl, "sub",
	    stmt->name);
	bool inside = is_inside(walk, stmt);
	unsigned left = walk->left;

	walk->left = 0;
	walk->inside += inside;
	if (sub != NULL)
		state = walk_stmts(walk, sub->body, state) | walk->left;
	walk->inside -= inside;
	walk->left = left;
	return (state);
}

static unsigned
walk_stmt(struct walk *walk, const struct fm_vstmt *stmt, unsigned state)
{
	switch (stmt->kind) {
	case FM_VSTMT_IF:
		return (walk_if(walk, stmt, state));
	case FM_VSTMT_CALL:
		return (walk_call(walk, stmt, state));
	case FM_VSTMT_SET:
		ask(walk, stmt->first, stmt->last, state);
		if (fm_text_is_nocase(stmt->name, walk->name))
			return (is_inside(walk, stmt) ? EMPTY : THERE);
		return (state);
	case FM_VSTMT_UNSET:
		return (fm_text_is_nocase(stmt->name, walk->name) ? MISSING :
		    state);
	case FM_VSTMT_RETURN:
		ask(walk, stmt->first, stmt->last, state);
		if (stmt->name.len == 0)
			walk->left |= state;
		else
			walk->ends |= state;
		return (0);
	default:
		ask(walk, stmt->first, stmt->last, state);
		if (stmt->kind == FM_VSTMT_ACTION &&
		    fm_text_is(stmt->value->text, "std.collect"))
			return (state);
		return (state | MISSING | THERE);
	}
}

static unsigned
walk_stmts(struct walk *walk, const struct fm_vstmt *stmt, unsigned state)
{
	for (; stmt != NULL && state != 0; stmt = stmt->next)
		state = walk_stmt(walk, stmt, state);
	return (state);
}

/*--------------------------------------------------------------------
 * The whole VCL
 */

/* Looks at a sub that runs after vcl_recv, and at those that it calls. */
static void
ask_sub(struct walk *walk, const struct fm_vdecl *decl)
{
	const struct fm_vcl_tree *vcl = &walk->im->vcl;
	const struct fm_vdecl *sub;
	size_t i;

	ask(walk, decl->first, decl->last, EMPTY);
	for (i = decl->open; !walk->asked && i < decl->close; i++)
		if (fm_token_is(vcl, i, "call")) {
			sub = fm_vcl_find(vcl, "sub", vcl->tokens[i + 1].text);
			if (sub != NULL)
				ask_sub(walk, sub);
		}
}

/* Looks at all that runs after vcl_recv. */
static void
ask_later(struct walk *walk)
{
	const struct fm_vdecl *decl;

	for (decl = walk->im->vcl.decls; decl != NULL; decl = decl->next)
		if (fm_text_is(decl->kind, "sub") &&
		    fm_text_begins(decl->name, "vcl_") &&
		    !fm_text_is(decl->name, "vcl_recv"))
			ask_sub(walk, decl);
}

/* Returns true for headers that builtin.vcl asks for. */
static bool
is_builtin(struct fm_text header)
{
	return (fm_text_is_nocase(header, "Host") ||
	    fm_text_is_nocase(header, "Cookie") ||
	    fm_text_is_nocase(header, "Authorization"));
}

enum fm_import_empty
fm_import_empty(struct fm_import *im, struct fm_text header,
    const struct fm_vstmt *stmt, size_t n, const struct fm_vstmt *joined)
{
	struct walk walk = { .im = im, .header = header, .joined = joined };
	const struct fm_vdecl *recv = fm_vcl_find(&im->vcl, "sub",
	    fm_text_of("vcl_recv"));
	unsigned state = MISSING | THERE, after, pass;

	walk.name = fm_import_printf(im, "req.http.%.*s", FM_ARG(header));
	/* An `if` that was cut stands for a part of its body. */
	walk.from = stmt->cut && stmt->arms != NULL &&
	    stmt->arms->body != NULL ? stmt->arms->body->first : stmt->first;
	for (; n > 1; n--)
		stmt = stmt->next;
	walk.last = stmt->last;
	if (stmt->cut && stmt->arms != NULL)
		for (stmt = stmt->arms->body; stmt != NULL; stmt = stmt->next)
			walk.last = stmt->last;
	for (pass = 0; pass < 2; pass++) {
		after = walk_stmts(&walk, recv->body, state);
		if (after & EMPTY && is_builtin(header))
			walk.asked = true;
		walk.ends |= after;
		/* After a restart the header is as it was. */
		if (!im->vcl.restarts)
			break;
		state |= walk.ends;
	}
	if (walk.ends & EMPTY)
		ask_later(&walk);
	return (walk.asked ? FM_EMPTY_ASKED :
	    walk.ends & EMPTY ? FM_EMPTY_STAYS : FM_EMPTY_GOES);
}

/*--------------------------------------------------------------------
 * An `if` right after the statements
 */

/* Returns true if a condition compares a header with "". */
static bool
compares(struct fm_import *im, const struct fm_expr *expr, const char *name)
{
	const struct fm_expr *part;
	struct fm_text text;

	if (expr->kind == FM_EXPR_COMPARE)
		return (fm_expr_is(expr->first, name) &&
		    fm_expr_constant(&im->vcl, expr->first->next, &text) &&
		    fm_text_trim(text).len == 0);
	for (part = expr->first; part != NULL; part = part->next)
		if (compares(im, part, name))
			return (true);
	return (false);
}

const struct fm_vstmt *
fm_import_joined(struct fm_import *im, struct fm_text header,
    const struct fm_vstmt *after)
{
	const char *name = fm_import_printf(im, "req.http.%.*s",
	    FM_ARG(header));

	return (after != NULL && after->kind == FM_VSTMT_IF &&
	    after->arms->cond != NULL &&
	    compares(im, after->arms->cond, name) ? after : NULL);
}
