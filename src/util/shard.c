/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * How many shards are of use here, and who has one.
 */

#include "shard.h"

unsigned
fm_shards_for(const cpu_set_t *cpus)
{
	unsigned shards, cpu, used[FM_SHARDS + 1] = { 0 };

	for (shards = 1; shards <= FM_SHARDS; shards *= 2)
		for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
			if (CPU_ISSET(cpu, cpus))
				used[shards] |= 1U << cpu % shards;
	for (shards = 1; shards < FM_SHARDS; shards *= 2)
		if (__builtin_popcount(used[shards]) ==
		    __builtin_popcount(used[FM_SHARDS]))
			break;
	return (shards);
}

unsigned fm_shards_decided;

unsigned
fm_shards_decide(void)
{
	unsigned shards, none = 0;
	cpu_set_t cpus;

	/* This fails where there are more CPUs than a set has room for. */
	shards = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ?
	    fm_shards_for(&cpus) : FM_SHARDS;
	/* Whoever is first decides: what is allocated must fit for good. */
	if (!__atomic_compare_exchange_n(&fm_shards_decided, &none, shards,
	    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		shards = none;
	return (shards);
}

struct fm_shard_lock fm_shard_locks[FM_SHARDS];
