/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which clients get the rules of `next`: a share of them, by a hash of what
 * tells a client from others.  The hash has no seed, so a client is on the same
 * side on each machine, and after each load; a larger share only adds clients.
 * Includes no header of Varnish, so that a test can count clients.
 */

#ifndef FM_CANARY_H
#define FM_CANARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xxh.h"

#define FM_CANARY_ALL	(1ULL << 32)

/* Returns a share, which is in percent, as parts of FM_CANARY_ALL. */
static inline uint64_t
fm_canary_share(double percent)
{
	return ((uint64_t)(percent / 100 * (double)FM_CANARY_ALL));
}

/* Returns true if a client is among those of the share. */
static inline bool
fm_canary_takes(uint64_t share, const void *client, size_t len)
{
	return (XXH3_64bits(client, len) >> 32 < share);
}

#endif
