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
 * Rules that parse and pass the check must compile and run, and decide the same
 * with a trace and without, and as their naive twin.
 */

#include "agree.h"
#include "check.h"
#include "compile.h"
#include "connection.h"
#include "fuzz.h"
#include "parse.h"

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
 * The caller of fm_run() has seen that each line has a name, a colon after it
 * and no NUL: Varnish's headers are strings of C.
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
    struct fm_field *fields, unsigned char *marks)
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
	fm_connection_mark(fields, view->nfields, marks);
	view->marks = marks;
}

/*--------------------------------------------------------------------
 * Running
 */

/* Runs a request, and compares the result with the twin's. */
static void
run_all(const struct fm_model *model, const struct fm_program *program,
    const struct fm_view *view)
{
	struct naive *naive = naive_new(model);
	const struct naive_result *want = naive_run(naive, program, view);
	const struct fm_result *result;
	struct fm_run run;
	const char *differ;

	result = fm_run(&run, program, view, NULL);
	differ = agree(program, view, want, result);
	FUZZ_CHECK(differ == NULL, "the twin disagrees: %s", differ);
	fm_run_end(&run);
	naive_free(&naive);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fm_text input = fm_text((const char *)data, size), rules;
	struct fm_diag *diag = fm_diag_new();
	unsigned char marks[FIELDS_MAX];
	struct fm_field fields[FIELDS_MAX];
	struct fm_program *program;
	struct fm_model *model;
	struct fm_view view;

	if (!fuzz_part(&input, &rules))
		input = fm_text_of(usual);
	model = fm_parse_text("fuzz", rules, NULL, NULL, diag);
	FUZZ_CHECK(model != NULL && diag != NULL, "no model");
	take_request(input, &view, fields, marks);
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
