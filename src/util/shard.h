/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which of a few copies of something that is written often a thread takes:
 * that of the CPU it runs on, so that no cache line travels.
 *
 * Whoever writes much takes a shard for itself, for a short while, and then
 * writes without atomic operations: one to take it is cheaper than one for
 * each number.
 *
 *	shard = fm_shard_take();
 *	fm_shard_count(shard, &numbers[shard]..., 1);
 *	fm_shard_give(shard);
 */

#ifndef FM_SHARD_H
#define FM_SHARD_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#define FM_SHARDS	8	/* a power of two: of more CPUs few count at
				 * the same moment */
#define FM_SHARDS_COUNTED	(2 * FM_SHARDS)	/* shards and doubles */

/*
 * Returns the shard of this CPU, from 0 to FM_SHARDS - 1, and not for oneself:
 * what is written there must be written atomically.  With glibc 2.35 and later
 * this reads two words that the kernel keeps up to date in the thread's own
 * memory (rseq); before, it is a call of the vDSO.  No system call either way.
 */
static inline unsigned
fm_shard(void)
{
	int cpu = sched_getcpu();

	return (cpu < 0 ? 0U : (unsigned)cpu % FM_SHARDS);
}

struct fm_shard_lock {
	bool	taken;
} __attribute__((aligned(64)));

extern struct fm_shard_lock fm_shard_locks[FM_SHARDS]
    __attribute__((visibility("hidden")));

/*
 * Takes a shard: that of this CPU, below FM_SHARDS, for oneself; or, where
 * another thread has it, its double, above, in which any number of threads
 * count, atomically.  So nobody waits.
 */
static inline unsigned
fm_shard_take(void)
{
	unsigned shard = fm_shard();

	return (__atomic_exchange_n(&fm_shard_locks[shard].taken, true,
	    __ATOMIC_ACQUIRE) ? FM_SHARDS + shard : shard);
}

static inline void
fm_shard_give(unsigned shard)
{
	if (shard < FM_SHARDS)
		__atomic_store_n(&fm_shard_locks[shard].taken, false,
		    __ATOMIC_RELEASE);
}

/* Returns true if a shard that was taken is for oneself. */
static inline bool
fm_shard_is_own(unsigned shard)
{
	return (shard < FM_SHARDS);
}

/* Counts in a shard that was taken.  Others may read the number at any time. */
static inline void
fm_shard_add(bool own, uint64_t *number, uint64_t n)
{
	if (own)
		__atomic_store_n(number,
		    __atomic_load_n(number, __ATOMIC_RELAXED) + n,
		    __ATOMIC_RELAXED);
	else
		(void)__atomic_fetch_add(number, n, __ATOMIC_RELAXED);
}

static inline void
fm_shard_count(unsigned shard, uint64_t *number, uint64_t n)
{
	fm_shard_add(fm_shard_is_own(shard), number, n);
}

#endif
