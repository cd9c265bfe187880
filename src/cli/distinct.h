/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A set of hashes: how many different ones there are.  The hash of 64 bits
 * stands for what was hashed; of ten million, two are taken for one with a
 * chance of one in 300,000.
 */

#ifndef FM_DISTINCT_H
#define FM_DISTINCT_H

#include <stddef.h>
#include <stdint.h>

struct fm_distinct_entry {
	uint64_t		hash;
	uint64_t		other;		/* the caller's, of the first */
	uint32_t		owner;		/* likewise */
	uint32_t		flags;		/* of all; 0: nothing is here */
};

/* Zeroed is empty. */
struct fm_distinct {
	struct fm_distinct_entry	*v;	/* with holes */
	size_t			n, room;	/* a power of two */
};

/* flags are not 0; they are added to those that it has. */
void fm_distinct_add(struct fm_distinct *,
    const struct fm_distinct_entry *);
void fm_distinct_fini(struct fm_distinct *);

#endif
