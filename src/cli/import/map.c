/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A chain of if and elsif that gives one header a value for what another one
 * holds is a map.  Where nothing fits VCL leaves the header alone, and a map
 * gives nothing: so it must be known what it was, or there is an else.
 */

#include <string.h>

#include "import.h"

#define MAP_ARMS	3	/* fewer are easier to read as `when` */

struct map {
	struct fm_import	*im;
	const char		*subject;
	struct fm_text		header;
	bool			nocase;		/* the whole map */
	bool			firm;		/* the line: it says what is
						 * there, so no missing subject
						 * fits it */
};

/*--------------------------------------------------------------------
 * Lines
 */

/* Returns true if a test finds the same in a map that takes either case. */
static bool
takes_either_case(const struct fm_plain *is)
{
	size_t i;

	for (i = 0; !is->nocase && i < is->n; i++)
		if (*is->mode != '~' || !fm_text_begins(is->v[i], "(?i)"))
			return (false);
	return (true);
}

/* A test that takes either case is a regex in a map that does not. */
static bool
test_put(struct map *map, const struct fm_test *test)
{
	struct fm_plain is = test->is;

	if (test->kind != FM_TEST_TEST || strcmp(is.mode, "present") == 0 ||
	    strcmp(is.mode, "in") == 0)
		return (false);
	if (map->subject == NULL)
		map->subject = test->subject;
	if (strcmp(map->subject, test->subject) != 0 ||
	    (map->nocase && !takes_either_case(&is)))
		return (false);
	if (is.nocase && !map->nocase) {
		is.mode = "~";
		is.v = &is.regex;
		is.n = is.regex.len > 0;
	}
	fm_import_put(map->im, "%s%s", test->negated ? "not " : "", is.mode);
	fm_import_words_put(map->im, &is);
	map->firm |= !test->negated;
	return (is.n > 0);
}

/* A line, or one each for what is enough by itself. */
static bool
lines_put(struct map *map, const struct fm_test *test, struct fm_text value)
{
	const struct fm_test *part = test->first;

	if (test->negated && test->kind != FM_TEST_TEST)
		return (false);
	if (test->kind == FM_TEST_OR) {
		for (; part != NULL; part = part->next)
			if (!lines_put(map, part, value))
				return (false);
		return (true);
	}
	fm_import_put(map->im, "    ");
	map->firm = false;
	if (test->kind == FM_TEST_TEST && !test_put(map, test))
		return (false);
	for (; part != NULL; part = part->next) {
		if (part != test->first)
			fm_import_put(map->im, "\n        and ");
		if (!test_put(map, part))
			return (false);
	}
	fm_import_put(map->im, " -> ");
	fm_import_word_put(map->im, value);
	fm_import_put(map->im, ";\n");
	return (map->firm);
}

/*--------------------------------------------------------------------
 * Arms
 */

/* set HEADER = "text"; or unset, with no text. */
static bool
takes(struct map *map, const struct fm_vstmt *s, struct fm_text *value)
{
	struct fm_text header = s == NULL ? fm_text(NULL, 0) :
	    fm_header_of(s->name);

	*value = fm_text("", 0);
	if (header.b == NULL || (s->kind != FM_VSTMT_UNSET &&
	    (s->kind != FM_VSTMT_SET ||
	    !fm_expr_constant(&map->im->vcl, s->value, value) ||
	    value->len == 0 || value->b[value->len - 1] == ' ' ||
	    memchr(value->b, '$', value->len) != NULL)))
		return (false);
	if (map->header.b == NULL)
		map->header = header;
	return (fm_text_eq_nocase(map->header, header));
}

/* Where no line fits the header is what the else, or `before`, made it. */
static bool
map_put(struct map *map, const struct fm_vstmt *s)
{
	const struct fm_arm *arm;
	struct fm_text value;
	struct fm_test *test;
	size_t arms = 0;

	for (arm = s->arms; arm != NULL && arm->cond != NULL; arm = arm->next) {
		if (!takes(map, arm->body, &value) || value.len == 0 ||
		    arm->body->next != NULL)
			return (false);
		test = fm_import_cond(map->im, arm->cond);
		if (test == NULL || !lines_put(map, test, value))
			return (false);
		arms++;
	}
	if (arms < MAP_ARMS || (arm == NULL ?
	    !takes(map, map->im->before, &value) : arm->body == NULL ||
	    arm->body->next != NULL || !takes(map, arm->body, &value) ||
	    value.len == 0))
		return (false);
	if (value.len > 0) {
		fm_import_put(map->im, "    default ");
		fm_import_word_put(map->im, value);
		fm_import_put(map->im, ";\n");
	}
	return (true);
}

/* "x-ua-device", for the header of that name. */
static const char *
map_name(struct fm_import *im, struct fm_text header)
{
	char *name = fm_import_alloc(im, header.len + 1);

	fm_text_lower(name, header);
	im->nmaps++;
	return (im->nmaps == 1 ? name :
	    fm_import_printf(im, "%s-%u", name, im->nmaps));
}

static bool
try_map(struct fm_import *im, const struct fm_vstmt *s, bool nocase)
{
	struct map map = { .im = im, .nocase = nocase };
	const char *lines, *name;
	unsigned tabs = im->tabs;
	bool good;

	fm_import_catch(im);
	im->tabs = 1;
	good = map_put(&map, s);
	im->tabs = tabs;
	lines = fm_import_caught(im);
	if (!good)
		return (false);
	name = map_name(im, map.header);
	fm_import_item(im, fm_text_of(name), fm_import_printf(im,
	    "map %s%s {\n%s}\n", name, nocase ? " nocase" : "", lines));
	fm_import_begin(im, "set %.*s = %s(%s);\n", FM_ARG(map.header), name,
	    map.subject);
	return (true);
}

bool
fm_import_map(struct fm_import *im, const struct fm_vstmt *s)
{
	struct fm_import saved = *im;

	if (s->kind != FM_VSTMT_IF)
		return (false);
	if (try_map(im, s, true) || try_map(im, s, false))
		return (true);
	im->why = saved.why;
	im->why_at = saved.why_at;
	im->seen = saved.seen;
	return (false);
}
