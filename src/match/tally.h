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

struct fm_tally {
	unsigned	scans;		/* runs of Hyperscan */
	unsigned	confirms;	/* patterns tried one by one */
	unsigned	over_limit;	/* regexes that PCRE2 gave up on: nobody
					 * knows whether they match */
	unsigned	fallbacks;	/* scans that failed, or for which there
					 * is no engine: each pattern tried */
	bool		no_memory;	/* for a regex; likewise */
};

#endif
