/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The page as JSON, for its script.  What is said there, is escaped there.
 */

#include <string.h>

#include "page.h"

#define BUDGET		25000	/* bytes of each table, of its JSON */
#define TEXT_MOST	250	/* bytes of a text */

static void
key(struct fm_jsonbuf *out, const char *name)
{
	fm_jsonbuf_raw(out, out->len > 0 ? ",\n\"" : "{\"");
	fm_jsonbuf_raw(out, name);
	fm_jsonbuf_raw(out, "\": ");
}

/* Writes no more of a text than the page shows. */
static void
put_text(struct fm_jsonbuf *out, const char *s)
{
	char cut[TEXT_MOST + sizeof "..."];
	size_t len = s == NULL ? 0 : strlen(s);

	if (len <= TEXT_MOST) {
		fm_jsonbuf_string(out, s);
		return;
	}
	len = TEXT_MOST;
	while (len > 0 && ((unsigned char)s[len] & 0xc0) == 0x80)
		len--;
	memcpy(cut, s, len);
	memcpy(cut + len, "...", sizeof "...");
	fm_jsonbuf_string(out, cut);
}

static void
put_number(struct fm_jsonbuf *out, const char *name, uint64_t n)
{
	fm_jsonbuf_raw(out, name);
	fm_jsonbuf_number(out, n);
}

static void
put_head(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const struct fm_live_state *state = page->state;
	const struct fm_version *version = state->version;

	key(out, "now");
	fm_jsonbuf_number(out, (uint64_t)page->now);
	key(out, "generation");
	fm_jsonbuf_number(out, version == NULL ? 0 : version->generation);
	key(out, "digest");
	fm_jsonbuf_string(out, version == NULL ? NULL : version->set->digest);
	key(out, "loaded_at");
	fm_jsonbuf_number(out, state->facts.loaded_at);
	key(out, "backup");
	fm_jsonbuf_bool(out, state->facts.backup);
	key(out, "refused_at");
	if (state->last == FM_RELOAD_REFUSED)
		fm_jsonbuf_number(out, (uint64_t)state->last_at);
	else
		fm_jsonbuf_raw(out, "null");
}

static void
put_errors(struct fm_jsonbuf *out, const struct fm_page *page)
{
	struct fm_page_error error;
	unsigned n;

	key(out, "errors");
	fm_jsonbuf_raw(out, "[");
	for (n = 0; fm_page_error(page, n, &error); n++) {
		fm_jsonbuf_raw(out, n == 0 ? "\n{\"at\": " : ",\n{\"at\": ");
		put_text(out, error.at);
		fm_jsonbuf_raw(out, ", \"text\": ");
		put_text(out, error.text);
		fm_jsonbuf_raw(out, ", \"excerpt\": ");
		fm_jsonbuf_string(out, error.excerpt);
		fm_jsonbuf_raw(out, "}");
	}
	fm_jsonbuf_raw(out, "]");
	key(out, "error_count");
	fm_jsonbuf_number(out, page->state->errors);
}

static void
put_counts(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const struct fm_page_count *count;
	size_t n;

	key(out, "seconds");
	fm_jsonbuf_seconds(out, page->seconds);
	key(out, "counts");
	fm_jsonbuf_raw(out, "[");
	for (n = 0; n < page->ncounts; n++) {
		count = &page->counts[n];
		fm_jsonbuf_raw(out, n == 0 ? "\n{\"what\": " :
		    ",\n{\"what\": ");
		fm_jsonbuf_string(out, count->what);
		put_number(out, ", \"total\": ", count->total);
		put_number(out, ", \"grown\": ", count->grown);
		fm_jsonbuf_raw(out, "}");
	}
	fm_jsonbuf_raw(out, "]");
}

static void
put_hits(struct fm_jsonbuf *out, const struct fm_page *page, size_t n)
{
	if (page->totals == NULL)
		fm_jsonbuf_raw(out, ", \"hits\": null");
	else
		put_number(out, ", \"hits\": ", page->totals[n]);
	fm_jsonbuf_raw(out, "}");
}

static void
put_rows_head(struct fm_jsonbuf *out, const char *name,
    const struct fm_page_rows *rows)
{
	key(out, name);
	put_number(out, "{\"of\": ", rows->of);
	put_number(out, ", \"matched\": ", rows->matched);
	fm_jsonbuf_raw(out, ", \"rows\": [");
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
		fm_jsonbuf_raw(out, n == 0 ? "\n{\"at\": " : ",\n{\"at\": ");
		put_text(out, fm_page_place(page, rule));
		fm_jsonbuf_raw(out, ", \"text\": ");
		put_text(out, fm_page_words(page, rule));
		put_hits(out, page, rows->index[n]);
	}
	fm_jsonbuf_raw(out, "]}");
}

static void
put_hosts(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const struct fm_page_rows *rows = &page->hosts;
	size_t start = out->len;
	uint32_t n, counter;

	put_rows_head(out, "hosts", rows);
	for (n = 0; n < rows->n && out->len < start + BUDGET; n++) {
		fm_jsonbuf_raw(out, n == 0 ? "\n{\"host\": " :
		    ",\n{\"host\": ");
		put_text(out, fm_program_host(page->what.program,
		    rows->index[n], &counter));
		put_hits(out, page, page->nrules + rows->index[n]);
	}
	put_number(out, "], \"never\": ", page->hosts_never);
	fm_jsonbuf_raw(out, "}");
}

static void
put_side(struct fm_jsonbuf *out, const struct fm_page *page, const char *side,
    const struct fm_shadow_rule *rule)
{
	fm_jsonbuf_raw(out, side);
	if (rule->at == NULL) {
		fm_jsonbuf_raw(out, "null");
		return;
	}
	fm_jsonbuf_raw(out, "{\"at\": ");
	put_text(out, fm_page_below(page, rule->at));
	fm_jsonbuf_raw(out, ", \"text\": ");
	put_text(out, page->secrets ? rule->text : rule->masked);
	fm_jsonbuf_raw(out, "}");
}

static void
put_difference(struct fm_jsonbuf *out, const struct fm_page *page,
    const struct fm_shadow_cell *cell)
{
	fm_jsonbuf_raw(out, "{\"kind\": ");
	put_text(out, cell->kind);
	fm_jsonbuf_raw(out, ", \"header\": ");
	put_text(out, cell->header);
	fm_jsonbuf_raw(out, ", \"host\": ");
	put_text(out, cell->host);
	put_side(out, page, ", \"serving\": ", &cell->rules[FM_OLD]);
	put_side(out, page, ", \"shadow\": ", &cell->rules[FM_NEW]);
	put_number(out, ", \"requests\": ", cell->requests);
	fm_jsonbuf_raw(out, "}");
}

static void
put_shadow(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const struct fm_shadow_told *told = page->what.shadow;
	size_t start = out->len, i;

	key(out, "shadow");
	if (told == NULL) {
		fm_jsonbuf_raw(out, "null");
		return;
	}
	put_number(out, "{\"sampled\": ", told->sampled);
	put_number(out, ", \"differ\": ", told->differ);
	fm_jsonbuf_raw(out, ", \"differences\": [");
	for (i = 0; i < told->ncells && out->len < start + BUDGET; i++) {
		fm_jsonbuf_raw(out, i == 0 ? "\n" : ",\n");
		put_difference(out, page, told->cells[i]);
	}
	fm_jsonbuf_raw(out, "]}");
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
	fm_jsonbuf_raw(&out, "\n}\n");
	*len = out.len;
	return (fm_jsonbuf_finish(&out));
}
