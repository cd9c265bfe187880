/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The last hour of a path of rules, as curves: all requests in points of ten
 * seconds, and those of a few busy hosts in points of a minute.  It has the
 * same size whatever the number of hosts.
 *
 * A host with a curve has a seat.  What other hosts count is in `all` only: the
 * curve of the others is `all` less those of the seats.  So a host that gets a
 * seat begins at 0, and the requests of one that loses it are the others'.
 *
 *	minute		  58	  59	  60 (now)
 *	all		4 4 4 5 3 4   4 4 4 4 4 4   3 2 0 0 0 0
 *	seat 0		  20	  20	   4	a.example
 *	seat 1		   0	   1	   1	b.example, since minute 59
 *	others		   4	   3	   0
 *
 * Time is given by the caller.  The caller's lock protects all of this.
 */

#ifndef FM_HISTORY_H
#define FM_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#define FM_HISTORY_MINUTES	60	/* that are kept */
#define FM_HISTORY_PARTS	6	/* points of `all` in a minute */
#define FM_HISTORY_STEP		10	/* seconds of such a point */
#define FM_HISTORY_SEATS	32U
#define FM_HISTORY_ROOM		65536	/* bytes: no path has more */

enum fm_history_number {
	FM_HISTORY_REQUESTS,
	FM_HISTORY_HITS,
	FM_HISTORY_MISSES,
	FM_HISTORY_PASSES,
	FM_HISTORY_REFUSED,
	FM_HISTORY_4XX,
	FM_HISTORY_5XX,
	FM_HISTORY_NUMBERS
};

/* A point of a curve; a number that would be larger is UINT32_MAX. */
struct fm_history_point {
	uint32_t		n[FM_HISTORY_NUMBERS];
};

struct fm_history_seat {
	void			*owner;		/* NULL: the seat is free */
	uint64_t		since;		/* minute; those before are 0 */
	uint64_t		before;		/* requests that the owner had
						 * just before it sat down */
	struct fm_history_point	minutes[FM_HISTORY_MINUTES];
};

/* Minute m is at place m % FM_HISTORY_MINUTES.  All zeros is an empty one. */
struct fm_history {
	bool			begun;		/* a time was given */
	double			last;		/* time that was given */
	double			clock;		/* seconds since it has begun */
	uint64_t		minute;		/* of the clock */
	unsigned		part;		/* of that minute */
	unsigned		nseats;		/* that are taken */
	struct fm_history_point	all[FM_HISTORY_MINUTES][FM_HISTORY_PARTS];
	struct fm_history_seat	seats[FM_HISTORY_SEATS];
};

_Static_assert(sizeof(struct fm_history) < FM_HISTORY_ROOM,
    "a history has a bounded size");

/*
 * Goes on to this time, in seconds of any clock; the first call begins the
 * history.  A clock that is set back has stood still.
 */
void fm_history_advance(struct fm_history *, double now);

/*
 * Adds the numbers to the present point of all, and to that of a seat, or of
 * none if it is FM_HISTORY_SEATS.
 */
void fm_history_add(struct fm_history *, unsigned seat,
    const struct fm_history_point *);

/*
 * Returns the seat that a host may have which had this number of requests in
 * the last ten minutes: a free one, or that of the owner with the fewest in the
 * last hour, if these are fewer.  Otherwise returns FM_HISTORY_SEATS.
 */
unsigned fm_history_find(const struct fm_history *, uint64_t requests);

/* Gives a free seat to an owner, which had `before` requests already. */
void fm_history_take(struct fm_history *, unsigned seat, void *owner,
    uint64_t before);

/* Frees a seat: what its owner had is now the others'. */
void fm_history_leave(struct fm_history *, unsigned seat);

#endif
