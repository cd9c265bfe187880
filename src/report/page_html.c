/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes the page as HTML.  The page is complete without its script, which only
 * takes the parts that have changed from a page that was written later.
 */

#include <stdio.h>
#include <string.h>

#include "htmlbuf.h"
#include "page.h"
#include "page_files.h"

/* Bytes of HTML after which a table, or the list of files, is cut. */
#define BUDGET		17000
#define FILES		6000
#define TEXT		"%.250s"	/* characters; the JSON cuts after as
					 * many bytes */

#define put		fm_html_print

/*--------------------------------------------------------------------
 * The head, the errors, the set that serves, and the counts
 */

static void
put_head(struct fm_jsonbuf *out, const struct fm_page *page)
{
	put(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	    "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
	    "content=\"width=device-width, initial-scale=1\">\n<title>"
	    TEXT " \xe2\x80\x93 fastmatch</title>\n"
	    "<link rel=\"icon\" href=\"data:,\">\n<style>",
	    page->what.name);
	fm_jsonbuf_raw(out, FM_PAGE_CSS);
	put(out, "</style>\n</head>\n<body>\n<header>\n<h1>" TEXT "</h1>\n"
	    "<p class=\"dim\">The rules of the VCL " TEXT ", as of "
	    "<span id=\"now\">%jd</span><span id=\"live\"></span></p>\n"
	    "</header>\n<main>\n", page->what.name, page->what.vcl,
	    (intmax_t)page->now);
}

static void
put_error(struct fm_jsonbuf *out, const struct fm_page_error *error)
{
	put(out, "<p><code>" TEXT "</code> " TEXT "</p>\n", error->at,
	    error->text);
	if (error->excerpt != NULL)
		put(out, "<pre>%s</pre>\n", error->excerpt);
}

static void
put_errors(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const struct fm_live_state *state = page->state;
	struct fm_page_error error;
	unsigned n;

	put(out, "<section id=\"errors\" class=\"bad\" role=\"alert\"");
	if (state->last != FM_RELOAD_REFUSED)
		put(out, " hidden");
	put(out, ">\n<h2>The last reload was refused, <span id=\"refused\">%jd"
	    "</span>; what served goes on</h2>\n<div id=\"messages\">\n",
	    (intmax_t)state->last_at);
	for (n = 0; fm_page_error(page, n, &error); n++)
		put_error(out, &error);
	if (state->errors > n)
		put(out, "<p>Errors in all: %ju</p>\n",
		    (uintmax_t)state->errors);
	put(out, "</div>\n</section>\n");
}

static void
put_files(struct fm_jsonbuf *out, const struct fm_sources *sources)
{
	const struct fm_source *source;
	size_t start = out->len, more = 0;

	source = sources == NULL ? NULL : fm_sources_first(sources);
	for (; source != NULL; source = source->next) {
		if (source->glob)
			continue;
		if (out->len > start + FILES)
			more++;
		else
			put(out, "<dd><code>" TEXT "</code></dd>\n",
			    source->path);
	}
	if (more > 0)
		put(out, "<dd>and %ju more</dd>\n", (uintmax_t)more);
}

static void
put_serves(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const struct fm_live_state *state = page->state;
	const struct fm_set_facts *facts = &state->facts.set;
	const struct fm_set *set =
	    state->version == NULL ? NULL : state->version->set;

	put(out, "<section>\n<h2>What serves</h2>\n<dl>\n"
	    "<dt>Generation</dt><dd id=\"generation\">%ju</dd>\n"
	    "<dt>Since</dt><dd id=\"since\">%jd</dd>\n"
	    "<dt>Digest</dt><dd><code id=\"digest\">%s</code></dd>\n"
	    "<dt>From</dt><dd id=\"from\">%s</dd>\n"
	    "<dt>Engine</dt><dd>" TEXT "</dd>\n",
	    (uintmax_t)state->facts.generation,
	    (intmax_t)state->facts.loaded_at, set == NULL ? NULL : set->digest,
	    state->facts.backup ? "the backup, as the file is not valid" :
	    "the file", page->engine);
	if (state->watch > 0)
		put(out, "<dt>Looks for changes</dt><dd>every %.3f s</dd>\n",
		    state->watch);
	else
		put(out, "<dt>Looks for changes</dt><dd>only when told to</dd>"
		    "\n");
	put(out, "<dt>Host patterns</dt><dd>%ju</dd>\n"
	    "<dt>Rules</dt><dd>%ju</dd>\n<dt>Warnings</dt><dd>%ju</dd>\n"
	    "<dt>Files</dt>\n", (uintmax_t)facts->hosts,
	    (uintmax_t)facts->rules,
	    (uintmax_t)fm_diag_warnings(set == NULL ? NULL : set->diag));
	put_files(out, set == NULL ? NULL : set->sources);
	put(out, "</dl>\n</section>\n");
}

static void
put_counts(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const struct fm_page_count *count;
	double rate;
	size_t n;

	put(out, "<section>\n<h2>Requests</h2>\n<div class=\"scroll\">\n"
	    "<table>\n<caption id=\"over\">Per second: over the last %ju s"
	    "</caption>\n<thead><tr><th scope=\"col\">What</th>"
	    "<th scope=\"col\" class=\"n\">In all</th>"
	    "<th scope=\"col\" class=\"n\">Per second</th></tr></thead>\n"
	    "<tbody id=\"counts\">\n", (uintmax_t)(page->seconds + 0.5));
	for (n = 0; n < page->ncounts; n++) {
		count = &page->counts[n];
		rate = page->seconds > 0 ?
		    (double)count->total / page->seconds : 0;
		put(out, "<tr><th scope=\"row\">%s</th><td class=\"n\">%ju"
		    "</td><td class=\"n\">%.3f</td></tr>\n", count->what,
		    (uintmax_t)count->total,
		    (double)(uint64_t)(rate * 10 + 0.5) / 10);
	}
	put(out, "</tbody>\n</table>\n</div>\n</section>\n");
}

/*--------------------------------------------------------------------
 * Hosts and rules
 */

static void
put_search(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const struct fm_page_query *query = &page->query;

	put(out, "<section>\n<h2>Hosts and rules</h2>\n"
	    "<form id=\"search\" role=\"search\">\n<div class=\"row\">\n"
	    "<label class=\"wide\">Search <input type=\"search\" name=\"q\""
	    " maxlength=\"100\" value=\"%s\"></label>\n"
	    "<label>Rows <input type=\"number\" name=\"n\" min=\"1\""
	    " max=\"200\" value=\"", query->search.b);
	if (query->rows > 0)
		fm_jsonbuf_number(out, query->rows);
	put(out, "\"></label>\n");
	if (query->hosts_by_name)
		put(out, "<input type=\"hidden\" name=\"hosts\""
		    " value=\"name\">\n");
	if (query->rules_by_place)
		put(out, "<input type=\"hidden\" name=\"rules\""
		    " value=\"place\">\n");
	put(out, "<button>Search</button>\n</div>\n</form>\n</section>\n");
}

/* Writes the head of a column: a link that sorts the table by it. */
static void
put_column(struct fm_jsonbuf *out, const struct fm_page *page,
    const char *what, bool by_name, bool hosts, bool number)
{
	const struct fm_page_query *query = &page->query;
	bool host_name = hosts ? by_name : query->hosts_by_name;
	bool rule_place = hosts ? query->rules_by_place : by_name;
	bool sorted = by_name == (hosts ? query->hosts_by_name :
	    query->rules_by_place);

	put(out, number ? "<th scope=\"col\" class=\"n\"" :
	    "<th scope=\"col\"");
	if (sorted)
		put(out, " aria-sort=\"%s\"", by_name ? "ascending" :
		    "descending");
	put(out, "><a href=\"?hosts=%s&amp;rules=%s&amp;q=",
	    host_name ? "name" : "hits", rule_place ? "place" : "hits");
	fm_html_query(out, query->search);
	if (query->rows > 0)
		put(out, "&amp;n=%ju", (uintmax_t)query->rows);
	put(out, "#%s\">%s%s</a></th>", hosts ? "hosts" : "rules", what,
	    !sorted ? NULL : by_name ? " \xe2\x86\x91" : " \xe2\x86\x93");
}

#define SHOWN_DIGITS	3	/* of FM_PAGE_MOST */

static void
put_shown(struct fm_jsonbuf *out, size_t at, uint32_t n)
{
	char digits[SHOWN_DIGITS + 1];

	(void)snprintf(digits, sizeof digits, "%*u", SHOWN_DIGITS, n);
	if (!out->failed)
		memcpy(out->bytes + at, digits, SHOWN_DIGITS);
}

static void
put_hits(struct fm_jsonbuf *out, const struct fm_page *page, size_t n)
{
	if (page->totals == NULL)
		put(out, "<td class=\"n\">\xe2\x80\x93</td></tr>\n");
	else
		put(out, "<td class=\"n\">%ju</td></tr>\n",
		    (uintmax_t)page->totals[n]);
}

static void
put_host(struct fm_jsonbuf *out, const struct fm_page *page, uint32_t n)
{
	put(out, "<tr><th scope=\"row\"><code>" TEXT "</code></th>",
	    fm_program_host(page->what.program, n, NULL));
}

static void
put_rule(struct fm_jsonbuf *out, const struct fm_page *page, uint32_t n)
{
	const struct fm_rule *rule = fm_page_rule(page, n);

	put(out, "<tr><td class=\"place\">" TEXT "</td>"
	    "<th scope=\"row\"><code>" TEXT "</code></th>",
	    fm_page_place(page, rule), fm_page_words(page, rule));
}

/*
 * Writes the table of these rows of the page, below the caption "50 of 1 000
 * host patterns".  The first number is written once the rows are there.
 */
static void
put_table(struct fm_jsonbuf *out, const struct fm_page *page,
    const struct fm_page_rows *rows, const char *id, const char *title,
    const char *what)
{
	bool hosts = rows == &page->hosts, hits = rows != &page->never;
	size_t start = out->len, shown;
	uint32_t n;

	put(out, "<section id=\"%s\">\n<h2>%s</h2>\n<div class=\"scroll\">\n"
	    "<table>\n<caption><span id=\"%s-shown\">", id, title, id);
	shown = out->len;
	put(out, "    of %ju</span> %s", (uintmax_t)rows->matched, what);
	if (hosts)
		put(out, "%ju", (uintmax_t)page->hosts_never);
	put(out, "</caption>\n<thead><tr>");
	if (hits)
		put_column(out, page, hosts ? "Host" : "Place", true, hosts,
		    false);
	else
		put(out, "<th scope=\"col\">Place</th>");
	if (!hosts)
		put(out, "<th scope=\"col\">Rule</th>");
	if (hits)
		put_column(out, page, "Hits", false, hosts, true);
	put(out, "</tr></thead>\n<tbody id=\"%s-rows\">\n", id);
	for (n = 0; n < rows->n && out->len < start + BUDGET; n++) {
		(hosts ? put_host : put_rule)(out, page, rows->index[n]);
		if (hits)
			put_hits(out, page, rows->index[n] +
			    (hosts ? page->nrules : 0));
		else
			put(out, "</tr>\n");
	}
	put_shown(out, shown, n);
	put(out, "</tbody>\n</table>\n</div>\n</section>\n");
}

static void
put_tables(struct fm_jsonbuf *out, const struct fm_page *page)
{
	put(out, "<div class=\"grid\">\n");
	put_table(out, page, &page->hosts, "hosts", "Hosts", "host patterns"
	    " that the search finds; never asked for: ");
	put_table(out, page, &page->rules, "rules", "Rules",
	    "rules that the search finds");
	put(out, "</div>\n");
	put_table(out, page, &page->never, "never", "Rules never hit",
	    "rules that no request has reached, of those that the search"
	    " finds");
}

/*--------------------------------------------------------------------
 * Any request, explained
 */

static void
put_input(struct fm_jsonbuf *out, struct fm_text value, size_t most)
{
	put(out, " value=\"");
	fm_html_text(out, value, most);
	put(out, "\"></label>\n");
}

static void
put_form(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const struct fm_page_query *query = &page->query;

	put(out, "<section id=\"explain\">\n<h2>Explain a request</h2>\n"
	    "<form action=\"#explain\">\n<div class=\"row\">\n"
	    "<label>Method <input name=\"method\" maxlength=\"32\""
	    " placeholder=\"GET\"");
	put_input(out, query->method, FM_PAGE_METHOD);
	put(out, "<label class=\"wide\">URL <input name=\"url\" required"
	    " maxlength=\"2048\" placeholder=\"https://www.example.com/\"");
	put_input(out, query->url, FM_PAGE_URL);
	put(out, "<label>Client <input name=\"client\" maxlength=\"64\""
	    " placeholder=\"192.0.2.1\"");
	put_input(out, query->client, FM_PAGE_CLIENT);
	put(out, "</div>\n<label>Headers, one on each line <textarea"
	    " name=\"headers\" rows=\"2\" maxlength=\"4096\""
	    " placeholder=\"User-Agent: \xe2\x80\xa6\">\n");
	fm_html_text(out, query->headers, FM_PAGE_HEADERS);
	put(out, "</textarea></label>\n"
	    "<div class=\"row\"><button>Explain</button></div>\n</form>\n");
	if (query->url.len > 0 || query->too_long)
		fm_page_explain(out, page);
	put(out, "</section>\n");
}

char *
fm_page_html(const struct fm_page *page, size_t *len)
{
	struct fm_jsonbuf out = { .bytes = NULL };

	put_head(&out, page);
	put_errors(&out, page);
	put(&out, "<div class=\"grid\">\n");
	put_serves(&out, page);
	put_counts(&out, page);
	put(&out, "</div>\n");
	put_form(&out, page);
	put_search(&out, page);
	put_tables(&out, page);
	fm_page_shadow(&out, page);
	put(&out, "</main>\n<script>");
	fm_jsonbuf_raw(&out, FM_PAGE_JS);
	put(&out, "</script>\n</body>\n</html>\n");
	*len = out.len;
	return (fm_jsonbuf_finish(&out));
}
