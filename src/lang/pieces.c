/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Splits a text into its tokens and comments, in their order (pieces.h).
 */

#include "grow.h"
#include "parse_priv.h"
#include "pieces.h"

/* Adds what stands between two tokens: comments.  Returns -1: no memory. */
static int
add_comments(struct fm_grow *pieces, const struct fm_reader *reader,
    size_t from, unsigned *line, unsigned *breaks)
{
	const char *b = reader->text.b, *end;
	size_t to = reader->token.start;
	struct fm_piece *piece;

	for (; from < to; from++) {
		if (b[from] == '\n') {
			++*line;
			++*breaks;
		}
		if (b[from] != '#')
			continue;
		end = memchr(b + from, '\n', to - from);
		piece = fm_grow_add(pieces, sizeof *piece, 1);
		if (piece == NULL)
			return (-1);
		piece->start = from;
		from = end == NULL ? to : (size_t)(end - b);
		piece->end = from--;
		while (strchr(" \t\r", b[piece->end - 1]) != NULL)
			piece->end--;
		piece->line = *line;
		piece->breaks = *breaks;
		piece->kind = T_END;
		*breaks = 0;
	}
	return (0);
}

struct fm_piece *
fm_pieces(struct fm_text text, size_t *count)
{
	struct fm_parse parse = { .name = "" };
	struct fm_reader reader = { .parse = &parse };
	struct fm_grow pieces = { .n = 0 };
	struct fm_piece *piece;
	unsigned breaks = 0, line = 1;
	const char *nul;
	size_t after;

	reader.text = fm_text_or_empty(text);
	nul = memchr(reader.text.b, '\0', reader.text.len);
	if (nul != NULL)
		reader.text.len = (size_t)(nul - reader.text.b);
	fm_lex_begin(&reader);
	after = fm_text_begins(reader.text, FM_BOM) ? 3 : 0;
	for (;;) {
		if (add_comments(&pieces, &reader, after, &line,
		    &breaks) != 0)
			break;
		piece = fm_grow_add(&pieces, sizeof *piece, 1);
		if (piece == NULL)
			break;
		if (reader.token.kind == T_END) {
			*count = pieces.n - 1;
			return (pieces.items);
		}
		piece->start = reader.token.start;
		piece->end = after = reader.token.end;
		piece->line = line;
		piece->breaks = breaks;
		piece->kind = reader.token.kind;
		breaks = 0;
		fm_next(&reader);
	}
	fm_grow_fini(&pieces);
	return (NULL);
}
