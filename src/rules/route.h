/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Routes: what is left of `always`, of a host's block and of `finally` once all
 * that the host alone decides has been decided.  "No such site", "the backend
 * of this site" and the like are answered when the rules are compiled; a
 * request runs the rest, which is one list of operations.
 *
 * Runs with a trace take the whole program, as people want to see all of it;
 * the result of both is the same.
 */

#ifndef FM_ROUTE_H
#define FM_ROUTE_H

#include "grow.h"
#include "intern.h"
#include "run_priv.h"

/* Makes routes, host by host. */
struct fm_routes {
	const struct fm_program	*p;
	struct fm_grow		ops;		/* struct fm_op, of all */
	struct fm_intern	alike;		/* site and maps: a number of */
	struct fm_grow		made;		/* uint32_t: a route, FM_NONE,
						 * or FM_UNKNOWN: for each host
						 * another */
	uint32_t		*where;		/* what became of each of the
						 * program's operations */
	uint8_t			*ways;		/* how one comes to each of
						 * them */
	uint32_t		single;		/* made for one host */
	size_t			tried;		/* operations, kept or not */
	bool			full;		/* no more of them */
};

/* 0, or -1: no memory.  Either way there is something to end. */
int fm_routes_begin(struct fm_routes *, const struct fm_program *);
/* A copy of the operations, malloc'ed; likewise. */
int fm_routes_take(const struct fm_routes *, struct fm_op **, uint32_t *nops);
void fm_routes_end(struct fm_routes *);

/* Whether anything is decided by hosts alone. */
bool fm_routes_wanted(const struct fm_program *);

/*
 * The route of the host that x has found, whose maps give these templates: its
 * first operation, or FM_NONE if nothing would be won.  -1: no memory.
 */
int fm_route_make(struct fm_routes *, struct fm_exec *x,
    const uint32_t *templates, uint32_t *route);

/*
 * The route of all hosts that have this block, if it is that of `always` of
 * those that have none.  FM_NONE: it would take too much memory; -1 likewise.
 */
int fm_route_block(struct fm_routes *, uint32_t block, uint32_t *route);

#endif
