/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks lists and maps, once we know how rules use them.  Warns of values of
 * maps that lead a redirect in circles: /a -> /b and /b -> /a.
 */

#include "check_priv.h"
#include "names.h"

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
 * Lists as they are used
 */

static void
names_match_check(struct fm_check *check, const struct fm_match *match,
    const struct fm_word *use)
{
	const struct fm_word *word;
	char where[FM_PLACE_LEN];
	struct fm_text t;

	for (word = match->operands.first; word != NULL; word = word->next) {
		t = word->text;
		/* check_operand.c reports an empty operand. */
		if (t.len == 0 && match->mode != FM_PATTERN_EXACT &&
		    match->mode != FM_PATTERN_GLOB)
			continue;
		if (fm_names_is_name(t, &word->at, check->diag) &&
		    match->mode != FM_PATTERN_GLOB &&
		    fm_text_has_any(t, "*?"))
			fm_check_error(check, &word->at, FM_MSG_LIST_GLOB,
			    FM_SHOW(t), fm_mode_word(match->mode),
			    fm_place_print(&use->at, where));
	}
}

/* Checks a list that is used for names of parameters, cookies or headers. */
static void
names_list_check(struct fm_check *check, const struct fm_list_def *list,
    const struct fm_word *use)
{
	const struct fm_match *match;
	const struct fm_line *line;
	char where[FM_PLACE_LEN];

	for (line = list->lines; line != NULL; line = line->next) {
		match = line->matches;
		if (match->in || match->mode == FM_PATTERN_CONTAINS ||
		    match->mode == FM_PATTERN_REGEX) {
			fm_check_error(check, &use->at, FM_MSG_LIST_NAMES,
			    FM_SHOW(list->name->text),
			    fm_place_print(&match->at, where),
			    match->in ? "in" : fm_mode_word(match->mode));
			return;
		}
		names_match_check(check, match, use);
	}
}

struct fm_list_def *
fm_check_names_list(struct fm_check *check, const struct fm_word *name)
{
	struct fm_list_def *list = fm_check_find(check, &check->lists, name);

	if (list != NULL && list->for_names == NULL)
		list->for_names = name;
	if (list != NULL)
		list->subjects |= FM_CHECK_NAMES;
	return (list);
}

struct fm_list_def *
fm_check_client_list(struct fm_check *check, const struct fm_word *name)
{
	struct fm_list_def *list = fm_check_find(check, &check->lists, name);

	if (list != NULL && list->for_networks == NULL)
		list->for_networks = name;
	return (list);
}

/*--------------------------------------------------------------------
 * All lists and maps
 */

/*
 * Checks a value in each phase in which rules ask its map, up to the first
 * error.
 */
static void
phases_check(struct fm_check *check, const struct fm_list_def *map,
    struct fm_value *value)
{
	size_t errors = fm_diag_errors(check->diag);
	unsigned phase, before = check->phase;
	bool first = true;

	for (phase = 0; phase < FM_PHASE__KINDS; phase++) {
		if (!fm_phase_has(map->phases, (enum fm_phase)phase) ||
		    fm_diag_errors(check->diag) > errors)
			continue;
		check->phase = (enum fm_phase)phase;
		if (first)
			fm_check_value(check, value);
		else
			fm_check_value_phase(check, value);
		first = false;
	}
	check->phase = (enum fm_phase)before;
}

static void
value_check(struct fm_check *check, struct fm_list_def *map,
    struct fm_value *value)
{
	const struct fm_part *part;

	if (value == NULL)
		return;
	for (part = value->parts; part != NULL; part = part->next)
		map->varies |= part->kind != FM_PART_TEXT;
	if (value->map != NULL || map->phases == 0)
		fm_check_value(check, value);
	else
		phases_check(check, map, value);
	if (map->location)
		fm_check_location(check, value);
}

static void
line_check(struct fm_check *check, struct fm_list_def *list,
    const struct fm_line *line)
{
	const struct fm_match *match;

	for (match = list->in ? NULL : line->matches; match != NULL;
	    match = match->next) {
		check->in_list = check->in_map == NULL &&
		    match->mode == FM_PATTERN_EXACT;
		fm_check_operands(check, match->mode, &match->operands,
		    list->nocase, list->subjects, NULL);
	}
	check->in_list = false;
	value_check(check, list, line->value);
}

/* Returns true if the entries of a list are lines of a file. */
static bool
is_of_file(const struct fm_list_def *list)
{
	const struct fm_match *match = list->lines == NULL ? NULL :
	    list->lines->matches;

	return (match != NULL && match->operands.first != NULL &&
	    match->operands.first->at.name != list->name->at.name);
}

static void
list_check(struct fm_check *check, struct fm_list_def *list)
{
	const struct fm_line *line;

	check->in_file = is_of_file(list);
	if (list->for_names != NULL)
		names_list_check(check, list, list->for_names);
	if (list->in || list->for_networks != NULL)
		fm_check_list_networks(check, list);
	else if (check->in_map == NULL)
		fm_check_covered(check, list);
	for (line = list->lines; line != NULL; line = line->next)
		line_check(check, list, line);
	value_check(check, list, list->otherwise);
	if (check->in_map != NULL && !list->in)
		fm_check_covered(check, list);
	if (list->location)
		circle_check(check, list);
	check->in_file = false;
}

void
fm_check_lists(struct fm_check *check)
{
	struct fm_list_def *list;

	for (list = check->model->maps; list != NULL; list = list->next) {
		check->in_map = list;
		list_check(check, list);
	}
	check->in_map = NULL;
	for (list = check->model->lists; list != NULL; list = list->next)
		list_check(check, list);
}
