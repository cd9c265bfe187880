/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Splits the text of a rule file into lexemes: its tokens, as the parser takes
 * them, and its comments.  Every byte outside of them is a blank or the end of
 * a line.
 */

#ifndef FM_LEXEMES_H
#define FM_LEXEMES_H

#include "tokens.h"

/*
 *	# phones
 *	list phones is { a "b c" }	# two
 *
 * is "# phones" (a comment), `list`, `phones`, `is`, `{`, `a`, `"b c"`, `}`,
 * and "# two", a comment whose breaks is 0.
 */
struct fm_lexeme {
	size_t			start, end;	/* offsets in the text */
	unsigned		line;		/* from 1 */
	unsigned		breaks;		/* ends of lines before it */
	enum fm_token_kind	kind;		/* T_END: a comment */
};

/*
 * Returns all lexemes of a text, mistakes and all, up to its first NUL, for
 * free(); NULL: no memory.
 */
struct fm_lexeme *fm_lexemes(struct fm_text, size_t *count);

#endif
