/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the lists of operations that requests run, from the operations that the
 * compiler has written.  There is a list for each block, and a route for each
 * host that stands in the rules by its own name: one list of `always`, the
 * host's block and `finally`, without the conditions that the host decides.
 */

#ifndef FM_ROUTE_H
#define FM_ROUTE_H

#include <stddef.h>

struct fm_op;
struct fm_program;

/*
 * Fills in ops[] and route_of[] of a program that has all its other
 * parts.  Until then, blocks[].first is an index of `source`.  Returns 0, or
 * -1: no memory.
 */
int fm_routes_make(struct fm_program *, const struct fm_op *source,
    size_t nsource);

#endif
