/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds out which tests and maps of the host give the same for all hosts that
 * are found by one wildcard, or by no pattern.  Other patterns of hosts help:
 *
 *	host .wiki.example { ... }		hosts of .wiki.example:
 *	host .m.wiki.example { ... }
 *
 *	host is www.example.com			never
 *	host is wiki.example			never: found by its own name
 *	host ends .m.wiki.example		never: found by that pattern
 *	host ends .wiki.example			always
 *	host is de.wiki.example			not known
 */

#include "glob.h"
#include "hostname.h"
#include "route_priv.h"

static bool
text_ends(struct fm_text text, struct fm_text end)
{
	return (text.len >= end.len && memcmp(text.b + text.len - end.len,
	    end.b, end.len) == 0);
}

static bool
text_begins(struct fm_text text, struct fm_text with)
{
	return (text.len >= with.len && memcmp(text.b, with.b, with.len) == 0);
}

/* A name that is found otherwise is the name of none of these hosts. */
static enum fm_outcome
wild_is(const struct fm_route *route, struct fm_text name)
{
	char buf[FM_HOSTNAME_MAX];
	struct fm_hosttab_hit hit;
	struct fm_text canon;

	if (route->wild->how == FM_HOSTTAB_SUFFIX &&
	    !text_ends(name, route->wild->end))
		return (FM_FALSE);
	(void)fm_hosttab_lookup(route->program->hosttab, name, buf, &canon,
	    &hit);
	return (hit.pattern == route->wild->pattern ? FM_NOT_ASKED : FM_FALSE);
}

/*
 * All hosts that end in `.m.wiki.example` are found by this wildcard, if there
 * is one, or by a longer one, or by their own names.
 */
static enum fm_outcome
wild_ends(const struct fm_route *route, struct fm_text end)
{
	const struct fm_route_wild *wild = route->wild;
	char host[1 + FM_HOSTNAME_MAX], buf[FM_HOSTNAME_MAX];
	const char *dot = memchr(end.b, '.', end.len);
	struct fm_hosttab_hit hit;
	struct fm_text canon;

	if (wild->how == FM_HOSTTAB_SUFFIX && text_ends(wild->end, end))
		return (FM_TRUE);
	if (wild->how == FM_HOSTTAB_SUFFIX && !text_ends(end, wild->end))
		return (FM_FALSE);
	if (dot != NULL)
		end = fm_text_span(dot, end.b + end.len);
	if (dot == NULL || end.len > FM_HOSTNAME_MAX)
		return (FM_NOT_ASKED);
	host[0] = 'x';
	memcpy(host + 1, end.b, end.len);
	if (fm_hostname_canon(fm_text(host, 1 + end.len), buf, &canon) !=
	    FM_HOSTNAME_OK || canon.len != 1 + end.len)
		return (FM_NOT_ASKED);
	(void)fm_hosttab_lookup_wild(route->program->hosttab, canon, &hit);
	return (hit.how != FM_HOSTTAB_SUFFIX || hit.pattern == wild->pattern ?
	    FM_NOT_ASKED : FM_FALSE);
}

static enum fm_outcome
wild_begins(const struct fm_route_wild *wild, struct fm_text with)
{
	if (wild->how != FM_HOSTTAB_PREFIX)
		return (FM_NOT_ASKED);
	if (text_begins(wild->end, with))
		return (FM_TRUE);
	return (text_begins(with, wild->end) ? FM_NOT_ASKED : FM_FALSE);
}

/* Returns the outcome of a pattern for all hosts of a route. */
static enum fm_outcome
wild_pattern(const struct fm_route *route, enum fm_pattern_kind kind,
    struct fm_text text)
{
	switch (kind) {
	case FM_PATTERN_EXACT:
		return (wild_is(route, text));
	case FM_PATTERN_SUFFIX:
		return (wild_ends(route, text));
	case FM_PATTERN_PREFIX:
		return (wild_begins(route->wild, text));
	case FM_PATTERN_CONTAINS:
		return (fm_text_find(route->wild->end, text) != NULL ?
		    FM_TRUE : FM_NOT_ASKED);
	case FM_PATTERN_GLOB:
		if (text.len > 1 && text.b[0] == '*' &&
		    fm_glob_prefix(fm_text(text.b + 1, text.len - 1)) + 1 ==
		    text.len)
			return (wild_ends(route, fm_text(text.b + 1,
			    text.len - 1)));
		break;
	case FM_PATTERN_REGEX:
		break;
	}
	return (FM_NOT_ASKED);
}

/* Counts patterns that are asked; returns false if none may be. */
static bool
wild_may_ask(const struct fm_route *route, size_t count)
{
	route->compile->asked += count;
	return (route->wild->asks);
}

/* Returns the outcome of a test if any of these patterns matches. */
static enum fm_outcome
wild_any(const struct fm_route *route, const struct fm_patset *set,
    uint32_t first, uint32_t count)
{
	enum fm_outcome outcome = FM_FALSE, one;
	const struct fm_pattern *pattern;
	uint32_t i;

	if (!wild_may_ask(route, count))
		return (FM_NOT_ASKED);
	for (i = 0; i < count && outcome != FM_TRUE; i++) {
		pattern = fm_patset_pattern(set, first + i);
		one = wild_pattern(route, fm_pattern_kind(pattern),
		    fm_pattern_text(pattern));
		if (one != FM_FALSE)
			outcome = one;
	}
	return (outcome);
}

static enum fm_outcome
wild_texts(const struct fm_route *route, const struct fm_test *test)
{
	enum fm_outcome outcome = FM_FALSE, one;
	uint32_t i;

	if (!wild_may_ask(route, test->count))
		return (FM_NOT_ASKED);
	for (i = 0; i < test->count && outcome != FM_TRUE; i++) {
		one = wild_pattern(route, (enum fm_pattern_kind)test->mode,
		    route->program->texts[test->first + i]);
		if (one != FM_FALSE)
			outcome = one;
	}
	return (outcome);
}

enum fm_outcome
fm_route_wild_test(const struct fm_route *route, const struct fm_test *test)
{
	const struct fm_patset *set;

	switch ((enum fm_test_kind)test->kind) {
	case FM_TEST_PRESENT:
		return (route->wild->how == FM_HOSTTAB_NONE ? FM_NOT_ASKED :
		    FM_TRUE);
	case FM_TEST_TEXTS:
		return (wild_texts(route, test));
	case FM_TEST_SET:
		set = route->program->sets[test->set];
		return (wild_any(route, set, 0,
		    (uint32_t)fm_patset_count(set)));
	case FM_TEST_RANGE:
		return (wild_any(route, route->program->sets[test->set],
		    test->first, test->count));
	default:
		return (FM_NOT_ASKED);
	}
}

/*
 * Returns the outcome of a line.  Its matches are asked in their order, so that
 * a regex which comes first may be undecided.  A request without a host gets
 * the default of a map, whatever `not` stands in its lines.
 */
static enum fm_outcome
wild_line(const struct fm_route *route, const struct fm_map_code *map,
    const struct fm_map_line_code *line)
{
	const struct fm_map_match_code *match =
	    &route->program->map_matches[line->first];
	enum fm_outcome outcome = FM_TRUE;
	uint32_t i;

	for (i = 0; i < line->count && outcome == FM_TRUE; i++, match++) {
		outcome = wild_any(route, route->program->sets[map->set],
		    map->first + match->first, match->count);
		if (!match->negated || outcome == FM_NOT_ASKED)
			continue;
		if (outcome == FM_TRUE)
			outcome = FM_FALSE;
		else
			outcome = route->wild->how == FM_HOSTTAB_NONE ?
			    FM_NOT_ASKED : FM_TRUE;
	}
	return (outcome);
}

uint32_t
fm_route_wild_map(const struct fm_route *route, const struct fm_map_code *map)
{
	const struct fm_map_line_code *line =
	    &route->program->map_lines[map->first_line];
	enum fm_outcome outcome = FM_FALSE;
	uint32_t n;

	if (map->nets != FM_NONE)
		return (FM_UNKNOWN);
	for (n = 0; n < map->nlines && outcome == FM_FALSE; n++, line++) {
		outcome = wild_line(route, map, line);
		if (outcome == FM_TRUE)
			return (line->template);
	}
	return (outcome == FM_FALSE ? map->otherwise : FM_UNKNOWN);
}
