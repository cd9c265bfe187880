/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiles maps: the patterns of all lines, next to each other in a set, which
 * of them each line asks for, and which lead to it.
 */

#include <stdlib.h>

#include "compile_priv.h"
#include "obj.h"

/* A map while it is compiled. */
struct map_making {
	const struct fm_map_def	*def;
	struct fm_map_code	code;
	uint32_t		line;
	bool			shares;
	uint32_t		*word_of;	/* of each pattern its word, */
	uint32_t		*uses;		/* and how many ask for that */
};

/*
 * Whether some line asks for more than one match.  Then many may ask for the
 * same one (`contains shop and ends .css`), and have the same patterns.
 */
static bool
map_shares(const struct fm_map_def *def)
{
	const struct fm_map_line *line;

	for (line = def->lines; line != NULL; line = line->next)
		if (line->matches->next != NULL)
			return (true);
	return (false);
}

/*
 * The first pattern of a match, counted from the map's first, of which there
 * are n so far: they are new if it is n.
 */
static int
match_first(struct fm_compile *c, const struct fm_map_def *def, bool shares,
    const struct fm_match *match, uint32_t n, uint32_t *first)
{
	const struct fm_word *word;

	*first = n;
	if (!shares)
		return (0);
	fm_intern_key(&c->intern, FM_TAG_MATCH);
	fm_intern_key_number(&c->intern, def->number);
	fm_intern_key_number(&c->intern, match->mode);
	for (word = match->operands.first; word != NULL; word = word->next)
		fm_intern_key_text(&c->intern, word->text);
	return (fm_compile_get(c, n, first) == FM_INTERN_NO_MEMORY ? -1 : 0);
}

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
	if (p == NULL || match_first(c, m->def, m->shares, match,
	    m->code.count, &p->first) != 0)
		return (-1);
	p->count = match->operands.count;
	p->negated = match->negated;
	if (p->first < m->code.count)
		return (0);
	m->code.count += p->count;
	return (line_of_add(c, m->line, p->count));
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

/*--------------------------------------------------------------------
 * What leads to a line
 */

static const struct fm_map_match_code *
line_match(const struct fm_compile *c, const struct map_making *m,
    uint32_t line, uint32_t n)
{
	const struct fm_map_line_code *p;

	p = FM_GROW_AT(&c->map_lines, struct fm_map_line_code,
	    m->code.first_line + line);
	if (n >= p->count)
		return (NULL);
	return (FM_GROW_AT(&c->map_matches, struct fm_map_match_code,
	    p->first + n));
}

/* How many ask for what a match asks for. */
static uint64_t
match_uses(const struct map_making *m, const struct fm_map_match_code *match)
{
	uint64_t uses = 0;
	uint32_t n;

	for (n = match->first; n < match->first + match->count; n++)
		uses += m->uses[m->word_of[n]];
	return (uses);
}

/* The match that the fewest ask for, or NULL. */
static const struct fm_map_match_code *
line_hint(const struct fm_compile *c, const struct map_making *m,
    uint32_t line)
{
	const struct fm_map_match_code *match, *hint = NULL;
	uint64_t uses, fewest = UINT64_MAX;
	uint32_t n;

	for (n = 0; (match = line_match(c, m, line, n)) != NULL; n++) {
		if (match->negated)
			continue;
		uses = match_uses(m, match);
		if (uses < fewest) {
			fewest = uses;
			hint = match;
		}
	}
	return (hint);
}

/* Words are the same in whatever matches they are. */
static int
match_words(struct fm_compile *c, const struct map_making *m,
    const struct fm_match *match, uint32_t first, uint32_t *words)
{
	const struct fm_word *word = match->operands.first;
	uint32_t number;

	for (; word != NULL; word = word->next, first++) {
		fm_intern_key(&c->intern, FM_TAG_WORD);
		fm_intern_key_number(&c->intern, m->def->number);
		fm_intern_key_number(&c->intern, match->mode);
		fm_intern_key_text(&c->intern, word->text);
		switch (fm_compile_get(c, *words, &number)) {
		case FM_INTERN_NEW:
			(*words)++;
			break;
		case FM_INTERN_OLD:
			break;
		case FM_INTERN_NO_MEMORY:
			return (-1);
		}
		m->word_of[first] = number;
		m->uses[number]++;
	}
	return (0);
}

static int
words_count(struct fm_compile *c, const struct map_making *m)
{
	const struct fm_map_match_code *code;
	const struct fm_map_line *line;
	const struct fm_match *match;
	uint32_t n = 0, i, words = 0;

	for (line = m->def->lines; line != NULL; line = line->next, n++)
		for (match = line->matches, i = 0; match != NULL;
		    match = match->next, i++) {
			code = line_match(c, m, n, i);
			assert(code != NULL);
			if (match_words(c, m, match, code->first, &words) != 0)
				return (-1);
		}
	return (0);
}

static void
hints_count(const struct fm_compile *c, const struct map_making *m,
    uint32_t *at)
{
	const struct fm_map_match_code *match;
	uint32_t line, n;

	for (line = 0; line < m->code.nlines; line++) {
		match = line_hint(c, m, line);
		for (n = 0; match != NULL && n < match->count; n++)
			at[match->first + n]++;
	}
}

/* at[]: how many lines there are for each pattern, and a last 0. */
static int
hints_fill(struct fm_compile *c, const struct map_making *m, uint32_t *at)
{
	const struct fm_map_match_code *match;
	uint32_t line, n, base = (uint32_t)c->map_hints.n, end = base;

	for (n = 0; n <= m->code.count; n++)
		at[n] = end += at[n];
	if (end > base && fm_compile_add(c, &c->map_hints, sizeof(uint32_t),
	    end - base) == NULL)
		return (-1);
	for (line = m->code.nlines; line-- > 0;) {
		match = line_hint(c, m, line);
		for (n = 0; match != NULL && n < match->count; n++)
			*FM_GROW_AT(&c->map_hints, uint32_t,
			    --at[match->first + n]) = line;
	}
	return (0);
}

static int
hints_add(struct fm_compile *c, struct map_making *m)
{
	uint32_t *at;
	int bad;

	m->code.hint_at = FM_NONE;
	if (!m->shares)
		return (0);
	m->code.hint_at = (uint32_t)c->map_hint_at.n;
	at = fm_compile_add(c, &c->map_hint_at, sizeof *at,
	    m->code.count + 1);
	m->uses = calloc((size_t)m->code.count + 1, sizeof *m->uses);
	m->word_of = calloc((size_t)m->code.count + 1, sizeof *m->word_of);
	if (at == NULL || m->uses == NULL || m->word_of == NULL)
		bad = fm_compile_no_memory(c);
	else if ((bad = words_count(c, m)) == 0) {
		hints_count(c, m, at);
		bad = hints_fill(c, m, at);
	}
	free(m->uses);
	free(m->word_of);
	return (bad);
}

int
fm_compile_map_patterns(struct fm_compile *c, const struct fm_map_def *map,
    bool host, struct fm_grow *patterns)
{
	size_t base = patterns->n;
	bool shares = map_shares(map);
	const struct fm_map_line *line;
	const struct fm_match *match;
	uint32_t n, first;
	int bad = 0;

	for (line = map->lines; line != NULL; line = line->next)
		for (match = line->matches; match != NULL && bad == 0;
		    match = match->next) {
			n = (uint32_t)(patterns->n - base);
			bad = match_first(c, map, shares, match, n, &first);
			if (bad == 0 && first == n)
				bad = fm_compile_operands(c, patterns,
				    match->mode, map->nocase,
				    &match->operands, host);
		}
	return (bad);
}

/*
 * Compiles the lines of a map, or copies what an earlier subject has made of
 * them.  A map stands outside of all blocks, so its values have no groups.
 */
static int
map_lines(struct fm_compile *c, const struct fm_map_def *def,
    struct fm_map_code *code)
{
	struct fm_compile_scope *scope = c->scope;
	struct map_making m = { .def = def, .shares = map_shares(def) };
	int bad;

	if (c->maps_made[def->number] != FM_NONE) {
		*code = *FM_GROW_AT(&c->maps, struct fm_map_code,
		    c->maps_made[def->number]);
		return (0);
	}
	c->scope = NULL;
	bad = lines_add(c, &m);
	if (bad == 0)
		bad = hints_add(c, &m);
	c->scope = scope;
	*code = m.code;
	return (bad);
}

/*--------------------------------------------------------------------
 * Maps of networks
 */

/* Finds or makes the template of a value: equal values share it. */
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

/*
 * Compiles a map of networks, once for all subjects.  Its values have no
 * groups.
 */
static int
map_nets(struct fm_compile *c, const struct fm_map_def *def, uint32_t *map)
{
	struct fm_compile_scope *scope = c->scope;
	struct fm_map_code code = { .otherwise = FM_NONE, .hint_at = FM_NONE,
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

/* So few texts are looked for one by one: that is cheaper than a scan. */
#define MAP_TEXTS	4

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

/*
 * Whether to ask for the first pattern that matches: of few texts, and of more
 * patterns than one wants a bit of each; but where one may be undecided there
 * are more, as it would be asked again.
 */
static bool
map_is_direct(const struct fm_map_code *code, const struct fm_patset *set)
{
	uint32_t most = FM_PROGRAM_BITS;

	if (fm_patset_gives_up(set))
		most = FM_PROGRAM_BITS_REGEXES;
	return (code->count > most || fm_patset_is_small(set));
}

/* Its patterns: in a share, or in a set of its own. */
static int
map_set(struct fm_compile *c, const struct fm_map_def *def, bool host,
    const struct fm_compile_member *member, struct fm_map_code *code)
{
	struct fm_grow patterns = { 0 };
	int bad;

	code->first = 0;
	code->direct = false;
	code->texts = code->nets = FM_NONE;
	code->known = host && c->nknown < FM_COMPILE_KNOWN ? c->nknown++ :
	    FM_NONE;
	if (member != NULL) {
		assert(member->count == code->count);
		code->first = member->first;
		code->set = FM_GROW_AT(&c->pools, struct fm_compile_pool,
		    member->pool)->set;
		return (0);
	}
	bad = fm_compile_map_patterns(c, def, host, &patterns);
	if (bad == 0)
		bad = fm_compile_set(c, &patterns, &code->set);
	if (bad == 0 && map_is_texts(def, code))
		bad = map_texts(c, &patterns, code);
	fm_grow_fini(&patterns);
	if (bad == 0)
		code->direct = code->nunhinted == 0 && map_is_direct(code,
		    FM_GROW_AT(&c->sets, struct fm_compile_set,
		    code->set)->made);
	return (bad);
}

int
fm_compile_map(struct fm_compile *c, const struct fm_map_def *def,
    const struct fm_subject_code *subject, uint32_t *map)
{
	bool host = subject->kind == FM_SUBJECT_HOST;
	const struct fm_compile_member *member;
	struct fm_map_code code, *p;

	assert(def != NULL && def->number < c->model->nmaps);
	if (def->in)
		return (map_nets(c, def, map));
	if (fm_compile_shared(c, NULL, def, subject, &member) != 0)
		return (-1);
	fm_intern_key(&c->intern, FM_TAG_MAP);
	fm_intern_key_number(&c->intern, def->number);
	fm_intern_key_number(&c->intern, host);
	fm_intern_key_number(&c->intern,
	    member == NULL ? FM_NONE : member->pool);
	switch (fm_compile_get(c, c->maps.n, map)) {
	case FM_INTERN_OLD:
		return (0);
	case FM_INTERN_NEW:
		break;
	case FM_INTERN_NO_MEMORY:
		return (-1);
	}
	if (map_lines(c, def, &code) != 0 ||
	    map_set(c, def, host, member, &code) != 0)
		return (-1);
	p = fm_compile_add(c, &c->maps, sizeof *p, 1);
	if (p == NULL)
		return (-1);
	*p = code;
	if (c->maps_made[def->number] == FM_NONE)
		c->maps_made[def->number] = *map;
	return (0);
}
