/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Contests: checked, then timed.
 */

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "bench.h"

#define ROUNDS_MAX	301
#define ROUNDS_MIN	5
#define EMPTY		FM_CONTESTANTS		/* one more takes part */

/* A mode may take so many rounds, and the warm one so much time. */
struct effort {
	unsigned	rounds[FM_MODE__ALL];
	double		round_ns;
	double		all_ns;
};

static const struct effort full = { { 101, 301, 31 }, 5e5, 3e9 };
static const struct effort quick = { { 31, 31, 5 }, 5e4, 5e7 };

struct timing {
	const struct fm_contest	*c;
	const struct effort	*effort;
	uint64_t		sum;		/* of all answers */
	unsigned		passes[FM_CONTESTANTS + 1];
	double			ns[FM_CONTESTANTS + 1][ROUNDS_MAX];
};

static uint64_t
call_empty(const void *priv, struct fm_text question)
{
	(void)priv;
	return (question.len);
}

static const struct fm_contestant empty = { "an empty call", call_empty,
    NULL, NULL };

static const struct fm_contestant *
contestant(const struct fm_contest *c, unsigned i)
{
	return (i == EMPTY ? &empty : &c->v[i]);
}

/* Returns true if there is an i-th contestant, and it takes part. */
static bool
takes_part(const struct fm_contest *c, unsigned i)
{
	return (i == EMPTY || (i < c->nv && c->v[i].absent == NULL));
}

static void
check_answers(struct fm_contest *c)
{
	uint64_t answer;
	unsigned i, q;

	for (i = 0; i < c->nv; i++) {
		for (q = 0; q < c->n && c->v[i].absent == NULL; q++) {
			answer = c->v[i].call(c->v[i].priv, c->questions[q]);
			if (answer == FM_GAVE_UP && i > 0)
				c->v[i].absent = "meets its match limit: no "
				    "answer";
			else if (answer != c->want[q])
				fm_bench_die("%s, question %u: %s answers "
				    "%llu, and %llu is right", c->what, q,
				    c->v[i].name, (unsigned long long)answer,
				    (unsigned long long)c->want[q]);
		}
	}
}

/*--------------------------------------------------------------------
 * In a loop
 */

/* Nanoseconds a call, over some passes through the questions. */
static double
time_passes(const struct timing *t, unsigned i)
{
	const struct fm_contestant *v = contestant(t->c, i);
	uint64_t start, end, sum = 0;
	unsigned pass, q;

	start = fm_clock_ticks();
	for (pass = 0; pass < t->passes[i]; pass++)
		for (q = 0; q < t->c->n; q++)
			sum += v->call(v->priv, t->c->questions[q]);
	end = fm_clock_ticks();
	if (i != EMPTY && sum != t->sum * t->passes[i])
		fm_bench_die("%s: a wrong answer of %s while it is timed",
		    t->c->what, v->name);
	return (fm_clock_ns(end - start) / t->passes[i] / t->c->n);
}

/* Plans passes, so that a round takes long enough; returns the rounds. */
static unsigned
plan_warm(struct timing *t)
{
	double ns, all = 0;
	unsigned i, rounds;

	for (i = 0; i <= EMPTY; i++) {
		if (!takes_part(t->c, i))
			continue;
		t->passes[i] = 1;
		(void)time_passes(t, i);
		ns = time_passes(t, i) * t->c->n;
		if (ns < t->effort->round_ns)
			t->passes[i] = 1 +
			    (unsigned)(t->effort->round_ns / (ns + 1));
		all += ns * t->passes[i];
	}
	rounds = t->effort->rounds[FM_MODE_WARM];
	if (all * rounds > t->effort->all_ns)
		rounds = (unsigned)(t->effort->all_ns / all) | 1;
	return (rounds < ROUNDS_MIN ? ROUNDS_MIN : rounds);
}

static unsigned
time_warm(struct timing *t)
{
	unsigned i, round, who, rounds = plan_warm(t);

	for (round = 0; round < rounds; round++)
		for (i = 0; i <= EMPTY; i++) {
			who = (i + round) % (EMPTY + 1);
			if (takes_part(t->c, who))
				t->ns[who][round] = time_passes(t, who);
		}
	return (rounds);
}

/*--------------------------------------------------------------------
 * With caches evicted
 */

/*
 * The data that the L2 cache is to miss was used just before, so that L3 has
 * it, whatever the other contestants have used meanwhile.
 */
static double
time_call(const struct timing *t, unsigned i, unsigned q, enum fm_mode mode)
{
	const struct fm_contestant *v = contestant(t->c, i);
	struct fm_text question = t->c->questions[q];
	uint64_t start, end, answer;

	if (mode == FM_MODE_L2)
		(void)v->call(v->priv, question);
	fm_cache_evict(mode);
	fm_cache_touch(question);
	(void)fm_clock_ticks();
	start = fm_clock_ticks();
	answer = v->call(v->priv, question);
	end = fm_clock_ticks();
	if (i != EMPTY && answer != t->c->want[q])
		fm_bench_die("%s: a wrong answer of %s while it is timed",
		    t->c->what, v->name);
	return (fm_clock_ns(end - start));
}

static unsigned
time_cold(struct timing *t, enum fm_mode mode)
{
	unsigned i, round, who, rounds = t->effort->rounds[mode];

	for (round = 0; round < rounds; round++)
		for (i = 0; i <= EMPTY; i++) {
			who = (i + round) % (EMPTY + 1);
			if (takes_part(t->c, who))
				t->ns[who][round] = time_call(t, who,
				    round % t->c->n, mode);
		}
	return (rounds);
}

/*--------------------------------------------------------------------
 * Scores
 */

static void
score(struct fm_contest *c, struct timing *t, enum fm_mode mode,
    unsigned rounds)
{
	double buf[ROUNDS_MAX];
	struct fm_spread spread;
	struct fm_score *s;
	unsigned i, r;

	memcpy(buf, t->ns[EMPTY], sizeof buf);
	spread = fm_spread_of(buf, rounds);
	c->rounds[mode] = rounds;
	c->empty[mode] = spread.median;
	c->noise[mode] = spread.high - spread.low;
	if (mode != FM_MODE_WARM && c->noise[mode] < fm_clock_step())
		c->noise[mode] = fm_clock_step();
	for (i = 0; i < c->nv; i++) {
		if (!takes_part(c, i))
			continue;
		for (r = 0; r < rounds; r++)
			t->ns[i][r] -= c->empty[mode];
	}
	/* The ratios first, as to sort the rounds parts them. */
	for (i = c->nv; i-- > 0; ) {
		if (!takes_part(c, i))
			continue;
		s = &c->score[mode][i];
		for (r = 0; r < rounds; r++)
			buf[r] = t->ns[0][r] > 0 ?
			    t->ns[i][r] / t->ns[0][r] : HUGE_VAL;
		spread = fm_spread_of(buf, rounds);
		s->ratio = spread.median;
		s->ratio_low = spread.low;
		s->ratio_high = spread.high;
		spread = fm_spread_of(t->ns[i], rounds);
		s->ns = spread.median;
		s->low = spread.low;
		s->high = spread.high;
		s->valid = s->ns > c->noise[mode];
	}
}

void
fm_contest_run(struct fm_bench *bench, struct fm_contest *c)
{
	static struct timing t;
	enum fm_mode mode;
	unsigned q, rounds;

	assert(c->nv > 0 && c->nv <= FM_CONTESTANTS && c->n > 0);
	memset(&t, 0, sizeof t);
	t.c = c;
	t.effort = bench->quick ? &quick : &full;
	for (q = 0; q < c->n; q++)
		t.sum += c->want[q];
	check_answers(c);
	for (mode = 0; mode < FM_MODE__ALL; mode++) {
		if (!bench->mode[mode])
			continue;
		rounds = mode == FM_MODE_WARM ? time_warm(&t) :
		    time_cold(&t, mode);
		score(c, &t, mode, rounds);
		fm_contest_print(bench, c, mode);
	}
}

/*--------------------------------------------------------------------
 * Numbers
 */

static int
by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x < *y ? -1 : *x > *y);
}

struct fm_spread
fm_spread_of(double *v, unsigned n)
{
	qsort(v, n, sizeof *v, by_value);
	return ((struct fm_spread){ v[n / 4], v[n / 2], v[n - 1 - n / 4] });
}
