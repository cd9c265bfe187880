/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Notes what the requests of cases reach: which statements ran, which `when`s
 * were true and false, which hosts were asked for; and lists what they don't
 * reach.
 */

#include <stdlib.h>

#include "test.h"

void
fm_test_coverage_init(struct fm_test_coverage *coverage,
    const struct fm_program *program)
{
	const struct fm_rule *rule;
	uint32_t n, number, counter;

	*coverage = (struct fm_test_coverage){ .program = program };
	for (n = 0; fm_program_rule(program, n, &rule, &counter); n++) {
		number = fm_program_rule_number(program, rule);
		coverage->n = number < coverage->n ? coverage->n : number + 1;
	}
	coverage->seen =
	    fm_cli_alloc((coverage->n + 1) * sizeof *coverage->seen);
	coverage->counters = fm_cli_alloc((fm_program_ncounters(program) + 1) *
	    sizeof *coverage->counters);
}

static uint32_t *
seen_of(const struct fm_test_coverage *coverage, const struct fm_rule *rule)
{
	uint32_t n = rule == NULL ? coverage->n :
	    fm_program_rule_number(coverage->program, rule);

	return (&coverage->seen[n < coverage->n ? n : coverage->n]);
}

static void
note(struct fm_test_coverage *coverage, const struct fm_rule *rule,
    uint32_t bit)
{
	uint32_t *seen = seen_of(coverage, rule);

	coverage->is_new |= (*seen & bit) == 0;
	*seen |= bit;
}

static void
on_event(void *priv, const struct fm_event *event)
{
	if (event->kind == FM_EVENT_WHEN)
		note(priv, event->rule, FM_CASE_SEEN_WHEN(event->outcome));
	else if (event->kind == FM_EVENT_STMT)
		note(priv, event->rule, FM_CASE_SEEN_STMT(event->effect));
}

void
fm_test_coverage_decided(struct fm_test_coverage *coverage,
    const struct fm_result *result)
{
	note(coverage, result->rule, FM_CASE_SEEN_DECIDED(result->verdict));
}

struct fm_trace
fm_test_coverage_trace(struct fm_test_coverage *coverage)
{
	return ((struct fm_trace){ .priv = coverage, .tell = on_event });
}

/*--------------------------------------------------------------------
 * Missing
 */

static void
miss(struct fm_test_covered *covered, enum fm_test_missing_what what,
    const struct fm_place *at, const char *text)
{
	struct fm_test_missing *m = fm_cli_grow(&covered->missing, covered->n++,
	    &covered->room, sizeof *m);

	*m = (struct fm_test_missing){ .what = what, .at = *at, .text = text };
}

/* Compares places; those in the file that the cases name come first. */
static int
by_place(const void *a, const void *b)
{
	const struct fm_test_missing *one = a, *two = b;

	if (one->in_main != two->in_main)
		return (one->in_main ? -1 : 1);
	return (fm_place_compare(&one->at, &two->at));
}

static void
ratio(struct fm_test_ratio *ratio, bool reached)
{
	ratio->all++;
	ratio->reached += reached;
}

/* Finds the sites that no request has met by any of their host patterns. */
static void
find_hosts(struct fm_test_covered *covered, const struct fm_test_rules *rules)
{
	const struct fm_model *model = rules->rules.model;
	const struct fm_program *program = rules->rules.program;
	struct asked {
		const char		*name;	/* the first pattern */
		bool			is;
	} *asked = fm_cli_alloc((model->nsites + 1) * sizeof *asked), *one;
	const struct fm_host *host = model->hosts;
	const struct fm_site *site;
	uint32_t n, counter;

	for (n = 0; fm_program_host(program, n, &counter) != NULL;
	    n++, host++) {
		if (host->site == NULL)
			continue;
		one = &asked[host->site->number];
		if (one->name == NULL)
			one->name = host->pattern.b;
		one->is |= rules->coverage.counters[counter] > 0;
	}
	if (model->otherwise != NULL)
		asked[model->otherwise->number] = (struct asked){
		    "default", rules->coverage.otherwise };
	for (site = model->sites; site != NULL; site = site->next) {
		one = &asked[site->number];
		ratio(&covered->hosts, one->is);
		if (!one->is)
			miss(covered, FM_CASE_NEVER_ASKED, &site->at,
			    one->name);
	}
	free(asked);
}

static void
find_statement(struct fm_test_covered *covered,
    const struct fm_test_coverage *coverage, const struct fm_rule *rule)
{
	uint32_t seen = *seen_of(coverage, rule);
	bool was_true = seen & FM_CASE_SEEN_WHEN(FM_TRUE);
	bool was_false = seen & FM_CASE_SEEN_WHEN(FM_FALSE);

	ratio(&covered->statements, seen != 0);
	if (seen == 0)
		miss(covered, FM_CASE_NEVER_RUN, &rule->at, rule->text);
	if (!fm_text_begins(fm_text_of(rule->text), "when "))
		return;
	ratio(&covered->branches, was_true);
	ratio(&covered->branches, was_false);
	if (seen != 0 && !was_true)
		miss(covered, FM_CASE_NEVER_TRUE, &rule->at, rule->text);
	if (seen != 0 && !was_false)
		miss(covered, FM_CASE_NEVER_FALSE, &rule->at, rule->text);
}

void
fm_test_covered_find(struct fm_test_covered *covered,
    const struct fm_test_rules *rules)
{
	const struct fm_rule *rule;
	uint32_t n, counter;
	unsigned all;

	*covered = (struct fm_test_covered){ .n = 0 };
	find_hosts(covered, rules);
	for (n = 0; fm_program_rule(rules->rules.program, n, &rule,
	    &counter); n++)
		find_statement(covered, &rules->coverage, rule);
	for (n = 0; n < covered->n; n++)
		covered->missing[n].in_main = strcmp(rules->main,
		    covered->missing[n].at.name) == 0;
	if (covered->n > 0)
		qsort(covered->missing, covered->n, sizeof *covered->missing,
		    by_place);
	all = covered->statements.all + covered->branches.all +
	    covered->hosts.all;
	covered->percent = all == 0 ? 100 : (unsigned)(100ULL *
	    (covered->statements.reached + covered->branches.reached +
	    covered->hosts.reached) / all);
}
