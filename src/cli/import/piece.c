/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The statements of vcl_recv in pieces: each as rules, or as VCL and why.
 *
 * A call is replaced by what is called where that makes some of it rules.  An
 * `if` that is no rule is cut: into the arms that end the request and those
 * behind them, or into one `if` for what of its body is rules and one for what
 * is not.
 */

#include <limits.h>
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

struct fm_vstmt **
fm_vstmts_copy(struct fm_import *im, const struct fm_vstmt *s, size_t n,
    struct fm_vstmt **tail)
{
	for (; s != NULL && n > 0; s = s->next, n--) {
		*tail = fm_import_alloc(im, sizeof **tail);
		**tail = *s;
		(*tail)->next = NULL;
		tail = &(*tail)->next;
	}
	return (tail);
}

unsigned
fm_vstmts_count(const struct fm_vstmt *s, size_t n)
{
	const struct fm_arm *arm;
	unsigned count = 0;

	for (; s != NULL && n > 0; s = s->next, n--) {
		count++;
		for (arm = s->arms; arm != NULL; arm = arm->next)
			count += fm_vstmts_count(arm->body, (size_t)-1);
	}
	return (count);
}

/* Pages are not written yet: for the check they are a word. */
static void
pages_out(const struct fm_import *im, char *text)
{
	const struct fm_page *page;
	size_t len;
	char *p;

	for (page = im->pages; page != NULL; page = page->next)
		while ((p = strstr(text, page->name)) != NULL) {
			len = strlen(page->name);
			/* from "NAME" */
			memset(p - 6, ' ', 6);
			p[-1] = '"';
			memset(p, 'x', len);
		}
}

/* Returns true if the module would say nothing of these rules. */
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

	for (list = im->seen.lists; list != NULL; list = list->next)
		fputs(list->text, to);
	fprintf(to, hosts ? "%s%s" : "%salways {\n%s}\n", items, rules);
	(void)fclose(to);
	pages_out(im, text);
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

static void
piece_begin(struct fm_import *im)
{
	im->why = NULL;
	im->seen = (struct fm_seen){ .notes = 0 };
	im->url_rooted = im->url_checked;
	im->under = NULL;
	im->host = fm_text(NULL, 0);
}

/* A piece of rules that differ, though, is VCL without --well-formed. */
static void
piece_stay(struct fm_import *im, struct fm_piece *piece)
{
	const struct fm_vstmt *s = piece->stmt;

	piece->nearest = piece->rules;
	piece->rules = NULL;
	piece->seen = im->seen;
	piece->at = s->at;
	piece->why = "rules are the same only for requests as clients send "
	    "them (--well-formed)";
}

/*
 * The statement here as rules, perhaps with some behind it.  Nothing of a
 * failure is left but the reason.
 */
static struct fm_piece *
piece_try(struct fm_import *im, const struct fm_vstmt *s, bool hosts)
{
	struct fm_piece *piece = fm_import_alloc(im, sizeof *piece);
	const struct fm_vstmt *before = im->before;
	struct fm_name *backends = im->backends;
	unsigned nmaps = im->nmaps;
	char *rules = NULL, *items = NULL;
	size_t len;
	FILE *to = fm_import_memory(&rules, &len);

	im->items = fm_import_memory(&items, &len);
	piece_begin(im);
	piece->stmt = s;
	piece->n = hosts ? fm_import_hosts(im, s, to) :
	    fm_import_next(im, s, 1, to);
	(void)fclose(to);
	(void)fclose(im->items);
	if (piece->n > 0 && rules_stand(im, items, rules, hosts)) {
		piece->rules = fm_import_printf(im, "%s", rules);
		piece->items = fm_import_printf(im, "%s", items);
		piece->seen = im->seen;
		piece->hosts = hosts;
		if (piece->seen.notes != 0 && !im->well_formed)
			piece_stay(im, piece);
	} else {
		piece->n = 1;
		piece->why = im->why == NULL ? "it does nothing" : im->why;
		piece->at = im->why_at.name == NULL ? s->at : im->why_at;
	}
	if (piece->rules == NULL) {
		im->before = before;
		im->backends = backends;
		im->nmaps = nmaps;
	}
	free(rules);
	free(items);
	return (piece);
}

static struct fm_piece *
piece_new(struct fm_import *im, const struct fm_vstmt *s)
{
	struct fm_piece *piece;

	if (im->well_formed && !im->no_hosts && s->kind == FM_VSTMT_IF) {
		piece = piece_try(im, s, true);
		if (piece->rules != NULL)
			return (piece);
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
		if (arm->cond == NULL || !fm_vstmts_end(arm->body) ||
		    (n == 1 && arm->next == NULL))
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

static const struct fm_vstmt *
stmt_behind(const struct fm_vstmt *s, size_t n)
{
	while (n-- > 0)
		s = s->next;
	return (s);
}

/* The `if` with so many statements of its body. */
static struct fm_piece *
piece_of_body(struct fm_import *im, const struct fm_vstmt *s,
    const struct fm_vstmt *body, size_t n)
{
	struct fm_vstmt *cut = if_of(im, s, s->arms, 1);

	cut->at = body->at;
	(void)fm_vstmts_copy(im, body, n, &cut->arms->body);
	return (piece_new(im, cut));
}

/*
 * Adds an `if` with one arm as several with the same condition, each of which
 * has as much of the body as is rules, or is none.  false: nothing is gained,
 * or the body changes what the condition asks for.
 */
static bool
add_body(struct fm_import *im, struct list *list, const struct fm_vstmt *s)
{
	const struct fm_vstmt *body = s->arms->body;
	struct list inner = { .calls = list->calls };
	const struct fm_piece *test;
	struct fm_piece *piece;
	struct fm_vstmt *asks;
	size_t left, n;
	bool any = false;

	if (im->whole_ifs || s->arms->next != NULL || body == NULL ||
	    body->next == NULL)
		return (false);
	inner.tail = &inner.first;
	asks = if_of(im, s, s->arms, 1);
	asks->arms->body = NULL;
	test = &(struct fm_piece){ .stmt = asks, .n = 1 };
	for (left = 0; body != NULL; body = body->next)
		left++;
	for (body = s->arms->body; left > 0; left -= n) {
		n = left;
		do
			piece = piece_of_body(im, s, body, n);
		while (piece->rules == NULL && n-- > 1);
		n += n == 0;
		any |= piece->rules != NULL;
		list_add(&inner, piece);
		if (!fm_import_apart(im, test, piece) && left > n)
			return (false);
		body = stmt_behind(body, n);
	}
	if (any) {
		*list->tail = inner.first;
		list->tail = inner.tail;
	}
	return (any);
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
	const struct fm_vdecl *sub = fm_vcl_find(&im->vcl, "sub", s->name);
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
 * All of them
 */

/* Returns true for `if (req.url !~ "^/")` that ends the request. */
static bool
checks_url(const struct fm_vstmt *s)
{
	const struct fm_expr *cond;

	if (s->kind != FM_VSTMT_IF || s->arms == NULL || s->arms->next != NULL)
		return (false);
	cond = s->arms->cond;
	return (cond != NULL && cond->kind == FM_EXPR_COMPARE &&
	    fm_text_is(cond->text, "!~") &&
	    fm_expr_is(cond->first, "req.url") &&
	    cond->first->next->kind == FM_EXPR_STRING &&
	    fm_text_is(cond->first->next->text, "^/") &&
	    fm_vstmts_end(s->arms->body));
}

/* Adds the statement here, and perhaps some behind it; returns how many. */
static size_t
piece_add(struct fm_import *im, struct list *list, const struct fm_vstmt *s)
{
	const struct fm_arm *rest = NULL;
	struct fm_piece *piece, *ends;

	/* An `if` that is always true, or never. */
	if (s->kind == FM_VSTMT_IF && (s->arms == NULL ||
	    s->arms->cond == NULL)) {
		if (s->arms != NULL)
			pieces_add(im, list, s->arms->body);
		return (1);
	}
	piece = piece_new(im, s);
	if (piece->rules == NULL && s->kind == FM_VSTMT_IF) {
		ends = piece_of_ends(im, s, &rest);
		if (ends != NULL) {
			list_add(list, ends);
			add_rest(im, list, s, rest);
			return (1);
		}
		if (add_body(im, list, s))
			return (1);
	}
	if (piece->rules == NULL && s->kind == FM_VSTMT_CALL &&
	    add_called(im, list, s))
		return (1);
	if (piece->rules == NULL)
		im->before = NULL;
	list_add(list, piece);
	return (piece->n);
}

static void
pieces_add(struct fm_import *im, struct list *list, const struct fm_vstmt *s)
{
	bool ends = false;
	size_t n;

	/* Behind a return nothing is reached. */
	while (s != NULL && !ends)
		for (n = piece_add(im, list, s); n > 0; n--) {
			ends = s->kind == FM_VSTMT_RETURN && s->name.len > 0;
			im->url_checked = checks_url(s) || (im->url_checked &&
			    !fm_import_edits_url(im, s));
			s = s->next;
		}
}

/*--------------------------------------------------------------------
 * Order: VCL, rules, VCL
 */

struct order {
	struct fm_import	*im;
	struct fm_piece		**v;
	size_t			n;
};

static void
move(struct order *o, size_t from, size_t to)
{
	struct fm_piece *piece = o->v[from];

	if (from > to)
		memmove(o->v + to + 1, o->v + to, (from - to) * sizeof *o->v);
	else
		memmove(o->v + from, o->v + from + 1,
		    (to - from) * sizeof *o->v);
	o->v[to] = piece;
}

/* Returns the first piece of rules, or the last one, or n. */
static size_t
rules_at(const struct order *o, bool last)
{
	size_t i, found = o->n;

	for (i = 0; i < o->n && (last || found == o->n); i++)
		if (o->v[i]->rules != NULL)
			found = i;
	return (found);
}

/* Moves VCL in front of all rules where that is the same. */
static void
move_up(struct order *o)
{
	size_t i, j, first = rules_at(o, false);

	for (i = first; i < o->n; i++) {
		if (o->v[i]->rules != NULL)
			continue;
		for (j = i; j > first; j--)
			if (!fm_import_apart(o->im, o->v[j - 1], o->v[i]))
				break;
		if (j == first)
			move(o, i, first++);
	}
}

/* Likewise behind them. */
static void
move_down(struct order *o)
{
	size_t i, j, last = rules_at(o, true);

	if (last == o->n)
		return;
	for (i = last + 1; i-- > 0;) {
		if (o->v[i]->rules != NULL)
			continue;
		for (j = i; j < last; j++)
			if (!fm_import_apart(o->im, o->v[i], o->v[j + 1]))
				break;
		if (j == last && i < last)
			move(o, i, last--);
	}
}

/* Returns true if rules may stop where a piece of VCL among them is. */
static bool
can_stop(struct order *o, size_t i, size_t last)
{
	size_t j;

	for (j = i + 1; j <= last; j++)
		if (o->v[j]->rules != NULL &&
		    !fm_import_keeps_test(o->im, o->v[i], o->v[j]))
			return (false);
	o->v[i]->stop = fm_import_stop(o->im, o->v[i]);
	return (o->v[i]->stop != NULL);
}

/*
 * VCL that ends the request is as good behind the rules, if these stop where
 * it was, by its condition.  VCL for which that can't be is between two rule
 * files.
 */
static void
stop_all(struct order *o)
{
	size_t i, n = 0, waiting = 0, last = rules_at(o, true);
	struct fm_piece **out, **behind;

	if (last == o->n)
		return;
	for (i = last; i-- > rules_at(o, false);)
		if (o->v[i]->rules != NULL || can_stop(o, i, last))
			continue;
		else
			last = i;
	out = fm_import_alloc(o->im, (2 * o->n + 1) * sizeof *out);
	behind = fm_import_alloc(o->im, (o->n + 1) * sizeof *behind);
	for (i = 0; i <= o->n; i++) {
		if (i < o->n && o->v[i]->stop != NULL) {
			out[n++] = o->v[i]->stop;
			behind[waiting++] = o->v[i];
			continue;
		}
		if (i == o->n || o->v[i]->rules == NULL) {
			memcpy(out + n, behind, waiting * sizeof *out);
			n += waiting;
			waiting = 0;
		}
		if (i < o->n)
			out[n++] = o->v[i];
	}
	o->v = out;
	o->n = n;
}

static struct fm_piece *
in_order(struct fm_import *im, struct fm_piece *first)
{
	struct order o = { .im = im };
	struct fm_piece *piece, **tail = &first;
	size_t i;

	for (piece = first; piece != NULL; piece = piece->next)
		o.n++;
	o.v = fm_import_alloc(im, (o.n + 1) * sizeof *o.v);
	o.n = 0;
	for (piece = first; piece != NULL; piece = piece->next)
		o.v[o.n++] = piece;
	move_up(&o);
	move_down(&o);
	stop_all(&o);
	for (i = 0; i < o.n; i++) {
		*tail = o.v[i];
		tail = &o.v[i]->next;
	}
	*tail = NULL;
	return (first);
}

static struct fm_piece *
pieces_of(struct fm_import *im, const struct fm_vstmt *s, unsigned how)
{
	struct list list = { .first = NULL };

	list.tail = &list.first;
	im->url_checked = false;
	im->whole_ifs = how > 0;
	im->no_hosts = how > 1;
	im->before = NULL;
	im->nmaps = 0;
	pieces_add(im, &list, s);
	return (in_order(im, list.first));
}

/* Returns how many rule files they come to. */
static unsigned
parts_of(const struct fm_piece *piece)
{
	unsigned n = 0;

	for (; piece != NULL; piece = piece->next)
		n += piece->rules != NULL && (piece->next == NULL ||
		    piece->next->rules == NULL);
	return (n);
}

/*
 * An `if` that is cut, and blocks of hosts, behind which rules don't stop for
 * VCL, may cost a file more than they are worth.
 */
static struct fm_piece *
pieces_best(struct fm_import *im, const struct fm_vstmt *s)
{
	unsigned how, best = 0, parts, least = UINT_MAX;

	for (how = 0; how < 3 && least > 1; how++) {
		parts = parts_of(pieces_of(im, s, how));
		if (parts > 0 && parts < least) {
			least = parts;
			best = how;
		}
	}
	return (pieces_of(im, s, best));
}

static bool
names_cookie(const struct fm_import *im, size_t first, size_t last)
{
	for (; first <= last; first++)
		if (im->vcl.tokens[first].kind == FM_VCL_NAME &&
		    fm_text_begins(im->vcl.tokens[first].text, "cookie."))
			return (true);
	return (false);
}

/* Rules need no cookie.parse(): where VCL that stays does, all of it stays. */
struct fm_piece *
fm_import_pieces(struct fm_import *im, const struct fm_vstmt *s)
{
	const struct fm_vdecl *decl;
	struct fm_piece *first, *piece;
	bool stays = false;

	for (decl = im->vcl.decls; decl != NULL; decl = decl->next)
		im->cookie_vmod |= fm_text_is(decl->kind, "sub") &&
		    !fm_text_is(decl->name, "vcl_recv") &&
		    (fm_text_begins(decl->name, "vcl_") ||
		    fm_import_is_named_elsewhere(im, decl->name)) &&
		    names_cookie(im, decl->first, decl->last);
	first = pieces_best(im, s);
	for (piece = first; piece != NULL; piece = piece->next)
		stays |= piece->rules == NULL &&
		    names_cookie(im, piece->stmt->first, piece->stmt->last);
	if (!stays || im->cookie_vmod)
		return (first);
	im->cookie_vmod = true;
	return (pieces_best(im, s));
}
