/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What was measured, and the two ways to show it.
 */

#ifndef FM_BENCH_REPORT_H
#define FM_BENCH_REPORT_H

#include "bench.h"
#include "run.h"

/* The rules without some kinds of statements. */
struct fm_variant {
	uint32_t		without;	/* a bit for each kind */
	struct fm_program	*program;
	uint64_t		digest;		/* of all answers */
	size_t			verdicts[FM_VERDICT_REFUSE + 1];
	double			*ns;		/* of each round, a request */
	double			*instructions;
	struct fm_moment	median;
};

struct fm_bench {
	const char		*file;
	const char		*log;		/* NULL: made-up requests */
	unsigned		seed;
	unsigned		rounds;
	const struct fm_model	*model;
	uint32_t		kinds;		/* of statements, a bit each */
	struct fm_requests	requests;
	struct fm_view		*views;
	size_t			skipped;	/* lines of the log */
	struct fm_clock		clock;

	/*
	 * The first has all, the last none; between them each is without one
	 * kind.
	 */
	struct fm_variant	variants[FM_STMT__KINDS + 2];
	unsigned		nvariants;
};

/*--------------------------------------------------------------------
 * To be counted from outside (count.c)
 */

/* Before the rules are opened: host tables get the same seed in each run. */
void fm_bench_not_random(void);

/*
 * Runs each request 1 and 1 + n times in fm_bench_counted(), whose name is what
 * the counter is told, and prints what was decided.
 */
void fm_bench_count(const struct fm_bench *, const struct fm_program *,
    unsigned n, bool json);
void fm_bench_counted(const struct fm_program *, const struct fm_view *,
    unsigned n);

/*--------------------------------------------------------------------
 * To be read
 */

void fm_bench_text(const struct fm_bench *);
void fm_bench_json(const struct fm_bench *);

#endif
