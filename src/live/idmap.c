/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A map from identities to numbers, by open addressing.
 */

#include <string.h>

#include "idmap.h"
#include "obj.h"

static struct fm_idmap_slot *
map_slot(const struct fm_idmap *map, uint64_t id)
{
	size_t i = (size_t)((id * 0x9e3779b97f4a7c15ULL) >> 32);

	for (i &= map->nslots - 1; map->slots[i].value != 0 &&
	    map->slots[i].id != id;)
		i = (i + 1) & (map->nslots - 1);
	return (&map->slots[i]);
}

uint64_t
fm_idmap_get(const struct fm_idmap *map, uint64_t id)
{
	return (map->nslots == 0 ? 0 : map_slot(map, id)->value);
}

/* Half of the slots stay free. */
int
fm_idmap_reserve(struct fm_idmap *map)
{
	struct fm_idmap grown = { NULL, 16, map->used };
	size_t i;

	if (map->nslots > 2 * map->used)
		return (0);
	if (map->nslots > 0)
		grown.nslots = 2 * map->nslots;
	grown.slots = calloc(grown.nslots, sizeof *grown.slots);
	if (grown.slots == NULL)
		return (-1);
	for (i = 0; i < map->nslots; i++)
		if (map->slots[i].value != 0)
			*map_slot(&grown, map->slots[i].id) = map->slots[i];
	free(map->slots);
	*map = grown;
	return (0);
}

int
fm_idmap_set(struct fm_idmap *map, uint64_t id, uint64_t value)
{
	struct fm_idmap_slot *slot;

	assert(value != 0);
	if (fm_idmap_reserve(map) != 0)
		return (-1);
	slot = map_slot(map, id);
	if (slot->value == 0)
		map->used++;
	slot->id = id;
	slot->value = value;
	return (0);
}

void
fm_idmap_clear(struct fm_idmap *map)
{
	if (map->nslots > 0)
		memset(map->slots, 0, map->nslots * sizeof *map->slots);
	map->used = 0;
}

void
fm_idmap_fini(struct fm_idmap *map)
{
	free(map->slots);
	*map = (struct fm_idmap){ NULL, 0, 0 };
}
