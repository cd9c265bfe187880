/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiles maps: one set with the patterns of all lines, and which of them
 * each line asks for.
 */

#include "compile_priv.h"
#include "obj.h"

/* A map while it is compiled. */
struct map_making {
	const struct fm_map_def	*def;
	bool			host;
	struct fm_grow		patterns;	/* struct fm_compile_pattern */
	struct fm_map_code	code;
	uint32_t		line;
};

static int
line_of_add(struct fm_compile *c, uint32_t line, uint32_t count)
{
	uint32_t *p;

	p = fm_compile_add(c, &c->map_line_of, sizeof *p, count);
	if (p == NULL)
		return (-1);
	while (count > 0)
		p[--count] = line;
	return (0);
}

static int
match_add(struct fm_compile *c, struct map_making *m,
    const struct fm_match *match)
{
	struct fm_map_match_code *p;

	p = fm_compile_add(c, &c->map_matches, sizeof *p, 1);
	if (p == NULL)
		return (-1);
	p->first = (uint32_t)m->patterns.n;
	p->count = match->operands.count;
	p->negated = match->negated;
	if (fm_compile_operands(c, &m->patterns, match->mode, m->def->nocase,
	    &match->operands, m->host) != 0)
		return (-1);
	return (line_of_add(c, m->line, match->operands.count));
}

/* Its value has its template already: templates[template]. */
static int
line_add(struct fm_compile *c, struct map_making *m,
    const struct fm_map_line *line, uint32_t template)
{
	struct fm_map_line_code *p;
	const struct fm_match *match;
	uint32_t first = (uint32_t)c->map_matches.n, *unhinted;
	bool hinted = false;

	for (match = line->matches; match != NULL; match = match->next) {
		if (match_add(c, m, match) != 0)
			return (-1);
		hinted |= !match->negated;
	}
	if (!hinted) {
		unhinted = fm_compile_add(c, &c->map_unhinted,
		    sizeof *unhinted, 1);
		if (unhinted == NULL)
			return (-1);
		*unhinted = m->line;
		m->code.nunhinted++;
	}
	p = fm_compile_add(c, &c->map_lines, sizeof *p, 1);
	if (p == NULL)
		return (-1);
	p->first = first;
	p->count = (uint32_t)c->map_matches.n - first;
	p->template = template;
	m->line++;
	return (0);
}

static int
lines_add(struct fm_compile *c, struct map_making *m)
{
	const struct fm_map_line *line;
	uint32_t template;

	m->code.first_line = (uint32_t)c->map_lines.n;
	m->code.line_of = (uint32_t)c->map_line_of.n;
	m->code.unhinted = (uint32_t)c->map_unhinted.n;
	for (line = m->def->lines; line != NULL; line = line->next)
		if (fm_compile_value(c, line->value, &template) != 0 ||
		    line_add(c, m, line, template) != 0)
			return (-1);
	m->code.nlines = m->line;
	m->code.otherwise = FM_NONE;
	if (m->def->otherwise == NULL)
		return (0);
	return (fm_compile_value(c, m->def->otherwise, &m->code.otherwise));
}

static int
map_add(struct fm_compile *c, struct map_making *m, uint32_t *map)
{
	struct fm_map_code *p;

	if (fm_compile_set(c, &m->patterns, &m->code.set) != 0)
		return (-1);
	*map = (uint32_t)c->maps.n;
	p = fm_compile_add(c, &c->maps, sizeof *p, 1);
	if (p == NULL)
		return (-1);
	*p = m->code;
	return (0);
}

/* A map stands outside of all blocks: its values have no groups. */
int
fm_compile_map(struct fm_compile *c, const struct fm_map_def *def, bool host,
    uint32_t *map)
{
	uint32_t *made = host ? c->maps_of_hosts : c->maps_made;
	struct map_making m = { .def = def, .host = host };
	struct fm_compile_scope *scope = c->scope;
	int bad = 0;

	assert(def != NULL && def->number < c->model->nmaps);
	if (made[def->number] == FM_NONE) {
		c->scope = NULL;
		bad = lines_add(c, &m);
		if (bad == 0)
			bad = map_add(c, &m, &made[def->number]);
		c->scope = scope;
		fm_grow_fini(&m.patterns);
	}
	*map = made[def->number];
	return (bad);
}
