/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Arrays that grow.
 */

#include <string.h>

#include "grow.h"
#include "obj.h"

#define GROW_FIRST	16	/* items */

void *
fm_grow_add(struct fm_grow *grow, size_t size, size_t count)
{
	size_t room;
	char *p;

	assert(grow != NULL);
	assert(size > 0);
	if (count >= UINT32_MAX - grow->n)
		return (NULL);
	if (grow->room - grow->n < count || grow->items == NULL) {
		room = grow->room < GROW_FIRST ? GROW_FIRST : 2 * grow->room;
		if (room < grow->n + count)
			room = grow->n + count;
		p = reallocarray(grow->items, room, size);
		if (p == NULL)
			return (NULL);
		grow->items = p;
		grow->room = room;
	}
	p = (char *)grow->items + grow->n * size;
	memset(p, 0, count * size);
	grow->n += count;
	return (p);
}

void
fm_grow_fini(struct fm_grow *grow)
{
	assert(grow != NULL);
	free(grow->items);
	*grow = (struct fm_grow){ 0 };
}
