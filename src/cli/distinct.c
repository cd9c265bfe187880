/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The hash table of struct fm_distinct: open addressing with linear
 * probing.  The table is doubled before it is more than half full.
 */

#include <stdlib.h>

#include "cli.h"
#include "distinct.h"

#define ROOM_MIN	1024

/* Returns the entry of a hash, or the free place where it would go. */
static struct fm_distinct_entry *
entry_find(const struct fm_distinct *set, uint64_t hash)
{
	size_t i = (size_t)hash & (set->room - 1);

	while (set->v[i].flags != 0 && set->v[i].hash != hash)
		i = (i + 1) & (set->room - 1);
	return (&set->v[i]);
}

static void
grow(struct fm_distinct *set)
{
	struct fm_distinct old = *set;
	size_t i;

	set->room = old.room == 0 ? ROOM_MIN : 2 * old.room;
	set->v = fm_cli_alloc(set->room * sizeof *set->v);
	for (i = 0; i < old.room; i++)
		if (old.v[i].flags != 0)
			*entry_find(set, old.v[i].hash) = old.v[i];
	free(old.v);
}

struct fm_distinct_entry *
fm_distinct_at(struct fm_distinct *set, uint64_t hash)
{
	struct fm_distinct_entry *entry;

	if (2 * set->n >= set->room)
		grow(set);
	entry = entry_find(set, hash);
	if (entry->flags == 0)
		*entry = (struct fm_distinct_entry){ .hash = hash,
		    .owner = (uint32_t)set->n++ };
	return (entry);
}

const struct fm_distinct_entry *
fm_distinct_find(const struct fm_distinct *set, uint64_t hash)
{
	const struct fm_distinct_entry *entry = set->n == 0 ? NULL :
	    entry_find(set, hash);

	return (entry == NULL || entry->flags == 0 ? NULL : entry);
}

uint32_t
fm_distinct_number(struct fm_distinct *set, uint64_t hash)
{
	struct fm_distinct_entry *entry = fm_distinct_at(set, hash);

	entry->flags = 1;
	return (entry->owner);
}

void
fm_distinct_fini(struct fm_distinct *set)
{
	free(set->v);
	*set = (struct fm_distinct){ .n = 0 };
}
