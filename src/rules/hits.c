/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The counters of sets, in shards, and the registry where a path keeps what was
 * counted (hits_priv.h).
 */

#include <sys/mman.h>

#include <search.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "hits_priv.h"
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

/*
 * Who wants the lock holds `hits_turn` until it has it.  So a thread that gives
 * up the lock, and takes it again at once, waits for those that came before.
 */
static pthread_mutex_t hits_turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t hits_lock = PTHREAD_MUTEX_INITIALIZER;

struct fm_hits *fm_hits_sets;
struct hits_registry *fm_hits_registries;
static uint64_t hits_serial;			/* of the newest set */

void
fm_hits_lock(void)
{
	fm_mutex_lock(&hits_turn);
	fm_mutex_lock(&hits_lock);
	fm_mutex_unlock(&hits_turn);
}

void
fm_hits_unlock(void)
{
	fm_mutex_unlock(&hits_lock);
}

/*--------------------------------------------------------------------
 * Registries and their things, under the lock
 */

/* Returns the registry of a path, NULL if there is no memory. */
static struct hits_registry *
registry_get(const char *path)
{
	struct hits_registry *registry = fm_hits_registries;

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
	registry->next = fm_hits_registries;
	fm_hits_registries = registry;
	return (registry);
}

/* Frees a registry without sets. */
static void
registry_leave(struct hits_registry *registry)
{
	struct hits_registry **p = &fm_hits_registries;

	if (registry->nsets > 0)
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
	thing->curve = FM_HISTORY_SEATS;
	if (tsearch(thing, &registry->things, thing_order) != NULL)
		return (thing);
	free(thing);
	return (NULL);
}

/* Drops a reference; the last one frees the thing, and its seats. */
static void
registry_drop(struct hits_registry *registry, enum fm_hits_kind kind,
    struct hits_thing *thing)
{
	if (--thing->refs > 0)
		return;
	fm_hits_seat_leave(thing, kind);
	if (thing->curve != FM_HISTORY_SEATS)
		fm_history_leave(&registry->history, thing->curve);
	if (registry->busiest == thing)
		registry->busiest = NULL;
	(void)tdelete(thing, &registry->things, thing_order);
	free(thing);
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
#ifdef MADV_NOHUGEPAGE
	(void)madvise(p, bytes, MADV_NOHUGEPAGE);
#endif
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

/* One more, of the requests without a host. */
static void
counters_divide(struct hits_arrays *arrays, uint32_t ncounters)
{
	arrays_divide(arrays, (ncounters + 1UL) * sizeof(uint64_t));
}

static void
cells_divide(struct hits_arrays *arrays, size_t nhosts)
{
	arrays_divide(arrays, (nhosts + 1) * FM_HITS_RESPONSES *
	    sizeof(uint32_t));
}

static size_t
counters_bytes(const struct hits_arrays *arrays)
{
	return (arrays->n * arrays->bytes);
}

/* The last array has the sums that were gathered. */
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
	free(hits->refused);
	free(hits->gathered);
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
	hits->refused = calloc(nhosts + 1, sizeof *hits->refused);
	hits->gathered = calloc(n + 1, sizeof *hits->gathered);
	hits->counter_of = calloc(n + 1, sizeof *hits->counter_of);
	hits->things = calloc(n + 1, sizeof *hits->things);
	if (hits->counters == NULL || hits->refused == NULL ||
	    hits->gathered == NULL || hits->counter_of == NULL ||
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
	fm_hits_lock();
	registry = hits->registry;
	for (set = fm_hits_sets; set != NULL && failed == 0; set = set->next)
		if (set->registry == registry)
			failed = cells_make(set);
	if (failed == 0)
		registry->responding = true;
	fm_hits_unlock();
	return (failed);
}

/* Adds a set to its registry, under the lock.  Returns 0, or -1: no memory. */
static int
hits_join(struct fm_hits *hits, struct hits_registry *registry,
    const uint64_t *ids)
{
	unsigned kind;
	size_t i;

	if (registry->responding && cells_make(hits) != 0)
		return (-1);
	for (i = 0; i < hits->n; i++) {
		hits->things[i] = registry_hold(registry,
		    fm_hits_kind(hits, i), ids[i]);
		if (hits->things[i] != NULL)
			continue;
		while (i-- > 0)
			registry_drop(registry, fm_hits_kind(hits, i),
			    hits->things[i]);
		return (-1);
	}
	hits->registry = registry;
	registry->nsets++;
	hits->serial = ++hits_serial;
	hits->next = fm_hits_sets;
	fm_hits_sets = hits;
	/* A new thing gets its seat before its first hit. */
	for (kind = 0; registry->asked && kind < FM_HITS_KINDS; kind++)
		fm_hits_seats_give(hits, (enum fm_hits_kind)kind);
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
	hits->counter_of[hits->n] = ncounters;
	fm_hits_lock();
	registry = registry_get(path);
	if (registry != NULL) {
		failed = hits_join(hits, registry, ids);
		registry_leave(registry);
	}
	fm_hits_unlock();
	if (failed == 0)
		return (hits);
	hits_destroy(hits);
	return (NULL);
}

void
fm_hits_free(struct fm_hits **hitsp)
{
	struct hits_registry *registry;
	struct fm_hits *hits, **p;
	size_t i;

	FM_OBJ_TAKE(hits, hitsp, FM_HITS_MAGIC);
	fm_hits_lock();
	registry = hits->registry;
	FM_OBJ_CHECK(registry, HITS_REGISTRY_MAGIC);
	fm_hits_gather_set(hits);
	for (i = 0; i < hits->n; i++)
		registry_drop(registry, fm_hits_kind(hits, i), hits->things[i]);
	for (p = &fm_hits_sets; *p != hits; p = &(*p)->next)
		;
	*p = hits->next;
	registry->nsets--;
	registry_leave(registry);
	fm_hits_unlock();
	hits_destroy(hits);
}

size_t
fm_hits_room(size_t nrules, size_t nhosts, uint32_t ncounters, bool responses)
{
	size_t bytes = sizeof(struct fm_hits) + sizeof(struct fm_history);
	struct hits_arrays arrays;

	counters_divide(&arrays, ncounters);
	bytes += counters_bytes(&arrays);
	if (responses) {
		cells_divide(&arrays, nhosts);
		bytes += cells_bytes(&arrays);
	}
	bytes += nrules * thing_bytes(FM_HITS_RULE) +
	    nhosts * (thing_bytes(FM_HITS_HOST) + sizeof(uint32_t));
	/* A node of tsearch(3) takes four words. */
	return (bytes + (nrules + nhosts) * (2 * sizeof(uint32_t) +
	    sizeof(struct hits_thing *) + 4 * sizeof(void *)));
}

size_t
fm_hits_bytes(const struct fm_hits *hits)
{
	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	return (fm_hits_room(hits->nrules, hits->nhosts, hits->ncounters,
	    __atomic_load_n(&hits->cells, __ATOMIC_RELAXED) != NULL));
}
