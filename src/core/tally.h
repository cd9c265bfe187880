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

struct fm_tally {
	unsigned	scans;		/* runs of Hyperscan */
	unsigned	confirms;	/* patterns tried one by one */
	unsigned	over_limit;	/* regexes that gave up: no match */
	unsigned	over_limit_max;	/* set by the caller: after so many no
					 * regex is tried; 0: any number */
	unsigned	unasked;	/* regexes not tried for this reason: no
					 * match */
	unsigned	fallbacks;	/* scans that failed, or for which there
					 * is no engine: each pattern tried */
};

#endif
