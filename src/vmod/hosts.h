/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sets of hosts: what the object `hosts` is filled with, compiled.
 */

#ifndef FM_HOSTS_H
#define FM_HOSTS_H

#include "hosttab.h"
#include "recipe.h"

/* The table gives numbers of entries of the values. */
struct fm_hosts_set {
	unsigned			magic;
#define FM_HOSTS_SET_MAGIC		0xa3641f9e
	struct fm_values		values;
	struct fm_hosttab_builder	*builder;	/* NULL: compiled */
	struct fm_hosttab		*table;
};

extern const struct fm_recipe_type fm_hosts_type;

#endif
