/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory for one run (scratch.h).  The free bytes are between next and end: in
 * the struct itself at first, later in a piece from the heap.  A large request
 * gets a piece of its own.
 */

#include <stdint.h>
#include <stdlib.h>

#include "obj.h"
#include "scratch.h"

#define SCRATCH_PIECE		(16UL << 10)	/* bytes of a piece */
#define SCRATCH_LARGE		(SCRATCH_PIECE / 4)

struct fm_scratch_piece {
	struct fm_scratch_piece	*next;
	_Alignas(FM_SCRATCH_ALIGN) char bytes[];
};

void
fm_scratch_free(struct fm_scratch *scratch)
{
	struct fm_scratch_piece *piece;

	while ((piece = scratch->pieces) != NULL) {
		scratch->pieces = piece->next;
		free(piece);
	}
	scratch->next = scratch->end = scratch->bytes;
	scratch->taken = 0;
}

/* Returns the bytes of a new piece, or NULL. */
static char *
scratch_piece(struct fm_scratch *scratch, size_t bytes)
{
	struct fm_scratch_piece *piece;

	if (bytes > FM_SCRATCH_MAX - scratch->taken)
		return (NULL);
	piece = malloc(sizeof *piece + bytes);
	if (piece == NULL)
		return (NULL);
	piece->next = scratch->pieces;
	scratch->pieces = piece;
	scratch->taken += bytes;
	return (piece->bytes);
}

static size_t
scratch_round(size_t bytes)
{
	return ((bytes + FM_SCRATCH_ALIGN - 1) &
	    ~(size_t)(FM_SCRATCH_ALIGN - 1));
}

void *
fm_scratch_more(struct fm_scratch *scratch, size_t bytes)
{
	char *b;

	if (bytes > FM_SCRATCH_MAX)
		return (NULL);
	bytes = scratch_round(bytes);
	if (bytes >= SCRATCH_LARGE)
		return (scratch_piece(scratch, bytes));
	b = scratch_piece(scratch, SCRATCH_PIECE);
	if (b == NULL)
		return (NULL);
	scratch->next = b + bytes;
	scratch->end = b + SCRATCH_PIECE;
	return (b);
}

void
fm_scratch_shrink(struct fm_scratch *scratch, void *last, size_t was,
    size_t bytes)
{
	assert(bytes <= was);
	if ((char *)last + scratch_round(was) == scratch->next)
		scratch->next = (char *)last + scratch_round(bytes);
}
