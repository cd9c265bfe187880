/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What becomes of vcl_recv: calls of .apply(), and between them what stays.
 */

#include <stdlib.h>
#include <string.h>

#include "import.h"

/* In a block that stays VCL, less than this is no reason for a rule file. */
#define FLOW_WORTH	3

static void block_put(struct fm_import *, const struct fm_vstmt *,
    const struct fm_piece *in, FILE *);

/* The arms of an `if` that stays, each with what of it became rules. */
static bool
arms_put(struct fm_import *im, const struct fm_piece *piece, FILE *to)
{
	const struct fm_vstmt *s = piece->stmt;
	const struct fm_arm *arm;
	unsigned nparts = im->nparts, nkept = im->nkept;
	struct fm_kept *kept = im->kept;
	char *text = NULL;
	size_t len;
	FILE *memory = fm_import_memory(&text, &len);
	bool changed;

	for (arm = s->arms; arm != NULL; arm = arm->next) {
		if (arm->cond != NULL) {
			fputs(arm == s->arms ? "if " : " elsif ", memory);
			fm_import_vcl_put(im, arm->first, arm->last, true,
			    memory);
			fputc(' ', memory);
		} else if (arm != s->arms) {
			fputs(" else ", memory);
		}
		fputc('{', memory);
		block_put(im, arm->body, piece, memory);
		fputs("\n\t}", memory);
	}
	(void)fclose(memory);
	changed = im->nparts > nparts;
	if (changed) {
		fputs(text, to);
	} else {
		im->nkept = nkept;
		im->kept = kept;
	}
	free(text);
	return (changed);
}

/* Once, though an `if` stays for what is inside it. */
static void
note_kept(struct fm_import *im, const struct fm_piece *piece)
{
	struct fm_kept *kept;

	for (kept = im->kept; kept != NULL; kept = kept->next)
		if (strcmp(kept->at.name, piece->at.name) == 0 &&
		    kept->at.line == piece->at.line &&
		    kept->at.column == piece->at.column)
			return;
	kept = fm_import_alloc(im, sizeof *kept);
	kept->at = piece->at;
	kept->why = piece->why;
	kept->next = im->kept;
	im->kept = kept;
}

/*
 * What leads to a statement: in a line of its own, whatever was before it; a
 * comment of ours would swallow it.
 */
static void
lead_put(const struct fm_import *im, const struct fm_vstmt *s, FILE *to)
{
	struct fm_text lead = im->tokens[s->first].lead;
	size_t i = 0;

	while (i < lead.len && strchr(" \t\r\v\f", lead.b[i]) != NULL)
		i++;
	if (s->cut || i == lead.len || lead.b[i] != '\n')
		fputs("\n\t", to);
	else
		i = 0;
	if (!s->cut)
		(void)fwrite(lead.b + i, 1, lead.len - i, to);
}

static void
why_put(const struct fm_piece *piece, FILE *to)
{
	fprintf(to, "\n\n\t# Stays VCL: %s:%u: %s", piece->at.name,
	    piece->at.line, piece->why);
}

static void
kept_put(struct fm_import *im, const struct fm_piece *piece, FILE *to)
{
	const struct fm_vstmt *s = piece->stmt;

	why_put(piece, to);
	lead_put(im, s, to);
	note_kept(im, piece);
	im->nkept++;
	if (s->kind == FM_VSTMT_IF && arms_put(im, piece, to))
		return;
	fm_import_stmt_put(im, s, to);
}

/* Rules that are not worth a file: as they were; why, with the first. */
static void
plain_put(struct fm_import *im, const struct fm_piece *piece, bool first,
    FILE *to)
{
	const struct fm_vstmt *s = piece->stmt;
	struct fm_piece plain = *piece;
	size_t n;

	plain.at = s->at;
	plain.why = "too little for a rule file of its own, in an `if` that "
	    "stays";
	if (first)
		why_put(&plain, to);
	note_kept(im, &plain);
	for (n = piece->n; n > 0; n--, s = s->next) {
		lead_put(im, s, to);
		fm_import_stmt_put(im, s, to);
		im->nkept++;
	}
}

/*
 * Behind the rules that may be one file with this.  Hosts are looked up when
 * the rules start, and run last: behind them is another file, and so are they
 * behind what sets the Host.
 */
static const struct fm_piece *
part_end(const struct fm_piece *piece, unsigned *weight)
{
	bool hosts = false, sets_host = false;

	*weight = 0;
	for (; piece != NULL && piece->rules != NULL; piece = piece->next) {
		if (hosts || (piece->hosts && sets_host))
			break;
		hosts = piece->hosts;
		sets_host |= piece->sets_host;
		*weight += piece->weight;
	}
	return (piece);
}

/* in: the `if` of which it is an arm; NULL: it is all of vcl_recv. */
static void
block_put(struct fm_import *im, const struct fm_vstmt *s,
    const struct fm_piece *in, FILE *to)
{
	const struct fm_piece *piece, *end, *first;
	unsigned weight;

	piece = fm_import_pieces(im, s, in);
	while (piece != NULL) {
		if (piece->rules == NULL) {
			kept_put(im, piece, to);
			piece = piece->next;
			continue;
		}
		end = part_end(piece, &weight);
		if (in == NULL || weight >= FLOW_WORTH)
			fm_import_part(im, piece, end, to);
		else
			for (first = piece; piece != end; piece = piece->next)
				plain_put(im, piece, piece == first, to);
		piece = end;
	}
}

/* All vcl_recv are one, in their order. */
void
fm_import_recv(struct fm_import *im, FILE *to)
{
	const struct fm_vdecl *decl;
	const struct fm_vstmt *s;
	struct fm_vstmt *first = NULL, **tail = &first;

	for (decl = im->decls; decl != NULL; decl = decl->next)
		if (fm_text_is(decl->kind, "sub") &&
		    fm_text_is(decl->name, "vcl_recv"))
			for (s = decl->body; s != NULL; s = s->next) {
				*tail = fm_import_alloc(im, sizeof **tail);
				**tail = *s;
				(*tail)->next = NULL;
				tail = &(*tail)->next;
			}
	block_put(im, first, NULL, to);
}
