/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Counters in shards, and the registry where a path keeps what was counted.
 *
 *	fm_hits		the counters of one set: an array for each shard, or
 *			a few arrays that threads share
 *	thing		a rule or host of the path, found by its identity; its
 *			hits are `past` (of freed sets) plus those of the sets
 *			that still count
 *	seat		a place in the answers of fm_hits_top(), which show a
 *			bounded number of things: the busiest
 */

#include <sys/mman.h>

#include <search.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "hits.h"
#include "obj.h"
#include "shard.h"
#include "thread.h"

#define HITS_LINE	64	/* bytes of a cache line, which shards don't
				 * share */

/*
 * The arrays of a set take at most this number of bytes, but there are at least
 * HITS_FEW.  With 400,000 counters (3.2 MB) a set has ten arrays, on 128 CPUs,
 * too: two threads rarely count the same host at the same moment.
 */
#define HITS_ROOM	(32UL << 20)
#define HITS_FEW	4U

/* A rule or a host of some set of the path. */
struct hits_thing {
	uint64_t		id;
	uint64_t		past;	/* counted by sets that are gone */
	uint64_t		now;	/* counted by sets that are there; only
					 * valid after registry_count() */
	uint64_t		base;	/* counted before it got its seat, so
					 * never shown there */
	uint32_t		refs;	/* sets that have it */
	struct hits_seat	*seat;	/* or NULL */
};

struct hits_seat {
	struct hits_thing	*thing;	/* NULL: the seat is free */
	uint64_t		gone;	/* hits shown here of things that are
					 * gone */
};

/*
 * Three hosts, and a limit of 2: .metrics() shows a and b by themselves.
 *
 *	things	a now 9, seat 0		b now 4, seat 1		c now 3, no seat
 *	seats	0 -> a			1 -> b
 *	others	3
 */
struct hits_registry {
	unsigned		magic;
#define HITS_REGISTRY_MAGIC		0x8d2b60f7
	char			*path;
	struct fm_hits		*sets;		/* that count */
	struct hits_registry	*next;

	void			*things;	/* tsearch(3), by identity */

	bool			asked;		/* fm_hits_top() was called */
	uint32_t		limit;		/* its greatest limit */
	struct hits_seat	seats[FM_HITS_KINDS][FM_HITS_TOP];
	uint64_t		past[FM_HITS_KINDS];	/* of all things, by
							 * sets that are gone */
};

struct fm_hits {
	unsigned		magic;
#define FM_HITS_MAGIC		0x417fce39
	uint64_t		*counters;	/* by mmap() */
	size_t			stride;		/* counters of an array */
	unsigned		narrays;
	bool			shared;		/* by all threads: there are
						 * fewer arrays than shards */
	size_t			nrules;		/* things 0 to nrules - 1 are
						 * rules, the others hosts */
	size_t			n;
	uint32_t		*counter_of;
	struct hits_thing	**things;
	struct hits_registry	*registry;
	struct fm_hits		*next;		/* in the registry */
};

/* Protects the registries, and all that is in them except counters. */
static pthread_mutex_t hits_lock = PTHREAD_MUTEX_INITIALIZER;
static struct hits_registry *hits_registries;

static enum fm_hits_kind
hits_kind(const struct fm_hits *hits, size_t i)
{
	return (i < hits->nrules ? FM_HITS_RULE : FM_HITS_HOST);
}

static uint64_t
hits_sum(const struct fm_hits *hits, size_t i)
{
	const uint64_t *counter = hits->counters + hits->counter_of[i];
	uint64_t sum = 0;
	uint32_t n;

	for (n = 0; n < hits->narrays; n++, counter += hits->stride)
		sum += __atomic_load_n(counter, __ATOMIC_RELAXED);
	return (sum);
}

/*--------------------------------------------------------------------
 * Registries and their things, under the lock
 */

/* Returns the registry of a path, NULL if there is no memory. */
static struct hits_registry *
registry_get(const char *path)
{
	struct hits_registry *registry = hits_registries;

	while (registry != NULL && strcmp(registry->path, path) != 0)
		registry = registry->next;
	if (registry != NULL)
		return (registry);
	FM_OBJ_NEW(registry, HITS_REGISTRY_MAGIC);
	if (registry == NULL)
		return (NULL);
	registry->path = strdup(path);
	if (registry->path == NULL) {
		FM_OBJ_FREE(registry);
		return (NULL);
	}
	registry->next = hits_registries;
	hits_registries = registry;
	return (registry);
}

/* Frees a registry without sets. */
static void
registry_leave(struct hits_registry *registry)
{
	struct hits_registry **p = &hits_registries;

	if (registry->sets != NULL)
		return;
	while (*p != registry)
		p = &(*p)->next;
	*p = registry->next;
	free(registry->path);
	FM_OBJ_FREE(registry);
}

static int
thing_order(const void *a, const void *b)
{
	const struct hits_thing *one = a, *other = b;

	return ((one->id > other->id) - (one->id < other->id));
}

static uint64_t
thing_hits(const struct hits_thing *thing)
{
	return (thing->past + thing->now);
}

static uint64_t
thing_shows(const struct hits_thing *thing)
{
	return (thing_hits(thing) - thing->base);
}

/*
 * Returns the thing with this identity, with one more reference; NULL if there
 * is no memory.
 */
static struct hits_thing *
registry_hold(struct hits_registry *registry, uint64_t id)
{
	const struct hits_thing key = { .id = id };
	struct hits_thing * const *node, *thing;

	node = tfind(&key, &registry->things, thing_order);
	if (node != NULL) {
		(*node)->refs++;
		return (*node);
	}
	thing = calloc(1, sizeof *thing);
	if (thing == NULL)
		return (NULL);
	thing->id = id;
	thing->refs = 1;
	if (tsearch(thing, &registry->things, thing_order) != NULL)
		return (thing);
	free(thing);
	return (NULL);
}

/* Drops a reference; the last one frees the thing, and its seat. */
static void
registry_drop(struct hits_registry *registry, struct hits_thing *thing)
{
	if (--thing->refs > 0)
		return;
	if (thing->seat != NULL) {
		thing->seat->gone += thing_shows(thing);
		thing->seat->thing = NULL;
	}
	(void)tdelete(thing, &registry->things, thing_order);
	free(thing);
}

/*
 * Sets `now` of each thing to the hits that the present sets have counted, and
 * all[] to the hits of each kind that were ever counted.
 */
static void
registry_count(struct hits_registry *registry, uint64_t all[FM_HITS_KINDS])
{
	const struct fm_hits *set;
	uint64_t sum;
	size_t i;

	for (set = registry->sets; set != NULL; set = set->next)
		for (i = 0; i < set->n; i++)
			set->things[i]->now = 0;
	memcpy(all, registry->past, sizeof registry->past);
	for (set = registry->sets; set != NULL; set = set->next)
		for (i = 0; i < set->n; i++) {
			/* Workers count on: read it once for both sums. */
			sum = hits_sum(set, i);
			set->things[i]->now += sum;
			all[hits_kind(set, i)] += sum;
		}
}

/*--------------------------------------------------------------------
 * The busiest, and the others, under the lock, after registry_count()
 */

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
		if (thing->seat != NULL || hits_kind(hits, i) != kind)
			continue;
		++*n;
		if (best == NULL || thing_hits(thing) > thing_hits(best))
			best = thing;
	}
	return (best);
}

/* Gives the free seats of a kind to things of this set. */
static void
seats_give(const struct fm_hits *hits, enum fm_hits_kind kind)
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
		if (thing == NULL || (n > nfree && thing_hits(thing) == 0))
			return;
		seats[i].thing = thing;
		thing->seat = &seats[i];
		thing->base = registry->asked ? thing_hits(thing) : 0;
		nfree--;
	}
}

/* Returns the hits that the first `limit` seats neither show nor have shown. */
static uint64_t
seats_other(const struct hits_registry *registry, enum fm_hits_kind kind,
    uint32_t limit, uint64_t all)
{
	const struct hits_seat *seat = registry->seats[kind];

	for (; seat < registry->seats[kind] + limit; seat++) {
		all -= seat->gone;
		if (seat->thing != NULL)
			all -= thing_shows(seat->thing);
	}
	return (all);
}

void
fm_hits_top(const struct fm_hits *hits, uint32_t limit, uint64_t *counts,
    uint64_t others[FM_HITS_KINDS])
{
	const struct hits_thing *thing;
	struct hits_registry *registry;
	unsigned kind;
	size_t i;

	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	assert(limit <= FM_HITS_TOP);
	fm_mutex_lock(&hits_lock);
	registry = hits->registry;
	registry_count(registry, others);
	if (registry->limit < limit)
		registry->limit = limit;
	for (kind = 0; kind < FM_HITS_KINDS; kind++) {
		seats_give(hits, (enum fm_hits_kind)kind);
		others[kind] = seats_other(registry, (enum fm_hits_kind)kind,
		    limit, others[kind]);
	}
	registry->asked = true;
	for (i = 0; i < hits->n; i++) {
		thing = hits->things[i];
		counts[i] = thing->seat == NULL || thing->seat >=
		    &registry->seats[hits_kind(hits, i)][limit] ?
		    FM_HITS_OTHER : thing_shows(thing);
	}
	fm_mutex_unlock(&hits_lock);
}

void
fm_hits_totals(const struct fm_hits *hits, uint64_t *totals)
{
	uint64_t all[FM_HITS_KINDS];
	size_t i;

	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	fm_mutex_lock(&hits_lock);
	registry_count(hits->registry, all);
	for (i = 0; i < hits->n; i++)
		totals[i] = thing_hits(hits->things[i]);
	fm_mutex_unlock(&hits_lock);
}

/*--------------------------------------------------------------------
 * Sets
 */

/*
 * Returns zeroed counters of their own pages.  A page takes memory only once it
 * is written to.  Huge pages would take all the memory at the first write.
 */
static uint64_t *
counters_new(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return (NULL);
	(void)madvise(p, bytes, MADV_NOHUGEPAGE);
	return (p);
}

static size_t
counters_bytes(const struct fm_hits *hits)
{
	return (hits->narrays * hits->stride * sizeof *hits->counters);
}

static void
hits_destroy(struct fm_hits *hits)
{
	if (hits->counters != NULL)
		(void)munmap(hits->counters, counters_bytes(hits));
	free(hits->counter_of);
	free(hits->things);
	FM_OBJ_FREE(hits);
}

/* Sets how many arrays of counters there are, and who counts in each. */
static void
hits_divide(struct fm_hits *hits)
{
	size_t fit = HITS_ROOM / (hits->stride * sizeof *hits->counters);

	hits->narrays = fm_shards + 1;
	if (fit < HITS_FEW)
		fit = HITS_FEW;
	if (fit < hits->narrays) {
		hits->narrays = (unsigned)fit;
		hits->shared = true;
	}
}

static struct fm_hits *
hits_make(size_t nrules, size_t n, uint32_t ncounters)
{
	const size_t line = HITS_LINE / sizeof(uint64_t);
	struct fm_hits *hits;

	FM_OBJ_NEW(hits, FM_HITS_MAGIC);
	if (hits == NULL)
		return (NULL);
	hits->nrules = nrules;
	hits->n = n;
	hits->stride = ((size_t)ncounters / line + 1) * line;
	hits_divide(hits);
	hits->counters = counters_new(counters_bytes(hits));
	hits->counter_of = calloc(n + 1, sizeof *hits->counter_of);
	hits->things = calloc(n + 1, sizeof *hits->things);
	if (hits->counters == NULL || hits->counter_of == NULL ||
	    hits->things == NULL) {
		hits_destroy(hits);
		return (NULL);
	}
	return (hits);
}

/* Adds a set to its registry, under the lock.  Returns 0, or -1: no memory. */
static int
hits_join(struct fm_hits *hits, struct hits_registry *registry,
    const uint64_t *ids)
{
	uint64_t all[FM_HITS_KINDS];
	unsigned kind;
	size_t i;

	for (i = 0; i < hits->n; i++) {
		hits->things[i] = registry_hold(registry, ids[i]);
		if (hits->things[i] != NULL)
			continue;
		while (i-- > 0)
			registry_drop(registry, hits->things[i]);
		return (-1);
	}
	hits->registry = registry;
	hits->next = registry->sets;
	registry->sets = hits;
	if (!registry->asked)
		return (0);
	/* A new thing gets its seat before its first hit. */
	registry_count(registry, all);
	for (kind = 0; kind < FM_HITS_KINDS; kind++)
		seats_give(hits, (enum fm_hits_kind)kind);
	return (0);
}

struct fm_hits *
fm_hits_new(const char *path, const uint64_t *ids, const uint32_t *counter_of,
    size_t nrules, size_t nhosts, uint32_t ncounters)
{
	struct hits_registry *registry;
	struct fm_hits *hits;
	int failed = -1;
	size_t i;

	assert(path != NULL);
	hits = hits_make(nrules, nrules + nhosts, ncounters);
	if (hits == NULL)
		return (NULL);
	for (i = 0; i < hits->n; i++) {
		assert(counter_of[i] < ncounters);
		hits->counter_of[i] = counter_of[i];
	}
	fm_mutex_lock(&hits_lock);
	registry = registry_get(path);
	if (registry != NULL) {
		failed = hits_join(hits, registry, ids);
		registry_leave(registry);
	}
	fm_mutex_unlock(&hits_lock);
	if (failed == 0)
		return (hits);
	hits_destroy(hits);
	return (NULL);
}

void
fm_hits_free(struct fm_hits **hitsp)
{
	struct hits_thing *thing;
	struct hits_registry *registry;
	struct fm_hits *hits, **p;
	uint64_t sum;
	size_t i;

	FM_OBJ_TAKE(hits, hitsp, FM_HITS_MAGIC);
	fm_mutex_lock(&hits_lock);
	registry = hits->registry;
	FM_OBJ_CHECK(registry, HITS_REGISTRY_MAGIC);
	for (i = 0; i < hits->n; i++) {
		sum = hits_sum(hits, i);
		registry->past[hits_kind(hits, i)] += sum;
		thing = hits->things[i];
		thing->past += sum;
		thing->now = 0;
		registry_drop(registry, thing);
	}
	for (p = &registry->sets; *p != hits; p = &(*p)->next)
		;
	*p = hits->next;
	registry_leave(registry);
	fm_mutex_unlock(&hits_lock);
	hits_destroy(hits);
}

uint64_t *
fm_hits_shard(const struct fm_hits *hits, unsigned shard, bool *own)
{
	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	assert(shard <= fm_shards);
	*own = !hits->shared && fm_shard_is_own(shard);
	if (hits->shared)
		shard %= hits->narrays;
	return (hits->counters + shard * hits->stride);
}

size_t
fm_hits_bytes(const struct fm_hits *hits)
{
	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	/* A node of tsearch(3) takes four words. */
	return (sizeof *hits + counters_bytes(hits) +
	    hits->n * (sizeof *hits->counter_of + sizeof *hits->things +
	    sizeof(struct hits_thing) + 4 * sizeof(void *)));
}
