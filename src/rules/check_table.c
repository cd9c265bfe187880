/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A hash table from a text to a thing, for the names in a model.  Nothing is
 * removed from it.  It also finds the text that is nearest to an unknown name,
 * for "did you mean".
 */

#include <stdlib.h>

#include "check_priv.h"
#include "distance.h"
#include "obj.h"

#define TABLE_MIN	16		/* slots; a power of two */

static uint64_t
table_hash(const struct fm_check_table *table, struct fm_text text)
{
	uint64_t hash = 0xcbf29ce484222325ULL;	/* FNV-1a */
	unsigned char c;
	size_t i;

	for (i = 0; i < text.len; i++) {
		c = (unsigned char)text.b[i];
		hash ^= table->nocase ? fm_lower(c) : c;
		hash *= 0x100000001b3ULL;
	}
	return (hash ^ hash >> 29);
}

/* Returns the slot of a text, or the free slot where it would be. */
static struct fm_check_entry *
table_slot(const struct fm_check_table *table, struct fm_text text,
    uint64_t hash)
{
	struct fm_check_entry *entry;
	size_t at;

	for (at = hash & (table->room - 1);; at = (at + 1) &
	    (table->room - 1)) {
		entry = &table->entries[at];
		if (entry->thing == NULL)
			return (entry);
		if (entry->hash == hash && fm_check_text_eq(entry->text,
		    text, table->nocase))
			return (entry);
	}
}

/* Grows the table so that half of its slots stay free. */
static int
table_reserve(struct fm_check_table *table)
{
	struct fm_check_table grown = *table;
	const struct fm_check_entry *entry;
	size_t i;

	if (2 * table->count < table->room)
		return (0);
	grown.room = table->room == 0 ? TABLE_MIN : 2 * table->room;
	grown.entries = calloc(grown.room, sizeof *grown.entries);
	if (grown.entries == NULL)
		return (-1);
	for (i = 0; i < table->room; i++) {
		entry = &table->entries[i];
		if (entry->thing != NULL)
			*table_slot(&grown, entry->text, entry->hash) = *entry;
	}
	free(table->entries);
	*table = grown;
	return (0);
}

void *
fm_check_table_add(struct fm_check_table *table, struct fm_text text,
    void *thing, struct fm_diag *diag)
{
	struct fm_check_entry *entry;
	uint64_t hash = table_hash(table, text);

	assert(thing != NULL);
	if (table_reserve(table) != 0) {
		fm_diag_no_memory(diag);
		return (thing);
	}
	entry = table_slot(table, text, hash);
	if (entry->thing == NULL) {
		*entry = (struct fm_check_entry){ text, hash, thing };
		table->count++;
	}
	return (entry->thing);
}

void *
fm_check_table_find(const struct fm_check_table *table, struct fm_text text)
{
	if (table->room == 0)
		return (NULL);
	return (table_slot(table, text, table_hash(table, text))->thing);
}

void
fm_check_table_fini(struct fm_check_table *table)
{
	free(table->entries);
	memset(table, 0, sizeof *table);
}

const struct fm_check_entry *
fm_check_table_near(const struct fm_check_table *table, struct fm_text text)
{
	const struct fm_check_entry *entry, *near = NULL;
	size_t i, d, max = fm_distance_max(text);

	for (i = 0; i < table->room && max > 0; i++) {
		entry = &table->entries[i];
		if (entry->thing == NULL)
			continue;
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
