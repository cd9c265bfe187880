/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Whether two statements may change places: neither ends the request, and
 * what one writes the other one neither reads nor writes.  And whether a
 * statement may edit the URL.
 */

#include <string.h>

#include "import.h"

#define EFFECTS_MAX	200
#define EFFECTS_DEPTH	16

struct effects {
	const struct fm_import	*im;
	struct fm_text		reads[EFFECTS_MAX];
	struct fm_text		writes[EFFECTS_MAX];
	size_t			nreads, nwrites;
	unsigned		depth;
	bool			unknown;
};

static void
add(struct effects *fx, struct fm_text *v, size_t *n, struct fm_text name)
{
	if (*n == EFFECTS_MAX)
		fx->unknown = true;
	else
		v[(*n)++] = name;
}

/* Nothing but the arguments goes into these. */
static bool
is_pure(struct fm_text name)
{
	return (fm_text_is(name, "regsub") || fm_text_is(name, "regsuball") ||
	    fm_text_is(name, "std.tolower") ||
	    fm_text_is(name, "std.toupper"));
}

static void
expr_effects(struct effects *fx, const struct fm_expr *e)
{
	for (; e != NULL; e = e->next) {
		if (e->kind == FM_EXPR_OTHER ||
		    (e->kind == FM_EXPR_CALL && !is_pure(e->text)))
			fx->unknown = true;
		if (e->kind == FM_EXPR_NAME)
			add(fx, fx->reads, &fx->nreads, e->text);
		expr_effects(fx, e->first);
	}
}

static void stmts_effects(struct effects *, const struct fm_vstmt *, size_t);

static void
stmt_effects(struct effects *fx, const struct fm_vstmt *s)
{
	const struct fm_vdecl *sub;
	const struct fm_arm *arm;

	switch (s->kind) {
	case FM_VSTMT_IF:
		for (arm = s->arms; arm != NULL; arm = arm->next) {
			expr_effects(fx, arm->cond);
			stmts_effects(fx, arm->body, (size_t)-1);
		}
		break;
	case FM_VSTMT_SET:
		expr_effects(fx, s->value);
		add(fx, fx->writes, &fx->nwrites, s->name);
		break;
	case FM_VSTMT_UNSET:
		add(fx, fx->writes, &fx->nwrites, s->name);
		break;
	case FM_VSTMT_CALL:
		sub = fm_import_find(fx->im, "sub", s->name);
		if (sub == NULL || fx->depth == EFFECTS_DEPTH) {
			fx->unknown = true;
			break;
		}
		fx->depth++;
		stmts_effects(fx, sub->body, (size_t)-1);
		fx->depth--;
		break;
	case FM_VSTMT_RETURN:
	case FM_VSTMT_OTHER:
		fx->unknown = true;
		break;
	}
}

static void
stmts_effects(struct effects *fx, const struct fm_vstmt *s, size_t n)
{
	for (; s != NULL && n > 0; s = s->next, n--)
		stmt_effects(fx, s);
}

/* Names of headers don't know upper and lower case. */
static bool
touch(const struct fm_text *a, size_t na, const struct fm_text *b, size_t nb)
{
	size_t i, j;

	for (i = 0; i < na; i++)
		for (j = 0; j < nb; j++)
			if (fm_text_eq_nocase(a[i], b[j]))
				return (true);
	return (false);
}

/* Not in the arena: there are as many as pairs of pieces. */
static void
effects_of(struct effects *fx, const struct fm_import *im,
    const struct fm_piece *piece)
{
	fx->im = im;
	fx->nreads = fx->nwrites = 0;
	fx->depth = 0;
	fx->unknown = false;
	stmts_effects(fx, piece->stmt, piece->n);
}

/*--------------------------------------------------------------------
 * The URL
 */

static bool stmt_edits_url(const struct fm_import *, const struct fm_vstmt *,
    unsigned);

/* Returns true unless a call of std alone is known to leave the URL. */
static bool
other_edits_url(const struct fm_import *im, const struct fm_vstmt *s)
{
	struct fm_text name = im->tokens[s->first].text;

	return (name.len < 4 || memcmp(name.b, "std.", 4) != 0 ||
	    fm_text_is(name, "std.rollback"));
}

static bool
stmts_edit_url(const struct fm_import *im, const struct fm_vstmt *s,
    unsigned depth)
{
	for (; s != NULL; s = s->next)
		if (stmt_edits_url(im, s, depth))
			return (true);
	return (false);
}

static bool
stmt_edits_url(const struct fm_import *im, const struct fm_vstmt *s,
    unsigned depth)
{
	const struct fm_vdecl *sub;
	const struct fm_arm *arm;

	switch (s->kind) {
	case FM_VSTMT_IF:
		for (arm = s->arms; arm != NULL; arm = arm->next)
			if (stmts_edit_url(im, arm->body, depth))
				return (true);
		return (false);
	case FM_VSTMT_SET:
	case FM_VSTMT_UNSET:
		return (fm_text_is(s->name, "req.url"));
	case FM_VSTMT_CALL:
		sub = fm_import_find(im, "sub", s->name);
		return (sub == NULL || depth == EFFECTS_DEPTH ||
		    stmts_edit_url(im, sub->body, depth + 1));
	case FM_VSTMT_RETURN:
		return (false);
	case FM_VSTMT_OTHER:
		break;
	}
	return (other_edits_url(im, s));
}

bool
fm_import_edits_url(const struct fm_import *im, const struct fm_vstmt *s)
{
	return (stmt_edits_url(im, s, 0));
}

bool
fm_import_apart(const struct fm_import *im, const struct fm_piece *p,
    const struct fm_piece *q)
{
	struct effects a, b;

	effects_of(&a, im, p);
	effects_of(&b, im, q);
	return (!a.unknown && !b.unknown &&
	    !touch(a.writes, a.nwrites, b.writes, b.nwrites) &&
	    !touch(a.writes, a.nwrites, b.reads, b.nreads) &&
	    !touch(a.reads, a.nreads, b.writes, b.nwrites));
}
