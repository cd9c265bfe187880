/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Knows different things (URLs or hosts of a log, say) by a hash of 64 bits
 * each; the set does not hold the things themselves.  Among ten million things,
 * the chance that any two have the same hash is one in 300,000.
 */

#ifndef FM_DISTINCT_H
#define FM_DISTINCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_distinct_entry {
	uint64_t		hash;
	uint64_t		other;		/* the caller's */
	uint32_t		owner;		/* the caller's; at first its
						 * number, from 0 */
	uint32_t		flags;		/* the caller's; 0: the place is
						 * free */
};

/* A set that is all zeros is empty. */
struct fm_distinct {
	struct fm_distinct_entry	*v;	/* a hash table */
	size_t			n, room;	/* entries; places in the table,
						 * a power of two */
};

/*
 * Returns the entry of a hash.  A new one has no flags: the caller sets some
 * before the next call.
 */
struct fm_distinct_entry *fm_distinct_at(struct fm_distinct *, uint64_t hash);

/*
 * Returns the number of a hash, for an array of things: a new one has the
 * number that was set->n before.
 */
uint32_t fm_distinct_number(struct fm_distinct *, uint64_t hash);

/* Returns the entry of a hash, or NULL if the set does not have it. */
const struct fm_distinct_entry *fm_distinct_find(const struct fm_distinct *,
    uint64_t hash);
void fm_distinct_fini(struct fm_distinct *);

#endif
