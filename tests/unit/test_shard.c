/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which shard a thread takes, and that no thread else has it meanwhile.
 */

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "shard.h"
#include "unit.h"

/*
 * Taking
 */

#define SHARDS		8

/* Each shard has one of these; `counted` is left to fm_shard_count() alone. */
static struct kept {
	uint64_t	counted;
	uint64_t	plain;		/* where one has it for oneself */
	unsigned	depth;		/* how often the shard is taken now */
	pthread_t	owner;		/* the thread that has taken it */
} kept[SHARDS + 1];

#define ROUNDS		60000

static pthread_barrier_t barrier;

/* Returns 1 where another thread has it. */
static unsigned
take(unsigned *shard)
{
	struct kept *k;

	*shard = fm_shard_take();
	k = &kept[*shard];
	fm_shard_count(*shard, &k->counted, 1);
	if (*shard >= SHARDS)
		return (0);
	if (k->depth > 0)
		return (1);
	k->depth++;
	k->owner = pthread_self();
	k->plain++;
	return (0);
}

static unsigned
give(unsigned shard)
{
	struct kept *k = &kept[shard];
	unsigned bad = 0;

	if (shard < SHARDS) {
		bad = k->depth != 1 ||
		    !pthread_equal(k->owner, pthread_self());
		k->depth = 0;
	}
	fm_shard_give(shard);
	return (bad);
}

/* Takes up to three shards at a time, and sometimes yields with them. */
static void *
take_and_give(void *priv)
{
	unsigned seed = *(unsigned *)priv, i, k, n, bad = 0, shards[3];

	pthread_barrier_wait(&barrier);
	for (i = 0; i < ROUNDS; i++) {
		seed = seed * 1103515245U + 12345U;
		n = 1 + (seed >> 16) % 3;
		for (k = 0; k < n; k++)
			bad += take(&shards[k]);
		if ((seed >> 20) % 32 == 0)
			sched_yield();
		/* Gives them back in the order of taking, or reversed. */
		for (k = 0; k < n; k++)
			bad += give(shards[(seed >> 25) % 2 ? k : n - 1 - k]);
	}
	return ((void *)(uintptr_t)bad);
}

/* How many that thread takes. */
static uint64_t
twin_takes(unsigned seed)
{
	uint64_t takes = 0;
	unsigned i;

	for (i = 0; i < ROUNDS; i++) {
		seed = seed * 1103515245U + 12345U;
		takes += 1 + (seed >> 16) % 3;
	}
	return (takes);
}

UNIT_TEST(more_threads_than_shards_count_exactly)
{
	unsigned n = 3 * (SHARDS + 1), i, seeds[3 * (SHARDS + 1)];
	pthread_t threads[3 * (SHARDS + 1)];
	uint64_t want = 0, counted = 0, alone = 0, plain = 0;
	void *bad;

	ck_assert_int_eq(pthread_barrier_init(&barrier, NULL, n), 0);
	for (i = 0; i < n; i++) {
		seeds[i] = i + 1;
		want += twin_takes(seeds[i]);
		ck_assert_int_eq(pthread_create(&threads[i], NULL,
		    take_and_give, &seeds[i]), 0);
	}
	for (i = 0; i < n; i++) {
		ck_assert_int_eq(pthread_join(threads[i], &bad), 0);
		ck_assert_ptr_null(bad);
	}
	for (i = 0; i <= SHARDS; i++) {
		counted += kept[i].counted;
		plain += kept[i].plain;
		if (i < SHARDS)
			alone += kept[i].counted;
		ck_assert_uint_eq(kept[i].depth, 0);
	}
	ck_assert_uint_eq(counted, want);
	ck_assert_uint_eq(plain, alone);
	/* Both kinds were in use. */
	ck_assert_uint_gt(alone, 0);
	ck_assert_uint_gt(counted, alone);
	ck_assert_int_eq(pthread_barrier_destroy(&barrier), 0);
}

/* A thread that has a shard, and takes again, gets the shared one. */
UNIT_TEST(a_thread_that_has_one_waits_for_another)
{
	unsigned shards = SHARDS, first, i, round;
	cpu_set_t all, one;
	unsigned cpu;

	ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
	for (cpu = 0; !CPU_ISSET(cpu, &all); cpu++)
		continue;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
	for (round = 0; round < 3; round++) {
		first = fm_shard_take();
		ck_assert_uint_lt(first, shards);
		for (i = 0; i < 5; i++)
			ck_assert_uint_eq(fm_shard_take(), shards);
		for (i = 0; i < 5; i++)
			fm_shard_give(shards);
		ck_assert_uint_eq(fm_shard_take(), shards);
		fm_shard_give(first);
	}
}

/*
 * A thread has the shard of its CPU if it is alone there: also after it moved
 * to another CPU, once it has taken a shard FM_SHARD_STAYS times.
 */
UNIT_TEST(the_shard_of_its_cpu_is_taken_first)
{
	unsigned cpu, shard = 0, i;
	cpu_set_t all, one;

	ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
		for (i = 0; i < FM_SHARD_STAYS; i++) {
			shard = fm_shard_take();
			fm_shard_give(shard);
		}
		ck_assert_uint_eq(shard, cpu % SHARDS);
	}
}

/* There are as many shards as CPUs, rounded up, and one more that is shared. */
UNIT_TEST(each_cpu_has_a_shard)
{
	ck_assert_uint_eq(fm_shards, SHARDS);
	fm_shard_begin(64);
	ck_assert_uint_eq(fm_shards, SHARDS);
}

int
main(void)
{
	fm_shard_begin(SHARDS - 1);
	return (unit_main("shard", 120));
}
