/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes the frames of the screen of `fastmatch top` (screen.h).
 */

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"
#include "screen.h"

#define LEFT		18	/* columns of the numbers of a line */
#define RESPONSES	24	/* columns of a host's hit rate and errors */
#define NAME_LEAST	20	/* columns of a name; with less, no RESPONSES */

#define HOME		"\033[H"
#define CLEAR_LINE	"\033[K"
#define CLEAR_REST	"\033[J"

/* A percentage as text: "12.3%"; few are not none, "<0.1%" and "0". */
struct share {
	char			text[16];
};

static struct share
share(double part, double all)
{
	double n = all > 0 ? 100 * part / all : 0;
	struct share share;

	(void)snprintf(share.text, sizeof share.text, !(all > 0) ? "-" :
	    !(n > 0) ? "0" : n < .1 ? "<0.1%%" : "%.1f%%", n);
	return (share);
}

/*--------------------------------------------------------------------
 * Lines
 */

static void
screen_measure(struct fm_screen *screen)
{
	struct winsize size;

	screen->columns = 80;
	screen->lines = 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
		return;
	if (size.ws_col > 0)
		screen->columns = size.ws_col;
	if (size.ws_row > 0)
		screen->lines = size.ws_row;
}

/* Returns how many lines are left; the last one of the screen stays empty. */
static size_t
lines_left(const struct fm_screen *screen)
{
	size_t most = screen->lines > 1 ? screen->lines - 1 : 1;

	return (most > screen->used ? most - screen->used : 0);
}

/* Writes a line, cut to the width of the screen, if there is room for it. */
static void
put_line(struct fm_screen *screen, enum fm_ink ink, const char *text)
{
	if (lines_left(screen) == 0)
		return;
	/* After a full line, some terminals would clear its last column. */
	fputs(CLEAR_LINE, screen->term.to);
	fm_term_clip(&screen->term, ink, fm_text_of(text), screen->columns);
	fputc('\n', screen->term.to);
	screen->used++;
}

static void __attribute__((format(printf, 3, 4)))
print_line(struct fm_screen *screen, enum fm_ink ink, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		fm_cli_no_memory();
	va_end(ap);
	put_line(screen, ink, text);
	free(text);
}

/* Writes a text in several lines, a third of the screen at most. */
static void
put_wrapped(struct fm_screen *screen, enum fm_ink ink, const char *text)
{
	char *clean = fm_term_clean(fm_text_of(text), 0), *from = clean, *to;
	size_t n;
	char cut;

	for (n = 1; n < screen->lines / 3; n++) {
		to = fm_term_after(from, screen->columns);
		if (*to == '\0')
			break;
		cut = *to;
		*to = '\0';
		put_line(screen, ink, from);
		*to = cut;
		from = to;
	}
	put_line(screen, ink, from);
	free(clean);
}

/*--------------------------------------------------------------------
 * Responses
 */

static double
responses_all(const struct fm_top_rate *of)
{
	return (of[FM_HITS_HIT].rate + of[FM_HITS_MISS].rate +
	    of[FM_HITS_PASS].rate + of[FM_HITS_OWN].rate);
}

static struct share
hit_rate(const struct fm_top_rate *of)
{
	return (share(of[FM_HITS_HIT].rate,
	    responses_all(of) - of[FM_HITS_OWN].rate));
}

/* Writes a table of the numbers of a host. */
static void
put_numbers(struct fm_screen *screen, const struct fm_top_row *host)
{
	const struct fm_top_rate *of = host->responses->of;
	char line[3][128], *to[3] = { line[0], line[1], line[2] };
	struct share part;
	int i;

	part = share(host->rate.rate, screen->top->requests.rate);
	to[0] += sprintf(to[0], "%-6s%10.1f", "per s", host->rate.rate);
	to[1] += sprintf(to[1], "%-6s%10llu", "count",
	    (unsigned long long)host->rate.hits);
	to[2] += sprintf(to[2], "%-6s%10s", "%", part.text);
	for (i = 0; i < FM_HITS_RESPONSES; i++) {
		part = share(of[i].rate, responses_all(of));
		to[0] += sprintf(to[0], "%10.1f", of[i].rate);
		to[1] += sprintf(to[1], "%10llu",
		    (unsigned long long)of[i].hits);
		to[2] += sprintf(to[2], "%10s", part.text);
	}
	print_line(screen, FM_INK_DIM, "%16s%10s%10s%10s%10s%10s%10s",
	    "requests", "hits", "misses", "passes", "own", "4xx", "5xx");
	for (i = 0; i < 3; i++)
		put_line(screen, FM_INK_PLAIN, line[i]);
	print_line(screen, FM_INK_PLAIN, "hit rate %s, of hits, misses and "
	    "passes", hit_rate(of).text);
}

/*--------------------------------------------------------------------
 * The head
 */

static void
put_totals(struct fm_screen *screen)
{
	const struct fm_top *top = screen->top;
	const struct fm_top_rate *of = top->responses.of;
	double all = responses_all(of);

	print_line(screen, FM_INK_BOLD, "fastmatch top  %.1f requests/s  "
	    "hit rate %s  4xx %s  5xx %s%s  %s", top->requests.rate,
	    hit_rate(of).text, share(of[FM_HITS_4XX].rate, all).text,
	    share(of[FM_HITS_5XX].rate, all).text, screen->has_log ? "" :
	    "  (varnishd's worker is not running)",
	    screen->name == NULL ? "" : screen->name);
}

/* Writes the line of tables, or of what is typed. */
static void
put_tables(struct fm_screen *screen)
{
	const char *filter = screen->top->filter;
	char tables[128], *to = tables;
	enum fm_top_kind kind;

	if (screen->types) {
		print_line(screen, FM_INK_YELLOW, "/%s_  (Enter keeps the "
		    "filter, Esc clears it)", filter);
		return;
	}
	for (kind = 0; kind < FM_TOP__KINDS; kind++)
		to += sprintf(to, screen->depth == 0 && kind == screen->kind ?
		    "[%s] " : " %s  ", fm_top_title(kind));
	if (*filter != '\0')
		print_line(screen, FM_INK_YELLOW, "%s /%s  (Esc clears the "
		    "filter)", tables, filter);
	else if (screen->depth > 0)
		print_line(screen, FM_INK_PLAIN, "%s keys: Left goes back, "
		    "Enter, / filters; q quits", tables);
	else
		print_line(screen, FM_INK_PLAIN, "%s keys: h r v Tab, "
		    "arrows, Enter, / filters; q quits", tables);
}

/* Writes the numbers of what is open; returns its row, or NULL. */
static const struct fm_top_row *
put_open(struct fm_screen *screen, const struct fm_screen_open *open)
{
	const struct fm_top_row *row;

	row = fm_top_find(screen->top, open->kind, open->hash);
	put_wrapped(screen, FM_INK_CYAN, open->name);
	if (open->text != NULL)
		put_wrapped(screen, FM_INK_PLAIN, open->text);
	if (row == NULL)
		put_line(screen, FM_INK_YELLOW, open->kind == FM_TOP_HOSTS ?
		    "not asked for lately" : "has not run lately");
	else if (row->responses != NULL)
		put_numbers(screen, row);
	else
		print_line(screen, FM_INK_PLAIN, "%.1f per s, %llu in all, "
		    "%s of the requests", row->rate.rate,
		    (unsigned long long)row->rate.hits,
		    share(row->rate.rate, screen->top->requests.rate).text);
	return (row);
}

/*--------------------------------------------------------------------
 * The list
 */

/* Returns true if lines of the list have the hit rate and errors of a host. */
static bool
has_responses(struct fm_screen *screen)
{
	return (screen->depth == 0 && screen->kind == FM_TOP_HOSTS &&
	    screen->columns >= LEFT + RESPONSES + NAME_LEAST);
}

static void
put_columns(struct fm_screen *screen)
{
	const struct fm_screen_open *open = fm_screen_top(screen);

	print_line(screen, FM_INK_DIM, "%9s %7s %s%s%s", "per s", "%",
	    has_responses(screen) ? "    hit     4xx     5xx " : "",
	    fm_top_title(fm_screen_lists(screen)), open == NULL ? "" :
	    open->kind == FM_TOP_HOSTS ? " of this host" : " of this rule");
}

/* Writes a line of the list: a row, or "(other)" if that is NULL. */
static void
put_row(struct fm_screen *screen, const struct fm_top_row *row,
    const struct fm_top_rate *rate, double all, bool selected)
{
	const struct fm_top_rate *of;
	char responses[64] = "";

	if (has_responses(screen) && row == NULL)
		(void)snprintf(responses, sizeof responses, "%*s", RESPONSES,
		    "");
	else if (has_responses(screen)) {
		of = row->responses->of;
		(void)snprintf(responses, sizeof responses, "%7s %7s %7s ",
		    hit_rate(of).text,
		    share(of[FM_HITS_4XX].rate, responses_all(of)).text,
		    share(of[FM_HITS_5XX].rate, responses_all(of)).text);
	}
	print_line(screen, selected ? FM_INK_BOLD : FM_INK_PLAIN,
	    "%c%8.1f %6.1f%% %s%s%s%s", selected ? '>' : ' ', rate->rate,
	    all > 0 ? 100 * rate->rate / all : 0, responses,
	    row == NULL ? "(other)" : fm_top_name(row),
	    row == NULL || row->text == NULL ? "" : "  ",
	    row == NULL || row->text == NULL ? "" : row->text);
}

/* Finds the selected line, and scrolls so that it is on the screen. */
static void
screen_scroll(struct fm_screen *screen, const struct fm_top_line *lines,
    size_t n)
{
	size_t i;

	free(screen->listed);
	screen->listed = fm_cli_alloc((n + 1) * sizeof *screen->listed);
	screen->nlisted = n;
	for (i = 0; i < n; i++)
		screen->listed[i] = lines[i].row->hash;
	if (!screen->follows)
		screen->at = 0;
	for (i = 0; screen->follows && i < n; i++)
		if (screen->listed[i] == screen->selected)
			screen->at = i;
	if (screen->at >= n)
		screen->at = n > 0 ? n - 1 : 0;
	if (n > 0)
		screen->selected = screen->listed[screen->at];
	if (screen->first + screen->room > n)
		screen->first = n > screen->room ? n - screen->room : 0;
	if (screen->first > screen->at)
		screen->first = screen->at;
	if (screen->room > 0 && screen->at - screen->first >= screen->room)
		screen->first = screen->at - screen->room + 1;
}

static void
put_list(struct fm_screen *screen, const struct fm_top_row *of)
{
	enum fm_top_kind kind = fm_screen_lists(screen);
	const struct fm_top_rate *other =
	    of != NULL ? &of->other : &screen->top->tables[kind].other;
	double all = of != NULL ? of->rate.rate : screen->top->requests.rate;
	struct fm_top_line *lines = NULL;
	size_t i, n = 0;

	if (of != NULL || screen->depth == 0)
		lines = fm_top_lines(screen->top, kind, of, &n);
	if (other->hits > 0 && *screen->top->filter == '\0')
		put_row(screen, NULL, other, all, false);
	screen->room = lines_left(screen);
	screen_scroll(screen, lines, n);
	for (i = screen->first; i < n && lines_left(screen) > 0; i++)
		put_row(screen, lines[i].row, lines[i].rate, all,
		    i == screen->at);
	if (n == 0 && *screen->top->filter != '\0')
		print_line(screen, FM_INK_DIM, "none of the %s contains '%s'",
		    fm_top_title(kind), screen->top->filter);
	free(lines);
}

void
fm_screen_draw(struct fm_screen *screen)
{
	const struct fm_screen_open *open = fm_screen_top(screen);
	const struct fm_top_row *row = NULL;
	struct fm_written frame;

	screen_measure(screen);
	screen->used = 0;
	screen->is_stale = false;
	fm_written_begin(&frame);
	screen->term.to = frame.to;
	fputs(HOME, screen->term.to);
	put_totals(screen);
	put_tables(screen);
	if (open != NULL)
		row = put_open(screen, open);
	put_columns(screen);
	put_list(screen, row);
	fputs(CLEAR_REST, screen->term.to);
	fm_written_end(&frame);
	(void)fwrite(frame.text, 1, frame.len, stdout);
	(void)fflush(stdout);
	free(frame.text);
}
