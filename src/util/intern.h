/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An intern table gives a number to each key; equal keys have equal numbers.
 * The check finds names with it, the compiler what it has made before.
 *
 * The caller puts a key together from a tag, numbers and texts, and then asks
 * for its number:
 *
 *	fm_intern_key(in, TAG_BACKEND);
 *	fm_intern_key_text(in, name);
 *	new = fm_intern_get(in, next, &number);
 */

#ifndef FM_INTERN_H
#define FM_INTERN_H

#include "arena.h"
#include "grow.h"
#include "text.h"

struct fm_intern_bucket;

/* Zeroed is empty. */
struct fm_intern {
	struct fm_intern_bucket	*buckets;
	size_t			nbuckets;	/* a power of two, or 0 */
	size_t			used;
	struct fm_arena		keys;
	struct fm_grow		key;		/* bytes of the key that is put
						 * together */
	bool			no_memory;	/* for this key */
};

void fm_intern_key(struct fm_intern *, uint32_t tag);
void fm_intern_key_number(struct fm_intern *, uint32_t);
void fm_intern_key_text(struct fm_intern *, struct fm_text);
/* Adds a text in lower case. */
void fm_intern_key_lower(struct fm_intern *, struct fm_text);

/*
 * Finds the number of the key, or gives the number offered to a key that has
 * none.  Returns 1 if the key is new, 0 if it is old, -1: no memory.
 */
int fm_intern_get(struct fm_intern *, uint32_t offered, uint32_t *number);

/* Finds the number of the key.  Returns false if it has none. */
bool fm_intern_find(const struct fm_intern *, uint32_t *number);

void fm_intern_fini(struct fm_intern *);

#endif
