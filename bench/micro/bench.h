/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * All programs of bench/micro include this: contests, clock, reports.
 *
 * A contest is a question that several can answer: fastmatch, and what one
 * would use instead.  Every answer of each is compared with that of a naive
 * loop, and then once more while it is timed.  The contestants take turns, one
 * of them an empty call, whose time is subtracted; the medians of the rounds,
 * and of the ratios of each round, count.
 */

#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>
#include <stdio.h>

#include "text.h"

enum fm_mode {
	FM_MODE_WARM,		/* in a loop: all is in the caches */
	FM_MODE_L2,		/* single calls, after a walk that evicts L2 */
	FM_MODE_L3,		/* single calls, after a walk that evicts L3 */
	FM_MODE__ALL
};

/*--------------------------------------------------------------------
 * A program of ours
 */

struct fm_bench {
	const char		*group;
	bool			quick;
	bool			mode[FM_MODE__ALL];
	FILE			*json;		/* an object a line, or NULL */
	bool			header;		/* the table has one */
};

/*
 * Takes the options that all have off the arguments: --quick, --json FILE,
 * --modes warm,l2,l3.  Exits where there is another one, or where not exactly
 * `nargs` arguments remain.
 */
void fm_bench_init(struct fm_bench *, const char *group, int argc,
    char **argv, int nargs, const char *usage);
void fm_bench_fini(struct fm_bench *);

_Noreturn void fm_bench_die(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));
void *fm_bench_alloc(size_t n, size_t size);

/* Print a title; a note; or "SKIP" and why something can't be compared. */
void fm_bench_title(struct fm_bench *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void fm_bench_note(struct fm_bench *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void fm_bench_skip(struct fm_bench *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Tells a value that was measured otherwise; and a target, below a limit. */
void fm_bench_fact(struct fm_bench *, const char *what, double value,
    const char *unit);
void fm_bench_target(struct fm_bench *, const char *what, double value,
    double limit, const char *unit);

/* Writes a text as a JSON string. */
void fm_bench_quote(FILE *, const char *);

/*--------------------------------------------------------------------
 * Contests
 */

/*
 * Answers a question.  FM_GAVE_UP: it can't, a match limit was met; this is no
 * wrong answer, but takes the contestant out.
 */
#define FM_GAVE_UP	UINT64_MAX

typedef uint64_t fm_call_f(const void *priv, struct fm_text question);

struct fm_contestant {
	const char		*name;
	fm_call_f		*call;
	const void		*priv;
	const char		*absent;	/* why it takes no part (empty:
						 * plain to see), or NULL */
};

struct fm_score {
	double			ns, low, high;	/* net; with its quartiles */
	double			ratio;		/* to that of the first */
	double			ratio_low, ratio_high;
	bool			valid;		/* above the noise */
};

#define FM_CONTESTANTS	5

struct fm_contest {
	const char		*what;
	const struct fm_text	*questions;	/* which are warm when they are
						 * asked: a server has just
						 * read them */
	const uint64_t		*want;		/* the naive answers */
	unsigned		n;
	struct fm_contestant	v[FM_CONTESTANTS];
	unsigned		nv;		/* the first is ours */

	struct fm_score		score[FM_MODE__ALL][FM_CONTESTANTS];
	double			empty[FM_MODE__ALL];	/* subtracted */
	double			noise[FM_MODE__ALL];	/* its spread */
	unsigned		rounds[FM_MODE__ALL];
};

/* Checks and times all contestants; exits after a wrong answer. */
void fm_contest_run(struct fm_bench *, struct fm_contest *);
void fm_contest_print(struct fm_bench *, const struct fm_contest *,
    enum fm_mode);

/*--------------------------------------------------------------------
 * Time, and caches
 */

/* Ticks of a clock that reads in a few nanoseconds, nothing in flight. */
uint64_t fm_clock_ticks(void);
double fm_clock_ns(uint64_t ticks);
double fm_clock_step(void);		/* nanoseconds, of one reading */

/* Evict a cache; fm_cache_known() is false if its size is not known. */
bool fm_cache_known(enum fm_mode);
void fm_cache_evict(enum fm_mode);
size_t fm_cache_walk(enum fm_mode);	/* bytes */

/* Reads it, so that it is in the caches. */
void fm_cache_touch(struct fm_text);

/*--------------------------------------------------------------------
 * Numbers
 */

struct fm_spread {
	double			low, median, high;	/* quartiles */
};

struct fm_spread fm_spread_of(double *v, unsigned n);	/* sorts it */

#endif
