/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiles maps (struct fm_map_code): the patterns of all lines, next to each
 * other in a set; which of them each line asks for; and which of them lead to a
 * line, so that a request looks at few lines.
 *
 *	map m {						patterns	lead to
 *		contains shop and ends .css -> a;	0 1		0 -
 *		contains news and ends .js  -> b;	2 3		1 -
 *		not begins /x -> c;			4		-
 *	}
 *
 * Line 2 matches without its pattern: requests look at such lines always.
 */

#include "compile_priv.h"
#include "obj.h"

/* A map of no more texts looks for one by one: cheaper than a scan. */
#define MAP_TEXTS	4

/*
 * Lets the first match without `not` be the first of its line, and lead to the
 * line.  The order of matches makes no difference to their answer.
 */
static void
line_lead(struct fm_compile *c, const struct fm_map_line_code *line,
    uint32_t first, struct fm_map_code *map)
{
	struct fm_map_match_code *matches = FM_GROW_AT(&c->map_matches,
	    struct fm_map_match_code, line->first), lead;
	uint32_t *led = fm_compile_add(c, &c->map_led, sizeof *led,
	    map->count - first), n;

	for (n = 0; n < line->count && matches[n].negated; n++)
		continue;
	if (n == line->count) {
		map->open = true;
		lead = (struct fm_map_match_code){ 0 };
	} else {
		lead = matches[n];
		matches[n] = matches[0];
		matches[0] = lead;
	}
	for (n = first; n < map->count; n++)
		led[n - first] = n - lead.first < lead.count ? map->nlines :
		    FM_NONE;
}

static void
line_add(struct fm_compile *c, const struct fm_map_line *line,
    struct fm_map_code *map)
{
	struct fm_map_line_code code = {
	    .template = fm_compile_value(c, line->value),
	    .first = (uint32_t)c->map_matches.n };
	const struct fm_match *match;
	struct fm_map_match_code m;
	uint32_t first = map->count;

	for (match = line->matches; match != NULL; match = match->next) {
		m = (struct fm_map_match_code){ map->count,
		    match->operands.count, match->negated };
		(void)fm_compile_append(c, &c->map_matches, &m, sizeof m);
		map->count += m.count;
	}
	code.count = (uint32_t)c->map_matches.n - code.first;
	line_lead(c, &code, first, map);
	map->nlines++;
	(void)fm_compile_append(c, &c->map_lines, &code, sizeof code);
}

static void
lines_add(struct fm_compile *c, const struct fm_map_def *def,
    struct fm_map_code *map)
{
	const struct fm_map_line *line;

	*map = (struct fm_map_code){ .otherwise = FM_NONE,
	    .first_line = (uint32_t)c->map_lines.n,
	    .led = (uint32_t)c->map_led.n };
	for (line = def->lines; line != NULL; line = line->next)
		line_add(c, line, map);
	if (def->otherwise != NULL)
		map->otherwise = fm_compile_value(c, def->otherwise);
}

void
fm_compile_map_patterns(struct fm_compile *c, const struct fm_map_def *map,
    bool host, struct fm_grow *patterns)
{
	const struct fm_map_line *line;
	const struct fm_match *match;

	for (line = map->lines; line != NULL; line = line->next)
		for (match = line->matches; match != NULL; match = match->next)
			fm_compile_operands(c, patterns, match->mode,
			    map->nocase, &match->operands, host);
}

/*
 * Compiles the lines of a map, or copies what an earlier subject has made of
 * them.  A map stands outside of all blocks, so its values have no groups.
 */
static void
map_lines(struct fm_compile *c, const struct fm_map_def *def,
    struct fm_map_code *map)
{
	struct fm_compile_scope *scope = c->scope;

	if (c->maps_made[def->number] != FM_NONE) {
		*map = *FM_GROW_AT(&c->maps, struct fm_map_code,
		    c->maps_made[def->number]);
		return;
	}
	c->scope = NULL;
	lines_add(c, def, map);
	c->scope = scope;
}

/*--------------------------------------------------------------------
 * Maps of networks
 */

/* Finds or makes the template of a value: equal values share it. */
static uint32_t
nets_value(struct fm_compile *c, const struct fm_map_def *def,
    const struct fm_value *value)
{
	uint32_t template;

	fm_intern_key(&c->intern, FM_TAG_VALUE);
	fm_intern_key_number(&c->intern, def->number);
	fm_intern_key_text(&c->intern, value->raw);
	return (fm_compile_new(c, c->templates.n, &template) ?
	    fm_compile_value(c, value) : template);
}

static void
nets_values(struct fm_compile *c, const struct fm_map_def *def,
    struct fm_map_code *code)
{
	uint32_t *values = fm_compile_alloc(c, &c->lowered,
	    def->nets.n * sizeof *values);
	size_t i;

	for (i = 0; i < def->nets.n; i++)
		values[i] = nets_value(c, def, def->nets.items[i].value);
	if (def->otherwise != NULL)
		code->otherwise = nets_value(c, def, def->otherwise);
	code->nets = fm_compile_networks(c, &def->nets, values);
}

/*
 * Compiles a map of networks, once for all subjects.  Its values have no
 * groups.
 */
static uint32_t
map_nets(struct fm_compile *c, const struct fm_map_def *def)
{
	struct fm_compile_scope *scope = c->scope;
	struct fm_map_code code = { .otherwise = FM_NONE, .texts = FM_NONE };
	uint32_t *map = &c->maps_made[def->number];

	if (*map == FM_NONE) {
		c->scope = NULL;
		nets_values(c, def, &code);
		c->scope = scope;
		*map = fm_compile_append(c, &c->maps, &code, sizeof code);
	}
	return (*map);
}

/*--------------------------------------------------------------------
 * Where its patterns are
 */

/* Returns true if each line asks for a text that the subject contains. */
static bool
map_is_texts(const struct fm_map_def *def, const struct fm_map_code *code)
{
	const struct fm_map_line *line;

	if (def->nocase || code->count > MAP_TEXTS)
		return (false);
	for (line = def->lines; line != NULL; line = line->next)
		if (line->matches->next != NULL || line->matches->negated ||
		    line->matches->mode != FM_PATTERN_CONTAINS)
			return (false);
	return (true);
}

static void
map_texts(struct fm_compile *c, struct fm_map_code *code)
{
	size_t i;

	code->texts = (uint32_t)c->texts.n;
	for (i = 0; i < c->operands.n; i++)
		(void)fm_compile_text(c, FM_GROW_AT(&c->operands,
		    struct fm_compile_pattern, i)->text);
}

/*
 * Returns true if a map should ask for the first pattern that matches, which is
 * all of its line.  That costs less where the set is a few texts, and where
 * patterns are so many that a bit for each takes long to clear; but a regex
 * before the first match that is undecided would be asked again.
 */
static bool
map_is_direct(const struct fm_map_def *def, const struct fm_map_code *map,
    const struct fm_patset *set)
{
	const struct fm_map_line *line;

	for (line = def->lines; line != NULL; line = line->next)
		if (line->matches->next != NULL || line->matches->negated)
			return (false);
	return (fm_patset_is_small(set) || map->count >
	    (fm_patset_gives_up(set) ? FM_PROGRAM_BITS_REGEXES :
	    FM_PROGRAM_BITS));
}

/* Finds the patterns of a map: in a share, or in a set of its own. */
static void
map_set(struct fm_compile *c, const struct fm_map_def *def, bool host,
    const struct fm_compile_member *member, struct fm_map_code *map)
{
	map->first = 0;
	map->direct = false;
	map->texts = map->nets = FM_NONE;
	if (member != NULL) {
		assert(member->count == map->count);
		map->first = member->first;
		map->set = FM_GROW_AT(&c->pools, struct fm_compile_pool,
		    member->pool)->set;
		return;
	}
	c->operands.n = 0;
	fm_compile_map_patterns(c, def, host, &c->operands);
	map->set = fm_compile_set(c, &c->operands);
	if (map_is_texts(def, map))
		map_texts(c, map);
	map->direct = map_is_direct(def, map, *FM_GROW_AT(&c->sets,
	    struct fm_patset *, map->set));
}

uint32_t
fm_compile_map(struct fm_compile *c, const struct fm_map_def *def,
    const struct fm_subject_code *subject)
{
	bool host = subject->kind == FM_SUBJECT_HOST;
	const struct fm_compile_member *member;
	struct fm_map_code code;
	uint32_t map;

	assert(def != NULL && def->number < c->model->nmaps);
	if (def->in)
		return (map_nets(c, def));
	member = fm_compile_shared(c, NULL, def, subject);
	fm_intern_key(&c->intern, FM_TAG_MAP);
	fm_intern_key_number(&c->intern, def->number);
	fm_intern_key_number(&c->intern, host);
	fm_intern_key_number(&c->intern,
	    member == NULL ? FM_NONE : member->pool);
	if (!fm_compile_new(c, c->maps.n, &map))
		return (map);
	map_lines(c, def, &code);
	map_set(c, def, host, member, &code);
	if (c->maps_made[def->number] == FM_NONE)
		c->maps_made[def->number] = map;
	return (fm_compile_append(c, &c->maps, &code, sizeof code));
}
