/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes the page's section about the shadow: its state, how it differs from
 * the rules that serve, and the last requests for which it did.
 */

#include <string.h>

#include "htmlbuf.h"
#include "page.h"

/* Budgets, in bytes of HTML; TEXT cuts after 160 characters. */
#define TEXT		"%.160s"
#define DIFFERENCES	10000
#define EXAMPLES	18000
#define MESSAGES	3000
#define ERROR_LINE	1100	/* bytes: no message is longer */

#define put		fm_html_print

static const char *
words(const struct fm_page *page, const struct fm_shadow_rule *rule)
{
	return (page->secrets ? rule->text : rule->masked);
}

/*--------------------------------------------------------------------
 * The state of the shadow
 */

static void
put_messages(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const char *line = page->what.shadow->messages, *end;
	size_t start = out->len, len;
	char text[ERROR_LINE];

	while ((end = strchr(line, '\n')) != NULL &&
	    out->len < start + MESSAGES) {
		len = (size_t)(end - line);
		if (len >= sizeof text)
			len = sizeof text - 1;
		memcpy(text, line, len);
		text[len] = '\0';
		if (!page->secrets)
			fm_page_mask(text);
		put(out, "<p><code>" TEXT "</code></p>\n", text);
		line = end + 1;
	}
}

static void
put_state(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const struct fm_shadow_told *told = page->what.shadow;

	put(out, "<dl>\n<dt>File</dt><dd><code>" TEXT "</code></dd>\n"
	    "<dt>State</dt><dd>", told->path);
	if (told->digest != NULL)
		put(out, "generation %ju, <code>" TEXT "</code>",
		    (uintmax_t)told->generation, told->digest);
	else
		put(out, told->errors > 0 ? "its file is not valid" :
		    "there is no such file");
	put(out, "</dd>\n<dt>Compared since</dt><dd>%jd</dd>\n"
	    "<dt>Requests compared</dt><dd id=\"shadow-sampled\">%ju</dd>\n"
	    "<dt>Of them differ</dt><dd id=\"shadow-differ\">%ju</dd>\n"
	    "</dl>\n", (intmax_t)told->since, (uintmax_t)told->sampled,
	    (uintmax_t)told->differ);
	if (told->errors > 0)
		put_messages(out, page);
}

/*--------------------------------------------------------------------
 * Differences
 */

static void
put_side(struct fm_jsonbuf *out, const struct fm_page *page,
    const struct fm_shadow_rule *rule)
{
	if (rule->at == NULL)
		put(out, "<td>\xe2\x80\x93</td>");
	else
		put(out, "<td><span class=\"place\">" TEXT "</span> "
		    "<code>" TEXT "</code></td>",
		    fm_page_below(page, rule->at), words(page, rule));
}

static void
put_kind(struct fm_jsonbuf *out, const struct fm_shadow_cell *cell)
{
	put(out, "%s", cell->kind);
	if (cell->header != NULL)
		put(out, " <code>" TEXT "</code>", cell->header);
}

static void
put_differences(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const struct fm_shadow_told *told = page->what.shadow;
	const struct fm_shadow_cell *cell;
	size_t start, i;

	put(out, "<div class=\"scroll\">\n<table>\n<caption>What differs, by"
	    " rule and host</caption>\n<thead><tr><th scope=\"col\">What</th>"
	    "<th scope=\"col\">Host</th><th scope=\"col\">Serves</th>"
	    "<th scope=\"col\">Shadow</th><th scope=\"col\" class=\"n\">"
	    "Requests</th></tr></thead>\n<tbody id=\"shadow-rows\">\n");
	start = out->len;
	for (i = 0; i < told->ncells && out->len < start + DIFFERENCES; i++) {
		cell = told->cells[i];
		put(out, "<tr><th scope=\"row\">");
		put_kind(out, cell);
		put(out, "</th><td><code>" TEXT "</code></td>", cell->host);
		put_side(out, page, &cell->rules[FM_OLD]);
		put_side(out, page, &cell->rules[FM_NEW]);
		put(out, "<td class=\"n\">%ju</td></tr>\n",
		    (uintmax_t)cell->requests);
	}
	put(out, "</tbody>\n</table>\n</div>\n");
}

/* Writes the headers that rules tested; values only if the page may. */
static void
put_tested(struct fm_jsonbuf *out, const struct fm_page *page,
    const struct fm_shadow_example *example)
{
	size_t i;

	for (i = 0; i < example->ntested; i++) {
		put(out, i == 0 ? "<code>" TEXT "</code>" :
		    ", <code>" TEXT "</code>", example->tested[i].name);
		if (example->tested[i].value == NULL)
			put(out, " not there");
		else if (!page->secrets)
			put(out, " hidden");
		else
			put(out, ": <code>" TEXT "</code>",
			    example->tested[i].value);
	}
}

static void
put_example(struct fm_jsonbuf *out, const struct fm_page *page,
    const struct fm_shadow_example *example)
{
	size_t i;

	put(out, "<tr><td class=\"place\">%jd</td><td><code>" TEXT " " TEXT
	    TEXT "</code></td><td>", (intmax_t)example->at, example->method,
	    example->host, example->path);
	put_tested(out, page, example);
	put(out, "</td><td>");
	for (i = 0; i < example->ncells; i++) {
		put(out, i == 0 ? "" : ", ");
		put_kind(out, example->cells[i]);
	}
	put(out, "</td></tr>\n");
}

static void
put_examples(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const struct fm_shadow_told *told = page->what.shadow;
	size_t start, i;

	put(out, "<div class=\"scroll\">\n<table>\n<caption>The last requests"
	    " of which that is so</caption>\n<thead><tr><th scope=\"col\">When"
	    "</th><th scope=\"col\">Request, without its query</th>"
	    "<th scope=\"col\">Headers tested</th>"
	    "<th scope=\"col\">Differs</th></tr></thead>\n"
	    "<tbody id=\"shadow-latest\">\n");
	start = out->len;
	for (i = 0; i < told->nexamples && out->len < start + EXAMPLES; i++)
		put_example(out, page, &told->examples[i]);
	put(out, "</tbody>\n</table>\n</div>\n");
}

void
fm_page_shadow(struct fm_jsonbuf *out, const struct fm_page *page)
{
	if (page->what.shadow == NULL)
		return;
	put(out, "<section id=\"shadow\">\n<h2>Shadow</h2>\n");
	put_state(out, page);
	if (page->what.shadow->digest != NULL)
		put_differences(out, page);
	if (page->what.shadow->nexamples > 0)
		put_examples(out, page);
	put(out, "</section>\n");
}
