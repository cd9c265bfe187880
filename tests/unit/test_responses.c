/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Responses of hosts: counters that come round, threads that count at the same
 * time, memory.  test_hits.c has a naive twin of them.
 */

#include <pthread.h>
#include <unistd.h>

#include "hits_read.h"
#include "shard.h"
#include "unit.h"

static void *mapped;			/* last */

void *__real_mmap(void *, size_t, int, int, int, long);
void *__wrap_mmap(void *, size_t, int, int, int, long);

void *
__wrap_mmap(void *at, size_t len, int prot, int flags, int fd, long offset)
{
	mapped = __real_mmap(at, len, prot, flags, fd, offset);
	return (mapped);
}

static void
respond(const struct fm_hits *hits, uint32_t host, enum fm_hits_response from,
    unsigned status)
{
	unsigned shard = fm_shard_take();

	fm_hits_count(hits, shard, host, from, status);
	fm_shard_give(shard);
}

/*
 * A counter of responses has 32 bits.  The test sets some of two hosts near
 * their end: the first of an array, and so on for each array.
 */
UNIT_TEST(a_counter_that_comes_round_loses_responses)
{
	static const uint64_t ids[] = { 1, 2 };
	static const uint32_t counter_of[] = { 0, 1 };
	const uint32_t near = UINT32_MAX - 100;
	struct fm_hits_responses responses[2];
	struct fm_hits *hits;
	uint64_t want = 0;
	unsigned shard, i;

	fm_shard_begin(4);
	hits = fm_hits_new("/x", ids, counter_of, 0, 2, 2);
	ck_assert_int_eq(fm_hits_want_responses(hits), 0);
	ck_assert(hits_responses(hits, 0, responses));
	for (shard = 0; shard <= fm_shards; shard++) {
		/* an array is two cache lines */
		((uint32_t *)mapped)[shard * 32] = near;
		want += near;
		fm_hits_sum(0);
	}
	for (i = 0; i < 1000; i++) {
		for (shard = 0; shard <= fm_shards; shard++)
			fm_hits_count(hits, shard, 0, FM_HITS_HIT, 200);
		want += fm_shards + 1;
		if (i % 7 == 0)
			fm_hits_sum(0);
	}
	ck_assert(hits_responses(hits, 0, responses));
	ck_assert_uint_eq(responses[0].n[FM_HITS_HIT], want);
	ck_assert_uint_eq(responses[0].n[FM_HITS_MISS], 0);
	ck_assert_uint_eq(responses[1].n[FM_HITS_HIT], 0);
	fm_hits_free(&hits);
}

/*--------------------------------------------------------------------
 * Threads
 */

#define RESPONDERS	4
#define RESPONSES	100000
#define PAIR		2	/* hosts, whose numbers are swapped */

/* A thread that counts in the set that serves, as a plain sum, too. */
struct responder {
	unsigned		random;
	struct fm_hits_responses sums[PAIR];
};

static struct fm_hits *sets[2];		/* host i of one is 1 - i of the
					 * other */

static void *
responder_work(void *priv)
{
	struct responder *responder = priv;
	enum fm_hits_response from;
	unsigned i, set, host, status;

	for (i = 0; i < RESPONSES; i++) {
		responder->random = responder->random * 1103515245 + 12345;
		set = responder->random >> 16 & 1;
		host = responder->random >> 17 & 1;
		from = responder->random >> 18 & 3;
		status = 200 + (responder->random >> 20 & 3) * 100;
		respond(sets[set], host ^ set, from, status);
		responder->sums[host].n[from]++;
		if (status >= 400)
			responder->sums[host].n[status == 400 ? FM_HITS_4XX :
			    FM_HITS_5XX]++;
	}
	return (NULL);
}

static void
responses_only_grow(struct fm_hits_responses last[PAIR])
{
	struct fm_hits_responses now[PAIR];
	unsigned host, k;

	ck_assert(hits_responses(sets[0], 0, now));
	for (host = 0; host < PAIR; host++)
		for (k = 0; k < FM_HITS_RESPONSES; k++)
			ck_assert_uint_ge(now[host].n[k], last[host].n[k]);
	memcpy(last, now, sizeof now);
}

UNIT_TEST(threads_lose_responses_of_each_other)
{
	static const uint64_t ids[] = { 1, 2, 1 };
	static const uint32_t counter_of[] = { 0, 1 };
	struct responder responders[RESPONDERS];
	struct fm_hits_responses last[PAIR];
	pthread_t threads[RESPONDERS];
	struct fm_hits *third;
	unsigned i, host, k;
	uint64_t want;

	memset(last, 0, sizeof last);
	memset(responders, 0, sizeof responders);
	fm_shard_begin(2);
	for (i = 0; i < 2; i++)
		sets[i] = fm_hits_new("/x", ids + i, counter_of, 0, PAIR, PAIR);
	ck_assert_int_eq(fm_hits_want_responses(sets[1]), 0);
	for (i = 0; i < RESPONDERS; i++) {
		responders[i].random = i;
		ck_assert_int_eq(pthread_create(&threads[i], NULL,
		    responder_work, &responders[i]), 0);
	}
	for (i = 0; i < 1000; i++) {
		third = fm_hits_new("/x", ids, counter_of, 0, PAIR, PAIR);
		respond(third, 0, FM_HITS_OWN, 200);
		if (i % 2 == 0)
			fm_hits_sum(0);
		responses_only_grow(last);
		fm_hits_free(&third);
	}
	for (i = 0; i < RESPONDERS; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
	responses_only_grow(last);
	for (host = 0; host < PAIR; host++)
		for (k = 0; k < FM_HITS_RESPONSES; k++) {
			want = host == 0 && k == FM_HITS_OWN ? 1000 : 0;
			for (i = 0; i < RESPONDERS; i++)
				want += responders[i].sums[host].n[k];
			ck_assert_uint_eq(last[host].n[k], want);
		}
	fm_hits_free(&sets[0]);
	fm_hits_free(&sets[1]);
}

#define SHARED		1000000		/* responses of a thread */

/* Threads that count in one array at the same time. */
struct sharer {
	const struct fm_hits	*hits;
	unsigned		shard;
	pthread_barrier_t	*barrier;
};

static void *
sharer_work(void *priv)
{
	const struct sharer *sharer = priv;
	unsigned i;

	(void)pthread_barrier_wait(sharer->barrier);
	for (i = 0; i < SHARED; i++)
		fm_hits_count(sharer->hits, sharer->shard, 0, FM_HITS_MISS,
		    503);
	return (NULL);
}

/* Thread i counts in the shard first + i * step. */
static void
share(const struct fm_hits *hits, unsigned first, unsigned step,
    struct fm_hits_responses *responses)
{
	struct sharer sharers[RESPONDERS];
	pthread_t threads[RESPONDERS];
	pthread_barrier_t barrier;
	unsigned i;

	ck_assert_int_eq(fm_hits_want_responses(hits), 0);
	ck_assert_int_eq(pthread_barrier_init(&barrier, NULL, RESPONDERS), 0);
	for (i = 0; i < RESPONDERS; i++) {
		sharers[i] = (struct sharer){ hits, first + i * step,
		    &barrier };
		ck_assert_int_eq(pthread_create(&threads[i], NULL,
		    sharer_work, &sharers[i]), 0);
	}
	for (i = 0; i < RESPONDERS; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
	(void)pthread_barrier_destroy(&barrier);
	ck_assert(hits_responses(hits, 0, responses));
	ck_assert_uint_eq(responses[0].n[FM_HITS_MISS], RESPONDERS * SHARED);
	ck_assert_uint_eq(responses[0].n[FM_HITS_5XX], RESPONDERS * SHARED);
}

UNIT_TEST(threads_that_share_an_array_lose_responses)
{
	enum { N = 400000, CPUS = 128, ARRAYS = 4 };
	uint64_t *ids = calloc(N, sizeof *ids);
	uint32_t *counter_of = calloc(N, sizeof *counter_of), i;
	struct fm_hits_responses *responses = calloc(N, sizeof *responses);
	struct fm_hits *hits;

	fm_shard_begin(CPUS);
	for (i = 0; i < N; i++)
		ids[i] = i;
	/* the shared one, of those that find their shard taken */
	hits = fm_hits_new("/x", ids, counter_of, 0, 1, 1);
	share(hits, fm_shards, 0, responses);
	fm_hits_free(&hits);
	/* a large set has few arrays */
	hits = fm_hits_new("/x", ids, counter_of, 0, N, 1);
	share(hits, 1, ARRAYS, responses);
	fm_hits_free(&hits);
	free(ids);
	free(counter_of);
	free(responses);
}

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

/* CPU time of this process, in seconds. */
static double
cpu_time(void)
{
	struct timespec now;

	ck_assert_int_eq(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now), 0);
	return ((double)now.tv_sec + (double)now.tv_nsec / 1e9);
}

/* Two CPUs, and each host is asked for by all threads. */
UNIT_TEST(responses_of_many_hosts_take_much_memory)
{
	enum { N = 100000, CPUS = 2 };
	uint64_t *ids = calloc(N, sizeof *ids);
	uint32_t *counter_of = calloc(N, sizeof *counter_of), i;
	struct fm_hits_responses *responses = calloc(N, sizeof *responses);
	struct fm_hits *hits;
	size_t before, took;
	uint64_t *counters;
	unsigned shard, k;
	double time;
	bool own;

	fm_shard_begin(CPUS);
	for (i = 0; i < N; i++) {
		ids[i] = i;
		counter_of[i] = i;
	}
	memset(responses, 1, N * sizeof *responses);	/* touches it */
	before = resident();
	hits = fm_hits_new("/x", ids, counter_of, 0, N, N);
	took = fm_hits_bytes(hits);
	ck_assert_uint_eq(took, fm_hits_room(0, N, N, false));
	ck_assert_int_eq(fm_hits_want_responses(hits), 0);
	ck_assert_uint_eq(fm_hits_bytes(hits), fm_hits_room(0, N, N, true));
	ck_assert_uint_gt(fm_hits_bytes(hits), took);
	for (shard = 0; shard <= CPUS; shard++) {
		counters = fm_hits_shard(hits, shard, &own);
		for (i = 0; i < N; i++) {
			fm_shard_add(own, counters + i, 1);
			for (k = 0; k < FM_HITS_4XX; k++)
				fm_hits_count(hits, shard, i, k, 404);
		}
	}
	time = cpu_time();
	fm_hits_sum(0);
	time = cpu_time() - time;
	took = resident() - before;
	printf("%d hosts of %d CPUs take %.1f MB (%.1f by fm_hits_bytes());"
	    " a sum takes %.1f ms\n", N, CPUS, (double)took / 1e6,
	    (double)fm_hits_bytes(hits) / 1e6, time * 1e3);
#ifndef __SANITIZE_THREAD__		/* it takes memory of its own */
	ck_assert_uint_lt(took, 80000000);
	ck_assert_uint_gt(took, fm_hits_bytes(hits) / 2);
	ck_assert_uint_lt(took, fm_hits_bytes(hits) * 2);
#endif
	ck_assert(hits_responses(hits, 0, responses));
	for (i = 0; i < N; i++)
		ck_assert_uint_eq(responses[i].n[FM_HITS_4XX],
		    (CPUS + 1) * FM_HITS_4XX);
	fm_hits_free(&hits);
	free(ids);
	free(counter_of);
	free(responses);
}

/* As do the counters of a large set on many CPUs. */
UNIT_TEST(responses_of_a_large_set_get_lost_on_many_cpus)
{
	enum { N = 400000, CPUS = 128 };
	uint64_t *ids = calloc(N, sizeof *ids);
	uint32_t *counter_of = calloc(N, sizeof *counter_of), i;
	struct fm_hits_responses *responses = calloc(N, sizeof *responses);
	struct fm_hits *hits;
	unsigned shard;

	fm_shard_begin(CPUS);
	for (i = 0; i < N; i++)
		ids[i] = i;
	hits = fm_hits_new("/x", ids, counter_of, 0, N, 1);
	ck_assert_int_eq(fm_hits_want_responses(hits), 0);
	ck_assert_uint_lt(fm_hits_bytes(hits), 150000000);
	for (i = 0; i < N; i++)
		for (shard = i % 4; shard <= CPUS; shard += 4)
			fm_hits_count(hits, shard, i, FM_HITS_MISS, 200);
	ck_assert(hits_responses(hits, 0, responses));
	for (i = 0; i < N; i++)
		ck_assert_uint_eq(responses[i].n[FM_HITS_MISS],
		    (CPUS - i % 4) / 4 + 1);
	fm_hits_free(&hits);
	free(ids);
	free(counter_of);
	free(responses);
}

int
main(void)
{
	return (unit_main("responses", 60));
}
