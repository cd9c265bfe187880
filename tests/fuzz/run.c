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
 *	restarts 1
 *	response STATUS FACTS	the fields after it are the response's
 *
 * Rules that parse and pass the check must compile and run, and decide the same
 * as their naive twin.  Their blocks for responses and deliveries run, too, and
 * decide the same with a trace and without; the numbers that the module relies
 * on are those of the edits.
 */

#include "agree.h"
#include "check.h"
#include "compile.h"
#include "connection.h"
#include "fuzz.h"
#include "parse.h"
#include "program.h"
#include "record.h"
#include "request.h"

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
		} else if (fuzz_word(&line, "response ")) {
			break;
		} else if (line.len == 0) {
			/* A hole, as Varnish leaves them. */
			fields[view->nfields].b = NULL;
			fields[view->nfields++].e = NULL;
		} else if (fuzz_word(&line, "esi"))
			view->esi = true;
		else if (fuzz_word(&line, "restarts "))
			view->restarts = (unsigned)line.len;
		else if (fuzz_word(&line, "proto "))
			view->proto = line;
		else if (fuzz_word(&line, "client ") &&
		    !fm_addr_parse(line, &view->client))
			view->client.len = 0;
	}
	fm_connection_mark(fields, view->nfields, marks);
	view->marks = marks;
}

/* Makes facts of a number. */
static struct fm_response
response_of(unsigned status, unsigned long facts)
{
	return ((struct fm_response){
		.status = status % 1000,
		.flags = facts & 0xff,
		.from = (enum fm_lifetime_from)(facts >> 8 & 0xff) % 3,
		.ttl = (double)(facts >> 16 & 0xff) - 1, .grace = 10,
		.uncacheable = (facts >> 24 & 1) != 0,
		.can_retry = (facts >> 25 & 1) == 0,
		.retries = facts >> 26 & 3,
		.uncacheable_ttl = 120,
		.age = (double)(facts >> 28 & 0xff),
		.hits = facts >> 36 & 0xff });
}

/*
 * Takes the response after a request; without one it is a plain 200.  A view of
 * a response has its own fields first.
 */
static void
take_response(struct fm_text input, const struct fm_view *request,
    struct fm_response *response, struct fm_view *view,
    struct fm_field *fields)
{
	char words[60];
	struct fm_text line;
	unsigned long facts;
	char *end;

	*response = response_of(200, 0x10100);
	while (fuzz_line(&input, &line))
		if (fuzz_word(&line, "response ")) {
			(void)snprintf(words, sizeof words, "%.*s",
			    FUZZ_TEXT(line));
			facts = strtoul(words, &end, 10);
			*response = response_of((unsigned)facts,
			    strtoul(end, NULL, 10));
			break;
		}
	*view = *request;
	view->fields = fields;
	view->marks = NULL;
	view->response = response;
	view->nfields = 0;
	while (view->nfields < FIELDS_MAX && fuzz_line(&input, &line))
		if (is_field(line)) {
			fields[view->nfields].b = line.b;
			fields[view->nfields++].e = line.b + line.len;
		}
	for (view->nrequest = 0; view->nrequest < request->nfields;
	    view->nrequest++)
		fields[view->nfields++] = request->fields[view->nrequest];
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

/* Fails unless the numbers of the edits are those that the module relies on. */
static void
edits_check(const struct fm_program *program, const struct fm_result *result)
{
	const struct fm_edits *edits = &result->edits;
	const struct fm_request_slot *slot;
	size_t lines = 0;
	unsigned i, n;

	for (i = 0; i < edits->npresent + edits->nadded; i++) {
		n = i < edits->npresent ? edits->present[i] :
		    edits->added[i - edits->npresent];
		slot = &edits->slots[n];
		FUZZ_CHECK(slot->differs, "an edit that changes nothing");
		FUZZ_CHECK(!edits->program->slots[n].request,
		    "an edit of the request");
		if (slot->value.b != NULL)
			lines += edits->program->slots[n].name.len + 2 +
			    slot->value.len + 1;
	}
	FUZZ_CHECK(edits->lines == lines, "%zu bytes, not %zu", edits->lines,
	    lines);
	FUZZ_CHECK(edits->nremoved <= edits->view->nfields -
	    edits->view->nrequest, "more fields go than there are");
	if (result->verdict != FM_VERDICT_NONE)
		return;
	FUZZ_CHECK(!fm_program_is_idle(program, result->block) ||
	    edits->n == 0, "no rule is for the host, and one runs");
}

/* Runs a phase of a response, with a trace and without. */
static void
run_phase(const struct fm_program *program, const struct fm_view *view,
    bool delivery)
{
	const struct fm_result *a, *b;
	struct fm_run runs[2];
	struct fm_record record;

	fm_record_init(&record);
	a = fm_run(&runs[0], program, view, NULL);
	b = fm_run(&runs[1], program, view, &record.trace);
	FUZZ_CHECK(!a->no_memory && !b->no_memory, "no memory");
	edits_check(program, a);
	edits_check(program, b);
	FUZZ_CHECK(!delivery ||
	    a->edits.nadded <= fm_program_adds(program, a->block),
	    "%u headers are added", (unsigned)a->edits.nadded);
	FUZZ_CHECK(agree_is_by_chance(a) || agree_is_by_chance(b) ||
	    (a->verdict == b->verdict && a->rule == b->rule &&
	    a->status == b->status && a->edits.n == b->edits.n &&
	    a->edits.lines == b->edits.lines &&
	    a->edits.nadded == b->edits.nadded &&
	    a->edits.nremoved == b->edits.nremoved &&
	    a->response->uncacheable == b->response->uncacheable &&
	    !(a->response->ttl < b->response->ttl) &&
	    !(a->response->ttl > b->response->ttl)),
	    "a trace makes a difference");
	fm_run_end(&runs[0]);
	fm_run_end(&runs[1]);
	fm_record_fini(&record);
}

static void
run_phases(const struct fm_program *program, const struct fm_view *view)
{
	const struct fm_program *phase;

	phase = fm_program_phase(program, FM_PHASE_RESPONSE);
	if (phase != NULL)
		run_phase(phase, view, false);
	phase = fm_program_phase(program, FM_PHASE_DELIVERY);
	if (phase != NULL)
		run_phase(phase, view, true);
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
	struct fm_field all[2 * FIELDS_MAX];
	struct fm_view view, response_view;
	struct fm_response response;

	if (!fuzz_part(&input, &rules))
		input = fm_text_of(usual);
	model = fm_parse_text("fuzz", rules, NULL, NULL, diag);
	FUZZ_CHECK(model != NULL && diag != NULL, "no model");
	take_request(input, &view, fields, marks);
	take_response(input, &view, &response, &response_view, all);
	if (fm_check(model, NULL, diag) && fm_diag_errors(diag) == 0) {
		program = fm_compile(model, NULL, diag);
		FUZZ_CHECK(program != NULL, "checked rules don't compile");
		run_all(model, program, &view);
		run_phases(program, &response_view);
		fm_program_free(&program);
	}
	fm_model_free(&model);
	fm_diag_free(&diag);
	return (0);
}
