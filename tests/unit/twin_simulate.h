/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The twin (twin.h) of the simulated cache: one array of all that ever was in
 * the cache, with a state, which is looked through from one end to the other.
 */

#ifndef TWIN_SIMULATE_H
#define TWIN_SIMULATE_H

#include <stdlib.h>

#include "simulate.h"

enum twin_state { TWIN_BUSY, TWIN_THERE, TWIN_GONE };

struct twin_object {
	enum twin_state		state;
	size_t			by;		/* a request */
	const struct fm_sim_answer *answer;	/* NULL: an old object */
	double			from, fresh, graced, dead;	/* times */
	uint32_t		vary;
	bool			background;
	long			replaces;	/* another object, or -1 */
};

struct twin_cache {
	const struct fm_sim	*sim;
	struct fm_sim_counts	*hosts;
	struct twin_object	objects[4096];
	size_t			n;
	size_t			waiting[4096];	/* requests, in their order */
	size_t			nwaiting;
	bool			met[4096];
};

static inline uint32_t
twin_value(const struct fm_sim *sim, size_t r, uint32_t name)
{
	const struct fm_sim_request *q = &sim->requests[r];

	return (name >= q->nvalues ? 0 : sim->values[q->values + name]);
}

/* Returns true if an object is of the request's variant of its key. */
static inline bool
twin_suits(const struct fm_sim *sim, const struct twin_object *o, size_t r)
{
	uint32_t i;

	if (o->state == TWIN_GONE ||
	    sim->requests[o->by].object != sim->requests[r].object)
		return (false);
	for (i = 0; i < sim->varies[o->vary]; i++)
		if (twin_value(sim, o->by, sim->varies[o->vary + 1 + i]) !=
		    twin_value(sim, r, sim->varies[o->vary + 1 + i]))
			return (false);
	return (true);
}

static inline void
twin_ask(struct twin_cache *c, size_t r, double now, bool background,
    long replaces, uint32_t vary)
{
	const struct fm_sim_request *q = &c->sim->requests[r];
	struct twin_object *o = &c->objects[c->n++];
	const struct fm_sim_answer *was = replaces < 0 ? NULL :
	    c->objects[replaces].answer;

	*o = (struct twin_object){ .state = TWIN_BUSY, .by = r,
	    .answer = &c->sim->answers[q->answers[0][background]],
	    .background = background, .replaces = replaces, .vary = vary };
	o->from = now + (double)o->answer->delay;
	c->hosts[q->host].backend += o->answer->fetches;
	if (was != NULL && was->kept == FM_SIM_STORED && was->validator)
		c->hosts[q->host].refreshed++;
	if (!background)
		c->hosts[q->host].misses++;
}

/* Returns false if the request has to wait. */
static inline bool
twin_lookup(struct twin_cache *c, size_t r, double now)
{
	const struct fm_sim_request *q = &c->sim->requests[r];
	struct fm_sim_counts *counts = &c->hosts[q->host];
	long i, fresh = -1, stale = -1;
	uint32_t vary = 0;
	double oldest = 1e9;
	struct twin_object *o;
	bool busy = false;

	for (i = 0; i < (long)c->n; i++) {
		o = &c->objects[i];
		if (o->state == TWIN_THERE && o->dead < now)
			o->state = TWIN_GONE;
		/* Varnish comes to the oldest one last. */
		if (o->state == TWIN_THERE && o->vary != 0 &&
		    o->from < oldest &&
		    c->sim->requests[o->by].object == q->object) {
			oldest = o->from;
			vary = o->vary;
		}
		if (!twin_suits(c->sim, o, r))
			continue;
		if (o->state == TWIN_BUSY)
			busy = true;
		else if (o->fresh > q->time &&
		    (fresh < 0 || o->from >= c->objects[fresh].from))
			fresh = i;
		else if (o->fresh <= q->time &&
		    (stale < 0 || o->from >= c->objects[stale].from))
			stale = i;
	}
	if (fresh >= 0) {
		o = &c->objects[fresh];
		if (o->answer != NULL &&
		    o->answer->kept == FM_SIM_HIT_FOR_PASS) {
			counts->hits_for_pass++;
			counts->backend +=
			    c->sim->answers[q->answers[0][0]].fetches;
		} else if (o->answer != NULL &&
		    o->answer->kept == FM_SIM_HIT_FOR_MISS) {
			counts->hits_for_miss++;
			twin_ask(c, r, now, false, fresh, vary);
		} else {
			counts->hits++;
		}
		return (true);
	}
	if (stale >= 0 && c->objects[stale].graced >= q->time) {
		counts->hits++;
		counts->stale++;
		if (!busy)
			twin_ask(c, r, now, true, stale, vary);
		return (true);
	}
	if (busy)
		return (false);
	twin_ask(c, r, now, false, stale, vary);
	return (true);
}

static inline void
twin_store(struct twin_cache *c, size_t n, const struct fm_sim_answer *a,
    float ttl, float grace, float keep, double now)
{
	struct twin_object *o = &c->objects[n];

	o->state = TWIN_THERE;
	o->answer = a;
	o->from = now;
	o->fresh = now + (double)ttl;
	o->graced = o->fresh + (double)grace;
	o->dead = o->graced + (double)keep;
	o->vary = a == NULL ? 0 : a->vary;
}

static inline void
twin_answer(struct twin_cache *c, size_t n)
{
	static const struct fm_sim_answer error;
	struct twin_object *o = &c->objects[n];
	const struct fm_sim_answer *a = o->answer;
	uint64_t object = c->sim->requests[o->by].object;
	size_t waiting[4096], nwaiting = c->nwaiting, i;
	double now = o->from;
	bool any = false;

	for (i = 0; i < nwaiting; i++)
		any |= c->sim->requests[c->waiting[i]].object == object;
	o->state = TWIN_GONE;
	if (a->kept == FM_SIM_FAILED) {
		if (any && !o->background)
			twin_store(c, n, &error, 1, 5, 5, now);
	} else if (a->kept != FM_SIM_ABANDONED) {
		if (o->replaces >= 0)
			c->objects[o->replaces].state = TWIN_GONE;
		if (a->ttl > 0)
			twin_store(c, n, a, a->ttl, a->grace, a->keep, now);
	}
	memcpy(waiting, c->waiting, sizeof waiting);
	c->nwaiting = 0;
	for (i = 0; i < nwaiting; i++)
		if (c->sim->requests[waiting[i]].object != object ||
		    !twin_lookup(c, waiting[i], now))
			c->waiting[c->nwaiting++] = waiting[i];
}

/* Puts an old object into the cache, when it is hit for the first time. */
static inline void
twin_meet(struct twin_cache *c, size_t r)
{
	const struct fm_sim_request *q = &c->sim->requests[r];
	size_t i;

	if (q->old == 0 || c->met[q->old])
		return;
	for (i = 0; i < r; i++)
		if (c->sim->requests[i].kind == FM_SIM_PURGE &&
		    c->sim->requests[i].object == q->object)
			return;
	c->met[q->old] = true;
	c->objects[c->n] = (struct twin_object){ .by = r, .replaces = -1 };
	twin_store(c, c->n++, NULL, q->old_ttl, q->old_grace, q->old_keep,
	    q->time);
	c->objects[c->n - 1].vary =
	    c->sim->answers[q->answers[0][0]].vary;
}

static inline void
twin_simulate(const struct fm_sim *sim, struct fm_sim_counts *hosts)
{
	struct twin_cache *c = calloc(1, sizeof *c);
	const struct fm_sim_request *q;
	long next, i;
	size_t r = 0;

	ck_assert_ptr_nonnull(c);
	c->sim = sim;
	c->hosts = hosts;
	for (;;) {
		for (next = -1, i = 0; i < (long)c->n; i++)
			if (c->objects[i].state == TWIN_BUSY && (next < 0 ||
			    c->objects[i].from < c->objects[next].from))
				next = i;
		if (next < 0 && r == sim->n)
			break;
		if (next >= 0 && (r == sim->n ||
		    c->objects[next].from <= sim->requests[r].time)) {
			twin_answer(c, (size_t)next);
			continue;
		}
		q = &sim->requests[r];
		if (q->kind == FM_SIM_PASS) {
			hosts[q->host].passes++;
			hosts[q->host].backend +=
			    sim->answers[q->answers[0][0]].fetches;
		} else if (q->kind == FM_SIM_PURGE) {
			hosts[q->host].purges++;
			for (i = 0; i < (long)c->n; i++)
				if (c->objects[i].state == TWIN_THERE &&
				    sim->requests[c->objects[i].by].object ==
				    q->object)
					c->objects[i].state = TWIN_GONE;
		} else {
			twin_meet(c, r);
			if (!twin_lookup(c, r, q->time)) {
				hosts[q->host].waited++;
				c->waiting[c->nwaiting++] = r;
			}
		}
		r++;
	}
	free(c);
}

#endif
