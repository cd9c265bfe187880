/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Allocates many small things that are freed together.  A table of a hundred
 * thousand hosts then takes a few large allocations, not a hundred thousand.
 */

#ifndef FM_ARENA_H
#define FM_ARENA_H

#include "text.h"

struct fm_arena_chunk;

/* An arena.  All zeros is an empty one. */
struct fm_arena {
	struct fm_arena_chunk	*chunks;	/* the newest first */
};

/*
 * Returns zeroed bytes, aligned for any type, that stay where they are; NULL if
 * there is no memory.
 */
void *fm_arena_alloc(struct fm_arena *, size_t bytes);

/* Returns a copy that ends in NUL and stays; NULL: no memory. */
const char *fm_arena_add(struct fm_arena *, struct fm_text);

/* Returns the bytes of memory that the arena takes. */
size_t fm_arena_bytes(const struct fm_arena *);

void fm_arena_fini(struct fm_arena *);

#endif
