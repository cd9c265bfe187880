/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks the lines and the values of maps.  Warns of values that lead a
 * redirect in circles: /a -> /b and /b -> /a.
 */

#include "check_priv.h"

/*--------------------------------------------------------------------
 * Circles
 */

/*
 * Returns what a map is asked next where a value is a Location: the host, or
 * the path of the same host.
 */
static struct fm_text
next_asked(const struct fm_value *value, bool of_host)
{
	const struct fm_part *part = value == NULL ? NULL : value->parts;
	struct fm_text host;
	size_t n = 0;

	if (part == NULL || part->kind != FM_PART_TEXT ||
	    (part->next != NULL && !of_host))
		return (fm_text("", 0));
	host = fm_check_location_host(part->text);
	if (of_host || host.b != NULL)
		return (of_host && host.b != NULL ? host : fm_text("", 0));
	while (n < part->text.len && strchr("?#", part->text.b[n]) == NULL)
		n++;
	return (fm_text(part->text.b, n));
}

#define CIRCLE_STEPS	16	/* longer ones are not looked for */

/* Returns true if the values lead from a word to itself. */
static bool
is_circle(struct fm_check_table *table, struct fm_text start,
    const struct fm_line *line, bool of_host)
{
	enum fm_pattern_kind mode = line->matches->mode;
	struct fm_text t = next_asked(line->value, of_host);
	unsigned n;

	if (t.len == 0 || mode == FM_PATTERN_REGEX)
		return (false);
	if (mode != FM_PATTERN_EXACT)
		return (fm_check_table_find(table, t) == NULL &&
		    fm_check_covers(mode, start, FM_PATTERN_EXACT, t,
		    table->nocase));
	for (n = 0; n < CIRCLE_STEPS && line != NULL; n++) {
		t = next_asked(line->value, of_host);
		if (fm_check_text_eq(t, start, table->nocase))
			return (true);
		line = fm_check_table_find(table, t);
	}
	return (false);
}

/* Returns the match of a line that has no other one, and no `not`, or NULL. */
static const struct fm_match *
only_match(const struct fm_line *line)
{
	const struct fm_match *match = line->matches;

	return (match == NULL || match->next != NULL || match->negated ? NULL :
	    match);
}

static void
circle_check(struct fm_check *check, const struct fm_list_def *map)
{
	bool of_host = (map->subjects & FM_CHECK_KIND(FM_SUBJECT_HOST)) != 0;
	struct fm_check_table table = { .nocase = map->nocase || of_host };
	const struct fm_match *match;
	const struct fm_word *word;
	struct fm_line *line;
	bool told = false;

	for (line = map->lines; line != NULL; line = line->next) {
		match = only_match(line);
		if (match == NULL || match->mode != FM_PATTERN_EXACT)
			continue;
		for (word = match->operands.first; word != NULL;
		    word = word->next)
			(void)fm_check_table_add(&table, word->text, line,
			    check->diag);
	}
	for (line = map->lines; line != NULL && !told; line = line->next) {
		match = only_match(line);
		for (word = match == NULL ? NULL : match->operands.first;
		    word != NULL && !told; word = word->next) {
			told = is_circle(&table, word->text, line, of_host);
			if (told)
				fm_diag_warning(check->diag, &line->matches->at,
				    FM_MSG_SLIP_CIRCLE,
				    FM_SHOW(word->text));
		}
	}
	fm_check_table_fini(&table);
}

/*--------------------------------------------------------------------
 * Lines and values
 */

static void
map_value_check(struct fm_check *check, const struct fm_list_def *map,
    struct fm_value *value)
{
	fm_check_value(check, value);
	if (map->location)
		fm_check_location(check, value);
}

void
fm_check_maps(struct fm_check *check)
{
	const struct fm_line *line;
	struct fm_list_def *map;

	check->in_map = true;
	for (map = check->model->maps; map != NULL; map = map->next) {
		if (map->in)
			fm_check_list_networks(check, map);
		fm_check_lines(check, map);
		for (line = map->lines; line != NULL; line = line->next)
			map_value_check(check, map, line->value);
		map_value_check(check, map, map->otherwise);
		if (!map->in)
			fm_check_covered(check, map);
		if (map->location)
			circle_check(check, map);
	}
	check->in_map = false;
}
