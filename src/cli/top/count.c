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

/*
 * Returns a row, which is added; NULL if the table is full, so that "other" has
 * to count.
 */
static struct fm_top_row *
row_of(struct fm_top *top, enum fm_top_kind kind, struct fm_text name,
    struct fm_text text)
{
	uint64_t hash = XXH3_64bits_withSeed(text.b, text.len,
	    XXH3_64bits_withSeed(name.b, name.len, top->seed +
	    (name.b == NULL)));
	struct fm_top_table *table = &top->tables[kind];
	struct fm_top_row *row;
	uint32_t n;

	if (table->n == FM_TOP_ROWS && fm_distinct_find(&table->by_hash,
	    hash) == NULL)
		return (NULL);
	n = fm_distinct_number(&table->by_hash, hash);
	if (n < table->n)
		return (&table->rows[n]);
	row = fm_cli_grow(&table->rows, table->n++, &table->room, sizeof *row);
	row->hash = hash;
	row->name = copy(name);
	row->text = copy(text);
	if (kind == FM_TOP_HOSTS)
		row->responses = fm_cli_alloc(sizeof *row->responses);
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
 * Cuts a line before the last such word, and puts what follows the word into
 * *rest.  Returns false if the word isn't there.
 */
static bool
cut(struct fm_text *line, const char *word, struct fm_text *rest)
{
	size_t len = strlen(word), at;

	for (at = line->len; at-- > 0;)
		if (line->len - at >= len &&
		    memcmp(line->b + at, word, len) == 0) {
			*rest = fm_text(line->b + at + len,
			    line->len - at - len);
			line->len = at;
			return (true);
		}
	return (false);
}

/*
 * Counts a line of the module.  Returns true if the line tells a verdict, as
 * the first three of these do:
 *
 *	redirect 302 at /etc/varnish/site.rules:3 for shop generation 4
 *	pass (builtin) at /etc/varnish/site.rules:5 for shop generation 4
 *	no verdict for shop generation 4
 *	set X-Device at /etc/varnish/site.rules:7
 *	when path is /a at /etc/varnish/site.rules:8: false
 */
static bool
count_line(struct fm_top *top, struct fm_text line)
{
	struct fm_text rest, place;
	bool verdict, placed, builtin;

	verdict = cut(&line, " generation ", &rest);
	if (verdict)
		(void)cut(&line, " for ", &rest);
	else if (cut(&line, ": ", &rest) &&
	    !fm_text_eq(rest, fm_text_of("true")))
		return (false);
	placed = cut(&line, " at ", &place);
	builtin = verdict && cut(&line, " (builtin)", &rest);
	if (placed)
		hit_row(top, FM_TOP_RULES, row_of(top, FM_TOP_RULES, place,
		    builtin ? fm_text_of("builtin") : line));
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
		verdict |= count_line(top, logged->lines[i]);
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
	if (row->responses != NULL)
		responses_tick(row->responses, seconds, age);
}

void
fm_top_tick(struct fm_top *top, double seconds)
{
	struct fm_top_table *table;
	size_t i, n;

	top->age += seconds;
	rate_tick(&top->requests, seconds, top->age);
	responses_tick(&top->responses, seconds, top->age);
	for (table = top->tables; table < top->tables + FM_TOP__KINDS;
	    table++) {
		rate_tick(&table->other, seconds, top->age);
		for (i = n = 0; i < table->n; i++) {
			row_tick(&table->rows[i], seconds, top->age);
			if (table->rows[i].rate.rate < GONE)
				row_fini(&table->rows[i]);
			else
				table->rows[n++] = table->rows[i];
		}
		if (n == table->n)
			continue;
		table->n = n;
		fm_distinct_fini(&table->by_hash);
		for (i = 0; i < n; i++)
			(void)fm_distinct_number(&table->by_hash,
			    table->rows[i].hash);
	}
}

/* Compares rows by their rates, or by hits where the rates are the same. */
static int
by_rate(const void *a, const void *b)
{
	const struct fm_top_row *x, *y;
	int order;

	x = *(const struct fm_top_row * const *)a;
	y = *(const struct fm_top_row * const *)b;
	if (x->rate.rate < y->rate.rate || x->rate.rate > y->rate.rate)
		return (x->rate.rate > y->rate.rate ? -1 : 1);
	if (x->rate.hits != y->rate.hits)
		return (x->rate.hits > y->rate.hits ? -1 : 1);
	order = fm_text_compare(fm_text_of(x->name), fm_text_of(y->name));
	return (order != 0 ? order :
	    fm_text_compare(fm_text_of(x->text), fm_text_of(y->text)));
}

const struct fm_top_row **
fm_top_sorted(const struct fm_top_table *table, size_t *n)
{
	const struct fm_top_row **rows;
	size_t i;

	rows = fm_cli_alloc((table->n + 1) * sizeof *rows);
	for (i = 0; i < table->n; i++)
		rows[i] = &table->rows[i];
	qsort(rows, table->n, sizeof *rows, by_rate);
	*n = table->n;
	return (rows);
}

const char *
fm_top_title(enum fm_top_kind kind)
{
	static const char * const titles[] = { "hosts", "rules", "verdicts" };

	return (titles[kind]);
}
