/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What it took to give an answer.  The caller zeroes one, hands it down, and
 * adds it to counters of its own; nothing in the core is shared by threads
 * that match.
 */

#ifndef FM_TALLY_H
#define FM_TALLY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Of regexes that are tried because a scan found their words a request has as
 * many as cost so many times what the subject itself does: each takes a pass
 * over it, and the request has a cost besides.  A client can write a header
 * that has the words of all regexes of a list.
 */
#define FM_TALLY_SCANNED_MAX	(1UL << 20)
#define FM_TALLY_CALL		8	/* a call of VCL: so often that */
#define FM_TALLY_SCANNED_LONG	4	/* of subjects of any length, */
#define FM_TALLY_SCANNED_REST	600	/* and of one that is as long as what
					 * else there is, twice that */

struct fm_tally {
	unsigned	scans;		/* runs of Hyperscan */
	unsigned	confirms;	/* patterns tried one by one */
	unsigned	over_limit;	/* regexes that gave up: no match */
	unsigned	over_limit_max;	/* set by the caller: after so many no
					 * regex is tried; 0: any number */
	unsigned	over_limit_before;	/* and so many there were of
					 * this request, counted elsewhere */
	unsigned	ration;		/* set by the caller: how many times
					 * what a request's regexes may take
					 * that are not over; 0: as a call */
	unsigned	unasked;	/* regexes not tried for this reason: no
					 * match */
	unsigned	careful;	/* what regexes took that were matched
					 * with care, see regex.c; */
	unsigned	careful_before;	/* and before this subject */
	unsigned	fallbacks;	/* scans that failed, or for which there
					 * is no engine: each pattern tried */
	size_t		scanned;	/* of FM_TALLY_SCANNED_MAX */
};

/* Whether regexes have had their share. */
static inline bool
fm_tally_is_spent(const struct fm_tally *tally)
{
	return (tally->over_limit_max != 0 && tally->over_limit +
	    tally->over_limit_before >= tally->over_limit_max);
}

static inline size_t
fm_tally_ration(const struct fm_tally *tally)
{
	return (tally->ration == 0 ? FM_TALLY_CALL : tally->ration);
}

/* A list's regex is to be tried.  false, and counted: it is not. */
static inline bool
fm_tally_scanned(struct fm_tally *tally, size_t len)
{
	if (tally->scanned >= fm_tally_ration(tally) * FM_TALLY_SCANNED_MAX) {
		tally->unasked++;
		return (false);
	}
	tally->scanned += FM_TALLY_SCANNED_MAX / FM_TALLY_SCANNED_LONG * len /
	    (len + FM_TALLY_SCANNED_REST) + 1;
	return (true);
}

#endif
