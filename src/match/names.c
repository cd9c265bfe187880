/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A set of names is a set of patterns: `utm_*` is a prefix, `*_id` a suffix,
 * `utm_id` an exact text, and the rest globs.  Most names in a request begin
 * with a byte that no name of the set begins with: they are not looked up.
 */

#include <ctype.h>

#include "glob.h"
#include "names.h"
#include "obj.h"
#include "percent.h"

struct fm_names {
	unsigned		magic;
#define FM_NAMES_MAGIC		0x51c4b8e9
	bool			nocase;
	uint64_t		first[4];	/* a bit for each byte with
						 * which some name begins */
	struct fm_patset	*set;
};

/*--------------------------------------------------------------------
 * Making it
 */

struct fm_names *
fm_names_new(bool nocase)
{
	struct fm_names *names;

	FM_OBJ_NEW(names, FM_NAMES_MAGIC);
	if (names == NULL)
		return (NULL);
	names->nocase = nocase;
	names->set = fm_patset_new();
	if (names->set == NULL)
		FM_OBJ_FREE(names);
	return (names);
}

void
fm_names_free(struct fm_names **namesp)
{
	struct fm_names *names;

	FM_OBJ_TAKE(names, namesp, FM_NAMES_MAGIC);
	fm_patset_free(&names->set);
	FM_OBJ_FREE(names);
}

/* Returns why a set can't have such a name, or NULL. */
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

bool
fm_names_is_name(struct fm_text name, const struct fm_place *place,
    struct fm_diag *diag)
{
	const char *fault;

	if (name.len > FM_NAMES_MAX) {
		fm_diag_error(diag, place,
		    "a name of %zu bytes: no more than %d are allowed",
		    name.len, FM_NAMES_MAX);
		return (false);
	}
	fault = names_fault(name);
	if (fault != NULL)
		fm_diag_error(diag, place, "name '%.*s' %s", FM_SHOW(name),
		    fault);
	return (fault == NULL);
}

/* Returns NULL if there is no memory. */
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

/* Notes with which byte a name begins; with any, if a wildcard comes first. */
static void
names_add_first(struct fm_names *names, unsigned char c)
{
	unsigned char other = c;

	if (c == '*' || c == '?')
		memset(names->first, 0xff, sizeof names->first);
	if (names->nocase && isalpha(c))
		other ^= 'a' ^ 'A';
	names->first[c / 64] |= 1ULL << c % 64;
	names->first[other / 64] |= 1ULL << other % 64;
}

int
fm_names_add(struct fm_names *names, struct fm_text name,
    const struct fm_place *place, struct fm_diag *diag)
{
	struct fm_pattern *pattern;

	FM_OBJ_CHECK(names, FM_NAMES_MAGIC);
	if (!fm_names_is_name(name, place, diag))
		return (-1);
	names_add_first(names, (unsigned char)name.b[0]);
	pattern = name_pattern(name, names->nocase);
	if (pattern != NULL && fm_patset_add(names->set, &pattern) == 0)
		return (0);
	fm_diag_error(diag, place, "out of memory");
	return (-1);
}

int
fm_names_make(struct fm_names *names, const struct fm_place *place,
    struct fm_diag *diag)
{
	FM_OBJ_CHECK(names, FM_NAMES_MAGIC);
	return (fm_patset_make(names->set, place, diag));
}

const struct fm_patset *
fm_names_set(const struct fm_names *names)
{
	FM_OBJ_CHECK(names, FM_NAMES_MAGIC);
	return (names->set);
}

size_t
fm_names_bytes(const struct fm_names *names)
{
	FM_OBJ_CHECK(names, FM_NAMES_MAGIC);
	return (sizeof *names + fm_patset_bytes(names->set));
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

static int
match_decoded(const struct fm_names *names, struct fm_text name)
{
	const char *p = name.b, *e = p + name.len;
	char buf[FM_NAMES_MAX], *room = buf;
	size_t n = 0;
	bool match;

	if (name.len > sizeof buf)
		room = malloc(name.len);
	if (room == NULL)
		return (-1);
	while (p < e)
		room[n++] = (char)fm_percent_next(&p, e);
	match = match_bytes(names, fm_text(room, n));
	if (room != buf)
		free(room);
	return (match);
}

int
fm_names_match(const struct fm_names *names, struct fm_text name,
    enum fm_names_code code)
{
	FM_OBJ_CHECK(names, FM_NAMES_MAGIC);
	if (code == FM_NAMES_PERCENT && name.len > 0 &&
	    memchr(name.b, '%', name.len) != NULL)
		return (match_decoded(names, name));
	return (match_bytes(names, name));
}
