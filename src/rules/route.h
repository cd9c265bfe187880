/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the lists of operations that requests run, from those that the
 * compiler has written for each block.
 *
 * Each block has a list, in which conditions are jumps as far as they can't be
 * undecided.  And a host has a route: one list of `always`, its block and
 * `finally`, without what the host alone decides.  "No such site", "the backend
 * of this site" and the like are answered when the rules are compiled.  A trace
 * is told of these, too: each `when` is told before its jumps, or in place of
 * them.
 */

#ifndef FM_ROUTE_H
#define FM_ROUTE_H

#include "grow.h"
#include "intern.h"
#include "run_priv.h"

struct fm_routes {
	const struct fm_program	*p;
	const struct fm_op	*source;	/* the compiler's, of all
						 * blocks: blocks[].first is
						 * one of them */
	struct fm_grow		ops;		/* struct fm_op, of all lists */
	struct fm_intern	alike;		/* site and maps: a number of */
	struct fm_grow		made;		/* uint32_t: a route, FM_NONE,
						 * or FM_UNKNOWN: for each host
						 * another */
	uint32_t		*where;		/* what became of each operation
						 * of the source */
	uint8_t			*ways;		/* how one comes to each of
						 * them */
	uint32_t		single;		/* made for one host */
	size_t			tried;		/* operations, kept or not */
	bool			full;		/* no more routes */
};

/* Returns 0, or -1: no memory.  Either way there is something to end. */
int fm_routes_begin(struct fm_routes *, const struct fm_program *,
    const struct fm_op *source, size_t nsource);
/* Gives a copy of the operations, malloc'ed.  Returns 0 or -1, as above. */
int fm_routes_take(const struct fm_routes *, struct fm_op **ops,
    uint32_t *nops);
void fm_routes_end(struct fm_routes *);

/* Returns true if anything is decided by hosts alone. */
bool fm_routes_wanted(const struct fm_program *p);

/*
 * Makes the route of the host that the run has found, whose maps give these
 * templates.  *route is its first operation, or FM_NONE if nothing would be
 * won.  Returns 0, or -1: no memory.
 */
int fm_route_make(struct fm_routes *, struct fm_exec *,
    const uint32_t *templates, uint32_t *route);

/* Makes the list of a block, after all routes.  Returns 0, or -1: no memory. */
int fm_route_block(struct fm_routes *, uint32_t block, uint32_t *first);

#endif
