/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes pieces (import.h) of the statements of vcl_recv, and orders them so
 * that rules stand together.
 *
 * A call is replaced by the sub's statements if some of these become rules.  An
 * `if` that can't become a rule as a whole is cut: into the arms that end the
 * request and the arms behind them; or into several `if`s with the same
 * condition, of which some become rules.
 */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cli.h"
#include "import.h"
#include "parse.h"

struct pieces {
	struct fm_import_piece		**v;
	size_t			n, room;
};

static void pieces_add(struct fm_import *, struct pieces *,
    const struct fm_vstmt *);

/* Returns true if a text passes the check of the rules; else notes why not. */
static bool
text_stands(struct fm_import *im, const char *text)
{
	struct fm_diag_message message;
	struct fm_model *model;
	struct fm_diag *diag = fm_cli_diag();
	unsigned n;
	bool good;

	/* Pages are not written yet, so no file can be read. */
	model = fm_parse_text("import", fm_text_of(text), NULL, NULL, diag);
	if (model == NULL)
		fm_cli_no_memory();
	good = fm_diag_errors(diag) == 0 && fm_check(model, NULL, diag);
	for (n = 0; !good && fm_diag_message(diag, n, &message); n++)
		if (message.error)
			(void)fm_import_refuse(im, NULL, "rules refuse it: %s",
			    message.text);
	fm_model_free(&model);
	fm_diag_free(&diag);
	return (good);
}

/* The same for the rules of a piece, with the lists and maps they need. */
static bool
rules_stand(struct fm_import *im, const char *rules, bool hosts)
{
	const struct fm_output *need;
	const char *text = fm_import_printf(im, hosts ? "%s" :
	    "always {\n%s}\n", rules);

	for (need = im->seen.needs; need != NULL; need = need->next)
		if (need->path == NULL)
			text = fm_import_printf(im, "%s%s", need->text, text);
	return (text_stands(im, text));
}

/* Forgets what the translation of other pieces has found out. */
static void
piece_begin(struct fm_import *im)
{
	im->why = NULL;
	im->seen = (struct fm_seen){ .notes = 0 };
	im->under = NULL;
}

/*
 * Returns a piece of a statement, perhaps with some behind it.  A piece that
 * can't be rules has one statement, and the reason.
 */
static struct fm_import_piece *
piece_try(struct fm_import *im, const struct fm_vstmt *stmt, bool hosts)
{
	struct fm_import_piece *piece = fm_import_alloc(im, sizeof *piece);
	unsigned nmaps = im->nmaps;
	const char *rules;

	piece_begin(im);
	fm_import_catch(im);
	piece->stmt = stmt;
	piece->n = hosts ? fm_import_hosts(im, stmt) : fm_import_next(im, stmt);
	rules = fm_import_caught(im);
	if (piece->n > 0 && rules_stand(im, rules, hosts)) {
		piece->rules = rules;
		piece->seen = im->seen;
		piece->hosts = hosts;
	} else {
		piece->n = 1;
		piece->why = im->why == NULL ? "it does nothing" : im->why;
		piece->at = im->why_at.name == NULL ? stmt->at : im->why_at;
	}
	if (piece->seen.notes != 0 && !im->well_formed) {
		piece->nearest = *rules == '\0' ? rules : fm_import_format(im,
		    fm_import_printf(im, "always {\n%s}\n", rules));
		piece->rules = NULL;
		piece->at = stmt->at;
		piece->why = "rules are the same only for requests as clients "
		    "send them (--well-formed)";
	}
	if (piece->rules == NULL)
		im->nmaps = nmaps;
	return (piece);
}

static struct fm_import_piece *
piece_new(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct fm_import_piece *piece;

	if (im->well_formed && !im->no_hosts && stmt->kind == FM_VSTMT_IF) {
		piece = piece_try(im, stmt, true);
		if (piece->rules != NULL)
			return (piece);
	}
	return (piece_try(im, stmt, false));
}

static void
piece_add(struct pieces *pieces, struct fm_import_piece *piece)
{
	*(struct fm_import_piece **)fm_cli_grow(&pieces->v, pieces->n++,
	    &pieces->room, sizeof *pieces->v) = piece;
}

/* Adds the pieces that were tried if some of them are rules; false: none is. */
static bool
add_tried(struct pieces *pieces, struct pieces *tried)
{
	bool any = false;
	size_t i;

	for (i = 0; i < tried->n; i++)
		any |= tried->v[i]->rules != NULL;
	for (i = 0; any && i < tried->n; i++)
		piece_add(pieces, tried->v[i]);
	free(tried->v);
	return (any);
}

/*--------------------------------------------------------------------
 * An `if`, cut
 */

/*
 * Adds the first arms of an `if`, which end the request, as rules, and then the
 * other arms as an `if` of their own; of an else, its statements.  Returns
 * false if not even the first arm can be rules.
 */
static bool
add_ends(struct fm_import *im, struct pieces *pieces,
    const struct fm_vstmt *stmt)
{
	struct fm_import_piece *piece = NULL, *longer;
	struct fm_arm *arm;
	size_t n = 0;

	for (arm = stmt->arms; arm != NULL && arm->cond != NULL &&
	    fm_vstmts_end(arm->body) && stmt->arms->next != NULL;
	    arm = arm->next) {
		longer = piece_new(im, fm_vstmt_arms(&im->vcl, stmt, stmt->arms,
		    ++n));
		if (longer->rules == NULL)
			break;
		piece = longer;
	}
	if (piece == NULL)
		return (false);
	piece_add(pieces, piece);
	if (arm != NULL && arm->cond == NULL)
		pieces_add(im, pieces, arm->body);
	else if (arm != NULL)
		piece_add(pieces, piece_new(im,
		    fm_vstmt_arms(&im->vcl, stmt, arm, (size_t)-1)));
	return (true);
}

/*
 * Adds an `if` with one arm as several `if`s with the same condition.  Each has
 * as many statements of the body as are rules together, or are VCL together.
 * Returns false if none is rules, or if the body changes what the condition
 * asks for.
 */
static bool
add_body(struct fm_import *im, struct pieces *pieces,
    const struct fm_vstmt *stmt)
{
	const struct fm_vstmt *body = stmt->arms->body, *at;
	struct pieces tried = { .n = 0 };
	const struct fm_vstmt *test;
	struct fm_import_piece *piece;
	size_t left = 0, n;

	if (im->whole_ifs || stmt->arms->next != NULL || body == NULL ||
	    body->next == NULL)
		return (false);
	test = fm_vstmt_body(&im->vcl, stmt, body, 0);
	for (at = body; at != NULL; at = at->next)
		left++;
	for (; left > 0; left -= n, body = fm_vstmts_behind(body, n)) {
		for (n = left;; n--) {
			piece = piece_new(im,
			    fm_vstmt_body(&im->vcl, stmt, body, n));
			if (piece->rules != NULL || n == 1)
				break;
		}
		piece_add(&tried, piece);
		if (left > n && !fm_vstmts_apart(&im->vcl, test, 1,
		    piece->stmt, piece->n)) {
			free(tried.v);
			return (false);
		}
	}
	return (add_tried(pieces, &tried));
}

/*--------------------------------------------------------------------
 * A call, replaced by the sub's statements
 */

static bool
add_called(struct fm_import *im, struct pieces *pieces,
    const struct fm_vstmt *stmt)
{
	const struct fm_vdecl *sub = fm_vcl_find(&im->vcl, "sub", stmt->name);
	struct pieces tried = { .n = 0 };

	if (sub == NULL || fm_vstmts_leave(sub->body))
		return (false);
	pieces_add(im, &tried, sub->body);
	return (add_tried(pieces, &tried));
}

/*--------------------------------------------------------------------
 * All statements
 */

/* Adds a statement, perhaps with some behind it; returns how many. */
static size_t
stmt_add(struct fm_import *im, struct pieces *pieces,
    const struct fm_vstmt *stmt)
{
	struct fm_import_piece *piece = piece_new(im, stmt);

	if (piece->rules == NULL && (stmt->kind == FM_VSTMT_IF ?
	    add_ends(im, pieces, stmt) || add_body(im, pieces, stmt) :
	    stmt->kind == FM_VSTMT_CALL && add_called(im, pieces, stmt)))
		return (1);
	piece_add(pieces, piece);
	return (piece->n);
}

static void
pieces_add(struct fm_import *im, struct pieces *pieces,
    const struct fm_vstmt *stmt)
{
	bool ends = false;
	size_t n;

	/* Statements behind a return are never reached. */
	while (stmt != NULL && !ends)
		for (n = stmt_add(im, pieces, stmt); n > 0; n--) {
			ends = stmt->kind == FM_VSTMT_RETURN &&
			    stmt->name.len > 0;
			stmt = stmt->next;
		}
}

/*--------------------------------------------------------------------
 * Order: VCL, rules, VCL
 */

/* Returns the index of the first (or last) piece of rules; none: n. */
static size_t
rules_at(const struct pieces *pieces, bool last)
{
	size_t i, found = pieces->n;

	for (i = 0; i < pieces->n && (last || found == pieces->n); i++)
		if (pieces->v[i]->rules != NULL)
			found = i;
	return (found);
}

/* Moves VCL before (`up`) or behind all rules, if nobody can tell. */
static void
move_out(struct fm_import *im, struct pieces *pieces, bool up)
{
	size_t i, j, edge = rules_at(pieces, !up), step = up ? 1 : (size_t)-1;
	struct fm_import_piece *piece;

	for (i = edge; i < pieces->n; i += step) {
		piece = pieces->v[i];
		if (piece->rules != NULL)
			continue;
		for (j = i; j != edge; j -= step)
			if (!fm_vstmts_apart(&im->vcl,
			    pieces->v[j - step]->stmt, pieces->v[j - step]->n,
			    piece->stmt, piece->n))
				break;
		if (j != edge)
			continue;
		for (j = i; j != edge; j -= step)
			pieces->v[j] = pieces->v[j - step];
		pieces->v[edge] = piece;
		edge += step;
	}
}

/*
 * Returns rules that `stop` for the conditions of an `if` whose arms all end
 * the request; NULL: no rules can tell.
 */
static struct fm_import_piece *
stop_of(struct fm_import *im, const struct fm_import_piece *vcl)
{
	struct fm_import_piece *stop = fm_import_alloc(im, sizeof *stop);
	const struct fm_arm *arm = vcl->stmt->arms;
	struct fm_import_test *test;

	if (arm == NULL)
		return (NULL);
	piece_begin(im);
	stop->stmt = vcl->stmt;
	for (stop->rules = ""; arm != NULL; arm = arm->next) {
		test = arm->cond == NULL || !fm_vstmts_end(arm->body) ? NULL :
		    fm_import_cond(im, arm->cond);
		if (test == NULL || (im->seen.notes != 0 && !im->well_formed))
			return (NULL);
		stop->rules = fm_import_printf(im, "%swhen %s { stop; }\n",
		    stop->rules, fm_import_cond_text(im, test, FM_TEST_OR));
	}
	stop->seen = im->seen;
	return (rules_stand(im, stop->rules, false) ? stop : NULL);
}

/*
 * Moves VCL that ends the request behind the rules, which then `stop` in its
 * place for the VCL's condition.  Where that is impossible, since rules change
 * what the condition asks for, the VCL stays between two rule files.
 */
static void
stop_all(struct fm_import *im, struct pieces *pieces)
{
	size_t i, j, first = rules_at(pieces, false),
	    end = rules_at(pieces, true) + 1;
	struct fm_import_piece *vcl, *stop;

	i = pieces->n == 0 || im->no_stops ? 0 : end - 1;
	while (i-- > first) {
		vcl = pieces->v[i];
		if (vcl->rules != NULL)
			continue;
		for (j = i + 1; j < end; j++)
			if (pieces->v[j]->hosts ||
			    (pieces->v[j]->rules != NULL &&
			    !fm_vstmts_keep(&im->vcl, pieces->v[j]->stmt,
			    pieces->v[j]->n, vcl->stmt->arms)))
				break;
		stop = j < end ? NULL : stop_of(im, vcl);
		if (stop == NULL) {
			end = i;
			continue;
		}
		piece_add(pieces, vcl);
		memmove(pieces->v + end + 1, pieces->v + end,
		    (pieces->n - 1 - end) * sizeof *pieces->v);
		pieces->v[end] = vcl;
		pieces->v[i] = stop;
	}
}

/* Returns the pieces in their order. */
static struct fm_import_piece *
pieces_of(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct fm_import_piece *first = NULL, **tail = &first;
	struct pieces pieces = { .n = 0 };
	size_t i;

	im->nmaps = 0;
	pieces_add(im, &pieces, stmt);
	move_out(im, &pieces, true);
	move_out(im, &pieces, false);
	stop_all(im, &pieces);
	for (i = 0; i < pieces.n; i++) {
		*tail = pieces.v[i];
		tail = &pieces.v[i]->next;
	}
	*tail = NULL;
	free(pieces.v);
	return (first);
}

/*--------------------------------------------------------------------
 * The rules of a file pass the check together, too
 */

static bool
part_stands(struct fm_import *im, const struct fm_import_piece *first,
    const struct fm_import_piece *end)
{
	const char *text = fm_import_part_text(im, first, end);

	piece_begin(im);
	return (text_stands(im, text));
}

/*
 * Makes VCL of the first piece that can't be in one file with those before it.
 * Returns false if the file has a `stop`, which would not stop for rules in
 * another file.
 */
static bool
part_cut(struct fm_import *im, struct fm_import_piece *first,
    const struct fm_import_piece *end)
{
	struct fm_import_piece *piece, *last = first;

	for (piece = first; piece != end; piece = piece->next)
		if (piece->n == 0)
			return (false);
	while (last->next != end && part_stands(im, first, last->next))
		last = last->next;
	(void)part_stands(im, first, last->next);
	last->rules = NULL;
	last->why = im->why;
	last->at = last->stmt->at;
	return (true);
}

/* Makes VCL of pieces until each file passes; false: a file has a `stop`. */
static bool
parts_cut(struct fm_import *im, struct fm_import_piece *piece)
{
	struct fm_import_piece *end;

	while (piece != NULL) {
		end = fm_import_part_end(piece);
		if (end == piece)
			piece = piece->next;
		else if (part_stands(im, piece, end))
			piece = end;
		else if (!part_cut(im, piece, end))
			return (false);
	}
	return (true);
}

/* Returns how many rule files the pieces need, as VCL is between them. */
static unsigned
parts_count(const struct fm_import_piece *piece)
{
	bool before = false;
	unsigned n = 0;

	for (; piece != NULL; piece = piece->next) {
		n += piece->rules != NULL && !before;
		before = piece->rules != NULL;
	}
	return (n);
}

/*
 * Returns the pieces that need the fewest rule files.  Cutting `if`s, and
 * blocks of hosts (whose rules can't stop for VCL), may cost a file more; so
 * the statements are tried with both, without cuts, and with neither.  Blocks
 * of hosts are worth a file.
 */
static struct fm_import_piece *
pieces_best(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct fm_import_piece *best = NULL, *first;
	unsigned how, parts, least = UINT_MAX;

	for (how = 0; how < 3 && least > 1; how++) {
		im->whole_ifs = how > 0;
		im->no_hosts = how > 1;
		im->no_stops = false;
		first = pieces_of(im, stmt);
		im->no_stops = !parts_cut(im, first);
		if (im->no_stops) {
			first = pieces_of(im, stmt);
			(void)parts_cut(im, first);
		}
		parts = parts_count(first);
		if (how == 0 || (parts > 0 && parts + (how > 1) < least)) {
			least = parts > 0 ? parts : UINT_MAX;
			best = first;
		}
	}
	return (best);
}

/*
 * Rules need no cookie.parse(), but VCL does: if any use of vmod_cookie stays
 * VCL, the pieces are made once more, with all of its uses as VCL.
 */
struct fm_import_piece *
fm_import_pieces(struct fm_import *im, const struct fm_vstmt *stmt)
{
	static const char * const cookie[] = { "cookie", NULL };
	const struct fm_vdecl *decl;
	struct fm_import_piece *first, *piece;
	bool stays = false;

	for (decl = im->vcl.decls; decl != NULL; decl = decl->next)
		im->cookie_vmod |= fm_text_begins(decl->name, "vcl_") &&
		    !fm_text_is(decl->name, "vcl_recv") &&
		    fm_vstmts_touch(&im->vcl, decl->body, (size_t)-1, cookie);
	first = pieces_best(im, stmt);
	for (piece = first; piece != NULL; piece = piece->next)
		stays |= piece->rules == NULL &&
		    fm_vstmts_touch(&im->vcl, piece->stmt, piece->n, cookie);
	if (!stays || im->cookie_vmod)
		return (first);
	im->cookie_vmod = true;
	return (pieces_best(im, stmt));
}
