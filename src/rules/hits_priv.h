/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The hits_*.c files share this: sets that count, and the registry where a path
 * keeps what was counted.
 *
 *	fm_hits		the counters of one set: an array for each shard, or
 *			a few arrays that threads share
 *	thing		a rule or host of the path, found by its identity
 *	cell		a counter of 32 bits for responses, in arrays of their
 *			own
 *	gather		adds what a set has counted since the last time to the
 *			things and to the history of the path
 *	seat		a place in the answers of fm_hits_top(), which show a
 *			bounded number of things: the busiest; or one in the
 *			history
 */

#ifndef FM_HITS_PRIV_H
#define FM_HITS_PRIV_H

#include "history.h"
#include "hits.h"
#include "obj.h"

/*
 * A rule or a host of some set of the path.  Its requests are known for two
 * periods of the history: the one in which it was counted last, and the one
 * before.
 */
struct hits_thing {
	uint64_t		id;
	uint64_t		hits;		/* gathered */
	uint32_t		refs;		/* sets that have it */
	uint32_t		period;		/* of counts[0] */
	uint32_t		counts[2];	/* hits of that and of the
						 * period before */
	uint32_t		recent;		/* hits of the ten minutes that
						 * the period is in */
	uint32_t		curve;		/* host: its seat in the
						 * history; or
						 * FM_HISTORY_SEATS */
	struct hits_seat	*seat;		/* or NULL */
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
 *	things	a hits 9, seat 0	b hits 4, seat 1	c hits 3
 *	seats	0 -> a			1 -> b
 *	others	3
 */
struct hits_registry {
	unsigned		magic;
#define HITS_REGISTRY_MAGIC		0x8d2b60f7
	char			*path;
	unsigned		nsets;		/* that count */
	struct hits_registry	*next;

	void			*things;	/* tsearch(3), by identity */
	uint64_t		hits[FM_HITS_KINDS];	/* of all things, ever:
							 * gathered */

	bool			asked;		/* fm_hits_top() was called */
	uint32_t		limit;		/* its greatest limit */
	struct hits_seat	seats[FM_HITS_KINDS][FM_HITS_TOP];

	bool			responding;	/* responses are wanted */
	struct fm_hits_responses responses;	/* of all hosts, ever */

	struct fm_history	history;
	struct hits_thing	*busiest;	/* host without a curve, of
						 * those that were gathered
						 * since fm_hits_sum(); or
						 * NULL */
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
	uint64_t		*counters;	/* by mmap(): ncounters, and
						 * one of the requests without
						 * a host */
	struct hits_arrays	arrays;		/* of counters */

	/*
	 * Cells of responses, by mmap(): each host has FM_HITS_RESPONSES in a
	 * row, and the last row is of requests without a host.  One more array
	 * after those of threads has the sums of the cells that were gathered,
	 * modulo 2^32.  NULL: not wanted.
	 */
	uint32_t		*cells;
	struct hits_arrays	cell_arrays;

	uint32_t		*refused;	/* requests since they were
						 * gathered, of each host and
						 * without one; threads share
						 * them */
	uint32_t		*gathered;	/* sums of the counters of
						 * things, and of the last one,
						 * modulo 2^32 */

	uint32_t		ncounters;
	size_t			nrules;		/* things 0 to nrules - 1 are
						 * rules, the others hosts */
	size_t			nhosts;
	size_t			n;		/* nrules + nhosts */
	uint32_t		*counter_of;	/* of things, and of requests
						 * without a host */
	struct hits_thing	**things;
	struct hits_registry	*registry;
	uint64_t		serial;		/* newer sets have greater */
	struct fm_hits		*next;		/* older */
};

/*
 * Lock and unlock the registries, and all that is in them except counters.
 * Threads get the lock in turn: one that gives it up and wants it again lets
 * the others first.
 */
void fm_hits_lock(void);
void fm_hits_unlock(void);

/* All of them, under the lock; sets of all paths, the newest first. */
extern struct fm_hits *fm_hits_sets;
extern struct hits_registry *fm_hits_registries;

static inline enum fm_hits_kind
fm_hits_kind(const struct fm_hits *hits, size_t i)
{
	return (i < hits->nrules ? FM_HITS_RULE : FM_HITS_HOST);
}

/* Gathers all of a set, under the lock. */
void fm_hits_gather_set(struct fm_hits *);

/*
 * Gathers the sets of a path, or of all if it is NULL, without the lock, which
 * it takes for a part of a set at a time.
 */
void fm_hits_gather(const struct hits_registry *);

/* Gives the free seats of a kind to things of this set, under the lock. */
void fm_hits_seats_give(const struct fm_hits *, enum fm_hits_kind);

/* A thing is freed: frees its seat, and keeps what it has shown. */
void fm_hits_seat_leave(struct hits_thing *, enum fm_hits_kind);

#endif
