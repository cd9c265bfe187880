/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Shows the changes as text or as JSON.  The cells that have the same kind and
 * the same rules are a group; its cells are its hosts.
 */

#include <stdlib.h>
#include <strings.h>

#include "diff.h"
#include "json.h"
#include "options.h"
#include "term.h"

#define VALUE		100	/* columns of a value */
#define HOST		40	/* columns of a host's name */
#define EXAMPLES	5	/* of a group */

/* n cells beside each other in the sorted array, the busiest host first. */
struct group {
	const struct fm_diff_cell *cells;
	size_t			n;
	uint64_t		requests;
};

/*--------------------------------------------------------------------
 * Groups
 */

static int
compare_rules(const struct fm_rule *a, const struct fm_rule *b)
{
	int order;

	if (a == b)
		return (0);
	if (a == NULL || b == NULL)
		return (a == NULL ? -1 : 1);
	order = fm_place_compare(&a->at, &b->at);
	if (order != 0)
		return (order);
	return (a < b ? -1 : 1);
}

/* Compares two cells; returns 0 if they are of the same group. */
static int
compare_groups(const struct fm_diff_cell *a, const struct fm_diff_cell *b)
{
	int order;

	if (a->kind != b->kind)
		return (a->kind < b->kind ? -1 : 1);
	order = a->header.b == NULL ? 0 : strcasecmp(a->header.b,
	    b->header.b);
	if (order == 0)
		order = compare_rules(a->rules[FM_OLD], b->rules[FM_OLD]);
	if (order == 0)
		order = compare_rules(a->rules[FM_NEW], b->rules[FM_NEW]);
	return (order);
}

static int
by_group(const void *va, const void *vb)
{
	const struct fm_diff_cell *a = va, *b = vb;
	int order = compare_groups(a, b);

	if (order != 0)
		return (order);
	if (a->requests != b->requests)
		return (a->requests > b->requests ? -1 : 1);
	return (fm_text_compare(a->host, b->host));
}

static int
by_requests(const void *va, const void *vb)
{
	const struct group *group = va, *b = vb;

	if (group->requests != b->requests)
		return (group->requests > b->requests ? -1 : 1);
	return (group->cells < b->cells ? -1 : 1);
}

static struct group *
make_groups(struct fm_diff_count *count, size_t *n)
{
	struct group *groups, *group = NULL;
	struct fm_diff_cell *cell;
	size_t i;

	*n = 0;
	groups = fm_cli_alloc(count->ncells * sizeof *groups);
	if (count->ncells > 0)
		qsort(count->cells, count->ncells, sizeof *count->cells,
		    by_group);
	for (i = 0; i < count->ncells; i++) {
		cell = &count->cells[i];
		if (group == NULL || compare_groups(group->cells, cell) != 0) {
			group = &groups[(*n)++];
			group->cells = cell;
		}
		group->n++;
		group->requests += cell->requests;
	}
	if (*n > 0)
		qsort(groups, *n, sizeof *groups, by_requests);
	return (groups);
}

static int
by_where(const void *va, const void *vb)
{
	const struct fm_diff_example *a, *b;

	a = *(const struct fm_diff_example * const *)va;
	b = *(const struct fm_diff_example * const *)vb;
	if (a->where.log != b->where.log)
		return (a->where.log < b->where.log ? -1 : 1);
	return ((a->where.line > b->where.line) -
	    (a->where.line < b->where.line));
}

/*
 * Takes up to EXAMPLES examples of a group: the first example of each host
 * before the second of any.  Returns how many.
 */
static size_t
examples_of(const struct group *group, const struct fm_diff_example **v)
{
	size_t i, n = 0;
	unsigned round;

	for (round = 0; round < FM_DIFF_EXAMPLES; round++)
		for (i = 0; i < group->n && n < EXAMPLES; i++)
			if (round < group->cells[i].nexamples)
				v[n++] = &group->cells[i].examples[round];
	qsort(v, n, sizeof *v, by_where);
	return (n);
}

/*--------------------------------------------------------------------
 * Text
 */

static void
put_rule(const char *whose, const struct fm_rule *rule)
{
	printf("  %s  ", whose);
	if (rule == NULL)
		printf("no rule");
	else
		fm_put_rule(stdout, rule);
	putchar('\n');
}

static void
put_hosts(const struct fm_diff *diff, const struct group *group)
{
	char buf[32];
	size_t i;

	for (i = 0; i < group->n && i < diff->top; i++) {
		fm_put_host(stdout, group->cells[i].host, HOST);
		printf("%12s\n", fm_grouped(group->cells[i].requests, buf));
	}
	if (group->n > diff->top)
		printf("  and %s host%s more\n",
		    fm_grouped(group->n - diff->top, buf),
		    group->n - diff->top == 1 ? "" : "s");
}

static void
put_value(char sign, const char *value)
{
	printf("    %c ", sign);
	if (value == NULL)
		printf("(none)");
	else
		fm_put_clean(stdout, fm_text_of(value), VALUE);
	putchar('\n');
}

static void
put_example(const struct fm_diff *diff, const struct fm_diff_example *example)
{

	printf("  ");
	fm_put_clean(stdout,
	    fm_text_of(diff->logs->paths[example->where.log]), 0);
	printf(":%ju  %s ", (uintmax_t)example->where.line,
	    example->method);
	fm_put_clean(stdout, fm_text_of(example->host), VALUE);
	fm_put_clean(stdout, fm_text_of(example->url), VALUE);
	putchar('\n');
	put_value('-', example->values[FM_OLD]);
	put_value('+', example->values[FM_NEW]);
}

static void
put_group(const struct fm_diff *diff, const struct group *group)
{
	const struct fm_diff_example *examples[EXAMPLES];
	const struct fm_diff_cell *first = group->cells;
	size_t i, n = examples_of(group, examples);
	char buf[32];

	printf("\n%s", fm_change_word(first->kind));
	if (first->header.b != NULL) {
		putchar(' ');
		fm_put_clean(stdout, first->header, 0);
	}
	printf(": %s request%s\n", fm_grouped(group->requests, buf),
	    group->requests == 1 ? "" : "s");
	put_rule("old", first->rules[FM_OLD]);
	put_rule("new", first->rules[FM_NEW]);
	put_hosts(diff, group);
	for (i = 0; i < n; i++)
		put_example(diff, examples[i]);
}

static const char *
side_word(enum fm_side side)
{
	return (side == FM_OLD ? "old" : side == FM_NEW ? "new" : "both");
}

static const struct fm_unseen *
unseen_of(const struct fm_diff_untold *untold,
    const struct fm_diff_untold_rule *row)
{
	return (&untold->unseen[row->side == FM_BOTH ? FM_NEW : row->side]);
}

/* Names the rules of the new file first. */
static void
put_untold(const struct fm_diff_untold *untold)
{
	const struct fm_unseen_rule **rules =
	    fm_cli_alloc((untold->n + 1) * sizeof *rules);
	size_t i, n = 0;

	if (untold->n > 0)
		putchar('\n');
	for (i = 0; i < untold->n; i++)
		if (untold->rules[i].side != FM_OLD)
			rules[n++] = untold->rules[i].rule;
	for (i = 0; i < untold->n; i++)
		if (untold->rules[i].side == FM_OLD)
			rules[n++] = untold->rules[i].rule;
	fm_unseen_say(stdout, &untold->unseen[FM_NEW], rules, n);
	free(rules);
}

/* Writes the bans, and what a change of keys means. */
static void
put_stored(const struct fm_diff_count *count)
{
	const struct fm_diff_stored *stored = &count->stored;
	struct fm_text rest, line;
	struct fm_written bans;
	char requests[32], urls[32];
	uint64_t keys = 0;
	bool lurks;
	size_t i;

	for (i = 0; i < count->ncells; i++)
		if (count->cells[i].kind == FM_CHANGE_KEY)
			keys += count->cells[i].requests;
	if (keys > 0)
		printf("\nWhat is stored under another key is not found any "
		    "more, and leaves when its lifetime ends.\n");
	if (stored->unanswered > 0)
		printf("\nOf %s request%s the log has no response to "
		    "compare.\n", fm_grouped(stored->unanswered, requests),
		    stored->unanswered == 1 ? "" : "s");
	if (stored->requests == 0)
		return;
	fm_written_begin(&bans);
	lurks = fm_diff_bans(stored, bans.to);
	fm_written_end(&bans);
	printf("\nOf %s request%s to %s URL%s something else is stored. To "
	    "forget what the old rules have stored:\n",
	    fm_grouped(stored->requests, requests),
	    stored->requests == 1 ? "" : "s",
	    fm_grouped(stored->urls.n, urls), stored->urls.n == 1 ? "" : "s");
	rest = fm_text(bans.text, bans.len);
	while (fm_cut_line(&rest, &line))
		printf("  varnishadm 'ban %.*s'\n", (int)line.len, line.b);
	printf(lurks ? "The ban lurker can test it.\n" :
	    "The ban lurker can't test it, as the old rules store no "
	    "headers with the host and the URL of the request.\n");
	free(bans.text);
}

static void
put_all(const struct fm_diff *diff, const struct group *groups, size_t n)
{
	uint64_t requests = diff->logs->requests;
	char buf[32], changed[32];
	size_t i;

	printf("%s request%s, %s %s decided differently (%.1f %%)",
	    fm_grouped(requests, buf), requests == 1 ? "" : "s",
	    fm_grouped(diff->count->changed, changed),
	    diff->count->changed == 1 ? "is" : "are", requests == 0 ? 0 :
	    100. * (double)diff->count->changed / (double)requests);
	if (diff->logs->unreadable > 0)
		printf(", unreadable lines: %s",
		    fm_grouped(diff->logs->unreadable, buf));
	putchar('\n');
	for (i = 0; i < n && i < diff->top; i++)
		put_group(diff, &groups[i]);
	if (n > diff->top)
		printf("\nand %s more groups\n",
		    fm_grouped(n - diff->top, buf));
	put_stored(diff->count);
	put_untold(diff->untold);
	if (requests > 0 && diff->count->changed == 0 && diff->untold->n > 0)
		printf("\nnothing differs as far as the log tells\n");
}

/*--------------------------------------------------------------------
 * JSON
 */

static json_t *
of_example(const struct fm_diff *diff, const struct fm_diff_example *example)
{
	return (fm_json_of("log",
	    fm_json_string(diff->logs->paths[example->where.log]),
	    "line", fm_json_number(example->where.line),
	    "method", fm_json_string(example->method),
	    "host", fm_json_string(example->host),
	    "url", fm_json_string(example->url),
	    "agent", fm_json_string(example->agent),
	    "old", fm_json_string(example->values[FM_OLD]),
	    "new", fm_json_string(example->values[FM_NEW]), NULL));
}

static json_t *
of_group(const struct fm_diff *diff, const struct group *group)
{
	const struct fm_diff_example *v[EXAMPLES];
	const struct fm_diff_cell *first = group->cells;
	json_t *hosts = fm_json_array(), *examples = fm_json_array();
	size_t i, n = examples_of(group, v);

	for (i = 0; i < group->n; i++)
		fm_json_add(hosts, fm_json_of(
		    "host", fm_json_text(group->cells[i].host), "requests",
		    fm_json_number(group->cells[i].requests), NULL));
	for (i = 0; i < n; i++)
		fm_json_add(examples, of_example(diff, v[i]));
	return (fm_json_of(
	    "what", fm_json_string(fm_change_word(first->kind)),
	    "header", fm_json_text(first->header),
	    "old", fm_json_rule(first->rules[FM_OLD]),
	    "new", fm_json_rule(first->rules[FM_NEW]),
	    "requests", fm_json_number(group->requests),
	    "hosts", hosts, "examples", examples, NULL));
}

static json_t *
of_untold(const struct fm_diff_untold *untold)
{
	json_t *array = fm_json_array(), *object;
	const struct fm_diff_untold_rule *row;
	size_t i;

	for (i = 0; i < untold->n; i++) {
		row = &untold->rules[i];
		object = fm_unseen_json(unseen_of(untold, row), row->rule);
		fm_json_set(object, "in", fm_json_string(side_word(
		    row->side)), NULL);
		fm_json_add(array, object);
	}
	return (array);
}

static json_t *
of_stored(const struct fm_diff_stored *stored)
{
	json_t *bans = fm_json_array();
	struct fm_text rest, line;
	struct fm_written written;
	bool lurks;

	fm_written_begin(&written);
	lurks = stored->requests > 0 && fm_diff_bans(stored, written.to);
	fm_written_end(&written);
	rest = fm_text(written.text, written.len);
	while (fm_cut_line(&rest, &line))
		fm_json_add(bans, fm_json_text(line));
	free(written.text);
	return (fm_json_of("requests", fm_json_number(stored->requests),
	    "unanswered", fm_json_number(stored->unanswered),
	    "urls", fm_json_number(stored->urls.n), "bans", bans,
	    "lurker", json_boolean(lurks), NULL));
}

static void
print_json(const struct fm_diff *diff, const struct group *groups, size_t n)
{
	json_t *array = fm_json_array();
	size_t i;

	for (i = 0; i < n; i++)
		fm_json_add(array, of_group(diff, &groups[i]));
	fm_json_print(fm_json_of("old", fm_json_string(diff->files[FM_OLD]),
	    "new", fm_json_string(diff->files[FM_NEW]),
	    "requests", fm_json_number(diff->logs->requests),
	    "unreadable", fm_json_number(diff->logs->unreadable),
	    "changed", fm_json_number(diff->count->changed),
	    "groups", array, "stored", of_stored(&diff->count->stored),
	    "untold_rules", of_untold(diff->untold), NULL));
}

void
fm_diff_report(const struct fm_diff *diff)
{
	struct group *groups;
	size_t n;

	groups = make_groups(diff->count, &n);
	if (fm_given.json)
		print_json(diff, groups, n);
	else
		put_all(diff, groups, n);
	free(groups);
}
