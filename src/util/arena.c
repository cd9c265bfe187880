/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Arenas: allocates from chunks of 64 KB, and frees all chunks at once.
 */

#include <stdint.h>

#include "arena.h"
#include "obj.h"

#define ARENA_CHUNK_SIZE	(64UL << 10)	/* bytes; the first chunk has
						 * 1 KB, as many arenas need
						 * no more */
#define ARENA_ALIGN		_Alignof(max_align_t)

struct fm_arena_chunk {
	unsigned		magic;
#define FM_ARENA_CHUNK_MAGIC	0x51d0b7e3
	struct fm_arena_chunk	*next;
	size_t			used;
	size_t			size;
	_Alignas(ARENA_ALIGN) char bytes[];
};

static struct fm_arena_chunk *
arena_grow(struct fm_arena *arena, size_t bytes)
{
	struct fm_arena_chunk *chunk;
	size_t size;

	size = arena->chunks == NULL ? ARENA_CHUNK_SIZE / 64 : ARENA_CHUNK_SIZE;
	if (size < bytes)
		size = bytes;
	if (size > SIZE_MAX - sizeof *chunk)
		return (NULL);
	chunk = malloc(sizeof *chunk + size);
	if (chunk == NULL)
		return (NULL);
	chunk->magic = FM_ARENA_CHUNK_MAGIC;
	chunk->used = 0;
	chunk->size = size;
	chunk->next = arena->chunks;
	arena->chunks = chunk;
	return (chunk);
}

/* Returns these bytes of the newest chunk, or of a new one; NULL: no memory. */
static char *
arena_take(struct fm_arena *arena, size_t bytes, size_t align)
{
	struct fm_arena_chunk *chunk;
	size_t at = 0;

	assert(arena != NULL);
	chunk = arena->chunks;
	if (chunk != NULL) {
		FM_OBJ_CHECK(chunk, FM_ARENA_CHUNK_MAGIC);
		at = (chunk->used + align - 1) / align * align;
	}
	if (chunk == NULL || at > chunk->size || chunk->size - at < bytes) {
		chunk = arena_grow(arena, bytes);
		at = 0;
	}
	if (chunk == NULL)
		return (NULL);
	chunk->used = at + bytes;
	return (chunk->bytes + at);
}

void *
fm_arena_alloc(struct fm_arena *arena, size_t bytes)
{
	void *p;

	p = arena_take(arena, bytes, ARENA_ALIGN);
	if (p != NULL)
		memset(p, 0, bytes);
	return (p);
}

const char *
fm_arena_add(struct fm_arena *arena, struct fm_text text)
{
	char *p;

	p = arena_take(arena, text.len + 1, 1);
	if (p == NULL)
		return (NULL);
	if (text.len > 0)
		memcpy(p, text.b, text.len);
	p[text.len] = '\0';
	return (p);
}

size_t
fm_arena_bytes(const struct fm_arena *arena)
{
	const struct fm_arena_chunk *chunk;
	size_t bytes = 0;

	assert(arena != NULL);
	for (chunk = arena->chunks; chunk != NULL; chunk = chunk->next)
		bytes += sizeof *chunk + chunk->size;
	return (bytes);
}

void
fm_arena_fini(struct fm_arena *arena)
{
	struct fm_arena_chunk *chunk, *next;

	assert(arena != NULL);
	for (chunk = arena->chunks; chunk != NULL; chunk = next) {
		FM_OBJ_CHECK(chunk, FM_ARENA_CHUNK_MAGIC);
		next = chunk->next;
		FM_OBJ_FREE(chunk);
	}
	arena->chunks = NULL;
}
