/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The candidates of one call of a set of patterns: a bit each, and the words in
 * use.  Those of a thread are clear between calls.
 */

#ifndef FM_CANDIDATES_H
#define FM_CANDIDATES_H

#include <stdbool.h>
#include <stdint.h>

#include "obj.h"

struct candidates {
	unsigned	magic;
#define CANDIDATES_MAGIC	0x25e7908d
	uint64_t	*words;
	size_t		cap;		/* in words */
	size_t		first, last;	/* in use, if first <= last */
};

/* With words of the caller's, which are clear. */
#define CANDIDATES(bits)						\
	{ .magic = CANDIDATES_MAGIC, .words = (bits), .first = SIZE_MAX }

#define CANDIDATES_NONE	UINT32_MAX

/* The thread's, with room for n patterns, and empty; NULL: no memory. */
struct candidates *fm_candidates_get(size_t n);
void fm_candidates_clear(struct candidates *);

/* A bit, in a word that is in use. */
static inline void
candidates_set(struct candidates *c, uint32_t n)
{
	c->words[n / 64] |= 1ULL << (n % 64);
}

static inline void
candidates_add(struct candidates *c, uint32_t n)
{
	size_t w = n / 64;

	candidates_set(c, n);
	if (w < c->first)
		c->first = w;
	if (w > c->last)
		c->last = w;
}

/* All words are in use, for n patterns. */
static inline void
candidates_all(struct candidates *c, size_t n)
{
	c->first = 0;
	c->last = (n - 1) / 64;
}

static inline bool
candidates_has(const struct candidates *c, uint32_t n)
{
	return ((c->words[n / 64] >> n % 64 & 1) != 0);
}

/* The lowest, which is taken out; CANDIDATES_NONE where there are no more. */
static inline uint32_t
candidates_take(struct candidates *c)
{
	unsigned bit;

	while (c->first <= c->last) {
		if (c->words[c->first] != 0) {
			bit = (unsigned)__builtin_ctzll(c->words[c->first]);
			c->words[c->first] &= c->words[c->first] - 1;
			return ((uint32_t)(c->first * 64 + bit));
		}
		c->first++;
	}
	return (CANDIDATES_NONE);
}

#endif
