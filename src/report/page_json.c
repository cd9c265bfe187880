/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes the JSON of the page; vmod_fastmatch(3) names its keys.
 */

#include "history_json.h"
#include "page.h"

#define BUDGET		25000	/* bytes of JSON of each table */
#define FILES		8000	/* the same of the list of files */
#define TEXT		"%.250s"	/* FM_PAGE_TEXT */

#define put		fm_jsonbuf_print
#define put_raw		fm_jsonbuf_raw

/*--------------------------------------------------------------------
 * What serves
 */

static void
put_time(struct fm_jsonbuf *out, const char *key, time_t at)
{
	if (at == 0)
		put(out, ",\n%s: null", key);
	else
		put(out, ",\n%s: %ju", key, (uintmax_t)at);
}

static void
put_head(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const struct fm_live_state *state = page->state;
	const struct fm_version *version = state->version;

	put(out, "{\"now\": %ju,\n\"name\": " TEXT ",\n\"vcl\": " TEXT
	    ",\n\"path\": %s,\n\"engine\": %s,\n\"log\": %s,\n\"secrets\": ",
	    (uintmax_t)page->now, page->what.name, page->what.vcl,
	    page->what.path, page->engine, page->log);
	put_raw(out, page->secrets ? "true" : "false");
	put(out, ",\n\"watch\": %.3f,\n\"generation\": %ju,\n\"digest\": %s",
	    state->watch,
	    (uintmax_t)(version == NULL ? 0 : version->generation),
	    version == NULL ? NULL : version->set->digest);
	put(out, ",\n\"loaded_at\": %ju,\n\"backup\": ",
	    (uintmax_t)state->facts.loaded_at);
	put_raw(out, state->facts.backup ? "true" : "false");
	put_time(out, "refused_at",
	    state->last == FM_RELOAD_REFUSED ? state->last_at : 0);
}

static void
put_messages(struct fm_jsonbuf *out, const struct fm_page *page,
    const struct fm_diag *diag, bool errors)
{
	struct fm_page_message message;
	unsigned n;

	put_raw(out, "[");
	for (n = 0; fm_page_message(page, diag, errors, n, &message); n++) {
		put_raw(out, n == 0 ? "\n" : ",\n");
		put(out, "{\"at\": " TEXT ", \"text\": %s, \"excerpt\": %s}",
		    fm_page_below(page, message.at), message.text,
		    message.excerpt);
	}
	put_raw(out, "]");
}

static void
put_diagnostics(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const struct fm_version *version = page->state->version;
	const struct fm_diag *diag =
	    version == NULL ? NULL : version->set->diag;

	put_raw(out, ",\n\"errors\": ");
	put_messages(out, page, page->state->diag, true);
	put(out, ",\n\"error_count\": %ju,\n\"warnings\": ",
	    (uintmax_t)page->state->errors);
	put_messages(out, page, diag, false);
	put(out, ",\n\"warning_count\": %ju",
	    (uintmax_t)fm_diag_warnings(diag));
}

static void
put_files(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const struct fm_version *version = page->state->version;
	const struct fm_source *source = NULL;
	size_t start = out->len, of = 0, matched = 0, n = 0;

	if (version != NULL && version->set->sources != NULL)
		source = fm_sources_first(version->set->sources);
	put_raw(out, ",\n\"files\": {\"rows\": [");
	for (; source != NULL; source = source->next) {
		if (source->glob)
			continue;
		of++;
		if (!fm_page_finds(page, source->path))
			continue;
		matched++;
		if (n == FM_PAGE_MOST || out->len > start + FILES)
			continue;
		put(out, n++ == 0 ? "\n" TEXT : ",\n" TEXT,
		    fm_page_below(page, source->path));
	}
	put(out, "], \"of\": %ju, \"matched\": %ju}", (uintmax_t)of,
	    (uintmax_t)matched);
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

/*--------------------------------------------------------------------
 * Hosts and rules
 */

static void
put_hits(struct fm_jsonbuf *out, const struct fm_page *page, size_t n)
{
	if (page->totals == NULL)
		put_raw(out, ", \"hits\": null");
	else
		put(out, ", \"hits\": %ju", (uintmax_t)page->totals[n]);
	if (page->rates == NULL)
		put_raw(out, ", \"rate\": null");
	else
		put(out, ", \"rate\": %.3f", page->rates[n]);
}

static void
put_rows_head(struct fm_jsonbuf *out, const char *name,
    const struct fm_page_rows *rows)
{
	put(out, ",\n%s: {\"of\": %ju, \"matched\": %ju, \"rows\": [", name,
	    (uintmax_t)rows->of, (uintmax_t)rows->matched);
}

/* Writes a rule, without the brace at its end. */
static void
put_rule(struct fm_jsonbuf *out, const struct fm_page *page, uint32_t n)
{
	const struct fm_rule *rule = fm_page_rule(page, n);

	put(out, "{\"at\": " TEXT ", \"column\": %ju, \"text\": " TEXT
	    ", \"verdict\": ", fm_page_place(page, rule),
	    (uintmax_t)rule->at.column, fm_page_words(page, rule));
	put_raw(out, fm_page_decides(rule) ? "true" : "false");
	put_hits(out, page, n);
}

static void
put_rules(struct fm_jsonbuf *out, const struct fm_page *page,
    const char *name, const struct fm_page_rows *rows)
{
	size_t start = out->len;
	uint32_t n;

	put_rows_head(out, name, rows);
	for (n = 0; n < rows->n && out->len < start + BUDGET; n++) {
		put_raw(out, n == 0 ? "\n" : ",\n");
		put_rule(out, page, rows->index[n]);
		put_raw(out, "}");
	}
	put_raw(out, "]}");
}

/* Writes the responses of a host: the share of hits, and errors. */
static void
put_responses(struct fm_jsonbuf *out, const struct fm_page *page, uint32_t n)
{
	const uint64_t *of;
	uint64_t asked;

	if (page->responses == NULL) {
		put_raw(out,
		    ", \"hit_rate\": null, \"4xx\": null, \"5xx\": null");
		return;
	}
	of = page->responses[n].n;
	asked = of[FM_HITS_HIT] + of[FM_HITS_MISS] + of[FM_HITS_PASS];
	if (asked == 0)
		put_raw(out, ", \"hit_rate\": null");
	else
		put(out, ", \"hit_rate\": %.3f",
		    (double)of[FM_HITS_HIT] / (double)asked);
	put(out, ", \"4xx\": %ju, \"5xx\": %ju",
	    (uintmax_t)of[FM_HITS_4XX], (uintmax_t)of[FM_HITS_5XX]);
}

/* Writes the rows of hosts, without the brace at their end. */
static void
put_host_rows(struct fm_jsonbuf *out, const struct fm_page *page,
    const struct fm_page_rows *rows)
{
	size_t start = out->len;
	uint32_t n;

	for (n = 0; n < rows->n && out->len < start + BUDGET; n++) {
		put_raw(out, n == 0 ? "\n" : ",\n");
		put(out, "{\"host\": " TEXT, fm_program_host(
		    page->what.program, rows->index[n], NULL));
		put_hits(out, page, page->nrules + rows->index[n]);
		put_responses(out, page, rows->index[n]);
		put_raw(out, "}");
	}
	put_raw(out, "]");
}

static void
put_hosts(struct fm_jsonbuf *out, const struct fm_page *page)
{
	put_rows_head(out, "hosts", &page->hosts);
	put_host_rows(out, page, &page->hosts);
	put(out, ", \"never\": %ju}", (uintmax_t)page->hosts_never);
}

/* Writes the rule of the query, with the hosts that it is for. */
static void
put_asked_rule(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const struct fm_rule_hosts *found = &page->rule_hosts;

	put_raw(out, ",\n\"rule\": ");
	if (page->what.program == NULL || page->rule == UINT32_MAX) {
		put_raw(out, "null");
		return;
	}
	put_rule(out, page, page->rule);
	put(out, ", \"hosts\": {\"of\": %ju, \"all\": ",
	    (uintmax_t)page->for_rule.matched);
	put_raw(out, found->all ? "true" : "false");
	put_raw(out, found->otherwise ? ", \"default\": true" :
	    ", \"default\": false");
	put_raw(out, ", \"rows\": [");
	put_host_rows(out, page, &page->for_rule);
	put_raw(out, "}}");
}

char *
fm_page_json(const struct fm_page *page, size_t *len)
{
	struct fm_jsonbuf out = { .bytes = NULL };

	put_head(&out, page);
	put_diagnostics(&out, page);
	put_files(&out, page);
	put_counts(&out, page);
	put_raw(&out, ",\n\"history\": ");
	fm_history_json(&out, page->what.program, page->history, page->now);
	put_hosts(&out, page);
	put_rules(&out, page, "rules", &page->rules);
	put_rules(&out, page, "never", &page->never);
	put_asked_rule(&out, page);
	put_raw(&out, ",\n\"shadow\": ");
	fm_page_shadow(&out, page);
	put_raw(&out, ",\n\"explain\": ");
	fm_page_explain_json(&out, page);
	put_raw(&out, "\n}\n");
	*len = out.len;
	return (fm_jsonbuf_finish(&out));
}
