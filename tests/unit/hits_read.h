/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Read the numbers of fm_hits_read() one kind at a time.
 */

#ifndef HITS_READ_H
#define HITS_READ_H

#include "hits.h"

static inline void
hits_totals(const struct fm_hits *hits, double now, uint64_t *totals)
{
	struct fm_hits_numbers numbers = { .totals = totals };

	fm_hits_read(hits, now, &numbers);
}

static inline bool
hits_responses(const struct fm_hits *hits, double now,
    struct fm_hits_responses *responses)
{
	struct fm_hits_numbers numbers = { .responses = responses };

	fm_hits_read(hits, now, &numbers);
	return (numbers.responding);
}

static inline bool
hits_rates(const struct fm_hits *hits, double now, double *rates)
{
	struct fm_hits_numbers numbers = { .rates = rates };

	fm_hits_read(hits, now, &numbers);
	return (numbers.rated);
}

static inline void
hits_history(const struct fm_hits *hits, double now,
    struct fm_hits_history *history)
{
	struct fm_hits_numbers numbers = { .history = history };

	fm_hits_read(hits, now, &numbers);
}

#endif
