/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What becomes of vcl_recv: calls of .apply(), and between them what stays.
 */

#include <stdlib.h>
#include <string.h>

#include "import.h"

/* Once, though a statement is cut. */
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

/* What would be the rules, as a comment, and where they differ. */
static void
nearest_put(const struct fm_piece *piece, FILE *to)
{
	const char *p = piece->nearest, *end;

	fputs("\n\t# The nearest rules:", to);
	for (; *p != '\0'; p = end + (*end == '\n')) {
		end = strchr(p, '\n');
		if (end == NULL)
			end = p + strlen(p);
		fprintf(to, "\n\t# %.*s", (int)(end - p), p);
	}
	if (piece->tells != NULL)
		fprintf(to, "\n\t# They differ for: %s", piece->tells);
}

static void
kept_put(struct fm_import *im, const struct fm_piece *piece, FILE *to)
{
	const struct fm_vstmt *s = piece->stmt;
	unsigned count = fm_vstmts_count(s, piece->n);
	size_t n;

	fprintf(to, "\n\n\t# Stays VCL: %s:%u: %s", piece->at.name,
	    piece->at.line, piece->why);
	if (piece->nearest != NULL)
		nearest_put(piece, to);
	note_kept(im, piece);
	im->nkept += count;
	for (n = piece->n; n > 0; n--, s = s->next) {
		if (fm_import_is_foreign(im, s))
			im->nforeign += fm_vstmts_count(s, 1);
		lead_put(im, s, to);
		fm_import_stmt_put(im, s, to);
	}
}

/*
 * Behind the rules that may be one file with this.  Hosts are looked up when
 * the rules start: so they are not behind what sets the Host, and stand
 * together.
 */
static const struct fm_piece *
part_end(const struct fm_piece *piece)
{
	bool hosts = false, behind = false, sets_host = false;

	for (; piece != NULL && piece->rules != NULL; piece = piece->next) {
		if (piece->hosts && (behind || sets_host))
			break;
		behind |= hosts && !piece->hosts;
		hosts |= piece->hosts;
		sets_host |= piece->sets_host;
	}
	return (piece);
}

/* All vcl_recv are one, in their order. */
void
fm_import_recv(struct fm_import *im, FILE *to)
{
	const struct fm_piece *piece, *end;
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
	for (piece = fm_import_pieces(im, first); piece != NULL; piece = end) {
		end = piece->next;
		if (piece->rules == NULL) {
			kept_put(im, piece, to);
		} else {
			end = part_end(piece);
			fm_import_part(im, piece, end, to);
		}
	}
}
