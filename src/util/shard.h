/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A shard is one of a few copies of numbers that all threads count in.  A
 * thread counts in the shard of the CPU that it runs on, so that CPUs don't
 * write to the same cache lines; whoever reads adds the shards up.
 *
 * A thread takes a shard for itself, counts without atomic operations, and
 * gives it back.  One atomic operation to take it is cheaper than one for each
 * number.
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

#define FM_SHARDS	8	/* a power of two; where there are more CPUs
				 * few count at the same moment */
#define FM_SHARDS_COUNTED	(2ul * FM_SHARDS)	/* shards and doubles */

/*
 * Returns the shard of this CPU, from 0 to FM_SHARDS - 1, without taking it:
 * writes there must be atomic.  This is no system call.  Glibc 2.35 and later
 * reads two words of the thread's memory that the kernel updates (rseq); an
 * older glibc calls the vDSO.
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
 * Takes a shard, and never waits.  Returns the shard of this CPU (a number
 * below FM_SHARDS), which the thread then has for itself.  If another thread
 * has that one, returns its double (plus FM_SHARDS), in which any number of
 * threads count atomically.
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

/* Returns true if the thread has this shard, which it took, for itself. */
static inline bool
fm_shard_is_own(unsigned shard)
{
	return (shard < FM_SHARDS);
}

/*
 * Adds n to a number of a shard that was taken.  Other threads may read the
 * number at any time.
 */
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
