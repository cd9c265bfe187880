/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes the page's changing parts as JSON, for programs.
 */

#include "page.h"

#define BUDGET		25000	/* bytes of JSON of each table */
#define TEXT		"%.250s"	/* bytes; the page shows no more */

#define put		fm_jsonbuf_print
#define put_raw		fm_jsonbuf_raw

static void
put_head(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const struct fm_live_state *state = page->state;
	const struct fm_version *version = state->version;

	put(out, "{\"now\": %ju,\n\"generation\": %ju,\n\"digest\": %s",
	    (uintmax_t)page->now,
	    (uintmax_t)(version == NULL ? 0 : version->generation),
	    version == NULL ? NULL : version->set->digest);
	put(out, ",\n\"loaded_at\": %ju,\n\"backup\": ",
	    (uintmax_t)state->facts.loaded_at);
	put_raw(out, state->facts.backup ? "true" : "false");
	if (state->last == FM_RELOAD_REFUSED)
		put(out, ",\n\"refused_at\": %ju", (uintmax_t)state->last_at);
	else
		put_raw(out, ",\n\"refused_at\": null");
}

static void
put_errors(struct fm_jsonbuf *out, const struct fm_page *page)
{
	struct fm_page_error error;
	unsigned n;

	put_raw(out, ",\n\"errors\": [");
	for (n = 0; fm_page_error(page, n, &error); n++) {
		put_raw(out, n == 0 ? "\n" : ",\n");
		put(out, "{\"at\": " TEXT ", \"text\": " TEXT
		    ", \"excerpt\": %s}", error.at, error.text,
		    error.excerpt);
	}
	put(out, "],\n\"error_count\": %ju", (uintmax_t)page->state->errors);
}

static void
put_counts(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const struct fm_page_count *count;
	size_t n;

	put(out, ",\n\"seconds\": %.3f,\n\"counts\": [", page->seconds);
	for (n = 0; n < page->ncounts; n++) {
		count = &page->counts[n];
		put(out, n == 0 ?
		    "\n{\"what\": %s, \"total\": %ju}" :
		    ",\n{\"what\": %s, \"total\": %ju}",
		    count->what, (uintmax_t)count->total);
	}
	put_raw(out, "]");
}

static void
put_hits(struct fm_jsonbuf *out, const struct fm_page *page, size_t n)
{
	if (page->totals == NULL)
		put_raw(out, ", \"hits\": null}");
	else
		put(out, ", \"hits\": %ju}", (uintmax_t)page->totals[n]);
}

static void
put_rows_head(struct fm_jsonbuf *out, const char *name,
    const struct fm_page_rows *rows)
{
	put(out, ",\n%s: {\"of\": %ju, \"matched\": %ju, \"rows\": [", name,
	    (uintmax_t)rows->of, (uintmax_t)rows->matched);
}

static void
put_rules(struct fm_jsonbuf *out, const struct fm_page *page,
    const char *name, const struct fm_page_rows *rows)
{
	size_t start = out->len;
	const struct fm_rule *rule;
	uint32_t n;

	put_rows_head(out, name, rows);
	for (n = 0; n < rows->n && out->len < start + BUDGET; n++) {
		rule = fm_page_rule(page, rows->index[n]);
		put_raw(out, n == 0 ? "\n" : ",\n");
		put(out, "{\"at\": " TEXT ", \"text\": " TEXT,
		    fm_page_place(page, rule), fm_page_words(page, rule));
		put_hits(out, page, rows->index[n]);
	}
	put_raw(out, "]}");
}

static void
put_hosts(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const struct fm_page_rows *rows = &page->hosts;
	size_t start = out->len;
	uint32_t n;

	put_rows_head(out, "hosts", rows);
	for (n = 0; n < rows->n && out->len < start + BUDGET; n++) {
		put_raw(out, n == 0 ? "\n" : ",\n");
		put(out, "{\"host\": " TEXT, fm_program_host(
		    page->what.program, rows->index[n], NULL));
		put_hits(out, page, page->nrules + rows->index[n]);
	}
	put(out, "], \"never\": %ju}", (uintmax_t)page->hosts_never);
}

static void
put_side(struct fm_jsonbuf *out, const struct fm_page *page,
    const struct fm_shadow_rule *rule)
{

	if (rule->at == NULL)
		put_raw(out, "null");
	else
		put(out, "{\"at\": " TEXT ", \"text\": " TEXT "}",
		    fm_page_below(page, rule->at),
		    page->secrets ? rule->text : rule->masked);
}

static void
put_difference(struct fm_jsonbuf *out, const struct fm_page *page,
    const struct fm_shadow_cell *cell)
{

	put(out, "{\"kind\": %s, \"header\": " TEXT ", \"host\": " TEXT
	    ", \"serving\": ", cell->kind, cell->header, cell->host);
	put_side(out, page, &cell->rules[FM_OLD]);
	put_raw(out, ", \"shadow\": ");
	put_side(out, page, &cell->rules[FM_NEW]);
	put(out, ", \"requests\": %ju}", (uintmax_t)cell->requests);
}

static void
put_shadow(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const struct fm_shadow_told *told = page->what.shadow;
	size_t start = out->len, i;

	if (told == NULL) {
		put_raw(out, ",\n\"shadow\": null");
		return;
	}
	put(out, ",\n\"shadow\": {\"sampled\": %ju, \"differ\": %ju, "
	    "\"differences\": [", (uintmax_t)told->sampled,
	    (uintmax_t)told->differ);
	for (i = 0; i < told->ncells && out->len < start + BUDGET; i++) {
		put_raw(out, i == 0 ? "\n" : ",\n");
		put_difference(out, page, told->cells[i]);
	}
	put_raw(out, "]}");
}

char *
fm_page_json(const struct fm_page *page, size_t *len)
{
	struct fm_jsonbuf out = { .bytes = NULL };

	put_head(&out, page);
	put_errors(&out, page);
	put_counts(&out, page);
	put_hosts(&out, page);
	put_rules(&out, page, "rules", &page->rules);
	put_rules(&out, page, "never", &page->never);
	put_shadow(&out, page);
	put_raw(&out, "\n}\n");
	*len = out.len;
	return (fm_jsonbuf_finish(&out));
}
