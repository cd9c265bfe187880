/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Counters in shards, and the home where a path keeps what was counted.
 *
 *	fm_hits		the counters of one set: an array for each shard
 *	thing		a rule or host of the path, found by its identity; its
 *			hits are `past` (of freed sets) plus those of the sets
 *			that still count
 *	seat		a place in the answers of fm_hits_top(), which show a
 *			bounded number of things: the busiest
 */

#include <sys/mman.h>

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "hits.h"
#include "obj.h"
#include "shard.h"

#define HITS_LINE	64	/* bytes of a cache line, which shards don't
				 * share */

/* A rule or a host of some set of the path. */
struct hits_thing {
	uint64_t		id;
	uint64_t		past;	/* counted by sets that are gone */
	uint64_t		now;	/* counted by sets that are there; only
					 * valid after home_count() */
	uint64_t		base;	/* counted before it got its seat, so
					 * never shown there */
	uint32_t		refs;	/* sets that have it */
	uint32_t		seat;	/* from 1; 0: none */
	uint32_t		next;	/* in its chain, or in the list of free
					 * things; 0: the last */
};

struct hits_seat {
	uint32_t		thing;	/* 0: the seat is free; a thing without
					 * refs may come back, or make room */
	uint64_t		gone;	/* hits shown here of things that are
					 * gone */
};

struct hits_home {
	unsigned		magic;
#define HITS_HOME_MAGIC		0x8d2b60f7
	char			*path;
	struct fm_hits		*sets;		/* that count */
	struct hits_home	*next;

	struct hits_thing	*things;	/* numbered from 1 */
	size_t			nthings;	/* free ones included */
	size_t			nfree;
	uint32_t		free;		/* the first free one, or 0 */
	uint32_t		*chains;	/* by hash of identity: the
						 * first thing, or 0 */
	size_t			room;		/* of things and of chains; a
						 * power of two */

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
	size_t			stride;		/* counters of a shard */
	size_t			nrules;		/* things 0 to nrules - 1 are
						 * rules, the others hosts */
	size_t			n;
	uint32_t		*counter_of;
	uint32_t		*things;	/* their numbers in the home */
	struct hits_home	*home;
	struct fm_hits		*next;		/* in the home */
};

/* Protects the homes, and all that is in them except counters. */
static pthread_mutex_t hits_lock = PTHREAD_MUTEX_INITIALIZER;
static struct hits_home *hits_homes;

static void
hits_lock_take(void)
{
	int error = pthread_mutex_lock(&hits_lock);

	assert(error == 0);
}

static void
hits_lock_drop(void)
{
	int error = pthread_mutex_unlock(&hits_lock);

	assert(error == 0);
}

static enum fm_hits_kind
hits_kind(const struct fm_hits *hits, size_t i)
{
	return (i < hits->nrules ? FM_HITS_RULE : FM_HITS_HOST);
}

static struct hits_thing *
hits_thing(const struct fm_hits *hits, size_t i)
{
	return (&hits->home->things[hits->things[i]]);
}

static uint64_t
hits_sum(const struct fm_hits *hits, size_t i)
{
	const uint64_t *counter = hits->counters + hits->counter_of[i];
	uint64_t sum = 0;
	uint32_t n;

	for (n = 0; n < FM_SHARDS_COUNTED; n++, counter += hits->stride)
		sum += __atomic_load_n(counter, __ATOMIC_RELAXED);
	return (sum);
}

/*--------------------------------------------------------------------
 * Homes and their things, under the lock
 */

/* Returns the home of a path, NULL if there is no memory. */
static struct hits_home *
home_get(const char *path)
{
	struct hits_home *home = hits_homes;

	while (home != NULL && strcmp(home->path, path) != 0)
		home = home->next;
	if (home != NULL)
		return (home);
	FM_OBJ_NEW(home, HITS_HOME_MAGIC);
	if (home == NULL)
		return (NULL);
	home->path = strdup(path);
	if (home->path == NULL) {
		FM_OBJ_FREE(home);
		return (NULL);
	}
	home->next = hits_homes;
	hits_homes = home;
	return (home);
}

/* Frees a home without sets. */
static void
home_leave(struct hits_home *home)
{
	struct hits_home **p = &hits_homes;

	if (home->sets != NULL)
		return;
	while (*p != home)
		p = &(*p)->next;
	*p = home->next;
	free(home->things);
	free(home->chains);
	free(home->path);
	FM_OBJ_FREE(home);
}

static uint32_t *
home_chain(const struct hits_home *home, uint64_t id)
{
	return (&home->chains[((id * 0x9e3779b97f4a7c15ULL) >> 32) &
	    (home->room - 1)]);
}

/* Returns the thing with this identity, 0 if there is none. */
static uint32_t
home_find(const struct hits_home *home, uint64_t id)
{
	uint32_t at = home->room == 0 ? 0 : *home_chain(home, id);

	while (at != 0 && home->things[at].id != id)
		at = home->things[at].next;
	return (at);
}

static void
home_link(struct hits_home *home, uint32_t at)
{
	uint32_t *chain = home_chain(home, home->things[at].id);

	home->things[at].next = *chain;
	*chain = at;
}

/* Makes room for this number of new things.  Returns 0, or -1: no memory. */
static int
home_reserve(struct hits_home *home, size_t more)
{
	struct hits_thing *things;
	uint32_t *chains, i;
	size_t room = 16;

	/* Number 0 stands for no thing. */
	while (room < 1 + home->nthings - home->nfree + more)
		room *= 2;
	if (room <= home->room)
		return (0);
	chains = calloc(room, sizeof *chains);
	things = reallocarray(home->things, room, sizeof *things);
	if (things != NULL)
		home->things = things;
	if (chains == NULL || things == NULL) {
		free(chains);
		return (-1);
	}
	free(home->chains);
	home->chains = chains;
	home->room = room;
	for (i = 1; i <= home->nthings; i++)
		if (home->things[i].refs > 0 || home->things[i].seat > 0)
			home_link(home, i);
	return (0);
}

/* Returns the thing with this identity, a new one if there is none yet. */
static uint32_t
home_thing(struct hits_home *home, uint64_t id)
{
	uint32_t at = home_find(home, id);

	if (at != 0)
		return (at);
	at = home->free;
	if (at != 0) {
		home->free = home->things[at].next;
		home->nfree--;
	} else {
		at = (uint32_t)++home->nthings;
		assert(at < home->room);
	}
	home->things[at] = (struct hits_thing){ .id = id };
	home_link(home, at);
	return (at);
}

/* Frees a thing that no set has any more. */
static void
home_forget(struct hits_home *home, uint32_t at)
{
	struct hits_thing *thing = &home->things[at];
	uint32_t *p = home_chain(home, thing->id);

	while (*p != at)
		p = &home->things[*p].next;
	*p = thing->next;
	thing->next = home->free;
	home->free = at;
	home->nfree++;
}

/*
 * Sets `now` of each thing to the hits that the present sets have counted, and
 * all[] to the hits of each kind that were ever counted.
 */
static void
home_count(struct hits_home *home, uint64_t all[FM_HITS_KINDS])
{
	const struct fm_hits *set;
	uint64_t sum;
	size_t i;

	for (i = 1; i <= home->nthings; i++)
		home->things[i].now = 0;
	memcpy(all, home->past, sizeof home->past);
	for (set = home->sets; set != NULL; set = set->next)
		for (i = 0; i < set->n; i++) {
			/* Workers count on: read it once for both sums. */
			sum = hits_sum(set, i);
			hits_thing(set, i)->now += sum;
			all[hits_kind(set, i)] += sum;
		}
}

/*--------------------------------------------------------------------
 * The busiest, and the others, under the lock, after home_count()
 */

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
 * Returns the busiest thing of a kind without a seat (on a tie, the first in
 * the set); 0 if all have one.  Sets *n to the number of things without a seat.
 */
static uint32_t
seat_next(const struct fm_hits *hits, enum fm_hits_kind kind, size_t *n)
{
	const struct hits_thing *thing, *best = NULL;
	uint32_t at = 0;
	size_t i;

	*n = 0;
	for (i = 0; i < hits->n; i++) {
		thing = hits_thing(hits, i);
		if (thing->seat != 0 || hits_kind(hits, i) != kind)
			continue;
		++*n;
		if (best == NULL || thing_hits(thing) > thing_hits(best)) {
			best = thing;
			at = hits->things[i];
		}
	}
	return (at);
}

/* Returns true if nobody has the seat, or (gone) one that is gone. */
static bool
seat_is_free(const struct hits_home *home, const struct hits_seat *seat,
    bool gone)
{
	if (seat->thing == 0 || !gone)
		return (seat->thing == 0);
	return (home->things[seat->thing].refs == 0);
}

/* Gives a seat to a thing, and forgets who had it. */
static void
seat_give(struct hits_home *home, enum fm_hits_kind kind,
    struct hits_seat *seat, uint32_t at)
{
	struct hits_thing *thing = &home->things[at];

	if (seat->thing != 0) {
		seat->gone += thing_shows(&home->things[seat->thing]);
		home->things[seat->thing].seat = 0;
		home_forget(home, seat->thing);
	}
	seat->thing = at;
	thing->seat = (uint32_t)(seat - home->seats[kind]) + 1;
	thing->base = home->asked ? thing_hits(thing) : 0;
}

/* Gives the free seats of a kind to things of this set. */
static void
seats_give(const struct fm_hits *hits, enum fm_hits_kind kind)
{
	struct hits_home *home = hits->home;
	struct hits_seat *seats = home->seats[kind];
	size_t nfree = 0, n;
	uint32_t i, at;
	int gone;

	for (i = 0; i < home->limit; i++)
		nfree += seat_is_free(home, &seats[i], true);
	for (gone = 0; gone < 2; gone++)
		for (i = 0; nfree > 0 && i < home->limit; i++) {
			if (!seat_is_free(home, &seats[i], gone))
				continue;
			at = seat_next(hits, kind, &n);
			if (at == 0 || (n > nfree &&
			    thing_hits(&home->things[at]) == 0))
				return;
			seat_give(home, kind, &seats[i], at);
			nfree--;
		}
}

/* Returns the hits that the first `limit` seats neither show nor have shown. */
static uint64_t
seats_other(const struct hits_home *home, enum fm_hits_kind kind,
    uint32_t limit, uint64_t all)
{
	const struct hits_seat *seat = home->seats[kind];

	for (; seat < home->seats[kind] + limit; seat++) {
		all -= seat->gone;
		if (seat->thing != 0)
			all -= thing_shows(&home->things[seat->thing]);
	}
	return (all);
}

void
fm_hits_top(const struct fm_hits *hits, uint32_t limit, uint64_t *counts,
    uint64_t others[FM_HITS_KINDS])
{
	const struct hits_thing *thing;
	struct hits_home *home;
	unsigned kind;
	size_t i;

	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	assert(limit <= FM_HITS_TOP);
	hits_lock_take();
	home = hits->home;
	home_count(home, others);
	if (home->limit < limit)
		home->limit = limit;
	for (kind = 0; kind < FM_HITS_KINDS; kind++) {
		seats_give(hits, (enum fm_hits_kind)kind);
		others[kind] = seats_other(home, (enum fm_hits_kind)kind,
		    limit, others[kind]);
	}
	home->asked = true;
	for (i = 0; i < hits->n; i++) {
		thing = hits_thing(hits, i);
		counts[i] = thing->seat == 0 || thing->seat > limit ?
		    FM_HITS_OTHER : thing_shows(thing);
	}
	hits_lock_drop();
}

void
fm_hits_totals(const struct fm_hits *hits, uint64_t *totals)
{
	uint64_t all[FM_HITS_KINDS];
	size_t i;

	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	hits_lock_take();
	home_count(hits->home, all);
	for (i = 0; i < hits->n; i++)
		totals[i] = thing_hits(hits_thing(hits, i));
	hits_lock_drop();
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
	return (FM_SHARDS_COUNTED * hits->stride * sizeof *hits->counters);
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

/* Adds a set to its home, under the lock.  Returns 0, or -1: no memory. */
static int
hits_join(struct fm_hits *hits, struct hits_home *home, const uint64_t *ids)
{
	uint64_t all[FM_HITS_KINDS];
	size_t i, more = 0;
	unsigned kind;

	for (i = 0; i < hits->n; i++)
		more += home_find(home, ids[i]) == 0;
	if (home_reserve(home, more) != 0)
		return (-1);
	for (i = 0; i < hits->n; i++) {
		hits->things[i] = home_thing(home, ids[i]);
		home->things[hits->things[i]].refs++;
	}
	hits->home = home;
	hits->next = home->sets;
	home->sets = hits;
	if (!home->asked)
		return (0);
	/* A new thing gets its seat before its first hit. */
	home_count(home, all);
	for (kind = 0; kind < FM_HITS_KINDS; kind++)
		seats_give(hits, (enum fm_hits_kind)kind);
	return (0);
}

struct fm_hits *
fm_hits_new(const char *path, const uint64_t *ids, const uint32_t *counter_of,
    size_t nrules, size_t nhosts, uint32_t ncounters)
{
	struct hits_home *home;
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
	hits_lock_take();
	home = home_get(path);
	if (home != NULL) {
		failed = hits_join(hits, home, ids);
		home_leave(home);
	}
	hits_lock_drop();
	if (failed == 0)
		return (hits);
	hits_destroy(hits);
	return (NULL);
}

void
fm_hits_free(struct fm_hits **hitsp)
{
	struct hits_thing *thing;
	struct hits_home *home;
	struct fm_hits *hits, **p;
	uint64_t sum;
	size_t i;

	FM_OBJ_TAKE(hits, hitsp, FM_HITS_MAGIC);
	hits_lock_take();
	home = hits->home;
	FM_OBJ_CHECK(home, HITS_HOME_MAGIC);
	for (i = 0; i < hits->n; i++) {
		sum = hits_sum(hits, i);
		home->past[hits_kind(hits, i)] += sum;
		thing = hits_thing(hits, i);
		thing->past += sum;
		thing->now = 0;
		/* what was shown waits in its seat, and may come back */
		if (--thing->refs == 0 && thing->seat == 0)
			home_forget(home, hits->things[i]);
	}
	for (p = &home->sets; *p != hits; p = &(*p)->next)
		;
	*p = hits->next;
	home_leave(home);
	hits_lock_drop();
	hits_destroy(hits);
}

uint64_t *
fm_hits_shard(const struct fm_hits *hits, unsigned shard)
{
	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	assert(shard < FM_SHARDS_COUNTED);
	return (hits->counters + shard * hits->stride);
}

size_t
fm_hits_bytes(const struct fm_hits *hits)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t used = cpus > 0 && cpus < FM_SHARDS ? (size_t)cpus : FM_SHARDS;

	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	/* The pages of the other shards are never touched. */
	return (sizeof *hits + counters_bytes(hits) / FM_SHARDS * used +
	    hits->n * (sizeof *hits->counter_of + sizeof *hits->things +
	    sizeof(struct hits_thing)));
}
