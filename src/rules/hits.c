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
 *	cell		a counter of 32 bits for responses, in arrays of their
 *			own; set_gather() adds the cells of a set to things
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
	uint32_t		refs;	/* sets that have it */
	struct hits_seat	*seat;	/* or NULL */
	struct fm_hits_responses responses[];	/* a host has one */
};

/* Numbers of a thing, or of several. */
struct hits_sum {
	uint64_t		hits;
	struct fm_hits_responses responses;
};

struct hits_seat {
	struct hits_thing	*thing;	/* NULL: the seat is free */
	struct hits_sum		base;	/* the thing had these before it got
					 * the seat, so never shown here */
	struct hits_sum		gone;	/* shown here, of things that are
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

	bool			responding;	/* responses are wanted */
	struct fm_hits_responses responses;	/* of all hosts, ever */
};

/* Arrays of counters: one for each shard, or a few that threads share. */
struct hits_arrays {
	size_t			bytes;	/* of one: whole cache lines */
	unsigned		n;
	bool			shared;
};

struct fm_hits {
	unsigned		magic;
#define FM_HITS_MAGIC		0x417fce39
	uint64_t		*counters;	/* by mmap() */
	struct hits_arrays	arrays;		/* of counters */

	/*
	 * Cells of responses, by mmap(): each host has FM_HITS_RESPONSES in a
	 * row.  One more array after those of threads has the sums of the cells
	 * that were added to the things, modulo 2^32.  NULL: not wanted.
	 */
	uint32_t		*cells;
	struct hits_arrays	cell_arrays;

	uint32_t		ncounters;
	size_t			nrules;		/* things 0 to nrules - 1 are
						 * rules, the others hosts */
	size_t			nhosts;
	size_t			n;		/* nrules + nhosts */
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

static size_t
counters_stride(const struct fm_hits *hits)
{
	return (hits->arrays.bytes / sizeof *hits->counters);
}

static size_t
cells_stride(const struct fm_hits *hits)
{
	return (hits->cell_arrays.bytes / sizeof *hits->cells);
}

static uint64_t
set_hits(const struct fm_hits *hits, size_t i)
{
	const uint64_t *counter = hits->counters + hits->counter_of[i];
	uint64_t sum = 0;
	uint32_t n;

	for (n = 0; n < hits->arrays.n; n++, counter += counters_stride(hits))
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

/* Sets *sum to the numbers of a thing. */
static void
thing_sum(const struct hits_thing *thing, enum fm_hits_kind kind,
    struct hits_sum *sum)
{
	memset(sum, 0, sizeof *sum);
	sum->hits = thing_hits(thing);
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

static size_t
thing_bytes(enum fm_hits_kind kind)
{
	return (sizeof(struct hits_thing) + (kind == FM_HITS_HOST ?
	    sizeof(struct fm_hits_responses) : 0));
}

/*
 * Returns the thing with this identity, with one more reference; NULL if there
 * is no memory.
 */
static struct hits_thing *
registry_hold(struct hits_registry *registry, enum fm_hits_kind kind,
    uint64_t id)
{
	const struct hits_thing key = { .id = id };
	struct hits_thing * const *node, *thing;

	node = tfind(&key, &registry->things, thing_order);
	if (node != NULL) {
		(*node)->refs++;
		return (*node);
	}
	thing = calloc(1, thing_bytes(kind));
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
registry_drop(struct hits_registry *registry, enum fm_hits_kind kind,
    struct hits_thing *thing)
{
	struct hits_sum shown;

	if (--thing->refs > 0)
		return;
	if (thing->seat != NULL) {
		thing_shows(thing, kind, &shown);
		sum_add(&thing->seat->gone, &shown);
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
			sum = set_hits(set, i);
			set->things[i]->now += sum;
			all[hits_kind(set, i)] += sum;
		}
}

/*
 * Adds the responses that a set has counted since the last call to its hosts.
 * The sum of all cells of a kind and its last value are modulo 2^32, and so is
 * their difference, which is what was added: so cells need no reset, which
 * threads that count without atomic operations could undo.
 */
static void
set_gather(struct fm_hits *hits)
{
	struct hits_registry *registry = hits->registry;
	const size_t stride = cells_stride(hits);
	uint32_t *last = hits->cells + hits->cell_arrays.n * stride, *cell;
	uint32_t sum, more;
	size_t host;
	unsigned k, n;

	for (host = 0; host < hits->nhosts; host++)
		for (k = 0; k < FM_HITS_RESPONSES; k++, last++) {
			cell = hits->cells + host * FM_HITS_RESPONSES + k;
			for (n = sum = 0; n < hits->cell_arrays.n; n++)
				sum += __atomic_load_n(cell + n * stride,
				    __ATOMIC_RELAXED);
			more = sum - *last;
			if (more == 0)
				continue;
			*last = sum;
			hits->things[hits->nrules + host]->responses->n[k] +=
			    more;
			registry->responses.n[k] += more;
		}
}

static void
registry_gather(struct hits_registry *registry)
{
	struct fm_hits *set;

	for (set = registry->sets; set != NULL; set = set->next)
		if (set->cells != NULL)
			set_gather(set);
}

void
fm_hits_sum(void)
{
	struct hits_registry *registry;

	fm_mutex_lock(&hits_lock);
	for (registry = hits_registries; registry != NULL;
	    registry = registry->next)
		registry_gather(registry);
	fm_mutex_unlock(&hits_lock);
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
		kind = hits_kind(hits, i);
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
	fm_mutex_lock(&hits_lock);
	registry = hits->registry;
	known = registry->responding;
	registry_count(registry, others);
	registry_gather(registry);
	if (registry->limit < limit)
		registry->limit = limit;
	for (kind = 0; kind < FM_HITS_KINDS; kind++) {
		seats_give(hits, (enum fm_hits_kind)kind);
		sum.hits = others[kind];
		sum.responses = registry->responses;
		seats_other(registry, (enum fm_hits_kind)kind, limit, &sum);
		others[kind] = sum.hits;
		if (kind == FM_HITS_HOST && known)
			responses[hits->nhosts] = sum.responses;
	}
	registry->asked = true;
	seats_show(hits, limit, counts, responses);
	fm_mutex_unlock(&hits_lock);
	return (known);
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

bool
fm_hits_responses(const struct fm_hits *hits,
    struct fm_hits_responses *responses)
{
	struct hits_registry *registry;
	size_t host;
	bool known;

	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	fm_mutex_lock(&hits_lock);
	registry = hits->registry;
	known = registry->responding;
	registry_gather(registry);
	for (host = 0; known && host < hits->nhosts; host++)
		responses[host] = *hits->things[hits->nrules + host]->responses;
	fm_mutex_unlock(&hits_lock);
	return (known);
}

/*--------------------------------------------------------------------
 * Sets
 */

/*
 * Returns zeroed memory of its own pages.  A page takes memory only once it is
 * written to.  Huge pages would take all the memory at the first write.
 */
static void *
pages_new(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return (NULL);
	(void)madvise(p, bytes, MADV_NOHUGEPAGE);
	return (p);
}

/* Sets how many arrays of these bytes there are, and who counts in each. */
static void
arrays_divide(struct hits_arrays *arrays, size_t bytes)
{
	size_t fit;

	arrays->bytes = (bytes / HITS_LINE + 1) * HITS_LINE;
	arrays->n = fm_shards + 1;
	fit = HITS_ROOM / arrays->bytes;
	if (fit < HITS_FEW)
		fit = HITS_FEW;
	arrays->shared = fit < arrays->n;
	if (arrays->shared)
		arrays->n = (unsigned)fit;
}

static void
counters_divide(struct hits_arrays *arrays, uint32_t ncounters)
{
	arrays_divide(arrays, ncounters * sizeof(uint64_t));
}

static void
cells_divide(struct hits_arrays *arrays, size_t nhosts)
{
	arrays_divide(arrays, nhosts * FM_HITS_RESPONSES * sizeof(uint32_t));
}

static size_t
counters_bytes(const struct hits_arrays *arrays)
{
	return (arrays->n * arrays->bytes);
}

/* The last array is that of set_gather(). */
static size_t
cells_bytes(const struct hits_arrays *arrays)
{
	return ((arrays->n + 1) * arrays->bytes);
}

static void
hits_destroy(struct fm_hits *hits)
{
	if (hits->counters != NULL)
		(void)munmap(hits->counters, counters_bytes(&hits->arrays));
	if (hits->cells != NULL)
		(void)munmap(hits->cells, cells_bytes(&hits->cell_arrays));
	free(hits->counter_of);
	free(hits->things);
	FM_OBJ_FREE(hits);
}

static struct fm_hits *
hits_make(size_t nrules, size_t nhosts, uint32_t ncounters)
{
	const size_t n = nrules + nhosts;
	struct fm_hits *hits;

	FM_OBJ_NEW(hits, FM_HITS_MAGIC);
	if (hits == NULL)
		return (NULL);
	hits->nrules = nrules;
	hits->nhosts = nhosts;
	hits->n = n;
	hits->ncounters = ncounters;
	counters_divide(&hits->arrays, ncounters);
	cells_divide(&hits->cell_arrays, nhosts);
	hits->counters = pages_new(counters_bytes(&hits->arrays));
	hits->counter_of = calloc(n + 1, sizeof *hits->counter_of);
	hits->things = calloc(n + 1, sizeof *hits->things);
	if (hits->counters == NULL || hits->counter_of == NULL ||
	    hits->things == NULL) {
		hits_destroy(hits);
		return (NULL);
	}
	return (hits);
}

/*
 * Gives a set its cells, which threads may look for meanwhile.  Returns 0, or
 * -1 if there is no memory.
 */
static int
cells_make(struct fm_hits *hits)
{
	uint32_t *cells;

	if (hits->cells != NULL)
		return (0);
	cells = pages_new(cells_bytes(&hits->cell_arrays));
	if (cells == NULL)
		return (-1);
	__atomic_store_n(&hits->cells, cells, __ATOMIC_RELEASE);
	return (0);
}

int
fm_hits_want_responses(const struct fm_hits *hits)
{
	struct hits_registry *registry;
	struct fm_hits *set;
	int failed = 0;

	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	fm_mutex_lock(&hits_lock);
	registry = hits->registry;
	for (set = registry->sets; set != NULL && failed == 0; set = set->next)
		failed = cells_make(set);
	if (failed == 0)
		registry->responding = true;
	fm_mutex_unlock(&hits_lock);
	return (failed);
}

/* Adds a set to its registry, under the lock.  Returns 0, or -1: no memory. */
static int
hits_join(struct fm_hits *hits, struct hits_registry *registry,
    const uint64_t *ids)
{
	uint64_t all[FM_HITS_KINDS];
	unsigned kind;
	size_t i;

	if (registry->responding && cells_make(hits) != 0)
		return (-1);
	for (i = 0; i < hits->n; i++) {
		hits->things[i] = registry_hold(registry, hits_kind(hits, i),
		    ids[i]);
		if (hits->things[i] != NULL)
			continue;
		while (i-- > 0)
			registry_drop(registry, hits_kind(hits, i),
			    hits->things[i]);
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
	hits = hits_make(nrules, nhosts, ncounters);
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
	if (hits->cells != NULL)
		set_gather(hits);
	for (i = 0; i < hits->n; i++) {
		sum = set_hits(hits, i);
		registry->past[hits_kind(hits, i)] += sum;
		thing = hits->things[i];
		thing->past += sum;
		thing->now = 0;
		registry_drop(registry, hits_kind(hits, i), thing);
	}
	for (p = &registry->sets; *p != hits; p = &(*p)->next)
		;
	*p = hits->next;
	registry_leave(registry);
	fm_mutex_unlock(&hits_lock);
	hits_destroy(hits);
}

static void *
array_of(const struct hits_arrays *arrays, void *first, unsigned n)
{
	return ((char *)first + n * arrays->bytes);
}

uint64_t *
fm_hits_shard(const struct fm_hits *hits, unsigned shard, bool *own)
{
	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	assert(shard <= fm_shards);
	*own = !hits->arrays.shared && fm_shard_is_own(shard);
	if (hits->arrays.shared)
		shard %= hits->arrays.n;
	return (array_of(&hits->arrays, hits->counters, shard));
}

static void
cell_count(bool own, uint32_t *cell)
{
	if (__builtin_expect(own, 1))
		__atomic_store_n(cell, __atomic_load_n(cell, __ATOMIC_RELAXED) +
		    1, __ATOMIC_RELAXED);
	else
		(void)__atomic_fetch_add(cell, 1, __ATOMIC_RELAXED);
}

static void __attribute__((noinline))
cell_count_error(bool own, uint32_t *cells, unsigned status)
{
	switch (status % 1000 / 100) {
	case 4:
		cell_count(own, &cells[FM_HITS_4XX]);
		break;
	case 5:
		cell_count(own, &cells[FM_HITS_5XX]);
		break;
	default:
		break;
	}
}

void
fm_hits_count(const struct fm_hits *hits, unsigned shard, uint32_t host,
    enum fm_hits_response from, unsigned status)
{
	uint32_t *cells;
	bool own;

	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	cells = __atomic_load_n(&hits->cells, __ATOMIC_ACQUIRE);
	if (cells == NULL)
		return;
	assert(host < hits->nhosts);
	own = fm_shard_is_own(shard);
	if (__builtin_expect(hits->cell_arrays.shared, 0)) {
		shard %= hits->cell_arrays.n;
		own = false;
	}
	cells = array_of(&hits->cell_arrays, cells, shard);
	cells += (size_t)host * FM_HITS_RESPONSES;
	cell_count(own, &cells[from]);
	if (status >= 400)
		cell_count_error(own, cells, status);
}

size_t
fm_hits_room(size_t nrules, size_t nhosts, uint32_t ncounters, bool responses)
{
	struct hits_arrays arrays;
	size_t bytes = sizeof(struct fm_hits);

	counters_divide(&arrays, ncounters);
	bytes += counters_bytes(&arrays);
	if (responses) {
		cells_divide(&arrays, nhosts);
		bytes += cells_bytes(&arrays);
	}
	bytes += nrules * thing_bytes(FM_HITS_RULE) +
	    nhosts * thing_bytes(FM_HITS_HOST);
	/* A node of tsearch(3) takes four words. */
	return (bytes + (nrules + nhosts) * (sizeof(uint32_t) +
	    sizeof(struct hits_thing *) + 4 * sizeof(void *)));
}

size_t
fm_hits_bytes(const struct fm_hits *hits)
{
	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	return (fm_hits_room(hits->nrules, hits->nhosts, hits->ncounters,
	    __atomic_load_n(&hits->cells, __ATOMIC_RELAXED) != NULL));
}
