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
 * many as take a pass over so many bytes together, besides one for each subject
 * that is scanned, or two where it is short, as a parameter of a query is.  To
 * try one costs something, too.  A client can write a header that has the words
 * of all regexes of a list; and of all globs and texts, so that a pass over
 * these takes as long as one of some regexes.
 */
#define FM_TALLY_SCANNED	8000
#define FM_TALLY_CALL_SCANNED	80000	/* a call of VCL: of its own */
#define FM_TALLY_CALL		8	/* and so often what else there is */
#define FM_TALLY_TRY		100	/* bytes, besides */
#define FM_TALLY_SHORT		30	/* bytes, for two */

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
	bool		no_memory;	/* for a regex: nobody knows whether it
					 * matches */
	unsigned	unasked;	/* regexes not tried for this reason: no
					 * match */
	unsigned	careful;	/* what regexes took that were matched
					 * with care, see regex.c; */
	unsigned	careful_before;	/* and before this subject */
	unsigned	fallbacks;	/* scans that failed, or for which there
					 * is no engine: each pattern tried */
	size_t		scanned;	/* bytes, of FM_TALLY_SCANNED */
	size_t		earned;		/* and of these, of each subject */
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

/* Bytes, in all. */
static inline size_t
fm_tally_bytes(const struct fm_tally *tally)
{
	return ((tally->ration == 0 ? FM_TALLY_CALL_SCANNED :
	    tally->ration * FM_TALLY_SCANNED) + tally->earned);
}

/* Another subject, of which a scan may find regexes. */
static inline void
fm_tally_earn(struct fm_tally *tally, size_t len)
{
	size_t one = len + FM_TALLY_TRY;

	tally->earned += len > FM_TALLY_SHORT ? one : 2 * one;
}

/* Whether no regex that a scan found is tried any more. */
static inline bool
fm_tally_scanned_out(const struct fm_tally *tally)
{
	return (tally->scanned >= fm_tally_bytes(tally));
}

/* A list's regex is to be tried.  false, and counted: it is not. */
static inline bool
fm_tally_scanned(struct fm_tally *tally, size_t len)
{
	if (fm_tally_scanned_out(tally)) {
		tally->unasked++;
		return (false);
	}
	tally->scanned += len + FM_TALLY_TRY;
	return (true);
}

/* No more than so many are. */
static inline size_t
fm_tally_most(const struct fm_tally *tally, size_t len)
{
	return (fm_tally_bytes(tally) / (len + FM_TALLY_TRY) + 1);
}

#endif
