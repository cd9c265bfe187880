/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Arrays that grow while something is compiled.  Items move when an array
 * grows, so others keep their index, not their address.
 */

#ifndef FM_GROW_H
#define FM_GROW_H

#include <stddef.h>
#include <stdint.h>

/* An array, all zeros when empty.  The caller knows the size of its items. */
struct fm_grow {
	void		*items;		/* malloc'ed */
	size_t		n;
	size_t		room;
};

/*
 * Appends `count` zeroed items, and returns the first of them; the other items
 * may move.  Returns NULL if there is no memory, or the array would have
 * UINT32_MAX items or more.
 */
void *fm_grow_add(struct fm_grow *, size_t size, size_t count);
void fm_grow_fini(struct fm_grow *);

/* Frees the room for further items, if there is memory for that. */
void fm_grow_trim(struct fm_grow *, size_t size);

/* Returns the address of item i, which is valid until the array grows. */
#define FM_GROW_AT(grow, type, i)	(&((type *)(grow)->items)[i])

/* Grows the array, for fm_grow_room(). */
void *fm_grow_more(void *array, size_t *room, size_t n, size_t more,
    size_t size);

/*
 * Returns an array, moved or not, that has room for `more` items after its n
 * items.  For a struct that has array, n and room itself.  Returns NULL if
 * there is no memory; then the array is unchanged.
 */
static inline void *
fm_grow_room(void *array, size_t *room, size_t n, size_t more, size_t size)
{
	if (*room - n >= more && array != NULL)
		return (array);
	return (fm_grow_more(array, room, n, more, size));
}

#endif
