/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A scratch is memory for one run, which is freed as a whole.  It begins with 4
 * KB in the struct itself, which is on the caller's stack; if that is too
 * little, it takes chunks from the heap, up to FM_SCRATCH_MAX.
 */

#ifndef FM_SCRATCH_H
#define FM_SCRATCH_H

#include <stddef.h>

#define FM_SCRATCH_INLINE	4096
#define FM_SCRATCH_ALIGN	16
#define FM_SCRATCH_MAX		(64UL << 20)	/* bytes from the heap */

struct fm_scratch_chunk;

/*
 *	bytes	[ used | used | free ]	next and end are here, at first
 *	chunks	[ used | free ]		and later in a chunk of 16 KB
 */
struct fm_scratch {
	char			*next;		/* first free byte */
	char			*end;		/* end of the free bytes */
	struct fm_scratch_chunk	*chunks;	/* from the heap */
	size_t			taken;		/* bytes from the heap */
	_Alignas(FM_SCRATCH_ALIGN) char	bytes[FM_SCRATCH_INLINE];
};

static inline void
fm_scratch_init(struct fm_scratch *scratch)
{
	scratch->next = scratch->bytes;
	scratch->end = scratch->bytes + sizeof scratch->bytes;
	scratch->chunks = NULL;
	scratch->taken = 0;
}

/* Frees the chunks from the heap; all memory of the scratch is gone. */
void fm_scratch_free(struct fm_scratch *);

static inline void
fm_scratch_fini(struct fm_scratch *scratch)
{
	if (scratch->chunks != NULL)
		fm_scratch_free(scratch);
}

/* Does what fm_scratch_alloc() does, where the free bytes are too few. */
void *fm_scratch_more(struct fm_scratch *, size_t bytes);

/* Returns memory that is aligned for any type, but not zeroed; or NULL. */
static inline void *
fm_scratch_alloc(struct fm_scratch *scratch, size_t bytes)
{
	char *b = scratch->next;
	size_t room = (size_t)(scratch->end - b);

	/* The room is a multiple of the alignment. */
	if (__builtin_expect(bytes > room, 0))
		return (fm_scratch_more(scratch, bytes));
	scratch->next = b + ((bytes + FM_SCRATCH_ALIGN - 1) &
	    ~(size_t)(FM_SCRATCH_ALIGN - 1));
	return (b);
}

/*
 * Shrinks an allocation from `was` bytes to `bytes`.  The rest becomes free if
 * nothing was allocated since.
 */
void fm_scratch_shrink(struct fm_scratch *, void *, size_t was, size_t bytes);

#endif
