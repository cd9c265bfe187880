/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sets of hosts: how one is made, by whichever thread.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"

#include "bounds.h"
#include "compat.h"
#include "hosts.h"
#include "listfile.h"

static void
set_free(void *priv)
{
	struct fm_hosts_set *set;

	CAST_OBJ_NOTNULL(set, priv, FM_HOSTS_SET_MAGIC);
	if (set->builder != NULL)
		fm_hosttab_build_free(&set->builder);
	if (set->table != NULL)
		fm_hosttab_free(&set->table);
	fm_values_fini(&set->values);
	FREE_OBJ(set);
}

static void *
set_begin(unsigned options)
{
	struct fm_hosts_set *set;

	AZ(options);
	ALLOC_OBJ(set, FM_HOSTS_SET_MAGIC);
	if (set == NULL)
		return (NULL);
	fm_values_init(&set->values);
	set->builder = fm_hosttab_build_new();
	if (set->builder != NULL)
		return (set);
	set_free(set);
	return (NULL);
}

static int
set_add(void *priv, const struct fm_entry *entry, struct fm_diag *diag)
{
	struct fm_hosts_set *set;

	CAST_OBJ_NOTNULL(set, priv, FM_HOSTS_SET_MAGIC);
	AN(set->builder);
	if (fm_hosttab_build_add(set->builder, entry->text,
	    (uint32_t)set->values.count, &entry->place, diag) != 0)
		return (-1);
	return (fm_values_add(&set->values, entry->text, &entry->given,
	    &entry->place, diag));
}

static int
set_end(void *priv, struct fm_set_facts *facts, struct fm_diag *diag)
{
	struct fm_hosts_set *set;

	(void)diag;
	CAST_OBJ_NOTNULL(set, priv, FM_HOSTS_SET_MAGIC);
	AN(set->builder);
	set->table = fm_hosttab_build(set->builder);
	if (set->table == NULL)
		return (-1);
	fm_hosttab_build_free(&set->builder);
	fm_values_end(&set->values);
	facts->hosts = fm_hosttab_count(set->table);
	facts->bytes = sizeof *set + fm_hosttab_bytes(set->table) +
	    fm_values_bytes(&set->values);
	return (0);
}

const struct fm_recipe_type fm_hosts_type = {
	.set = {
		.name = "hosts",
		.make = fm_recipe_make,
		.free = set_free,
		.free_recipe = fm_recipe_end
	},
	.most = FM_LIMIT_HOSTS,
	.part = fm_listfile_word,
	.begin = set_begin,
	.add = set_add,
	.end = set_end
};
