/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes outcomes (outcome.h) of results and of what a case expects, and
 * compares them.
 */

#include "../unit/unit.h"
#include "outcome.h"
#include "scan.h"

#define PATH_LEN	512
#define SHOWN		160	/* bytes of a text that is shown */

/*--------------------------------------------------------------------
 * Differences
 */

static void
show(const char *what, struct fm_text text)
{
	size_t i;

	fprintf(stderr, "    %s ", what);
	if (text.b == NULL)
		fprintf(stderr, "nothing");
	for (i = 0; i < text.len && i < SHOWN; i++)
		fprintf(stderr, text.b[i] >= ' ' && text.b[i] < 0x7f ? "%c" :
		    "\\x%02x", (unsigned char)text.b[i]);
	fprintf(stderr, i < text.len ? "... (%zu bytes)\n" : "\n", text.len);
}

static void
complain(struct trial *t, const char *what)
{
	t->wrong++;
	fprintf(stderr, "%s:%u: %s: %s (%.*s)\n", t->cases->path,
	    t->one->line, t->who, what, (int)t->one->title.len,
	    t->one->title.b);
}

static void
compare_text(struct trial *t, const char *what, struct fm_text expected,
    struct fm_text actual)
{
	if (fm_text_eq(expected, actual) &&
	    (expected.b == NULL) == (actual.b == NULL))
		return;
	complain(t, what);
	show("expected", expected);
	show("got     ", actual);
}

static void
compare_number(struct trial *t, const char *what, unsigned expected,
    unsigned actual)
{
	if (expected == actual)
		return;
	complain(t, what);
	fprintf(stderr, "    expected %u, got %u\n", expected, actual);
}

static void
compare_verdict(struct trial *t, const struct outcome *o)
{
	const struct fm_cases_expected *x = &t->one->expected;
	const char *expected = fm_verdict_word(x->verdict);
	const char *actual = fm_verdict_word(o->verdict);

	if (x->verdict != o->verdict) {
		complain(t, "the verdict");
		show("expected", fm_text_of(expected));
		show("got     ", fm_text_of(actual));
		show("with    ", o->text);
		return;
	}
	if (x->verdict < FM_VERDICT_SYNTH)
		return;
	compare_number(t, "the status", x->status, o->status);
	compare_text(t, x->verdict == FM_VERDICT_SYNTH ? "the reason" :
	    x->verdict == FM_VERDICT_ANSWER ? "the type" :
	    "the Location", x->text, o->text);
	compare_text(t, "the body", x->body, o->body);
}

/* Compares the rule: "LINE" or "FILE:LINE", FILE in the folder of the rules. */
static void
compare_rule(struct trial *t, const struct outcome *o, const char *folder)
{
	char place[PATH_LEN], expected[PATH_LEN];
	struct fm_text rule = t->one->expected.rule;
	size_t len = strlen(folder);

	if (rule.b == NULL)
		return;
	snprintf(expected, sizeof expected, "%s%.*s",
	    memchr(rule.b, ':', rule.len) == NULL ? FM_CASES_MAIN ":" : "",
	    (int)rule.len, rule.b);
	place[0] = '\0';
	if (o->file != NULL)
		snprintf(place, sizeof place, "%s:%u",
		    strncmp(o->file, folder, len) == 0 ? o->file + len + 1 :
		    o->file, o->line);
	compare_text(t, "the rule that decided", fm_text_of(expected),
	    fm_text_of(place));
}

/*
 * Returns how often a name is in the lines before line n; n may be larger than
 * the number of lines.
 */
static unsigned
count_name(const struct naive_line *lines, unsigned nlines, unsigned n,
    struct fm_text name)
{
	unsigned i, count = 0;

	for (i = 0; i < nlines && i < n; i++)
		count += fm_text_eq_nocase(lines[i].name, name);
	return (count);
}

static struct fm_text
nth_value(const struct outcome *o, struct fm_text name, unsigned n)
{
	unsigned i;

	for (i = 0; i < o->nlines; i++)
		if (fm_text_eq_nocase(o->lines[i].name, name) && n-- == 0)
			return (o->lines[i].value);
	return (fm_text(NULL, 0));
}

static bool
is_named(const struct fm_case *one, struct fm_text name)
{
	const struct fm_cases_field *f;

	for (f = one->expected.fields; f != NULL; f = f->next)
		if (fm_text_eq_nocase(f->name, name))
			return (true);
	return (false);
}

/* Returns true if a case accepts any value of a header. */
static bool
is_any(const struct fm_case *one, struct fm_text name)
{
	return (one->expected.any_headers && !is_named(one, name));
}

static void
compare_lines(struct trial *t, const struct outcome *x,
    const struct outcome *o)
{
	char what[100];
	unsigned i, n;

	for (i = 0; i < x->nlines; i++) {
		if (is_any(t->one, x->lines[i].name))
			continue;
		snprintf(what, sizeof what, "the header %.*s",
		    (int)(x->lines[i].name.len > 60 ? 60 :
		    x->lines[i].name.len), x->lines[i].name.b);
		n = count_name(x->lines, x->nlines, i, x->lines[i].name);
		compare_text(t, what, x->lines[i].value,
		    nth_value(o, x->lines[i].name, n));
	}
	for (i = 0; i < o->nlines; i++) {
		if (is_any(t->one, o->lines[i].name) ||
		    count_name(o->lines, o->nlines, i, o->lines[i].name) <
		    count_name(x->lines, x->nlines, UINT32_MAX,
		    o->lines[i].name))
			continue;
		complain(t, "a header that should not be there");
		show("name    ", o->lines[i].name);
		show("value   ", o->lines[i].value);
	}
}

/*--------------------------------------------------------------------
 * Outcomes
 */

static void
add_line(struct outcome *o, struct fm_text name, struct fm_text value)
{
	ck_assert_uint_lt(o->nlines, OUTCOME_LINES);
	o->lines[o->nlines].name = name;
	o->lines[o->nlines++].value = fm_text_trim(value);
}

static void
split_field(const struct fm_field *f, struct fm_text *name,
    struct fm_text *value)
{
	const char *colon = memchr(f->b, ':', (size_t)(f->e - f->b));

	ck_assert_ptr_nonnull(colon);
	*name = fm_text_span(f->b, colon);
	*value = fm_text_span(colon + 1, f->e);
}

/* Adds the lines of the request that the case doesn't name; then its own. */
static void
expected_lines(const struct fm_case *one, struct outcome *x)
{
	const struct fm_cases_field *f;
	struct fm_text name, value;
	unsigned i;

	x->nlines = 0;
	for (i = 0; i < one->nfields; i++) {
		split_field(&one->fields[i], &name, &value);
		if (!is_named(one, name))
			add_line(x, name, value);
	}
	for (f = one->expected.fields; f != NULL; f = f->next)
		if (f->value.b != NULL)
			add_line(x, f->name, f->value);
}

static const struct fm_edit *
edit_of(const struct fm_result *r, struct fm_text name)
{
	unsigned i;

	for (i = 0; i < r->nedits; i++)
		if (fm_text_eq_nocase(r->edits[i].name, name))
			return (&r->edits[i]);
	return (NULL);
}

/* Checks that there is one edit for a name, and that each changes something. */
void
outcome_check_edits(struct trial *t, const struct fm_view *view,
    const struct fm_result *r)
{
	struct fm_text name, value, only = { NULL, 0 };
	unsigned i, k, found;

	for (i = 0; i < r->nedits; i++) {
		const struct fm_edit *edit = &r->edits[i];

		if (edit_of(r, edit->name) != edit)
			complain(t, "two edits of one name");
		for (found = k = 0; k < view->nfields; k++) {
			split_field(&view->fields[k], &name, &value);
			if (!fm_text_eq_nocase(name, edit->name))
				continue;
			found++;
			only = fm_text_trim(value);
		}
		if (edit->set ? found == 1 && fm_text_eq(only, edit->value) :
		    found == 0) {
			complain(t, "an edit that changes nothing");
			show("name    ", edit->name);
		}
	}
	if (r->url_changed && fm_text_eq(r->url, view->url))
		complain(t, "a change of the URL that is none");
}

void
outcome_of_result(struct outcome *o, const struct fm_program *program,
    const struct fm_view *view, const struct fm_result *r)
{
	struct fm_text name, value;
	unsigned i;

	ck_assert(!r->no_memory);
	*o = (struct outcome){
		.verdict = r->verdict, .status = r->status, .text = r->text,
		.body = r->body,
		.file = r->rule == NULL ? NULL : r->rule->at.name,
		.line = r->rule == NULL ? 0 : r->rule->at.line,
		.host = r->host, .site = r->site, .url = r->url,
		.undecided = r->undecided, .ignored = r->ignored,
		.scans = r->tally.fallbacks > 0 ||
		    fm_scan_health() == FM_SCAN_NONE ? FM_CASES_ANY :
		    r->tally.scans
	};
	if (r->backend_set)
		o->backend = fm_text_of(
		    fm_program_backend(program, r->backend, NULL));
	for (i = 0; i < view->nfields; i++) {
		split_field(&view->fields[i], &name, &value);
		if (edit_of(r, name) == NULL)
			add_line(o, name, value);
	}
	for (i = 0; i < r->nedits; i++)
		if (r->edits[i].set)
			add_line(o, r->edits[i].name, r->edits[i].value);
}

void
outcome_of_naive(struct outcome *o, const struct naive_result *r)
{
	unsigned i;

	*o = (struct outcome){
		.verdict = r->verdict, .status = r->status, .text = r->text,
		.body = r->body,
		.file = r->at.name, .line = r->at.line,
		.host = r->host, .site = r->site, .backend = r->backend,
		.url = r->url, .undecided = r->undecided,
		.ignored = r->ignored, .scans = FM_CASES_ANY
	};
	for (i = 0; i < r->nlines; i++)
		add_line(o, r->lines[i].name, r->lines[i].value);
}

void
outcome_compare(struct trial *t, const struct outcome *o, const char *folder)
{
	const struct fm_cases_expected *x = &t->one->expected;
	struct outcome expected;

	compare_verdict(t, o);
	compare_rule(t, o, folder);
	if (!x->any_url)
		compare_text(t, "the URL",
		    x->url.b == NULL ? t->one->url : x->url, o->url);
	if (!x->any_backend)
		compare_text(t, "the backend", x->backend, o->backend);
	if (x->no_host || x->host.b != NULL)
		compare_text(t, "the host", x->host, o->host);
	if (x->no_ruleset || x->ruleset.b != NULL)
		compare_text(t, "the ruleset", x->ruleset, o->site);
	compare_number(t, "undecided", x->undecided, o->undecided);
	compare_number(t, "ignored", x->ignored, o->ignored);
	if (x->scans != FM_CASES_ANY && o->scans != FM_CASES_ANY)
		compare_number(t, "scans", x->scans, o->scans);
	expected_lines(t->one, &expected);
	compare_lines(t, &expected, o);
}
