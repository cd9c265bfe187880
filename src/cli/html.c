/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes pages, and bars as SVG.
 */

#include <stdlib.h>

#include "html.h"
#include "term.h"

#define WIDTH		860
#define LABEL		230	/* of a bar, at its left */
#define VALUE		90	/* at its right */
#define LABEL_MOST	34	/* characters */
#define BAR		15
#define GAP		8

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
    ".plot { overflow-x: auto; }\n"
    "svg { width: 100%; min-width: 620px; max-width: 860px; height: auto;"
    " display: block; }\n"
    "svg text { font: 12px system-ui, sans-serif; fill: var(--ink); }\n"
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

static void
begin_plot(FILE *to, const char *title, size_t height)
{
	fprintf(to, "<div class=\"plot\">\n"
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
	    "viewBox=\"0 0 %d %zu\" width=\"%d\" height=\"%zu\">\n<title>",
	    WIDTH, height, WIDTH, height);
	fm_html_text(to, fm_text_of(title));
	fprintf(to, "</title>\n");
}

static uint64_t
bar_size(const struct fm_html_bar *bar, unsigned nparts, bool stacked)
{
	uint64_t size = 0;
	unsigned i;

	for (i = 0; i < nparts; i++)
		if (stacked)
			size += bar->parts[i];
		else if (bar->parts[i] > size)
			size = bar->parts[i];
	return (size);
}

/* A part; what it says when it is pointed at. */
static void
put_part(FILE *to, double x, size_t y, double width, unsigned part,
    const char *name, uint64_t n)
{
	char buf[32];

	if (n == 0)
		return;
	fprintf(to, "<rect x=\"%.1f\" y=\"%zu\" width=\"%.1f\" height=\"%d\" "
	    "style=\"fill:var(--c%u)\"><title>%s: %s</title></rect>\n", x, y,
	    width < 0.5 ? 0.5 : width, BAR, part, name, fm_grouped(n, buf));
}

static void
put_value(FILE *to, double x, size_t y, uint64_t n)
{
	char buf[32];

	fprintf(to, "<text x=\"%.1f\" y=\"%zu\">%s</text>\n", x + 6,
	    y + BAR - 3, fm_grouped(n, buf));
}

void
fm_html_bars(FILE *to, const char *title, const struct fm_html_bar *bars,
    size_t n, const char * const *names, unsigned nparts, bool stacked)
{
	size_t i, y = 0, step = (stacked ? 1 : nparts) * BAR + GAP;
	double scale, x, width;
	uint64_t most = 1, size;
	unsigned part;

	for (i = 0; i < n; i++) {
		size = bar_size(&bars[i], nparts, stacked);
		if (size > most)
			most = size;
	}
	scale = (double)(WIDTH - LABEL - VALUE) / (double)most;
	begin_plot(to, title, n * step);
	for (i = 0; i < n; i++, y += step) {
		fprintf(to, "<text x=\"%d\" y=\"%zu\" text-anchor=\"end\">",
		    LABEL - 8, y + (step - GAP) / 2 + 4);
		put_text(to, bars[i].label, LABEL_MOST);
		fprintf(to, "</text>\n");
		x = LABEL;
		for (part = 0; part < nparts; part++) {
			width = scale * (double)bars[i].parts[part];
			put_part(to, x, stacked ? y : y + (size_t)part * BAR,
			    width, part, names[part], bars[i].parts[part]);
			if (stacked)
				x += width;
			else
				put_value(to, x + width, y + (size_t)part * BAR,
				    bars[i].parts[part]);
		}
		if (stacked)
			put_value(to, x, y,
			    bar_size(&bars[i], nparts, true));
	}
	fprintf(to, "</svg>\n</div>\n");
}
