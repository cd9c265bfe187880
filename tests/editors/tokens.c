/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Prints what the parser takes the lexemes of rules for, which editors have to
 * take for the same: "line column length class" each, where the first two are
 * from 1, and columns are bytes.  The rules are the standard input.
 */

#include <stdio.h>
#include <stdlib.h>

#include "lexemes.h"

/* Returns true for the operators of `ban`, which are words elsewhere. */
static bool
is_ban_operator(struct fm_text text)
{
	static const char * const operators[] = { "==", "!=", "!~", "<", "<=",
	    ">", ">=" };
	size_t i;

	for (i = 0; i < sizeof operators / sizeof *operators; i++)
		if (fm_text_eq(text, fm_text_of(operators[i])))
			return (true);
	return (false);
}

static const char *
class_of(enum fm_token_kind kind, struct fm_text text)
{
	size_t i;

	if (kind != T_STRING && kind != T_END && is_ban_operator(text))
		return ("operator");
	switch (kind) {
	case T_END:
		return ("comment");
	case T_STRING:
		return ("string");
	case T_EQUALS:
	case T_TILDE:
	case T_ARROW:
		return ("operator");
	case T_WORD:
		for (i = 0; i < text.len; i++)
			if (text.b[i] < '0' || text.b[i] > '9')
				return ("word");
		return ("number");
	default:
		return (fm_token_is_name(kind) ? "keyword" : "mark");
	}
}

int
main(void)
{
	static char b[1 << 20];
	struct fm_text text = fm_text(b, fread(b, 1, sizeof b, stdin));
	struct fm_lexeme *lexemes, *lexeme;
	size_t n, start;

	lexemes = fm_lexemes(text, &n);
	if (lexemes == NULL)
		return (1);
	for (lexeme = lexemes; lexeme < lexemes + n; lexeme++) {
		for (start = lexeme->start; start > 0 && b[start - 1] != '\n';)
			start--;
		printf("%u %zu %zu %s\n", lexeme->line,
		    lexeme->start - start + 1, lexeme->end - lexeme->start,
		    class_of(lexeme->kind, fm_text(b + lexeme->start,
		    lexeme->end - lexeme->start)));
	}
	free(lexemes);
	return (0);
}
