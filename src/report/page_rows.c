/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Picks the hosts and rules that the page shows, and those of their texts that
 * it may show.
 */

#include <stdlib.h>
#include <string.h>

#include "explanation.h"
#include "obj.h"
#include "page.h"
#include "words.h"

/*--------------------------------------------------------------------
 * Picking the first rows of many
 */

/*
 * Returns true if row a comes before row b.  b has the lower number, and stays
 * before a if they are equal.
 */
typedef bool before_f(const struct fm_page *, uint32_t a, uint32_t b);

static bool
host_before(const struct fm_page *page, uint32_t a, uint32_t b)
{
	const uint64_t *hits = page->totals + page->nrules;

	return (hits[a] > hits[b]);
}

/* Things of the same rate are in the order of their hits. */
static bool
rate_before(const struct fm_page *page, size_t a, size_t b)
{
	if (page->rates[a] != page->rates[b])
		return (page->rates[a] > page->rates[b]);
	return (page->totals[a] > page->totals[b]);
}

static bool
host_rate_before(const struct fm_page *page, uint32_t a, uint32_t b)
{
	return (rate_before(page, page->nrules + a, page->nrules + b));
}

static bool
rule_rate_before(const struct fm_page *page, uint32_t a, uint32_t b)
{
	return (rate_before(page, a, b));
}

static const char *
host_name(const struct fm_page *page, uint32_t n)
{
	return (fm_program_host(page->what.program, n, NULL));
}

static bool
host_name_before(const struct fm_page *page, uint32_t a, uint32_t b)
{
	return (strcasecmp(host_name(page, a), host_name(page, b)) < 0);
}

/* Returns true if host a has had more of these errors than b. */
static bool
host_errors_before(const struct fm_page *page, uint32_t a, uint32_t b)
{
	enum fm_hits_response kind =
	    page->query.hosts == FM_PAGE_BY_4XX ? FM_HITS_4XX : FM_HITS_5XX;

	return (page->responses[a].n[kind] > page->responses[b].n[kind]);
}

static bool
rule_before(const struct fm_page *page, uint32_t a, uint32_t b)
{
	return (page->totals[a] > page->totals[b]);
}

/* Inserts row n in order, unless it comes after the last of `most` rows. */
static void
rows_add(const struct fm_page *page, struct fm_page_rows *rows, unsigned most,
    uint32_t n, before_f *before)
{
	uint32_t low = 0, high = rows->n, middle;

	rows->matched++;
	if (rows->n == most && (before == NULL ||
	    !before(page, n, rows->index[most - 1])))
		return;
	if (before == NULL)
		low = high;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (before(page, n, rows->index[middle]))
			high = middle;
		else
			low = middle + 1;
	}
	if (rows->n < most)
		rows->n++;
	memmove(&rows->index[low + 1], &rows->index[low],
	    (rows->n - low - 1) * sizeof *rows->index);
	rows->index[low] = n;
}

bool
fm_page_finds(const struct fm_page *page, const char *text)
{
	return (page->query.search.len == 0 ||
	    strcasestr(text, page->query.search.b) != NULL);
}

static before_f *
host_order(const struct fm_page *page)
{
	switch (page->query.hosts) {
	case FM_PAGE_BY_NAME:
		return (host_name_before);
	case FM_PAGE_BY_4XX:
	case FM_PAGE_BY_5XX:
		if (page->responses != NULL)
			return (host_errors_before);
		break;
	case FM_PAGE_BY_RATE:
		if (page->rates != NULL)
			return (host_rate_before);
		break;
	case FM_PAGE_BY_HITS:
		break;
	}
	return (page->totals != NULL ? host_before : NULL);
}

static void
find_hosts(struct fm_page *page, unsigned most)
{
	before_f *before = host_order(page);
	uint32_t n;

	page->hosts.of = (uint32_t)page->nhosts;
	for (n = 0; n < page->nhosts; n++) {
		if (page->totals != NULL &&
		    page->totals[page->nrules + n] == 0)
			page->hosts_never++;
		if (fm_page_finds(page, host_name(page, n)))
			rows_add(page, &page->hosts, most, n, before);
	}
}

static void
find_rules(struct fm_page *page, unsigned most)
{
	before_f *before = page->query.rules == FM_PAGE_BY_NAME ||
	    page->totals == NULL ? NULL :
	    page->query.rules == FM_PAGE_BY_RATE && page->rates != NULL ?
	    rule_rate_before : rule_before;
	const struct fm_rule *rule;
	uint32_t n;

	page->rules.of = (uint32_t)page->nrules;
	for (n = 0; n < page->nrules; n++) {
		rule = fm_page_rule(page, n);
		page->never.of += page->totals != NULL &&
		    page->totals[n] == 0;
		if (!fm_page_finds(page, fm_page_words(page, rule)) &&
		    !fm_page_finds(page, rule->place))
			continue;
		rows_add(page, &page->rules, most, n, before);
		if (page->totals != NULL && page->totals[n] == 0)
			rows_add(page, &page->never, most, n, NULL);
	}
}

/* Returns true if a rule begins at this place: "site.rules:12:5". */
static bool
rule_is_at(const struct fm_page *page, const struct fm_rule *rule,
    struct fm_text at)
{
	const char *place = fm_page_place(page, rule);
	size_t len = strlen(place);

	return (at.len > len + 1 && memcmp(at.b, place, len) == 0 &&
	    at.b[len] == ':' &&
	    strtoul(at.b + len + 1, NULL, 10) == rule->at.column);
}

/* Finds the rule of the query, and its hosts; -1 if there is no memory. */
static int
find_rule(struct fm_page *page)
{
	before_f *before = host_order(page);
	uint32_t n = 0;

	page->rule = UINT32_MAX;
	if (page->query.rule.len == 0)
		return (0);
	while (n < page->nrules &&
	    !rule_is_at(page, fm_page_rule(page, n), page->query.rule))
		n++;
	if (n == page->nrules)
		return (0);
	if (fm_program_rule_hosts(page->what.program, n,
	    &page->rule_hosts) != 0)
		return (-1);
	page->rule = n;
	for (n = 0; n < page->nhosts; n++)
		if (page->rule_hosts.hosts[n])
			rows_add(page, &page->for_rule, FM_PAGE_HOSTS, n,
			    before);
	return (0);
}

/* Reads the counts; returns -1 if there is no memory. */
static int
read_counts(struct fm_page *page)
{
	struct fm_hits_numbers numbers = { .totals = NULL };

	if (page->what.hits == NULL)
		return (0);
	page->totals = calloc(page->nrules + page->nhosts + 1,
	    sizeof *page->totals);
	page->rates = calloc(page->nrules + page->nhosts + 1,
	    sizeof *page->rates);
	page->responses = calloc(page->nhosts + 1, sizeof *page->responses);
	if (!page->query.no_history)
		page->history = calloc(1, sizeof *page->history);
	if (page->totals == NULL || page->rates == NULL ||
	    page->responses == NULL ||
	    (page->history == NULL && !page->query.no_history))
		return (-1);
	numbers.totals = page->totals;
	numbers.rates = page->rates;
	numbers.responses = page->responses;
	numbers.history = page->history;
	fm_hits_read(page->what.hits, page->what.clock, &numbers);
	if (!numbers.rated) {
		free(page->rates);
		page->rates = NULL;
	}
	if (!numbers.responding) {
		free(page->responses);
		page->responses = NULL;
	}
	return (0);
}

int
fm_page_find_rows(struct fm_page *page)
{
	const struct fm_program *program = page->what.program;
	unsigned rows = page->query.rows;

	if (program == NULL)
		return (0);
	page->nrules = fm_program_nrules(program);
	page->nhosts = fm_program_hosts(program);
	if (read_counts(page) != 0)
		return (-1);
	if (find_rule(page) != 0)
		return (-1);
	find_hosts(page, rows > 0 ? rows : FM_PAGE_HOSTS);
	find_rules(page, rows > 0 ? rows : FM_PAGE_RULES);
	return (0);
}

void
fm_page_end(struct fm_page *page)
{
	free(page->totals);
	free(page->rates);
	free(page->responses);
	free(page->history);
	free(page->rule_hosts.hosts);
}

/*--------------------------------------------------------------------
 * Rules and errors as they may be shown
 */

const struct fm_rule *
fm_page_rule(const struct fm_page *page, uint32_t n)
{
	const struct fm_rule *rule;

	if (!fm_program_rule(page->what.program, n, &rule, NULL))
		assert(!"a rule");
	return (rule);
}

const char *
fm_page_below(const struct fm_page *page, const char *place)
{
	return (fm_explain_below(page->what.path, place));
}

const char *
fm_page_place(const struct fm_page *page, const struct fm_rule *rule)
{
	return (fm_page_below(page, rule->place));
}

const char *
fm_page_words(const struct fm_page *page, const struct fm_rule *rule)
{
	return (page->secrets ? rule->text : rule->masked);
}

bool
fm_page_decides(const struct fm_rule *rule)
{
	static const char * const words[] = {
#define V(name, word, ...)	word,
		FM_VERDICTS(V)
#undef V
	};
	size_t len = strcspn(rule->text, " "), n;

	for (n = 0; n < sizeof words / sizeof *words; n++)
		if (strlen(words[n]) == len &&
		    memcmp(words[n], rule->text, len) == 0)
			return (true);
	return (false);
}

bool
fm_page_message(const struct fm_page *page, const struct fm_diag *diag,
    bool error, unsigned n, struct fm_page_message *found)
{
	struct fm_diag_message message;
	unsigned i;

	for (i = 0; n < FM_PAGE_MESSAGES &&
	    fm_diag_message(diag, i, &message); i++) {
		if (message.error != error || n-- > 0)
			continue;
		found->at[0] = '\0';
		if (message.at.name != NULL)
			(void)fm_place_print(&message.at, found->at);
		found->text = page->secrets ? message.text : message.masked;
		found->excerpt = page->secrets ? message.excerpt :
		    message.masked_excerpt;
		return (true);
	}
	return (false);
}
