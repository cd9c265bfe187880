/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiles maps (struct fm_map_code): the patterns of all lines, next to each
 * other in a set; which of them each line asks for; and which of them lead to a
 * line, so that a request looks at few lines.
 *
 *	map m {						patterns	lead to
 *		contains shop and ends .css -> a;	0 1		- 0
 *		contains shop and ends .js  -> b;	0 2		- 1
 *		not begins /x -> c;			3		-
 *	}
 *
 * Line 2 matches without its pattern: requests look at such lines always.
 */

#include <stdlib.h>

#include "compile_priv.h"
#include "obj.h"

/* A map of no more texts looks for one by one: cheaper than a scan. */
#define MAP_TEXTS	4

/*
 * Returns true if a line asks for more than one match.  Then many lines may ask
 * for an equal match, which has its patterns once.
 */
static bool
map_shares(const struct fm_list_def *def)
{
	const struct fm_line *line = def->lines;

	while (line != NULL && line->matches->next == NULL)
		line = line->next;
	return (line != NULL);
}

/*
 * Finds the first pattern of a match in a map that has n patterns so far: it is
 * n if the match is a new one.
 */
static uint32_t
match_first(struct fm_compile *compile, const struct fm_list_def *def,
    bool shares, const struct fm_match *match, uint32_t n)
{
	const struct fm_word *word;

	if (!shares)
		return (n);
	fm_intern_key(&compile->intern, FM_TAG_MATCH);
	fm_intern_key_number(&compile->intern, def->number);
	fm_intern_key_number(&compile->intern, match->mode);
	for (word = match->operands.first; word != NULL; word = word->next)
		fm_intern_key_text(&compile->intern, word->text);
	(void)fm_compile_new(compile, n, &n);
	return (n);
}

/* Adds a line, whose value has its template already. */
static void
line_add(struct fm_compile *compile, const struct fm_list_def *def, bool shares,
    const struct fm_line *line, uint32_t template,
    struct fm_map_code *map)
{
	struct fm_map_line_code code = { .template = template,
	    .first = (uint32_t)compile->map_matches.n };
	struct fm_map_match_code m;
	const struct fm_match *match;

	for (match = line->matches; match != NULL; match = match->next) {
		m = (struct fm_map_match_code){ .negated = match->negated,
		    .count = match->operands.count, .first =
		    match_first(compile, def, shares, match, map->count) };
		(void)fm_compile_append(compile, &compile->map_matches, &m,
		    sizeof m);
		if (m.first == map->count)
			map->count += m.count;
	}
	map->nlines++;
	code.count = (uint32_t)compile->map_matches.n - code.first;
	(void)fm_compile_append(compile, &compile->map_lines, &code,
	    sizeof code);
}

static void
lines_add(struct fm_compile *compile, const struct fm_list_def *def,
    struct fm_map_code *map)
{
	const struct fm_line *line;
	bool shares = map_shares(def);

	*map = (struct fm_map_code){ .otherwise = FM_NONE,
	    .first_line = (uint32_t)compile->map_lines.n };
	for (line = def->lines; line != NULL; line = line->next)
		line_add(compile, def, shares, line,
		    fm_compile_value(compile, line->value), map);
	if (def->otherwise != NULL)
		map->otherwise = fm_compile_value(compile, def->otherwise);
}

/*--------------------------------------------------------------------
 * Ways that lead to a line
 */

static const struct fm_map_match_code *
line_matches(const struct fm_compile *compile, const struct fm_map_code *map,
    uint32_t line, uint32_t *count)
{
	const struct fm_map_line_code *code;

	code = FM_GROW_AT(&compile->map_lines, struct fm_map_line_code,
	    map->first_line + line);
	*count = code->count;
	return (FM_GROW_AT(&compile->map_matches, struct fm_map_match_code,
	    code->first));
}

/*
 * Returns the patterns that lead to a line: those of the match that the fewest
 * lines ask for; or, if `not` is before each match, the number after the last
 * pattern.  uses[] has for each first pattern how many lines ask for it.
 */
static struct fm_map_match_code
line_lead(const struct fm_compile *compile, const struct fm_map_code *map,
    uint32_t line, const uint32_t *uses)
{
	struct fm_map_match_code lead = { .first = map->count, .count = 1 };
	const struct fm_map_match_code *match;
	uint32_t n, count, fewest = UINT32_MAX;

	match = line_matches(compile, map, line, &count);
	for (n = 0; n < count; n++, match++)
		if (!match->negated && uses[match->first] < fewest) {
			fewest = uses[match->first];
			lead = *match;
		}
	return (lead);
}

static void
uses_count(const struct fm_compile *compile, const struct fm_map_code *map,
    uint32_t *uses)
{
	const struct fm_map_match_code *match;
	uint32_t line, count;

	for (line = 0; line < map->nlines; line++)
		for (match = line_matches(compile, map, line, &count);
		    count > 0;
		    count--, match++)
			uses[match->first]++;
}

/* Fills in map_lead_at[] and map_leads[], by counting first. */
static void
leads_add(struct fm_compile *compile, struct fm_map_code *map)
{
	uint32_t *uses = fm_compile_alloc(compile, &compile->lowered,
	    ((size_t)map->count + 1) * sizeof *uses), *at;
	uint32_t line, n, end = (uint32_t)compile->map_leads.n;
	struct fm_map_match_code lead;

	map->lead_at = (uint32_t)compile->map_lead_at.n;
	at = fm_compile_add(compile, &compile->map_lead_at, sizeof *at,
	    (size_t)map->count + 2);
	uses_count(compile, map, uses);
	for (line = 0; line < map->nlines; line++) {
		lead = line_lead(compile, map, line, uses);
		for (n = 0; n < lead.count; n++)
			at[lead.first + n]++;
	}
	for (n = 0; n < map->count + 2; n++)
		at[n] = end += at[n];
	(void)fm_compile_add(compile, &compile->map_leads, sizeof(uint32_t),
	    end - (uint32_t)compile->map_leads.n);
	/* Fills lists from their ends, so that lines keep their order. */
	for (line = map->nlines; line-- > 0;) {
		lead = line_lead(compile, map, line, uses);
		for (n = 0; n < lead.count; n++)
			*FM_GROW_AT(&compile->map_leads, uint32_t,
			    --at[lead.first + n]) = line;
	}
}

void
fm_compile_list_patterns(struct fm_compile *compile,
    const struct fm_list_def *list, bool host, struct fm_grow *patterns)
{
	size_t base = patterns->n;
	bool shares = map_shares(list);
	const struct fm_match *match;
	const struct fm_line *line;
	uint32_t n;

	for (line = list->lines; line != NULL; line = line->next)
		for (match = line->matches; match != NULL;
		    match = match->next) {
			n = (uint32_t)(patterns->n - base);
			if (match_first(compile, list, shares, match, n) == n)
				fm_compile_operands(compile, patterns,
				    match->mode, list->nocase, &match->operands,
				    host);
		}
}

/*
 * Compiles the lines of a map, or copies what an earlier subject has made of
 * them.  A map stands outside of all blocks, so its values have no groups.
 */
static void
map_lines(struct fm_compile *compile, const struct fm_list_def *def,
    struct fm_map_code *map)
{
	struct fm_compile_scope *scope = compile->scope;

	if (compile->lists[def->number] != FM_NONE) {
		*map = *FM_GROW_AT(&compile->maps, struct fm_map_code,
		    compile->lists[def->number]);
		return;
	}
	compile->scope = NULL;
	lines_add(compile, def, map);
	leads_add(compile, map);
	compile->scope = scope;
}

/*--------------------------------------------------------------------
 * Maps of networks
 */

/*
 * Returns what tells apart the programs of a map: values with a ${...} are
 * compiled for each phase, which has slots of its own.
 */
static uint32_t
map_phase(const struct fm_compile *compile, const struct fm_list_def *def)
{
	return (def->varies ? (uint32_t)compile->phase : 0);
}

/* Finds or makes the template of a value: equal values share it. */
static uint32_t
nets_value(struct fm_compile *compile, const struct fm_list_def *def,
    const struct fm_value *value)
{
	uint32_t template;

	fm_intern_key(&compile->intern, FM_TAG_VALUE);
	fm_intern_key_number(&compile->intern, def->number);
	fm_intern_key_number(&compile->intern, map_phase(compile, def));
	fm_intern_key_text(&compile->intern, value->raw);
	return (fm_compile_new(compile, compile->templates.n, &template) ?
	    fm_compile_value(compile, value) : template);
}

static void
nets_values(struct fm_compile *compile, const struct fm_list_def *def,
    struct fm_map_code *code)
{
	uint32_t *values = fm_compile_alloc(compile, &compile->lowered,
	    def->nets.n * sizeof *values);
	size_t i;

	for (i = 0; i < def->nets.n; i++)
		values[i] = nets_value(compile, def, def->nets.items[i].value);
	if (def->otherwise != NULL)
		code->otherwise = nets_value(compile, def, def->otherwise);
	code->nets = fm_compile_networks(compile, &def->nets, values);
}

/*
 * Compiles a map of networks, once for all subjects.  Its values have no
 * groups.
 */
static uint32_t
map_nets(struct fm_compile *compile, const struct fm_list_def *def)
{
	struct fm_compile_scope *scope = compile->scope;
	struct fm_map_code code = { .otherwise = FM_NONE, .texts = FM_NONE };
	uint32_t *map = &compile->lists[def->number];

	if (*map == FM_NONE) {
		compile->scope = NULL;
		nets_values(compile, def, &code);
		compile->scope = scope;
		*map = fm_compile_append(compile, &compile->maps, &code,
		    sizeof code);
	}
	return (*map);
}

/*--------------------------------------------------------------------
 * Where its patterns are
 */

/*
 * Returns true if each pattern that matches is all of its line.  Sets *texts if
 * all of them are texts that the subject contains.
 */
static bool
map_is_plain(const struct fm_list_def *def, bool *texts)
{
	const struct fm_line *line;

	*texts = !def->nocase;
	for (line = def->lines; line != NULL; line = line->next) {
		if (line->matches->next != NULL || line->matches->negated)
			return (false);
		*texts &= line->matches->mode == FM_PATTERN_CONTAINS;
	}
	return (true);
}

/* Returns the text that pattern n gives; an empty one if it gives no text. */
static struct fm_text
map_gives(const struct fm_compile *compile, const struct fm_map_code *code,
    uint32_t n)
{
	uint32_t lead = *FM_GROW_AT(&compile->map_lead_at, uint32_t,
	    code->lead_at + n);
	uint32_t line = *FM_GROW_AT(&compile->map_leads, uint32_t, lead);
	const struct fm_template *template = FM_GROW_AT(&compile->templates,
	    struct fm_template, FM_GROW_AT(&compile->map_lines,
	    struct fm_map_line_code, code->first_line + line)->template);
	const struct fm_template_piece *piece = FM_GROW_AT(&compile->pieces,
	    struct fm_template_piece, template->first);

	if (template->count != 1 || piece->kind != FM_PART_TEXT)
		return (fm_text("", 0));
	return (*FM_GROW_AT(&compile->texts, struct fm_text, piece->a));
}

static void
map_texts(struct fm_compile *compile, struct fm_map_code *code)
{
	uint32_t i;

	code->texts = (uint32_t)compile->texts.n;
	for (i = 0; i < code->count; i++)
		(void)fm_compile_text(compile, FM_GROW_AT(&compile->operands,
		    struct fm_compile_pattern, i)->text);
	for (i = 0; i < code->count; i++)
		(void)fm_compile_text(compile, map_gives(compile, code, i));
}

/*
 * Returns true if a map should ask for the first pattern that matches, which is
 * all of its line.  That costs less where the set is a few texts, and where
 * clearing a bit for each pattern takes long; but a regex before the first
 * match that is undecided would be asked again.
 */
static bool
set_is_direct(const struct fm_patset *set)
{
	return (fm_patset_is_small(set) || fm_patset_count(set) >
	    (fm_patset_gives_up(set) ? FM_PROGRAM_BITS_REGEXES :
	    FM_PROGRAM_BITS));
}

/* Finds the patterns of a map: in a share, or in a set of its own. */
static void
map_set(struct fm_compile *compile, const struct fm_list_def *def, bool host,
    const struct fm_compile_member *member, struct fm_map_code *map)
{
	bool texts;

	map->first = 0;
	map->direct = false;
	map->texts = map->nets = FM_NONE;
	if (member != NULL) {
		assert(member->count == map->count);
		map->first = member->first;
		map->set = FM_GROW_AT(&compile->pools, struct fm_compile_pool,
		    member->pool)->set;
		return;
	}
	compile->operands.n = 0;
	fm_compile_list_patterns(compile, def, host, &compile->operands);
	map->set = fm_compile_set(compile, &compile->operands);
	if (!map_is_plain(def, &texts))
		return;
	if (texts && map->count <= MAP_TEXTS)
		map_texts(compile, map);
	map->direct = set_is_direct(*FM_GROW_AT(&compile->sets,
	    struct fm_patset *, map->set));
}

/* Returns true if a map of `cache` may have a line for `own`. */
static bool
names_own(const struct fm_list_def *def)
{
	const struct fm_match *match;
	const struct fm_line *line;
	const struct fm_word *word;

	for (line = def->lines; line != NULL; line = line->next)
		for (match = line->matches; match != NULL; match = match->next)
			for (word = match->operands.first; word != NULL;
			    word = word->next)
				if (match->mode != FM_PATTERN_EXACT ||
				    fm_text_eq_nocase(word->text,
				    fm_text_of("own")))
					return (true);
	return (false);
}

uint32_t
fm_compile_map(struct fm_compile *compile, const struct fm_list_def *def,
    const struct fm_subject_code *subject)
{
	bool host = subject->kind == FM_SUBJECT_HOST;
	const struct fm_compile_member *member;
	struct fm_map_code code;
	uint32_t map;

	assert(def != NULL);
	if (def->in)
		return (map_nets(compile, def));
	compile->p->asks_own |= subject->kind == FM_SUBJECT_CACHE &&
	    names_own(def);
	member = fm_compile_shared(compile, def, subject);
	fm_intern_key(&compile->intern, FM_TAG_MAP);
	fm_intern_key_number(&compile->intern, def->number);
	fm_intern_key_number(&compile->intern, map_phase(compile, def));
	fm_intern_key_number(&compile->intern, host);
	fm_intern_key_number(&compile->intern,
	    member == NULL ? FM_NONE : member->pool);
	if (!fm_compile_new(compile, compile->maps.n, &map))
		return (map);
	map_lines(compile, def, &code);
	map_set(compile, def, host, member, &code);
	if (compile->lists[def->number] == FM_NONE)
		compile->lists[def->number] = map;
	return (fm_compile_append(compile, &compile->maps, &code, sizeof code));
}
