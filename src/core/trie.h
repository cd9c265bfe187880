/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Many texts, and where each of them is in a subject, in one pass over it
 * (Aho and Corasick's automaton): after each byte it is in the state of the
 * longest beginning of a text that ends there.
 *
 * As Hyperscan finds them, but for two things that it doesn't promise: every
 * occurrence is told, and in the order in which they end.
 */

#ifndef FM_TRIE_H
#define FM_TRIE_H

#include <string.h>

#include "text.h"

#define FM_TRIE_NONE	UINT32_MAX

struct fm_trie {
	unsigned	magic;
#define FM_TRIE_MAGIC	0x3a90c4d7
	uint32_t	n;		/* texts */
	uint32_t	nclasses;
	uint16_t	classes[256];	/* of bytes; 0: they are in no text */
	uint32_t	*states;	/* words: of what, trie.c says */
	uint32_t	nstates;
	uint32_t	sparse;		/* states that have no row */
	uint32_t	*shorter;	/* of each text the next that ends
					 * where it does */
};

/*
 * Of at least one text.  They are sorted (fm_text_compare()), there is none
 * twice, and none that is empty; with nocase they are in lower case.  NULL: no
 * memory.
 */
struct fm_trie *fm_trie_new(const struct fm_text *, uint32_t n, bool nocase);
void fm_trie_free(struct fm_trie **);
size_t fm_trie_bytes(const struct fm_trie *);

/*
 * A place where texts end: the longest of them, for what is shorter is what the
 * trie says.  true: that is enough.
 */
typedef bool fm_trie_hit_f(void *priv, uint32_t text, size_t end);

/*
 * For which texts nobody waits: those whose mark is this one.  Who is told sets
 * and changes them.
 */
struct fm_trie_idle {
	const uint32_t	*marks;
	uint32_t	mark;
};

/*
 * Tells them, but for those where nobody waits for the longest text: a client
 * can write the same at each byte.
 */
void fm_trie_find(const struct fm_trie *, struct fm_text subject,
    const struct fm_trie_idle *, fm_trie_hit_f *, void *priv);

/*
 * Which texts are told.  Of more than this those that are as many apart share
 * a word, which has those that were told last.
 */
#define FM_TRIE_TOLD	32768

struct fm_trie_told {
	uint64_t	bits[FM_TRIE_TOLD / 64];
	uint32_t	whose[FM_TRIE_TOLD / 64];	/* text / TOLD */
};

static inline void
fm_trie_told_none(struct fm_trie_told *told, const struct fm_trie *t)
{
	uint32_t n = t->n < FM_TRIE_TOLD ? t->n : FM_TRIE_TOLD - 1;

	memset(told->bits, 0, (n / 64 + 1) * sizeof *told->bits);
	memset(told->whose, 0, (n / 64 + 1) * sizeof *told->whose);
}

/* It is told now; false: it was.  With `few` there are no more than that. */
static inline bool
fm_trie_tell(struct fm_trie_told *told, uint32_t text, bool few)
{
	uint32_t word = few ? text / 64 : text % FM_TRIE_TOLD / 64;
	uint64_t bits = told->bits[word], bit = 1ULL << text % 64;

	if (!few && told->whose[word] != text / FM_TRIE_TOLD) {
		told->whose[word] = text / FM_TRIE_TOLD;
		bits = 0;
	}
	if ((bits & bit) != 0)
		return (false);
	told->bits[word] = bits | bit;
	return (true);
}

/* Tells texts, some at a time.  true: that is enough. */
typedef bool fm_trie_texts_f(void *priv, const uint32_t *texts, unsigned n);

/*
 * Tells the longest text at each place, but for those that are told.  Returns
 * how often that was.
 */
size_t fm_trie_find_new(const struct fm_trie *, struct fm_text subject,
    struct fm_trie_told *, fm_trie_texts_f *, void *priv);

#endif
