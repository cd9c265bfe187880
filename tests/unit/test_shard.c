/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * How many shards there are, and which one a thread takes.
 */

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

int
main(void)
{
	TCase *tc = tcase_create("shard");

	unit_seed("test_shard");
	tcase_add_test(tc, as_many_as_the_cpus_need);
	tcase_add_test(tc, cpus_with_gaps_are_kept_apart);
	tcase_add_test(tc, any_cpus_get_the_least_that_is_best);
	tcase_add_test(tc, a_thread_has_the_shard_of_its_cpu);
	tcase_add_test(tc, the_number_never_changes);
	return (unit_run("shard", tc));
}
