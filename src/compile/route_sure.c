/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds out which values and tests are sure, and which tests may be undecided.
 */

#include "route_priv.h"

/* A set of more patterns than this isn't searched for a regex. */
#define ROUTE_LOOK	1024

static bool
sure_subject(const struct fm_route *route,
    const struct fm_subject_code *subject)
{
	return (subject->kind == FM_SUBJECT_HEADER ?
	    route->sure[subject->slot] : subject->kind == FM_SUBJECT_HOST &&
	    route->of_host);
}

/* Returns the template that a map gives for every request, or FM_UNKNOWN. */
static uint32_t
map_given(const struct fm_route *route, const struct fm_template_piece *piece)
{
	uint32_t template;

	if (route->wild != NULL && piece->subject.kind == FM_SUBJECT_HOST)
		return (fm_route_wild_map(route,
		    &route->program->maps[piece->a]));
	if (!sure_subject(route, &piece->subject))
		return (FM_UNKNOWN);
	route->exec->mark = FM_REFUSE_NONE;
	template = fm_map_template(route->exec, piece);
	return (route->exec->mark != FM_REFUSE_NONE ||
	    route->exec->req.no_memory ? FM_UNKNOWN : template);
}

static bool
sure_piece(const struct fm_route *route, const struct fm_template_piece *piece)
{
	uint32_t given;

	switch ((enum fm_part_kind)piece->kind) {
	case FM_PART_TEXT:
		return (true);
	case FM_PART_RULESET:
		return (!route->any_site);
	case FM_PART_HOST:
	case FM_PART_DOMAIN:
		return (route->of_host);
	case FM_PART_HEADER:
	case FM_PART_COOKIE:
	case FM_PART_PARAMETER:
		return (sure_subject(route, &piece->subject));
	case FM_PART_MAP:
		given = map_given(route, piece);
		return (given == FM_NONE || (given != FM_UNKNOWN &&
		    fm_route_sure_template(route, given)));
	default:
		return (false);
	}
}

/* The templates of a map's lines have no maps: this ends. */
bool
fm_route_sure_template(const struct fm_route *route, uint32_t template)
{
	const struct fm_template *t = &route->program->templates[template];
	uint32_t i;

	for (i = 0; i < t->count; i++)
		if (!sure_piece(route, &route->program->pieces[t->first + i]))
			return (false);
	return (true);
}

const struct fm_template_piece *
fm_route_piece(const struct fm_route *route, uint32_t template)
{
	const struct fm_template *t = &route->program->templates[template];

	return (t->count == 1 ? &route->program->pieces[t->first] : NULL);
}

uint32_t
fm_route_given(const struct fm_route *route, uint32_t template)
{
	const struct fm_template_piece *piece = fm_route_piece(route, template);

	return (piece == NULL || piece->kind != FM_PART_MAP ? FM_UNKNOWN :
	    map_given(route, piece));
}

enum fm_outcome
fm_route_test(const struct fm_route *route, const struct fm_test *test)
{
	enum fm_outcome outcome;

	if (route->wild != NULL && test->subject.kind == FM_SUBJECT_HOST)
		return (fm_route_wild_test(route, test));
	if (test->kind == FM_TEST_NAMES || test->kind == FM_TEST_VALUES ||
	    !sure_subject(route, &test->subject))
		return (FM_NOT_ASKED);
	outcome = fm_cond_test(route->exec, test);
	return (outcome > FM_TRUE || route->exec->req.no_memory ?
	    FM_NOT_ASKED : outcome);
}

/* Returns true if a pattern of a set may be a regex, which may give up. */
static bool
set_is_open(const struct fm_patset *set)
{
	size_t count = fm_patset_count(set), i;

	for (i = 0; i < count && count <= ROUTE_LOOK; i++)
		if (fm_pattern_kind(fm_patset_pattern(set, i)) ==
		    FM_PATTERN_REGEX)
			return (true);
	return (count > ROUTE_LOOK);
}

bool
fm_route_test_is_open(const struct fm_route *route, const struct fm_test *test)
{
	const struct fm_program *program = route->program;

	if (route->rewritten && fm_subject_is_url(&test->subject))
		return (true);
	if (test->kind == FM_TEST_NETS)
		return (program->trust != FM_NONE &&
		    test->subject.kind == FM_SUBJECT_CLIENT);
	if (test->kind == FM_TEST_RANGE)
		return (test->mode == FM_PATTERN_REGEX);
	return (test->kind == FM_TEST_SET &&
	    set_is_open(program->sets[test->set]));
}
