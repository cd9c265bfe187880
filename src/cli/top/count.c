/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Counts hosts, rules and verdicts in tables, and keeps the rate of each: an
 * average in which older hits count less and less.
 */

#include <stdlib.h>

#include "cli.h"
#include "hostname.h"
#include "top.h"
#include "xxh.h"

#define PERIOD	60.	/* seconds that a rate looks back: varnishtop's */
#define GONE	0.001	/* hits a second: one hit, 3 minutes ago */

/*--------------------------------------------------------------------
 * Tables
 */

static void
row_fini(struct fm_top_row *row)
{
	free(row->name);
	free(row->text);
	free(row->responses);
}

static char *
copy(struct fm_text text)
{
	return (text.b == NULL ? NULL : fm_cli_copy(text.b, text.len));
}

const char *
fm_top_name(const struct fm_top_row *row)
{
	return (row->name == NULL ? "(no valid host)" : row->name);
}

static bool
has(const char *text, const char *what)
{
	return (text != NULL && strcasestr(text, what) != NULL);
}

static bool
is_shown(const struct fm_top *top, const char *name, const char *text)
{
	return (*top->filter == '\0' || has(name, top->filter) ||
	    has(text, top->filter));
}

static bool
shows_row(const struct fm_top *top, const struct fm_top_row *row)
{
	return (is_shown(top, fm_top_name(row), row->text));
}

/* Drops the rows that go. */
static void
rows_drop(struct fm_top_table *table)
{
	size_t i, n;

	for (i = n = 0; i < table->n; i++) {
		if (table->rows[i].goes)
			row_fini(&table->rows[i]);
		else
			table->rows[n++] = table->rows[i];
	}
	if (n == table->n)
		return;
	table->n = n;
	fm_distinct_fini(&table->by_hash);
	for (i = 0; i < n; i++)
		(void)fm_distinct_number(&table->by_hash, table->rows[i].hash);
}

/* Compares lines by their rates, or by hits where the rates are the same. */
static int
by_rate(const void *a, const void *b)
{
	const struct fm_top_line *x = a, *y = b;
	int order;

	if (x->rate->rate < y->rate->rate || x->rate->rate > y->rate->rate)
		return (x->rate->rate > y->rate->rate ? -1 : 1);
	if (x->rate->hits != y->rate->hits)
		return (x->rate->hits > y->rate->hits ? -1 : 1);
	order = fm_text_compare(fm_text_of(x->row->name),
	    fm_text_of(y->row->name));
	return (order != 0 ? order : fm_text_compare(
	    fm_text_of(x->row->text), fm_text_of(y->row->text)));
}

/*
 * Drops rows of a full table, but for the `keep` busiest ones and the one that
 * is open, so that "other" has their hits.  A filter drops what it hides.
 */
static void
make_room(const struct fm_top *top, struct fm_top_table *table, size_t keep)
{
	struct fm_top_line *lines = fm_cli_alloc(table->n * sizeof *lines);
	struct fm_top_row *row;
	size_t i;

	for (i = 0; i < table->n; i++)
		lines[i] = (struct fm_top_line){ &table->rows[i],
		    &table->rows[i].rate };
	qsort(lines, table->n, sizeof *lines, by_rate);
	for (i = keep; i < table->n; i++) {
		row = &table->rows[lines[i].row - table->rows];
		row->goes = row->hash != top->open &&
		    (*top->filter == '\0' || !shows_row(top, row));
		if (!row->goes)
			continue;
		table->other.hits += row->rate.hits;
		table->other.rate += row->rate.rate;
	}
	free(lines);
	rows_drop(table);
}

/*
 * Returns true if a table takes a new name.  While there is a filter, names
 * that it hides fill half of the table at most.
 */
static bool
takes(const struct fm_top *top, struct fm_top_table *table, const char *name,
    const char *text)
{
	if (*top->filter == '\0' || table->n < FM_TOP_ROWS / 2)
		return (table->n < FM_TOP_ROWS);
	if (!is_shown(top, name, text))
		return (false);
	if (table->n == FM_TOP_ROWS && !table->made_room) {
		/* The busier half stays, to be there after the filter. */
		table->made_room = true;
		make_room(top, table, FM_TOP_ROWS / 2);
	}
	return (table->n < FM_TOP_ROWS);
}

/* Adds a row to a table that does not have its hash. */
static struct fm_top_row *
row_add(struct fm_top_table *table, uint64_t hash)
{
	struct fm_top_row *row;

	(void)fm_distinct_number(&table->by_hash, hash);
	row = fm_cli_grow(&table->rows, table->n++, &table->room, sizeof *row);
	row->hash = hash;
	return (row);
}

static struct fm_top_row *
row_find(struct fm_top_table *table, uint64_t hash)
{
	const struct fm_distinct_entry *entry =
	    fm_distinct_find(&table->by_hash, hash);

	return (entry == NULL ? NULL : &table->rows[entry->owner]);
}

const struct fm_top_row *
fm_top_find(struct fm_top *top, enum fm_top_kind kind, uint64_t hash)
{
	return (row_find(&top->tables[kind], hash));
}

/*
 * Returns the row of a name and a text, which is added; NULL if the table does
 * not take it, so that "other" has to count.
 */
static struct fm_top_row *
row_of(struct fm_top *top, enum fm_top_kind kind, struct fm_text name,
    struct fm_text text)
{
	uint64_t hash = XXH3_64bits_withSeed(text.b, text.len,
	    XXH3_64bits_withSeed(name.b, name.len, top->seed +
	    (name.b == NULL)));
	struct fm_top_table *table = &top->tables[kind];
	struct fm_top_row *row = row_find(table, hash);
	struct fm_top_row new;

	if (row != NULL)
		return (row);
	new = (struct fm_top_row){ .hash = hash, .name = copy(name),
	    .text = copy(text) };
	if (!takes(top, table, fm_top_name(&new), new.text)) {
		row_fini(&new);
		return (NULL);
	}
	if (kind == FM_TOP_HOSTS)
		new.responses = fm_cli_alloc(sizeof *new.responses);
	row = row_add(table, hash);
	*row = new;
	return (row);
}

static void
hit(struct fm_top_rate *rate)
{
	rate->hits++;
	rate->fresh++;
}

/*--------------------------------------------------------------------
 * Requests
 */

/* Counts that a rule ran for a host; the row of either may be NULL. */
static void
hit_pair(struct fm_top *top, struct fm_top_row *host, struct fm_top_row *rule)
{
	struct fm_top_table *table = &top->tables[FM_TOP_PAIRS];
	struct fm_top_row *row;
	uint64_t hash;

	row = NULL;
	if (host != NULL && rule != NULL) {
		hash = XXH3_64bits_withSeed(&rule->hash, sizeof rule->hash,
		    host->hash);
		row = row_find(table, hash);
		if (row == NULL && table->n < FM_TOP_PAIRS_MOST) {
			row = row_add(table, hash);
			row->pair[FM_TOP_HOSTS] = host->hash;
			row->pair[FM_TOP_RULES] = rule->hash;
		}
	}
	if (row != NULL)
		hit(&row->rate);
	if (row == NULL && host != NULL)
		hit(&host->other);
	if (row == NULL && rule != NULL)
		hit(&rule->other);
}

/* Counts in a row of the table, or in "other" if the row is NULL. */
static void
hit_row(struct fm_top *top, enum fm_top_kind kind, struct fm_top_row *row)
{
	hit(row != NULL ? &row->rate : &top->tables[kind].other);
}

static void
count_verdict(struct fm_top *top, struct fm_text verdict)
{
	hit_row(top, FM_TOP_VERDICTS, row_of(top, FM_TOP_VERDICTS, verdict,
	    fm_text(NULL, 0)));
}

static void
count_response(struct fm_top_responses *responses,
    const struct fm_vsl_logged *logged)
{
	hit(&responses->of[logged->from]);
	if (logged->status / 100 == 4)
		hit(&responses->of[FM_HITS_4XX]);
	else if (logged->status / 100 == 5)
		hit(&responses->of[FM_HITS_5XX]);
}

/*
 * Counts a line of the module, of a request to a host that may have no row.
 * Returns true if the line tells a verdict, as
 * the first three of these do:
 *
 *	redirect 302 at /etc/varnish/site.rules:3 for shop generation 4
 *	pass (builtin) at /etc/varnish/site.rules:5 for shop generation 4
 *	no verdict for shop generation 4
 *	set X-Device at /etc/varnish/site.rules:7
 *	when path is /a at /etc/varnish/site.rules:8: false
 */
static bool
count_line(struct fm_top *top, struct fm_top_row *host, struct fm_text line)
{
	struct fm_text rest, place;
	struct fm_top_row *rule;
	bool verdict, placed, builtin;

	verdict = fm_cut_last(&line, " generation ", &rest);
	if (verdict)
		(void)fm_cut_last(&line, " for ", &rest);
	else if (fm_cut_last(&line, ": ", &rest) &&
	    !fm_text_eq(rest, fm_text_of("true")))
		return (false);
	placed = fm_cut_last(&line, " at ", &place);
	builtin = verdict && fm_cut_last(&line, " (builtin)", &rest);
	if (placed) {
		rule = row_of(top, FM_TOP_RULES, place, builtin ?
		    fm_text_of("builtin") : line);
		hit_row(top, FM_TOP_RULES, rule);
		hit_pair(top, host, rule);
	}
	if (verdict)
		count_verdict(top, placed ? line : fm_text_of("none"));
	return (verdict);
}

void
fm_top_request(void *priv, struct fm_made_request *made,
    const struct fm_vsl_logged *logged)
{
	char buf[FM_HOSTNAME_MAX];
	struct fm_top *top = priv;
	struct fm_top_row *host;
	bool verdict = false;
	struct fm_text name;
	size_t i;

	(void)fm_hostname_canon(fm_made_value(made, fm_text_of("Host")), buf,
	    &name);
	host = row_of(top, FM_TOP_HOSTS, name, fm_text(NULL, 0));
	if (!logged->restart) {
		hit(&top->requests);
		hit_row(top, FM_TOP_HOSTS, host);
	}
	if (logged->from != FM_HITS_RESPONSES && !made->esi) {
		count_response(&top->responses, logged);
		if (host != NULL)
			count_response(host->responses, logged);
	}
	for (i = 0; i < logged->nlines; i++)
		verdict |= count_line(top, host, logged->lines[i]);
	if (!logged->restart && !verdict)
		count_verdict(top, fm_text_of("none"));
}

/*--------------------------------------------------------------------
 * Rates
 */

/*
 * Updates a rate; within the first PERIOD, the rate is the mean since the
 * start.
 */
static void
rate_tick(struct fm_top_rate *rate, double seconds, double age)
{
	double weight = seconds / (age < PERIOD ? age : PERIOD);

	rate->rate += ((double)rate->fresh / seconds - rate->rate) *
	    (weight < 1 ? weight : 1);
	rate->fresh = 0;
}

static void
responses_tick(struct fm_top_responses *responses, double seconds, double age)
{
	size_t i;

	for (i = 0; i < FM_HITS_RESPONSES; i++)
		rate_tick(&responses->of[i], seconds, age);
}

static void
row_tick(struct fm_top_row *row, double seconds, double age)
{
	rate_tick(&row->rate, seconds, age);
	rate_tick(&row->other, seconds, age);
	row->goes = row->rate.rate < GONE;
	if (row->responses != NULL)
		responses_tick(row->responses, seconds, age);
}

void
fm_top_tick(struct fm_top *top, double seconds)
{
	struct fm_top_table *table;
	size_t i;

	top->age += seconds;
	rate_tick(&top->requests, seconds, top->age);
	responses_tick(&top->responses, seconds, top->age);
	for (table = top->tables; table < top->tables + FM_TOP__TABLES;
	    table++) {
		rate_tick(&table->other, seconds, top->age);
		for (i = 0; i < table->n; i++)
			row_tick(&table->rows[i], seconds, top->age);
		rows_drop(table);
		table->made_room = false;
		/* Otherwise a host that gets busy now would not be seen. */
		if (table != &top->tables[FM_TOP_PAIRS] &&
		    table->n == FM_TOP_ROWS)
			make_room(top, table, FM_TOP_ROWS - FM_TOP_ROWS / 10);
	}
}

/*--------------------------------------------------------------------
 * Lists
 */

/* Returns the row of a kind in a pair, of which the other one is `of`. */
static const struct fm_top_row *
row_in_pair(struct fm_top *top, const struct fm_top_row *pair,
    enum fm_top_kind kind, const struct fm_top_row *of)
{
	enum fm_top_kind other =
	    kind == FM_TOP_HOSTS ? FM_TOP_RULES : FM_TOP_HOSTS;

	return (pair->pair[other] != of->hash ? NULL :
	    fm_top_find(top, kind, pair->pair[kind]));
}

struct fm_top_line *
fm_top_lines(struct fm_top *top, enum fm_top_kind kind,
    const struct fm_top_row *of, size_t *n)
{
	struct fm_top_table *table =
	    &top->tables[of == NULL ? kind : FM_TOP_PAIRS];
	const struct fm_top_row *row;
	struct fm_top_line *lines;
	size_t i;

	lines = fm_cli_alloc((table->n + 1) * sizeof *lines);
	for (i = *n = 0; i < table->n; i++) {
		row = of == NULL ? &table->rows[i] :
		    row_in_pair(top, &table->rows[i], kind, of);
		if (row != NULL && shows_row(top, row))
			lines[(*n)++] = (struct fm_top_line){ row,
			    &table->rows[i].rate };
	}
	qsort(lines, *n, sizeof *lines, by_rate);
	return (lines);
}

const char *
fm_top_title(enum fm_top_kind kind)
{
	static const char * const titles[] = { "hosts", "rules", "verdicts" };

	return (titles[kind]);
}
