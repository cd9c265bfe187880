/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Fuzz target: any rules and any request.
 *
 *	rules
 *	===
 *	METHOD URL
 *	Name: value		any number of these
 *	client ADDRESS		where there is no colon before the blank
 *	esi
 *
 * What parses and passes the check compiles and runs; it decides the same
 * with a trace and without, and the same as its naive twin; and a result keeps
 * what run.h says of it.
 */

#include "agree.h"
#include "check.h"
#include "compile.h"
#include "fuzz.h"
#include "parse.h"
#include "run.h"

#define FIELDS_MAX	100

const bool fuzz_has_parts = true;

/* An input without a request is run with this one. */
static const char usual[] =
    "GET /a/b.jpg?utm_source=x&q=1&_=2\n"
    "Host: www.example.com\n"
    "User-Agent: Mozilla/5.0 (iPhone; Android) Mobile\n"
    "Accept-Encoding: gzip, br;q=0.5\n"
    "Cookie: a=1; session=2\n"
    "X-A: 1\n";

/*--------------------------------------------------------------------
 * Input
 */

/*
 * Whoever fills a view knows that there is a name, a colon behind it, and no
 * NUL: Varnish's headers are strings of C.
 */
static bool
is_field(struct fm_text line)
{
	const char *colon = line.len == 0 ? NULL :
	    memchr(line.b, ':', line.len);

	return (colon != NULL && colon > line.b &&
	    memchr(line.b, '\0', line.len) == NULL);
}

static void
take_request(struct fm_text input, struct fm_view *view,
    struct fm_field *fields)
{
	struct fm_text line = { NULL, 0 };
	const char *blank;

	memset(view, 0, sizeof *view);
	view->fields = fields;
	view->url = view->method = fm_text("", 0);
	if (fuzz_line(&input, &line)) {
		blank = line.len == 0 ? NULL : memchr(line.b, ' ', line.len);
		view->method = blank == NULL ? line :
		    fm_text_span(line.b, blank);
		if (blank != NULL)
			view->url = fm_text_span(blank + 1,
			    line.b + line.len);
	}
	while (view->nfields < FIELDS_MAX && fuzz_line(&input, &line)) {
		if (is_field(line)) {
			fields[view->nfields].b = line.b;
			fields[view->nfields++].e = line.b + line.len;
		} else if (line.len == 0) {
			/* A hole, as Varnish leaves them. */
			fields[view->nfields].b = NULL;
			fields[view->nfields++].e = NULL;
		} else if (fuzz_word(&line, "esi"))
			view->esi = true;
		else if (fuzz_word(&line, "proto "))
			view->proto = line;
		else if (fuzz_word(&line, "client ") &&
		    !fm_addr_parse(line, &view->client))
			view->client.len = 0;
	}
}

/*--------------------------------------------------------------------
 * Checks that hold for every result
 */

static bool
text_is(struct fm_text a, struct fm_text b)
{
	return (fm_text_eq(a, b) && (a.b == NULL) == (b.b == NULL));
}

static void
check_no_breaks(const char *what, struct fm_text t)
{
	size_t i;

	for (i = 0; i < t.len; i++)
		FUZZ_CHECK(t.b[i] != '\r' && t.b[i] != '\n' &&
		    t.b[i] != '\0', "%s has a byte %d in it", what, t.b[i]);
}

static unsigned
fields_of(const struct fm_view *view, struct fm_text name,
    struct fm_text *value)
{
	const struct fm_field *f;
	unsigned i, n = 0;
	const char *colon;

	for (i = 0; i < view->nfields; i++) {
		f = &view->fields[i];
		if (f->b == NULL)
			continue;
		colon = memchr(f->b, ':', (size_t)(f->e - f->b));
		if (!fm_text_eq_nocase(fm_text_span(f->b, colon), name))
			continue;
		if (n++ == 0)
			*value = fm_text_trim(fm_text_span(colon + 1, f->e));
	}
	return (n);
}

static void
check_edits(const struct fm_view *view, const struct fm_result *r)
{
	struct fm_text value = { NULL, 0 };
	unsigned i, k, n;

	for (i = 0; i < r->nedits; i++) {
		const struct fm_edit *edit = &r->edits[i];

		FUZZ_CHECK(edit->name.len > 0, "an edit without a name");
		for (k = 0; k < i; k++)
			FUZZ_CHECK(!fm_text_eq_nocase(r->edits[k].name,
			    edit->name), "two edits of %.*s",
			    (int)edit->name.len, edit->name.b);
		n = fields_of(view, edit->name, &value);
		FUZZ_CHECK(edit->set ? n != 1 || !fm_text_eq(value,
		    edit->value) : n > 0, "an edit of %.*s that changes "
		    "nothing", (int)edit->name.len, edit->name.b);
		if (edit->set)
			check_no_breaks("a header", edit->value);
		FUZZ_CHECK(!fm_text_eq_nocase(edit->name,
		    fm_text_of("Content-Length")) &&
		    !fm_text_eq_nocase(edit->name,
		    fm_text_of("Transfer-Encoding")), "an edit of %.*s",
		    (int)edit->name.len, edit->name.b);
	}
}

static void
check_result(const struct fm_view *view, const struct fm_result *r)
{
	check_edits(view, r);
	FUZZ_CHECK(!r->url_changed || r->url.len > 0, "an empty URL");
	FUZZ_CHECK(r->url_changed || fm_text_eq(r->url, view->url),
	    "a URL that changed, and is said not to have");
	FUZZ_CHECK((r->verdict == FM_VERDICT_NONE) == (r->rule == NULL),
	    "a verdict without a rule, or the other way round");
	if (r->verdict == FM_VERDICT_REDIRECT) {
		check_no_breaks("a Location", r->text);
		FUZZ_CHECK(fm_text_trim(r->text).len > 0,
		    "an empty Location");
	}
	FUZZ_CHECK(!view->esi || r->verdict != FM_VERDICT_REDIRECT,
	    "a redirect for ESI");
	FUZZ_CHECK(!view->esi || r->verdict != FM_VERDICT_ANSWER,
	    "an answer for ESI");
	if (r->verdict == FM_VERDICT_ANSWER)
		check_no_breaks("a media type", r->text);
	FUZZ_CHECK(r->verdict == FM_VERDICT_ANSWER || r->body.len == 0,
	    "a body of another verdict");
	FUZZ_CHECK(!view->esi || r->verdict != FM_VERDICT_SYNTH ||
	    strcmp(r->rule->text, "builtin") == 0, "a synth for ESI");
	if (r->verdict == FM_VERDICT_SYNTH)
		FUZZ_CHECK(r->status >= 200 && r->status <= 599,
		    "a synth with status %u", r->status);
}

/*--------------------------------------------------------------------
 * Against each other
 */

static void
check_same(const struct fm_result *a, const struct fm_result *b)
{
	unsigned i;

	FUZZ_CHECK(a->verdict == b->verdict && a->status == b->status &&
	    text_is(a->text, b->text) && a->rule == b->rule,
	    "traced, another verdict");
	FUZZ_CHECK(text_is(a->host, b->host) && text_is(a->site, b->site) &&
	    a->backend_set == b->backend_set && a->backend == b->backend,
	    "traced, another site or backend");
	FUZZ_CHECK(a->url_changed == b->url_changed &&
	    text_is(a->url, b->url), "traced, another URL");
	FUZZ_CHECK(a->undecided == b->undecided && a->ignored == b->ignored,
	    "traced, other counts");
	FUZZ_CHECK(a->nedits == b->nedits, "traced, other edits");
	for (i = 0; i < a->nedits; i++)
		FUZZ_CHECK(a->edits[i].set == b->edits[i].set &&
		    text_is(a->edits[i].name, b->edits[i].name) &&
		    (!a->edits[i].set || text_is(a->edits[i].value,
		    b->edits[i].value)), "traced, another edit");
}

static void
run_all(const struct fm_model *model, const struct fm_program *program,
    const struct fm_view *view)
{
	static const struct fm_trace trace;
	const struct naive_result *twin;
	const struct fm_result *r, *traced;
	struct naive_counts counts;
	struct fm_run run, second;
	const char *differ;
	struct naive *naive;

	r = fm_run(&run, program, view, NULL);
	traced = fm_run(&second, program, view, &trace);
	check_result(view, r);
	if (!agree_is_by_chance(r) && !agree_is_by_chance(traced))
		check_same(r, traced);
	naive = naive_new(model);
	FUZZ_CHECK(naive != NULL, "no twin");
	memset(&counts, 0, sizeof counts);
	twin = naive_run(naive, view, &counts);
	differ = agree(program, view, twin, r);
	if (differ != NULL) {
		agree_show_view(view);
		agree_show_result(program, r);
		agree_show_naive(twin);
	}
	FUZZ_CHECK(differ == NULL, "the twin disagrees: %s", differ);
	naive_free(&naive);
	fm_run_end(&second);
	fm_run_end(&run);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fm_text input = fm_text((const char *)data, size), rules;
	struct fm_diag *diag = fm_diag_new();
	struct fm_field fields[FIELDS_MAX];
	struct fm_program *program;
	struct fm_model *model;
	struct fm_view view;

	if (!fuzz_part(&input, &rules))
		input = fm_text_of(usual);
	model = fm_parse_text("fuzz", rules, false, diag);
	FUZZ_CHECK(model != NULL && diag != NULL, "no model");
	take_request(input, &view, fields);
	if (fm_check(model, NULL, diag) && fm_diag_errors(diag) == 0) {
		program = fm_compile(model, NULL, diag);
		FUZZ_CHECK(program != NULL, "checked rules don't compile");
		run_all(model, program, &view);
		fm_program_free(&program);
	}
	fm_model_free(&model);
	fm_diag_free(&diag);
	return (0);
}
