/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the benchmarks share: two contestants take turns, and the medians of
 * their rounds, and of the ratios of each round, count.
 */

#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BENCH_ROUNDS	101

/* Makes n calls; returns how many of them hit, so that none is left out. */
typedef unsigned bench_f(const void *priv, unsigned n);

struct bench_result {
	double	ours;		/* nanoseconds a call */
	double	theirs;
	double	ratio;		/* theirs to ours */
};

static inline void
bench_die(const char *what)
{
	fprintf(stderr, "bench: %s\n", what);
	exit(1);
}

static inline double
bench_now(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ((double)ts.tv_sec * 1e9 + (double)ts.tv_nsec);
}

static inline double
bench_round(bench_f *f, const void *priv, unsigned calls, unsigned hits)
{
	double t;

	t = bench_now();
	if (f(priv, calls) != hits)
		bench_die("a wrong answer while timing");
	return ((bench_now() - t) / calls);
}

static inline int
bench_by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x < *y ? -1 : *x > *y);
}

static inline double
bench_median(double *v)
{
	qsort(v, BENCH_ROUNDS, sizeof *v, bench_by_value);
	return (v[BENCH_ROUNDS / 2]);
}

/* `hits` is how many of the calls must hit. */
static inline struct bench_result
bench_run(const char *what, const void *priv, bench_f *ours, bench_f *theirs,
    unsigned calls, unsigned hits)
{
	double a[BENCH_ROUNDS], b[BENCH_ROUNDS], ratio[BENCH_ROUNDS];
	struct bench_result r;
	unsigned i;

	for (i = 0; i < BENCH_ROUNDS; i++) {
		a[i] = bench_round(ours, priv, calls, hits);
		b[i] = bench_round(theirs, priv, calls, hits);
		ratio[i] = b[i] / a[i];
	}
	r.ours = bench_median(a);
	r.theirs = bench_median(b);
	r.ratio = bench_median(ratio);
	printf("%-36s %8.0f ns %8.0f ns %8.1fx\n", what, r.ours, r.theirs,
	    r.ratio);
	return (r);
}

static inline void
bench_head(const char *theirs)
{
	printf("%-36s %11s %11s %9s\n", "medians of 101 rounds", "fastmatch",
	    theirs, "faster");
}

#endif
