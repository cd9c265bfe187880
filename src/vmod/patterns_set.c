/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sets of patterns: how one is made, by whichever thread.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"

#include "bounds.h"
#include "compat.h"
#include "listfile.h"
#include "patterns.h"

static void
set_free(void *priv)
{
	struct fm_patterns_set *set;

	CAST_OBJ_NOTNULL(set, priv, FM_PATTERNS_SET_MAGIC);
	if (set->builder != NULL)
		fm_patset_build_free(&set->builder);
	if (set->patset != NULL)
		fm_patset_free(&set->patset);
	fm_values_fini(&set->values);
	FREE_OBJ(set);
}

static void *
set_begin(unsigned options)
{
	struct fm_patterns_set *set;

	ALLOC_OBJ(set, FM_PATTERNS_SET_MAGIC);
	if (set == NULL)
		return (NULL);
	set->nocase = (options & FM_PATTERNS_NOCASE) != 0;
	fm_values_init(&set->values);
	set->builder = fm_patset_build_new();
	if (set->builder != NULL)
		return (set);
	set_free(set);
	return (NULL);
}

/* A regex that matches every text is valid, and hardly what was meant. */
static void
pattern_warn(const struct fm_pattern *pattern, const struct fm_place *place,
    struct fm_diag *diag)
{
	struct fm_tally tally = { .scans = 0 };
	struct fm_text text;

	if (fm_pattern_kind(pattern) != FM_PATTERN_REGEX ||
	    !fm_pattern_match(pattern, fm_text("", 0), &tally) ||
	    !fm_pattern_match(pattern, fm_text("\1x", 2), &tally))
		return;
	text = fm_pattern_text(pattern);
	fm_diag_warning(diag, place, "regex '%.*s' matches every text",
	    (int)(text.len < 200 ? text.len : 200), text.b);
}

static int
set_add(void *priv, const struct fm_entry *entry, struct fm_diag *diag)
{
	struct fm_patterns_set *set;
	struct fm_pattern *pattern;

	CAST_OBJ_NOTNULL(set, priv, FM_PATTERNS_SET_MAGIC);
	AN(set->builder);
	pattern = fm_pattern_new((enum fm_pattern_kind)entry->kind,
	    entry->text, set->nocase, &entry->place, diag);
	if (pattern == NULL)
		return (-1);
	pattern_warn(pattern, &entry->place, diag);
	if (fm_values_add(&set->values, entry->text, &entry->given,
	    &entry->place, diag) != 0) {
		fm_pattern_free(&pattern);
		return (-1);
	}
	return (fm_patset_build_add(set->builder, &pattern));
}

static int
set_end(void *priv, struct fm_set_facts *facts, struct fm_diag *diag)
{
	struct fm_patterns_set *set;

	CAST_OBJ_NOTNULL(set, priv, FM_PATTERNS_SET_MAGIC);
	/* It was tried already. */
	if (set->builder == NULL)
		return (-1);
	set->patset = fm_patset_build(&set->builder, diag);
	AZ(set->builder);
	if (set->patset == NULL)
		return (-1);
	fm_values_end(&set->values);
	facts->patterns = fm_patset_count(set->patset);
	facts->bytes = sizeof *set + fm_patset_bytes(set->patset) +
	    fm_values_bytes(&set->values);
	return (0);
}

const struct fm_recipe_type fm_patterns_type = {
	.set = {
		.name = "patterns",
		.make = fm_recipe_make,
		.free = set_free,
		.free_recipe = fm_recipe_end
	},
	.most = FM_LIMIT_OPERANDS,
	.part = fm_listfile_arrow,
	.begin = set_begin,
	.add = set_add,
	.end = set_end
};
