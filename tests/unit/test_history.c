/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The history of a path, under a load of 100,000 hosts over hours of made-up
 * time, against a twin that keeps every request; rates; clocks and counters
 * that jump.
 */

#include <math.h>
#include <pthread.h>

#include "hits_read.h"
#include "shard.h"
#include "unit.h"

/*--------------------------------------------------------------------
 * How long the lock is held
 */

static __thread unsigned locked;	/* mutexes that this thread has */
static __thread bool watched;
static __thread double since;
static unsigned holds;
static double longest;			/* hold, in seconds of CPU */

int __real_pthread_mutex_lock(pthread_mutex_t *);
int __wrap_pthread_mutex_lock(pthread_mutex_t *);
int __real_pthread_mutex_unlock(pthread_mutex_t *);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *);

static double
cpu_time(void)
{
	struct timespec now;

	/* Assertions of Check lock a mutex. */
	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0)
		abort();
	return ((double)now.tv_sec + (double)now.tv_nsec / 1e9);
}

int
__wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
	int i = __real_pthread_mutex_lock(mutex);

	if (watched && locked++ == 0)
		since = cpu_time();
	return (i);
}

int
__wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	double held;

	if (watched && --locked == 0) {
		held = cpu_time() - since;
		longest = held > longest ? held : longest;
		holds++;
	}
	return (__real_pthread_mutex_unlock(mutex));
}

/*--------------------------------------------------------------------
 * The twin: it has each event of each minute
 */

#ifdef __SANITIZE_THREAD__
#define HOSTS		4000		/* in place of minutes */
#else
#define HOSTS		100000
#endif
#define THREADS		3
#define SETS		2		/* that count at the same time */
#define NONE		HOSTS		/* a request without a host */
#define STEP		10		/* seconds */

struct event {
	uint32_t		host;
	uint32_t		number;		/* enum fm_history_number */
};

struct minute {
	struct event		*events;
	size_t			n, room;
	uint64_t		parts[6][FM_HISTORY_NUMBERS];
};

static struct {
	struct minute		*minutes;
	size_t			n;		/* minutes since it began */
	unsigned		part;
	double			now;
	uint64_t		totals[FM_HISTORY_NUMBERS];

	/* By host; what a set did not have is forgotten. */
	uint64_t		hits[HOSTS];
} twin;

/* A set has the hosts from `first` to `first + n`, in another order. */
struct counted {
	struct fm_hits		*hits;
	uint32_t		n;
	uint32_t		*hosts;		/* by number in the set */
	uint32_t		number_of[HOSTS];	/* or UINT32_MAX */
};

static struct counted sets[SETS];
static struct counted *serving = sets;	/* the newest */

struct counter {
	pthread_t		thread;
	uint64_t		random;
	struct event		events[4000];
	size_t			n;
};

static struct counter counters[THREADS];
static double zipf[HOSTS];		/* sums of 1/rank */
static uint32_t shuffled[HOSTS];	/* host of each rank */

static void
zipf_make(void)
{
	double sum = 0;
	uint32_t i, j, host;

	for (i = 0; i < HOSTS; i++) {
		sum += 1. / (i + 1);
		zipf[i] = sum;
		shuffled[i] = i;
	}
	for (i = HOSTS - 1; i > 0; i--) {
		j = unit_below(i + 1);
		host = shuffled[i];
		shuffled[i] = shuffled[j];
		shuffled[j] = host;
	}
}

static uint32_t
zipf_host(uint64_t *random)
{
	double at = (double)(unit_next(random) >> 11) / 0x1p53 *
	    zipf[HOSTS - 1];
	uint32_t low = 0, high = HOSTS - 1, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (zipf[middle] < at)
			low = middle + 1;
		else
			high = middle;
	}
	return (shuffled[low]);
}

/* Makes a set without a share of the hosts, which are gone. */
static void
set_new(struct counted *set, unsigned gone)
{
	uint64_t *ids = calloc(HOSTS, sizeof *ids);
	uint32_t *counter_of = calloc(HOSTS, sizeof *counter_of), i;
	uint32_t host, turn = unit_below(HOSTS);

	set->hosts = calloc(HOSTS, sizeof *set->hosts);
	set->n = 0;
	for (i = 0; i < HOSTS; i++) {
		host = (i + turn) % HOSTS;
		set->number_of[host] = UINT32_MAX;
		if (gone > 0 && host % 7 == gone % 7)
			continue;
		set->number_of[host] = set->n;
		set->hosts[set->n] = host;
		counter_of[set->n] = set->n;
		ids[set->n++] = host * 0x9e3779b97f4a7c15ULL;
	}
	set->hits = fm_hits_new("/x", ids, counter_of, 0, set->n, set->n);
	ck_assert_ptr_nonnull(set->hits);
	ck_assert_int_eq(fm_hits_want_responses(set->hits), 0);
	free(ids);
	free(counter_of);
}

static void
set_free(struct counted *set)
{
	const struct counted *other = &sets[set == sets];
	uint32_t i;

	fm_hits_free(&set->hits);
	for (i = 0; i < set->n; i++)
		if (other->hits == NULL ||
		    other->number_of[set->hosts[i]] == UINT32_MAX)
			twin.hits[set->hosts[i]] = 0;
	free(set->hosts);
}

static void
minute_event(struct minute *minute, const struct event *event)
{
	if (minute->n == minute->room) {
		minute->room = minute->room * 2 + 1000;
		minute->events = realloc(minute->events,
		    minute->room * sizeof *minute->events);
		ck_assert_ptr_nonnull(minute->events);
	}
	minute->events[minute->n++] = *event;
	minute->parts[twin.part][event->number]++;
	twin.totals[event->number]++;
	if (event->number == FM_HISTORY_REQUESTS && event->host != NONE)
		twin.hits[event->host]++;
}

static void
note(struct counter *counter, uint32_t host, uint32_t number)
{
	counter->events[counter->n++] = (struct event){ host, number };
}

/* Counts a request of a host, or of none, and what comes of it. */
static void
request(struct counter *counter, const struct fm_hits *hits, uint32_t host,
    uint32_t number)
{
	static const enum fm_hits_response froms[] = {
		FM_HITS_HIT, FM_HITS_MISS, FM_HITS_PASS, FM_HITS_OWN };
	unsigned what = (unsigned)(unit_next(&counter->random) >> 40), from;
	unsigned shard = fm_shard_take(), status;
	uint64_t *array;
	bool own;

	array = fm_hits_shard(hits, shard, &own);
	if (number == UINT32_MAX)
		fm_hits_unknown(hits, array, own);
	else
		fm_shard_add(own, array + number, 1);
	note(counter, host, FM_HISTORY_REQUESTS);
	if (what % 8 == 0) {
		fm_hits_refused(hits, number);
		note(counter, host, FM_HISTORY_REFUSED);
	} else if (what % 8 != 1) {
		from = what >> 3 & 3;
		status = 200 + (what >> 5 & 3) * 100;
		fm_hits_count(hits, shard, number, froms[from], status);
		if (from < 3)
			note(counter, host, FM_HISTORY_HITS + from);
		if (status >= 400)
			note(counter, host, status == 400 ? FM_HISTORY_4XX :
			    FM_HISTORY_5XX);
	}
	fm_shard_give(shard);
}

static void *
counter_work(void *priv)
{
	struct counter *counter = priv;
	const struct counted *set;
	uint32_t host;
	size_t i;

	for (i = counter->n = 0; i < 1000; i++) {
		set = &sets[unit_next(&counter->random) >> 60 & 1];
		if (set->hits == NULL)
			continue;
		host = zipf_host(&counter->random);
		if (set->number_of[host] == UINT32_MAX)
			host = NONE;
		request(counter, set->hits, host, host == NONE ? UINT32_MAX :
		    set->number_of[host]);
	}
	return (NULL);
}

/* Threads count, and this one gathers meanwhile. */
static void
load(void)
{
	static uint64_t totals[HOSTS];
	struct counter *counter;
	size_t i;

	for (counter = counters; counter < counters + THREADS; counter++)
		ck_assert_int_eq(pthread_create(&counter->thread, NULL,
		    counter_work, counter), 0);
	hits_totals(serving->hits, twin.now, totals);
	for (counter = counters; counter < counters + THREADS; counter++) {
		ck_assert_int_eq(pthread_join(counter->thread, NULL), 0);
		for (i = 0; i < counter->n; i++)
			minute_event(&twin.minutes[twin.n - 1],
			    &counter->events[i]);
	}
	fm_hits_sum(twin.now);
}

static void
twin_advance(unsigned points)
{
	static size_t room;
	size_t n;

	twin.now += points * STEP;
	twin.part += points;
	n = twin.n + twin.part / 6;
	twin.part %= 6;
	if (n > room) {
		twin.minutes = realloc(twin.minutes,
		    (n + 100) * sizeof *twin.minutes);
		ck_assert_ptr_nonnull(twin.minutes);
		memset(twin.minutes + room, 0,
		    (n + 100 - room) * sizeof *twin.minutes);
		room = n + 100;
	}
	twin.n = n;
}

/*--------------------------------------------------------------------
 * Comparing
 */

static struct fm_hits_history *
history_read(void)
{
	static struct fm_hits_history read;

	hits_history(serving->hits, twin.now, &read);
	ck_assert_uint_eq(read.history.minute, twin.n - 1);
	ck_assert_uint_eq(read.history.part, twin.part);
	return (&read);
}

static size_t
first_minute(void)
{
	return (twin.n > 60 ? twin.n - 60 : 0);
}

/* The curve of all has each event, in its point. */
static void
all_agree(const struct fm_history *history)
{
	const struct minute *minute;
	size_t m;
	unsigned part, k;

	for (m = first_minute(); m < twin.n; m++) {
		minute = &twin.minutes[m];
		for (part = 0; part < 6; part++)
			for (k = 0; k < FM_HISTORY_NUMBERS; k++)
				ck_assert_uint_eq(
				    history->all[m % 60][part].n[k],
				    minute->parts[part][k]);
	}
}

static unsigned
seats_agree(const struct fm_hits_history *read)
{
	static uint32_t seat_of[HOSTS + 1];
	static uint64_t sums[FM_HISTORY_SEATS + 1][FM_HISTORY_NUMBERS];
	const struct fm_history_seat *seat;
	const struct minute *minute;
	unsigned i, k, seen = 0;
	size_t m, e;
	uint64_t had;

	for (i = 0; i <= HOSTS; i++)
		seat_of[i] = FM_HISTORY_SEATS;
	for (i = 0; i < FM_HISTORY_SEATS; i++)
		if (read->hosts[i] != UINT32_MAX)
			seat_of[serving->hosts[read->hosts[i]]] = i;
	for (m = first_minute(); m < twin.n; m++) {
		memset(sums, 0, sizeof sums);
		minute = &twin.minutes[m];
		for (e = 0; e < minute->n; e++)
			sums[seat_of[minute->events[e].host]]
			    [minute->events[e].number]++;
		for (i = 0; i < FM_HISTORY_SEATS; i++) {
			seat = &read->history.seats[i];
			for (k = 0; k < FM_HISTORY_NUMBERS; k++) {
				had = seat->minutes[m % 60].n[k];
				if (read->hosts[i] == UINT32_MAX)
					continue;
				if (m < seat->since)
					ck_assert_uint_eq(had, 0);
				else if (m > seat->since)
					ck_assert_uint_eq(had, sums[i][k]);
				else
					ck_assert_uint_le(had, sums[i][k]);
				seen += had > 0;
			}
		}
	}
	return (seen);
}

/* Returns the requests of a host in the last ten minutes, and a little more. */
static uint64_t
recent(uint32_t host)
{
	const struct minute *minute;
	size_t m, e;
	uint64_t n = 0;

	for (m = twin.n > 11 ? twin.n - 11 : 0; m < twin.n; m++) {
		minute = &twin.minutes[m];
		for (e = 0; e < minute->n; e++)
			n += minute->events[e].host == host &&
			    minute->events[e].number == FM_HISTORY_REQUESTS;
	}
	return (n);
}

/* Returns what a seat had in the last hour. */
static uint64_t
score(const struct fm_history *history, unsigned i)
{
	const struct fm_history_seat *seat = &history->seats[i];
	uint64_t sum = 0;
	unsigned m;

	for (m = 0; m < 60; m++)
		sum += seat->minutes[m].n[FM_HISTORY_REQUESTS];
	return (sum + (history->minute - seat->since < 60 ? seat->before : 0));
}

/*
 * Where a seat has another owner: that had more requests in ten minutes than
 * the seat in an hour, and no seat had fewer.
 */
static unsigned
moves_are_right(const struct fm_history *before,
    const struct fm_hits_history *after)
{
	uint64_t sum, least = UINT64_MAX, left = UINT64_MAX;
	unsigned i, moved = FM_HISTORY_SEATS;

	for (i = 0; i < FM_HISTORY_SEATS; i++) {
		if (before->seats[i].owner == NULL)
			return (0);
		if (after->history.seats[i].owner != before->seats[i].owner) {
			ck_assert_uint_eq(moved, FM_HISTORY_SEATS);
			moved = i;
			left = score(before, i);
			continue;
		}
		sum = score(&after->history, i);
		least = sum < least ? sum : least;
	}
	if (moved == FM_HISTORY_SEATS)
		return (0);
	ck_assert_uint_le(left, least);
	if (after->hosts[moved] != UINT32_MAX)
		ck_assert_uint_gt(recent(serving->hosts[after->hosts[moved]]),
		    left);
	return (1);
}

static void
totals_agree(const struct counted *set)
{
	static uint64_t totals[HOSTS];
	uint32_t i;

	hits_totals(set->hits, twin.now, totals);
	for (i = 0; i < set->n; i++)
		ck_assert_uint_eq(totals[i], twin.hits[set->hosts[i]]);
}

/* Within the first hour the curve of all adds up to the counters. */
static void
sums_agree(const struct fm_history *history)
{
	uint64_t sums[FM_HISTORY_NUMBERS] = { 0 };
	unsigned m, part, k;

	for (m = 0; m < 60; m++)
		for (part = 0; part < 6; part++)
			for (k = 0; k < FM_HISTORY_NUMBERS; k++)
				sums[k] += history->all[m][part].n[k];
	for (k = 0; k < FM_HISTORY_NUMBERS; k++)
		ck_assert_uint_eq(sums[k], twin.totals[k]);
}

/* Frees the older set, or makes a new one, with other hosts. */
static void
reload(unsigned generation)
{
	struct counted *other = &sets[serving == sets];

	if (other->hits != NULL) {
		set_free(other);
	} else {
		set_new(other, generation);
		serving = other;
	}
}

UNIT_TEST(curves_do_not_add_up)
{
	static struct fm_history before;
	const unsigned steps = unit_rounds(1500, 24);
	struct fm_hits_history *read;
	unsigned step, i, moved = 0, seen = 0;

	unit_seed("history");
	fm_shard_begin(2);
	zipf_make();
	for (i = 0; i < THREADS; i++)
		counters[i].random = unit_random();
	set_new(&sets[0], 0);
	twin.now = 1000;
	twin.n = 0;
	twin_advance(6);
	fm_hits_sum(twin.now);
	for (step = 0; step < steps || twin.n <= 60; step++) {
		twin_advance(unit_below(4) == 0 ? unit_below(37) :
		    unit_below(3));
		fm_hits_sum(twin.now);
		if (step % 25 == 5)
			reload(step / 25);
		before = history_read()->history;
		load();
		read = history_read();
		all_agree(&read->history);
		moved += moves_are_right(&before, read);
		if (twin.n <= 60)
			sums_agree(&read->history);
		if (step % 10 == 0)
			seen += seats_agree(read);
		if (step % 50 == 0)
			totals_agree(serving);
	}
	printf("%zu minutes, %llu requests, %u seats moved\n", twin.n,
	    (unsigned long long)twin.totals[FM_HISTORY_REQUESTS], moved);
	ck_assert_uint_gt(twin.n, 60);
	ck_assert_uint_gt(moved, 5);
	ck_assert_uint_gt(seen, 10000);
	ck_assert_uint_eq(read->history.nseats, FM_HISTORY_SEATS);
	/* The busiest hosts have a seat. */
	for (i = 0; i < 5; i++) {
		if (serving->number_of[shuffled[i]] == UINT32_MAX)
			continue;
		for (step = 0; read->hosts[step] !=
		    serving->number_of[shuffled[i]]; step++)
			ck_assert_uint_lt(step, FM_HISTORY_SEATS - 1);
	}
	for (i = 0; i < SETS; i++)
		if (sets[i].hits != NULL)
			set_free(&sets[i]);
}

/*--------------------------------------------------------------------
 * The lock
 */

UNIT_TEST(a_sum_holds_the_lock_for_all_hosts)
{
	static uint64_t totals[HOSTS];
	bool own;
	uint32_t i;

	unit_seed("history");
	fm_shard_begin(128);
	set_new(&sets[0], 0);
	fm_hits_sum(1);
	for (i = 0; i < HOSTS; i++) {
		fm_shard_add(false, fm_hits_shard(sets[0].hits, i % 128, &own) +
		    i, i + 1);
		fm_hits_count(sets[0].hits, i % 128, i, FM_HITS_MISS, 503);
	}
	watched = true;
	fm_hits_sum(2);
	watched = false;
	printf("%u holds of the lock; the longest took %.3f ms of CPU\n",
	    holds, longest * 1e3);
	ck_assert_uint_gt(holds, HOSTS / 1000);
	hits_totals(sets[0].hits, 2, totals);
	for (i = 0; i < HOSTS; i++)
		ck_assert_uint_eq(totals[i], i + 1);
	fm_hits_free(&sets[0].hits);
	free(sets[0].hosts);
}

/*--------------------------------------------------------------------
 * Clocks and counters that jump
 */

#define FEW		40		/* hosts: more than seats */

static struct fm_hits *few;

static void
few_begin(unsigned n)
{
	uint64_t ids[FEW];
	uint32_t counter_of[FEW], i;

	fm_shard_begin(1);
	for (i = 0; i < n; i++) {
		ids[i] = i + 1;
		counter_of[i] = i;
	}
	few = fm_hits_new("/few", ids, counter_of, 0, n, n);
	ck_assert_int_eq(fm_hits_want_responses(few), 0);
}

static void
few_count(uint32_t host, uint64_t n)
{
	unsigned shard = fm_shard_take();
	uint64_t *array;
	bool own;

	array = fm_hits_shard(few, shard, &own);
	fm_shard_add(own, array + host, n);
	fm_shard_give(shard);
}

/* Returns the number of all points, and in *seat that of the only host. */
static uint64_t
few_sum(double now, uint64_t *seat)
{
	static struct fm_hits_history read;
	uint64_t sum = 0;
	unsigned m, part;

	hits_history(few, now, &read);
	for (m = 0, *seat = 0; m < 60; m++) {
		*seat += read.history.seats[0].minutes[m].n[0];
		for (part = 0; part < 6; part++)
			sum += read.history.all[m][part].n[0];
	}
	return (sum);
}

UNIT_TEST(a_clock_that_jumps_breaks_the_curves)
{
	static const struct {
		double		now;
		uint64_t	want;	/* requests of the last hour */
	} steps[] = {
		{ 1e6, 1 }, { 1e6 + 3000, 2 }, { 1e6 + 3539, 3 },
		{ 1e6 + 3600, 3 },		/* the first minute is over */
		{ 1000, 4 }, { 1000, 5 },	/* stands still */
		{ -1e300, 6 }, { 0, 1 }, { NAN, 2 }, { INFINITY, 1 },
		{ 5, 2 }, { 65, 3 }
	};
	uint64_t seat;
	unsigned i;

	few_begin(1);
	for (i = 0; i < sizeof steps / sizeof *steps; i++) {
		fm_hits_sum(steps[i].now);
		few_count(0, 1);
		ck_assert_uint_eq(few_sum(steps[i].now, &seat),
		    steps[i].want);
		ck_assert_uint_eq(seat, steps[i].want);
	}
	fm_hits_free(&few);
}

UNIT_TEST(a_counter_that_passes_32_bits_loses_requests)
{
	static struct fm_hits_history read;
	const uint64_t most = UINT32_MAX;
	uint64_t total, want = 0;
	unsigned i;

	few_begin(1);
	fm_hits_sum(0);
	for (i = 0; i < 10; i++) {
		few_count(0, most - 5);
		want += most - 5;
		fm_hits_sum(i * 60);
		few_count(0, 3);
		want += 3;
		hits_totals(few, i * 60, &total);
		ck_assert_uint_eq(total, want);
		hits_history(few, i * 60, &read);
		ck_assert_uint_eq(read.history.all[i][0].n[0], most - 2);
		ck_assert_uint_eq(read.history.seats[0].minutes[i].n[0],
		    most - 2);
	}
	few_count(0, 7);
	hits_history(few, 9 * 60, &read);
	ck_assert_uint_eq(read.history.all[9][0].n[0], most);
	ck_assert_uint_eq(read.history.seats[0].minutes[9].n[0], most);
	fm_hits_free(&few);
}

/*--------------------------------------------------------------------
 * Seats and rates of a few hosts
 */

/* Returns true if the host has a seat. */
static bool
is_seated(double now, uint32_t host)
{
	static struct fm_hits_history read;
	unsigned i;

	hits_history(few, now, &read);
	for (i = 0; i < FM_HISTORY_SEATS; i++)
		if (read.hosts[i] == host)
			return (true);
	return (false);
}

UNIT_TEST(an_idle_host_keeps_its_seat_or_a_busy_one_loses_it)
{
	double now = 0;
	uint32_t i;

	few_begin(FEW);
	fm_hits_sum(now);
	/* Each of the first 32 has its hour's requests in one minute. */
	for (i = 0; i < FM_HISTORY_SEATS; i++)
		few_count(i, 100 + i);
	fm_hits_sum(now += 1);
	few_count(33, 100);
	fm_hits_sum(now += 1);
	ck_assert(!is_seated(now, 33));
	few_count(33, 1);
	fm_hits_sum(now += 1);
	ck_assert(is_seated(now, 33));
	ck_assert(!is_seated(now, 0));
	/* It had 101 before it sat down: so 101 are not more. */
	few_count(34, 101);
	fm_hits_sum(now += 1);
	ck_assert(!is_seated(now, 34));
	/* Those of ten minutes do not count after twenty. */
	few_count(34, 0);
	few_count(33, 1000);
	fm_hits_sum(now += 1200);
	few_count(34, 1);
	fm_hits_sum(now += 1);
	ck_assert(!is_seated(now, 34));
	few_count(34, 101);
	fm_hits_sum(now += 1);
	ck_assert(is_seated(now, 34));
	ck_assert(!is_seated(now, 1));
	ck_assert(is_seated(now, 33));
	/* After an hour one request is more than none. */
	few_count(35, 1);
	fm_hits_sum(now += 3600);
	few_count(36, 1);
	fm_hits_sum(now += 1);
	ck_assert(is_seated(now, 36));
	fm_hits_free(&few);
}

UNIT_TEST(a_rate_is_not_that_of_the_last_minute)
{
	double now = 0, rates[FEW], from;
	unsigned i;

	few_begin(3);
	ck_assert(!hits_rates(few, now, rates));
	few_count(1, 5);
	ck_assert(!hits_rates(few, .9, rates));
	ck_assert(hits_rates(few, 1, rates));
	ck_assert_double_eq(rates[1], 5);
	for (now = 2; now < 300; now += 1) {
		few_count(0, 10);
		few_count(1, now < 150 ? 10 : 0);
		fm_hits_sum(now);
		ck_assert(hits_rates(few, now, rates));
		from = now < 60 ? 0 : now - fmod(now, 30) - 30;
		ck_assert_double_lt(fabs(rates[0] - 10), 30 / (now - from));
		ck_assert_double_eq(rates[2], 0);
		if (now >= 30 && now < 150)
			ck_assert_double_lt(fabs(rates[1] - 10), 1);
		if (now >= 210)
			ck_assert_double_eq(rates[1], 0);
	}
	/* Nothing is asked for any more. */
	for (i = 0; i < 2; i++) {
		ck_assert(hits_rates(few, now + 61 + i * 1e6, rates));
		ck_assert_double_eq(rates[0], 0);
	}
	fm_hits_free(&few);
}

UNIT_TEST(a_path_takes_more_than_64_kilobytes)
{
	ck_assert_uint_lt(sizeof(struct fm_history), 65536);
	ck_assert_uint_lt(fm_hits_room(0, 0, 0, true) -
	    sizeof(struct fm_history), 5000);
}

int
main(void)
{
	return (unit_main("history", 600));
}
