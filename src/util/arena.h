/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Many small things that live and die together: a table of a hundred thousand
 * hosts takes a few large allocations instead of as many small ones.
 */

#ifndef FM_ARENA_H
#define FM_ARENA_H

#include "text.h"

struct fm_arena_chunk;

/* Zeroed is empty. */
struct fm_arena {
	struct fm_arena_chunk	*chunks;	/* the newest first */
};

/* Zeroed bytes, aligned for any type, that never move; NULL: no memory. */
void *fm_arena_alloc(struct fm_arena *, size_t bytes);

/* A copy that ends in NUL and never moves; NULL: no memory. */
const char *fm_arena_add(struct fm_arena *, struct fm_text);

/* What all its chunks take. */
size_t fm_arena_bytes(const struct fm_arena *);

void fm_arena_fini(struct fm_arena *);

#endif
