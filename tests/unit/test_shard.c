/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * How many shards there are, which one a thread takes, and that nobody else
 * has it meanwhile.
 */

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "shard.h"
#include "unit.h"

/* How many different shards these CPUs have, one CPU after the other. */
static unsigned
twin_apart(const cpu_set_t *cpus, unsigned shards)
{
	bool taken[CPU_SETSIZE] = { false };
	unsigned cpu, apart = 0;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, cpus) || taken[cpu % shards])
			continue;
		taken[cpu % shards] = true;
		apart++;
	}
	return (apart);
}

static void
cpus_first(cpu_set_t *cpus, unsigned n)
{
	unsigned cpu;

	CPU_ZERO(cpus);
	for (cpu = 0; cpu < n; cpu++)
		CPU_SET(cpu, cpus);
}

START_TEST(as_many_as_the_cpus_need)
{
	static const struct {
		unsigned	cpus, shards;
	} cases[] = {
		{ 1, 1 }, { 2, 2 }, { 3, 4 }, { 4, 4 }, { 5, 8 }, { 8, 8 },
		{ 9, 8 }, { 64, 8 }, { CPU_SETSIZE, 8 }
	};
	cpu_set_t cpus;
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		cpus_first(&cpus, cases[i].cpus);
		ck_assert_uint_eq(fm_shards_for(&cpus), cases[i].shards);
	}
}
END_TEST

START_TEST(cpus_with_gaps_are_kept_apart)
{
	cpu_set_t cpus;

	/* One of each core's two threads: 2 and 6 would meet in 4 shards. */
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	CPU_SET(2, &cpus);
	CPU_SET(4, &cpus);
	CPU_SET(6, &cpus);
	ck_assert_uint_eq(fm_shards_for(&cpus), 8);
	/* These share one shard of 8 anyway. */
	CPU_ZERO(&cpus);
	CPU_SET(8, &cpus);
	CPU_SET(16, &cpus);
	ck_assert_uint_eq(fm_shards_for(&cpus), 1);
	CPU_ZERO(&cpus);
	ck_assert_uint_eq(fm_shards_for(&cpus), 1);
}
END_TEST

START_TEST(any_cpus_get_the_least_that_is_best)
{
	cpu_set_t cpus;
	unsigned i, n, shards;

	for (i = 0; i < 2000; i++) {
		CPU_ZERO(&cpus);
		for (n = unit_below(12); n > 0; n--)
			CPU_SET(unit_below(unit_below(2) ? 16 : CPU_SETSIZE),
			    &cpus);
		shards = fm_shards_for(&cpus);
		ck_assert(shards >= 1 && shards <= FM_SHARDS);
		ck_assert_uint_eq(shards & (shards - 1), 0);
		ck_assert_uint_eq(twin_apart(&cpus, shards),
		    twin_apart(&cpus, FM_SHARDS));
		if (shards > 1)
			ck_assert_uint_lt(twin_apart(&cpus, shards / 2),
			    twin_apart(&cpus, FM_SHARDS));
	}
}
END_TEST

/* A thread that may run on one CPU has that one's shard. */
START_TEST(a_thread_has_the_shard_of_its_cpu)
{
	cpu_set_t all, one;
	unsigned cpu;

	ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
		ck_assert_uint_eq(fm_shard(), cpu % FM_SHARDS);
	}
}
END_TEST

/* What was allocated for as many shards as there were must stay enough. */
START_TEST(the_number_never_changes)
{
	cpu_set_t all, one;
	unsigned cpu, shards = fm_shards();

	ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
	ck_assert_uint_eq(shards, fm_shards_for(&all));
	for (cpu = 0; !CPU_ISSET(cpu, &all); cpu++)
		continue;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
	ck_assert_uint_eq(fm_shards(), shards);
}
END_TEST

/*
 * Taking
 */

/* What a shard keeps apart; only fm_shard_count() knows how. */
static struct kept {
	uint64_t	counted;
	uint64_t	plain;		/* where one has it for oneself */
	unsigned	depth;		/* how often that is taken now, */
	pthread_t	owner;		/* and by whom */
} kept[2 * FM_SHARDS];

#define ROUNDS		60000

static pthread_barrier_t barrier;

/* Returns 1 where somebody else has it. */
static unsigned
take(unsigned *shard)
{
	struct kept *k;

	*shard = fm_shard_take();
	k = &kept[*shard];
	fm_shard_count(*shard, &k->counted, 1);
	if (*shard >= fm_shards())
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

	if (shard < fm_shards()) {
		bad = k->depth != 1 ||
		    !pthread_equal(k->owner, pthread_self());
		k->depth = 0;
	}
	fm_shard_give(shard);
	return (bad);
}

/* Up to three at a time, and now and then it loses its CPU with them. */
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
		/* In the order they were taken in, or in the other. */
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

START_TEST(more_threads_than_shards_count_exactly)
{
	unsigned n = 3 * (fm_shards() + 1), i, seeds[3 * (FM_SHARDS + 1)];
	pthread_t threads[3 * (FM_SHARDS + 1)];
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
	for (i = 0; i < 2 * FM_SHARDS; i++) {
		counted += kept[i].counted;
		plain += kept[i].plain;
		if (i < fm_shards())
			alone += kept[i].counted;
		ck_assert_uint_eq(kept[i].depth, 0);
		ck_assert(i < FM_SHARDS_COUNTED || kept[i].counted == 0);
	}
	ck_assert_uint_eq(counted, want);
	ck_assert_uint_eq(plain, alone);
	/* Both kinds were in use. */
	ck_assert_uint_gt(alone, 0);
	ck_assert_uint_gt(counted, alone);
	ck_assert_int_eq(pthread_barrier_destroy(&barrier), 0);
}
END_TEST

static void
stay_on(unsigned cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
}

/* Whoever takes on gets the double of what it has, any number of times. */
START_TEST(a_thread_that_has_one_waits_for_another)
{
	unsigned shards = fm_shards(), first, i, round;
	cpu_set_t all;
	unsigned cpu;

	ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
	for (cpu = 0; !CPU_ISSET(cpu, &all); cpu++)
		continue;
	stay_on(cpu);
	for (round = 0; round < 3; round++) {
		first = fm_shard_take();
		ck_assert_uint_lt(first, shards);
		for (i = 0; i < 5; i++)
			ck_assert_uint_eq(fm_shard_take(), shards + first);
		for (i = 0; i < 5; i++)
			fm_shard_give(shards + first);
		ck_assert_uint_eq(fm_shard_take(), shards + first);
		fm_shard_give(first);
	}
}
END_TEST

/* Where nobody else is, a thread has the shard of its CPU. */
START_TEST(the_shard_of_its_cpu_is_taken_first)
{
	unsigned shards = fm_shards(), cpu, shard;
	cpu_set_t all, one;

	ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
		shard = fm_shard_take();
		ck_assert_uint_eq(shard, cpu % shards);
		fm_shard_give(shard);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("shard");

	unit_seed("test_shard");
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, as_many_as_the_cpus_need);
	tcase_add_test(tc, cpus_with_gaps_are_kept_apart);
	tcase_add_test(tc, any_cpus_get_the_least_that_is_best);
	tcase_add_test(tc, a_thread_has_the_shard_of_its_cpu);
	tcase_add_test(tc, the_number_never_changes);
	tcase_add_test(tc, the_shard_of_its_cpu_is_taken_first);
	tcase_add_test(tc, a_thread_that_has_one_waits_for_another);
	tcase_add_test(tc, more_threads_than_shards_count_exactly);
	return (unit_run("shard", tc));
}
