/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes the page's JSON about the shadow: its state, how it differs from the
 * rules that serve, and the last requests for which it did.
 */

#include <string.h>

#include "page.h"

/* Budgets, in bytes of JSON. */
#define TEXT		"%.250s"	/* FM_PAGE_TEXT */
#define DIFFERENCES	25000
#define EXAMPLES	18000
#define MESSAGES	3000

#define put		fm_jsonbuf_print
#define put_raw		fm_jsonbuf_raw

/*--------------------------------------------------------------------
 * The state of the shadow
 */

static void
put_messages(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const char *line = page->secrets ? page->what.shadow->messages :
	    page->what.shadow->masked, *end;
	size_t start = out->len;
	unsigned n = 0;

	put_raw(out, ",\n\"messages\": [");
	while (line != NULL && (end = strchr(line, '\n')) != NULL &&
	    out->len < start + MESSAGES) {
		put_raw(out, n++ == 0 ? "" : ", ");
		fm_jsonbuf_text(out,
		    fm_text_span(fm_page_below(page, line), end));
		line = end + 1;
	}
	put_raw(out, "]");
}

static void
put_state(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const struct fm_shadow_told *told = page->what.shadow;

	put(out, "{\"path\": " TEXT ", \"digest\": %s, \"generation\": %ju, "
	    "\"errors\": %ju, \"sample\": %.6f, \"since\": %ju",
	    fm_page_below(page, told->path), told->digest,
	    (uintmax_t)told->generation, (uintmax_t)told->errors,
	    told->sample, (uintmax_t)told->since);
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

	put(out, "{\"phase\": %s, \"kind\": %s, \"header\": " TEXT
	    ", \"host\": " TEXT ", \"serving\": ", cell->phase, cell->kind,
	    cell->header, cell->host);
	put_side(out, page, &cell->rules[FM_OLD]);
	put_raw(out, ", \"shadow\": ");
	put_side(out, page, &cell->rules[FM_NEW]);
	put(out, ", \"requests\": %ju}", (uintmax_t)cell->requests);
}

/* Writes what was compared in the phases after that of requests. */
static void
put_later(struct fm_jsonbuf *out, const struct fm_shadow_told *told)
{
	unsigned phase;

	put_raw(out, ",\n\"later\": {");
	for (phase = FM_PHASE_KEY; phase < FM_PHASE__KINDS; phase++) {
		put_raw(out, phase == FM_PHASE_KEY ? "" : ", ");
		put(out, "%s: {\"sampled\": %ju, \"differ\": %ju}",
		    fm_phase_word(phase),
		    (uintmax_t)told->later[phase].sampled,
		    (uintmax_t)told->later[phase].differ);
	}
	put_raw(out, "}");
}

static void
put_differences(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const struct fm_shadow_told *told = page->what.shadow;
	size_t start = out->len, i;

	put(out, ",\n\"sampled\": %ju, \"differ\": %ju, \"differences\": [",
	    (uintmax_t)told->sampled, (uintmax_t)told->differ);
	for (i = 0; i < told->ncells && out->len < start + DIFFERENCES; i++) {
		put_raw(out, i == 0 ? "\n" : ",\n");
		put_difference(out, page, told->cells[i]);
	}
	put(out, "], \"more\": %ju", (uintmax_t)(told->ncells - i));
	put_later(out, told);
}

/*--------------------------------------------------------------------
 * Examples
 */

/* Writes the headers that rules tested; values only if the page may. */
static void
put_tested(struct fm_jsonbuf *out, const struct fm_page *page,
    const struct fm_shadow_example *example)
{
	const char *value;
	size_t i;

	put_raw(out, ", \"tested\": [");
	for (i = 0; i < example->ntested; i++) {
		value = example->tested[i].value;
		if (value != NULL && !page->secrets)
			value = "[hidden]";
		put(out, i == 0 ? "{\"name\": " TEXT ", \"value\": " TEXT "}" :
		    ", {\"name\": " TEXT ", \"value\": " TEXT "}",
		    example->tested[i].name, value);
	}
	put_raw(out, "]");
}

static void
put_example(struct fm_jsonbuf *out, const struct fm_page *page,
    const struct fm_shadow_example *example)
{
	size_t i;

	put(out, "{\"at\": %ju, \"method\": " TEXT ", \"host\": " TEXT
	    ", \"path\": " TEXT, (uintmax_t)example->at, example->method,
	    example->host, example->path);
	put_tested(out, page, example);
	put_raw(out, ", \"differs\": [");
	for (i = 0; i < example->ncells; i++)
		put(out, i == 0 ? "{\"kind\": %s, \"header\": " TEXT "}" :
		    ", {\"kind\": %s, \"header\": " TEXT "}",
		    example->cells[i]->kind, example->cells[i]->header);
	put_raw(out, "]}");
}

static void
put_examples(struct fm_jsonbuf *out, const struct fm_page *page)
{
	const struct fm_shadow_told *told = page->what.shadow;
	size_t start = out->len, i;

	put_raw(out, ",\n\"latest\": [");
	for (i = 0; i < told->nexamples && out->len < start + EXAMPLES; i++) {
		put_raw(out, i == 0 ? "\n" : ",\n");
		put_example(out, page, &told->examples[i]);
	}
	put_raw(out, "]}");
}

void
fm_page_shadow(struct fm_jsonbuf *out, const struct fm_page *page)
{
	if (page->what.shadow == NULL) {
		put_raw(out, "null");
		return;
	}
	put_state(out, page);
	put_differences(out, page);
	put_examples(out, page);
}
