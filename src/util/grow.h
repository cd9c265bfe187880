/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Arrays that grow, for what is made once and then copied into place.
 */

#ifndef FM_GROW_H
#define FM_GROW_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed is empty.  All items have one size, which the caller knows. */
struct fm_grow {
	void		*items;		/* malloc'ed */
	size_t		n;
	size_t		room;
};

/*
 * So many more items, next to each other and zeroed, of which the first is
 * returned; those that were there may move.  NULL: no memory, or no number
 * below UINT32_MAX left for them.
 */
void *fm_grow_add(struct fm_grow *, size_t size, size_t count);
void fm_grow_fini(struct fm_grow *);

/* Good until the array grows. */
#define FM_GROW_AT(grow, type, i)	(&((type *)(grow)->items)[i])

/* What fm_grow_room() does where there is none. */
void *fm_grow_more(void *array, size_t *room, size_t n, size_t more,
    size_t size);

/*
 * An array whose owner has its own type for it: returns it, moved or not, with
 * room for so many items more than the n in it.  NULL: no memory, and it is as
 * it was.
 */
static inline void *
fm_grow_room(void *array, size_t *room, size_t n, size_t more, size_t size)
{
	if (*room - n >= more && array != NULL)
		return (array);
	return (fm_grow_more(array, room, n, more, size));
}

#endif
