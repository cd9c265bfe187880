/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One step of a hash function: multiplies, and folds both halves of the
 * product, so that every bit of x affects all bits of the result.  Callers mix
 * a secret seed into x, because a client that knew the seed could choose names
 * of hosts and parameters that all have one hash.
 */

#ifndef FM_FOLD_H
#define FM_FOLD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static inline uint64_t
fm_fold(uint64_t x, uint64_t by)
{
#ifdef __SIZEOF_INT128__
	unsigned __int128 product = (unsigned __int128)x * by;

	return ((uint64_t)product ^ (uint64_t)(product >> 64));
#else
	uint64_t ll = (x & UINT32_MAX) * (by & UINT32_MAX);
	uint64_t lh = (x & UINT32_MAX) * (by >> 32);
	uint64_t hl = (x >> 32) * (by & UINT32_MAX);
	uint64_t hh = (x >> 32) * (by >> 32);
	uint64_t middle = (ll >> 32) + (lh & UINT32_MAX) + hl;

	return ((middle << 32 | (ll & UINT32_MAX)) ^
	    (hh + (lh >> 32) + (middle >> 32)));
#endif
}

/* Returns a random seed; the table's address is used if there is none. */
static inline uint64_t
fm_fold_seed(const void *table)
{
	uint64_t seed;

	if (getentropy(&seed, sizeof seed) != 0)
		seed = (uintptr_t)table ^ (uint64_t)time(NULL) << 32;
	return (seed);
}

#endif
