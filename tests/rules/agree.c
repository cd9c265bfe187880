/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compares the result of a program with that of its naive twin (agree.h), and
 * prints both where they differ.
 */

#include <assert.h>
#include <stdio.h>

#include "agree.h"
#include "bounds.h"
#include "scan.h"

/* Bytes of a text that are shown; the rest is cut. */
#define SHOWN		400

/*--------------------------------------------------------------------
 * Showing what went wrong
 */

static void
show_text(const char *what, struct fm_text t)
{
	size_t i;

	fprintf(stderr, "    %s: ", what);
	if (t.b == NULL)
		fprintf(stderr, "none");
	for (i = 0; i < t.len && i < SHOWN; i++)
		fprintf(stderr, t.b[i] >= ' ' && t.b[i] < 0x7f ? "%c" :
		    "\\x%02x", (unsigned char)t.b[i]);
	fprintf(stderr, i < t.len ? "... (%zu bytes)\n" : "\n", t.len);
}

void
agree_show_view(const struct fm_view *view)
{
	unsigned i;

	fprintf(stderr, "request%s\n", view->esi ? " (ESI)" : "");
	show_text("method", view->method);
	show_text("url", view->url);
	show_text("protocol", view->proto);
	for (i = 0; i < view->nfields; i++)
		if (view->fields[i].b != NULL)
			show_text("field", fm_text_span(view->fields[i].b,
			    view->fields[i].e));
	fprintf(stderr, "    client:");
	for (i = 0; i < view->client.len; i++)
		fprintf(stderr, " %02x", view->client.b[i]);
	fprintf(stderr, "\n");
}

void
agree_show_naive(const struct naive_result *r)
{
	char place[FM_PLACE_LEN];
	const char *verdict = fm_verdict_word(r->verdict);
	unsigned i;

	fprintf(stderr, "the twin: %s %u at %s, undecided %u, "
	    "ignored %u\n",
	    verdict == NULL ? "no verdict" : verdict, r->status,
	    r->at.name == NULL ? "none" : fm_place_print(&r->at, place),
	    r->undecided, r->ignored);
	show_text("text", r->text);
	show_text("body", r->body);
	show_text("host", r->host);
	show_text("site", r->site);
	show_text("backend", r->backend);
	show_text("url", r->url);
	for (i = 0; i < r->nlines; i++) {
		show_text("name", r->lines[i].name);
		show_text("    value", r->lines[i].value);
	}
}

void
agree_show_result(const struct fm_program *program,
    const struct fm_result *r)
{
	const char *verdict = fm_verdict_word(r->verdict);
	unsigned i;

	fprintf(stderr, "the program: %s %u at %s, undecided %u, "
	    "over its limit %u, ignored %u%s\n",
	    verdict == NULL ? "no verdict" : verdict,
	    r->status, r->rule == NULL ? "none" : r->rule->place,
	    r->undecided, r->tally.over_limit, r->ignored,
	    r->no_memory ? ", no memory" : "");
	show_text("text", r->text);
	show_text("body", r->body);
	show_text("host", r->host);
	show_text("site", r->site);
	if (r->backend_set)
		show_text("backend", fm_text_of(fm_program_backend(
		    program, r->backend, NULL)));
	show_text(r->url_changed ? "new url" : "url", r->url);
	for (i = 0; i < r->nedits; i++) {
		show_text(r->edits[i].set ? "set" : "unset",
		    r->edits[i].name);
		if (r->edits[i].set)
			show_text("    value", r->edits[i].value);
	}
}

/*--------------------------------------------------------------------
 * The request after the program's edits
 */

struct after {
	struct naive_line	lines[AGREE_FIELDS + FM_LIMIT_HEADERS];
	unsigned		nlines;
};

static void
after_add(struct after *after, struct fm_text name, struct fm_text value)
{
	after->lines[after->nlines].name = name;
	after->lines[after->nlines++].value = fm_text_trim(value);
}

static void
after_read(struct after *after, const struct fm_view *view)
{
	const char *colon;
	struct fm_text t;
	unsigned i;

	assert(view->nfields <= AGREE_FIELDS);
	after->nlines = 0;
	for (i = 0; i < view->nfields; i++) {
		if (view->fields[i].b == NULL)
			continue;
		t = fm_text_span(view->fields[i].b, view->fields[i].e);
		colon = memchr(t.b, ':', t.len);
		if (colon != NULL)
			after_add(after, fm_text_span(t.b, colon),
			    fm_text_span(colon + 1, t.b + t.len));
	}
}

/* Returns how many lines have a name; *value is the value of the last. */
static unsigned
after_count(const struct after *after, struct fm_text name,
    struct fm_text *value)
{
	unsigned i, n = 0;

	for (i = 0; i < after->nlines; i++)
		if (fm_text_eq_nocase(after->lines[i].name, name)) {
			*value = after->lines[i].value;
			n++;
		}
	return (n);
}

static bool
is_clean(struct fm_text t)
{
	return (t.len == 0 || (memchr(t.b, '\r', t.len) == NULL &&
	    memchr(t.b, '\n', t.len) == NULL &&
	    memchr(t.b, '\0', t.len) == NULL));
}

/* Makes an edit; returns NULL, or what is wrong with the edit. */
static const char *
after_edit(struct after *after, const struct fm_edit *edit)
{
	struct fm_text old = fm_text(NULL, 0);
	unsigned i, n = 0, before = after_count(after, edit->name, &old);

	if (edit->set && !is_clean(edit->value))
		return ("a value that would split the header");
	if (edit->set && fm_text_trim(edit->value).len == 0)
		return ("a header set to nothing");
	if (edit->set ? before == 1 && fm_text_eq(old, edit->value) :
	    before == 0)
		return ("an edit that changes nothing");
	for (i = 0; i < after->nlines; i++)
		if (!fm_text_eq_nocase(after->lines[i].name, edit->name))
			after->lines[n++] = after->lines[i];
	after->nlines = n;
	if (edit->set)
		after_add(after, edit->name, edit->value);
	return (NULL);
}

/* Returns true if both have the same values of each name, in the same order. */
static bool
same_headers(const struct naive_line *a, unsigned na,
    const struct naive_line *b, unsigned nb)
{
	unsigned i, j, nth, at;

	if (na != nb)
		return (false);
	for (i = 0; i < na; i++) {
		for (nth = 0, j = 0; j < i; j++)
			nth += fm_text_eq_nocase(a[j].name, a[i].name);
		at = nb;
		for (j = 0; j < nb && at == nb; j++)
			if (fm_text_eq_nocase(b[j].name, a[i].name) &&
			    nth-- == 0)
				at = j;
		if (at == nb || !fm_text_eq(a[i].value, b[at].value))
			return (false);
	}
	return (true);
}

static const char *
compare_headers(const struct fm_view *view, const struct naive_result *want,
    const struct fm_result *is)
{
	const char *wrong = NULL;
	struct after after;
	unsigned i, j;

	after_read(&after, view);
	for (i = 0; i < is->nedits && wrong == NULL; i++) {
		for (j = 0; j < i; j++)
			if (fm_text_eq_nocase(is->edits[i].name,
			    is->edits[j].name))
				return ("a header in two edits");
		wrong = after_edit(&after, &is->edits[i]);
	}
	if (wrong == NULL && !same_headers(want->lines, want->nlines,
	    after.lines, after.nlines))
		wrong = "headers";
	return (wrong);
}

/*--------------------------------------------------------------------
 * Comparing
 */

static const char *
compare_url(const struct fm_view *view, const struct naive_result *want,
    const struct fm_result *is)
{
	if (!fm_text_eq(want->url, is->url))
		return ("url");
	if (is->url_changed == fm_text_eq(view->url, is->url))
		return ("whether the url changed");
	if (is->url_changed && is->url.len == 0)
		return ("an empty url");
	return (NULL);
}

static const char *
compare_verdict(const struct naive_result *want, const struct fm_result *is)
{
	char place[FM_PLACE_LEN];

	if (want->verdict != is->verdict)
		return ("verdict");
	if (want->status != is->status)
		return ("status");
	/* A Location is trimmed; a reason is not. */
	if (!fm_text_eq(want->text, is->verdict == FM_VERDICT_SYNTH ?
	    is->text : fm_text_trim(is->text)))
		return ("Location or reason");
	if (!fm_text_eq(want->body, is->body))
		return ("the body of an answer");
	if (!is_clean(is->text))
		return ("a Location that would split the header");
	if ((want->at.name == NULL) != (is->rule == NULL))
		return ("whether a rule decided");
	if (is->rule == NULL)
		return (NULL);
	snprintf(place, sizeof place, "%s:%u", want->at.name, want->at.line);
	if (strcmp(place, is->rule->place) != 0 ||
	    want->at.line != is->rule->at.line)
		return ("the place that decided");
	return (NULL);
}

bool
agree_is_by_chance(const struct fm_result *r)
{
	return (fm_scan_health() == FM_SCAN_HEALTHY &&
	    r->tally.fallbacks > 0 && r->tally.over_limit > 0);
}

const char *
agree(const struct fm_program *program, const struct fm_view *view,
    const struct naive_result *want, const struct fm_result *is)
{
	const char *wrong;

	if (is->no_memory)
		return ("no memory");
	if (agree_is_by_chance(is))
		return (NULL);
	if (!fm_text_eq(want->host, is->host) ||
	    (want->host.b == NULL) != (is->host.b == NULL))
		return ("host");
	if (!fm_text_eq(want->site, is->site))
		return ("site");
	if (want->how != is->how || want->otherwise != is->otherwise)
		return ("how the host was found");
	if ((want->backend.b != NULL) != is->backend_set ||
	    (is->backend_set && !fm_text_eq(want->backend,
	    fm_text_of(fm_program_backend(program, is->backend,
	    NULL)))))
		return ("backend");
	if (want->undecided != is->undecided)
		return ("undecided");
	if (want->ignored != is->ignored)
		return ("ignored");
	wrong = compare_verdict(want, is);
	if (wrong == NULL)
		wrong = compare_url(view, want, is);
	if (wrong == NULL)
		wrong = compare_headers(view, want, is);
	return (wrong);
}
