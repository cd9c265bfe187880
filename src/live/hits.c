/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Counters in shards, and what was counted by path and identity.
 */

#include <sys/mman.h>

#include <pthread.h>
#include <string.h>

#include "hits.h"
#include "obj.h"
#include "shard.h"

#define HITS_LINE	64	/* no two shards have counters in one */

/*--------------------------------------------------------------------
 * From an identity to a number that is not 0; 0 is what others have
 */

struct map_slot {
	uint64_t		id;
	uint64_t		value;		/* 0: the slot is free */
};

/* Zeroed is empty. */
struct map {
	struct map_slot		*slots;
	size_t			nslots;		/* a power of two, or 0 */
	size_t			used;
};

static struct map_slot *
map_slot(const struct map *map, uint64_t id)
{
	size_t i = (size_t)((id * 0x9e3779b97f4a7c15ULL) >> 32);

	for (i &= map->nslots - 1; map->slots[i].value != 0 &&
	    map->slots[i].id != id;)
		i = (i + 1) & (map->nslots - 1);
	return (&map->slots[i]);
}

static uint64_t
map_get(const struct map *map, uint64_t id)
{
	return (map->nslots == 0 ? 0 : map_slot(map, id)->value);
}

/* Room for one more, with half of the slots free. */
static int
map_reserve(struct map *map)
{
	struct map grown = { NULL, 16, map->used };
	size_t i;

	if (map->nslots > 2 * map->used)
		return (0);
	if (map->nslots > 0)
		grown.nslots = 2 * map->nslots;
	grown.slots = calloc(grown.nslots, sizeof *grown.slots);
	if (grown.slots == NULL)
		return (-1);
	for (i = 0; i < map->nslots; i++)
		if (map->slots[i].value != 0)
			*map_slot(&grown, map->slots[i].id) = map->slots[i];
	free(map->slots);
	*map = grown;
	return (0);
}

/* 0, or -1: no memory. */
static int
map_set(struct map *map, uint64_t id, uint64_t value)
{
	struct map_slot *slot;

	assert(value != 0);
	if (map_reserve(map) != 0)
		return (-1);
	slot = map_slot(map, id);
	if (slot->value == 0)
		map->used++;
	slot->id = id;
	slot->value = value;
	return (0);
}

/*--------------------------------------------------------------------
 * Homes
 */

struct hits_home {
	unsigned		magic;
#define HITS_HOME_MAGIC		0x8d2b60f7
	char			*path;
	struct map		settled;	/* what sets that are gone had
						 * counted */
	struct fm_hits		*sets;		/* that count */
	struct hits_home	*next;
};

struct fm_hits {
	unsigned		magic;
#define FM_HITS_MAGIC		0x417fce39
	uint32_t		ncounters;
	uint32_t		nshards;
	uint64_t		*counters;	/* mapped */
	size_t			stride;		/* from shard to shard */
	size_t			n;
	uint64_t		*ids;
	uint32_t		*counter_of;
	struct hits_home	*home;
	struct fm_hits		*next;		/* of the home's */
};

/* Around the homes, and all that is in them but the counters. */
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

/* With the lock.  The home of a path; NULL: no memory. */
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

/* With the lock. */
static void
home_free(struct hits_home *home)
{
	struct hits_home **p = &hits_homes;

	while (*p != home)
		p = &(*p)->next;
	*p = home->next;
	free(home->settled.slots);
	free(home->path);
	FM_OBJ_FREE(home);
}

static uint64_t
hits_sum(const struct fm_hits *hits, size_t i)
{
	const uint64_t *counter = hits->counters + hits->counter_of[i];
	uint64_t sum = 0;
	uint32_t n;

	for (n = 0; n < hits->nshards; n++, counter += hits->stride)
		sum += __atomic_load_n(counter, __ATOMIC_RELAXED);
	return (sum);
}

/* What was counted of the things of a set that goes, this one included. */
static int
settle_gone(const struct hits_home *home, const struct fm_hits *gone,
    struct map *all)
{
	uint64_t sum;
	size_t i;

	for (i = 0; i < gone->n; i++) {
		sum = map_get(&home->settled, gone->ids[i]) +
		    hits_sum(gone, i);
		if (sum > 0 && map_set(all, gone->ids[i], sum) != 0)
			return (-1);
	}
	return (0);
}

/* Of that, and of what was known, what the things of another set had. */
static int
settle_kept(const struct hits_home *home, const struct fm_hits *set,
    const struct map *all, struct map *kept)
{
	uint64_t sum;
	size_t i;

	for (i = 0; i < set->n; i++) {
		sum = map_get(all, set->ids[i]);
		if (sum == 0)
			sum = map_get(&home->settled, set->ids[i]);
		if (sum > 0 && map_set(kept, set->ids[i], sum) != 0)
			return (-1);
	}
	return (0);
}

/*
 * A set has gone.  Where there is no memory, what it had counted is forgotten.
 */
static void
home_settle(struct hits_home *home, const struct fm_hits *gone)
{
	struct map all = { NULL, 0, 0 }, kept = { NULL, 0, 0 };
	const struct fm_hits *set;
	int bad;

	bad = settle_gone(home, gone, &all);
	for (set = home->sets; set != NULL && bad == 0; set = set->next)
		bad = settle_kept(home, set, &all, &kept);
	free(all.slots);
	if (bad != 0) {
		free(kept.slots);
		return;
	}
	free(home->settled.slots);
	home->settled = kept;
}

/*--------------------------------------------------------------------
 * Sets
 */

/*
 * Straight from the kernel: zeroed, and pages come when they are written, each
 * by itself.
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
	return (hits->nshards * hits->stride * sizeof *hits->counters);
}

static void
hits_destroy(struct fm_hits *hits)
{
	if (hits->counters != NULL)
		(void)munmap(hits->counters, counters_bytes(hits));
	free(hits->ids);
	free(hits->counter_of);
	FM_OBJ_FREE(hits);
}

static struct fm_hits *
hits_make(size_t n, uint32_t ncounters)
{
	const size_t line = HITS_LINE / sizeof(uint64_t);
	struct fm_hits *hits;

	FM_OBJ_NEW(hits, FM_HITS_MAGIC);
	if (hits == NULL)
		return (NULL);
	hits->n = n;
	hits->ncounters = ncounters;
	hits->nshards = FM_SHARDS_COUNTED;
	hits->stride = ((size_t)ncounters / line + 1) * line;
	hits->counters = counters_new(counters_bytes(hits));
	hits->ids = calloc(n + 1, sizeof *hits->ids);
	hits->counter_of = calloc(n + 1, sizeof *hits->counter_of);
	if (hits->counters == NULL || hits->ids == NULL ||
	    hits->counter_of == NULL) {
		hits_destroy(hits);
		return (NULL);
	}
	return (hits);
}

struct fm_hits *
fm_hits_new(const char *path, const uint64_t *ids, const uint32_t *counter_of,
    size_t n, uint32_t ncounters)
{
	struct fm_hits *hits;
	size_t i;

	assert(path != NULL);
	hits = hits_make(n, ncounters);
	if (hits == NULL)
		return (NULL);
	for (i = 0; i < n; i++) {
		assert(counter_of[i] < ncounters);
		hits->ids[i] = ids[i];
		hits->counter_of[i] = counter_of[i];
	}
	hits_lock_take();
	hits->home = home_get(path);
	if (hits->home != NULL) {
		hits->next = hits->home->sets;
		hits->home->sets = hits;
	}
	hits_lock_drop();
	if (hits->home == NULL) {
		hits_destroy(hits);
		return (NULL);
	}
	return (hits);
}

void
fm_hits_free(struct fm_hits **hitsp)
{
	struct hits_home *home;
	struct fm_hits *hits, **p;

	FM_OBJ_TAKE(hits, hitsp, FM_HITS_MAGIC);
	hits_lock_take();
	home = hits->home;
	FM_OBJ_CHECK(home, HITS_HOME_MAGIC);
	for (p = &home->sets; *p != hits; p = &(*p)->next)
		;
	*p = hits->next;
	if (home->sets == NULL)
		home_free(home);
	else
		home_settle(home, hits);
	hits_lock_drop();
	hits_destroy(hits);
}

uint64_t *
fm_hits_shard(const struct fm_hits *hits, unsigned shard)
{
	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	assert(shard < hits->nshards);
	return (hits->counters + shard * hits->stride);
}

/* With the lock; where[id] is one more than the place in totals. */
static void
totals_add(const struct fm_hits *set, const struct map *where,
    uint64_t *totals)
{
	uint64_t at;
	size_t i;

	for (i = 0; i < set->n; i++) {
		at = map_get(where, set->ids[i]);
		if (at != 0)
			totals[at - 1] += hits_sum(set, i);
	}
}

int
fm_hits_totals(const struct fm_hits *hits, uint64_t *totals)
{
	struct map where = { NULL, 0, 0 };
	const struct fm_hits *set;
	size_t i;

	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	for (i = 0; i < hits->n; i++)
		if (map_set(&where, hits->ids[i], i + 1) != 0) {
			free(where.slots);
			return (-1);
		}
	hits_lock_take();
	for (i = 0; i < hits->n; i++)
		totals[i] = map_get(&hits->home->settled, hits->ids[i]);
	for (set = hits->home->sets; set != NULL; set = set->next)
		totals_add(set, &where, totals);
	hits_lock_drop();
	free(where.slots);
	return (0);
}

size_t
fm_hits_bytes(const struct fm_hits *hits)
{
	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	return (sizeof *hits + counters_bytes(hits) +
	    hits->n * (sizeof *hits->ids + sizeof *hits->counter_of));
}
