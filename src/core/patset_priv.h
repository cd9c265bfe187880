/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between patset_build.c, which makes a set, and patset.c, which matches.
 */

#ifndef FM_PATSET_PRIV_H
#define FM_PATSET_PRIV_H

#include "patset.h"
#include "scan.h"
#include "tied.h"

/* How a pattern becomes a candidate. */
enum fm_patset_way {
	WAY_TIED,		/* by hash, and that is that */
	WAY_SCAN,		/* a scan finds it, the pattern confirms */
	WAY_SCAN_SURE,		/* a scan finds it, and that is that */
	WAY_TRIED		/* it is tried each time */
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
	bool			scan_missing;	/* there is no engine for what
						 * should be scanned */
	bool			small;		/* a few texts, all tried */
	struct fm_pattern	**patterns;
};

#endif
