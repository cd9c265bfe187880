/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The simulated cache: cases for each thing that is modelled, and random ones
 * against a twin.  live/simulate compares it with a varnishd.
 */

#include "simulate.h"
#include "twin.h"
#include "unit.h"
#include "twin_simulate.h"

#define MOST	64

/* Lists of Vary: none; the first name; the second one; both. */
enum { NO_VARY = 0, FIRST = 1, SECOND = 3, BOTH = 5 };
static const uint32_t varies[] = { 0, 1, 0, 1, 1, 2, 0, 1 };

/* A cache, and its requests, which a test adds one by one. */
struct made {
	struct fm_sim		sim;
	struct fm_sim_request	requests[MOST];
	struct fm_sim_answer	answers[MOST];
	uint32_t		values[2 * MOST];
	uint32_t		nanswers;
	struct fm_sim_counts	counts;
};

static void
made_init(struct made *made)
{
	memset(made, 0, sizeof *made);
	made->sim.requests = made->requests;
	made->sim.answers = made->answers;
	made->sim.varies = varies;
	made->sim.values = made->values;
	made->nanswers = 1;
}

static uint32_t
answer(struct made *made, struct fm_sim_answer it)
{
	if (it.fetches == 0)
		it.fetches = 1;
	made->answers[made->nanswers] = it;
	return (made->nanswers++);
}

/* Adds a request of object 1, with the same answer in the background. */
static struct fm_sim_request *
add(struct made *made, double time, uint32_t answer_is)
{
	struct fm_sim_request *it = &made->requests[made->sim.n++];

	*it = (struct fm_sim_request){ .time = time, .object = 1,
	    .answers = { { answer_is, answer_is },
	    { answer_is, answer_is } } };
	return (it);
}

static void
add_variant(struct made *made, double time, uint32_t answer_is,
    uint32_t first, uint32_t second)
{
	struct fm_sim_request *it = add(made, time, answer_is);

	it->values = 2 * (uint32_t)made->sim.n;
	it->nvalues = 2;
	made->values[it->values] = first;
	made->values[it->values + 1] = second;
}

static void
simulate(struct made *made, enum fm_sim_unknown unknown)
{
	memset(&made->counts, 0, sizeof made->counts);
	ck_assert(fm_simulate(&made->sim, unknown, &made->counts));
}

#define assert_counts(made, ...)					\
	do {								\
		const struct fm_sim_counts is_ = (made)->counts,	\
		    shall_ = { __VA_ARGS__ };				\
		ck_assert_uint_eq(is_.hits, shall_.hits);		\
		ck_assert_uint_eq(is_.stale, shall_.stale);		\
		ck_assert_uint_eq(is_.misses, shall_.misses);		\
		ck_assert_uint_eq(is_.hits_for_miss, shall_.hits_for_miss); \
		ck_assert_uint_eq(is_.hits_for_pass, shall_.hits_for_pass); \
		ck_assert_uint_eq(is_.passes, shall_.passes);		\
		ck_assert_uint_eq(is_.purges, shall_.purges);		\
		ck_assert_uint_eq(is_.waited, shall_.waited);		\
		ck_assert_uint_eq(is_.backend, shall_.backend);		\
		ck_assert_uint_eq(is_.refreshed, shall_.refreshed);	\
	} while (0)

UNIT_TEST(object_is_a_hit_until_its_ttl_ends)
{
	struct made made;
	uint32_t a;

	made_init(&made);
	a = answer(&made, (struct fm_sim_answer){ .ttl = 10 });
	(void)add(&made, 0, a);
	(void)add(&made, 9.9, a);
	(void)add(&made, 10.1, a);
	(void)add(&made, 20, a);
	add(&made, 20, a)->object = 2;
	simulate(&made, FM_SIM_AS_LOGGED);
	assert_counts(&made, .hits = 2, .misses = 3, .backend = 3);
	ck_assert_double_eq(fm_sim_hit_rate(&made.counts), 40);
}

/* The ttl begins with the answer, and not with the request. */
UNIT_TEST(requests_wait_for_an_answer)
{
	struct made made;
	uint32_t a;

	made_init(&made);
	a = answer(&made, (struct fm_sim_answer){ .ttl = 10, .delay = 2 });
	(void)add(&made, 0, a);
	(void)add(&made, 1, a);
	(void)add(&made, 1.5, a);
	(void)add(&made, 11.9, a);
	simulate(&made, FM_SIM_AS_LOGGED);
	assert_counts(&made, .hits = 3, .misses = 1, .waited = 2,
	    .backend = 1);
}

UNIT_TEST(one_request_in_grace_asks_in_the_background)
{
	struct made made;
	uint32_t a;

	made_init(&made);
	a = answer(&made, (struct fm_sim_answer){ .ttl = 10, .grace = 10,
	    .delay = 1 });
	(void)add(&made, 0, a);
	(void)add(&made, 12, a);		/* asks */
	(void)add(&made, 12.5, a);		/* stale, too */
	(void)add(&made, 22, a);		/* fresh to 23 */
	(void)add(&made, 40, a);		/* too late */
	simulate(&made, FM_SIM_AS_LOGGED);
	assert_counts(&made, .hits = 3, .stale = 2, .misses = 2,
	    .backend = 3);
}

UNIT_TEST(object_in_keep_is_refreshed)
{
	struct made made;
	uint32_t a;

	made_init(&made);
	a = answer(&made, (struct fm_sim_answer){ .ttl = 10, .keep = 20,
	    .validator = true });
	(void)add(&made, 0, a);
	(void)add(&made, 25, a);
	(void)add(&made, 30, a);
	(void)add(&made, 80, a);		/* nothing is left */
	simulate(&made, FM_SIM_AS_LOGGED);
	assert_counts(&made, .hits = 1, .misses = 3, .backend = 3,
	    .refreshed = 1);
}

UNIT_TEST(hit_for_miss_waits_for_nothing)
{
	struct made made;
	uint32_t not, a;

	made_init(&made);
	not = answer(&made, (struct fm_sim_answer){ .ttl = 120, .delay = 5,
	    .kept = FM_SIM_HIT_FOR_MISS });
	a = answer(&made, (struct fm_sim_answer){ .ttl = 10 });
	(void)add(&made, 0, not);
	(void)add(&made, 1, not);		/* waits, and is a miss */
	(void)add(&made, 6, not);
	(void)add(&made, 7, not);
	(void)add(&made, 20, a);		/* can be stored */
	(void)add(&made, 21, a);
	(void)add(&made, 40, a);		/* the answer at 11 is there */
	simulate(&made, FM_SIM_AS_LOGGED);
	assert_counts(&made, .hits = 1, .misses = 6, .hits_for_miss = 5,
	    .waited = 1, .backend = 6);
}

UNIT_TEST(hit_for_pass_is_a_pass)
{
	struct made made;
	uint32_t a;

	made_init(&made);
	a = answer(&made, (struct fm_sim_answer){ .ttl = 10,
	    .kept = FM_SIM_HIT_FOR_PASS });
	(void)add(&made, 0, a);
	(void)add(&made, 1, a);
	(void)add(&made, 2, a);
	(void)add(&made, 11, a);
	add(&made, 12, a)->kind = FM_SIM_PASS;
	simulate(&made, FM_SIM_AS_LOGGED);
	assert_counts(&made, .misses = 2, .hits_for_pass = 2, .passes = 1,
	    .backend = 5);
}

UNIT_TEST(variants_are_objects_of_their_own)
{
	struct made made;
	uint32_t a;

	made_init(&made);
	a = answer(&made, (struct fm_sim_answer){ .ttl = 100,
	    .vary = FIRST, .delay = 1 });
	add_variant(&made, 0, a, 1, 1);
	add_variant(&made, 2, a, 1, 2);		/* the second doesn't count */
	add_variant(&made, 3, a, 2, 1);
	add_variant(&made, 3.5, a, 3, 1);	/* is not expected to match */
	add_variant(&made, 5, a, 2, 5);
	(void)add(&made, 6, a);			/* without the header */
	simulate(&made, FM_SIM_AS_LOGGED);
	assert_counts(&made, .hits = 2, .misses = 4, .backend = 4);
}

UNIT_TEST(purge_forgets_all_variants)
{
	struct made made;
	uint32_t a, slow;

	made_init(&made);
	a = answer(&made, (struct fm_sim_answer){ .ttl = 100,
	    .grace = 100, .keep = 100, .vary = FIRST });
	slow = answer(&made, (struct fm_sim_answer){ .ttl = 100,
	    .delay = 2 });
	add_variant(&made, 0, a, 1, 1);
	add_variant(&made, 1, a, 2, 1);
	add(&made, 2, 0)->kind = FM_SIM_PURGE;
	add_variant(&made, 3, a, 1, 1);
	add_variant(&made, 4, a, 2, 1);
	/* What is on its way stays. */
	add(&made, 10, slow)->object = 2;
	add(&made, 11, 0)->kind = FM_SIM_PURGE;
	made.requests[made.sim.n - 1].object = 2;
	add(&made, 13, slow)->object = 2;
	simulate(&made, FM_SIM_AS_LOGGED);
	assert_counts(&made, .hits = 1, .misses = 5, .purges = 2,
	    .backend = 5);
}

UNIT_TEST(error_is_kept_for_those_that_wait)
{
	struct made made;
	uint32_t bad;

	made_init(&made);
	bad = answer(&made, (struct fm_sim_answer){ .kept = FM_SIM_FAILED,
	    .delay = 1 });
	(void)add(&made, 0, bad);
	(void)add(&made, 2, bad);		/* no one waited */
	(void)add(&made, 2.5, bad);
	(void)add(&made, 3.5, bad);
	simulate(&made, FM_SIM_AS_LOGGED);
	assert_counts(&made, .hits = 2, .misses = 2, .waited = 1,
	    .backend = 2);
}

UNIT_TEST(stale_object_survives_an_abandoned_fetch)
{
	struct made made;
	uint32_t a, no;

	made_init(&made);
	a = answer(&made, (struct fm_sim_answer){ .ttl = 1, .grace = 100 });
	no = answer(&made, (struct fm_sim_answer){
	    .kept = FM_SIM_ABANDONED });
	(void)add(&made, 0, a);
	(void)add(&made, 5, no);
	(void)add(&made, 6, no);
	/* Those that wait ask one after the other. */
	add(&made, 7, no)->object = 2;
	simulate(&made, FM_SIM_AS_LOGGED);
	assert_counts(&made, .hits = 2, .stale = 2, .misses = 2,
	    .backend = 4);
}

UNIT_TEST(object_without_a_ttl_is_never_found)
{
	struct made made;
	uint32_t a;

	made_init(&made);
	a = answer(&made, (struct fm_sim_answer){ .grace = 10, .delay = 1 });
	(void)add(&made, 0, a);
	(void)add(&made, 0.1, a);
	(void)add(&made, 0.2, a);
	simulate(&made, FM_SIM_AS_LOGGED);
	assert_counts(&made, .misses = 3, .waited = 2, .backend = 3);
}

UNIT_TEST(object_from_before_the_log_is_there_once)
{
	struct fm_sim_request *it;
	struct made made;
	uint32_t a;

	made_init(&made);
	made.sim.nold = 1;
	a = answer(&made, (struct fm_sim_answer){ .ttl = 10 });
	it = add(&made, 0, a);
	it->old = 1;
	it->old_ttl = 3;
	(void)add(&made, 2, a);
	*add(&made, 5, a) = (struct fm_sim_request){ .time = 5, .object = 1,
	    .answers = { { a, a }, { a, a } }, .old = 1, .old_ttl = 3 };
	simulate(&made, FM_SIM_AS_LOGGED);
	assert_counts(&made, .hits = 2, .misses = 1, .backend = 1);
}

UNIT_TEST(answer_that_is_not_known_gives_a_range)
{
	struct made made;
	uint32_t a;

	made_init(&made);
	(void)add(&made, 0, 0);
	add(&made, 1, 0)->hit = true;
	(void)add(&made, 2, 0);
	simulate(&made, FM_SIM_WORST);
	assert_counts(&made, .misses = 3, .hits_for_miss = 2, .backend = 3);
	simulate(&made, FM_SIM_BEST);
	assert_counts(&made, .hits = 2, .misses = 1, .backend = 1);
	simulate(&made, FM_SIM_AS_LOGGED);
	assert_counts(&made, .hits = 1, .misses = 2, .backend = 2);
	/* Another request of the object has one. */
	a = answer(&made, (struct fm_sim_answer){ .ttl = 1.5 });
	made.requests[0].answers[0][0] = a;
	simulate(&made, FM_SIM_WORST);
	assert_counts(&made, .hits = 1, .misses = 2, .backend = 2);
}

/*--------------------------------------------------------------------
 * Random caches, against the twin
 */

static void
make_random(struct fm_sim *sim, struct fm_sim_request *requests, size_t n,
    struct fm_sim_answer *answers, unsigned nanswers, uint32_t *values)
{
	static const uint32_t lists[] = { NO_VARY, NO_VARY, FIRST, BOTH };
	struct fm_sim_request *it;
	double time = 0;
	size_t i, j;

	for (i = 1; i < nanswers; i++)
		answers[i] = (struct fm_sim_answer){
		    .kept = unit_below(2) == 0 ? FM_SIM_STORED :
		    (enum fm_sim_kept)unit_below(5),
		    .ttl = (float)unit_below(40) / 7,
		    .grace = unit_below(2) == 0 ? 0 :
		    (float)unit_below(30) / 7,
		    .keep = unit_below(2) == 0 ? 0 :
		    (float)unit_below(70) / 7,
		    .delay = (float)unit_below(30) / 13,
		    .vary = lists[unit_below(4)],
		    .fetches = 1 + (unit_below(9) == 0),
		    .validator = unit_below(2) == 0 };
	for (i = 0; i < n; i++) {
		it = &requests[i];
		/* No two things at the same time: their order is open. */
		time += 0.0001 + (double)unit_below(1000) / 1999;
		*it = (struct fm_sim_request){ .time = time,
		    .object = 1 + unit_below(4), .host = unit_below(2),
		    .kind = unit_below(20) == 0 ? FM_SIM_PURGE :
		    unit_below(20) == 0 ? FM_SIM_PASS : FM_SIM_LOOKUP,
		    .values = (uint32_t)(2 * i), .nvalues = unit_below(3) };
		for (j = 0; j < 2; j++) {
			it->answers[0][j] = 1 + unit_below(nanswers - 1);
			it->answers[1][j] = it->answers[0][j];
			values[2 * i + j] = unit_below(3);
		}
		if (unit_below(10) == 0) {
			it->old = 1 + unit_below(sim->nold);
			/* An old object belongs to one key. */
			it->object = 1 + it->old % 4;
			it->old_ttl = (float)unit_below(30) / 7;
			it->old_grace = (float)unit_below(3);
		}
	}
}

UNIT_TEST(random_caches_are_as_the_twin_says)
{
	struct fm_sim_request requests[300];
	struct fm_sim_answer answers[12];
	uint32_t values[600];
	struct fm_sim sim = { .requests = requests, .n = 300,
		.answers = answers, .varies = varies, .values = values,
		.nold = 6 };
	struct fm_sim_counts is[2], shall[2], all = { 0 };
	unsigned round, rounds;

	unit_seed("simulate");
	rounds = unit_rounds(20000, 20);
	for (round = 0; round < rounds; round++) {
		make_random(&sim, requests, 300, answers, 12, values);
		memset(is, 0, sizeof is);
		memset(shall, 0, sizeof shall);
		ck_assert(fm_simulate(&sim, FM_SIM_AS_LOGGED, is));
		twin_simulate(&sim, shall);
		ck_assert_msg(memcmp(is, shall, sizeof is) == 0,
		    "round %u: %ju hits and not %ju, %ju misses and not %ju",
		    round, (uintmax_t)(is[0].hits + is[1].hits),
		    (uintmax_t)(shall[0].hits + shall[1].hits),
		    (uintmax_t)(is[0].misses + is[1].misses),
		    (uintmax_t)(shall[0].misses + shall[1].misses));
		all.stale += is[0].stale;
		all.hits_for_miss += is[0].hits_for_miss;
		all.hits_for_pass += is[0].hits_for_pass;
		all.waited += is[0].waited;
		all.refreshed += is[0].refreshed;
	}
	/* Each thing did happen. */
	ck_assert_uint_gt(all.stale, rounds);
	ck_assert_uint_gt(all.hits_for_miss, rounds);
	ck_assert_uint_gt(all.hits_for_pass, rounds);
	ck_assert_uint_gt(all.waited, rounds);
	ck_assert_uint_gt(all.refreshed, rounds / 2);
}

int
main(void)
{
	return (unit_main("simulate", 120));
}
