/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Hits: sets that come and go in any order, against a table of who counted
 * what; threads that count at the same time; memory.
 */

#include <pthread.h>
#include <unistd.h>

#include "unit.h"

#include "hits.h"
#include "shard.h"

/* How many allocations succeed from here on; negative: all. */
static int allocations = -1;

static bool
allocation_fails(void)
{
	if (allocations < 0)
		return (false);
	return (allocations-- <= 0 ? (allocations = 0, true) : false);
}

void *__real_calloc(size_t, size_t);
void *__wrap_calloc(size_t, size_t);
char *__real_strdup(const char *);
char *__wrap_strdup(const char *);
void *__real_mmap(void *, size_t, int, int, int, long);
void *__wrap_mmap(void *, size_t, int, int, int, long);

void *
__wrap_calloc(size_t n, size_t size)
{
	return (allocation_fails() ? NULL : __real_calloc(n, size));
}

char *
__wrap_strdup(const char *s)
{
	return (allocation_fails() ? NULL : __real_strdup(s));
}

void *
__wrap_mmap(void *at, size_t len, int prot, int flags, int fd, long offset)
{
	return (allocation_fails() ? (void *)-1 :
	    __real_mmap(at, len, prot, flags, fd, offset));
}

static void
count(const struct fm_hits *hits, uint32_t counter)
{
	unsigned shard = fm_shard_take();

	fm_shard_count(shard, fm_hits_shard(hits, shard) + counter, 1);
	fm_shard_give(shard);
}

/*--------------------------------------------------------------------
 * The naive twin
 */

#define PATHS		3
#define SETS		8
#define THINGS		40

/* A set has some of the things, each with a counter, in an order of its own. */
struct twin_set {
	struct fm_hits	*hits;		/* NULL: there is none here */
	unsigned	path;
	unsigned	n;
	unsigned	things[THINGS];
	uint32_t	counter_of[THINGS];
	uint32_t	ncounters;
};

struct twin {
	struct twin_set	sets[SETS];
	uint64_t	totals[PATHS][THINGS];
};

static const char * const paths[PATHS] = { "/a.rules", "/b.rules", "" };

/* 0 is one, too, and neighbours are no harm. */
static uint64_t
id_of(unsigned thing)
{
	return (thing % 2 == 0 ? thing : thing * 0x123456789abcdef1ULL);
}

static void
twin_new(struct twin_set *set)
{
	uint64_t ids[THINGS];
	unsigned i, j;

	set->path = unit_below(PATHS);
	set->ncounters = 1 + unit_below(THINGS);
	set->n = 0;
	for (i = 0; i < THINGS; i++) {
		if (unit_below(3) == 0)
			continue;
		/* Somewhere among those that are there. */
		j = unit_below(set->n + 1);
		set->things[set->n] = set->things[j];
		set->counter_of[set->n++] = set->counter_of[j];
		set->things[j] = i;
		set->counter_of[j] = unit_below(set->ncounters);
	}
	for (i = 0; i < set->n; i++)
		ids[i] = id_of(set->things[i]);
	set->hits = fm_hits_new(paths[set->path], ids, set->counter_of,
	    set->n, set->ncounters);
	ck_assert_ptr_nonnull(set->hits);
}

static void
twin_count(struct twin *twin, const struct twin_set *set)
{
	uint32_t counter = unit_below(set->ncounters);
	unsigned i;

	count(set->hits, counter);
	for (i = 0; i < set->n; i++)
		if (set->counter_of[i] == counter)
			twin->totals[set->path][set->things[i]]++;
}

static bool
twin_has(const struct twin *twin, unsigned path, unsigned thing)
{
	const struct twin_set *set;
	unsigned i;

	for (set = twin->sets; set < twin->sets + SETS; set++)
		for (i = 0; set->hits != NULL && set->path == path &&
		    i < set->n; i++)
			if (set->things[i] == thing)
				return (true);
	return (false);
}

/* What no set of the path has any more is forgotten. */
static void
twin_free(struct twin *twin, struct twin_set *set)
{
	unsigned thing;

	fm_hits_free(&set->hits);
	ck_assert_ptr_null(set->hits);
	for (thing = 0; thing < THINGS; thing++)
		if (!twin_has(twin, set->path, thing))
			twin->totals[set->path][thing] = 0;
}

static unsigned
twins_agree(const struct twin *twin, const struct twin_set *set)
{
	uint64_t totals[THINGS], want;
	unsigned i, seen = 0;

	memset(totals, 0x55, sizeof totals);
	ck_assert_int_eq(fm_hits_totals(set->hits, totals), 0);
	for (i = 0; i < set->n; i++) {
		want = twin->totals[set->path][set->things[i]];
		if (totals[i] != want)
			ck_abort_msg("thing %u: %llu, not %llu",
			    set->things[i], (unsigned long long)totals[i],
			    (unsigned long long)want);
		seen += want > 0;
	}
	return (seen);
}

START_TEST(counts_are_lost_where_sets_come_and_go)
{
	static struct twin twin;
	struct twin_set *set;
	unsigned step, seen = 0;

	unit_seed("hits");
	for (step = 0; step < 200000; step++) {
		set = &twin.sets[unit_below(SETS)];
		if (set->hits == NULL)
			twin_new(set);
		else if (unit_below(20) == 0)
			twin_free(&twin, set);
		else if (unit_below(4) == 0)
			seen += twins_agree(&twin, set);
		else
			twin_count(&twin, set);
	}
	ck_assert_uint_gt(seen, 100000);
	for (set = twin.sets; set < twin.sets + SETS; set++)
		if (set->hits != NULL)
			twin_free(&twin, set);
}
END_TEST

START_TEST(a_reload_starts_from_zero)
{
	static const uint64_t old_ids[] = { 7, 8, 9 }, new_ids[] = { 9, 10, 7 };
	static const uint32_t old_of[] = { 0, 0, 1 }, new_of[] = { 1, 1, 0 };
	struct fm_hits *old, *new;
	uint64_t totals[3];

	old = fm_hits_new("/x", old_ids, old_of, 3, 2);
	count(old, 0);
	count(old, 0);
	count(old, 1);
	/* The new one is there before the old one goes. */
	new = fm_hits_new("/x", new_ids, new_of, 3, 2);
	count(new, 1);
	count(old, 1);
	fm_hits_free(&old);
	ck_assert_int_eq(fm_hits_totals(new, totals), 0);
	ck_assert_uint_eq(totals[0], 3);
	ck_assert_uint_eq(totals[1], 1);
	ck_assert_uint_eq(totals[2], 2);
	/* What was forgotten meanwhile is not what a rule comes back to. */
	old = fm_hits_new("/x", old_ids, old_of, 3, 2);
	fm_hits_free(&new);
	ck_assert_int_eq(fm_hits_totals(old, totals), 0);
	ck_assert_uint_eq(totals[0], 2);
	ck_assert_uint_eq(totals[1], 0);
	ck_assert_uint_eq(totals[2], 3);
	/* Another path, and the same one after all of it is gone. */
	new = fm_hits_new("/y", old_ids, old_of, 3, 2);
	ck_assert_int_eq(fm_hits_totals(new, totals), 0);
	ck_assert_uint_eq(totals[0] + totals[2], 0);
	fm_hits_free(&new);
	fm_hits_free(&old);
	old = fm_hits_new("/x", old_ids, old_of, 3, 2);
	ck_assert_int_eq(fm_hits_totals(old, totals), 0);
	ck_assert_uint_eq(totals[0] + totals[2], 0);
	fm_hits_free(&old);
}
END_TEST

/*--------------------------------------------------------------------
 * Threads
 */

#define WORKERS		6
#define ROUNDS		200000

static void *
work(void *priv)
{
	const struct fm_hits *hits = priv;
	unsigned i;

	for (i = 0; i < ROUNDS; i++)
		count(hits, i % 5);
	return (NULL);
}

START_TEST(threads_overwrite_what_others_count)
{
	static const uint64_t ids[] = { 1, 2, 3, 4, 5 };
	static const uint32_t counter_of[] = { 0, 1, 2, 3, 4 };
	uint64_t totals[5], last = 0;
	pthread_t workers[WORKERS];
	struct fm_hits *hits, *other;
	unsigned i;

	hits = fm_hits_new("/x", ids, counter_of, 5, 5);
	for (i = 0; i < WORKERS; i++)
		ck_assert_int_eq(pthread_create(&workers[i], NULL, work,
		    hits), 0);
	for (i = 0; i < 1000; i++) {
		other = fm_hits_new("/x", ids, counter_of, 5, 5);
		count(other, 0);
		ck_assert_int_eq(fm_hits_totals(hits, totals), 0);
		ck_assert_uint_gt(totals[0], last);
		last = totals[0];
		fm_hits_free(&other);
	}
	for (i = 0; i < WORKERS; i++)
		ck_assert_int_eq(pthread_join(workers[i], NULL), 0);
	ck_assert_int_eq(fm_hits_totals(hits, totals), 0);
	ck_assert_uint_eq(totals[0], 1000 + WORKERS * ROUNDS / 5);
	for (i = 1; i < 5; i++)
		ck_assert_uint_eq(totals[i], WORKERS * ROUNDS / 5);
	fm_hits_free(&hits);
}
END_TEST

/*--------------------------------------------------------------------
 * Memory
 */

static size_t
resident(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	unsigned long size, pages;

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fscanf(f, "%lu %lu", &size, &pages), 2);
	fclose(f);
	return (pages * (size_t)sysconf(_SC_PAGESIZE));
}

START_TEST(counters_that_nobody_uses_take_memory)
{
	const uint32_t n = 4 << 20, last = n - 1;
	static const uint64_t id = 1;
	struct fm_hits *hits;
	size_t before = resident();
	unsigned shard;
	uint64_t total;

	hits = fm_hits_new("/x", &id, &last, 1, n);
	ck_assert_ptr_nonnull(hits);
	for (shard = 0; shard <= fm_shards(); shard++)
		ck_assert_uint_eq((uintptr_t)fm_hits_shard(hits, shard) % 64,
		    0);
	count(hits, last);
	ck_assert_int_eq(fm_hits_totals(hits, &total), 0);
	ck_assert_uint_eq(total, 1);
	ck_assert_uint_gt(fm_hits_bytes(hits), n * sizeof(uint64_t));
	ck_assert_uint_lt(resident() - before, 1 << 20);
	fm_hits_free(&hits);
}
END_TEST

START_TEST(a_set_of_nothing_breaks_it)
{
	struct fm_hits *hits = fm_hits_new("/x", NULL, NULL, 0, 0);
	unsigned shard;

	ck_assert_ptr_nonnull(hits);
	for (shard = 0; shard <= fm_shards(); shard++)
		ck_assert_ptr_nonnull(fm_hits_shard(hits, shard));
	ck_assert_int_eq(fm_hits_totals(hits, NULL), 0);
	fm_hits_free(&hits);
}
END_TEST

START_TEST(no_memory_breaks_or_leaks)
{
	static const uint64_t ids[] = { 1, 2 };
	static const uint32_t counter_of[] = { 0, 1 };
	struct fm_hits *hits = NULL, *other;
	uint64_t totals[2];
	int n, failed = 0;

	for (n = 0; hits == NULL; n++) {
		allocations = n;
		hits = fm_hits_new("/x", ids, counter_of, 2, 2);
		allocations = -1;
		failed += hits == NULL;
	}
	ck_assert_int_ge(failed, 5);
	count(hits, 1);
	allocations = 0;
	ck_assert_int_eq(fm_hits_totals(hits, totals), -1);
	allocations = -1;
	/* What goes without memory is forgotten; the others go on. */
	for (n = 0; n < 3; n++) {
		other = fm_hits_new("/x", ids, counter_of, 2, 2);
		count(other, 1);
		allocations = n;
		fm_hits_free(&other);
		allocations = -1;
		ck_assert_int_eq(fm_hits_totals(hits, totals), 0);
		ck_assert_uint_eq(totals[0], 0);
		ck_assert_uint_eq(totals[1], n < 2 ? 1 : 2);
	}
	fm_hits_free(&hits);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("hits");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, counts_are_lost_where_sets_come_and_go);
	tcase_add_test(tc, a_reload_starts_from_zero);
	tcase_add_test(tc, threads_overwrite_what_others_count);
	tcase_add_test(tc, counters_that_nobody_uses_take_memory);
	tcase_add_test(tc, a_set_of_nothing_breaks_it);
	tcase_add_test(tc, no_memory_breaks_or_leaks);
	return (unit_run("hits", tc));
}
