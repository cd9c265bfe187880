/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes the report of a replay as a page: bars of the verdicts and of the
 * objects of each host, then the report as text.  The page has no script and
 * fetches nothing.
 *
 *	[] hash  [] pass  [] synth
 *	shop.example.com  [======|==|=]  1,234
 */

#include <stdlib.h>

#include "replay.h"
#include "term.h"

#define HOSTS_MOST	30	/* bars below each other */
#define WIDTH		60.	/* percent of the page: the longest bar */
#define LABEL_MOST	34	/* columns of the label of a bar */
#define TITLE		"What the rules would have done"

/* Each verdict has a colour below. */
_Static_assert(FM_REPLAY_VERDICTS <= 15, "there is no --c15");

static const char head[] =
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<style>\n"
    ":root { color-scheme: light dark; --ink: #1d2733; --dim: #5d6b7a;"
    " --paper: #fff;\n"
    "  --c0: #7a8ca3; --c1: #e0862c; --c2: #9566b8; --c3: #2a9d8f;"
    " --c4: #5d9c3a; --c5: #cc4b43; --c6: #3a7bd5; --c7: #8b6d3f;\n"
    "  --c8: #b0588f; --c9: #b3a125; --c10: #4b4f9e; --c11: #7f2f2f;\n"
    "  --c12: #3f7f5f; --c13: #a06a9a; --c14: #55707f; }\n"
    "@media (prefers-color-scheme: dark) { :root { --ink: #e3e8ee;"
    " --dim: #98a6b5; --paper: #14191f; } }\n"
    "body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink);"
    " background: var(--paper);\n"
    "  max-width: 900px; margin: 2em auto; padding: 0 1em; }\n"
    "h1 { font-size: 1.5em; margin-bottom: 0; }\n"
    "h2 { font-size: 1.15em; margin: 2.2em 0 .5em; }\n"
    ".dim { color: var(--dim); }\n"
    ".bar { display: flex; align-items: center; font-size: 12px; }\n"
    ".bar span { width: 25%; text-align: right; padding-right: .7em; }\n"
    ".bar i { height: 1.2em; min-width: 1px; }\n"
    "pre { font-size: 13px; overflow-x: auto; }\n"
    ".legend span { margin-right: 1.2em; white-space: nowrap; }\n"
    ".legend i { display: inline-block; width: .8em; height: .8em;"
    " margin-right: .4em; border-radius: 2px; }\n"
    "</style>\n";

/* A bar has a label to its left, and the sum of its parts to its right. */
struct bar {
	struct fm_text		label;
	uint64_t		parts[FM_REPLAY_VERDICTS];
};

static uint64_t
bar_size(const struct bar *bar)
{
	uint64_t size = 0;
	unsigned i;

	for (i = 0; i < FM_REPLAY_VERDICTS; i++)
		size += bar->parts[i];
	return (size);
}

static void
put_bar(FILE *to, const struct bar *bar, uint64_t most,
    const char * const *names)
{
	char buf[32];
	unsigned p;

	fprintf(to, "<div class=\"bar\"><span>");
	fm_put_escaped(to, bar->label, LABEL_MOST);
	fprintf(to, "</span>");
	for (p = 0; p < FM_REPLAY_VERDICTS; p++)
		if (bar->parts[p] > 0)
			fprintf(to, "<i style=\"width:%.1f%%;"
			    "background:var(--c%u)\" title=\"%s: %s\"></i>",
			    WIDTH * (double)bar->parts[p] / (double)most, p,
			    names[p], fm_grouped(bar->parts[p], buf));
	fprintf(to, "%s</div>\n", fm_grouped(bar_size(bar), buf));
}

/* Writes a line with the colour and the name of each part, then n bars. */
static void
put_plot(FILE *to, const char *title, const char * const *names,
    unsigned nparts, const struct bar *bars, size_t n)
{
	uint64_t most = 1;
	unsigned p;
	size_t i;

	fprintf(to, "<h2>%s, by host</h2>\n<p class=\"legend\">", title);
	for (p = 0; p < nparts; p++)
		if (names[p] != NULL)
			fprintf(to, "<span><i style=\"background:var(--c%u)\">"
			    "</i>%s</span>", p, names[p]);
	fprintf(to, "</p>\n");
	for (i = 0; i < n; i++)
		if (bar_size(&bars[i]) > most)
			most = bar_size(&bars[i]);
	for (i = 0; i < n; i++)
		put_bar(to, &bars[i], most, names);
}

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
put_plots(const struct fm_replay *replay, FILE *to)
{
	static const char * const parts[] = { "after", "saved" };
	const char *names[FM_REPLAY_VERDICTS];
	struct bar verdicts[HOSTS_MOST], objects[HOSTS_MOST + 1];
	size_t i, n = replay->count->nhosts < HOSTS_MOST ?
	    replay->count->nhosts : HOSTS_MOST;
	unsigned v;

	for (v = 0; v < FM_REPLAY_VERDICTS; v++)
		names[v] = fm_verdict_name(v);
	objects[0] = (struct bar){ fm_text_of("all hosts"),
	    { replay->sum.objects.after, saved(&replay->sum) } };
	for (i = 0; i < n; i++) {
		verdicts[i].label = name_of(&replay->count->hosts[i]);
		memcpy(verdicts[i].parts, replay->count->hosts[i].verdicts,
		    sizeof verdicts[i].parts);
		objects[i + 1] = (struct bar){ verdicts[i].label,
		    { replay->count->hosts[i].objects.after,
		    saved(&replay->count->hosts[i]) } };
	}
	put_plot(to, "Verdicts", names, FM_REPLAY_VERDICTS, verdicts, n);
	put_plot(to, "Objects in the cache", parts, 2, objects, n + 1);
}

void
fm_replay_html(const struct fm_replay *replay, FILE *to)
{
	struct fm_text rest, line;
	struct fm_written text;
	size_t i;

	fm_written_begin(&text);
	fm_replay_text(replay, text.to);
	fm_written_end(&text);
	fprintf(to, "<!DOCTYPE html>\n<html lang=\"en\">\n"
	    "<meta charset=\"utf-8\">\n<title>" TITLE "</title>\n%s<h1>"
	    TITLE "</h1>\n", head);
	for (i = 0; i < replay->logs->ntroubles; i++) {
		fprintf(to, "<p><b>");
		fm_put_escaped(to, fm_text_of(replay->logs->troubles[i]), 0);
		fprintf(to, "</b></p>\n");
	}
	put_plots(replay, to);
	fprintf(to, "<h2>All of it</h2>\n<pre>");
	rest = fm_text(text.text, text.len);
	while (fm_cut_line(&rest, &line)) {
		fm_put_escaped(to, line, 0);
		fputc('\n', to);
	}
	fprintf(to, "</pre>\n</html>\n");
	free(text.text);
}
