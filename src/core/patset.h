/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A set of patterns, of all kinds mixed, and which of them match a text.
 *
 * A builder takes patterns; the set made from it never changes.  The set
 * chooses an engine for each pattern (ARCHITECTURE.md says how); none of
 * them changes an answer, only its cost: the answer is that of trying every
 * pattern alone (fm_pattern_match()).
 */

#ifndef FM_PATSET_H
#define FM_PATSET_H

#include <stdint.h>

#include "pattern.h"

struct fm_patset_builder;
struct fm_patset;

/* Each NULL: no memory. */
struct fm_patset_builder *fm_patset_build_new(void);
void fm_patset_build_free(struct fm_patset_builder **);

/* Takes the pattern.  0, or -1: no memory (the pattern is freed). */
int fm_patset_build_add(struct fm_patset_builder *, struct fm_pattern **);
size_t fm_patset_build_count(const struct fm_patset_builder *);

/*
 * The set of what was added, which takes the patterns out of the builder and
 * frees it.  Needs some 100 KB of stack: not on a worker's.  NULL with the
 * reason in the diag (no memory).
 */
struct fm_patset *fm_patset_build(struct fm_patset_builder **,
    struct fm_diag *);
void fm_patset_free(struct fm_patset **);

size_t fm_patset_count(const struct fm_patset *);
size_t fm_patset_bytes(const struct fm_patset *);
const struct fm_pattern *fm_patset_pattern(const struct fm_patset *,
    uint32_t n);

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
 * subject: one scan finds the candidates, and only those that matter are
 * decided.
 *
 * Sets the bits of the candidates in bits, which has FM_PATSET_WORDS(count)
 * words that the caller has cleared.  Every pattern that matches is among
 * them, but for what is missing.  Returns what is known of them, which
 * fm_patset_decide() must be told.
 */
#define FM_PATSET_WORDS(n)	(((size_t)(n) + 63) / 64)

#define FM_PATSET_SCANNED	1U	/* the scan came to its end */
#define FM_PATSET_GLOBS		2U	/* globs that took a pass match */
#define FM_PATSET_SPENT		4U	/* regexes are missing, see below; */
#define FM_PATSET_CROWDED	8U	/* so are globs */

unsigned fm_patset_candidates(const struct fm_patset *, struct fm_text subject,
    uint64_t *bits, struct fm_tally *);

/*
 * Where a subject has the words of too many patterns not all regexes, or not
 * all globs, are found, and the tally has them as unasked: this sets the bits
 * of all others in `missing`, which is as long, for they may match, too.
 */
void fm_patset_missing(const struct fm_patset *, unsigned known,
    const uint64_t *bits, uint64_t *missing);

/*
 * Whether pattern n, a candidate, is one as something of it was found; not as
 * it always is, or as no scan came to its end.
 */
bool fm_patset_is_found(const struct fm_patset *, uint32_t n, unsigned known);

/* Whether there may be others. */
bool fm_patset_tries(const struct fm_patset *, unsigned known);

/* Whether pattern n, a candidate, matches. */
bool fm_patset_decide(const struct fm_patset *, uint32_t n,
    struct fm_text subject, unsigned known, struct fm_tally *);

/* Whether all there is to do is to try a few texts. */
bool fm_patset_is_small(const struct fm_patset *);

/* Whether to find candidates takes a scan or a trie (and not only trying). */
bool fm_patset_scans(const struct fm_patset *);

/* Whether there are so many globs that some may be missing. */
bool fm_patset_is_much(const struct fm_patset *);

/* Whether there may be no answer, for this reason, or as there are regexes. */
bool fm_patset_gives_up(const struct fm_patset *);

#endif
