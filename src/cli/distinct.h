/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Counts how many different things there are (URLs of a log, say).  The set
 * holds a hash of 64 bits for each thing, not the thing itself.  Among ten
 * million things, the chance that any two have the same hash is one in 300,000.
 */

#ifndef FM_DISTINCT_H
#define FM_DISTINCT_H

#include <stddef.h>
#include <stdint.h>

struct fm_distinct_entry {
	uint64_t		hash;
	uint64_t		other;		/* the caller's; kept from the
						 * first entry of a hash */
	uint32_t		owner;		/* the caller's; kept, too */
	uint32_t		flags;		/* the flags of all entries of a
						 * hash; 0: the place is free */
};

/* A set that is all zeros is empty. */
struct fm_distinct {
	struct fm_distinct_entry	*v;	/* a hash table */
	size_t			n, room;	/* entries; places in the table,
						 * a power of two */
};

/*
 * Adds an entry; where the hash is there already, adds its flags only.  The
 * flags of an entry are not 0.
 */
void fm_distinct_add(struct fm_distinct *,
    const struct fm_distinct_entry *);
void fm_distinct_fini(struct fm_distinct *);

#endif
