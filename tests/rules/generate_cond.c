/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes random operands, subjects and conditions.
 */

#include <stdio.h>

#include "generate_rules.h"

const char * const mode_words[] = { "is", "begins", "ends", "contains",
    "like", "~", "in" };

/* Appends a regex that matches exactly these bytes. */
static void
add_literal(char out[WORD], const char *s, size_t len)
{
	size_t n = strlen(out), i;

	for (i = 0; i < len && n < WORD - 3; i++) {
		if (strchr(".+*?()[]{}^$|\\", s[i]) != NULL)
			out[n++] = '\\';
		out[n++] = s[i];
	}
	out[n] = '\0';
}

void
make_regex(struct maker *m, const struct pool *pool, char out[WORD])
{
	static const struct pool others = POOL("([a-z]+)", "^(.)(.*)$",
	    "[0-9]+", "^.{2,4}$", "(.)\\1", "^(?!a)", "(?i)ABC", "^$", ".",
	    "([a-z])([a-z0-9])?", "^([^/]*)/([^/?]+)(\\?.*)?$", "(?<=a).",
	    "\\bi", "^(?:www|m)\\.(.+)$", "\\d\\d?", "(x)|(a)", "\\\"|a");
	const char *s = pool_pick_few(&m->state, pool);
	size_t len = strlen(s), cut = 1 + below(m, (unsigned)len);

	out[0] = '\0';
	switch (below(m, 9)) {
	case 0:
		strcat(out, "^");
		add_literal(out, s, len);
		strcat(out, "$");
		break;
	case 1:
		strcat(out, "^");
		add_literal(out, s, cut);
		break;
	case 2:
		strcat(out, "(");
		add_literal(out, s, cut);
		strcat(out, ")(.*)");
		break;
	case 3:
		add_literal(out, s + cut - 1, len - cut + 1);
		strcat(out, "$");
		break;
	case 4:
		strcat(out, "^(.*)");
		add_literal(out, s + cut - 1, len - cut + 1);
		break;
	case 5:
		strcat(out, "(");
		add_literal(out, s, len);
		strcat(out, "|");
		s = pool_pick(&m->state, pool);
		add_literal(out, s, strlen(s));
		strcat(out, ")");
		break;
	default:
		strcat(out, pool_pick(&m->state, &others));
	}
}

static void
make_operand(struct maker *m, unsigned mode, const struct pool *pool,
    char out[WORD])
{
	size_t len, cut, i;

	if (mode == REGEX) {
		make_regex(m, pool, out);
		return;
	}
	(void)snprintf(out, WORD, "%s", pool_pick_few(&m->state, pool));
	len = strlen(out);
	if ((mode == IS || mode == LIKE) && chance(m, 40))
		out[0] = '\0';
	cut = 1 + below(m, (unsigned)len);
	if (mode == CONTAINS && chance(m, 2)) {
		memmove(out, out + cut - 1, len - cut + 2);
		len = strlen(out);
		cut = 1 + below(m, (unsigned)len);
	}
	if (mode == BEGINS || mode == CONTAINS)
		out[cut] = '\0';
	else if (mode == ENDS)
		memmove(out, out + cut - 1, len - cut + 2);
	else if (mode == LIKE && out[0] != '\0') {
		out[cut - 1] = "?*"[below(m, 2)];
		if (chance(m, 3))
			strcpy(out + cut, "*");
	}
	if (chance(m, 8))
		for (i = 0; out[i] != '\0'; i++)
			if (out[i] >= 'a' && out[i] <= 'z' && chance(m, 2))
				out[i] = (char)(out[i] - 0x20);
}

unsigned
group_count(const char *regex)
{
	bool in_class = false;
	unsigned n = 0;

	for (; *regex != '\0'; regex++) {
		if (*regex == '\\')
			regex++;
		else if (*regex == '[')
			in_class = true;
		else if (*regex == ']')
			in_class = false;
		else if (*regex == '(' && !in_class && regex[1] != '?')
			n++;
	}
	return (n);
}

static void
groups_add(unsigned *groups, unsigned more)
{
	if (*groups == NO_REGEX || (more != NO_REGEX && *groups < more))
		*groups = more;
}

void
put_operands(struct maker *m, unsigned mode, const struct pool *pool,
    bool costly)
{
	static const struct pool regexes = POOL("(a+)+(?!x)(?:$|b(?<=x))",
	    "([ab]*a)*(?!y)b(?<=y)", "^(a|aa)+(?!z)(?:$|b(?<=z))");
	unsigned n = chance(m, 2) ? 1 : 1 + below(m, 4);
	char word[WORD];

	if (costly && mode == REGEX && m->budget > 0) {
		m->budget--;
		m->rules->costly = true;
		strcpy(word, pool_pick(&m->state, &regexes));
		groups_add(&m->test_groups, group_count(word));
		put_next(m, word);
	}
	while (n-- > 0) {
		make_operand(m, mode, pool, word);
		if (mode == REGEX)
			groups_add(&m->test_groups, group_count(word));
		put_next(m, word);
	}
}

const struct pool *
put_subject(struct maker *m)
{
	const char *header;

	switch (below(m, 12)) {
	case 0:
	case 11:
		put(m, "url");
		return (chance(m, 3) ? &pool_urls : &pool_pieces);
	case 1:
		put(m, "path");
		return (&pool_paths);
	case 2:
		put(m, "clean");
		put_blank(m);
		put(m, "path");
		return (&pool_paths);
	case 3:
		put(m, "host");
		return (&pool_hosts);
	case 4:
		put(m, "method");
		return (&pool_methods);
	case 5:
		put(m, "agent");
		return (&pool_agents);
	case 6:
		put(m, "query");
		put_name(m, pool_pick_few(&m->state, &pool_parameters), true);
		return (&pool_values);
	case 7:
		put(m, "cookie");
		put_name(m, pool_pick_few(&m->state, &pool_cookies), true);
		return (&pool_values);
	default:
		header = pool_pick_few(&m->state, &pool_headers);
		put(m, "header");
		put_plain(m, header);
		if (strcmp(header, "User-Agent") == 0)
			return (&pool_agents);
		if (strcmp(header, "Host") == 0)
			return (&pool_hosts);
		if (strcmp(header, "Accept-Encoding") == 0)
			return (&pool_codings);
		return (&pool_values);
	}
}

unsigned
list_find(struct maker *m, enum list_kind kind)
{
	unsigned tries, i;

	for (tries = 0; tries < 4 && m->nlists > 0; tries++) {
		i = below(m, m->nlists);
		if (m->lists[i] != kind)
			continue;
		if (!m->costly_list[i])
			return (i);
		if (m->budget > 0) {
			m->budget--;
			m->rules->costly = true;
			return (i);
		}
	}
	return (LISTS);
}

/* Puts " ~ REGEX..."; one of them may be costly, if one is still allowed. */
static void
put_regexes(struct maker *m, const struct pool *pool)
{
	put_plain(m, mode_words[REGEX]);
	put_operands(m, REGEX, pool, true);
}

/* Puts the operands of `path below`: mostly beginnings of known paths. */
static void
put_below(struct maker *m)
{
	char word[WORD], *slash;
	unsigned n;

	if (chance(m, 2)) {
		put(m, "clean");
		put_blank(m);
	}
	put(m, "path");
	if (chance(m, 4))
		put_plain(m, "nocase");
	put_plain(m, "below");
	for (n = 1 + below(m, 3); n > 0; n--) {
		strcpy(word, pool_pick_few(&m->state, &pool_paths));
		slash = strchr(word + 1, '/');
		if (slash != NULL && chance(m, 2))
			slash[below(m, 2)] = '\0';
		put_next(m, word);
	}
}

/* Puts a test for names of parameters, cookies or headers. */
static void
put_names_test(struct maker *m)
{
	static const char * const kinds[] = { "query", "cookie", "header" };
	static const struct pool *const pools[] = { &pool_parameters,
	    &pool_cookies, &pool_headers };
	unsigned kind = below(m, 3), list = LISTS;
	char word[WORD];

	if (chance(m, 2))
		list = list_find(m, LIST_NAMES);
	put(m, kinds[kind]);
	if (list < LISTS) {
		put_plain(m, "in");
		put_blank(m);
		put_number(m, "list", list);
	} else {
		strcpy(word, pool_pick_few(&m->state, pools[kind]));
		strcpy(word + below(m, (unsigned)strlen(word) + 1), "*");
		put_next(m, word);
	}
	if (chance(m, 4))
		put_plain(m, "not");
	put_plain(m, "present");
}

/* Puts a mode and its operands behind a subject. */
static void
put_new_mode(struct maker *m, const struct pool *pool)
{
	unsigned list, mode;

	if (chance(m, 10)) {
		put_plain(m, "present");
		return;
	}
	list = chance(m, 5) ? list_find(m, chance(m, 4) ? LIST_NAMES :
	    LIST_PATTERNS) : LISTS;
	if (list < LISTS) {
		put_plain(m, "in");
		put_blank(m);
		put_number(m, "list", list);
		return;
	}
	mode = below(m, 8);
	if (chance(m, 5))
		put_plain(m, "nocase");
	if (mode >= REGEX) {
		put_regexes(m, pool);
		return;
	}
	put_plain(m, mode_words[mode]);
	put_operands(m, mode, pool, false);
}

void
put_networks(struct maker *m, bool client)
{
	unsigned list = list_find(m, LIST_NETS), n;

	if (list < LISTS && (client || m->in_list[list])) {
		put_blank(m);
		put_number(m, "list", list);
		return;
	}
	for (n = 1 + below(m, 3); n > 0; n--)
		put_next(m, pool_pick(&m->state, &pool_nets));
}

static void
put_new_test(struct maker *m)
{
	const struct pool *pool;
	bool negated;

	if (chance(m, 12)) {
		put(m, "client in");
		put_networks(m, true);
		return;
	}
	if (chance(m, 12)) {
		put(m, chance(m, 8) ? "query a" : chance(m, 2) ?
		    "header X-A" : "header X-Forwarded-For");
		put_plain(m, "in");
		put_networks(m, false);
		return;
	}
	if (m->budget > 0 && chance(m, 4)) {
		put(m, chance(m, 2) ? "agent" : "header X-A");
		put_regexes(m, &pool_agents);
		return;
	}
	if (chance(m, 12)) {
		put_below(m);
		return;
	}
	if (chance(m, 12)) {
		put_names_test(m);
		return;
	}
	pool = put_subject(m);
	negated = chance(m, 8);
	if (negated)
		put_plain(m, "not");
	put_new_mode(m, pool);
	/* Rules can't use the groups of a negated regex. */
	if (negated)
		m->test_groups = NO_REGEX;
}

/* Keeps the last test, to be put again; it replaces another one. */
static void
test_keep(struct maker *m, const size_t start[2])
{
	struct put_test *test = &m->tests[below(m, TESTS)];
	size_t len[2];
	unsigned i;

	for (i = 0; i < 2; i++)
		len[i] = m->rules->len[i] - start[i];
	if (len[0] >= TEST || len[1] >= TEST)
		return;
	if (m->ntests < TESTS)
		test = &m->tests[m->ntests++];
	for (i = 0; i < 2; i++)
		strcpy(test->text[i], m->rules->text[i] + start[i]);
	test->groups = m->test_groups;
}

static void
put_test(struct maker *m)
{
	size_t start[2] = { m->rules->len[0], m->rules->len[1] };
	const struct put_test *test;
	unsigned budget = m->budget, i;

	m->test_groups = NO_REGEX;
	if (m->ntests > 0 && chance(m, 4)) {
		test = &m->tests[below(m, m->ntests)];
		for (i = 0; i < 2; i++)
			put_into(m, i, test->text[i], strlen(test->text[i]));
		m->test_groups = test->groups;
	} else {
		put_new_test(m);
		/* A test with a costly regex is not repeated. */
		if (m->budget == budget)
			test_keep(m, start);
	}
	if (m->negations == 0)
		groups_add(&m->cond_groups, m->test_groups);
}

void
put_cond(struct maker *m, unsigned level, unsigned depth)
{
	unsigned kind = depth == 0 ? 9 : below(m, 8), n;
	bool closes;

	if (kind > 3) {
		closes = put_other(m, "(");
		put_test(m);
		if (closes)
			put_into(m, 1, ")", 1);
		return;
	}
	if (kind == 3) {
		closes = put_other(m, "( ");
		put(m, "not");
		put_blank(m);
		m->negations++;
		put_cond(m, LEVEL_NOT, depth - 1);
		m->negations--;
		if (closes)
			put_into(m, 1, " )", 2);
		return;
	}
	kind = kind == 0 ? LEVEL_OR : LEVEL_AND;
	closes = kind >= level ? put_other(m, "(") : true;
	if (kind < level)
		put(m, "(");
	for (n = 1 + chance(m, 4); n > 0; n--) {
		put_cond(m, kind, depth - 1);
		put_plain(m, kind == LEVEL_OR ? "or" : "and");
		put_blank(m);
	}
	put_cond(m, kind, depth - 1);
	if (kind < level)
		put(m, ")");
	else if (closes)
		put_into(m, 1, ")", 1);
}
