/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A set of names is a set of patterns: `utm_*` is a prefix, `*_id` a suffix,
 * `utm_id` an exact text, and the rest globs.  Most names in a request begin
 * with a byte that no name of the set begins with: they are not looked up.
 */

#include "glob.h"
#include "grow.h"
#include "names.h"
#include "obj.h"
#include "percent.h"

struct fm_names_builder {
	unsigned		magic;
#define FM_NAMES_BUILDER_MAGIC	0x6e1f02d7
	bool			nocase;
	size_t			n;
	struct fm_grow		bytes;	/* names, each with a NUL behind it */
};

struct fm_names {
	unsigned		magic;
#define FM_NAMES_MAGIC		0x51c4b8e9
	bool			nocase;
	uint64_t		first[4];	/* a bit for each byte that a
						 * name in it may begin with */
	struct fm_patset	*set;
	struct fm_grow		bytes;		/* as in the builder; nocase:
						 * in lower case */
};

/*--------------------------------------------------------------------
 * Making it
 */

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
	fm_grow_fini(&builder->bytes);
	FM_OBJ_FREE(builder);
}

/* Returns why no set can have such a name, or NULL. */
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

int
fm_names_build_add(struct fm_names_builder *builder, struct fm_text name,
    const struct fm_place *place, struct fm_diag *diag)
{
	const char *fault;
	char *b;

	FM_OBJ_CHECK(builder, FM_NAMES_BUILDER_MAGIC);
	if (name.len > FM_NAMES_MAX) {
		fm_diag_error(diag, place,
		    "a name of %zu bytes: no more than %d are allowed",
		    name.len, FM_NAMES_MAX);
		return (-1);
	}
	fault = names_fault(name);
	if (fault != NULL) {
		fm_diag_error(diag, place, "name '%.*s' %s", FM_SHOW(name),
		    fault);
		return (-1);
	}
	b = fm_grow_add(&builder->bytes, 1, name.len + 1);
	if (b == NULL) {
		fm_diag_error(diag, place, "out of memory");
		return (-1);
	}
	memcpy(b, name.b, name.len);
	builder->n++;
	return (0);
}

void
fm_names_build_nocase(struct fm_names_builder *builder)
{
	FM_OBJ_CHECK(builder, FM_NAMES_BUILDER_MAGIC);
	builder->nocase = true;
}

/* NULL: no memory, or more globs than are allowed. */
static struct fm_pattern *
name_pattern(struct fm_text name, bool nocase)
{
	const struct fm_place nowhere = { .name = "" };
	enum fm_pattern_kind kind = FM_PATTERN_GLOB;
	size_t literal = fm_glob_prefix(name);

	if (literal == name.len) {
		kind = FM_PATTERN_EXACT;
	} else if (literal > 0 && literal == name.len - 1 &&
	    name.b[literal] == '*') {
		kind = FM_PATTERN_PREFIX;
		name.len--;
	} else if (name.len > 1 && name.b[0] == '*' && fm_glob_prefix(
	    fm_text(name.b + 1, name.len - 1)) == name.len - 1) {
		kind = FM_PATTERN_SUFFIX;
		name = fm_text(name.b + 1, name.len - 1);
	}
	return (fm_pattern_new(kind, name, nocase, &nowhere, NULL));
}

static int
names_compare(const void *a, const void *b)
{
	return (strcmp(*(const char * const *)a, *(const char * const *)b));
}

/* Adds the first byte of a name in the set, which nocase has lowered. */
static void
names_add_first(struct fm_names *names, unsigned char c)
{
	if (c == '*' || c == '?')
		memset(names->first, 0xff, sizeof names->first);
	names->first[c / 64] |= 1ULL << c % 64;
	if (names->nocase && c >= 'a' && c <= 'z')
		names->first[1] |= 1ULL << (c - 'a' + 'A') % 64;
}

/* Makes a set of each different name.  0, or -1 with the reason in the diag. */
static int
names_fill(struct fm_names *names, struct fm_names_builder *builder,
    const struct fm_place *place, struct fm_diag *diag)
{
	struct fm_patset *set = fm_patset_new();
	const char **sorted = calloc(builder->n + 1, sizeof *sorted);
	int bad = set == NULL || sorted == NULL ? -1 : 0;
	char *name = builder->bytes.items;
	size_t i, n = builder->n;
	struct fm_pattern *p;

	names->nocase = builder->nocase;
	names->bytes = builder->bytes;
	builder->bytes = (struct fm_grow){ 0 };
	builder->n = 0;
	if (names->nocase)
		fm_text_lower(name, fm_text(name, names->bytes.n));
	for (i = 0; i < n && bad == 0; i++, name += strlen(name) + 1)
		sorted[i] = name;
	if (bad == 0)
		qsort(sorted, n, sizeof *sorted, names_compare);
	for (i = 0; i < n && bad == 0; i++) {
		if (i > 0 && strcmp(sorted[i - 1], sorted[i]) == 0)
			continue;
		names_add_first(names, (unsigned char)*sorted[i]);
		p = name_pattern(fm_text_of(sorted[i]), names->nocase);
		bad = p == NULL ? -1 : fm_patset_add(set, &p);
	}
	free(sorted);
	names->set = set;
	if (bad != 0)
		fm_diag_error(diag, place, "out of memory");
	return (bad != 0 ? bad : fm_patset_make(set, place, diag));
}

struct fm_names *
fm_names_build(struct fm_names_builder *builder,
    const struct fm_place *place, struct fm_diag *diag)
{
	struct fm_names *names;

	FM_OBJ_CHECK(builder, FM_NAMES_BUILDER_MAGIC);
	FM_OBJ_NEW(names, FM_NAMES_MAGIC);
	if (names == NULL)
		fm_diag_error(diag, place, "out of memory");
	else if (names_fill(names, builder, place, diag) != 0)
		fm_names_free(&names);
	return (names);
}

void
fm_names_free(struct fm_names **namesp)
{
	struct fm_names *names;

	FM_OBJ_TAKE(names, namesp, FM_NAMES_MAGIC);
	if (names->set != NULL)
		fm_patset_free(&names->set);
	fm_grow_fini(&names->bytes);
	FM_OBJ_FREE(names);
}

const struct fm_patset *
fm_names_set(const struct fm_names *names)
{
	FM_OBJ_CHECK(names, FM_NAMES_MAGIC);
	return (names->set);
}

size_t
fm_names_count(const struct fm_names *names)
{
	FM_OBJ_CHECK(names, FM_NAMES_MAGIC);
	return (fm_patset_count(names->set));
}

size_t
fm_names_bytes(const struct fm_names *names)
{
	FM_OBJ_CHECK(names, FM_NAMES_MAGIC);
	return (sizeof *names + names->bytes.room +
	    fm_patset_bytes(names->set));
}

/*--------------------------------------------------------------------
 * Asking it
 */

static bool
match_bytes(const struct fm_names *names, struct fm_text name)
{
	unsigned char c = name.len == 0 ? 0 : (unsigned char)name.b[0];
	struct fm_tally tally = { 0 };

	return ((names->first[c / 64] & 1ULL << c % 64) != 0 &&
	    fm_patset_match(names->set, name, &tally));
}

/* Tries each name of the set, without memory. */
static bool
match_each(const struct fm_names *names, struct fm_text name)
{
	const char *b = names->bytes.items;
	struct fm_text glob;
	size_t i;

	for (i = 0; i < names->bytes.n; i += glob.len + 1) {
		glob = fm_text_of(b + i);
		if (fm_glob_match_percent(glob, name, names->nocase))
			return (true);
	}
	return (false);
}

static bool
match_decoded(const struct fm_names *names, struct fm_text name)
{
	const char *p = name.b, *e = p + name.len;
	char buf[FM_NAMES_MAX], *room = buf;
	size_t n = 0;
	bool match;

	if (name.len > sizeof buf)
		room = malloc(name.len);
	if (room == NULL)
		return (match_each(names, name));
	while (p < e)
		room[n++] = (char)fm_percent_next(&p, e);
	match = match_bytes(names, fm_text(room, n));
	if (room != buf)
		free(room);
	return (match);
}

bool
fm_names_match(const struct fm_names *names, struct fm_text name,
    enum fm_names_code code)
{
	FM_OBJ_CHECK(names, FM_NAMES_MAGIC);
	if (code == FM_NAMES_PERCENT && name.len > 0 &&
	    memchr(name.b, '%', name.len) != NULL)
		return (match_decoded(names, name));
	return (match_bytes(names, name));
}
