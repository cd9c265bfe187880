/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A table from a text to a thing, for the names in a model.  Nothing is removed
 * from it.  It also finds the text that is nearest to an unknown name, for "did
 * you mean".
 */

#include "check_priv.h"
#include "distance.h"
#include "obj.h"

static void
table_key(struct fm_check_table *table, struct fm_text text)
{
	fm_intern_key(&table->keys, 0);
	if (table->nocase)
		fm_intern_key_lower(&table->keys, text);
	else
		fm_intern_key_text(&table->keys, text);
}

static struct fm_check_entry *
table_at(const struct fm_check_table *table, uint32_t n)
{
	return (FM_GROW_AT(&table->entries, struct fm_check_entry, n));
}

void *
fm_check_table_add(struct fm_check_table *table, struct fm_text text,
    void *thing, struct fm_diag *diag)
{
	struct fm_check_entry *entry;
	uint32_t n = (uint32_t)table->entries.n;
	int new = -1;

	assert(thing != NULL);
	entry = fm_grow_add(&table->entries, sizeof *entry, 1);
	table_key(table, text);
	if (entry != NULL)
		new = fm_intern_get(&table->keys, n, &n);
	if (new > 0)
		*entry = (struct fm_check_entry){ text, thing };
	else if (entry != NULL)
		table->entries.n--;
	if (new < 0) {
		fm_diag_no_memory(diag);
		return (thing);
	}
	return (table_at(table, n)->thing);
}

void *
fm_check_table_find(struct fm_check_table *table, struct fm_text text)
{
	uint32_t n;

	table_key(table, text);
	return (fm_intern_find(&table->keys, &n) ? table_at(table, n)->thing :
	    NULL);
}

void
fm_check_table_fini(struct fm_check_table *table)
{
	fm_intern_fini(&table->keys);
	fm_grow_fini(&table->entries);
}

const struct fm_check_entry *
fm_check_table_near(const struct fm_check_table *table, struct fm_text text)
{
	const struct fm_check_entry *entry, *near = NULL;
	size_t d, max = fm_distance_max(text);
	uint32_t i;

	for (i = 0; i < table->entries.n && max > 0; i++) {
		entry = table_at(table, i);
		d = fm_distance(text, entry->text, max);
		/* The first of the alphabet, so that the answer is fixed. */
		if (d < max || (d == max && (near == NULL ||
		    fm_text_compare(entry->text, near->text) < 0))) {
			near = entry;
			max = d;
		}
	}
	return (near);
}
