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
	uint32_t	nnodes;
	uint32_t	nrows;		/* nodes that have a row */
	uint32_t	nclasses;
	uint16_t	classes[256];	/* of bytes; 0: they are in no text */
	uint32_t	width;		/* of a row */
	uint32_t	*rows;		/* the next node for each class; where
					 * all nodes have a row, where that
					 * begins, and before these out[] */
	/* Of each node; the order is by breadth: */
	uint32_t	*first;		/* child; they end where those of the
					 * next node begin */
	uint32_t	*fail;		/* the longest end of it that is a
					 * node, too */
	uint32_t	*out;		/* the longest text that ends here */
	uint16_t	*by;		/* the class that leads to it */
	/* Of each text: */
	uint32_t	*shorter;	/* the next that ends where it does */
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
 * Tells each place where texts end: the longest of them; what is shorter is
 * what the trie says.  `end` is behind it.  true: that is enough.
 */
typedef bool fm_trie_hit_f(void *priv, uint32_t text, size_t end);

void fm_trie_find(const struct fm_trie *, struct fm_text subject,
    fm_trie_hit_f *, void *priv);

#endif
