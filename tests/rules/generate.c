/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes random rule files (generate.h): lists, maps, hosts and blocks in any
 * order.
 */

#include <stdio.h>
#include <stdlib.h>

#include "generate_rules.h"

static const struct pool *
pool_of_any(struct maker *m)
{
	static const struct pool * const pools[] = { &pool_values,
	    &pool_values, &pool_agents, &pool_paths, &pool_hosts };

	return (pools[below(m, 5)]);
}

/* Puts the operands of a list: names or networks. */
static void
put_listed(struct maker *m, enum list_kind kind, unsigned mode)
{
	char word[WORD];
	unsigned n;

	for (n = 1 + below(m, 4); n > 0; n--) {
		if (kind == LIST_NETS)
			strcpy(word, pool_pick(&m->state, &pool_nets));
		else
			strcpy(word, pool_pick(&m->state, chance(m, 2) ?
			    &pool_parameters : &pool_cookies));
		if (mode == LIKE)
			strcpy(word + below(m, (unsigned)strlen(word) + 1),
			    "*");
		put_next(m, word);
	}
}

/* Puts very many words, as lines or operands; requests have few of them. */
static void
put_many(struct maker *m, bool lines)
{
	unsigned mode, i;

	for (i = 0; i < MANY; i++) {
		if (lines) {
			mode = chance(m, 4) ? BEGINS : IS;
			put_start(m, mode_words[mode]);
		}
		put_number(m, " w", i);
		if (lines) {
			put_number(m, " -> /v", i);
			put_end(m);
		}
	}
}

static void
put_list(struct maker *m, unsigned number)
{
	static const unsigned of_names[] = { IS, BEGINS, ENDS, LIKE };
	enum list_kind kind = m->lists[number];
	unsigned n = chance(m, 2) ? 0 : 1 + below(m, 3), mode;
	unsigned budget = m->budget;
	bool one_mode = n == 0;

	/* Costly regexes of a list are counted where the list is used. */
	m->budget = m->costly_list[number];
	put_number(m, "list list", number);
	if (kind != LIST_NETS && chance(m, 3))
		put_plain(m, "nocase");
	if (!one_mode)
		put_open(m);
	do {
		mode = kind != LIST_NETS ? of_names[below(m, 4)] :
		    m->in_list[number] ? IN : IS;
		if (kind == LIST_PATTERNS)
			mode = m->budget > 0 ? REGEX : below(m, 6);
		if (one_mode)
			put_blank(m);
		else
			put_start(m, "");
		put(m, mode_words[mode]);
		if (one_mode)
			put_open(m);
		if (kind == LIST_PATTERNS)
			put_operands(m, mode, pool_of_any(m), true);
		else
			put_listed(m, kind, mode);
		if (kind != LIST_NETS && mode != REGEX && chance(m, 50))
			put_many(m, false);
		if (one_mode)
			put_newline(m);
		else
			put_end(m);
	} while (n-- > 1);
	put_close(m);
	m->budget = budget;
}

static void
put_map_value(struct maker *m, unsigned number)
{
	if (m->location_map[number])
		put_location(m);
	else
		put_value(m, NULL);
}

static void
put_map_end(struct maker *m, unsigned number)
{
	if (chance(m, 2)) {
		put_start(m, "default");
		put_map_value(m, number);
		put_end(m);
	}
	put_close(m);
}

/* Puts a map of networks, each in one line only. */
static void
put_map_nets(struct maker *m, unsigned number)
{
	/* Without ::ffff:192.0.2.0/120, another spelling of the first. */
	unsigned taken = 1U << 5, line, n, net;
	unsigned nmaps = m->nmaps, budget = m->budget;

	m->nmaps = m->budget = 0;
	put_number(m, "map map", number);
	put_open(m);
	for (line = 1 + below(m, 6); line > 0; line--) {
		/* The first network is always free: so there is a line. */
		net = below(m, taken == 1U << 5 ? 5 : NETS);
		if ((taken & 1U << net) != 0)
			continue;
		put_start(m, "in");
		for (n = 1 + below(m, 2); n > 0; n--) {
			if ((taken & 1U << net) == 0)
				put_next(m, pool_nets.words[net]);
			taken |= 1U << net;
			net = below(m, NETS);
		}
		put_plain(m, "->");
		put_map_value(m, number);
		put_end(m);
	}
	put_map_end(m, number);
	m->nmaps = nmaps;
	m->budget = budget;
}

static void
put_map(struct maker *m, unsigned number)
{
	unsigned n = below(m, 5), matches, mode;
	unsigned budget = m->budget, nmaps = m->nmaps;
	const struct pool *pool;

	if (m->in_map[number]) {
		put_map_nets(m, number);
		return;
	}
	m->budget = m->costly_map[number];
	m->nmaps = 0;			/* none inside a map */
	put_number(m, "map map", number);
	if (chance(m, 3))
		put_plain(m, "nocase");
	put_open(m);
	if (chance(m, 25))
		put_many(m, true);
	for (n += m->budget; n > 0; n--) {
		pool = pool_of_any(m);
		put_start(m, "");
		for (matches = 1 + chance(m, 3); matches > 0; matches--) {
			if (chance(m, 4))
				put(m, "not ");
			mode = m->budget > 0 ? REGEX : below(m, 6);
			put(m, mode_words[mode]);
			put_operands(m, mode, pool, true);
			if (matches > 1) {
				put_plain(m, "and");
				put_blank(m);
			}
		}
		put_plain(m, "->");
		put_map_value(m, number);
		put_end(m);
	}
	put_map_end(m, number);
	m->nmaps = nmaps;
	m->budget = budget;
}

/* Takes a pattern; returns false if a host has it already. */
static bool
pattern_take(struct maker *m, const char *pattern)
{
	char lower[64];
	unsigned i;

	for (i = 0; pattern[i] != '\0'; i++)
		lower[i] = (char)fm_lower((unsigned char)pattern[i]);
	lower[i] = '\0';
	for (i = 0; i < m->npatterns; i++)
		if (strcmp(m->patterns[i], lower) == 0)
			return (false);
	if (m->npatterns == PATTERNS)
		return (false);
	strcpy(m->patterns[m->npatterns++], lower);
	return (true);
}

static bool
put_pattern(struct maker *m)
{
	const char *domain = pool_pick(&m->state, &pool_domains);
	char pattern[64], star[64];

	switch (below(m, 9)) {
	case 0:
		strcpy(pattern, pool_pick(&m->state, &pool_hosts));
		break;
	case 1:
		snprintf(pattern, sizeof pattern, "%s.*",
		    pool_pick(&m->state, &pool_labels));
		break;
	case 2:
	case 3:
		snprintf(pattern, sizeof pattern, "*.%s", domain);
		break;
	case 4:
		snprintf(pattern, sizeof pattern, ".%s", domain);
		snprintf(star, sizeof star, "*.%s", domain);
		if (!pattern_take(m, star) || !pattern_take(m, domain))
			return (false);
		break;
	case 5:
		strcpy(pattern, chance(m, 4) ? "*" : domain);
		break;
	default:
		snprintf(pattern, sizeof pattern, "%s.%s",
		    pool_pick(&m->state, &pool_labels), domain);
	}
	if (!pattern_take(m, pattern))
		return (false);
	put_next(m, pattern);
	return (true);
}

static void
put_block_or_use(struct maker *m)
{
	if (m->nrulesets > 0 && chance(m, 4)) {
		put(m, " use ");
		put_number(m, "set", below(m, m->nrulesets));
		put_end(m);
	} else
		put_block(m, 2);
}

static void
put_host(struct maker *m)
{
	unsigned n = below(m, 3);

	put(m, "host");
	/* there are more patterns than other blocks can take */
	while (!put_pattern(m))
		continue;
	while (n-- > 0)
		(void)put_pattern(m);
	put_block_or_use(m);
}

static void
put_trust(struct maker *m)
{
	put(m, "client from");
	put_plain(m, chance(m, 4) ? "X-A" : "X-Forwarded-For");
	put_plain(m, "trust");
	put_networks(m, true);
	put_end(m);
}

static void
put_undecided(struct maker *m)
{
	if (chance(m, 2)) {
		put(m, "undecided ignore");
		put_end(m);
	} else {
		put(m, "undecided ");
		put_synth(m);
	}
}

static void
make_names(struct maker *m)
{
	unsigned i;

	m->budget = chance(m, 2) ? COSTLY : 0;
	m->nlists = below(m, LISTS + 1);
	for (i = 0; i < m->nlists; i++) {
		m->lists[i] = (enum list_kind)below(m, 3);
		m->in_list[i] = chance(m, 2);
		m->costly_list[i] = m->lists[i] == LIST_PATTERNS &&
		    m->budget > 0 && chance(m, 4);
	}
	m->nmaps = below(m, MAPS + 1);
	for (i = 0; i < m->nmaps; i++) {
		m->costly_map[i] = m->budget > 0 && chance(m, 2);
		m->location_map[i] = chance(m, 2);
		m->in_map[i] = chance(m, 3);
	}
	m->nrulesets = m->usable = below(m, RULESETS + 1);
}

struct item {
	char			kind;	/* its first letter */
	unsigned		number;
};

static void
put_item(struct maker *m, const struct item *item)
{
	unsigned number = item->number;

	switch (item->kind) {
	case 'l':
		put_list(m, number);
		break;
	case 'm':
		put_map(m, number);
		break;
	case 'r':
		put_number(m, "ruleset set", number);
		m->usable = number;
		put_block(m, 2);
		m->usable = m->nrulesets;
		break;
	case 'h':
		put_host(m);
		break;
	case 'a':
		put(m, "always");
		put_block(m, 3);
		break;
	case 'z':
		put(m, "finally");
		put_block(m, 2);
		break;
	case 'd':
		put(m, "default");
		put_block_or_use(m);
		break;
	case 'c':
		put_trust(m);
		break;
	case 'f':
		put(m, "repeated first");
		put_end(m);
		break;
	default:
		put_undecided(m);
	}
}

void
generate_rules(struct generate_rules *rules, uint64_t seed)
{
	struct item items[LISTS + MAPS + RULESETS + HOSTS + 6], swap;
	struct maker maker = {
		.state = random_start(seed),
		.spelling = random_start(~seed),
		.rules = rules,
		.groups = NO_REGEX
	}, *m = &maker;
	unsigned n = 0, i, j;

	memset(rules, 0, sizeof *rules);
	make_names(m);
	for (i = 0; i < m->nlists; i++, n++)
		items[n] = (struct item){ 'l', i };
	for (i = 0; i < m->nmaps; i++, n++)
		items[n] = (struct item){ 'm', i };
	for (i = 0; i < m->nrulesets; i++, n++)
		items[n] = (struct item){ 'r', i };
	for (i = below(m, HOSTS + 1); i > 0; i--)
		items[n++] = (struct item){ 'h', 0 };
	if (!chance(m, 4))
		items[n++] = (struct item){ 'a', 0 };
	if (chance(m, 2))
		items[n++] = (struct item){ 'd', 0 };
	if (chance(m, 2))
		items[n++] = (struct item){ 'z', 0 };
	if (chance(m, 3))
		items[n++] = (struct item){ 'u', 0 };
	if (chance(m, 6))
		items[n++] = (struct item){ 'f', 0 };
	if (chance(m, 3))
		items[n++] = (struct item){ 'c', 0 };
	/* Names may be used before they are defined. */
	for (i = n; i > 1; i--) {
		j = below(m, i);
		swap = items[i - 1];
		items[i - 1] = items[j];
		items[j] = swap;
	}
	put(m, "");
	for (i = 0; i < n; i++)
		put_item(m, &items[i]);
}

void
generate_rules_free(struct generate_rules *rules)
{
	free(rules->text[0]);
	free(rules->text[1]);
}
