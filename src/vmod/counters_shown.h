/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Says which counters varnishstat shows of an object: those that its kind has.
 * The file that vsctool makes of fastmatch.vsc describes them all, in JSON,
 * which json_pack.py has packed.
 */

#ifndef FM_COUNTERS_SHOWN_H
#define FM_COUNTERS_SHOWN_H

#include <stddef.h>

enum fm_counters_kind {
	FM_COUNTERS_RULES,
	FM_COUNTERS_HOSTS,
	FM_COUNTERS_PATTERNS,
	FM_COUNTERS_PARAMS,
	FM_COUNTERS_FUNCTIONS
};
#define FM_COUNTERS__KINDS	(FM_COUNTERS_FUNCTIONS + 1)

/* Chooses the kind of the next segment that is made, under a lock. */
void fm_counters_shown(enum fm_counters_kind);

/*
 * Return the description of that kind's counters, and its length with the NUL,
 * of the packed description of all.  Without memory it has all counters, or
 * none.
 */
const unsigned char *fm_counters_json(const unsigned char *packed, size_t len);
size_t fm_counters_json_len(const unsigned char *packed, size_t len);

/* VSC_fastmatch.c has this in place of the two. */
#define FM_COUNTERS_JSON(packed, len)					\
	fm_counters_json(packed, len), fm_counters_json_len(packed, len)

#endif
