/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch top`: reads the options, and shows the screen; or with --once or
 * --json counts for some seconds, and prints the tables (top.h).
 */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "fold.h"
#include "json.h"
#include "options.h"
#include "term.h"
#include "top.h"

#define SECONDS		10	/* of --once, unless the user says otherwise */
#define LOOK_NS		20000000	/* ns between two looks at the log */

volatile sig_atomic_t fm_top_stopped;

/*--------------------------------------------------------------------
 * Once
 */

static json_t *
host_json(const struct fm_top_row *row)
{
	const struct fm_top_rate *of = row->responses->of;
	double hits = (double)of[FM_HITS_HIT].hits;
	double all = hits + (double)of[FM_HITS_MISS].hits +
	    (double)of[FM_HITS_PASS].hits;

	return (fm_json_of("host", fm_json_string(row->name),
	    "hits", fm_json_number(row->rate.hits),
	    "hit_rate", all > 0 ?
	    json_real(100 * hits / all) : json_null(),
	    "responses", fm_json_of(
	    "hits", fm_json_number(of[FM_HITS_HIT].hits),
	    "misses", fm_json_number(of[FM_HITS_MISS].hits),
	    "passes", fm_json_number(of[FM_HITS_PASS].hits),
	    "own", fm_json_number(of[FM_HITS_OWN].hits),
	    "4xx", fm_json_number(of[FM_HITS_4XX].hits),
	    "5xx", fm_json_number(of[FM_HITS_5XX].hits), NULL), NULL));
}

static json_t *
row_json(enum fm_top_kind kind, const struct fm_top_row *row)
{
	const char *blank;

	if (kind == FM_TOP_HOSTS)
		return (host_json(row));
	if (kind == FM_TOP_RULES)
		return (fm_json_of("at", fm_json_string(row->name),
		    "text", fm_json_string(row->text),
		    "hits", fm_json_number(row->rate.hits), NULL));
	blank = strchr(row->name, ' ');
	return (fm_json_of("verdict", fm_json_text(fm_text(row->name,
	    strcspn(row->name, " "))), "status", blank == NULL ? json_null() :
	    fm_json_number(strtoul(blank, NULL, 10)),
	    "hits", fm_json_number(row->rate.hits), NULL));
}

static void
print_json(struct fm_top *top, double seconds)
{
	json_t *object, *other = fm_json_object(), *array;
	struct fm_top_line *lines;
	enum fm_top_kind kind;
	size_t i, n;

	object = fm_json_of("seconds", json_real(seconds),
	    "requests", fm_json_number(top->requests.hits), NULL);
	for (kind = 0; kind < FM_TOP__KINDS; kind++) {
		array = fm_json_array();
		lines = fm_top_lines(top, kind, NULL, &n);
		for (i = 0; i < n; i++)
			fm_json_add(array, row_json(kind, lines[i].row));
		free(lines);
		fm_json_set(object, fm_top_title(kind), array, NULL);
		fm_json_set(other, fm_top_title(kind),
		    fm_json_number(top->tables[kind].other.hits), NULL);
	}
	fm_json_set(object, "other", other, NULL);
	fm_json_print(object);
}

static void
put_row(const struct fm_term *term, uint64_t hits, double seconds,
    const char *name, const char *text)
{
	fm_term_put(term, FM_INK_PLAIN, "%12.1f %12llu  ",
	    seconds > 0 ? (double)hits / seconds : 0,
	    (unsigned long long)hits);
	fm_term_clip(term, FM_INK_PLAIN, fm_text_of(name), 0);
	if (text != NULL) {
		fm_term_put(term, FM_INK_PLAIN, "  ");
		fm_term_clip(term, FM_INK_PLAIN, fm_text_of(text), 0);
	}
	fm_term_put(term, FM_INK_PLAIN, "\n");
}

static void
put_table(const struct fm_term *term, struct fm_top *top,
    enum fm_top_kind kind, double seconds, size_t most)
{
	uint64_t other = top->tables[kind].other.hits;
	struct fm_top_line *lines;
	size_t i, n;

	lines = fm_top_lines(top, kind, NULL, &n);
	fm_term_put(term, FM_INK_BOLD, "\n%12s %12s  %s\n", "per s", "hits",
	    fm_top_title(kind));
	for (i = 0; i < n && i < most; i++)
		put_row(term, lines[i].rate->hits, seconds,
		    fm_top_name(lines[i].row), lines[i].row->text);
	if (n > most)
		fm_term_put(term, FM_INK_PLAIN, "and %zu more\n", n - most);
	if (other > 0 && *top->filter == '\0')
		put_row(term, other, seconds, "(other)", NULL);
	free(lines);
}

static void
print_text(struct fm_top *top, double seconds, size_t rows)
{
	enum fm_top_kind kind;
	struct fm_term term;

	fm_term_init(&term, stdout, FM_COLOUR_AUTO);
	fm_term_put(&term, FM_INK_PLAIN, "%llu request%s in %.1f s\n",
	    (unsigned long long)top->requests.hits,
	    top->requests.hits == 1 ? "" : "s", seconds);
	for (kind = 0; kind < FM_TOP__KINDS; kind++)
		put_table(&term, top, kind, seconds, rows);
}

static int
once(struct fm_top *top, struct fm_vsl *log)
{
	const struct timespec pause = { 0, LOOK_NS };
	double start = fm_cli_seconds(), end = start +
	    fm_option_number(FM_OPTION_SECONDS, SECONDS);
	bool has_log = false;

	while (!fm_top_stopped) {
		has_log |= fm_vsl_look(log, fm_top_request, top);
		if (fm_cli_seconds() >= end)
			break;
		(void)nanosleep(&pause, NULL);
	}
	if (!has_log) {
		fprintf(stderr, "fastmatch top: there is no log: varnishd's "
		    "worker is not running, start it by 'varnishadm start'\n");
		return (FM_EXIT_ERRORS);
	}
	if (fm_given.json)
		print_json(top, fm_cli_seconds() - start);
	else
		print_text(top, fm_cli_seconds() - start, fm_given.top);
	return (FM_EXIT_OK);
}

/*--------------------------------------------------------------------
 * The command
 */

static void
on_stop(int signal)
{
	(void)signal;
	fm_top_stopped = 1;
}

static void
catch_signals(void)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	struct sigaction stop = { .sa_handler = on_stop };
	size_t i;

	for (i = 0; i < sizeof signals / sizeof signals[0]; i++)
		(void)sigaction(signals[i], &stop, NULL);
}

int
fm_cli_top(int argc, char **argv)
{
	const char *name = fm_option(FM_OPTION_NAME);
	const char *filter = fm_option(FM_OPTION_FILTER);
	bool prints = fm_given.json || fm_option(FM_OPTION_ONCE) != NULL;
	static struct fm_top top;
	static struct fm_vsl *log;
	char *wrong = NULL;

	if (fm_given.top > FM_TOP_ROWS)
		return (fm_options_usage("--top takes a number from 1 to %d",
		    FM_TOP_ROWS));
	if (filter != NULL && strlen(filter) >= sizeof top.filter)
		return (fm_options_usage("--filter takes at most %zu bytes",
		    sizeof top.filter - 1));
	if (argc > 0)
		return (fm_options_usage("there is nothing to do with '%s': -n "
		    "takes the name of a varnishd", argv[0]));
	if (!prints && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
		return (fm_options_usage("this is not a terminal: --once "
		    "prints instead"));
	log = fm_vsl_follow(name, &wrong);
	if (log == NULL) {
		fprintf(stderr, "fastmatch top: can't follow varnishd's log: "
		    "%s; -n NAME names a varnishd as its own -n does, and its "
		    "log is for root and the group 'varnish' (or 'vinyl')\n",
		    wrong);
		free(wrong);
		return (FM_EXIT_ERRORS);
	}
	catch_signals();
	if (filter != NULL)
		(void)snprintf(top.filter, sizeof top.filter, "%s", filter);
	top.seed = fm_fold_seed(&top);
	if (prints)
		return (once(&top, log));
	fm_top_screen(&top, log, name);
	return (FM_EXIT_OK);
}
