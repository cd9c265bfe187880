/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes the report of a replay as a page: bars of the verdicts and of the
 * objects of each host, then the report as text.
 */

#include "html.h"
#include "replay.h"
#include "term.h"

#define HOSTS_MOST	30	/* bars below each other */

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

static void
put_verdicts(const struct fm_replay *r, FILE *to)
{
	struct fm_html_bar bars[HOSTS_MOST];
	const char *names[FM_REPLAY_VERDICTS];
	size_t i, n = r->count->nhosts < HOSTS_MOST ? r->count->nhosts :
	    HOSTS_MOST;
	unsigned v;

	for (v = 0; v < FM_REPLAY_VERDICTS; v++)
		names[v] = fm_verdict_name(v);
	for (i = 0; i < n; i++) {
		bars[i].label = name_of(r->hosts[i]);
		for (v = 0; v < FM_REPLAY_VERDICTS; v++)
			bars[i].parts[v] = r->hosts[i]->verdicts[v];
	}
	fprintf(to, "<h2>Verdicts, by host</h2>\n");
	fm_html_legend(to, names, FM_REPLAY_VERDICTS);
	fm_html_bars(to, bars, n, names, FM_REPLAY_VERDICTS);
}

/* Writes a bar for each host: the objects after the rules, and those saved. */
static void
put_objects(const struct fm_replay *r, FILE *to)
{
	static const char * const names[] = { "after", "saved" };
	struct fm_html_bar bars[HOSTS_MOST + 1];
	size_t i, n = r->count->nhosts < HOSTS_MOST ? r->count->nhosts :
	    HOSTS_MOST;

	bars[0] = (struct fm_html_bar){ fm_text_of("all hosts"),
	    { r->sum.objects.after, saved(&r->sum) } };
	for (i = 0; i < n; i++)
		bars[i + 1] = (struct fm_html_bar){ name_of(r->hosts[i]),
		    { r->hosts[i]->objects.after, saved(r->hosts[i]) } };
	fprintf(to, "<h2>Objects in the cache, by host</h2>\n");
	fm_html_legend(to, names, 2);
	fm_html_bars(to, bars, n + 1, names, 2);
}

void
fm_replay_html(const struct fm_replay *r, FILE *to)
{
	struct fm_text rest, line;
	char *text = NULL;
	size_t len;
	FILE *memory = open_memstream(&text, &len);
	size_t i;

	if (memory == NULL)
		fm_cli_no_memory();
	fm_replay_text(r, memory);
	if (fclose(memory) != 0)
		fm_cli_no_memory();
	fm_html_begin(to, "What the rules would have done");
	for (i = 0; i < r->logs->ntroubles; i++) {
		fprintf(to, "<p><b>");
		fm_html_text(to, fm_text_of(r->logs->troubles[i]));
		fprintf(to, "</b></p>\n");
	}
	put_verdicts(r, to);
	put_objects(r, to);
	fprintf(to, "<h2>All of it</h2>\n<pre>");
	rest = fm_text(text, len);
	while (fm_cut_line(&rest, &line)) {
		fm_html_text(to, line);
		fputc('\n', to);
	}
	fprintf(to, "</pre>\n");
	free(text);
	fm_html_end(to);
}
