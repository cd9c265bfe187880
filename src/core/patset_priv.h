/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between patset_build.c, which makes a set, patset_ways.c, which knows what it
 * has to scan for, and patset.c, which matches.
 */

#ifndef FM_PATSET_PRIV_H
#define FM_PATSET_PRIV_H

#include "alike.h"
#include "common.h"
#include "globset.h"
#include "patset.h"
#include "scan.h"
#include "tied.h"

/* How a pattern becomes a candidate; where there are many, in this order. */
enum fm_patset_way {
	WAY_TIED,		/* by hash, and that is that */
	WAY_SCAN_SURE,		/* a scan finds it, and that is that */
	WAY_SCAN_REGEX,		/* a scan finds it, it is tried for a while */
	WAY_SCAN,		/* a scan finds it, the pattern confirms */
	WAY_TRIED		/* it is tried each time */
};

/*
 * A hit costs Hyperscan as much as a hundred bytes or more, and a byte ten
 * instructions in a trie that has all words: after so many hits that is faster.
 */
#define FM_PATSET_FLOOD	16

/*
 * A client that has the words of so many regexes in one subject has all it
 * wants: to tell of more costs, and few of them can be tried.
 */
#define FM_PATSET_REGEXES	64
#define FM_PATSET_OTHERS	300	/* the same, of globs and texts */

/* Those of a way that may be left out, where too many are candidates. */
struct fm_patset_kind {
	uint64_t		*bits;		/* NULL: none */
	uint32_t		n;
	uint32_t		told;		/* of these, but no globs
						 * that a pass decides */
};

struct fm_patset {
	unsigned		magic;
#define FM_PATSET_MAGIC		0x731ab5e2
	uint32_t		n;
	unsigned char		*ways;		/* enum fm_patset_way each */
	uint32_t		*tried;		/* numbers, ascending */
	size_t			ntried;
	struct fm_tied		*tied;		/* NULL: none of these */
	struct fm_scan		*scan;		/* NULL: nothing to scan */
	struct fm_alike		*alike;		/* beside it; NULL: none */
	bool			dense;		/* it is asked each time */
	bool			flood;		/* where the scan has too many
						 * hits it is given up: the
						 * others have all of it, and */
	struct fm_scan		*whole;		/* this, without literals */
	struct fm_patset_kind	regexes;	/* WAY_SCAN_REGEX */
	struct fm_patset_kind	others;		/* WAY_SCAN, and all that
						 * globs decides */
	uint32_t		sure;		/* so many WAY_SCAN_SURE, but
						 * for such globs */
	bool			tries_regexes;	/* one of them */
	struct fm_globset	*globs;		/* NULL: too few */
	bool			globs_all;	/* a pass for all is no worse
						 * than one for many */
	bool			scan_globs;	/* it scans only for these */
	bool			scan_missing;	/* there is no engine for what
						 * should be scanned */
	bool			small;		/* a few texts, all tried */
	struct fm_pattern	**patterns;
};

/* What there is to scan for. */
struct fm_patset_search {
	struct fm_scan_builder	*sb;
	struct fm_alike		*literals;	/* until all are known */
	struct fm_common	*common;	/* what many of them have */
	const struct fm_globset	*globs;		/* NULL: too few */
	struct fm_scan_builder	*whole;		/* of that, what has none */
	unsigned		dense;		/* of DENSE_MOST */
};

/* Finds out what the globs and the regexes have in common.  0, or -1. */
int fm_patset_common(struct fm_common *, const struct fm_patset *);

/*
 * The way for pattern n, and what has to be scanned for.  0, or -1: no memory.
 */
int fm_patset_way(struct fm_patset_search *, const struct fm_pattern *,
    uint32_t n, unsigned char *way);

#endif
