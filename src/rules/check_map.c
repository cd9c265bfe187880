/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Maps: their lines, and which of them an earlier line always hides.
 */

#include <stdlib.h>
#include <string.h>

#include "check_priv.h"
#include "grow.h"
#include "obj.h"

/*
 * An operand of an earlier line that is taken whatever else is true, and that
 * matches more than one text.
 */
struct cover {
	enum fm_pattern_kind	mode;
	struct fm_text		text;
	const struct fm_map_line *line;
	struct fm_regex		*regex;		/* made when it is asked for */
};

/*
 * Each operand is compared with all covers before it; in a large map that
 * would take too long, so there is an end to it.
 */
#define HIDDEN_STEPS	1000000

struct hidden {
	bool			nocase;
	struct cover		*covers;
	size_t			n, room;
	long			steps;		/* that are left */
	struct fm_check_table	same;		/* operand and mode */
	struct fm_check_table	same_regex;
	const struct fm_map_line **strict;	/* lines with `and` or `not` */
	size_t			nstrict, strict_room;
};

static bool
text_eq(const struct hidden *hidden, struct fm_text a, struct fm_text b)
{
	return (hidden->nocase ? fm_text_eq_nocase(a, b) : fm_text_eq(a, b));
}

static bool
regex_covers(const struct hidden *hidden, struct cover *cover,
    struct fm_text t)
{
	struct fm_tally tally = { .scans = 0 };
	char error[FM_REGEX_ERROR_LEN];
	size_t offset;

	if (cover->regex == NULL)
		cover->regex = fm_regex_new(cover->text, hidden->nocase, error,
		    &offset);
	return (cover->regex != NULL && t.b != NULL &&
	    fm_regex_match(cover->regex, t, &tally));
}

/* Returns true if all that the operand matches is matched by the cover. */
static bool
covers(const struct hidden *hidden, struct cover *cover,
    enum fm_pattern_kind mode, struct fm_text t)
{
	if (cover->mode == FM_PATTERN_REGEX)
		return (mode == FM_PATTERN_EXACT &&
		    regex_covers(hidden, cover, t));
	return (fm_check_covers(cover->mode, cover->text, mode, t,
	    hidden->nocase));
}

/* The earlier line that takes all that this operand matches, or NULL. */
static const struct fm_map_line *
operand_hidden(struct hidden *hidden, enum fm_pattern_kind mode,
    struct fm_text t)
{
	const struct fm_map_line *line;
	size_t i;

	line = fm_check_table_find(mode == FM_PATTERN_REGEX ?
	    &hidden->same_regex : &hidden->same, t, mode);
	for (i = 0; line == NULL && i < hidden->n && hidden->steps > 0; i++) {
		hidden->steps -= 1 + (long)(t.len / 16);
		if (covers(hidden, &hidden->covers[i], mode, t))
			line = hidden->covers[i].line;
	}
	return (line);
}

/* Whether all operands are hidden; the line that hides the first. */
static const struct fm_map_line *
match_hidden(struct hidden *hidden, const struct fm_match *match)
{
	const struct fm_map_line *by = NULL, *line;
	const struct fm_word *word;

	if (match->negated)
		return (NULL);
	for (word = match->operands.first; word != NULL; word = word->next) {
		line = operand_hidden(hidden, match->mode, word->text);
		if (line == NULL)
			return (NULL);
		if (by == NULL)
			by = line;
	}
	return (by);
}

static int
cover_add(struct hidden *hidden, const struct fm_map_line *line,
    struct fm_text t)
{
	enum fm_pattern_kind mode = line->matches->mode;
	struct cover *covers_now;

	if (mode == FM_PATTERN_EXACT)
		return (0);
	covers_now = fm_grow_room(hidden->covers, &hidden->room, hidden->n, 1,
	    sizeof *covers_now);
	if (covers_now == NULL)
		return (-1);
	hidden->covers = covers_now;
	hidden->covers[hidden->n++] = (struct cover){ .mode = mode, .text = t,
	    .line = line };
	return (0);
}

/* Whether all that one operand matches is matched by one of the others. */
static bool
operand_implies(const struct hidden *hidden, enum fm_pattern_kind mode,
    struct fm_text t, const struct fm_match *others)
{
	const struct fm_word *word;
	struct cover cover;

	for (word = others->operands.first; word != NULL; word = word->next) {
		if (mode == others->mode && (mode == FM_PATTERN_REGEX ?
		    fm_text_eq(t, word->text) : text_eq(hidden, t, word->text)))
			return (true);
		cover = (struct cover){ .mode = others->mode,
		    .text = word->text };
		if (cover.mode != FM_PATTERN_REGEX && word->text.len > 0 &&
		    covers(hidden, &cover, mode, t))
			return (true);
	}
	return (false);
}

/* Whether what one match takes, the other takes too. */
static bool
match_implies(const struct hidden *hidden, const struct fm_match *match,
    const struct fm_match *other)
{
	const struct fm_match *from = match, *to = other;
	const struct fm_word *word;

	if (match->negated != other->negated)
		return (false);
	if (match->negated) {
		from = other;
		to = match;
	}
	for (word = from->operands.first; word != NULL; word = word->next)
		if (!operand_implies(hidden, from->mode, word->text, to))
			return (false);
	return (true);
}

/* Whether each match of the other line follows from one of this line. */
static bool
line_implies(struct hidden *hidden, const struct fm_map_line *line,
    const struct fm_map_line *other)
{
	const struct fm_match *match, *wanted;

	for (wanted = other->matches; wanted != NULL; wanted = wanted->next) {
		for (match = line->matches; match != NULL;
		    match = match->next) {
			hidden->steps -= 1 + (long)(match->operands.count *
			    wanted->operands.count);
			if (match_implies(hidden, match, wanted))
				break;
		}
		if (match == NULL)
			return (false);
	}
	return (true);
}

static const struct fm_map_line *
line_hidden(struct hidden *hidden, const struct fm_map_line *line)
{
	const struct fm_map_line *by = NULL;
	const struct fm_match *match;
	size_t i;

	if (line->matches == NULL)
		return (NULL);
	for (match = line->matches; match != NULL && by == NULL;
	    match = match->next)
		by = match_hidden(hidden, match);
	for (i = 0; i < hidden->nstrict && by == NULL && hidden->steps > 0; i++)
		if (line_implies(hidden, line, hidden->strict[i]))
			by = hidden->strict[i];
	return (by);
}

/* Operands that are hidden, in a line that is not. */
static void
operands_hidden(struct fm_check *check, struct hidden *hidden,
    const struct fm_map_line *line)
{
	const struct fm_map_line *by;
	const struct fm_match *match;
	const struct fm_word *word;
	char where[FM_PLACE_LEN];

	for (match = line->matches; match != NULL; match = match->next) {
		if (match->negated)
			continue;
		for (word = match->operands.first; word != NULL;
		    word = word->next) {
			by = operand_hidden(hidden, match->mode, word->text);
			if (by != NULL)
				fm_diag_warning(check->diag, &word->at,
				    FM_MSG_WARN_HIDDEN_OPERAND,
				    fm_mode_word(match->mode),
				    FM_CHECK_QUOTE(word->text),
				    fm_place_print(&by->at, where));
		}
	}
}

static int
strict_add(struct hidden *hidden, const struct fm_map_line *line)
{
	const struct fm_map_line **lines;

	lines = fm_grow_room(hidden->strict, &hidden->strict_room,
	    hidden->nstrict, 1, sizeof *lines);
	if (lines == NULL)
		return (-1);
	hidden->strict = lines;
	hidden->strict[hidden->nstrict++] = line;
	return (0);
}

/* What this line takes from the ones behind it. */
static int
line_add(struct hidden *hidden, struct fm_map_line *line)
{
	const struct fm_match *match = line->matches;
	const struct fm_word *word;
	struct fm_check_table *same;
	void *first;

	if (match == NULL)
		return (0);
	if (match->negated || match->next != NULL)
		return (strict_add(hidden, line));
	same = match->mode == FM_PATTERN_REGEX ? &hidden->same_regex :
	    &hidden->same;
	for (word = match->operands.first; word != NULL; word = word->next)
		/* An empty operand is an error, and hides nothing. */
		if ((word->text.len > 0 || match->mode == FM_PATTERN_EXACT) &&
		    (fm_check_table_add(same, word->text, match->mode, line,
		    &first) != 0 || cover_add(hidden, line, word->text) != 0))
			return (-1);
	return (0);
}

static void
hidden_check(struct fm_check *check, const struct fm_map_def *map)
{
	struct hidden hidden = { .nocase = map->nocase, .steps = HIDDEN_STEPS,
	    .same = { .nocase = map->nocase } };
	const struct fm_map_line *by;
	struct fm_map_line *line;
	char where[FM_PLACE_LEN];

	for (line = map->lines; line != NULL; line = line->next) {
		by = line_hidden(&hidden, line);
		if (by != NULL)
			fm_diag_warning(check->diag, &line->at,
			    FM_MSG_WARN_HIDDEN,
			    fm_place_print(&by->at, where));
		else if (line->matches != NULL)
			operands_hidden(check, &hidden, line);
		if (line_add(&hidden, line) != 0) {
			fm_check_memory(check);
			break;
		}
	}
	while (hidden.n > 0)
		if (hidden.covers[--hidden.n].regex != NULL)
			fm_regex_free(&hidden.covers[hidden.n].regex);
	free(hidden.covers);
	free(hidden.strict);
	fm_check_table_fini(&hidden.same);
	fm_check_table_fini(&hidden.same_regex);
}

static void
map_value_check(struct fm_check *check, const struct fm_map_def *map,
    struct fm_value *value)
{
	fm_check_value(check, value);
	if (check->map_uses[map->number].location)
		fm_check_location(check, value);
}

void
fm_check_maps(struct fm_check *check)
{
	const struct fm_map_line *line;
	const struct fm_match *match;
	struct fm_map_def *map;
	unsigned subjects;

	check->in_map = true;
	for (map = check->model->maps; map != NULL; map = map->next) {
		subjects = check->map_uses[map->number].subjects;
		if (map->in)
			fm_check_map_networks(check, map);
		for (line = map->lines; line != NULL; line = line->next) {
			for (match = line->matches; match != NULL && !map->in;
			    match = match->next) {
				fm_check_operands(check, match->mode,
				    &match->operands, map->nocase, subjects,
				    NULL);
				fm_check_twice(check, &match->operands,
				    map->nocase);
				fm_check_covered_words(check, match->mode,
				    &match->operands, map->nocase);
			}
			map_value_check(check, map, line->value);
		}
		map_value_check(check, map, map->otherwise);
		if (!map->in)
			hidden_check(check, map);
		if (check->map_uses[map->number].location)
			fm_check_slip_circle(check, map);
	}
	check->in_map = false;
}
