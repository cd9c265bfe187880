/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which of a few copies of something that is written often a thread takes:
 * that of the CPU it runs on, so that no cache line travels.  Two threads may
 * have the same one at the same time: writing is atomic all the same.
 */

#ifndef FM_SHARD_H
#define FM_SHARD_H

#include <sched.h>

#define FM_SHARDS	8	/* at most; a power of two */

/*
 * How many are of use: a power of two, no more than FM_SHARDS.  Found out the
 * first time, from the CPUs that this process may run on; the same ever after.
 */
unsigned fm_shards(void);

/* That number for these CPUs: the least that keeps as many apart as it can. */
unsigned fm_shards_for(const cpu_set_t *);

/*
 * From 0 to FM_SHARDS - 1; take it modulo fm_shards() where there are less.
 * With glibc 2.35 and later this reads two words that the kernel keeps up to
 * date in the thread's own memory (rseq); before, it is a call of the vDSO.
 * No system call either way.
 */
static inline unsigned
fm_shard(void)
{
	int cpu = sched_getcpu();

	return (cpu < 0 ? 0U : (unsigned)cpu % FM_SHARDS);
}

#endif
