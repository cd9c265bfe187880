/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiles maps: the patterns of all lines, next to each other in a set, and
 * which of them each line asks for.
 */

#include <stdlib.h>

#include "compile_priv.h"
#include "obj.h"

/* Adds a match of a line, and the line to each of its patterns. */
static int
match_add(struct fm_compile *c, struct fm_map_code *code, uint32_t line,
    const struct fm_match *match)
{
	uint32_t count = match->operands.count, i, *line_of;
	struct fm_map_match_code *p;

	p = fm_compile_add(c, &c->map_matches, sizeof *p, 1);
	line_of = fm_compile_add(c, &c->map_line_of, sizeof *line_of, count);
	if (p == NULL || line_of == NULL)
		return (-1);
	p->first = code->count;
	p->count = count;
	p->negated = match->negated;
	for (i = 0; i < count; i++)
		line_of[i] = line;
	code->count += count;
	return (0);
}

static int
line_add(struct fm_compile *c, struct fm_map_code *code,
    const struct fm_map_line *line)
{
	struct fm_map_line_code *p, new = { 0 };
	const struct fm_match *match;
	bool negated = true;

	if (fm_compile_value(c, line->value, &new.template) != 0)
		return (-1);
	new.first = (uint32_t)c->map_matches.n;
	for (match = line->matches; match != NULL; match = match->next) {
		if (match_add(c, code, code->nlines, match) != 0)
			return (-1);
		new.count++;
		negated &= match->negated;
	}
	code->plain &= new.count == 1 && !negated;
	code->negated |= negated;
	code->nlines++;
	p = fm_compile_add(c, &c->map_lines, sizeof *p, 1);
	if (p == NULL)
		return (-1);
	*p = new;
	return (0);
}

static int
lines_add(struct fm_compile *c, const struct fm_map_def *def,
    struct fm_map_code *code)
{
	const struct fm_map_line *line;

	code->first_line = (uint32_t)c->map_lines.n;
	code->line_of = (uint32_t)c->map_line_of.n;
	for (line = def->lines; line != NULL; line = line->next)
		if (line_add(c, code, line) != 0)
			return (-1);
	if (def->otherwise == NULL)
		return (0);
	return (fm_compile_value(c, def->otherwise, &code->otherwise));
}

int
fm_compile_map_patterns(struct fm_compile *c, const struct fm_map_def *map,
    bool host, struct fm_grow *patterns)
{
	const struct fm_map_line *line;
	const struct fm_match *match;

	for (line = map->lines; line != NULL; line = line->next)
		for (match = line->matches; match != NULL;
		    match = match->next)
			if (fm_compile_operands(c, patterns, match->mode,
			    map->nocase, &match->operands, host) != 0)
				return (-1);
	return (0);
}

/*
 * Its lines, once for all subjects.  A map stands outside of all blocks: its
 * values have no groups.
 */
static int
map_lines(struct fm_compile *c, const struct fm_map_def *def,
    struct fm_map_code *code)
{
	struct fm_compile_scope *scope = c->scope;
	int bad;

	if (c->maps_made[def->number] != FM_NONE) {
		*code = *FM_GROW_AT(&c->maps, struct fm_map_code,
		    c->maps_made[def->number]);
		return (0);
	}
	*code = (struct fm_map_code){ .otherwise = FM_NONE, .plain = true };
	c->scope = NULL;
	bad = lines_add(c, def, code);
	c->scope = scope;
	return (bad);
}

/*--------------------------------------------------------------------
 * Maps of networks
 */

/* Lines with the same value have the same template. */
static int
nets_value(struct fm_compile *c, const struct fm_map_def *def,
    const struct fm_value *value, uint32_t *template)
{
	fm_intern_key(&c->intern, FM_TAG_VALUE);
	fm_intern_key_number(&c->intern, def->number);
	fm_intern_key_text(&c->intern, value->raw);
	switch (fm_compile_get(c, c->templates.n, template)) {
	case FM_INTERN_OLD:
		return (0);
	case FM_INTERN_NEW:
		return (fm_compile_value(c, value, template));
	case FM_INTERN_NO_MEMORY:
		break;
	}
	return (-1);
}

static int
nets_values(struct fm_compile *c, const struct fm_map_def *def,
    struct fm_map_code *code)
{
	uint32_t *values = malloc((def->nets.n + 1) * sizeof *values);
	int bad = values == NULL ? fm_compile_no_memory(c) : 0;
	size_t i;

	for (i = 0; i < def->nets.n && bad == 0; i++)
		bad = nets_value(c, def, def->nets.items[i].value,
		    &values[i]);
	if (bad == 0 && def->otherwise != NULL)
		bad = nets_value(c, def, def->otherwise, &code->otherwise);
	if (bad == 0)
		bad = fm_compile_networks(c, &def->nets, values, &code->nets);
	free(values);
	return (bad);
}

/* Makes a map that is the same for all subjects.  Its values have no groups. */
static int
map_nets(struct fm_compile *c, const struct fm_map_def *def, uint32_t *map)
{
	struct fm_compile_scope *scope = c->scope;
	struct fm_map_code code = { .otherwise = FM_NONE,
	    .texts = FM_NONE, .known = FM_NONE }, *p;
	int bad;

	*map = c->maps_made[def->number];
	if (*map != FM_NONE)
		return (0);
	c->scope = NULL;
	bad = nets_values(c, def, &code);
	c->scope = scope;
	p = bad != 0 ? NULL : fm_compile_add(c, &c->maps, sizeof *p, 1);
	if (p == NULL)
		return (-1);
	*p = code;
	*map = c->maps_made[def->number] = (uint32_t)c->maps.n - 1;
	return (0);
}

/*--------------------------------------------------------------------
 * Where its patterns are
 */

/* So many texts are looked for one by one. */
#define MAP_TEXTS	4

/* Returns true if each line asks for a few texts that the subject contains. */
static bool
map_is_texts(const struct fm_map_def *def)
{
	const struct fm_map_line *line;
	uint32_t count = 0;

	for (line = def->lines; line != NULL; line = line->next) {
		count += line->matches->operands.count;
		if (count > MAP_TEXTS || line->matches->next != NULL ||
		    line->matches->negated ||
		    line->matches->mode != FM_PATTERN_CONTAINS)
			return (false);
	}
	return (!def->nocase);
}

static int
map_texts(struct fm_compile *c, const struct fm_grow *patterns,
    struct fm_map_code *code)
{
	uint32_t n;
	size_t i;

	code->texts = (uint32_t)c->texts.n;
	for (i = 0; i < patterns->n; i++)
		if (fm_compile_text(c, FM_GROW_AT(patterns,
		    struct fm_compile_pattern, i)->text, &n) != 0)
			return (-1);
	return (0);
}

/* Puts the patterns into the pool of the common blocks, or a set of its own. */
static int
map_set(struct fm_compile *c, const struct fm_map_def *def, bool host,
    const struct fm_compile_pooled *at, struct fm_map_code *code)
{
	struct fm_grow patterns = { 0 };
	int bad;

	code->first = 0;
	code->texts = code->nets = FM_NONE;
	code->known = host && c->nknown < FM_COMPILE_KNOWN ? c->nknown++ :
	    FM_NONE;
	code->alone = at->pool == FM_NONE;
	if (!code->alone) {
		assert(at->count == code->count);
		code->first = at->first;
		code->set = at->pool;
		return (0);
	}
	bad = fm_compile_map_patterns(c, def, host, &patterns);
	if (bad == 0)
		bad = fm_compile_set(c, &patterns, &code->set);
	if (bad == 0 && map_is_texts(def))
		bad = map_texts(c, &patterns, code);
	fm_grow_fini(&patterns);
	return (bad);
}

int
fm_compile_map(struct fm_compile *c, const struct fm_map_def *def,
    const struct fm_subject_code *subject, uint32_t *map)
{
	bool host = subject->kind == FM_SUBJECT_HOST;
	struct fm_compile_pooled at = { .pool = FM_NONE };
	struct fm_map_code code, *p;

	assert(def != NULL && def->number < c->model->nmaps);
	if (def->in)
		return (map_nets(c, def, map));
	if (!map_is_texts(def) &&
	    fm_compile_pooled(c, NULL, def, subject, &at) != 0)
		return (-1);
	fm_intern_key(&c->intern, FM_TAG_MAP);
	fm_intern_key_number(&c->intern, def->number);
	fm_intern_key_number(&c->intern, host);
	fm_intern_key_number(&c->intern, at.pool);
	switch (fm_compile_get(c, c->maps.n, map)) {
	case FM_INTERN_OLD:
		return (0);
	case FM_INTERN_NEW:
		break;
	case FM_INTERN_NO_MEMORY:
		return (-1);
	}
	if (map_lines(c, def, &code) != 0 ||
	    map_set(c, def, host, &at, &code) != 0)
		return (-1);
	p = fm_compile_add(c, &c->maps, sizeof *p, 1);
	if (p == NULL)
		return (-1);
	*p = code;
	if (c->maps_made[def->number] == FM_NONE)
		c->maps_made[def->number] = *map;
	return (0);
}
