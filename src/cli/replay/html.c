/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a replay found, as a page.
 */

#include <stdarg.h>
#include <stdlib.h>

#include "html.h"
#include "replay.h"

#define HOSTS_MOST	30	/* bars of a plot */

static struct fm_text
name_of(const struct fm_replay_host *host)
{
	return (host->name.b == NULL ? fm_text_of("(no valid host)") :
	    host->name);
}

static uint64_t
saved(const struct fm_replay_host *host)
{
	return (host->objects.before > host->objects.after ?
	    host->objects.before - host->objects.after : 0);
}

/*--------------------------------------------------------------------
 * Figures
 */

static void __attribute__((format(printf, 3, 4)))
put_tile(FILE *to, uint64_t n, const char *fmt, ...)
{
	char buf[32];
	va_list ap;

	fprintf(to, "<div><b>%s</b>", fm_grouped(n, buf));
	va_start(ap, fmt);
	vfprintf(to, fmt, ap);
	va_end(ap);
	fprintf(to, "</div>\n");
}

/* "1.4 us"; returns its buffer. */
static const char *
print_time(double ns, char buf[24])
{
	(void)snprintf(buf, 24, ns < 1000 ? "%.0f ns" : "%.1f us",
	    ns < 1000 ? ns : ns / 1000);
	return (buf);
}

static void
put_tiles(const struct fm_replay *r, FILE *to)
{
	const struct fm_replay_host *sum = &r->sum;
	double before = fm_hit_rate(sum->lookups, sum->objects.before);
	double after = fm_hit_rate(sum->lookups, sum->objects.after);
	char a[32], b[32];

	fprintf(to, "<div class=\"tiles\">\n");
	put_tile(to, sum->requests, "requests; unreadable lines: %s",
	    fm_grouped(fm_logs_unreadable(r->logs), a));
	put_tile(to, sum->urls.after, "different URLs, before %s; of %s "
	    "requests (%.1f&nbsp;%%) the URL is changed",
	    fm_grouped(sum->urls.before, a), fm_grouped(sum->changed, b),
	    fm_percent(sum->changed, sum->requests));
	put_tile(to, sum->objects.after, "objects in the cache, before %s: "
	    "%s saved", fm_grouped(sum->objects.before, a),
	    fm_grouped(saved(sum), b));
	fprintf(to, "<div><b>%.2f&nbsp;%%</b>hits at most, before "
	    "%.2f&nbsp;%%</div>\n", after, before);
	put_tile(to, sum->scans, "scans, %.2f a request",
	    sum->requests == 0 ? 0 :
	    (double)sum->scans / (double)sum->requests);
	fprintf(to, "<div><b>%s</b>a request in the rules, the median; "
	    "99 of 100 within %s</div>\n",
	    print_time(fm_replay_quantile(r->count, 0.5), a),
	    print_time(fm_replay_quantile(r->count, 0.99), b));
	put_tile(to, r->nunknown, "hosts without an entry");
	put_tile(to, r->nidle, "rules never hit, of %zu",
	    fm_program_nrules(r->program));
	fprintf(to, "</div>\n");
}

/*--------------------------------------------------------------------
 * Plots
 */

static void
put_verdicts(const struct fm_replay *r, FILE *to)
{
	struct fm_html_bar bars[HOSTS_MOST];
	const char *names[FM_REPLAY_VERDICTS];
	char buf[32];
	size_t i, n = r->count->nhosts < HOSTS_MOST ? r->count->nhosts :
	    HOSTS_MOST;
	unsigned v;

	for (v = 0; v < FM_REPLAY_VERDICTS; v++)
		names[v] = fm_verdict_name(v);
	fprintf(to, "<h2>Verdicts</h2>\n");
	fm_html_legend(to, names, FM_REPLAY_VERDICTS);
	fprintf(to, "<table><tr>");
	for (v = 0; v < FM_REPLAY_VERDICTS; v++)
		fprintf(to, "<th>%s</th>", names[v]);
	fprintf(to, "</tr><tr>");
	for (v = 0; v < FM_REPLAY_VERDICTS; v++)
		fprintf(to, "<td>%s<br><span class=\"dim\">%.1f %%</span>"
		    "</td>", fm_grouped(r->sum.verdicts[v], buf),
		    fm_percent(r->sum.verdicts[v], r->sum.requests));
	fprintf(to, "</tr></table>\n<h2>Verdicts by host</h2>\n");
	if (n < r->count->nhosts)
		fprintf(to, "<p class=\"dim\">The busiest %zu of %zu "
		    "hosts.</p>\n", n, r->count->nhosts);
	for (i = 0; i < n; i++) {
		bars[i].label = name_of(r->hosts[i]);
		for (v = 0; v < FM_REPLAY_VERDICTS; v++)
			bars[i].parts[v] = r->hosts[i]->verdicts[v];
	}
	fm_html_bars(to, "Requests by host and verdict", bars, n, names,
	    FM_REPLAY_VERDICTS, true);
}

static int
by_saved(const void *a, const void *b)
{
	const struct fm_replay_host *x, *y;

	x = *(const struct fm_replay_host * const *)a;
	y = *(const struct fm_replay_host * const *)b;
	if (saved(x) != saved(y))
		return (saved(x) > saved(y) ? -1 : 1);
	return (fm_text_compare(x->name, y->name));
}

static void
put_objects(const struct fm_replay *r, FILE *to)
{
	static const char * const names[] = { "before", "after" };
	const struct fm_replay_host **hosts;
	struct fm_html_bar bars[HOSTS_MOST + 1];
	char buf[32];
	size_t i, n;

	hosts = fm_cli_alloc(r->count->nhosts * sizeof *hosts);
	for (i = 0; i < r->count->nhosts; i++)
		hosts[i] = r->hosts[i];
	qsort(hosts, r->count->nhosts, sizeof *hosts, by_saved);
	for (n = 0; n < r->count->nhosts && n < HOSTS_MOST &&
	    saved(hosts[n]) > 0; n++)
		bars[n + 1] = (struct fm_html_bar){ name_of(hosts[n]),
		    { hosts[n]->objects.before, hosts[n]->objects.after } };
	free(hosts);
	bars[0] = (struct fm_html_bar){ fm_text_of("all hosts"),
	    { r->sum.objects.before, r->sum.objects.after } };
	fprintf(to, "<h2>Objects in the cache</h2>\n<p class=\"dim\">Different"
	    " URLs of the %s requests that look in the cache, before the "
	    "rules and after them; of all hosts, and of those where the rules "
	    "save most.</p>\n", fm_grouped(r->sum.lookups, buf));
	fm_html_legend(to, names, 2);
	fm_html_bars(to, "Objects by host, before and after", bars, n + 1,
	    names, 2, false);
}

static void
put_scans(const struct fm_replay *r, FILE *to)
{
	struct fm_html_column columns[FM_REPLAY_SCANS];
	unsigned i;

	fprintf(to, "<h2>Scans a request</h2>\n");
	for (i = 0; i < FM_REPLAY_SCANS; i++) {
		columns[i].value = r->count->scans[i];
		(void)snprintf(columns[i].label, sizeof columns[i].label,
		    "%u%s", i, i == FM_REPLAY_SCANS - 1 ? " or more" : "");
	}
	fm_html_columns(to, "Requests by the scans that they need", columns,
	    FM_REPLAY_SCANS);
}

/* Without the steps at both ends that hold 1 of 1000. */
static void
put_times(const struct fm_replay *r, FILE *to)
{
	struct fm_html_column columns[FM_TIMES];
	double first, last, ns;
	size_t n = 0;
	unsigned i;

	first = fm_replay_quantile(r->count, 0.001);
	last = fm_replay_quantile(r->count, 0.999);
	for (i = 0; i < FM_TIMES; i++) {
		ns = fm_replay_time(i);
		if (ns < first || ns > last)
			continue;
		columns[n].value = r->count->times[i];
		(void)print_time(ns, columns[n].label);
		n++;
	}
	fprintf(to, "<h2>Time a request</h2>\n<p class=\"dim\">Of the rules "
	    "alone, in a loop on the machine of this report; 2 of 1000 "
	    "requests at the ends are not shown. Each column is up to an "
	    "eighth longer than the one before.</p>\n");
	fm_html_columns(to, "Requests by the time that the rules took",
	    columns, n);
}

/*--------------------------------------------------------------------
 * Tables
 */

static void
put_more(FILE *to, size_t n, size_t shown)
{
	if (n > shown)
		fprintf(to, "<p class=\"dim\">and %zu more</p>\n", n - shown);
}

static void
put_unknown(const struct fm_replay *r, FILE *to)
{
	char buf[32];
	size_t i;

	if (r->nunknown == 0)
		return;
	fprintf(to, "<h2>Hosts without an entry</h2>\n<table><tr><th>host</th>"
	    "<th class=\"n\">requests</th></tr>\n");
	for (i = 0; i < r->nunknown && i < r->top; i++) {
		fprintf(to, "<tr><td>");
		fm_html_text(to, name_of(r->unknown[i]));
		fprintf(to, "</td><td class=\"n\">%s</td></tr>\n",
		    fm_grouped(r->unknown[i]->requests, buf));
	}
	fprintf(to, "</table>\n");
	put_more(to, r->nunknown, r->top);
}

static void
put_untold(const struct fm_replay *r, FILE *to)
{
	char place[FM_PLACE_LEN], *lacks;
	size_t i;

	if (r->nuntold == 0)
		return;
	fprintf(to, "<h2>Rules that can't be told from this log</h2>\n"
	    "<table>\n");
	for (i = 0; i < r->nuntold && i < r->top; i++) {
		lacks = fm_unseen_print(&r->unseen, r->untold[i]);
		fprintf(to, "<tr><td>");
		fm_html_text(to, fm_text_of(fm_place_print(
		    &r->untold[i]->rule->at, place)));
		fprintf(to, "</td><td><code>");
		fm_html_text(to, fm_text_of(r->untold[i]->rule->text));
		fprintf(to, "</code></td><td>");
		fm_html_text(to, fm_text_of(lacks));
		fprintf(to, "</td></tr>\n");
		free(lacks);
	}
	fprintf(to, "</table>\n");
	put_more(to, r->nuntold, r->top);
}

static void
put_idle(const struct fm_replay *r, FILE *to)
{
	char place[FM_PLACE_LEN];
	size_t i;

	if (r->nidle > 0) {
		fprintf(to, "<h2>Rules never hit</h2>\n<table>\n");
		for (i = 0; i < r->nidle && i < r->top; i++) {
			fprintf(to, "<tr><td>");
			fm_html_text(to, fm_text_of(fm_place_print(
			    &r->idle[i]->at, place)));
			fprintf(to, "</td><td><code>");
			fm_html_text(to, fm_text_of(r->idle[i]->text));
			fprintf(to, "</code></td></tr>\n");
		}
		fprintf(to, "</table>\n");
		put_more(to, r->nidle, r->top);
	}
	if (r->nidle_hosts == 0)
		return;
	fprintf(to, "<h2>Hosts of the rules that nobody asked for</h2>\n<p>");
	for (i = 0; i < r->nidle_hosts && i < r->top; i++) {
		fprintf(to, "%s<code>", i == 0 ? "" : ", ");
		fm_html_text(to, fm_text_of(r->idle_hosts[i]));
		fprintf(to, "</code>");
	}
	fprintf(to, "</p>\n");
	put_more(to, r->nidle_hosts, r->top);
}

static void
put_place(const struct fm_replay *r, struct fm_where where, FILE *to)
{
	uint64_t line;

	fm_html_text(to, fm_text_of(fm_logs_place(r->logs, where, &line)));
	fprintf(to, ":%llu", (unsigned long long)line);
}

static void
put_lines(const struct fm_replay *r, FILE *to)
{
	const struct fm_replay_example *example;
	struct fm_where where;
	unsigned i;

	if (r->count->nexamples > 0)
		fprintf(to, "<h2>URLs that are changed, the first ones</h2>\n"
		    "<table><tr><th>host and line</th><th>before, and after"
		    "</th></tr>\n");
	for (i = 0; i < r->count->nexamples; i++) {
		example = &r->count->examples[i];
		fprintf(to, "<tr><td>");
		fm_html_text(to, fm_text_of(example->host));
		fprintf(to, "<br><span class=\"dim\">");
		put_place(r, example->where, to);
		fprintf(to, "</span></td><td><code class=\"dim\">");
		fm_html_text(to, fm_text_of(example->before));
		fprintf(to, "</code><br><code>");
		fm_html_text(to, fm_text_of(example->after));
		fprintf(to, "</code></td></tr>\n");
	}
	if (r->count->nexamples > 0)
		fprintf(to, "</table>\n");
	if (fm_logs_unreadable(r->logs) == 0)
		return;
	fprintf(to, "<h2>Lines that could not be read, the first ones</h2>\n"
	    "<p>");
	for (i = 0; fm_logs_unreadable_at(r->logs, i, &where); i++) {
		put_place(r, where, to);
		fprintf(to, "<br>\n");
	}
	fprintf(to, "</p>\n");
}

void
fm_replay_html(const struct fm_replay *r, FILE *to)
{
	size_t i;

	fm_html_begin(to, "What the rules would have done");
	fprintf(to, "<p class=\"dim\"><code>");
	fm_html_text(to, fm_text_of(r->file));
	fprintf(to, "</code>, replayed over");
	for (i = 0; i < r->npaths; i++) {
		fprintf(to, "%s <code>", i == 0 ? "" : ",");
		fm_html_text(to, fm_text_of(r->paths[i]));
		fprintf(to, "</code>");
	}
	fprintf(to, " in %.1f s</p>\n", r->seconds);
	for (i = 0; fm_logs_trouble(r->logs, (unsigned)i) != NULL; i++) {
		fprintf(to, "<p><b>");
		fm_html_text(to,
		    fm_text_of(fm_logs_trouble(r->logs, (unsigned)i)));
		fprintf(to, "</b></p>\n");
	}
	put_tiles(r, to);
	put_verdicts(r, to);
	put_objects(r, to);
	put_scans(r, to);
	put_times(r, to);
	put_unknown(r, to);
	put_untold(r, to);
	put_idle(r, to);
	put_lines(r, to);
	fm_html_end(to);
}
