/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Many short strings that live and die together.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "vdef.h"
#include "vas.h"
#include "miniobj.h"

#include "arena.h"

#define ARENA_CHUNK_SIZE	(64UL << 10)
#define ARENA_FIRST_SIZE	(1UL << 10)

struct fm_arena_chunk {
	unsigned		magic;
#define FM_ARENA_CHUNK_MAGIC	0x51d0b7e3
	struct fm_arena_chunk	*next;
	size_t			used;
	size_t			size;
	char			bytes[];
};

static struct fm_arena_chunk *
arena_grow(struct fm_arena *arena, size_t bytes)
{
	struct fm_arena_chunk *chunk;
	size_t size;

	size = arena->chunks == NULL ? ARENA_FIRST_SIZE : ARENA_CHUNK_SIZE;
	if (size < bytes)
		size = bytes;
	chunk = malloc(sizeof *chunk + size);
	if (chunk == NULL)
		return (NULL);
	INIT_OBJ(chunk, FM_ARENA_CHUNK_MAGIC);
	chunk->size = size;
	chunk->next = arena->chunks;
	arena->chunks = chunk;
	return (chunk);
}

const char *
fm_arena_add(struct fm_arena *arena, struct fm_text text)
{
	struct fm_arena_chunk *chunk;
	char *p;

	AN(arena);
	chunk = arena->chunks;
	if (chunk == NULL || chunk->size - chunk->used <= text.len)
		chunk = arena_grow(arena, text.len + 1);
	if (chunk == NULL)
		return (NULL);
	CHECK_OBJ(chunk, FM_ARENA_CHUNK_MAGIC);
	p = chunk->bytes + chunk->used;
	if (text.len > 0)
		memcpy(p, text.b, text.len);
	p[text.len] = '\0';
	chunk->used += text.len + 1;
	return (p);
}

void
fm_arena_fini(struct fm_arena *arena)
{
	struct fm_arena_chunk *chunk;

	AN(arena);
	while (arena->chunks != NULL) {
		TAKE_OBJ_NOTNULL(chunk, &arena->chunks, FM_ARENA_CHUNK_MAGIC);
		arena->chunks = chunk->next;
		FREE_OBJ(chunk);
	}
}
