/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory for the time of one run: first some of the owner's stack, then, only
 * where that does not do, pieces from the heap, up to a bound.
 */

#ifndef FM_SCRATCH_H
#define FM_SCRATCH_H

#include <stddef.h>

#define FM_SCRATCH_INLINE	4096
#define FM_SCRATCH_MAX		(64UL << 20)	/* bytes from the heap */

struct fm_scratch_piece;

struct fm_scratch {
	char			*next;		/* what is free: */
	char			*end;
	struct fm_scratch_piece	*pieces;	/* from the heap */
	size_t			taken;		/* of it */
	_Alignas(16) char	bytes[FM_SCRATCH_INLINE];
};

void fm_scratch_init(struct fm_scratch *);
void fm_scratch_fini(struct fm_scratch *);

/* Aligned for any type; not zeroed.  NULL: no memory. */
void *fm_scratch_alloc(struct fm_scratch *, size_t bytes);

/*
 * Of what was allocated with so many bytes no more than these are needed.
 * Gives the others back where nothing was allocated since.
 */
void fm_scratch_shrink(struct fm_scratch *, void *, size_t was, size_t bytes);

#endif
