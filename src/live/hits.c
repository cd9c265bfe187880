/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Counters in shards, and what was counted by path and identity.
 */

#include <sys/mman.h>

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "hits.h"
#include "idmap.h"
#include "obj.h"
#include "seats.h"
#include "shard.h"

#define HITS_LINE	64	/* no two shards have counters in one */

/*--------------------------------------------------------------------
 * Homes
 */

struct hits_home {
	unsigned		magic;
#define HITS_HOME_MAGIC		0x8d2b60f7
	char			*path;
	struct fm_idmap		settled;	/* what sets that are gone had
						 * counted */
	struct fm_hits		*sets;		/* that count */
	bool			asked;		/* for fm_hits_top() */
	struct fm_seats		seats[FM_HITS_KINDS];
	uint64_t		past[FM_HITS_KINDS];	/* counted by sets that
							 * are gone */
	struct hits_home	*next;
};

struct fm_hits {
	unsigned		magic;
#define FM_HITS_MAGIC		0x417fce39
	uint32_t		ncounters;
	uint32_t		nshards;
	uint64_t		*counters;	/* mapped */
	size_t			stride;		/* from shard to shard */
	size_t			nrules;		/* the first things are these */
	size_t			n;
	bool			asked;		/* of the home, meanwhile */
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
	unsigned kind;

	while (*p != home)
		p = &(*p)->next;
	*p = home->next;
	fm_idmap_fini(&home->settled);
	for (kind = 0; kind < FM_HITS_KINDS; kind++)
		fm_seats_fini(&home->seats[kind]);
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
    struct fm_idmap *all)
{
	uint64_t sum;
	size_t i;

	for (i = 0; i < gone->n; i++) {
		sum = fm_idmap_get(&home->settled, gone->ids[i]) +
		    hits_sum(gone, i);
		if (sum > 0 && fm_idmap_set(all, gone->ids[i], sum) != 0)
			return (-1);
	}
	return (0);
}

/* Of that, and of what was known, what the things of another set had. */
static int
settle_kept(const struct hits_home *home, const struct fm_hits *set,
    const struct fm_idmap *all, struct fm_idmap *kept)
{
	uint64_t sum;
	size_t i;

	for (i = 0; i < set->n; i++) {
		sum = fm_idmap_get(all, set->ids[i]);
		if (sum == 0)
			sum = fm_idmap_get(&home->settled, set->ids[i]);
		if (sum > 0 && fm_idmap_set(kept, set->ids[i], sum) != 0)
			return (-1);
	}
	return (0);
}

static enum fm_hits_kind
hits_kind(const struct fm_hits *hits, size_t i)
{
	return (i < hits->nrules ? FM_HITS_RULE : FM_HITS_HOST);
}

/* The seat of the i-th thing, or NULL. */
static struct fm_seat *
hits_seat(const struct fm_hits *hits, size_t i)
{
	return (fm_seats_find(&hits->home->seats[hits_kind(hits, i)],
	    hits->ids[i]));
}

/* A set is gone, or has come: which of the things with a seat are there? */
static void
home_see(struct hits_home *home)
{
	const struct fm_hits *set;
	struct fm_seat *seat;
	unsigned kind;
	size_t i;

	if (!home->asked)
		return;
	for (kind = 0; kind < FM_HITS_KINDS; kind++)
		fm_seats_begin(&home->seats[kind]);
	for (set = home->sets; set != NULL; set = set->next)
		for (i = 0; i < set->n; i++) {
			seat = hits_seat(set, i);
			if (seat != NULL)
				seat->there = true;
		}
	for (kind = 0; kind < FM_HITS_KINDS; kind++)
		fm_seats_end(&home->seats[kind]);
}

/* What a set that goes had counted, for those who are shown. */
static void
home_keep(struct hits_home *home, const struct fm_hits *gone)
{
	struct fm_seat *seat;
	uint64_t sum;
	size_t i;

	for (i = 0; i < gone->n; i++) {
		sum = hits_sum(gone, i);
		home->past[hits_kind(gone, i)] += sum;
		seat = hits_seat(gone, i);
		if (seat != NULL)
			seat->kept += sum;
	}
}

/*
 * A set has gone.  Where there is no memory, what it had counted is forgotten
 * but by fm_hits_top().
 */
static void
home_settle(struct hits_home *home, const struct fm_hits *gone)
{
	struct fm_idmap all = { NULL, 0, 0 }, kept = { NULL, 0, 0 };
	const struct fm_hits *set;
	int bad;

	home_keep(home, gone);
	home_see(home);
	bad = settle_gone(home, gone, &all);
	for (set = home->sets; set != NULL && bad == 0; set = set->next)
		bad = settle_kept(home, set, &all, &kept);
	fm_idmap_fini(&all);
	if (bad != 0) {
		fm_idmap_fini(&kept);
		return;
	}
	fm_idmap_fini(&home->settled);
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
hits_make(size_t nrules, size_t nhosts, uint32_t ncounters)
{
	const size_t line = HITS_LINE / sizeof(uint64_t);
	const size_t n = nrules + nhosts;
	struct fm_hits *hits;

	FM_OBJ_NEW(hits, FM_HITS_MAGIC);
	if (hits == NULL)
		return (NULL);
	hits->nrules = nrules;
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
    size_t nrules, size_t nhosts, uint32_t ncounters)
{
	struct fm_hits *hits;
	size_t i;

	assert(path != NULL);
	hits = hits_make(nrules, nhosts, ncounters);
	if (hits == NULL)
		return (NULL);
	for (i = 0; i < hits->n; i++) {
		assert(counter_of[i] < ncounters);
		hits->ids[i] = ids[i];
		hits->counter_of[i] = counter_of[i];
	}
	hits_lock_take();
	hits->home = home_get(path);
	if (hits->home != NULL) {
		hits->next = hits->home->sets;
		hits->home->sets = hits;
		home_see(hits->home);
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
totals_add(const struct fm_hits *set, const struct fm_idmap *where,
    uint64_t *totals)
{
	uint64_t at;
	size_t i;

	for (i = 0; i < set->n; i++) {
		at = fm_idmap_get(where, set->ids[i]);
		if (at != 0)
			totals[at - 1] += hits_sum(set, i);
	}
}

/* With the lock: mostly a home has one set, whose places are known. */
static void
totals_own(const struct fm_hits *hits, uint64_t *totals)
{
	const struct fm_idmap *settled = &hits->home->settled;
	size_t i;

	for (i = 0; i < hits->n; i++)
		totals[i] = hits_sum(hits, i);
	for (i = 0; i < hits->n && settled->used > 0; i++)
		totals[i] += fm_idmap_get(settled, hits->ids[i]);
}

int
fm_hits_totals(const struct fm_hits *hits, uint64_t *totals)
{
	struct fm_idmap where = { NULL, 0, 0 };
	const struct fm_hits *set;
	bool alone;
	size_t i;

	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	hits_lock_take();
	alone = hits->home->sets == hits && hits->next == NULL;
	if (alone)
		totals_own(hits, totals);
	hits_lock_drop();
	if (alone)
		return (0);
	for (i = 0; i < hits->n; i++)
		if (fm_idmap_set(&where, hits->ids[i], i + 1) != 0) {
			fm_idmap_fini(&where);
			return (-1);
		}
	hits_lock_take();
	for (i = 0; i < hits->n; i++)
		totals[i] = fm_idmap_get(&hits->home->settled, hits->ids[i]);
	for (set = hits->home->sets; set != NULL; set = set->next)
		totals_add(set, &where, totals);
	hits_lock_drop();
	fm_idmap_fini(&where);
	return (0);
}

/*--------------------------------------------------------------------
 * The busiest, and the others
 */

/* A thing of the set that is asked about, without a seat. */
struct hits_thing {
	uint64_t		past;		/* counted by sets that are
						 * gone */
	uint64_t		now;		/* by those that are there */
	uint64_t		before;		/* by those of them that were
						 * for the last answer */
	size_t			at;
};

/* While an answer is made, under the lock. */
struct hits_top {
	struct hits_home	*home;
	const struct fm_hits	*asked;		/* the things are its */
	uint32_t		limit;
	struct fm_idmap		where;		/* identity to thing + 1: for
						 * other sets */
	struct hits_thing	*things;
	uint64_t		all[FM_HITS_KINDS];
};

static void
top_count(struct hits_top *top, const struct fm_hits *set)
{
	struct hits_thing *thing;
	struct fm_seat *seat;
	uint64_t sum, at;
	size_t i;

	for (i = 0; i < set->n; i++) {
		/* Read once, as it goes on meanwhile. */
		sum = hits_sum(set, i);
		top->all[hits_kind(set, i)] += sum;
		seat = hits_seat(set, i);
		if (seat != NULL) {
			seat->now += sum;
			seat->hits += sum;
			continue;
		}
		at = set == top->asked ? i + 1 :
		    fm_idmap_get(&top->where, set->ids[i]);
		if (at == 0)
			continue;
		thing = &top->things[at - 1];
		thing->now += sum;
		if (set->asked)
			thing->before += sum;
	}
}

static uint64_t
thing_hits(const struct hits_thing *thing)
{
	return (thing->past + thing->now);
}

/* The busiest first; the first of them in the file on a tie. */
static int
thing_compare(const void *a, const void *b)
{
	const struct hits_thing *x = a, *y = b;

	if (thing_hits(x) != thing_hits(y))
		return (thing_hits(x) > thing_hits(y) ? -1 : 1);
	return (x->at < y->at ? -1 : x->at > y->at);
}

/* The things of a kind without a seat that have so many hits; their number. */
static size_t
top_wanting(struct hits_top *top, const struct fm_hits *hits,
    enum fm_hits_kind kind, uint64_t least, struct hits_thing *wanting)
{
	const struct hits_thing *thing;
	size_t i, n = 0;

	for (i = 0; i < hits->n; i++) {
		thing = &top->things[i];
		if (hits_kind(hits, i) == kind &&
		    hits_seat(hits, i) == NULL && thing_hits(thing) >= least)
			wanting[n++] = *thing;
	}
	return (n);
}

/* A seat, or one that is free.  0, or -1: no memory. */
static int
top_give(struct hits_top *top, const struct fm_hits *hits,
    struct fm_seats *seats, struct fm_seat *seat,
    const struct hits_thing *thing)
{
	/* What an answer may have shown in the sum stays there. */
	seat = fm_seats_give(seats, seat, top->limit, hits->ids[thing->at],
	    top->home->asked ? 0 : thing->past, thing->before);
	if (seat == NULL)
		return (-1);
	seat->now = thing->now;
	seat->hits = thing_hits(thing);
	return (0);
}

/*
 * Gives away the seats of a kind that are free: to all who have none, or where
 * these are too many to the busiest, and to none that was never hit.  Then the
 * busiest without a seat gets that of the least busy, and so on.
 */
static int
top_seat(struct hits_top *top, const struct fm_hits *hits,
    enum fm_hits_kind kind, struct hits_thing *wanting)
{
	struct fm_seats *seats = &top->home->seats[kind];
	size_t free = fm_seats_free(seats, top->limit), n, i;
	struct fm_seat *idlest = fm_seats_idlest(seats, top->limit);
	uint64_t least = idlest == NULL ? 0 : 2 * idlest->hits;
	int bad = 0;

	if (free == 0 && idlest == NULL)
		return (0);
	n = top_wanting(top, hits, kind, 0, wanting);
	if (n > free) {
		n = top_wanting(top, hits, kind, least + 1, wanting);
		if (n > 1)
			qsort(wanting, n, sizeof *wanting, thing_compare);
	}
	for (i = 0; i < n && i < free && bad == 0; i++)
		bad = top_give(top, hits, seats, NULL, &wanting[i]);
	for (; i < n && bad == 0; i++) {
		idlest = fm_seats_idlest(seats, top->limit);
		if (idlest == NULL ||
		    thing_hits(&wanting[i]) <= 2 * idlest->hits)
			break;
		bad = top_give(top, hits, seats, idlest, &wanting[i]);
	}
	return (bad);
}

/* What nobody is shown for, of a kind. */
static uint64_t
top_other(const struct hits_top *top, enum fm_hits_kind kind)
{
	const struct fm_seats *seats = &top->home->seats[kind];
	uint64_t other = top->home->past[kind] + top->all[kind];
	uint32_t i;

	for (i = 0; i < seats->n && i < top->limit; i++)
		other -= seats->seats[i].past +
		    fm_seat_counts(&seats->seats[i]);
	return (other);
}

static void
top_show(const struct hits_top *top, const struct fm_hits *hits,
    uint64_t *counts, uint64_t others[FM_HITS_KINDS])
{
	const struct fm_seats *seats;
	const struct fm_seat *seat;
	unsigned kind;
	size_t i;

	for (i = 0; i < hits->n; i++) {
		seats = &top->home->seats[hits_kind(hits, i)];
		seat = hits_seat(hits, i);
		counts[i] = seat != NULL &&
		    seat - seats->seats < (ptrdiff_t)top->limit ?
		    fm_seat_shows(seat) : FM_HITS_OTHER;
	}
	for (kind = 0; kind < FM_HITS_KINDS; kind++)
		others[kind] = top_other(top, (enum fm_hits_kind)kind);
}

/* What sets that are gone had counted. */
static void
top_start(struct hits_top *top, const struct fm_hits *hits)
{
	const struct fm_idmap *settled = &top->home->settled;
	struct fm_seats *seats;
	struct fm_seat *seat;
	unsigned kind;
	size_t i;

	for (kind = 0; kind < FM_HITS_KINDS; kind++) {
		seats = &top->home->seats[kind];
		for (i = 0; i < seats->n; i++) {
			seat = &seats->seats[i];
			seat->now = 0;
			seat->hits = fm_idmap_get(settled, seat->id);
		}
	}
	for (i = 0; i < hits->n; i++) {
		top->things[i].at = i;
		top->things[i].past = fm_idmap_get(settled, hits->ids[i]);
	}
}

/*
 * The map of the set's things; of none where no other set asks for them, as it
 * mostly is.  0, or -1: no memory.
 */
static int
top_map(struct hits_top *top, const struct fm_hits *hits)
{
	size_t i;

	if (hits->home->sets == hits && hits->next == NULL)
		return (0);
	for (i = 0; i < hits->n; i++)
		if (fm_idmap_set(&top->where, hits->ids[i], i + 1) != 0)
			return (-1);
	return (0);
}

/* With the lock.  0, or -1: no memory. */
static int
top_answer(struct hits_top *top, const struct fm_hits *hits,
    struct hits_thing *wanting)
{
	struct fm_hits *set;
	unsigned kind;
	int bad = 0;

	top_start(top, hits);
	if (top_map(top, hits) != 0)
		return (-1);
	for (set = top->home->sets; set != NULL; set = set->next)
		top_count(top, set);
	for (kind = 0; kind < FM_HITS_KINDS && bad == 0; kind++)
		bad = top_seat(top, hits, (enum fm_hits_kind)kind, wanting);
	if (bad != 0)
		return (-1);
	top->home->asked = true;
	for (set = top->home->sets; set != NULL; set = set->next)
		set->asked = true;
	return (0);
}

int
fm_hits_top(const struct fm_hits *hits, uint32_t limit, uint64_t *counts,
    uint64_t others[FM_HITS_KINDS])
{
	struct hits_top top = { .asked = hits, .limit = limit };
	struct hits_thing *wanting;
	int bad = -1;

	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	top.home = hits->home;
	top.things = calloc(hits->n + 1, sizeof *top.things);
	wanting = calloc(hits->n + 1, sizeof *wanting);
	if (top.things != NULL && wanting != NULL) {
		hits_lock_take();
		bad = top_answer(&top, hits, wanting);
		if (bad == 0)
			top_show(&top, hits, counts, others);
		hits_lock_drop();
	}
	fm_idmap_fini(&top.where);
	free(wanting);
	free(top.things);
	return (bad);
}

size_t
fm_hits_bytes(const struct fm_hits *hits)
{
	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	return (sizeof *hits + counters_bytes(hits) +
	    hits->n * (sizeof *hits->ids + sizeof *hits->counter_of));
}
