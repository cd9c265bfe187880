/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The busiest rules and hosts, which .metrics() shows by themselves, and the
 * sum of the others.
 */

#include <string.h>

#include "hits_priv.h"

/* Sets *sum to the numbers of a thing. */
static void
thing_sum(const struct hits_thing *thing, enum fm_hits_kind kind,
    struct hits_sum *sum)
{
	memset(sum, 0, sizeof *sum);
	sum->hits = thing->hits;
	if (kind == FM_HITS_HOST)
		sum->responses = *thing->responses;
}

static void
sum_add(struct hits_sum *sum, const struct hits_sum *more)
{
	unsigned k;

	sum->hits += more->hits;
	for (k = 0; k < FM_HITS_RESPONSES; k++)
		sum->responses.n[k] += more->responses.n[k];
}

static void
sum_subtract(struct hits_sum *sum, const struct hits_sum *less)
{
	unsigned k;

	sum->hits -= less->hits;
	for (k = 0; k < FM_HITS_RESPONSES; k++)
		sum->responses.n[k] -= less->responses.n[k];
}

/* Sets *sum to what a thing shows at its seat. */
static void
thing_shows(const struct hits_thing *thing, enum fm_hits_kind kind,
    struct hits_sum *sum)
{
	thing_sum(thing, kind, sum);
	sum_subtract(sum, &thing->seat->base);
}

void
fm_hits_seat_leave(struct hits_thing *thing, enum fm_hits_kind kind)
{
	struct hits_sum shown;

	if (thing->seat == NULL)
		return;
	thing_shows(thing, kind, &shown);
	sum_add(&thing->seat->gone, &shown);
	thing->seat->thing = NULL;
	thing->seat = NULL;
}

/*
 * Returns the busiest thing of a kind without a seat (on a tie, the first in
 * the set); NULL if all have one.  Sets *n to the number of things without a
 * seat.
 */
static struct hits_thing *
seat_next(const struct fm_hits *hits, enum fm_hits_kind kind, size_t *n)
{
	struct hits_thing *thing, *best = NULL;
	size_t i;

	*n = 0;
	for (i = 0; i < hits->n; i++) {
		thing = hits->things[i];
		if (thing->seat != NULL || fm_hits_kind(hits, i) != kind)
			continue;
		++*n;
		if (best == NULL || thing->hits > best->hits)
			best = thing;
	}
	return (best);
}

void
fm_hits_seats_give(const struct fm_hits *hits, enum fm_hits_kind kind)
{
	struct hits_registry *registry = hits->registry;
	struct hits_seat *seats = registry->seats[kind];
	struct hits_thing *thing;
	size_t nfree = 0, n;
	uint32_t i;

	for (i = 0; i < registry->limit; i++)
		nfree += seats[i].thing == NULL;
	for (i = 0; nfree > 0 && i < registry->limit; i++) {
		if (seats[i].thing != NULL)
			continue;
		thing = seat_next(hits, kind, &n);
		if (thing == NULL || (n > nfree && thing->hits == 0))
			return;
		seats[i].thing = thing;
		thing->seat = &seats[i];
		if (registry->asked)
			thing_sum(thing, kind, &seats[i].base);
		nfree--;
	}
}

/* Subtracts what the first `limit` seats show or have shown from all. */
static void
seats_other(const struct hits_registry *registry, enum fm_hits_kind kind,
    uint32_t limit, struct hits_sum *all)
{
	const struct hits_seat *seat = registry->seats[kind];
	struct hits_sum shown;

	for (; seat < registry->seats[kind] + limit; seat++) {
		sum_subtract(all, &seat->gone);
		if (seat->thing == NULL)
			continue;
		thing_shows(seat->thing, kind, &shown);
		sum_subtract(all, &shown);
	}
}

/* Sets what each thing shows, after all seats were given. */
static void
seats_show(const struct fm_hits *hits, uint32_t limit, uint64_t *counts,
    struct fm_hits_responses *responses)
{
	const struct hits_registry *registry = hits->registry;
	const struct hits_thing *thing;
	enum fm_hits_kind kind;
	struct hits_sum shown;
	size_t i;

	for (i = 0; i < hits->n; i++) {
		thing = hits->things[i];
		kind = fm_hits_kind(hits, i);
		counts[i] = FM_HITS_OTHER;
		if (thing->seat == NULL ||
		    thing->seat >= &registry->seats[kind][limit])
			continue;
		thing_shows(thing, kind, &shown);
		counts[i] = shown.hits;
		if (registry->responding && kind == FM_HITS_HOST)
			responses[i - hits->nrules] = shown.responses;
	}
}

bool
fm_hits_top(const struct fm_hits *hits, uint32_t limit, uint64_t *counts,
    uint64_t others[FM_HITS_KINDS], struct fm_hits_responses *responses)
{
	struct hits_registry *registry;
	struct hits_sum sum;
	unsigned kind;
	bool known;

	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	assert(limit <= FM_HITS_TOP);
	registry = hits->registry;
	fm_hits_gather(registry);
	fm_hits_lock();
	known = registry->responding;
	if (registry->limit < limit)
		registry->limit = limit;
	for (kind = 0; kind < FM_HITS_KINDS; kind++) {
		fm_hits_seats_give(hits, (enum fm_hits_kind)kind);
		sum.hits = registry->hits[kind];
		sum.responses = registry->responses;
		seats_other(registry, (enum fm_hits_kind)kind, limit, &sum);
		others[kind] = sum.hits;
		if (kind == FM_HITS_HOST && known)
			responses[hits->nhosts] = sum.responses;
	}
	registry->asked = true;
	seats_show(hits, limit, counts, responses);
	fm_hits_unlock();
	return (known);
}
