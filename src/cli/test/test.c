/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch test`: runs files of cases (cases.h), and reports which cases
 * fail; or makes cases from a log (--record).
 */

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "load.h"
#include "made_request.h"
#include "options.h"
#include "rewrite.h"
#include "term.h"
#include "test.h"

struct session {
	struct fm_test_report	report;
	struct fm_test_rules	*rules;
	bool			coverage;	/* is wanted */
	bool			trouble;
	unsigned		unread;		/* files */
};

/*--------------------------------------------------------------------
 * Cases
 */

struct fm_respond_to
fm_case_respond_to(const struct fm_case *one)
{
	const struct fm_case_response *response = one->response;
	struct fm_respond_to to = { .status = response->status,
		.fields = response->fields, .nfields = response->nfields,
		.flags = (response->background ? FM_FETCH_BACKGROUND : 0) |
		    (response->retry ? FM_FETCH_RETRY : 0) |
		    (response->own ? FM_CACHE_OWN : 0),
		.now = (double)time(NULL) };
	struct fm_text name, value;
	double date;
	unsigned i;

	/* A response comes at its Date, or else now. */
	for (i = 0; i < to.nfields; i++) {
		fm_field_parts(&to.fields[i], &name, &value);
		if (fm_text_eq_nocase(name, fm_text_of("Date")) &&
		    fm_http_date(value, &date))
			to.now = date;
	}
	return (to);
}

/*
 * Delivers the answer that a verdict gives, and fills in what it is without
 * rules.  Returns false if the verdict gives none.
 */
static bool
run_answer(struct fm_respond *respond, struct fm_respond_run *answered,
    struct fm_respond_run *bare, const struct fm_result *by, bool again,
    const struct fm_trace *trace)
{
	if (!fm_respond_answer(respond, answered, by, again, trace))
		return (false);
	*bare = (struct fm_respond_run){ .after = (struct fm_field *)
	    (uintptr_t)answered->view.fields, .nafter =
	    answered->view.nfields - answered->view.nrequest };
	return (true);
}

/*
 * Delivers what was stored: as a hit or a miss, as the case says.  The client
 * gets the second run, if the rules give an answer instead.
 */
static void
run_delivery(struct fm_respond *respond, const struct fm_case *one,
    struct fm_respond_run *delivered, struct fm_respond_run *answered,
    struct fm_respond_run *bare, const struct fm_trace *trace)
{
	bool later = one->response->hit || one->response->background;
	unsigned flag = one->response->own ? FM_CACHE_OWN : FM_CACHE_PASS;
	double seconds = 0;

	if (fm_respond_is_kept(respond)) {
		flag = one->response->stale ? FM_CACHE_STALE :
		    later ? FM_CACHE_HIT : FM_CACHE_MISS;
		seconds = one->response->stale ? respond->ttl + 1 :
		    later ? (double)(int64_t)(respond->ttl / 2) : 0;
	}
	fm_respond_bare(respond, bare, flag, seconds);
	fm_respond_deliver(respond, delivered, flag, seconds, trace);
	(void)run_answer(respond, answered, bare, delivered->result, true,
	    trace);
}

/* Stores and delivers a response, and compares it with what is expected. */
static void
run_response(FILE *to, const struct fm_test_rules *rules,
    const struct fm_case *one, struct fm_respond *respond,
    const struct fm_respond_to *response, const struct fm_trace *trace)
{
	struct fm_respond_run delivered = { .result = NULL },
	    answered = { .result = NULL }, bare = { .result = NULL };

	fm_respond_store(respond, response, trace);
	if (fm_respond_delivers(respond))
		run_delivery(respond, one, &delivered, &answered, &bare,
		    trace);
	if (respond->no_memory)
		fm_cli_no_memory();
	fm_test_compare_response(to, rules, one, respond, &delivered,
	    answered.result != NULL ? &answered : &delivered, &bare);
	fm_respond_run_end(&delivered);
	fm_respond_run_end(&answered);
}

/*
 * Delivers the answer of a request that asks no backend, and compares it.
 * Returns false if there is none of that status.
 */
static bool
run_own(FILE *to, const struct fm_test_rules *rules,
    const struct fm_case *one, struct fm_respond *respond,
    const struct fm_result *result, const struct fm_trace *trace)
{
	struct fm_respond_run delivered, answered = { .result = NULL }, bare;

	if (!one->response->own || result->status != one->response->status ||
	    !run_answer(respond, &delivered, &bare, result, false, trace))
		return (false);
	respond->fate = FM_RESPOND_UNCACHEABLE;
	if (delivered.result != NULL)
		(void)run_answer(respond, &answered, &bare, delivered.result,
		    true, trace);
	if (respond->no_memory)
		fm_cli_no_memory();
	fm_test_compare_response(to, rules, one, respond, &delivered,
	    answered.result != NULL ? &answered : &delivered, &bare);
	fm_respond_run_end(&delivered);
	fm_respond_run_end(&answered);
	return (true);
}

/* Does so for the response of a case, and for the 304 that follows. */
static void
run_responses(FILE *to, const struct fm_test_rules *rules,
    const struct fm_case *one, const struct fm_view *view,
    const struct fm_result *result, const struct fm_trace *trace)
{
	const struct fm_program *program = rules->rules.program;
	struct fm_respond_to response = fm_case_respond_to(one), again;
	struct fm_respond first, second;

	fm_respond_init(&first, program, view, result);
	if (!fm_respond_fetches(&first)) {
		if (!run_own(to, rules, one, &first, result, trace))
			fm_test_compare_none(to, &first);
		fm_respond_fini(&first);
		return;
	}
	run_response(to, rules, one, &first, &response, trace);
	if (one->response->refresh && fm_respond_is_kept(&first)) {
		fm_respond_refresh(&first, &again);
		fm_respond_init(&second, program, view, result);
		run_response(to, rules, one, &second, &again, trace);
		fm_respond_fini(&second);
	}
	fm_respond_fini(&first);
}

/* Collects the lines of a key, and tells another trace of them. */
struct key {
	struct fm_log_line	*lines, **end;
	const struct fm_trace	*next;		/* or NULL */
};

static void
key_add(struct key *key, char *text)
{
	if (text == NULL)
		fm_cli_no_memory();
	*key->end = fm_cli_alloc(sizeof **key->end);
	(*key->end)->text = fm_text_of(text);
	key->end = &(*key->end)->next;
}

static void
key_event(void *priv, const struct fm_event *event)
{
	struct key *key = priv;

	if (key->next != NULL)
		fm_trace_tell(key->next, event);
	if (event->kind == FM_EVENT_STMT && event->effect == FM_EFFECT_KEY)
		key_add(key, fm_key_line(event));
}

static void
key_free(struct key *key)
{
	struct fm_log_line *line;

	while ((line = key->lines) != NULL) {
		key->lines = line->next;
		free((void *)(uintptr_t)line->text.b);
		free(line);
	}
	key->end = &key->lines;
}

/* Makes the key of a request; one that can't be made is `undecided`. */
static void
run_key(struct key *key, const struct fm_program *program,
    const struct fm_view *view, const struct fm_result *result)
{
	const struct fm_trace trace = { .priv = key, .tell = key_event,
		.tests = true };
	struct fm_respond respond;
	struct fm_respond_run run;

	key->lines = NULL;
	key->end = &key->lines;
	if (fm_program_phase(program, FM_PHASE_KEY) == NULL)
		return;
	fm_respond_init(&respond, program, view, result);
	if (fm_respond_key(&respond, &run, &trace) &&
	    run.result->verdict != FM_VERDICT_NONE) {
		key_free(key);
		key_add(key, strdup("undecided"));
	}
	if (respond.no_memory)
		fm_cli_no_memory();
	fm_respond_run_end(&run);
	fm_respond_fini(&respond);
}

/* Sends a request to a backend, and compares it with what is expected. */
static void
run_fetch(FILE *to, const struct fm_test_rules *rules,
    const struct fm_case *one, const struct fm_view *view,
    const struct fm_result *result, const struct fm_trace *trace)
{
	struct fm_respond respond;

	fm_respond_init(&respond, rules->rules.program, view, result);
	if (fm_respond_fetches(&respond))
		fm_respond_fetch(&respond, 0, trace);
	if (respond.no_memory)
		fm_cli_no_memory();
	fm_test_compare_sent(to, one, &respond);
	fm_respond_fini(&respond);
}

static void
run_case(struct session *session, struct fm_test_rules *rules,
    const struct fm_case *one)
{
	struct fm_view view = fm_case_view(one);
	struct fm_written diff;
	struct fm_trace trace = fm_test_coverage_trace(&rules->coverage);
	struct key key = { .next = session->coverage ? &trace : NULL };
	const struct fm_result *result;
	struct fm_run run;

	view.counters = rules->coverage.counters;
	result = fm_run(&run, rules->rules.program, &view,
	    session->coverage ? &trace : NULL);
	if (result->no_memory)
		fm_cli_no_memory();
	rules->coverage.otherwise |= result->otherwise;
	run_key(&key, rules->rules.program, &view, result);
	fm_written_begin(&diff);
	if (one->response == NULL) {
		fm_test_compare(diff.to, rules, one, &view, result, key.lines);
		run_fetch(diff.to, rules, one, &view, result,
		    session->coverage ? &trace : NULL);
	} else {
		run_responses(diff.to, rules, one, &view, result,
		    session->coverage ? &trace : NULL);
	}
	fm_written_end(&diff);
	key_free(&key);
	fm_run_end(&run);
	fm_test_report_case(&session->report, rules, one,
	    diff.len == 0 ? FM_CASE_PASSED : FM_CASE_FAILED,
	    fm_text(diff.text, diff.len));
	free(diff.text);
}

static void
run_group(struct session *session, const struct fm_cases *cases,
    const struct fm_cases_group *group)
{
	struct fm_test_rules *rules = fm_test_rules_open(&session->rules, cases,
	    group);
	const struct fm_case *one;

	if (rules->rules.program == NULL) {
		session->trouble = true;
		fm_complain("%s:%u: the cases of these rules are not run",
		    cases->path, group->line);
	}
	for (one = group->ones; one != NULL; one = one->next)
		if (!(one->engines & FM_CASES_CLI))
			fm_test_report_case(&session->report, rules, one,
			    FM_CASE_LEFT_OUT, fm_text(NULL, 0));
		else if (rules->rules.program == NULL)
			fm_test_report_case(&session->report, rules, one,
			    FM_CASE_NOT_RUN, fm_text(NULL, 0));
		else
			run_case(session, rules, one);
}

static void
run_file(struct session *session, const char *path)
{
	const struct fm_cases_group *group;
	struct fm_diag *diag = fm_cli_diag();
	struct fm_cases *cases;

	cases = fm_cases_read(path, diag);
	fm_cli_say(diag, false, path, fm_text(NULL, 0), stderr);
	if (cases == NULL) {
		session->trouble = true;
		session->unread++;
		fm_test_report_unread(&session->report, path, diag);
	}
	fm_diag_free(&diag);
	if (cases == NULL)
		return;
	fm_test_report_begin(&session->report, cases);
	for (group = cases->groups; group != NULL; group = group->next)
		run_group(session, cases, group);
	fm_test_report_end(&session->report);
	fm_cases_free(&cases);
}

/*--------------------------------------------------------------------
 * All files
 */

/* Reports the coverage; returns false if it is less than the user wants. */
static bool
report_coverage(struct session *session, json_t *array)
{
	const unsigned least = fm_option_number(FM_OPTION_MIN_COVERAGE, 0);
	const struct fm_test_rules *rules;
	struct fm_test_covered covered;
	bool enough = true;

	for (rules = session->rules; rules != NULL; rules = rules->next) {
		if (rules->rules.program == NULL)
			continue;
		fm_test_covered_find(&covered, rules);
		fm_test_report_coverage(&session->report, rules, &covered,
		    array);
		if (covered.percent < least) {
			fprintf(stderr, "fastmatch test: cases reach %u %% of "
			    "%s, and --min-coverage asks for %u\n",
			    covered.percent, rules->main, least);
			enough = false;
		}
		free(covered.missing);
	}
	return (enough);
}

static void
report_counts(const struct session *session, json_t *coverage)
{
	static const char * const names[FM_CASE__OUTCOMES] = {
		"passed", "failed", "left_out", "not_run" };
	static const char * const words[FM_CASE__OUTCOMES] = {
		"passed", "failed", "left out", "not run" };
	const unsigned *counts = session->report.counts;
	json_t *object;
	int i;

	if (!fm_given.json) {
		printf("%u passed, %u failed", counts[FM_CASE_PASSED],
		    counts[FM_CASE_FAILED]);
		for (i = FM_CASE_LEFT_OUT; i < FM_CASE__OUTCOMES; i++)
			if (counts[i] > 0)
				printf(", %u %s", counts[i], words[i]);
		if (session->unread > 0)
			printf(", %u file%s not read", session->unread,
			    session->unread == 1 ? "" : "s");
		printf("\n");
		return;
	}
	object = fm_json_object();
	for (i = 0; i < FM_CASE__OUTCOMES; i++)
		fm_json_set(object, names[i], fm_json_number(counts[i]), NULL);
	fm_json_set(object, "unread", fm_json_number(session->unread), NULL);
	fm_json_set(object, "failures", session->report.failures, NULL);
	if (coverage != NULL)
		fm_json_set(object, "coverage", coverage, NULL);
	fm_json_print(object);
}

/* Returns false for a file of cases or rules, and for what is not a report. */
static bool
junit_may_write(const char *path)
{
	const char *dot = strrchr(path, '.');

	return ((dot == NULL || (strcmp(dot, ".test") != 0 &&
	    strcmp(dot, ".rules") != 0)) && fm_may_write(path, "<?xml"));
}

static bool
junit_begin(struct session *session, const char *path)
{
	if (path == NULL)
		return (true);
	if (!junit_may_write(path)) {
		fm_complain("fastmatch test: --junit would overwrite %s, "
		    "which is not a report: name one, as in "
		    "'--junit report.xml'", path);
		return (false);
	}
	session->report.junit = fopen(path, "we");
	if (session->report.junit == NULL) {
		fm_complain("fastmatch test: can't write %s: %s", path,
		    strerror(errno));
		return (false);
	}
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n",
	    session->report.junit);
	return (true);
}

static bool
junit_end(struct session *session, const char *path)
{
	bool fine;

	if (session->report.junit == NULL)
		return (true);
	fputs("</testsuites>\n", session->report.junit);
	fine = !ferror(session->report.junit);
	fine = fclose(session->report.junit) == 0 && fine;
	if (!fine)
		fm_complain("fastmatch test: can't write %s: %s", path,
		    strerror(errno));
	return (fine);
}

static int
run_files(char **files, int nfiles, bool covers)
{
	const char *junit = fm_option(FM_OPTION_JUNIT);
	static struct session session;
	json_t *coverage = NULL;
	bool enough = true;
	int i;

	session.coverage = covers;
	fm_term_init(&session.report.term, stdout, fm_given.colour);
	if (!junit_begin(&session, junit))
		return (FM_CASE_TROUBLE);
	if (fm_given.json)
		session.report.failures = fm_json_array();
	for (i = 0; i < nfiles; i++)
		run_file(&session, files[i]);
	if (fm_given.json && covers)
		coverage = fm_json_array();
	if (covers)
		enough = report_coverage(&session, coverage);
	report_counts(&session, coverage);
	if (!junit_end(&session, junit))
		session.trouble = true;
	if (!session.trouble && session.report.counts[FM_CASE_PASSED] +
	    session.report.counts[FM_CASE_FAILED] == 0) {
		fprintf(stderr, "fastmatch test: no case was run; "
		    "fastmatch.test(5) says what one looks like\n");
		session.trouble = true;
	}
	return (session.trouble ? FM_CASE_TROUBLE :
	    session.report.counts[FM_CASE_FAILED] > 0 ||
	    !enough ? FM_EXIT_ERRORS : FM_EXIT_OK);
}

/*--------------------------------------------------------------------
 * The command
 */

static int
record(int argc, char **argv, bool covers)
{
	const char *rules;
	int status;

	if (covers || fm_given.json || fm_option(FM_OPTION_JUNIT) != NULL ||
	    fm_option(FM_OPTION_RULES) != NULL)
		return (fm_options_usage("--record goes with --format, "
		    "--backend and --vcl alone"));
	status = fm_options_file(argc, argv, &rules);
	return (status != 0 ? status : fm_test_record(rules,
	    fm_option(FM_OPTION_RECORD)));
}

int
fm_cli_test(int argc, char **argv)
{
	bool covers = fm_option(FM_OPTION_COVERAGE) != NULL ||
	    fm_option(FM_OPTION_MIN_COVERAGE) != NULL;

	fm_cli_trouble = FM_CASE_TROUBLE;
	if (fm_option(FM_OPTION_RECORD) != NULL)
		return (record(argc, argv, covers));
	if (fm_given.format != NULL)
		return (fm_options_usage("--format is for --record"));
	if (argc == 0)
		return (fm_options_usage("no file of cases is given"));
	return (run_files(argv, argc, covers));
}
