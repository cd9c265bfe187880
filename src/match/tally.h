/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A tally counts what it took to answer questions about patterns.  The caller
 * zeroes one, hands it down, and adds it to counters of its own: so threads
 * that match share no counter.
 */

#ifndef FM_TALLY_H
#define FM_TALLY_H

#include <stdbool.h>
#include <stddef.h>

struct fm_tally {
	unsigned	scans;		/* runs of Hyperscan */
	unsigned	confirms;	/* patterns tried one by one */
	unsigned	over_limit;	/* regexes that reached their match
					 * limit: undecided */
	unsigned	fallbacks;	/* scans that failed, or had no engine:
					 * each pattern was tried instead */
	bool		no_memory;	/* PCRE2 lacked memory for a regex,
					 * which is undecided, too */
};

#endif
