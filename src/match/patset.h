/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A set of patterns, of all kinds, which says which of them match a text.
 *
 * A set takes patterns until it is made, and never changes after that.  It
 * chooses an engine for each pattern (patset.c says how).  The engine changes
 * the cost of an answer, but not the answer: that is always the one of trying
 * each pattern alone, with fm_pattern_match().
 *
 *	set = fm_patset_new();
 *	fm_patset_add(set, &pattern);		number 0, then 1, 2, ...
 *	fm_patset_make(set, &place, diag);
 *	n = fm_patset_first(set, subject, &tally);
 */

#ifndef FM_PATSET_H
#define FM_PATSET_H

#include <stdint.h>

#include "pattern.h"

struct fm_patset;

/* Returns NULL if there is no memory. */
struct fm_patset *fm_patset_new(void) __attribute__((cold));
void fm_patset_free(struct fm_patset **) __attribute__((cold));

/*
 * Adds a pattern, which is the set's from now on.  Returns 0; or -1 if there is
 * no memory: then the pattern was freed.
 */
int fm_patset_add(struct fm_patset *, struct fm_pattern **)
    __attribute__((cold));

/*
 * Makes the set, which may be asked from now on.  Needs some 100 KB of stack,
 * so it must not run in a worker thread of Varnish.  Returns 0; or -1 with the
 * reason in the diag: there is no memory, or the set takes more than a load may
 * have (caps.h).  An error is said to be at `place`, which may be NULL.
 */
int fm_patset_make(struct fm_patset *, const struct fm_place *,
    struct fm_diag *) __attribute__((cold));

size_t fm_patset_count(const struct fm_patset *);
size_t fm_patset_bytes(const struct fm_patset *) __attribute__((cold));
const struct fm_pattern *fm_patset_pattern(const struct fm_patset *,
    uint32_t n);

/* Returns the matcher of pattern n. */
enum fm_matcher fm_patset_matcher(const struct fm_patset *, uint32_t n);
/*
 * Returns why Hyperscan does not decide regex n; NULL if it does, or if pattern
 * n is not a regex.
 */
const char *fm_patset_why(const struct fm_patset *, uint32_t n)
    __attribute__((cold));

/* The cost of making a set; database and scratch are 0 without a scan. */
struct fm_patset_cost {
	double			seconds;	/* CPU time */
	size_t			size;		/* as FM_LIMIT_SIZE counts it */
	size_t			database;	/* bytes */
	size_t			scratch;	/* bytes that each thread needs
						 * to scan */
};

struct fm_patset_cost fm_patset_cost(const struct fm_patset *)
    __attribute__((cold));

/* Returns true if any pattern matches.  Stops at the first that does. */
bool fm_patset_match(const struct fm_patset *, struct fm_text subject,
    struct fm_tally *);

/* Returns the lowest number of a pattern that matches, or FM_PATSET_NONE. */
#define FM_PATSET_NONE	UINT32_MAX

uint32_t fm_patset_first(const struct fm_patset *, struct fm_text subject,
    struct fm_tally *);

/*
 * Writes the numbers of the patterns that match, in ascending order, up to
 * `cap`.  Returns how many patterns match, which may be more.
 */
size_t fm_patset_all(const struct fm_patset *, struct fm_text subject,
    uint32_t *numbers, size_t cap, struct fm_tally *);

/*
 * A caller who asks several questions about one subject does it in two steps:
 * fm_patset_candidates() scans once, and fm_patset_decide() decides one
 * candidate.
 *
 * Sets a bit for each candidate in `bits`, which has FM_PATSET_WORDS(count)
 * words that the caller has cleared.  Every pattern that matches is a
 * candidate; some candidates do not match.  Returns FM_PATSET_* flags, which
 * the caller hands to fm_patset_decide() as `known`.
 */
#define FM_PATSET_WORDS(n)	(((size_t)(n) + 63) / 64)

#define FM_PATSET_SCANNED	1U	/* the scan did not fail, so its hits
					 * are matches */
#define FM_PATSET_EMPTY		2U	/* the subject is empty, and all
					 * candidates match */

unsigned fm_patset_candidates(const struct fm_patset *, struct fm_text subject,
    uint64_t *bits, struct fm_tally *);

/* Returns true if pattern n, a candidate, matches. */
bool fm_patset_decide(const struct fm_patset *, uint32_t n,
    struct fm_text subject, unsigned known, struct fm_tally *);

/* Returns true if the set is a few texts, each of which is tried in turn. */
bool fm_patset_is_small(const struct fm_patset *);

/* Returns true if it takes a scan to find candidates. */
bool fm_patset_scans(const struct fm_patset *);

/* Returns true if PCRE2 decides any pattern, and so may reach its limit. */
bool fm_patset_gives_up(const struct fm_patset *);

#endif
