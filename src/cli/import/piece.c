/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The statements of a block in pieces: each as rules, or as VCL and why.
 *
 * A call is replaced by what is called where that makes some of it rules.  Of
 * an `if` of which the first arms end the request and are rules, these are a
 * piece of their own, and the others an `if` behind it.
 */

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cli.h"
#include "import.h"
#include "parse.h"

#define CALLS_MAX	16

struct list {
	struct fm_piece		*first;
	struct fm_piece		**tail;
	unsigned		calls;
};

static void pieces_add(struct fm_import *, struct list *,
    const struct fm_vstmt *);

/* What the module would say of these rules; true: nothing. */
static bool
rules_stand(struct fm_import *im, const char *items, const char *rules,
    bool hosts)
{
	struct fm_diag_message m;
	struct fm_model *model;
	struct fm_diag *diag = fm_diag_new();
	const struct fm_name *list;
	char *text = NULL;
	size_t len;
	unsigned n;
	FILE *to = fm_import_memory(&text, &len);
	bool good;

	for (list = im->lists; list != NULL; list = list->next)
		fputs(list->text, to);
	fprintf(to, hosts ? "%s%s" : "%salways {\n%s}\n", items, rules);
	(void)fclose(to);
	model = fm_parse_text("import", fm_text(text, len), false, diag);
	if (diag == NULL || model == NULL)
		fm_cli_no_memory();
	good = fm_diag_errors(diag) == 0 && fm_check(model, NULL, diag);
	for (n = 0; !good && fm_diag_message(diag, n, &m); n++)
		if (m.error)
			(void)fm_import_refuse(im, NULL, "rules refuse it: %s",
			    m.text);
	fm_model_free(&model);
	fm_diag_free(&diag);
	free(text);
	return (good);
}

/*
 * The statement here as rules, perhaps with some behind it.  Nothing of a
 * failure is left but the reason.
 */
static struct fm_piece *
piece_try(struct fm_import *im, const struct fm_vstmt *s, bool hosts)
{
	struct fm_piece *piece = fm_import_alloc(im, sizeof *piece);
	struct fm_name *backends = im->backends;
	unsigned nmaps = im->nmaps;
	char *rules = NULL, *items = NULL;
	size_t len;
	FILE *to = fm_import_memory(&rules, &len);
	bool good;

	im->items = fm_import_memory(&items, &len);
	im->why = NULL;
	im->weight = im->notes = 0;
	im->redirects_seen = im->regexes_seen = false;
	im->url_rooted = im->url_checked;
	im->joins_seen = im->sets_host = false;
	im->lists = NULL;
	piece->stmt = s;
	piece->facts = im->facts;
	piece->url_checked = im->url_checked;
	if (hosts) {
		good = fm_import_hosts(im, s, to);
	} else {
		piece->n = fm_import_strip(im, s, 1, to);
		good = piece->n > 0 || fm_import_stmt(im, s, 1, to);
	}
	if (piece->n == 0)
		piece->n = 1;
	(void)fclose(to);
	(void)fclose(im->items);
	/* What says nothing, an empty block, is no reason for a file. */
	if (good && *rules != '\0' && rules_stand(im, items, rules,
	    hosts)) {
		piece->rules = fm_import_printf(im, "%s", rules);
		piece->items = fm_import_printf(im, "%s", items);
		piece->lists = im->lists;
		piece->weight = im->weight;
		piece->notes = im->notes;
		piece->redirects = im->redirects_seen;
		piece->regexes = im->regexes_seen;
		piece->joins = im->joins_seen;
		piece->sets_host = im->sets_host;
		piece->hosts = hosts;
	} else {
		im->backends = backends;
		im->nmaps = nmaps;
		im->facts = NULL;
		piece->n = 1;
		piece->why = im->why == NULL ? "it does nothing" : im->why;
		piece->at = im->why_at.name == NULL ? s->at : im->why_at;
	}
	free(rules);
	free(items);
	return (piece);
}

static struct fm_piece *
piece_new(struct fm_import *im, const struct fm_vstmt *s)
{
	struct fm_fact *facts = im->facts;
	struct fm_piece *piece;

	if (im->well_formed && s->kind == FM_VSTMT_IF) {
		piece = piece_try(im, s, true);
		if (piece->rules != NULL)
			return (piece);
		im->facts = facts;
	}
	return (piece_try(im, s, false));
}

static void
list_add(struct list *list, struct fm_piece *piece)
{
	*list->tail = piece;
	list->tail = &piece->next;
}

/*--------------------------------------------------------------------
 * An `if`, cut
 */

static struct fm_vstmt *
if_of(struct fm_import *im, const struct fm_vstmt *s, const struct fm_arm *from,
    size_t n)
{
	struct fm_vstmt *cut = fm_import_alloc(im, sizeof *cut);
	struct fm_arm **tail = &cut->arms;

	*cut = *s;
	cut->cut = true;
	cut->next = NULL;
	cut->arms = NULL;
	if (from != s->arms && from->cond != NULL)
		cut->at = from->cond->at;
	for (; from != NULL && n > 0; from = from->next, n--) {
		*tail = fm_import_alloc(im, sizeof **tail);
		**tail = *from;
		(*tail)->next = NULL;
		tail = &(*tail)->next;
	}
	return (cut);
}

/* The piece of the arms that end the request; NULL: not even the first. */
static struct fm_piece *
piece_of_ends(struct fm_import *im, const struct fm_vstmt *s,
    const struct fm_arm **rest)
{
	struct fm_piece *piece = NULL, *longer;
	const struct fm_arm *arm;
	size_t n = 1;

	for (arm = s->arms; arm != NULL; arm = arm->next, n++) {
		if (arm->cond == NULL || !fm_vstmts_end(arm->body))
			break;
		longer = piece_new(im, if_of(im, s, s->arms, n));
		if (longer->rules == NULL)
			break;
		piece = longer;
		*rest = arm->next;
	}
	return (piece);
}

/* An else that is left alone is what it holds. */
static void
add_rest(struct fm_import *im, struct list *list, const struct fm_vstmt *s,
    const struct fm_arm *rest)
{
	if (rest == NULL)
		return;
	if (rest->cond == NULL)
		pieces_add(im, list, rest->body);
	else
		list_add(list, piece_new(im, if_of(im, s, rest, (size_t)-1)));
}

/*--------------------------------------------------------------------
 * A call, as what is called
 */

static bool
returns_plainly(const struct fm_vstmt *s)
{
	const struct fm_arm *arm;

	for (; s != NULL; s = s->next) {
		if (s->kind == FM_VSTMT_RETURN && s->name.len == 0)
			return (true);
		for (arm = s->arms; arm != NULL; arm = arm->next)
			if (returns_plainly(arm->body))
				return (true);
	}
	return (false);
}

static bool
add_called(struct fm_import *im, struct list *list, const struct fm_vstmt *s)
{
	const struct fm_vdecl *sub = fm_import_find(im, "sub", s->name);
	const struct fm_piece *piece;
	struct list inner = { .calls = list->calls + 1 };

	inner.tail = &inner.first;
	if (sub == NULL || list->calls == CALLS_MAX ||
	    returns_plainly(sub->body))
		return (false);
	pieces_add(im, &inner, sub->body);
	for (piece = inner.first; piece != NULL; piece = piece->next)
		if (piece->rules != NULL)
			break;
	if (piece == NULL)
		return (false);
	*list->tail = inner.first;
	list->tail = inner.tail;
	return (true);
}

/*--------------------------------------------------------------------
 * Order
 */

/*
 * Moves each piece of rules up to the nearest one before it, over VCL that it
 * has nothing to do with.
 */
static void
move_up(struct fm_import *im, struct fm_piece **v, size_t n)
{
	struct fm_piece *piece;
	size_t i, j;

	for (i = 1; i < n; i++) {
		piece = v[i];
		if (piece->rules == NULL || v[i - 1]->rules != NULL)
			continue;
		for (j = i; j > 0 && v[j - 1]->rules == NULL; j--)
			if (!fm_import_apart(im, v[j - 1], piece))
				break;
		if (j == 0 || v[j - 1]->rules == NULL)
			continue;
		memmove(v + j + 1, v + j, (i - j) * sizeof *v);
		v[j] = piece;
	}
}

/* Likewise down, to those behind it. */
static void
move_down(struct fm_import *im, struct fm_piece **v, size_t n)
{
	struct fm_piece *piece;
	size_t i, j;

	for (i = n; i-- > 1;) {
		piece = v[i - 1];
		if (piece->rules == NULL || v[i]->rules != NULL)
			continue;
		for (j = i; j < n && v[j]->rules == NULL; j++)
			if (!fm_import_apart(im, v[j], piece))
				break;
		if (j == n || v[j]->rules == NULL)
			continue;
		memmove(v + i - 1, v + i, (j - i) * sizeof *v);
		v[j - 1] = piece;
	}
}

static struct fm_piece *
in_order(struct fm_import *im, struct fm_piece *first)
{
	struct fm_piece *piece, **v, **tail = &first;
	size_t n = 0, i;

	for (piece = first; piece != NULL; piece = piece->next)
		n++;
	v = fm_import_alloc(im, (n + 1) * sizeof *v);
	n = 0;
	for (piece = first; piece != NULL; piece = piece->next)
		v[n++] = piece;
	move_up(im, v, n);
	move_down(im, v, n);
	for (i = 0; i < n; i++) {
		*tail = v[i];
		tail = &v[i]->next;
	}
	*tail = NULL;
	return (first);
}

/* Returns true for `if (req.url !~ "^/")` that ends the request. */
static bool
checks_url(const struct fm_vstmt *s)
{
	const struct fm_expr *cond;

	if (s->kind != FM_VSTMT_IF || s->arms->next != NULL)
		return (false);
	cond = s->arms->cond;
	return (cond != NULL && cond->kind == FM_EXPR_COMPARE &&
	    fm_text_is(cond->text, "!~") &&
	    cond->first->kind == FM_EXPR_NAME &&
	    fm_text_is(cond->first->text, "req.url") &&
	    cond->first->next->kind == FM_EXPR_STRING &&
	    fm_text_is(cond->first->next->text, "^/") &&
	    fm_vstmts_end(s->arms->body));
}

static void
pieces_add(struct fm_import *im, struct list *list, const struct fm_vstmt *s)
{
	const struct fm_arm *rest = NULL;
	struct fm_piece *piece, *ends;
	size_t n;

	while (s != NULL) {
		piece = piece_new(im, s);
		ends = NULL;
		if (piece->rules == NULL && s->kind == FM_VSTMT_IF)
			ends = piece_of_ends(im, s, &rest);
		if (ends != NULL) {
			list_add(list, ends);
			add_rest(im, list, s, rest);
		} else if (piece->rules != NULL ||
		    s->kind != FM_VSTMT_CALL || !add_called(im, list, s)) {
			list_add(list, piece);
		}
		for (n = piece->n; n > 0; n--) {
			im->url_checked = checks_url(s) || (im->url_checked &&
			    !fm_import_edits_url(im, s));
			s = s->next;
		}
	}
}

struct fm_piece *
fm_import_pieces(struct fm_import *im, const struct fm_vstmt *s,
    const struct fm_piece *in)
{
	struct list list = { .first = NULL };

	list.tail = &list.first;
	im->facts = in == NULL ? NULL : in->facts;
	im->url_checked = in != NULL && in->url_checked;
	pieces_add(im, &list, s);
	return (in_order(im, list.first));
}
