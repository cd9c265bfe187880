/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory for one run (scratch.h).  The free bytes are between next and end: in
 * the struct itself at first, later in a chunk from the heap.  A large request
 * gets a chunk of its own.
 */

#include <stdint.h>
#include <stdlib.h>

#include "obj.h"
#include "scratch.h"

#define SCRATCH_CHUNK		(16UL << 10)	/* bytes of a chunk */
#define SCRATCH_LARGE		(SCRATCH_CHUNK / 4)

struct fm_scratch_chunk {
	struct fm_scratch_chunk	*next;
	_Alignas(FM_SCRATCH_ALIGN) char bytes[];
};

void
fm_scratch_free(struct fm_scratch *scratch)
{
	struct fm_scratch_chunk *chunk;

	while ((chunk = scratch->chunks) != NULL) {
		scratch->chunks = chunk->next;
		free(chunk);
	}
	scratch->next = scratch->end = scratch->bytes;
	scratch->taken = 0;
}

/* Returns the bytes of a new chunk, or NULL. */
static char *
scratch_chunk(struct fm_scratch *scratch, size_t bytes)
{
	struct fm_scratch_chunk *chunk;

	if (bytes > FM_SCRATCH_MAX - scratch->taken)
		return (NULL);
	chunk = malloc(sizeof *chunk + bytes);
	if (chunk == NULL)
		return (NULL);
	chunk->next = scratch->chunks;
	scratch->chunks = chunk;
	scratch->taken += bytes;
	return (chunk->bytes);
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
		return (scratch_chunk(scratch, bytes));
	b = scratch_chunk(scratch, SCRATCH_CHUNK);
	if (b == NULL)
		return (NULL);
	scratch->next = b + bytes;
	scratch->end = b + SCRATCH_CHUNK;
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
