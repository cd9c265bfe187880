/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Arrays that grow: to at least 16 items, and then to twice as many.
 */

#include <string.h>

#include "grow.h"
#include "obj.h"

#define GROW_FIRST	16	/* items; many arrays never have more */

/* reallocarray(), which not every system has. */
static void *
resize(void *array, size_t n, size_t size)
{
	size_t bytes;

	return (__builtin_mul_overflow(n, size, &bytes) ? NULL :
	    realloc(array, bytes));
}

void *
fm_grow_more(void *array, size_t *room, size_t n, size_t more, size_t size)
{
	size_t wanted;

	assert(n <= *room);
	wanted = *room < GROW_FIRST ? GROW_FIRST : 2 * *room;
	if (wanted - n < more && __builtin_add_overflow(n, more, &wanted))
		return (NULL);
	array = resize(array, wanted, size);
	if (array != NULL)
		*room = wanted;
	return (array);
}

void *
fm_grow_add(struct fm_grow *grow, size_t size, size_t count)
{
	char *p;

	assert(grow != NULL);
	assert(size > 0);
	if (count >= UINT32_MAX - grow->n)
		return (NULL);
	p = fm_grow_room(grow->items, &grow->room, grow->n, count, size);
	if (p == NULL)
		return (NULL);
	grow->items = p;
	p += grow->n * size;
	memset(p, 0, count * size);
	grow->n += count;
	return (p);
}

void
fm_grow_trim(struct fm_grow *grow, size_t size)
{
	void *items = NULL;

	assert(grow != NULL);
	if (grow->n > 0)
		items = resize(grow->items, grow->n, size);
	if (items == NULL)
		return;
	grow->items = items;
	grow->room = grow->n;
}

void
fm_grow_fini(struct fm_grow *grow)
{
	assert(grow != NULL);
	free(grow->items);
	*grow = (struct fm_grow){ 0 };
}
