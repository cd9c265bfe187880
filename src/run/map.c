/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Looks a subject up in a map, for values such as site(host): the first line
 * that matches gives a template.  struct fm_map_code says how a map is stored.
 *
 *	a map of			is answered by
 *	networks			a search in nets[]
 *	a few `contains`		a search for each text
 *	very many lines, or very few	the first pattern that matches
 *	anything else			candidates of a memo, line by line
 */

#include "obj.h"
#include "run_priv.h"

/* A map that is asked line by line. */
struct map_look {
	struct fm_exec		*exec;
	struct fm_memo		*memo;
	const struct fm_map_code *map;
	uint32_t		found;		/* first line that matches so
						 * far, or FM_NONE */
	uint32_t		undecided;	/* first undecided line so far,
						 * or FM_NONE */
};

static const struct fm_map_line_code *
map_line(const struct fm_exec *exec, const struct fm_map_code *map, uint32_t n)
{
	return (&exec->program->map_lines[map->first_line + n]);
}

/* Returns the template of the line to which pattern n leads, and no other. */
static uint32_t
map_led(const struct fm_exec *exec, const struct fm_map_code *map, uint32_t n)
{
	const struct fm_program *program = exec->program;

	return (map_line(exec,
	    map, program->map_leads[program->map_lead_at[map->lead_at +
	    n]])->template);
}

/* Notes a line, before that found so far, if it matches or is undecided. */
static void
look_line(struct map_look *look, uint32_t n)
{
	const struct fm_map_line_code *line = map_line(look->exec, look->map,
	    n);
	const struct fm_map_match_code *match;
	enum fm_outcome outcome;
	uint32_t i;

	match = &look->exec->program->map_matches[line->first];
	for (i = 0; i < line->count; i++) {
		outcome = fm_memo_range(look->exec, look->memo, look->map->set,
		    look->map->first + match[i].first, match[i].count);
		if (outcome == (match[i].negated ? FM_FALSE : FM_TRUE))
			continue;
		if (outcome == FM_UNDECIDED && n < look->undecided)
			look->undecided = n;
		return;
	}
	look->found = n;
}

/* Looks at the lines to which pattern n leads. */
static void
look_led(struct map_look *look, uint32_t n)
{
	const struct fm_program *program = look->exec->program;
	const uint32_t *at = &program->map_lead_at[look->map->lead_at + n];
	const uint32_t *line = &program->map_leads[at[0]];
	const uint32_t *end = &program->map_leads[at[1]];

	for (; line < end && *line < look->found; line++) {
		/* A line before may have found out that it doesn't match. */
		if (n < look->map->count &&
		    !fm_memo_may(look->memo, look->map->first + n))
			return;
		look_line(look, *line);
	}
}

/*
 * Returns the template of the first line that matches, or the default.  Sets
 * the mark if a line before is undecided.
 */
static uint32_t
map_find(struct fm_exec *exec, const struct fm_map_code *map,
    struct fm_memo *memo)
{
	struct map_look look = { .exec = exec, .memo = memo, .map = map,
	    .found = FM_NONE, .undecided = FM_NONE };
	uint32_t n = map->first, end = n + map->count;

	for (; (n = fm_memo_next(memo, n, end)) != FM_NONE; n++)
		look_led(&look, n - map->first);
	look_led(&look, map->count);
	if (look.undecided < look.found)
		fm_exec_mark(exec, FM_REFUSE_UNDECIDED);
	return (look.found == FM_NONE ? map->otherwise :
	    map_line(exec, map, look.found)->template);
}

/*
 * Finds the template of a `direct` map.  Returns false if a pattern before the
 * first match is undecided: its line may have another pattern that matches.
 */
static bool
map_find_first(struct fm_exec *exec, const struct fm_map_code *map,
    const struct fm_template_piece *piece, uint32_t *template)
{
	struct fm_memo *memo = fm_memo_get(exec, piece->memo, &piece->subject);
	bool undecided = false;
	uint32_t n;

	*template = map->otherwise;
	if (memo->subject.b == NULL)
		return (true);
	n = fm_memo_first(exec, memo, map->set, &piece->subject, &undecided);
	if (n != FM_NONE)
		*template = map_led(exec, map, n);
	return (!undecided);
}

uint32_t
fm_map_text(struct fm_exec *exec, const struct fm_map_code *map,
    const struct fm_subject_code *subject_code)
{
	struct fm_text subject = fm_request_subject(&exec->req, subject_code);
	const struct fm_text *texts = &exec->program->texts[map->texts];
	uint32_t n;

	for (n = 0; n < map->count && subject.b != NULL; n++)
		if (fm_text_find(subject, texts[n]) != NULL)
			return (n);
	return (FM_NONE);
}

uint32_t
fm_map_template(struct fm_exec *exec, const struct fm_template_piece *piece)
{
	const struct fm_map_code *map = &exec->program->maps[piece->a];
	struct fm_memo *memo;
	uint32_t template, n;

	if (fm_request_has_fragment(&exec->req, &piece->subject)) {
		fm_exec_mark(exec, FM_REFUSE_FRAGMENT);
		return (map->otherwise);
	}
	if (map->nets != FM_NONE) {
		if (fm_request_is_unknown(&exec->req, &piece->subject))
			fm_exec_mark(exec, FM_REFUSE_CLIENT);
		template = fm_request_network(&exec->req, &piece->subject,
		    map->nets);
		return (template == FM_NONE ? map->otherwise : template);
	}
	if (map->texts != FM_NONE) {
		n = fm_map_text(exec, map, &piece->subject);
		return (n == FM_NONE ? map->otherwise : map_led(exec, map, n));
	}
	if (map->direct && map_find_first(exec, map, piece, &template))
		return (template);
	memo = fm_memo_candidates(exec, piece->memo, map->set, &piece->subject);
	return (memo == NULL ? map->otherwise : map_find(exec, map, memo));
}
