/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Looks a subject up in a map, for values such as site(host): the first line
 * that matches gives a template.  struct fm_map_code says how a map is stored.
 *
 *	map of				is answered by
 *	networks			a search in nets[]
 *	a few `contains`		a search for each text
 *	one plain match a line		the first pattern that matches
 *	anything else			candidates of a memo, line by line
 */

#include "obj.h"
#include "run_priv.h"

/* A map while it is asked. */
struct map_look {
	struct fm_exec		*x;
	struct fm_memo		*memo;
	const struct fm_map_code *map;
	const struct fm_map_line_code *lines;
	uint32_t		found;		/* the first line so far, */
	uint32_t		undecided;	/* and of those undecided; or
						 * FM_NONE */
};

/* One match of a line: any of its patterns, or none where it is negated. */
static enum fm_outcome
look_match(struct map_look *l, const struct fm_map_match_code *match)
{
	enum fm_outcome outcome;

	outcome = fm_memo_range(l->x, l->memo, l->map->set,
	    l->map->first + match->first, match->count);
	if (!match->negated || outcome == FM_UNDECIDED)
		return (outcome);
	return (outcome == FM_TRUE ? FM_FALSE : FM_TRUE);
}

/*
 * Notes a line of which all that it asks for holds, or is undecided while
 * nothing else says that the line does not match.
 */
static void
look_line(struct map_look *l, uint32_t n)
{
	const struct fm_map_line_code *line = &l->lines[n];
	const struct fm_map_match_code *match;
	bool undecided = false;
	uint32_t i;

	match = &l->x->program->map_matches[line->first];
	for (i = 0; i < line->count; i++)
		switch (look_match(l, &match[i])) {
		case FM_FALSE:
			return;
		case FM_UNDECIDED:
			undecided = true;
			break;
		default:
			break;
		}
	if (!undecided)
		l->found = n;
	else if (n < l->undecided)
		l->undecided = n;
}

/* The lines before the one that was found to which a pattern leads. */
static void
look_hinted(struct map_look *l, uint32_t pattern)
{
	const struct fm_program *p = l->x->program;
	const struct fm_map_code *map = l->map;
	const uint32_t *at, *line, *end;

	if (map->hint_at == FM_NONE) {
		line = &p->map_line_of[map->line_of + pattern];
		end = line + 1;
	} else {
		at = &p->map_hint_at[map->hint_at + pattern];
		line = &p->map_hints[at[0]];
		end = &p->map_hints[at[1]];
	}
	for (; line < end && *line < l->found; line++) {
		if (!fm_memo_may(l->memo, map->first + pattern))
			return;
		look_line(l, *line);
	}
}

/*
 * Returns the template of the first line that matches, or the default, also
 * where a line before it is undecided.  A line can match only if one
 * of the patterns that lead to it is a candidate, or if all of its matches are
 * negated.  Patterns are in the order in which lines ask for them first: none
 * leads to a line before that.
 */
static uint32_t
map_find(struct fm_exec *x, const struct fm_map_code *map,
    struct fm_memo *memo)
{
	const uint32_t *line_of = &x->program->map_line_of[map->line_of];
	const uint32_t *unhinted = &x->program->map_unhinted[map->unhinted];
	struct map_look l = { .x = x, .memo = memo, .map = map,
	    .lines = &x->program->map_lines[map->first_line],
	    .found = FM_NONE, .undecided = FM_NONE };
	uint32_t n = map->first, end = n + map->count, i;
	bool over = !x->undecided;

	for (; (n = fm_memo_next(memo, n, end, over)) != FM_NONE; n++) {
		if (line_of[n - map->first] >= l.found)
			break;
		look_hinted(&l, n - map->first);
		/* What is undecided changes nothing from here on. */
		over &= l.undecided > line_of[n - map->first];
	}
	for (i = 0; i < map->nunhinted && unhinted[i] < l.found; i++)
		look_line(&l, unhinted[i]);
	if (l.undecided < l.found) {
		x->undecided = true;
		return (map->otherwise);
	}
	return (l.found == FM_NONE ? map->otherwise :
	    l.lines[l.found].template);
}

/*
 * A large map, from a file mostly, or one of a few texts: there the first
 * pattern that matches is all of its line, and a bit for each would cost more
 * than to find it.  false: its line asks for more, or a pattern before it is
 * undecided, whose line may yet be decided by others.
 */
static bool
map_find_first(struct fm_exec *x, const struct fm_map_code *map,
    const struct fm_piece *piece, uint32_t *template)
{
	struct fm_memo *memo = fm_memo_get(x, piece->memo, &piece->subject);
	const struct fm_map_line_code *line;
	bool undecided = false;
	uint32_t n;

	*template = map->otherwise;
	if (memo->subject.b == NULL)
		return (true);
	n = fm_memo_first(x, memo, map->set, &piece->subject, &undecided);
	if (undecided)
		return (false);
	if (n != FM_NONE) {
		line = &x->program->map_lines[map->first_line +
		    x->program->map_line_of[map->line_of + n]];
		if (line->count > 1)
			return (false);
		*template = line->template;
	}
	return (true);
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

/* Returns the template of the first text that the subject contains. */
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
	if (map->direct && map_find_first(x, map, piece, &template))
		return (template);
	memo = fm_memo_candidates(x, piece->memo, map->set, &piece->subject);
	return (memo == NULL ? map->otherwise : map_find(x, map, memo));
}
