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

/* Those texts are passed over whose mark is this one. */
struct fm_trie_marks {
	uint32_t	*of;		/* each text */
	uint32_t	mark;
};

/* It is marked now; false: it was. */
static inline bool
fm_trie_mark(const struct fm_trie_marks *marks, uint32_t text)
{
	if (marks->of[text] == marks->mark)
		return (false);
	marks->of[text] = marks->mark;
	return (true);
}

/*
 * Tells each place, but for those whose longest text is marked: a client can
 * write the same at each byte.  Who is told sets and changes the marks.
 */
void fm_trie_find(const struct fm_trie *, struct fm_text subject,
    const struct fm_trie_marks *, fm_trie_hit_f *, void *priv);

/* Tells texts, some at a time.  true: that is enough. */
typedef bool fm_trie_texts_f(void *priv, const uint32_t *texts, unsigned n);

/*
 * Tells the longest text at each place, and marks it, but for those that are
 * marked.  Returns how often that was.
 */
size_t fm_trie_find_new(const struct fm_trie *, struct fm_text subject,
    const struct fm_trie_marks *, fm_trie_texts_f *, void *priv);

#endif
