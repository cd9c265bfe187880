/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The words and marks of the rules language.
 */

#include "tokens.h"

#define KEYWORD_MAX	9		/* bytes of the longest one */

const char * const fm_token_names[T__KINDS] = {
#define T(kind, name)	[T_##kind] = (name),
	FM_TOKENS(T)
#undef T
};

/* Returns the slot where the search for a word begins. */
static unsigned
keyword_slot(struct fm_text word)
{
	const unsigned char *b = (const unsigned char *)word.b;

	return ((b[0] * 7u + b[1] * 31u + b[word.len - 1] * 3u +
	    (unsigned)word.len) % 256);
}

void
fm_keywords_fill(struct fm_keywords *keywords)
{
	unsigned kind, slot;

	for (kind = T_AND; kind < T_ITEM; kind++) {
		if (kind == T_TILDE)
			continue;
		slot = keyword_slot(fm_text_of(fm_token_names[kind]));
		while (keywords->kinds[slot] != 0)
			slot = (slot + 1) % 256;
		keywords->kinds[slot] = (unsigned char)kind;
	}
}

enum fm_token_kind
fm_keyword(const struct fm_keywords *keywords, struct fm_text word)
{
	unsigned kind, slot;

	if (word.len < 2 || word.len > KEYWORD_MAX)
		return (T_WORD);
	for (slot = keyword_slot(word); (kind = keywords->kinds[slot]) != 0;
	    slot = (slot + 1) % 256)
		if (fm_text_eq(word, fm_text_of(fm_token_names[kind])))
			return ((enum fm_token_kind)kind);
	return (T_WORD);
}

const char *
fm_reserved_word(struct fm_text text)
{
	unsigned kind;

	for (kind = T_AND; kind <= T_LIKE; kind++)
		if (fm_text_eq(text, fm_text_of(fm_token_names[kind])))
			return (fm_token_names[kind]);
	return (NULL);
}
