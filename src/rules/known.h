/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What is known of a host before anybody asks for it: for each that stands in
 * the rules by its own name what the maps of the host give, so that a map
 * takes no lookup; and the lists of operations (route.h).
 */

#ifndef FM_KNOWN_H
#define FM_KNOWN_H

#include <stddef.h>

struct fm_op;
struct fm_program;

/*
 * Fills in known[], by asking the maps themselves, and ops[], from the
 * compiler's operations.  Returns 0, or -1: no memory.
 */
int fm_known_make(struct fm_program *, const struct fm_op *source,
    size_t nsource);

#endif
