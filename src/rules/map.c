/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Maps: the first line of which all matches hold.
 */

#include "obj.h"
#include "run_priv.h"

/* Returns what all matches of a line come to together. */
static enum fm_outcome
line_outcome(struct fm_exec *x, const struct fm_map_code *map,
    const struct fm_map_line_code *line, struct fm_memo *memo)
{
	const struct fm_map_match_code *match;
	enum fm_outcome all = FM_TRUE, outcome;
	uint32_t i;

	match = &x->program->map_matches[line->first];
	for (i = 0; i < line->count; i++, match++) {
		outcome = fm_memo_range(x, memo, map->first + match->first,
		    match->count);
		if (outcome == FM_UNDECIDED)
			all = FM_UNDECIDED;
		else if ((outcome == FM_TRUE) == match->negated)
			return (FM_FALSE);
	}
	return (all);
}

/*
 * Returns the template of the first line that matches, or the default, also
 * where a line before it is undecided.  Only lines with a candidate are asked:
 * without one a line does not match, unless all of it is negated.
 */
static uint32_t
map_find(struct fm_exec *x, const struct fm_map_code *map,
    struct fm_memo *memo)
{
	const struct fm_program *p = x->program;
	const struct fm_map_line_code *line = &p->map_lines[map->first_line];
	uint32_t end = map->first + map->count, i, n;

	for (i = 0; i < map->nlines; i++) {
		if (!map->negated) {
			n = map->first + p->map_matches[line[i].first].first;
			n = fm_memo_next(memo, n, end);
			if (n == FM_NONE)
				break;
			i = p->map_line_of[map->line_of + n - map->first];
		}
		switch (line_outcome(x, map, &line[i], memo)) {
		case FM_TRUE:
			return (line[i].template);
		case FM_UNDECIDED:
			x->undecided = true;
			return (map->otherwise);
		default:
			break;
		}
	}
	return (map->otherwise);
}

/*
 * Finds the template of a plain map whose set has nothing else: the first
 * pattern that matches is all of its line.  Returns false where a pattern is
 * undecided, as others may yet decide its line.
 */
static bool
map_find_first(struct fm_exec *x, const struct fm_map_code *map,
    const struct fm_piece *piece, uint32_t *template)
{
	struct fm_text subject = fm_request_subject(&x->req, &piece->subject);
	unsigned over = fm_exec_over(x);
	uint32_t n;

	*template = map->otherwise;
	if (subject.b == NULL)
		return (true);
	n = fm_memo_first(x, map->set, &piece->subject, subject);
	if (n != FM_NONE)
		*template = x->program->map_lines[map->first_line +
		    x->program->map_line_of[map->line_of + n]].template;
	return (over == fm_exec_over(x));
}

/* Of a host that is in the table by its name, which says what its maps give. */
static uint32_t
map_known(const struct fm_exec *x, const struct fm_map_code *map)
{
	const struct fm_program *p = x->program;

	if (map->known == FM_NONE || p->known == NULL ||
	    x->req.hit.how != FM_HOSTTAB_EXACT)
		return (FM_UNKNOWN);
	return (p->known[(size_t)x->req.hit.pattern * p->nknown +
	    map->known]);
}

/* One of a few texts, each a line. */
static uint32_t
map_find_text(struct fm_exec *x, const struct fm_map_code *map,
    const struct fm_piece *piece)
{
	const struct fm_program *p = x->program;
	struct fm_text subject = fm_request_subject(&x->req, &piece->subject);
	uint32_t n;

	for (n = 0; n < map->count && subject.b != NULL; n++)
		if (fm_text_find(subject, p->texts[map->texts + n]) != NULL)
			return (p->map_lines[map->first_line +
			    p->map_line_of[map->line_of + n]].template);
	return (map->otherwise);
}

uint32_t
fm_map_template(struct fm_exec *x, const struct fm_piece *piece)
{
	const struct fm_map_code *map = &x->program->maps[piece->a];
	uint32_t template = map_known(x, map);
	struct fm_memo *memo;

	if (template != FM_UNKNOWN)
		return (template);
	if (map->nets != FM_NONE) {
		template = fm_request_network(&x->req, &piece->subject,
		    map->nets);
		return (template == FM_NONE ? map->otherwise : template);
	}
	if (map->texts != FM_NONE)
		return (map_find_text(x, map, piece));
	if (map->alone && map->plain &&
	    map_find_first(x, map, piece, &template))
		return (template);
	memo = fm_memo_candidates(x, map->set, &piece->subject);
	return (memo == NULL ? map->otherwise : map_find(x, map, memo));
}
