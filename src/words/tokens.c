/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tells whether a word is one of the rule language (tokens.h).
 */

#include "tokens.h"

#define KEYWORD_MAX	14		/* bytes of the longest one */

const char * const fm_token_names[T__KINDS] = {
#define T(kind, name, ...)	[T_##kind] = (name),
	FM_TOKENS(T)
#undef T
};

/* Returns the kind of a word from those of a range, or T_WORD. */
static enum fm_token_kind
keyword_among(struct fm_text word, unsigned from, unsigned to)
{
	unsigned kind;
	const char *name;

	if (word.len < 2 || word.len > KEYWORD_MAX)
		return (T_WORD);
	for (kind = from; kind < to; kind++) {
		name = fm_token_names[kind];
		if (*name == *word.b && name[1] == word.b[1] &&
		    fm_text_eq(word, fm_text_of(name)))
			return ((enum fm_token_kind)kind);
	}
	return (T_WORD);
}

enum fm_token_kind
fm_keyword(struct fm_text word)
{
	return (keyword_among(word, T_AND, T_ITEM));
}

const char *
fm_reserved_word(struct fm_text text)
{
	enum fm_token_kind kind = keyword_among(text, T_AND, T_LIKE + 1);

	return (kind == T_WORD ? NULL : fm_token_names[kind]);
}
