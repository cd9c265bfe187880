/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Gathers what sets have counted, a part of a set at a time, so that no thread
 * waits long for the lock; and tells what was gathered.
 *
 * The sum of the counters of a thing and its last value are modulo 2^32, and so
 * is their difference, which is what was counted since: so counters need no
 * reset, which threads that count without atomic operations could undo.
 */

#include <string.h>

#include "hits_priv.h"

/*
 * Counters that are read under the lock at a time: half a millisecond where
 * each one is a cache miss, of some four that the CPU loads at once.
 */
#define SLICE		16384U
#define BLOCK		64U	/* things that are read side by side */

#define PERIOD		30	/* seconds: a rate is of one to two periods */
#define RECENT		20	/* periods in ten minutes */

static uint32_t
period_of(const struct fm_history *history)
{
	return ((uint32_t)(uint64_t)(history->clock / PERIOD));
}

/* Returns the seconds since the period before began, or the history did. */
static double
period_seconds(const struct fm_history *history)
{
	uint64_t period = (uint64_t)(history->clock / PERIOD);

	return (history->clock -
	    (period == 0 ? 0 : PERIOD * (double)(period - 1)));
}

/*--------------------------------------------------------------------
 * Things, under the lock
 */

/* Adds hits to the numbers of the present period. */
static void
thing_count(struct hits_thing *thing, uint32_t period, uint32_t hits)
{
	if (thing->period != period) {
		if (thing->period / RECENT != period / RECENT)
			thing->recent = 0;
		thing->counts[1] = period == thing->period + 1 ?
		    thing->counts[0] : 0;
		thing->counts[0] = 0;
		thing->period = period;
	}
	thing->hits += hits;
	thing->counts[0] += hits;
	if (__builtin_add_overflow(thing->recent, hits, &thing->recent))
		thing->recent = UINT32_MAX;
}

/*
 * Adds what a host has counted to the history.  A free seat is given at once;
 * fm_hits_sum() gives the others.
 */
static void
thing_draw(struct hits_registry *registry, struct hits_thing *thing,
    const struct fm_history_point *point)
{
	struct fm_history *history = &registry->history;
	uint32_t hits = point->n[FM_HISTORY_REQUESTS];

	if (thing->curve == FM_HISTORY_SEATS &&
	    history->nseats < FM_HISTORY_SEATS) {
		thing->curve = fm_history_find(history, 0);
		fm_history_take(history, thing->curve, thing,
		    thing->recent - hits);
	}
	fm_history_add(history, thing->curve, point);
	if (thing->curve == FM_HISTORY_SEATS && hits > 0 &&
	    (registry->busiest == NULL ||
	    thing->recent > registry->busiest->recent))
		registry->busiest = thing;
}

/* Gives the curve of the host with the fewest requests to a busier one. */
static void
registry_seat(struct hits_registry *registry)
{
	struct fm_history *history = &registry->history;
	struct hits_thing *thing = registry->busiest, *least;
	unsigned seat;

	registry->busiest = NULL;
	if (thing == NULL || thing->curve != FM_HISTORY_SEATS)
		return;
	seat = fm_history_find(history, thing->recent);
	if (seat == FM_HISTORY_SEATS)
		return;
	least = history->seats[seat].owner;
	if (least != NULL) {
		least->curve = FM_HISTORY_SEATS;
		fm_history_leave(history, seat);
	}
	fm_history_take(history, seat, thing, thing->recent);
	thing->curve = seat;
}

/*--------------------------------------------------------------------
 * Sets, under the lock
 */

/*
 * Sets more[n] to the hits of n things from `first` on since the last call.
 * They are read array by array, as neighbours share cache lines.
 */
static void
gather_hits(struct fm_hits *hits, size_t first, size_t n, uint32_t *more)
{
	const uint32_t *counter_of = hits->counter_of + first;
	const size_t stride = hits->arrays.bytes / sizeof *hits->counters;
	const uint64_t *counters = hits->counters;
	uint32_t sum;
	unsigned array;
	size_t i;

	memset(more, 0, n * sizeof *more);
	for (array = 0; array < hits->arrays.n; array++, counters += stride)
		for (i = 0; i < n; i++)
			more[i] += (uint32_t)__atomic_load_n(
			    counters + counter_of[i], __ATOMIC_RELAXED);
	for (i = 0; i < n; i++) {
		sum = more[i];
		more[i] -= hits->gathered[first + i];
		hits->gathered[first + i] = sum;
	}
}

/* Sets more[] to the responses in a row of cells since the last call. */
static void
gather_cells(struct fm_hits *hits, size_t row, uint32_t *more)
{
	const size_t stride = hits->cell_arrays.bytes / sizeof *hits->cells;
	const uint32_t *cell;
	uint32_t *last, sum;
	unsigned k, n;

	last = hits->cells + hits->cell_arrays.n * stride +
	    row * FM_HITS_RESPONSES;
	for (k = 0; k < FM_HITS_RESPONSES; k++) {
		cell = hits->cells + row * FM_HITS_RESPONSES + k;
		for (n = sum = 0; n < hits->cell_arrays.n; n++, cell += stride)
			sum += __atomic_load_n(cell, __ATOMIC_RELAXED);
		more[k] = sum - last[k];
		last[k] = sum;
	}
}

static void
gather_rule(struct fm_hits *hits, size_t i, uint32_t more)
{
	struct hits_registry *registry = hits->registry;

	if (more == 0)
		return;
	registry->hits[FM_HITS_RULE] += more;
	thing_count(hits->things[i], period_of(&registry->history), more);
}

/* Gathers a host with its hits, or what is without one if i = n. */
static void
gather_host(struct fm_hits *hits, size_t i, uint32_t requests)
{
	struct hits_registry *registry = hits->registry;
	struct hits_thing *thing = i < hits->n ? hits->things[i] : NULL;
	uint32_t more[FM_HITS_RESPONSES] = { 0 }, *refused, any = 0;
	struct fm_history_point point;
	unsigned k;

	memset(&point, 0, sizeof point);
	point.n[FM_HISTORY_REQUESTS] = requests;
	refused = &hits->refused[i - hits->nrules];
	if (__atomic_load_n(refused, __ATOMIC_RELAXED) != 0)
		point.n[FM_HISTORY_REFUSED] =
		    __atomic_exchange_n(refused, 0, __ATOMIC_RELAXED);
	if (hits->cells != NULL)
		gather_cells(hits, i - hits->nrules, more);
	for (k = 0; k < FM_HITS_RESPONSES; k++)
		any |= more[k];
	if ((any | requests | point.n[FM_HISTORY_REFUSED]) == 0)
		return;
	point.n[FM_HISTORY_HITS] = more[FM_HITS_HIT];
	point.n[FM_HISTORY_MISSES] = more[FM_HITS_MISS];
	point.n[FM_HISTORY_PASSES] = more[FM_HITS_PASS];
	point.n[FM_HISTORY_4XX] = more[FM_HITS_4XX];
	point.n[FM_HISTORY_5XX] = more[FM_HITS_5XX];
	if (thing == NULL) {
		fm_history_add(&registry->history, FM_HISTORY_SEATS, &point);
		return;
	}
	registry->hits[FM_HITS_HOST] += requests;
	for (k = 0; k < FM_HITS_RESPONSES; k++) {
		thing->responses->n[k] += more[k];
		registry->responses.n[k] += more[k];
	}
	thing_count(thing, period_of(&registry->history), requests);
	thing_draw(registry, thing, &point);
}

/* Gathers from thing *i on, a slice or to the end; returns true at the end. */
static bool
gather_slice(struct fm_hits *hits, size_t *i)
{
	const size_t cells = hits->cells == NULL ? 0 : hits->cell_arrays.n;
	const size_t each = hits->arrays.n + cells * FM_HITS_RESPONSES;
	uint32_t more[BLOCK], *next;
	size_t read = 0, end;

	while (*i <= hits->n && read < SLICE) {
		end = *i + BLOCK < hits->n + 1 ? *i + BLOCK : hits->n + 1;
		gather_hits(hits, *i, end - *i, more);
		read += (end - *i) * each;
		for (next = more; *i < end; ++*i, next++)
			if (*i < hits->nrules)
				gather_rule(hits, *i, *next);
			else
				gather_host(hits, *i, *next);
	}
	return (*i > hits->n);
}

void
fm_hits_gather_set(struct fm_hits *hits)
{
	size_t i = 0;

	while (!gather_slice(hits, &i))
		;
}

/*
 * Sets come and go between two slices.  Those that were there from the first
 * slice to the last are gathered whole: they are in the order of their serials,
 * and the list is looked at from its begin each time.
 */
void
fm_hits_gather(const struct hits_registry *only)
{
	uint64_t serial = UINT64_MAX;
	struct fm_hits *set;
	size_t i = 0;

	do {
		fm_hits_lock();
		for (set = fm_hits_sets; set != NULL; set = set->next)
			if (set->serial <= serial &&
			    (only == NULL || set->registry == only))
				break;
		if (set != NULL) {
			if (set->serial != serial)
				i = 0;
			serial = set->serial;
			if (gather_slice(set, &i)) {
				serial--;
				i = 0;
			}
		}
		fm_hits_unlock();
	} while (set != NULL);
}

void
fm_hits_sum(double now)
{
	struct hits_registry *registry;

	fm_hits_lock();
	for (registry = fm_hits_registries; registry != NULL;
	    registry = registry->next)
		fm_history_advance(&registry->history, now);
	fm_hits_unlock();
	fm_hits_gather(NULL);
	fm_hits_lock();
	for (registry = fm_hits_registries; registry != NULL;
	    registry = registry->next)
		registry_seat(registry);
	fm_hits_unlock();
}

/*--------------------------------------------------------------------
 * What was gathered
 */

/* Returns how often a thing was counted in a period and in the one before. */
static uint32_t
thing_lately(const struct hits_thing *thing, uint32_t period)
{
	if (thing->period == period)
		return (thing->counts[0] + thing->counts[1]);
	return (thing->period + 1 == period ? thing->counts[0] : 0);
}

/* Sets the numbers of thing i. */
static void
thing_read(const struct fm_hits *hits, size_t i, double seconds,
    struct fm_hits_numbers *numbers)
{
	const struct fm_history *history = &hits->registry->history;
	const struct hits_thing *thing = hits->things[i];

	if (numbers->totals != NULL)
		numbers->totals[i] = thing->hits;
	if (numbers->rates != NULL && numbers->rated)
		numbers->rates[i] =
		    thing_lately(thing, period_of(history)) / seconds;
	if (i < hits->nrules)
		return;
	i -= hits->nrules;
	if (numbers->responses != NULL && numbers->responding)
		numbers->responses[i] = *thing->responses;
	if (numbers->history != NULL && thing->curve < FM_HISTORY_SEATS)
		numbers->history->hosts[thing->curve] = (uint32_t)i;
}

/* Copies the history, without the hosts that have its seats. */
static void
history_read(const struct hits_registry *registry,
    struct fm_hits_history *copy)
{
	unsigned seat;

	copy->history = registry->history;
	copy->responding = registry->responding;
	for (seat = 0; seat < FM_HISTORY_SEATS; seat++)
		copy->hosts[seat] = UINT32_MAX;
}

/*
 * All numbers are read in one pass: with many things each is a cache miss, and
 * so are the counters that are gathered before.
 */
void
fm_hits_read(const struct fm_hits *hits, double now,
    struct fm_hits_numbers *numbers)
{
	struct hits_registry *registry;
	double seconds;
	size_t i;

	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	registry = hits->registry;
	fm_hits_lock();
	fm_history_advance(&registry->history, now);
	fm_hits_unlock();
	fm_hits_gather(registry);
	fm_hits_lock();
	seconds = period_seconds(&registry->history);
	numbers->rated = seconds >= 1;
	numbers->responding = registry->responding;
	if (numbers->history != NULL)
		history_read(registry, numbers->history);
	for (i = 0; i < hits->n; i++)
		thing_read(hits, i, seconds, numbers);
	fm_hits_unlock();
}
