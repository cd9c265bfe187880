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
 * number.  A thread that finds its shard taken counts in one more copy, the
 * shared one, by atomic operations.
 *
 *	shard = fm_shard_take();
 *	fm_shard_count(shard, &numbers[shard]..., 1);
 *	fm_shard_give(shard);
 */

#ifndef FM_SHARD_H
#define FM_SHARD_H

#include <stdbool.h>
#include <stdint.h>

#include "thread.h"

#define FM_SHARDS_MAX	256	/* CPUs beyond that share the shards */

/*
 * The number of shards, a power of two; shard number fm_shards is the shared
 * one.  So numbers need fm_shards + 1 copies.
 */
extern unsigned fm_shards __attribute__((visibility("hidden")));

/*
 * Sets the number of shards to that of a machine with this number of CPUs, or
 * to FM_SHARDS_MAX.  The first call counts, and comes before any thread counts.
 */
void fm_shard_begin(int cpus);

#define FM_SHARD_STAYS	64	/* calls; a look costs 30 instructions */

/*
 * Returns the shard of the CPU that this thread runs on, which is then that of
 * the thread for FM_SHARD_STAYS calls of fm_shard().
 */
unsigned fm_shard_look(void);

/*
 * Returns the shard of this thread, without taking it: writes there must be
 * atomic.  A thread looks for its CPU each FM_SHARD_STAYS-th time.  A thread
 * that has moved counts in its old shard until then.
 */
static inline unsigned
fm_shard(void)
{
	struct fm_thread *self = fm_thread_self;

	if (__builtin_expect(self == NULL || self->shard_stays == 0, 0))
		return (fm_shard_look());
	self->shard_stays--;
	return (self->shard);
}

struct fm_shard_lock {
	bool	taken;
} __attribute__((aligned(64)));

extern struct fm_shard_lock fm_shard_locks[FM_SHARDS_MAX]
    __attribute__((visibility("hidden")));

/*
 * Takes a shard, and never waits.  Returns the shard of this thread, which the
 * thread then has for itself; if another thread has it, the shared one.
 */
static inline unsigned
fm_shard_take(void)
{
	unsigned shard = fm_shard();

	return (__builtin_expect(__atomic_exchange_n(
	    &fm_shard_locks[shard].taken, true, __ATOMIC_ACQUIRE), 0) ?
	    fm_shards : shard);
}

/* Returns true if the thread has this shard, which it took, for itself. */
static inline bool
fm_shard_is_own(unsigned shard)
{
	return (shard != fm_shards);
}

static inline void
fm_shard_give(unsigned shard)
{
	if (fm_shard_is_own(shard))
		__atomic_store_n(&fm_shard_locks[shard].taken, false,
		    __ATOMIC_RELEASE);
}

/*
 * Adds n to a number of a shard that was taken.  Other threads may read the
 * number at any time.
 */
static inline void
fm_shard_add(bool own, uint64_t *number, uint64_t n)
{
	if (__builtin_expect(own, 1))
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
