/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The builder of host tables: keeps the patterns, with their places, indexed
 * by name, so that one which is there already is told at once.
 */

#include "grow.h"
#include "hosttab_priv.h"

struct fm_hosttab_builder *
fm_hosttab_build_new(void)
{
	struct fm_hosttab_builder *builder;

	FM_OBJ_NEW(builder, FM_HOSTTAB_BUILDER_MAGIC);
	if (builder == NULL)
		return (NULL);
	builder->seed = fm_fold_seed(builder);
	builder->any = FM_HOSTTAB_NO_ENTRY;
	builder->arena_max = FM_HOSTTAB_FREE;
	return (builder);
}

void
fm_hosttab_build_free(struct fm_hosttab_builder **builderp)
{
	struct fm_hosttab_builder *builder;

	FM_OBJ_TAKE(builder, builderp, FM_HOSTTAB_BUILDER_MAGIC);
	free(builder->names.buckets);
	free(builder->prefixes.buckets);
	free(builder->arena);
	free(builder->records);
	FM_OBJ_FREE(builder);
}

/* Room for one more name, with a quarter of the slots free. */
static int
index_reserve(struct fm_hosttab_index *index)
{
	struct fm_hosttab_index grown = { NULL, 4, 0 };
	struct fm_hosttab_bucket *bucket;
	uint32_t n, i;
	size_t bytes;

	if (index->count < (uint64_t)index->nbuckets * FM_HOSTTAB_SLOTS * 3 / 4)
		return (0);
	if (index->nbuckets > 0)
		grown.nbuckets = index->nbuckets * 2;
	if (__builtin_mul_overflow(grown.nbuckets, sizeof *bucket, &bytes))
		return (-1);
	grown.buckets = aligned_alloc(FM_HOSTTAB_LINE, bytes);
	if (grown.buckets == NULL)
		return (-1);
	memset(grown.buckets, 0xff, bytes);
	for (n = 0; n < index->nbuckets; n++) {
		bucket = &index->buckets[n];
		for (i = 0; i < FM_HOSTTAB_SLOTS; i++) {
			if (bucket->name[i] == FM_HOSTTAB_FREE)
				break;
			(void)fm_hosttab_put(&grown, bucket->hash[i],
			    bucket->name[i], bucket->entry[0][i],
			    bucket->entry[1][i]);
		}
	}
	free(index->buckets);
	*index = grown;
	return (0);
}

static int
arena_reserve(struct fm_hosttab_builder *builder, size_t more)
{
	char *arena;

	arena = fm_grow_room(builder->arena, &builder->arena_cap,
	    builder->arena_len, more, 1);
	if (arena == NULL)
		return (-1);
	builder->arena = arena;
	return (0);
}

static int
record_reserve(struct fm_hosttab_builder *builder)
{
	struct fm_hosttab_record *records;

	records = fm_grow_room(builder->records, &builder->records_cap,
	    builder->nrecords, 1, sizeof *records);
	if (records == NULL)
		return (-1);
	builder->records = records;
	return (0);
}

/*
 * The columns of its name's slot that a pattern fills.  Two patterns of one
 * name clash where they fill the same.
 */
static const bool form_fills[][FM_HOSTTAB_COLUMNS] = {
	[FM_HOSTTAB_FORM_NAME] = { true, false },
	[FM_HOSTTAB_FORM_BELOW] = { false, true },
	[FM_HOSTTAB_FORM_BOTH] = { true, true },
	[FM_HOSTTAB_FORM_PREFIX] = { true, false }
};

/* The slot of a name, whatever it has an entry for. */
static struct fm_hosttab_slot
name_find(const struct fm_hosttab_builder *builder,
    const struct fm_hosttab_index *index, struct fm_text name, uint32_t hash)
{
	struct fm_hosttab_slot slot;

	slot = fm_hosttab_find(index, builder->arena, name, hash,
	    FM_HOSTTAB_COLUMN_NAME);
	if (slot.bucket == NULL)
		slot = fm_hosttab_find(index, builder->arena, name, hash,
		    FM_HOSTTAB_COLUMN_BELOW);
	return (slot);
}

/* The number of a record that is there already, or none. */
static uint32_t
clash_find(struct fm_hosttab_slot slot, enum fm_hosttab_form form)
{
	enum fm_hosttab_column column;
	uint32_t record;

	if (slot.bucket == NULL)
		return (FM_HOSTTAB_NO_ENTRY);
	for (column = 0; column < FM_HOSTTAB_COLUMNS; column++) {
		record = fm_hosttab_entry(slot, column);
		if (form_fills[form][column] && record != FM_HOSTTAB_NO_ENTRY)
			return (record);
	}
	return (FM_HOSTTAB_NO_ENTRY);
}

static void
clash_report(const struct fm_hosttab_record *first,
    const struct fm_hosttab_pattern *pat, const struct fm_place *place,
    struct fm_diag *diag)
{
	char where[FM_PLACE_LEN];
	const char *star;

	(void)fm_place_print(&first->place, where);
	if (first->form == pat->form)
		fm_diag_error(diag, place, "host " FM_HOSTTAB_QUOTED
		    " added twice: first at %s", FM_HOSTTAB_QUOTE(pat->raw),
		    where);
	else if (first->form == FM_HOSTTAB_FORM_BOTH)
		fm_diag_error(diag, place, "host " FM_HOSTTAB_QUOTED
		    " added twice: '.%.*s' at %s means it too",
		    FM_HOSTTAB_QUOTE(pat->raw), (int)pat->name.len,
		    pat->name.b, where);
	else {
		star = first->form == FM_HOSTTAB_FORM_BELOW ? "*." : "";
		fm_diag_error(diag, place, "host " FM_HOSTTAB_QUOTED
		    " added twice: it means '%s%.*s' too, which is at %s",
		    FM_HOSTTAB_QUOTE(pat->raw), star, (int)pat->name.len,
		    pat->name.b, where);
	}
}

/* Notes how many labels the name of a wildcard has. */
static void
depths_add(struct fm_hosttab_depths *depths, struct fm_text name)
{
	unsigned depth = 1;
	size_t i;

	for (i = 0; i < name.len; i++)
		depth += name.b[i] == '.';
	assert(depth < FM_HOSTTAB_DEPTHS);
	depths->bits[depth / 64] |= 1ULL << depth % 64;
}

/* Makes room for one more record, and for a name if it is a new one. */
static int
builder_reserve(struct fm_hosttab_builder *builder,
    struct fm_hosttab_index *index, const struct fm_hosttab_pattern *pat,
    const struct fm_place *place, struct fm_diag *diag)
{
	size_t more = index == NULL ? 0 :
	    FM_HOSTTAB_NUMBERS + 1 + pat->name.len;

	if (more > builder->arena_max - builder->arena_len) {
		fm_diag_error(diag, place, "no room for host "
		    FM_HOSTTAB_QUOTED ": the names in a table are at most %zu "
		    "bytes: use fewer, or wildcards",
		    FM_HOSTTAB_QUOTE(pat->raw), builder->arena_max);
		return (-1);
	}
	if (record_reserve(builder) != 0 || (index != NULL &&
	    (index_reserve(index) != 0 || arena_reserve(builder, more) != 0))) {
		fm_diag_error(diag, place, "out of memory for host "
		    FM_HOSTTAB_QUOTED, FM_HOSTTAB_QUOTE(pat->raw));
		return (-1);
	}
	return (0);
}

/* The slot of a name that is new; there is room for it. */
static struct fm_hosttab_slot
name_add(struct fm_hosttab_builder *builder, struct fm_hosttab_index *index,
    struct fm_text name, uint32_t hash)
{
	uint32_t at = (uint32_t)(builder->arena_len + FM_HOSTTAB_NUMBERS);

	memset(builder->arena + builder->arena_len, 0xff, FM_HOSTTAB_NUMBERS);
	builder->arena[at] = (char)name.len;
	memcpy(builder->arena + at + 1, name.b, name.len);
	builder->arena_len = at + 1 + name.len;
	return (fm_hosttab_put(index, hash, at, FM_HOSTTAB_NO_ENTRY,
	    FM_HOSTTAB_NO_ENTRY));
}

static uint32_t
record_add(struct fm_hosttab_builder *builder, enum fm_hosttab_form form,
    uint32_t entry, const struct fm_place *place)
{
	struct fm_hosttab_record *record;

	record = &builder->records[builder->nrecords];
	record->place = *place;
	record->entry = entry;
	record->form = form;
	return ((uint32_t)builder->nrecords++);
}

/* Its slot's columns have that record from now on. */
static void
record_put(struct fm_hosttab_builder *builder, struct fm_hosttab_slot slot,
    enum fm_hosttab_form form, uint32_t record)
{
	enum fm_hosttab_column column;

	for (column = 0; column < FM_HOSTTAB_COLUMNS; column++) {
		if (!form_fills[form][column])
			continue;
		slot.bucket->entry[column][slot.at] = record;
		memcpy(builder->arena + fm_hosttab_number_at(slot, column),
		    &record, sizeof record);
	}
}

/* Adds `*`, which has no name. */
static int
any_add(struct fm_hosttab_builder *builder,
    const struct fm_hosttab_pattern *pat, uint32_t entry,
    const struct fm_place *place, struct fm_diag *diag)
{
	if (builder->any != FM_HOSTTAB_NO_ENTRY) {
		clash_report(&builder->records[builder->any], pat, place, diag);
		return (-1);
	}
	if (builder_reserve(builder, NULL, pat, place, diag) != 0)
		return (-1);
	builder->any = record_add(builder, pat->form, entry, place);
	return (0);
}

int
fm_hosttab_build_add(struct fm_hosttab_builder *builder,
    struct fm_text pattern, uint32_t entry, const struct fm_place *place,
    struct fm_diag *diag)
{
	struct fm_hosttab_pattern pat;
	struct fm_hosttab_words words;
	struct fm_hosttab_index *index;
	struct fm_hosttab_slot slot;
	uint32_t hash, record;
	bool prefix;

	FM_OBJ_CHECK(builder, FM_HOSTTAB_BUILDER_MAGIC);
	assert(place != NULL && place->name != NULL);
	if (fm_hosttab_pattern_parse(&pat, pattern, place, diag) != 0)
		return (-1);
	if (entry == FM_HOSTTAB_NO_ENTRY ||
	    builder->nrecords == FM_HOSTTAB_NO_ENTRY) {
		fm_diag_error(diag, place, "no room for host "
		    FM_HOSTTAB_QUOTED ": a table has at most %u entries: use "
		    "fewer, or wildcards", FM_HOSTTAB_QUOTE(pattern),
		    FM_HOSTTAB_NO_ENTRY);
		return (-1);
	}
	if (pat.form == FM_HOSTTAB_FORM_ANY)
		return (any_add(builder, &pat, entry, place, diag));

	prefix = pat.form == FM_HOSTTAB_FORM_PREFIX;
	index = prefix ? &builder->prefixes : &builder->names;
	fm_hosttab_read(&words, pat.name, builder->seed);
	hash = fm_hosttab_hash(&words, pat.name.len);
	slot = name_find(builder, index, pat.name, hash);
	record = clash_find(slot, pat.form);
	if (record != FM_HOSTTAB_NO_ENTRY) {
		clash_report(&builder->records[record], &pat, place, diag);
		return (-1);
	}
	if (builder_reserve(builder, slot.bucket == NULL ? index : NULL, &pat,
	    place, diag) != 0)
		return (-1);

	if (slot.bucket == NULL)
		slot = name_add(builder, index, pat.name, hash);
	record = record_add(builder, pat.form, entry, place);
	record_put(builder, slot, pat.form, record);
	if (pat.form != FM_HOSTTAB_FORM_NAME)
		depths_add(prefix ? &builder->prefix_depths :
		    &builder->below_depths, pat.name);
	return (0);
}
