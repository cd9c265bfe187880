/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A set of patterns, of all kinds mixed, and which of them match a text.
 *
 * A set takes patterns until it is made; after that it never changes.  It
 * chooses an engine for each pattern (README.md says how); none of
 * them changes an answer, only its cost: the answer is that of trying every
 * pattern alone (fm_pattern_match()).
 */

#ifndef FM_PATSET_H
#define FM_PATSET_H

#include <stdint.h>

#include "pattern.h"

struct fm_patset;

/* Returns NULL if there is no memory. */
struct fm_patset *fm_patset_new(void);
void fm_patset_free(struct fm_patset **);

/* Takes the pattern.  Returns 0, or -1: no memory (the pattern is freed). */
int fm_patset_add(struct fm_patset *, struct fm_pattern **);

/*
 * Makes the set, which may be asked from now on.  Needs some 100 KB of stack:
 * not on a worker's.  Returns 0; or -1 with the reason in the diag: no memory,
 * or more than a load may compile (caps.h), at the place, which may be NULL.
 */
int fm_patset_make(struct fm_patset *, const struct fm_place *,
    struct fm_diag *);

size_t fm_patset_count(const struct fm_patset *);
size_t fm_patset_bytes(const struct fm_patset *);
const struct fm_pattern *fm_patset_pattern(const struct fm_patset *,
    uint32_t n);

enum fm_way fm_patset_way(const struct fm_patset *, uint32_t n);
/* Returns why a regex is not Hyperscan's alone; NULL: it is, or is no regex. */
const char *fm_patset_why(const struct fm_patset *, uint32_t n);

/* The cost of making a set; 0 bytes if nothing is scanned for. */
struct fm_patset_cost {
	double			seconds;	/* of the processor's time */
	size_t			size;		/* out of FM_LIMIT_SIZE */
	size_t			database;	/* bytes */
	size_t			scratch;	/* bytes, each thread */
};

struct fm_patset_cost fm_patset_cost(const struct fm_patset *);

/* Does any pattern match?  Stops at the first that does. */
bool fm_patset_match(const struct fm_patset *, struct fm_text subject,
    struct fm_tally *);

/* The first in the order of addition, from 0, or FM_PATSET_NONE. */
#define FM_PATSET_NONE	UINT32_MAX

uint32_t fm_patset_first(const struct fm_patset *, struct fm_text subject,
    struct fm_tally *);

/*
 * All that match, in the order of addition: writes up to cap numbers and
 * returns how many there are.
 */
size_t fm_patset_all(const struct fm_patset *, struct fm_text subject,
    uint32_t *numbers, size_t cap, struct fm_tally *);

/*
 * The same in two steps, for a caller who asks several questions about one
 * subject: one scan finds the candidates, and those that matter are decided.
 *
 * Sets the bits of the candidates in bits, which has FM_PATSET_WORDS(count)
 * words that the caller has cleared.  Every pattern that matches is among
 * them.  Returns what is known of them, which fm_patset_decide() must be told.
 */
#define FM_PATSET_WORDS(n)	(((size_t)(n) + 63) / 64)

#define FM_PATSET_SCANNED	1U	/* the scan came to its end */
#define FM_PATSET_EMPTY		2U	/* of an empty subject: all match */

unsigned fm_patset_candidates(const struct fm_patset *, struct fm_text subject,
    uint64_t *bits, struct fm_tally *);

/* Returns true if pattern n, a candidate, matches. */
bool fm_patset_decide(const struct fm_patset *, uint32_t n,
    struct fm_text subject, unsigned known, struct fm_tally *);

/* Returns true if all there is to do is to try a few texts. */
bool fm_patset_is_small(const struct fm_patset *);

/* Returns true if it takes a scan to find candidates. */
bool fm_patset_scans(const struct fm_patset *);

/* Returns true if PCRE2 decides any of them, and so may give up. */
bool fm_patset_gives_up(const struct fm_patset *);

#endif
