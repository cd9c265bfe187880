/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes HTML pages.  Bars are <i> elements whose width is a style; no script
 * draws them.
 */

#include <stdlib.h>

#include "html.h"
#include "term.h"

#define WIDTH		60.	/* percent of the page: the longest bar */
#define LABEL_MOST	34	/* columns of the label of a bar */

static const char head[] =
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<style>\n"
    ":root { color-scheme: light dark; --ink: #1d2733; --dim: #5d6b7a;"
    " --paper: #fff;\n"
    "  --c0: #7a8ca3; --c1: #e0862c; --c2: #9566b8; --c3: #2a9d8f;"
    " --c4: #5d9c3a; --c5: #cc4b43; --c6: #3a7bd5; --c7: #8b6d3f;\n"
    "  --c8: #b0588f; }\n"
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

static void
put_escaped(FILE *to, const char *s)
{
	for (; *s != '\0'; s++)
		switch (*s) {
		case '&':
			fputs("&amp;", to);
			break;
		case '<':
			fputs("&lt;", to);
			break;
		case '>':
			fputs("&gt;", to);
			break;
		case '"':
			fputs("&quot;", to);
			break;
		case '\'':
			fputs("&#39;", to);
			break;
		default:
			fputc(*s, to);
			break;
		}
}

static void
put_text(FILE *to, struct fm_text text, size_t most)
{
	char *clean = fm_term_clean(text, most);

	put_escaped(to, clean);
	free(clean);
}

void
fm_html_text(FILE *to, struct fm_text text)
{
	put_text(to, text, 0);
}

const char *
fm_grouped(uint64_t n, char buf[32])
{
	char digits[32], *to = buf;
	int i, len = snprintf(digits, sizeof digits, "%llu",
	    (unsigned long long)n);

	for (i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return (buf);
}

void
fm_html_begin(FILE *to, const char *title)
{
	fprintf(to, "<!DOCTYPE html>\n<html lang=\"en\">\n"
	    "<meta charset=\"utf-8\">\n<title>");
	fm_html_text(to, fm_text_of(title));
	fprintf(to, "</title>\n%s<h1>", head);
	fm_html_text(to, fm_text_of(title));
	fprintf(to, "</h1>\n");
}

void
fm_html_end(FILE *to)
{
	fprintf(to, "</html>\n");
}

void
fm_html_legend(FILE *to, const char * const *names, unsigned nparts)
{
	unsigned i;

	fprintf(to, "<p class=\"legend\">");
	for (i = 0; i < nparts; i++)
		fprintf(to, "<span><i style=\"background:var(--c%u)\"></i>%s"
		    "</span>", i, names[i]);
	fprintf(to, "</p>\n");
}

/*--------------------------------------------------------------------
 * Plots
 */

static uint64_t
bar_size(const struct fm_html_bar *bar, unsigned nparts)
{
	uint64_t size = 0;
	unsigned i;

	for (i = 0; i < nparts; i++)
		size += bar->parts[i];
	return (size);
}

void
fm_html_bars(FILE *to, const struct fm_html_bar *bars, size_t n,
    const char * const *names, unsigned nparts)
{
	uint64_t most = 1, part;
	char buf[32];
	unsigned p;
	size_t i;

	for (i = 0; i < n; i++)
		if (bar_size(&bars[i], nparts) > most)
			most = bar_size(&bars[i], nparts);
	for (i = 0; i < n; i++) {
		fprintf(to, "<div class=\"bar\"><span>");
		put_text(to, bars[i].label, LABEL_MOST);
		fprintf(to, "</span>");
		for (p = 0; p < nparts; p++) {
			part = bars[i].parts[p];
			if (part > 0)
				fprintf(to, "<i style=\"width:%.1f%%;"
				    "background:var(--c%u)\" title=\"%s: "
				    "%s\"></i>", WIDTH * (double)part /
				    (double)most, p, names[p],
				    fm_grouped(part, buf));
		}
		fprintf(to, "%s</div>\n",
		    fm_grouped(bar_size(&bars[i], nparts), buf));
	}
}
