/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes sets of names.
 */

#include <stdlib.h>
#include <string.h>

#include "effort.h"
#include "glob.h"
#include "grow.h"
#include "names_priv.h"
#include "obj.h"
#include "percent.h"

#define NAMES_QUOTED	100		/* bytes of a name in a message */

struct names_entry {
	uint32_t	offset;		/* into the builder's bytes */
	uint16_t	len;
	uint16_t	prefix;		/* == len: an exact name */
};

struct fm_names_builder {
	unsigned		magic;
#define FM_NAMES_BUILDER_MAGIC	0x6e1f02d7
	bool			nocase;
	struct names_entry	*entries;
	size_t			nentries;
	size_t			entries_cap;
	char			*bytes;
	size_t			nbytes;
	size_t			bytes_cap;
};

struct fm_names_builder *
fm_names_build_new(void)
{
	struct fm_names_builder *builder;

	FM_OBJ_NEW(builder, FM_NAMES_BUILDER_MAGIC);
	return (builder);
}

void
fm_names_build_free(struct fm_names_builder **builderp)
{
	struct fm_names_builder *builder;

	FM_OBJ_TAKE(builder, builderp, FM_NAMES_BUILDER_MAGIC);
	free(builder->entries);
	free(builder->bytes);
	FM_OBJ_FREE(builder);
}

/* What no name in a set can have, or NULL. */
static const char *
names_fault(struct fm_text name)
{
	size_t i;
	unsigned char c;

	if (name.len == 0)
		return ("is empty");
	for (i = 0; i < name.len; i++) {
		c = (unsigned char)name.b[i];
		if (c == '%')
			return ("has a '%': names are compared decoded, so "
			    "write the byte itself, or '?' for any byte");
		if (c <= ' ' || c == 0x7f)
			return ("has a blank or a control character");
		if (strchr("&=;#", c) != NULL)
			return ("has one of '&', '=', ';' and '#', which "
			    "end a name");
	}
	return (NULL);
}

/* 0, or -1: no memory, or a set too large for its offsets. */
static int
names_append(struct fm_names_builder *builder, struct fm_text name)
{
	struct names_entry *entry;
	void *p;

	if (builder->nbytes + name.len >= FM_NAMES_NONE)
		return (-1);
	p = fm_grow_room(builder->bytes, &builder->bytes_cap,
	    builder->nbytes, name.len, 1);
	if (p == NULL)
		return (-1);
	builder->bytes = p;
	p = fm_grow_room(builder->entries, &builder->entries_cap,
	    builder->nentries, 1, sizeof *builder->entries);
	if (p == NULL)
		return (-1);
	builder->entries = p;
	entry = &builder->entries[builder->nentries++];
	entry->offset = (uint32_t)builder->nbytes;
	entry->len = (uint16_t)name.len;
	entry->prefix = (uint16_t)fm_glob_prefix(name);
	memcpy(builder->bytes + builder->nbytes, name.b, name.len);
	builder->nbytes += name.len;
	return (0);
}

int
fm_names_build_add(struct fm_names_builder *builder, struct fm_text name,
    const struct fm_place *place, struct fm_diag *diag)
{
	const char *fault;

	FM_OBJ_CHECK(builder, FM_NAMES_BUILDER_MAGIC);
	if (name.len > FM_NAMES_MAX) {
		fm_diag_error(diag, place,
		    "a name of %zu bytes: no more than %d are allowed",
		    name.len, FM_NAMES_MAX);
		return (-1);
	}
	fault = names_fault(name);
	if (fault != NULL) {
		fm_diag_error(diag, place, "name '%.*s' %s",
		    (int)(name.len < NAMES_QUOTED ? name.len : NAMES_QUOTED),
		    name.len > 0 ? name.b : "", fault);
		return (-1);
	}
	if (names_append(builder, name) != 0) {
		fm_diag_error(diag, place, "out of memory");
		return (-1);
	}
	return (0);
}

void
fm_names_build_nocase(struct fm_names_builder *builder)
{
	FM_OBJ_CHECK(builder, FM_NAMES_BUILDER_MAGIC);
	builder->nocase = true;
}

/* Copies the bytes of the names, as they are to be compared. */
static void
names_copy(struct fm_names *names, const struct fm_names_builder *builder)
{
	size_t i;

	names->nocase = builder->nocase;
	for (i = 0; i < builder->nbytes; i++)
		names->bytes[i] = builder->nocase ?
		    (char)fm_lower((unsigned char)builder->bytes[i]) :
		    builder->bytes[i];
}

static void
names_insert(struct fm_names *names, const struct names_entry *entry)
{
	struct fm_text name = fm_text(names->bytes + entry->offset,
	    entry->len);
	uint64_t hash = fm_names_hash(name);
	struct fm_names_slot *slot = fm_names_find(names, name, hash);

	if (slot->len != 0)
		return;
	slot->offset = entry->offset;
	slot->len = entry->len;
	slot->tag = (uint16_t)(hash >> 48);
	names->lengths |= fm_names_length_bit(name.len);
	names->nexact++;
}

/* By prefix, as whoever searches does; then so that twins are neighbours. */
static int
names_compare_globs(const void *va, const void *vb)
{
	const struct fm_names_glob *a = va, *b = vb;
	int r = fm_text_compare(fm_text(a->b, a->prefix),
	    fm_text(b->b, b->prefix));

	if (r != 0)
		return (r);
	return (fm_text_compare(fm_text(a->b, a->len), fm_text(b->b, b->len)));
}

/* Sorts the globs, and drops those that are there twice. */
static void
names_sort(struct fm_names *names)
{
	struct fm_names_glob *globs = names->globs;
	uint32_t i, n = 0;

	if (names->nglobs == 0)
		return;
	qsort(globs, names->nglobs, sizeof *globs, names_compare_globs);
	for (i = 0; i < names->nglobs; i++)
		if (n == 0 || names_compare_globs(&globs[n - 1],
		    &globs[i]) != 0)
			globs[n++] = globs[i];
	names->nglobs = n;
}

/* Links the chains. */
static void
names_link(struct fm_names *names)
{
	struct fm_names_glob *glob, *globs = names->globs;
	uint32_t i, up;
	unsigned char c;

	names->wild = FM_NAMES_NONE;
	for (i = 0; i < names->nglobs; i++) {
		up = i > 0 ? i - 1 : FM_NAMES_NONE;
		glob = &globs[i];
		while (up != FM_NAMES_NONE &&
		    (globs[up].prefix > glob->prefix ||
		    memcmp(globs[up].b, glob->b, globs[up].prefix) != 0))
			up = globs[up].shorter;
		glob->shorter = up;
		if (glob->prefix == 0) {
			names->wild = i;
		} else {
			c = (unsigned char)glob->b[0];
			names->first[c / 64] |= 1ULL << c % 64;
		}
	}
}

/* `utm_*`, and `*` itself. */
static bool
glob_is_prefix(const struct fm_names_glob *glob)
{
	return (glob->prefix + 1U == glob->len && glob->b[glob->prefix] == '*');
}

/* `*_id` is what a name ends with: a set of patterns looks that up. */
static struct fm_pattern *
glob_pattern(const struct fm_names_glob *glob)
{
	const struct fm_place nowhere = { .name = "" };
	struct fm_text t = fm_text(glob->b, glob->len);
	enum fm_pattern_kind kind = FM_PATTERN_GLOB;

	if (glob->prefix == 0 && t.b[0] == '*' && t.len > 1 &&
	    fm_glob_prefix(fm_text(t.b + 1, t.len - 1)) == t.len - 1U) {
		kind = FM_PATTERN_SUFFIX;
		t = fm_text(t.b + 1, t.len - 1);
	}
	return (fm_pattern_new(kind, t, false, &nowhere, NULL));
}

/* Those behind the others.  0, or -1 as names_fill(). */
static int
names_build_many(struct fm_names *names)
{
	struct fm_patset_builder *b = fm_patset_build_new();
	struct fm_pattern *p;
	uint32_t i, end = names->nglobs + names->nmany;
	int bad = b == NULL ? -1 : 0;

	for (i = names->nglobs; i < end && bad == 0; i++) {
		p = glob_pattern(&names->globs[i]);
		bad = p == NULL ? -1 : fm_patset_build_add(b, &p);
	}
	if (bad == 0)
		names->many = fm_patset_build(&b, NULL);
	else if (b != NULL)
		fm_patset_build_free(&b);
	return (names->many == NULL ? -1 : 0);
}

/*
 * Moves what is more than a prefix behind the others, where there are many of
 * these, which keep their order.  0, or -1 as names_fill().
 */
static int
names_part(struct fm_names *names)
{
	struct fm_names_glob *globs = names->globs, *many;
	uint32_t i, n = 0, nmany = 0;

	for (i = 0; i < names->nglobs; i++)
		nmany += !glob_is_prefix(&globs[i]);
	if (nmany <= FM_NAMES_FEW)
		return (0);
	many = calloc(nmany, sizeof *many);
	if (many == NULL)
		return (-1);
	for (i = 0; i < names->nglobs; i++)
		if (glob_is_prefix(&globs[i]))
			globs[n++] = globs[i];
		else
			many[names->nmany++] = globs[i];
	memcpy(globs + n, many, nmany * sizeof *many);
	free(many);
	names->nglobs = n;
	return (names_build_many(names));
}

/* Room for all that was added.  0, or -1: no memory. */
static int
names_allocate(struct fm_names *names, const struct fm_names_builder *builder)
{
	size_t i, nglobs = 0, nslots = 2;

	for (i = 0; i < builder->nentries; i++)
		if (builder->entries[i].prefix < builder->entries[i].len)
			nglobs++;
	while (nslots < 2 * (builder->nentries - nglobs))
		nslots *= 2;
	names->mask = nslots - 1;
	names->nbytes = builder->nbytes;
	names->slots = calloc(nslots, sizeof *names->slots);
	names->globs = calloc(nglobs > 0 ? nglobs : 1, sizeof *names->globs);
	names->bytes = malloc(names->nbytes > 0 ? names->nbytes : 1);
	return (names->slots == NULL || names->globs == NULL ||
	    names->bytes == NULL ? -1 : 0);
}

/* 0, or -1: no memory, or more than may be compiled. */
static int
names_fill(struct fm_names *names, const struct fm_names_builder *builder)
{
	const struct names_entry *entry;
	struct fm_names_glob *glob;
	size_t i;

	if (names_allocate(names, builder) != 0)
		return (-1);
	names_copy(names, builder);
	for (i = 0; i < builder->nentries; i++) {
		entry = &builder->entries[i];
		if (entry->prefix == entry->len) {
			names_insert(names, entry);
			continue;
		}
		glob = &names->globs[names->nglobs++];
		glob->b = names->bytes + entry->offset;
		glob->len = entry->len;
		glob->prefix = entry->prefix;
	}
	names_sort(names);
	if (names_part(names) != 0)
		return (-1);
	names_link(names);
	return (0);
}

struct fm_names *
fm_names_build(const struct fm_names_builder *builder,
    const struct fm_place *place, struct fm_diag *diag)
{
	struct fm_names *names;

	FM_OBJ_CHECK(builder, FM_NAMES_BUILDER_MAGIC);
	FM_OBJ_NEW(names, FM_NAMES_MAGIC);
	if (names != NULL && names_fill(names, builder) == 0)
		return (names);
	if (names != NULL)
		fm_names_free(&names);
	if (fm_effort_allows(FM_EFFORT_TEXTS, 0, place, diag))
		fm_diag_error(diag, place, "out of memory");
	return (NULL);
}

void
fm_names_free(struct fm_names **namesp)
{
	struct fm_names *names;

	FM_OBJ_TAKE(names, namesp, FM_NAMES_MAGIC);
	if (names->many != NULL)
		fm_patset_free(&names->many);
	free(names->slots);
	free(names->globs);
	free(names->bytes);
	FM_OBJ_FREE(names);
}

