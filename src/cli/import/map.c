/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A chain of if and elsif that gives one header a value for what another one
 * holds is a map.  Where nothing fits VCL leaves the header alone, and a map
 * gives nothing: so it must be known what it was, or there is an else.
 */

#include <ctype.h>
#include <string.h>

#include "import.h"

#define MAP_ARMS	3	/* fewer are easier to read as `when` */
#define MAP_LINES	500
#define MAP_MATCHES	8

/*--------------------------------------------------------------------
 * Lines
 */

/* A test in a line, not necessarily a true one. */
struct match {
	const struct fm_test	*test;
	bool			negated;
};

struct line {
	struct match		v[MAP_MATCHES];
	size_t			n;
	struct fm_text		value;
};

struct map {
	struct fm_import	*im;
	const char		*subject;
	struct fm_text		header;
	struct line		*lines;
	size_t			n;
};

static bool
map_test(struct map *map, const struct fm_test *test)
{
	if (strcmp(test->is.mode, "present") == 0 ||
	    strcmp(test->is.mode, "in") == 0)
		return (false);
	if (map->subject == NULL)
		map->subject = test->subject;
	return (strcmp(map->subject, test->subject) == 0);
}

/* What the test adds to a line: one test, or several of which each holds. */
static bool
line_add(struct map *map, struct line *line, const struct fm_test *test)
{
	const struct fm_test *part;
	bool negated = test->kind == FM_TEST_NOT;

	if (test->kind == FM_TEST_AND) {
		for (part = test->first; part != NULL; part = part->next)
			if (!line_add(map, line, part))
				return (false);
		return (true);
	}
	if (negated)
		test = test->first;
	if (test->kind != FM_TEST_TEST || line->n == MAP_MATCHES ||
	    !map_test(map, test))
		return (false);
	line->v[line->n].negated = negated;
	line->v[line->n++].test = test;
	return (true);
}

/* A line that only says what is not there would fit a missing subject. */
static bool
line_is_firm(const struct line *line)
{
	size_t i;

	for (i = 0; i < line->n; i++)
		if (!line->v[i].negated)
			return (true);
	return (false);
}

static bool
map_add(struct map *map, const struct fm_test *test, struct fm_text value)
{
	const struct fm_test *part;
	struct line *line;

	if (test->kind == FM_TEST_OR) {
		for (part = test->first; part != NULL; part = part->next)
			if (!map_add(map, part, value))
				return (false);
		return (true);
	}
	if (map->n == MAP_LINES)
		return (false);
	line = &map->lines[map->n++];
	line->value = value;
	return (line_add(map, line, test) && line_is_firm(line));
}

/* { set HEADER = "text"; } */
static bool
arm_value(struct map *map, const struct fm_arm *arm, struct fm_text *value)
{
	const struct fm_vstmt *s = arm->body;
	struct fm_text header;
	size_t i;

	if (s == NULL || s->next != NULL || s->kind != FM_VSTMT_SET)
		return (false);
	header = fm_header_of(s->name);
	if (header.b == NULL || !fm_expr_constant(map->im, s->value, value) ||
	    value->len == 0 || value->b[value->len - 1] == ' ')
		return (false);
	for (i = 0; i < value->len; i++)
		if ((unsigned char)value->b[i] < ' ' || value->b[i] == '$')
			return (false);
	if (map->header.b == NULL)
		map->header = header;
	return (fm_text_eq_nocase(map->header, header));
}

static bool
map_fill(struct map *map, const struct fm_vstmt *s, struct fm_text *otherwise,
    bool *closed)
{
	const struct fm_arm *arm;
	struct fm_text value;
	struct fm_test *test;
	size_t arms = 0;

	for (arm = s->arms; arm != NULL; arm = arm->next) {
		if (!arm_value(map, arm, &value))
			return (false);
		if (arm->cond == NULL) {
			*otherwise = value;
			*closed = true;
			break;
		}
		test = fm_import_cond(map->im, arm->cond);
		if (test == NULL || !map_add(map, test, value))
			return (false);
		arms++;
	}
	return (arms >= MAP_ARMS);
}

/*--------------------------------------------------------------------
 * As it is written
 */

static bool
is_nocase(const struct fm_test *test)
{
	size_t i;

	for (i = 0; !test->is.nocase && i < test->is.n; i++)
		if (*test->is.mode != '~' || test->is.v[i].len <= 4 ||
		    memcmp(test->is.v[i].b, "(?i)", 4) != 0)
			return (false);
	return (true);
}

/* A test that takes either case stands in any map as a regex, if it was one. */
static bool
map_can_tell(const struct map *map)
{
	size_t i, j;

	for (i = 0; i < map->n; i++)
		for (j = 0; j < map->lines[i].n; j++)
			if (map->lines[i].v[j].test->is.nocase &&
			    map->lines[i].v[j].test->is.regex.len == 0)
				return (false);
	return (true);
}

/* nocase is of the whole map. */
static bool
map_nocase(const struct map *map)
{
	size_t i, j;

	for (i = 0; i < map->n; i++)
		for (j = 0; j < map->lines[i].n; j++)
			if (!is_nocase(map->lines[i].v[j].test))
				return (false);
	return (true);
}

static void
match_put(const struct match *match, bool nocase, FILE *to)
{
	const struct fm_test *test = match->test;
	struct fm_plain regex = { .mode = "~", .n = 1 };
	struct fm_text text = test->is.regex;

	if (match->negated)
		fputs("not ", to);
	if (test->is.nocase && !nocase) {
		regex.v = &text;
		fputs(regex.mode, to);
		fm_import_words_put(&regex, 1, to);
		return;
	}
	fputs(test->is.mode, to);
	fm_import_words_put(&test->is, 1, to);
}

static void
map_put(struct map *map, const char *name, struct fm_text otherwise)
{
	FILE *to = map->im->items;
	bool nocase = map_nocase(map);
	size_t i, j;

	fprintf(to, "map %s%s {\n", name, nocase ? " nocase" : "");
	for (i = 0; i < map->n; i++) {
		fputs("    ", to);
		for (j = 0; j < map->lines[i].n; j++) {
			if (j > 0)
				fputs("\n        and ", to);
			match_put(&map->lines[i].v[j], nocase, to);
		}
		fputs(" -> ", to);
		fm_import_word_put(map->lines[i].value, to);
		fputs(";\n", to);
	}
	if (otherwise.b != NULL) {
		fputs("    default ", to);
		fm_import_word_put(otherwise, to);
		fputs(";\n", to);
	}
	fputs("}\n", to);
}

/* "x-ua-device", for the header of that name. */
static const char *
map_name(struct map *map)
{
	char *name;
	size_t i;

	map->im->nmaps++;
	name = fm_import_alloc(map->im, map->header.len + 16);
	for (i = 0; i < map->header.len; i++)
		name[i] = (char)tolower((unsigned char)map->header.b[i]);
	if (map->im->nmaps > 1)
		(void)snprintf(name + i, 16, "-%u", map->im->nmaps);
	return (name);
}

/* What the header is where no line fits: what the statement before said. */
static bool
known_before(struct map *map, struct fm_text *value)
{
	const struct fm_vstmt *before = map->im->before;

	if (before == NULL || !fm_text_eq_nocase(fm_header_of(before->name),
	    map->header))
		return (false);
	*value = fm_text(NULL, 0);
	return (before->kind == FM_VSTMT_UNSET ||
	    (before->kind == FM_VSTMT_SET &&
	    fm_expr_constant(map->im, before->value, value) &&
	    value->len > 0 && memchr(value->b, '$', value->len) == NULL));
}

bool
fm_import_map(struct fm_import *im, const struct fm_vstmt *s, unsigned tabs,
    FILE *to)
{
	struct map map = { .im = im };
	struct fm_text otherwise = { NULL, 0 };
	struct fm_import saved = *im;
	bool closed = false;
	const char *name;

	if (s->kind != FM_VSTMT_IF)
		return (false);
	map.lines = fm_import_alloc(im, MAP_LINES * sizeof *map.lines);
	if (!map_fill(&map, s, &otherwise, &closed) ||
	    !(map_nocase(&map) || map_can_tell(&map)) ||
	    (!closed && !known_before(&map, &otherwise))) {
		im->why = saved.why;
		im->why_at = saved.why_at;
		im->notes = saved.notes;
		im->tells = saved.tells;
		im->lists = saved.lists;
		return (false);
	}
	name = map_name(&map);
	map_put(&map, name, otherwise);
	fm_import_line_put(tabs, to, "set %.*s = %s(%s);",
	    (int)map.header.len, map.header.b, name, map.subject);
	return (true);
}
