/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between lookup.c, which finds the candidates of a set, and patset.c, which
 * decides them.
 */

#ifndef FM_LOOKUP_H
#define FM_LOOKUP_H

#include "candidates.h"
#include "patset_priv.h"

/* One call of match, first or all. */
struct lookup {
	const struct fm_patset	*ps;
	struct fm_text		subject;
	struct fm_tally		*tally;
	struct candidates	*candidates;	/* NULL: none so far */
	bool			any;	/* one sure hit is enough */
	bool			hit;	/* and here it is */
	unsigned		known;		/* FM_PATSET_* */
	uint32_t		globs;		/* what it takes to try the
						 * candidates in ps->globs */
	bool			crowded;	/* so many that all may be */
	bool			alike;		/* the trie knows more */
	unsigned		hits;		/* of the scan */
	bool			flooded;	/* too many: given up */
	size_t			regexes;	/* candidates of the scan, */
	size_t			regexes_most;	/* of so many */
	size_t			others;		/* and globs, */
	size_t			others_most;	/* of so many */
	bool			one_by_one;	/* no memory for candidates */
};

/* Finds the candidates; with `any` it may find a sure hit before that. */
void fm_lookup_start(struct lookup *);

#endif
