/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * From an identity to a number that is not 0; 0 is what others have.
 */

#ifndef FM_IDMAP_H
#define FM_IDMAP_H

#include <stddef.h>
#include <stdint.h>

struct fm_idmap_slot {
	uint64_t		id;
	uint64_t		value;		/* 0: the slot is free */
};

/* Zeroed is empty. */
struct fm_idmap {
	struct fm_idmap_slot	*slots;
	size_t			nslots;		/* a power of two, or 0 */
	size_t			used;
};

uint64_t fm_idmap_get(const struct fm_idmap *, uint64_t id);

/* Makes room for one more.  0, or -1: no memory. */
int fm_idmap_reserve(struct fm_idmap *);

/* 0, or -1: no memory, which can't be where room was reserved. */
int fm_idmap_set(struct fm_idmap *, uint64_t id, uint64_t value);

/* Empties it, and keeps the room. */
void fm_idmap_clear(struct fm_idmap *);
void fm_idmap_fini(struct fm_idmap *);

#endif
