/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Splits a text into its tokens and comments, in their order (lexemes.h).
 */

#include "grow.h"
#include "lexemes.h"
#include "parse_priv.h"

/* Adds what stands between two tokens: comments.  Returns -1: no memory. */
static int
add_comments(struct fm_grow *lexemes, const struct fm_reader *reader,
    size_t from, unsigned *line, unsigned *breaks)
{
	const char *b = reader->text.b, *end;
	size_t to = reader->token.start;
	struct fm_lexeme *lexeme;

	for (; from < to; from++) {
		if (b[from] == '\n') {
			++*line;
			++*breaks;
		}
		if (b[from] != '#')
			continue;
		end = memchr(b + from, '\n', to - from);
		lexeme = fm_grow_add(lexemes, sizeof *lexeme, 1);
		if (lexeme == NULL)
			return (-1);
		lexeme->start = from;
		from = end == NULL ? to : (size_t)(end - b);
		lexeme->end = from--;
		while (strchr(" \t\r", b[lexeme->end - 1]) != NULL)
			lexeme->end--;
		lexeme->line = *line;
		lexeme->breaks = *breaks;
		lexeme->kind = T_END;
		*breaks = 0;
	}
	return (0);
}

struct fm_lexeme *
fm_lexemes(struct fm_text text, size_t *count)
{
	struct fm_parse parse = { .name = "" };
	struct fm_reader reader = { .parse = &parse };
	struct fm_grow lexemes = { .n = 0 };
	struct fm_lexeme *lexeme;
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
		if (add_comments(&lexemes, &reader, after, &line,
		    &breaks) != 0)
			break;
		lexeme = fm_grow_add(&lexemes, sizeof *lexeme, 1);
		if (lexeme == NULL)
			break;
		if (reader.token.kind == T_END) {
			*count = lexemes.n - 1;
			return (lexemes.items);
		}
		lexeme->start = reader.token.start;
		lexeme->end = after = reader.token.end;
		lexeme->line = line;
		lexeme->breaks = breaks;
		lexeme->kind = reader.token.kind;
		breaks = 0;
		fm_next(&reader);
	}
	fm_grow_fini(&lexemes);
	return (NULL);
}
