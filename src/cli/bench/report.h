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

void fm_bench_text(const struct fm_bench *);
void fm_bench_json(const struct fm_bench *);

#endif
