/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes cases of a log.  A request becomes a case if some rule does something
 * that it did for no request before: a `when` is true, say, or a verdict is
 * given.
 *
 * A log has secrets.  So a case has no header and no cookie that makes no
 * difference to what the rules do, nor the client's address where it makes
 * none, and the values of cookies and of an Authorization are `x` where they
 * make none.
 */

#include <stdlib.h>

#include "connection.h"
#include "logs/logs.h"
#include "made_request.h"
#include "test.h"
#include "xxh.h"

struct recorder {
	const struct fm_program	*program;
	struct fm_test_coverage	seen;
	const struct fm_logs	*logs;
	const char		*rules;		/* the file, as given */
};

/*--------------------------------------------------------------------
 * Smaller requests
 */

/* Gives a request without a client the one that cases have by default. */
static void
add_client(struct fm_view *view)
{
	if (view->client.len == 0)
		(void)fm_addr_parse(fm_text_of(FM_CLI_CLIENT), &view->client);
}

/*
 * A request while it is made smaller; a field that was removed is {NULL, NULL}.
 */
struct sample {
	const struct fm_program	*program;
	uint64_t		way;		/* see way_of() */
	struct fm_view		view;
	struct fm_field		*fields;
	unsigned char		*marks;
	struct fm_arena		arena;		/* of the fields' new texts */
};

static void
hash_step(uint64_t *hash, const void *what, uint64_t more)
{
	uint64_t step[2] = { (uintptr_t)what, more };

	*hash = XXH3_64bits_withSeed(step, sizeof step, *hash);
}

static void
on_event(void *priv, const struct fm_event *event)
{
	uint64_t *hash = priv;

	if (event->kind == FM_EVENT_WHEN) {
		hash_step(hash, event->rule, event->outcome);
	} else if (event->kind == FM_EVENT_STMT) {
		hash_step(hash, event->rule, event->effect);
		*hash = XXH3_64bits_withSeed(
		    fm_text_or_empty(event->what).b, event->what.len, *hash);
	}
}

/* Runs the rules on a request as it is now. */
static const struct fm_result *
sample_run(const struct sample *sample, struct fm_run *run,
    const struct fm_trace *trace)
{
	const struct fm_result *result;

	fm_connection_mark(sample->fields, sample->view.nfields,
	    sample->marks);
	result = fm_run(run, sample->program, &sample->view, trace);
	if (result->no_memory)
		fm_cli_no_memory();
	return (result);
}

/*
 * Returns a hash of the way that a request takes: of all that rules do to it.
 */
static uint64_t
way_of(const struct sample *sample)
{
	uint64_t hash = 0;
	const struct fm_trace trace = { .priv = &hash, .tell = on_event };
	const struct fm_result *result;
	struct fm_run run;

	result = sample_run(sample, &run, &trace);
	hash_step(&hash, NULL, result->verdict);
	fm_run_end(&run);
	return (hash);
}

/* Tries another field; keeps it if the rules do the same. */
static bool
try_field(struct sample *sample, unsigned n, const char *b, size_t len)
{
	struct fm_field before = sample->fields[n];

	sample->fields[n] = (struct fm_field){ b, b == NULL ? NULL : b + len };
	if (way_of(sample) == sample->way)
		return (true);
	sample->fields[n] = before;
	return (false);
}

/* Tries a field with a text in place of the bytes between two offsets. */
static bool
try_text(struct sample *sample, unsigned n, size_t from, size_t to,
    const char *text)
{
	const struct fm_field *field = &sample->fields[n];
	char *b = fm_arena_alloc(&sample->arena,
	    (size_t)(field->e - field->b) + 3), *end;

	if (b == NULL)
		fm_cli_no_memory();
	memcpy(b, field->b, from);
	end = stpcpy(b + from, text);
	end = mempcpy(end, field->b + to, (size_t)(field->e - field->b) - to);
	return (try_field(sample, n, b, (size_t)(end - b)));
}

/* Leaves out cookies, from the last on; the others' values become x. */
static void
simplify_cookies(struct sample *sample, unsigned n, size_t start)
{
	size_t from, to = (size_t)(sample->fields[n].e - sample->fields[n].b);
	const char *b, *equals;
	bool first, only;

	do {
		b = sample->fields[n].b;
		for (from = to; from > start && b[from - 1] != ';'; from--)
			continue;
		first = from == start;
		only = first && b + to == sample->fields[n].e;
		equals = memchr(b + from, '=', to - from);
		/* The `;` before it goes, too, or that after it. */
		if (!try_text(sample, n, from - !first, to + (first && !only),
		    "") && equals != NULL)
			(void)try_text(sample, n, (size_t)(equals - b) + 1, to,
			    "x");
		to = from - 1;
	} while (!first);
}

static void
simplify(struct sample *sample)
{
	struct fm_text name, value;
	struct fm_addr client;
	unsigned n;

	add_client(&sample->view);
	sample->way = way_of(sample);
	client = sample->view.client;
	sample->view.client.len = 0;
	add_client(&sample->view);
	if (way_of(sample) != sample->way)
		sample->view.client = client;
	for (n = sample->view.nfields; n-- > 0; ) {
		fm_field_parts(&sample->fields[n], &name, &value);
		if (fm_text_eq_nocase(name, fm_text_of("Host")) ||
		    try_field(sample, n, NULL, 0))
			continue;
		if (fm_text_eq_nocase(name, fm_text_of("Cookie")))
			simplify_cookies(sample, n, name.len + 1);
		else if (fm_text_eq_nocase(name,
		    fm_text_of("Authorization")) || fm_text_eq_nocase(name,
		    fm_text_of("Proxy-Authorization")))
			(void)try_text(sample, n, name.len + 1, (size_t)
			    (sample->fields[n].e - sample->fields[n].b), " x");
	}
}

/*--------------------------------------------------------------------
 * Writing
 */

/*
 * Writes the start of a line, escaped if it would begin a comment or section.
 */
static void
put_start(struct fm_text text)
{
	if (text.len > 0 && (text.b[0] == '#' || text.b[0] == '=')) {
		printf("\\x%02x", (unsigned char)text.b[0]);
		text = fm_text(text.b + 1, text.len - 1);
	}
	fm_test_put_text(stdout, text);
}

/* Writes a URL, with its blanks escaped: a blank would end the URL. */
static void
put_url(struct fm_text url)
{
	const char *blank;

	while (url.len > 0 &&
	    (blank = memchr(url.b, ' ', url.len)) != NULL) {
		fm_test_put_text(stdout, fm_text_span(url.b, blank));
		printf("\\x20");
		url = fm_text_span(blank + 1, url.b + url.len);
	}
	fm_test_put_text(stdout, url);
}

static void
put_request(const struct sample *sample)
{
	char address[FM_ADDR_PRINT];
	unsigned n;

	put_start(sample->view.method);
	putchar(' ');
	put_url(sample->view.url);
	putchar('\n');
	for (n = 0; n < sample->view.nfields; n++) {
		if (sample->fields[n].b == NULL)
			continue;
		put_start(fm_text_span(sample->fields[n].b,
		    sample->fields[n].e));
		putchar('\n');
	}
	if (fm_program_wants(sample->program) != 0) {
		(void)fm_addr_print(&sample->view.client, address);
		if (strcmp(address, FM_CLI_CLIENT) != 0)
			printf("client %s\n", address);
	}
	if (sample->view.proto.b != NULL &&
	    !fm_text_eq(sample->view.proto, fm_text_of("HTTP/1.1"))) {
		printf("proto ");
		fm_test_put_text(stdout, sample->view.proto);
		putchar('\n');
	}
	if (sample->view.esi)
		printf("esi\n");
	if (sample->view.scheme == FM_SCHEME_HTTPS &&
	    (fm_program_wants(sample->program) & FM_WANTS_SCHEME) != 0)
		printf("scheme https\n");
}

static void
put_expected(const struct fm_program *program, const struct fm_result *result)
{
	const struct fm_banned *ban;
	struct fm_edit edit;
	unsigned at = 0, i;

	printf("=== expect\n");
	fm_test_put_verdict(stdout, result->verdict, result->status,
	    result->text, result->body);
	putchar('\n');
	if (result->url_changed) {
		printf("url ");
		fm_test_put_text(stdout, result->url);
		putchar('\n');
	}
	while (fm_edit_next(result, &at, &edit)) {
		fm_test_put_header(stdout, edit.name, edit.value);
		putchar('\n');
	}
	if (result->backend_set)
		printf("backend %s\n", fm_program_backend(program,
		    result->backend, NULL));
	for (i = 0; i < result->ncalls; i++)
		printf("calls %s\n", fm_program_call(program,
		    result->calls[i].sub, NULL, NULL));
	for (ban = result->nbans == 0 ? NULL : result->bans; ban != NULL;
	    ban = ban->next) {
		if (ban->text.b == NULL)
			continue;
		printf("bans ");
		fm_test_put_text(stdout, ban->text);
		putchar('\n');
	}
	if (result->undecided > 0)
		printf("undecided %u\n", result->undecided);
	if (result->ignored > 0)
		printf("ignored %u\n", result->ignored);
}

/* Writes the title of a case, "www.example.com, pass". */
static void
put_title(const struct fm_result *result)
{
	printf("=== request ");
	fm_test_put_text(stdout, result->host.len == 0 ?
	    fm_text_of("no host") : result->host);
	printf(", %s", result->verdict == FM_VERDICT_NONE ? "no verdict" :
	    fm_verdict_word(result->verdict));
	if (result->status != 0)
		printf(" %u", result->status);
	putchar('\n');
}

static void
put_case(const struct recorder *recorder, const struct fm_view *view,
    struct fm_where where)
{
	struct sample sample = { .program = recorder->program, .view = *view };
	const struct fm_result *result;
	struct fm_run run;

	sample.fields =
	    fm_cli_alloc((view->nfields + 1) * sizeof *sample.fields);
	if (view->nfields > 0)
		memcpy(sample.fields, view->fields,
		    view->nfields * sizeof *sample.fields);
	sample.view.fields = sample.fields;
	sample.view.marks = sample.marks =
	    fm_cli_alloc(view->nfields + 1);
	simplify(&sample);
	result = sample_run(&sample, &run, NULL);
	put_title(result);
	printf("# ");
	fm_test_put_text(stdout,
	    fm_text_of(recorder->logs->paths[where.log]));
	printf(":%ju\n", (uintmax_t)where.line);
	put_request(&sample);
	put_expected(sample.program, result);
	putchar('\n');
	fm_run_end(&run);
	free(sample.fields);
	free(sample.marks);
	fm_arena_fini(&sample.arena);
}

static void
on_request(void *priv, struct fm_made_request *made, struct fm_where where)
{
	struct recorder *recorder = priv;
	const struct fm_trace trace =
	    fm_test_coverage_trace(&recorder->seen);
	const struct fm_result *result;
	struct fm_view view;
	struct fm_run run;

	fm_cli_view(made, &view);
	add_client(&view);
	recorder->seen.is_new = false;
	result = fm_run(&run, recorder->program, &view, &trace);
	if (result->no_memory)
		fm_cli_no_memory();
	fm_test_coverage_decided(&recorder->seen, result);
	fm_run_end(&run);
	if (recorder->logs->requests == 1)
		printf("Made by `fastmatch test --record`.  Look through it "
		    "before you keep it: URLs\nand headers are what clients "
		    "have sent.\n\n=== rules from %s\n\n", recorder->rules);
	if (recorder->seen.is_new)
		put_case(recorder, &view, where);
}

int
fm_test_record(const char *file, const char *log)
{
	static struct recorder recorder;
	static struct fm_rules rules;
	static struct fm_logs logs;
	bool fine;

	if (!fm_rules_open(&rules, file, NULL)) {
		(void)fm_rules_complain(&rules, false);
		return (FM_CASE_TROUBLE);
	}
	if (!fm_logs_open(&logs, "test", &log, 1))
		return (FM_CASE_TROUBLE);
	recorder.rules = file;
	recorder.program = rules.program;
	recorder.logs = &logs;
	fm_test_coverage_init(&recorder.seen, rules.program);
	fine = fm_logs_run(&logs, on_request, &recorder);
	if (logs.requests == 0) {
		fprintf(stderr, "fastmatch test: no request could be read; "
		    "fastmatch(1) says how a line must look\n");
		fine = false;
	}
	return (fine ? FM_EXIT_OK : FM_CASE_TROUBLE);
}
