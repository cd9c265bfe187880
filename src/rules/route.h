/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the lists of operations that requests run, from those that the
 * compiler has written for each block: one for each block, and routes.  A route
 * is one list for a host: `always`, its block and `finally`, without what the
 * maps of the host decide.
 *
 *	map site { is a.example -> one; is b.example c.example -> two; }
 *	always { set X-Site = site(host);
 *	    when header X-Site is one { pass; } }
 *	host a.example { backend a; }
 *	host b.example c.example { backend bc; }
 *
 *	a.example:		set X-Site = one; pass;
 *	b.example, c.example:	set X-Site = two; backend bc;
 *
 * A trace is told of what was decided, too: of each `when`, and of each block
 * that begins.
 */

#ifndef FM_ROUTE_H
#define FM_ROUTE_H

#include <stddef.h>

struct fm_op;
struct fm_program;

/* Room for what the maps of the host give in a route, of so many maps. */
#define FM_ROUTE_MAPS	8

/*
 * Fills in ops[] and route_of[], from the compiler's operations, in which
 * blocks begin until then.  Returns 0, or -1: no memory.
 */
int fm_routes_make(struct fm_program *, const struct fm_op *source,
    size_t nsource);

#endif
