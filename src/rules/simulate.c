/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Simulates the cache of a varnishd (simulate.h).  Time goes from one event to
 * the next: a request of the log, or an answer of a backend, from a heap.
 *
 *	heads by hash of host, URL and key
 *	  head		objects, the newest first, some of them busy
 *			requests that wait
 */

#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "simulate.h"

#define NONE		UINT32_MAX
#define HEADS		1024	/* places to begin with, a power of two */

/* An error that Varnish keeps for those that wait, as vbf_stp_error() does. */
static const struct fm_sim_answer error_kept = { .kept = FM_SIM_STORED,
	.ttl = 1, .grace = 5, .keep = 5 };

/* Answers that are not known. */
static const struct fm_sim_answer unknown[] = {
	[FM_SIM_AS_LOGGED] = { .kept = FM_SIM_ABANDONED, .fetches = 1 },
	[FM_SIM_WORST] = { .kept = FM_SIM_HIT_FOR_MISS, .ttl = 120,
	    .fetches = 1 },
	[FM_SIM_BEST] = { .kept = FM_SIM_STORED, .ttl = 1e9F, .fetches = 1 }
};

/* An object that is stored, or is busy: a backend was asked for it. */
struct object {
	const struct fm_sim_request *by;	/* whose values Vary means */
	const struct fm_sim_answer *answer;	/* NULL: of an old one */
	double			origin;		/* its ttl began then */
	float			ttl, grace, keep;
	uint32_t		vary;		/* of a busy one: expected */
	uint32_t		head;
	uint32_t		next;		/* in the head, or free */
	uint32_t		serial;		/* of those in this place */
	uint32_t		stale, stale_serial;	/* to be replaced */
	bool			busy;
	bool			background;
};

struct head {
	uint64_t		object;
	uint32_t		objects;
	uint32_t		first, last;	/* requests that wait */
	const struct fm_sim_answer *answer;	/* the last one known; NULL */
	bool			purged;
};

/* An answer that will come. */
struct event {
	double			time;
	uint64_t		order;		/* of the same time */
	uint32_t		object;
};

struct cache {
	const struct fm_sim	*sim;
	enum fm_sim_unknown	unknown;
	struct fm_sim_counts	*hosts;
	struct head		*heads;
	size_t			nheads, heads_room;
	uint32_t		*table;		/* heads by hash */
	size_t			table_room;
	struct object		*objects;
	size_t			nobjects, objects_room;
	uint32_t		free;
	struct event		*events;	/* a heap */
	size_t			nevents, events_room;
	uint64_t		order;
	uint32_t		*waits;		/* the next one, by request */
	bool			*met;		/* old objects */
	bool			no_memory;
};

/*--------------------------------------------------------------------
 * Answers to come
 */

static bool
event_is_before(const struct event *a, const struct event *b)
{
	return (a->time != b->time ? a->time < b->time : a->order < b->order);
}

static void
event_push(struct cache *cache, double time, uint32_t object)
{
	struct event it = { time, cache->order++, object };
	struct event *grown = fm_grow_room(cache->events,
	    &cache->events_room, cache->nevents, 1, sizeof *grown);
	size_t i, up;

	if (grown == NULL) {
		cache->no_memory = true;
		return;
	}
	cache->events = grown;
	for (i = cache->nevents++; i > 0; i = up) {
		up = (i - 1) / 2;
		if (!event_is_before(&it, &cache->events[up]))
			break;
		cache->events[i] = cache->events[up];
	}
	cache->events[i] = it;
}

static struct event
event_pop(struct cache *cache)
{
	struct event first = cache->events[0], *events = cache->events;
	struct event last = events[--cache->nevents];
	size_t i, down;

	for (i = 0; (down = 2 * i + 1) < cache->nevents; i = down) {
		if (down + 1 < cache->nevents &&
		    event_is_before(&events[down + 1], &events[down]))
			down++;
		if (!event_is_before(&events[down], &last))
			break;
		events[i] = events[down];
	}
	events[i] = last;
	return (first);
}

/*--------------------------------------------------------------------
 * Heads and objects
 */

static size_t
place_of(const struct cache *cache, uint64_t object)
{
	size_t mask = cache->table_room - 1;
	size_t i = (size_t)((object * 0x9e3779b97f4a7c15ULL) >> 20) & mask;

	while (cache->table[i] != NONE &&
	    cache->heads[cache->table[i]].object != object)
		i = (i + 1) & mask;
	return (i);
}

/* Makes the table twice as large, so that it is at most half full. */
static bool
table_grow(struct cache *cache)
{
	size_t room = cache->table_room == 0 ? HEADS : 2 * cache->table_room;
	uint32_t *table = malloc(room * sizeof *table);
	size_t i;

	if (table == NULL) {
		cache->no_memory = true;
		return (false);
	}
	free(cache->table);
	cache->table = table;
	cache->table_room = room;
	memset(table, 0xff, room * sizeof *table);
	for (i = 0; i < cache->nheads; i++)
		table[place_of(cache, cache->heads[i].object)] = (uint32_t)i;
	return (true);
}

/* Returns the number of a head, or NONE if there is no memory. */
static uint32_t
head_of(struct cache *cache, uint64_t object)
{
	struct head *grown;
	size_t i;

	if (2 * cache->nheads >= cache->table_room && !table_grow(cache))
		return (NONE);
	i = place_of(cache, object);
	if (cache->table[i] != NONE)
		return (cache->table[i]);
	grown = fm_grow_room(cache->heads, &cache->heads_room, cache->nheads,
	    1, sizeof *grown);
	if (grown == NULL) {
		cache->no_memory = true;
		return (NONE);
	}
	cache->heads = grown;
	cache->heads[cache->nheads] = (struct head){ .object = object,
	    .objects = NONE, .first = NONE, .last = NONE };
	cache->table[i] = (uint32_t)cache->nheads;
	return ((uint32_t)cache->nheads++);
}

/* Makes an object the first one of a head; returns its number, or NONE. */
static uint32_t
object_new(struct cache *cache, uint32_t head, struct object it)
{
	uint32_t n = cache->free;
	struct object *grown;

	if (n == NONE) {
		grown = fm_grow_room(cache->objects, &cache->objects_room,
		    cache->nobjects, 1, sizeof *grown);
		if (grown == NULL) {
			cache->no_memory = true;
			return (NONE);
		}
		cache->objects = grown;
		n = (uint32_t)cache->nobjects++;
		it.serial = 0;
	} else {
		cache->free = cache->objects[n].next;
		it.serial = cache->objects[n].serial;
	}
	it.head = head;
	it.next = cache->heads[head].objects;
	cache->heads[head].objects = n;
	cache->objects[n] = it;
	return (n);
}

/* Takes an object out of the list of its head. */
static void
object_unlink(struct cache *cache, uint32_t n)
{
	uint32_t *at = &cache->heads[cache->objects[n].head].objects;

	while (*at != n)
		at = &cache->objects[*at].next;
	*at = cache->objects[n].next;
}

static void
object_drop(struct cache *cache, uint32_t n)
{
	object_unlink(cache, n);
	cache->objects[n].serial++;
	cache->objects[n].next = cache->free;
	cache->free = n;
}

/*--------------------------------------------------------------------
 * Looking up
 */

static uint32_t
value_of(const struct cache *cache, const struct fm_sim_request *request,
    uint32_t name)
{
	return (name < request->nvalues ?
	    cache->sim->values[request->values + name] : 0);
}

/* Returns true if two requests have the same values for a list of Vary. */
static bool
vary_matches(const struct cache *cache, uint32_t vary,
    const struct fm_sim_request *a, const struct fm_sim_request *b)
{
	const uint32_t *list = &cache->sim->varies[vary];
	uint32_t i;

	for (i = 1; i <= list[0]; i++)
		if (value_of(cache, a, list[i]) != value_of(cache, b, list[i]))
			return (false);
	return (true);
}

/* The objects that a lookup finds. */
struct found {
	uint32_t		fresh;		/* or NONE */
	uint32_t		stale;		/* the newest one, or NONE */
	bool			busy;
	uint32_t		vary;		/* as those seen had it */
};

static struct found
look(struct cache *cache, uint32_t head,
    const struct fm_sim_request *request, double now)
{
	struct found found = { .fresh = NONE, .stale = NONE };
	double newest = -1, ends;
	struct object *object;
	uint32_t n, next;

	for (n = cache->heads[head].objects; n != NONE; n = next) {
		object = &cache->objects[n];
		next = object->next;
		ends = object->origin + (double)object->ttl;
		if (!object->busy && ends + (double)object->grace +
		    (double)object->keep < now) {
			object_drop(cache, n);
			continue;
		}
		if (!object->busy && object->vary != 0)
			found.vary = object->vary;
		if (!vary_matches(cache, object->vary, object->by, request))
			continue;
		if (object->busy)
			found.busy = true;
		else if (ends > request->time && found.fresh == NONE)
			found.fresh = n;
		else if (ends <= request->time && object->origin > newest) {
			found.stale = n;
			newest = object->origin;
		}
	}
	return (found);
}

/* Puts an object that was there before the log into the cache, once. */
static void
meet_old(struct cache *cache, uint32_t head,
    const struct fm_sim_request *request)
{
	const uint32_t answer = request->answers[0][0];
	const struct object old = { .by = request, .origin = request->time,
		.ttl = request->old_ttl, .grace = request->old_grace,
		.keep = request->old_keep,
		.vary = answer == 0 ? 0 : cache->sim->answers[answer].vary };

	if (request->old == 0 || cache->met[request->old] ||
	    cache->heads[head].purged)
		return;
	cache->met[request->old] = true;
	(void)object_new(cache, head, old);
}

/*--------------------------------------------------------------------
 * Asking backends
 */

static const struct fm_sim_answer *
answer_of(struct cache *cache, uint32_t head,
    const struct fm_sim_request *request, bool background)
{
	uint32_t n = request->answers[cache->unknown == FM_SIM_BEST]
	    [background];

	if (n != 0)
		cache->heads[head].answer = &cache->sim->answers[n];
	else if (cache->heads[head].answer == NULL)
		return (&unknown[cache->unknown]);
	return (cache->heads[head].answer);
}

/* Asks a backend, and makes a busy object. */
static void
fetch(struct cache *cache, uint32_t head,
    const struct fm_sim_request *request, const struct found *found,
    double now, bool background)
{
	struct fm_sim_counts *counts = &cache->hosts[request->host];
	struct object busy = { .by = request, .busy = true,
		.background = background, .vary = found->vary,
		.stale = found->stale,
		.answer = answer_of(cache, head, request, background) };
	const struct object *stale;
	uint32_t n;

	counts->backend += busy.answer->fetches;
	if (found->stale != NONE) {
		stale = &cache->objects[found->stale];
		busy.stale_serial = stale->serial;
		counts->refreshed += stale->answer != NULL &&
		    stale->answer->kept == FM_SIM_STORED &&
		    stale->answer->validator;
	}
	n = object_new(cache, head, busy);
	if (n != NONE)
		event_push(cache, now + (double)busy.answer->delay, n);
}

static void
miss(struct cache *cache, uint32_t head,
    const struct fm_sim_request *request, const struct found *found, double now)
{
	struct fm_sim_counts *counts = &cache->hosts[request->host];

	if (cache->unknown == FM_SIM_AS_LOGGED && request->hit &&
	    request->answers[0][0] == 0 &&
	    cache->heads[head].answer == NULL) {
		counts->hits++;
		return;
	}
	counts->misses++;
	fetch(cache, head, request, found, now, false);
}

static void
wait_for(struct cache *cache, uint32_t head, uint32_t r)
{
	struct head *it = &cache->heads[head];

	cache->waits[r] = NONE;
	if (it->first == NONE)
		it->first = r;
	else
		cache->waits[it->last] = r;
	it->last = r;
}

/* Looks a request up, when it comes, and each time that it has waited. */
static void
lookup(struct cache *cache, uint32_t head, uint32_t r, double now, bool again)
{
	const struct fm_sim_request *request = &cache->sim->requests[r];
	struct fm_sim_counts *counts = &cache->hosts[request->host];
	const struct object *object;
	struct found found;

	meet_old(cache, head, request);
	found = look(cache, head, request, now);
	if (found.fresh != NONE) {
		object = &cache->objects[found.fresh];
		if (object->answer == NULL ||
		    object->answer->kept == FM_SIM_STORED) {
			counts->hits++;
		} else if (object->answer->kept == FM_SIM_HIT_FOR_PASS) {
			counts->hits_for_pass++;
			counts->backend += answer_of(cache, head, request,
			    false)->fetches;
		} else {
			counts->hits_for_miss++;
			found.stale = found.fresh;
			miss(cache, head, request, &found, now);
		}
		return;
	}
	object = found.stale == NONE ? NULL : &cache->objects[found.stale];
	if (object != NULL && object->origin + (double)object->ttl +
	    (double)object->grace >= request->time) {
		counts->hits++;
		counts->stale++;
		if (!found.busy)
			fetch(cache, head, request, &found, now, true);
	} else if (found.busy) {
		counts->waited += !again;
		wait_for(cache, head, r);
	} else {
		miss(cache, head, request, &found, now);
	}
}

/*--------------------------------------------------------------------
 * Answers
 */

/* Lets all requests that wait look once more. */
static void
wake(struct cache *cache, uint32_t head, double now)
{
	uint32_t r = cache->heads[head].first, next;

	cache->heads[head].first = NONE;
	for (; r != NONE; r = next) {
		next = cache->waits[r];
		lookup(cache, head, r, now, true);
	}
}

static void
store(struct cache *cache, uint32_t n, const struct fm_sim_answer *answer,
    double now)
{
	struct object *object = &cache->objects[n];

	object_unlink(cache, n);
	object->next = cache->heads[object->head].objects;
	cache->heads[object->head].objects = n;
	object->busy = false;
	object->origin = now;
	object->answer = answer;
	object->ttl = answer->ttl;
	object->grace = answer->grace;
	object->keep = answer->keep;
	object->vary = answer->vary;
}

static void
answer_comes(struct cache *cache, const struct event *event)
{
	const struct object *object = &cache->objects[event->object];
	const struct fm_sim_answer *answer = object->answer;
	uint32_t head = object->head, stale = object->stale;
	bool replaces = stale != NONE &&
	    cache->objects[stale].serial == object->stale_serial;

	if (answer->kept == FM_SIM_FAILED) {
		answer = &error_kept;
		replaces = false;
		if (object->background || cache->heads[head].first == NONE)
			answer = NULL;
	} else if (answer->kept == FM_SIM_ABANDONED) {
		answer = NULL;
	}
	if (answer != NULL && replaces)
		object_drop(cache, stale);
	/* Varnish never finds an object with a ttl of 0. */
	if (answer == NULL || answer->ttl <= 0)
		object_drop(cache, event->object);
	else
		store(cache, event->object, answer, event->time);
	wake(cache, head, event->time);
}

static void
purge(struct cache *cache, uint32_t head)
{
	uint32_t n, next;

	for (n = cache->heads[head].objects; n != NONE; n = next) {
		next = cache->objects[n].next;
		if (!cache->objects[n].busy)
			object_drop(cache, n);
	}
	cache->heads[head].purged = true;
}

/*--------------------------------------------------------------------
 * All requests
 */

static void
request_comes(struct cache *cache, uint32_t r)
{
	const struct fm_sim_request *request = &cache->sim->requests[r];
	struct fm_sim_counts *counts = &cache->hosts[request->host];
	uint32_t head = head_of(cache, request->object);

	if (head == NONE)
		return;
	switch (request->kind) {
	case FM_SIM_PURGE:
		counts->purges++;
		purge(cache, head);
		break;
	case FM_SIM_PASS:
		counts->passes++;
		counts->backend += answer_of(cache, head, request, false)->
		    fetches;
		break;
	default:
		lookup(cache, head, r, request->time, false);
		break;
	}
}

static void
run(struct cache *cache)
{
	const struct fm_sim *sim = cache->sim;
	struct event event;
	uint32_t r = 0;

	while ((r < sim->n || cache->nevents > 0) && !cache->no_memory) {
		if (cache->nevents > 0 && (r == sim->n ||
		    cache->events[0].time <= sim->requests[r].time)) {
			event = event_pop(cache);
			answer_comes(cache, &event);
		} else {
			request_comes(cache, r++);
		}
	}
}

bool
fm_simulate(const struct fm_sim *sim, enum fm_sim_unknown unknown_is,
    struct fm_sim_counts *hosts)
{
	struct cache cache = { .sim = sim, .unknown = unknown_is,
		.hosts = hosts, .free = NONE };

	cache.waits = malloc((sim->n + 1) * sizeof *cache.waits);
	cache.met = calloc(sim->nold + 1, sizeof *cache.met);
	cache.no_memory = cache.waits == NULL || cache.met == NULL;
	run(&cache);
	free(cache.heads);
	free(cache.table);
	free(cache.objects);
	free(cache.events);
	free(cache.waits);
	free(cache.met);
	return (!cache.no_memory);
}

double
fm_sim_hit_rate(const struct fm_sim_counts *counts)
{
	uint64_t lookups = counts->hits + counts->misses;

	return (lookups == 0 ? 0 : 100. * (double)counts->hits /
	    (double)lookups);
}
