/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Hits and responses: sets that come and go in any order, against a table of
 * who counted what; threads that count at the same time; memory.
 */

#include <pthread.h>
#include <unistd.h>

#define ALLOC_MALLOC
#include "alloc.h"
#include "hits_read.h"
#include "shard.h"
#include "unit.h"

void *__real_mmap(void *, size_t, int, int, int, long);
void *__wrap_mmap(void *, size_t, int, int, int, long);

void *
__wrap_mmap(void *at, size_t len, int prot, int flags, int fd, long offset)
{
	return (alloc_fails() ? (void *)-1 :
	    __real_mmap(at, len, prot, flags, fd, offset));
}

static void
count(const struct fm_hits *hits, uint32_t counter)
{
	unsigned shard = fm_shard_take();
	uint64_t *counters;
	bool own;

	counters = fm_hits_shard(hits, shard, &own);
	fm_shard_add(own, counters + counter, 1);
	fm_shard_give(shard);
}

static void
count_n(const struct fm_hits *hits, uint32_t counter, unsigned n)
{
	while (n-- > 0)
		count(hits, counter);
}

/* Counts a response, in any of the arrays. */
static void
respond(const struct fm_hits *hits, uint32_t host, enum fm_hits_response from,
    unsigned status)
{
	unsigned shard = fm_shard_take();

	fm_hits_count(hits, shard, host, from, status);
	fm_shard_give(shard);
}

/* Compares what is shown of hosts. */
static void
top_is(const struct fm_hits *hits, uint32_t limit, unsigned n,
    const uint64_t *want, uint64_t other)
{
	uint64_t counts[4], others[FM_HITS_KINDS];
	unsigned i;

	ck_assert(!fm_hits_top(hits, limit, counts, others, NULL));
	for (i = 0; i < n; i++)
		ck_assert_uint_eq(counts[i], want[i]);
	ck_assert_uint_eq(others[FM_HITS_HOST], other);
	ck_assert_uint_eq(others[FM_HITS_RULE], 0);
}

/*--------------------------------------------------------------------
 * The naive twin
 */

#define PATHS		3
#define SETS		8
#define THINGS		40
#define RULES		25		/* the first of them; then hosts */

/* A set has some of the things, each with a counter, in an order of its own. */
struct twin_set {
	struct fm_hits	*hits;		/* NULL: there is none here */
	unsigned	path;
	unsigned	n;
	unsigned	nrules;		/* the first of them */
	unsigned	things[THINGS];
	uint32_t	counter_of[THINGS];
	uint32_t	ncounters;
};

struct twin {
	struct twin_set	sets[SETS];
	uint64_t	totals[PATHS][THINGS];
	bool		wanted[PATHS];		/* responses */
	struct fm_hits_responses responses[PATHS][THINGS];
};

static const char * const paths[PATHS] = { "/a.rules", "/b.rules", "" };

/* Returns the id of a thing: 0 is one, too, and neighbours do no harm. */
static uint64_t
id_of(unsigned thing)
{
	return (thing % 2 == 0 ? thing : thing * 0x123456789abcdef1ULL);
}

static void
twin_new(struct twin_set *set)
{
	uint64_t ids[THINGS];
	unsigned i, j, first;

	set->path = unit_below(PATHS);
	set->ncounters = 1 + unit_below(THINGS);
	set->n = set->nrules = 0;
	for (i = 0; i < THINGS; i++) {
		if (unit_below(3) == 0)
			continue;
		/* Somewhere among those of its kind. */
		first = i < RULES ? 0 : set->nrules;
		j = first + unit_below(set->n - first + 1);
		set->things[set->n] = set->things[j];
		set->counter_of[set->n++] = set->counter_of[j];
		set->things[j] = i;
		set->counter_of[j] = unit_below(set->ncounters);
		if (i < RULES)
			set->nrules = set->n;
	}
	for (i = 0; i < set->n; i++)
		ids[i] = id_of(set->things[i]);
	set->hits = fm_hits_new(paths[set->path], ids, set->counter_of,
	    set->nrules, set->n - set->nrules, set->ncounters);
	ck_assert_ptr_nonnull(set->hits);
}

static void
twin_count_in(struct twin *twin, const struct twin_set *set, uint32_t counter)
{
	unsigned i;

	count(set->hits, counter);
	for (i = 0; i < set->n; i++)
		if (set->counter_of[i] == counter)
			twin->totals[set->path][set->things[i]]++;
}

static void
twin_count(struct twin *twin, const struct twin_set *set)
{
	twin_count_in(twin, set, unit_below(set->ncounters));
}

/* Asks for the responses of a path, or counts one if the set has hosts. */
static void
twin_respond(struct twin *twin, const struct twin_set *set)
{
	static const unsigned statuses[] = { 200, 304, 399, 400, 404, 499, 500,
	    503, 599, 600, 999, 1200, 1404, 1503, 65503 };
	struct fm_hits_responses *responses;
	unsigned host, status = statuses[unit_below(15)];
	enum fm_hits_response from = unit_below(FM_HITS_OWN + 1);

	if (unit_below(50) == 0) {
		ck_assert_int_eq(fm_hits_want_responses(set->hits), 0);
		twin->wanted[set->path] = true;
	}
	if (set->n == set->nrules)
		return;
	host = unit_below(set->n - set->nrules);
	respond(set->hits, host, from, status);
	if (!twin->wanted[set->path])
		return;
	responses = &twin->responses[set->path][set->things[set->nrules +
	    host]];
	responses->n[from]++;
	responses->n[FM_HITS_4XX] += status % 1000 / 100 == 4;
	responses->n[FM_HITS_5XX] += status % 1000 / 100 == 5;
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

/* Frees a set; what no other set of its path has is forgotten. */
static void
twin_free(struct twin *twin, struct twin_set *set)
{
	unsigned thing, any = 0;

	fm_hits_free(&set->hits);
	ck_assert_ptr_null(set->hits);
	for (thing = 0; thing < THINGS; thing++) {
		if (twin_has(twin, set->path, thing)) {
			any++;
			continue;
		}
		twin->totals[set->path][thing] = 0;
		memset(&twin->responses[set->path][thing], 0,
		    sizeof twin->responses[set->path][thing]);
	}
	if (any == 0)
		twin->wanted[set->path] = false;
}

static unsigned
responses_agree(const struct twin *twin, const struct twin_set *set)
{
	struct fm_hits_responses responses[THINGS];
	const struct fm_hits_responses *want;
	unsigned host, k, seen = 0;
	bool known = hits_responses(set->hits, 0, responses);

	ck_assert_int_eq(known, twin->wanted[set->path]);
	for (host = 0; known && host < set->n - set->nrules; host++) {
		want = &twin->responses[set->path][set->things[set->nrules +
		    host]];
		for (k = 0; k < FM_HITS_RESPONSES; k++) {
			ck_assert_uint_eq(responses[host].n[k], want->n[k]);
			seen += want->n[k] > 0;
		}
	}
	return (seen);
}

static unsigned
twins_agree(const struct twin *twin, const struct twin_set *set)
{
	uint64_t totals[THINGS], want;
	unsigned i, seen = 0;

	memset(totals, 0x55, sizeof totals);
	hits_totals(set->hits, 0, totals);
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

UNIT_TEST(counts_are_lost_where_sets_come_and_go)
{
	static struct twin twin;
	struct twin_set *set;
	unsigned step, seen = 0, responses = 0;
	unsigned steps = unit_rounds(300000, 12);

	unit_seed("hits");
	for (step = 0; step < steps; step++) {
		set = &twin.sets[unit_below(SETS)];
		if (unit_below(100) == 0)
			fm_hits_sum(0);
		if (set->hits == NULL)
			twin_new(set);
		else if (unit_below(20) == 0)
			twin_free(&twin, set);
		else if (unit_below(4) == 0) {
			seen += twins_agree(&twin, set);
			responses += responses_agree(&twin, set);
		} else if (unit_below(2) == 0)
			twin_respond(&twin, set);
		else
			twin_count(&twin, set);
	}
	ck_assert_uint_gt(seen, steps / 3);
	ck_assert_uint_gt(responses, steps / 3);
	for (set = twin.sets; set < twin.sets + SETS; set++)
		if (set->hits != NULL)
			twin_free(&twin, set);
}

/*--------------------------------------------------------------------
 * The busiest
 */

#define LIMITS		5

static const uint32_t limits[LIMITS] = { 5, 12, 0, 1, 100 };

/*
 * The counts that were shown of a path: of the first two with one limit, of the
 * third with all limits.
 */
struct shown {
	bool			asked;
	uint64_t		all[FM_HITS_KINDS];	/* hits, ever */
	uint64_t		counts[LIMITS][THINGS];
	uint64_t		gone[LIMITS];		/* shown, of things that
							 * are gone */
	uint64_t		others[LIMITS][FM_HITS_KINDS];

	/* The same of responses; the host after the last is the others. */
	struct fm_hits_responses responses_all;
	struct fm_hits_responses responses[LIMITS][THINGS + 1];
	struct fm_hits_responses responses_gone[LIMITS];
};

static unsigned begun;			/* series */
static unsigned responses_begun;

static void
shown_count(struct shown *shown, const struct twin_set *set,
    uint32_t counter)
{
	unsigned i;

	for (i = 0; i < set->n; i++)
		if (set->counter_of[i] == counter)
			shown->all[i < set->nrules ? FM_HITS_RULE :
			    FM_HITS_HOST]++;
}

/* A set has gone: series end. */
static void
shown_change(const struct twin *twin, struct shown *shown, unsigned path)
{
	struct fm_hits_responses *responses;
	unsigned thing, which, k, any = 0;

	for (thing = 0; thing < THINGS; thing++) {
		if (twin_has(twin, path, thing)) {
			any++;
			continue;
		}
		for (which = 0; which < LIMITS; which++) {
			shown->gone[which] += shown->counts[which][thing];
			shown->counts[which][thing] = 0;
			responses = &shown->responses[which][thing];
			for (k = 0; k < FM_HITS_RESPONSES; k++) {
				shown->responses_gone[which].n[k] +=
				    responses->n[k];
				responses->n[k] = 0;
			}
		}
	}
	if (any == 0)
		memset(shown, 0, sizeof *shown);
}

/* The first answer has the busiest, with all that they had. */
static void
first_is_right(const struct twin *twin, const struct twin_set *set,
    uint32_t limit, const uint64_t *counts)
{
	uint64_t least[2] = { UINT64_MAX, UINT64_MAX }, most[2] = { 0, 0 }, had;
	unsigned seats[2] = { 0, 0 }, i, kind;

	for (i = 0; i < set->n; i++) {
		kind = i >= set->nrules;
		had = twin->totals[set->path][set->things[i]];
		if (counts[i] != FM_HITS_OTHER) {
			ck_assert_uint_eq(counts[i], had);
			least[kind] = had < least[kind] ? had : least[kind];
			seats[kind]++;
		} else
			most[kind] = had > most[kind] ? had : most[kind];
	}
	for (kind = 0; kind < 2; kind++) {
		ck_assert_uint_ge(least[kind], most[kind]);
		if (most[kind] > 0)
			ck_assert_uint_eq(seats[kind], limit);
	}
}

/*
 * Nothing is less than it was; nothing is shown twice; no more is shown than
 * may be.
 */
static void
shown_check(struct shown *shown, const struct twin_set *set, unsigned which,
    const uint64_t *counts, const uint64_t *others)
{
	uint64_t sum = others[0] + others[1];
	unsigned seats[2] = { 0, 0 }, i, thing;

	for (i = 0; i < set->n; i++) {
		thing = set->things[i];
		if (counts[i] == FM_HITS_OTHER) {
			ck_assert_uint_eq(shown->counts[which][thing], 0);
			continue;
		}
		seats[i >= set->nrules]++;
		ck_assert_msg(counts[i] >= shown->counts[which][thing],
		    "thing %u goes back from %llu to %llu", thing,
		    (unsigned long long)shown->counts[which][thing],
		    (unsigned long long)counts[i]);
		begun += shown->counts[which][thing] == 0 && counts[i] > 0;
		shown->counts[which][thing] = counts[i];
	}
	for (i = 0; i < 2; i++) {
		ck_assert_uint_le(seats[i], limits[which]);
		ck_assert_uint_ge(others[i], shown->others[which][i]);
		shown->others[which][i] = others[i];
	}
	sum += shown->gone[which];
	for (i = 0; i < THINGS; i++)
		sum += shown->counts[which][i];
	ck_assert_uint_le(sum, shown->all[0] + shown->all[1]);
	if (limits[which] == 0)
		ck_assert_uint_eq(sum, shown->all[0] + shown->all[1]);
}

/* The same holds for each kind of response. */
static void
shown_responses(struct shown *shown, const struct twin_set *set,
    unsigned which, const uint64_t *counts,
    const struct fm_hits_responses *responses)
{
	const size_t nhosts = set->n - set->nrules;
	uint64_t sum, *last;
	unsigned host, thing, k;

	for (k = 0; k < FM_HITS_RESPONSES; k++) {
		for (host = 0; host <= nhosts; host++) {
			if (host < nhosts && counts[set->nrules + host] ==
			    FM_HITS_OTHER)
				continue;
			thing = host == nhosts ? THINGS :
			    set->things[set->nrules + host];
			last = &shown->responses[which][thing].n[k];
			ck_assert_uint_ge(responses[host].n[k], *last);
			responses_begun += *last == 0 &&
			    responses[host].n[k] > 0;
			*last = responses[host].n[k];
		}
		sum = shown->responses_gone[which].n[k];
		for (thing = 0; thing <= THINGS; thing++)
			sum += shown->responses[which][thing].n[k];
		ck_assert_uint_le(sum, shown->responses_all.n[k]);
		if (limits[which] == 0)
			ck_assert_uint_eq(sum, shown->responses_all.n[k]);
	}
}

/* Counts a response of a host, or none if the set has no host. */
static void
shown_respond(struct shown *shown, const struct twin_set *set)
{
	enum fm_hits_response from = unit_below(FM_HITS_OWN + 1);
	unsigned status = 300 + unit_below(300);

	if (set->n == set->nrules)
		return;
	respond(set->hits, unit_below(set->n - set->nrules), from, status);
	shown->responses_all.n[from]++;
	if (status >= 400)
		shown->responses_all.n[status < 500 ? FM_HITS_4XX :
		    FM_HITS_5XX]++;
}

static void
shown_ask(const struct twin *twin, struct shown *shown,
    const struct twin_set *set)
{
	uint64_t counts[THINGS], others[FM_HITS_KINDS];
	struct fm_hits_responses responses[THINGS + 1];
	unsigned which = set->path < 2 ? set->path : unit_below(LIMITS);

	memset(counts, 0x55, sizeof counts);
	ck_assert(fm_hits_top(set->hits, limits[which], counts, others,
	    responses));
	if (!shown->asked)
		first_is_right(twin, set, limits[which], counts);
	shown->asked = true;
	shown_check(shown, set, which, counts, others);
	shown_responses(shown, set, which, counts, responses);
}

UNIT_TEST(a_counter_that_is_shown_goes_back)
{
	static struct shown shown[PATHS];
	static struct twin twin;
	struct twin_set *set;
	unsigned step, asked = 0, burst;
	uint32_t counter;

	unit_seed("hits");
	for (step = 0; step < 50000; step++) {
		set = &twin.sets[unit_below(SETS)];
		if (set->hits == NULL) {
			twin_new(set);
			ck_assert_int_eq(fm_hits_want_responses(set->hits), 0);
		} else if (unit_below(20) == 0) {
			twin_free(&twin, set);
			shown_change(&twin, &shown[set->path], set->path);
		} else if (unit_below(4) == 0) {
			shown_ask(&twin, &shown[set->path], set);
			asked++;
		} else {
			counter = unit_below(set->ncounters);
			for (burst = unit_below(5); burst > 0; burst--) {
				twin_count_in(&twin, set, counter);
				shown_count(&shown[set->path], set, counter);
				shown_respond(&shown[set->path], set);
			}
		}
	}
	ck_assert_uint_gt(asked, 5000);
	ck_assert_uint_gt(begun, 500);
	ck_assert_uint_gt(responses_begun, 500);
	for (set = twin.sets; set < twin.sets + SETS; set++)
		if (set->hits != NULL)
			twin_free(&twin, set);
}

/*
 * A seat of a thing that is gone is free; hits that were shown as those of
 * others stay there.
 */
UNIT_TEST(a_seat_stays_empty_or_moves_hits)
{
	static const uint64_t ids[] = { 7, 8, 9 };
	static const uint32_t counter_of[] = { 0, 1, 2 };
	struct fm_hits *old, *new;

	old = fm_hits_new("/x", ids, counter_of, 0, 3, 3);
	count_n(old, 0, 5);
	count_n(old, 1, 4);
	count_n(old, 2, 3);
	top_is(old, 2, 3, (uint64_t[]){ 5, 4, FM_HITS_OTHER }, 3);
	new = fm_hits_new("/x", ids + 1, counter_of, 0, 2, 3);
	fm_hits_free(&old);
	top_is(new, 2, 2, (uint64_t[]){ 4, 0 }, 3);
	count(new, 1);
	top_is(new, 2, 2, (uint64_t[]){ 4, 1 }, 3);
	/* a thing that comes back is new, and has no seat */
	old = fm_hits_new("/x", ids, counter_of, 0, 3, 3);
	count(old, 0);
	top_is(old, 2, 3, (uint64_t[]){ FM_HITS_OTHER, 4, 1 }, 4);
	/* a greater limit has a seat for it */
	top_is(old, 3, 3, (uint64_t[]){ 0, 4, 1 }, 4);
	fm_hits_free(&new);
	fm_hits_free(&old);
}

UNIT_TEST(one_that_was_never_hit_takes_a_seat)
{
	static uint64_t ids[1000], counts[1000], others[FM_HITS_KINDS];
	static uint32_t counter_of[1000];
	struct fm_hits *hits;
	uint32_t i;

	for (i = 0; i < 1000; i++) {
		ids[i] = i;
		counter_of[i] = i;
	}
	hits = fm_hits_new("/x", ids, counter_of, 0, 1000, 1000);
	ck_assert(!fm_hits_top(hits, 5, counts, others, NULL));
	for (i = 0; i < 1000; i++) {
		ck_assert_uint_eq(counts[i], FM_HITS_OTHER);
		count_n(hits, i, i);
	}
	ck_assert(!fm_hits_top(hits, 5, counts, others, NULL));
	for (i = 0; i < 1000; i++)
		ck_assert_uint_eq(counts[i] == FM_HITS_OTHER, i < 995);
	fm_hits_free(&hits);
}

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

UNIT_TEST(threads_overwrite_what_others_count)
{
	static const uint64_t ids[] = { 1, 2, 3, 4, 5 };
	static const uint32_t counter_of[] = { 0, 1, 2, 3, 4 };
	uint64_t totals[5], last = 0;
	pthread_t workers[WORKERS];
	struct fm_hits *hits, *other;
	unsigned i;

	fm_shard_begin(8);
	hits = fm_hits_new("/x", ids, counter_of, 5, 0, 5);
	for (i = 0; i < WORKERS; i++)
		ck_assert_int_eq(pthread_create(&workers[i], NULL, work,
		    hits), 0);
	for (i = 0; i < 1000; i++) {
		other = fm_hits_new("/x", ids, counter_of, 5, 0, 5);
		count(other, 0);
		hits_totals(hits, 0, totals);
		ck_assert_uint_gt(totals[0], last);
		last = totals[0];
		fm_hits_free(&other);
	}
	for (i = 0; i < WORKERS; i++)
		ck_assert_int_eq(pthread_join(workers[i], NULL), 0);
	hits_totals(hits, 0, totals);
	ck_assert_uint_eq(totals[0], 1000 + WORKERS * ROUNDS / 5);
	for (i = 1; i < 5; i++)
		ck_assert_uint_eq(totals[i], WORKERS * ROUNDS / 5);
	fm_hits_free(&hits);
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

UNIT_TEST(counters_that_are_not_used_take_memory)
{
	const uint32_t n = 4 << 20, last = n - 1;
	static const uint64_t id = 1;
	struct fm_hits *hits;
	size_t before = resident();
	unsigned shard;
	uint64_t total;
	bool own;

	hits = fm_hits_new("/x", &id, &last, 1, 0, n);
	ck_assert_ptr_nonnull(hits);
	for (shard = 0; shard <= fm_shards; shard++)
		ck_assert_uint_eq((uintptr_t)fm_hits_shard(hits, shard, &own)
		    % 64, 0);
	count(hits, last);
	hits_totals(hits, 0, &total);
	ck_assert_uint_eq(total, 1);
	ck_assert_uint_gt(fm_hits_bytes(hits), n * sizeof(uint64_t));
	ck_assert_uint_lt(resident() - before, 1 << 20);
	fm_hits_free(&hits);
}

/* CPU time of this process, in seconds. */
static double
cpu_time(void)
{
	struct timespec now;

	ck_assert_int_eq(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now), 0);
	return ((double)now.tv_sec + (double)now.tv_nsec / 1e9);
}

/* Returns the time that a loop takes to add up this number of arrays. */
static double
naive_time(const uint64_t *counters, size_t n, unsigned arrays)
{
	uint64_t *sums = calloc(n, sizeof *sums);
	double from = cpu_time();
	unsigned array;
	size_t i;

	for (array = 0; array < arrays; array++)
		for (i = 0; i < n; i++)
			sums[i] += *counters++;
	from = cpu_time() - from;
	ck_assert_uint_gt(sums[n - 1], 0);
	free(sums);
	return (from);
}

/*
 * A small set has an array for each CPU; a large one shares a few.  Adding all
 * up takes no more than a few times what a plain loop does (20 ms at most,
 * where this was written).
 */
UNIT_TEST(a_large_set_takes_much_memory_on_many_cpus)
{
	enum { N = 400000, CPUS = 128 };
	uint64_t *ids = calloc(N, sizeof *ids);
	uint64_t *totals = calloc(N, sizeof *totals), *counters, sum = 0;
	uint32_t *counter_of = calloc(N, sizeof *counter_of), i;
	struct fm_hits *hits;
	unsigned shard;
	size_t before;
	double took, naive;
	bool own;

	fm_shard_begin(CPUS);
	ck_assert_uint_eq(fm_shards, CPUS);
	for (i = 0; i < N; i++) {
		ids[i] = i + 1;
		counter_of[i] = i;
	}
	hits = fm_hits_new("/x", ids, counter_of, 0, 10, 10);
	for (shard = 0; shard <= CPUS; shard++) {
		counters = fm_hits_shard(hits, shard, &own);
		ck_assert_int_eq(own, shard < CPUS);
		fm_shard_add(own, counters, 1);
	}
	hits_totals(hits, 0, totals);
	ck_assert_uint_eq(totals[0], CPUS + 1);
	fm_hits_free(&hits);

	hits = fm_hits_new("/x", ids, counter_of, 0, N, N);
	ck_assert_ptr_nonnull(hits);
	before = resident();
	for (shard = 0; shard <= CPUS; shard++) {
		counters = fm_hits_shard(hits, shard, &own);
		ck_assert(!own);
		for (i = shard; i < N; i += CPUS + 1)
			fm_shard_add(own, counters + i, 1);
	}
	before = resident() - before;
	took = cpu_time();
	hits_totals(hits, 0, totals);
	took = cpu_time() - took;
	naive = naive_time(fm_hits_shard(hits, 0, &own), N, 10);
	printf("%d counters of %d CPUs take %zu KB; a sum takes %.1f ms,"
	    " a loop %.1f ms\n", N, CPUS, before >> 10, took * 1e3,
	    naive * 1e3);
	ck_assert_uint_lt(before, 40 << 20);
	ck_assert(took < 10 * naive);
	for (i = 0; i < N; i++)
		sum += totals[i];
	ck_assert_uint_eq(sum, N);
	fm_hits_free(&hits);
	free(ids);
	free(totals);
	free(counter_of);
}

UNIT_TEST(a_set_of_nothing_breaks_it)
{
	struct fm_hits *hits = fm_hits_new("/x", NULL, NULL, 0, 0, 0);
	unsigned shard;
	bool own;

	ck_assert_ptr_nonnull(hits);
	for (shard = 0; shard <= fm_shards; shard++)
		ck_assert_ptr_nonnull(fm_hits_shard(hits, shard, &own));
	hits_totals(hits, 0, NULL);
	ck_assert(!hits_responses(hits, 0, NULL));
	ck_assert_int_eq(fm_hits_want_responses(hits), 0);
	ck_assert(hits_responses(hits, 0, NULL));
	fm_hits_free(&hits);
}

UNIT_TEST(no_memory_breaks_or_leaks)
{
	static const uint64_t ids[] = { 1, 2 }, more[20] = { 1, 2, 3, 4, 5, 6,
	    7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 };
	static const uint32_t counter_of[20] = { 0, 1 };
	struct fm_hits *hits = NULL, *other;
	uint64_t totals[2];
	int n, failed = 0;

	for (n = 0; hits == NULL; n++) {
		alloc_left = n;
		hits = fm_hits_new("/x", ids, counter_of, 2, 0, 2);
		alloc_left = -1;
		failed += hits == NULL;
	}
	ck_assert_int_ge(failed, 6);
	alloc_left = 0;
	n = fm_hits_want_responses(hits);
	alloc_left = -1;
	ck_assert_int_eq(n, -1);
	ck_assert(!hits_responses(hits, 0, NULL));
	ck_assert_int_eq(fm_hits_want_responses(hits), 0);
	count(hits, 1);
	for (n = 0, other = NULL; other == NULL; n++) {
		alloc_left = n;
		other = fm_hits_new("/x", more, counter_of, 20, 0, 2);
		alloc_left = -1;
	}
	ck_assert_int_ge(n, 5);
	alloc_left = 0;
	hits_totals(hits, 0, totals);
	fm_hits_free(&other);
	alloc_left = -1;
	ck_assert_uint_eq(totals[0], 0);
	ck_assert_uint_eq(totals[1], 1);
	fm_hits_free(&hits);
}

int
main(void)
{
	return (unit_main("hits", 60));
}
