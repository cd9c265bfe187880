/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch test`: runs files of cases (cases.h), and reports which cases
 * fail; or makes cases from a log (--record).
 */

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>

#include "load.h"
#include "options.h"
#include "rewrite.h"
#include "test.h"

static const struct fm_command *command;

struct arguments {
	struct fm_shared	shared;
	const char		*rules;		/* NULL: as the cases say */
	const char		*junit;
	const char		*record;
	unsigned		least;		/* percent to be covered */
	bool			coverage;
};

struct session {
	const struct arguments	*a;
	struct fm_test_report	report;
	struct fm_test_rules	*rules;
	bool			trouble;
};

/*--------------------------------------------------------------------
 * Cases
 */

static void
run_case(struct session *s, struct fm_test_rules *rules,
    const struct fm_case *one)
{
	struct fm_view view = fm_case_view(one);
	struct fm_test_text diff;
	struct fm_trace trace = fm_test_coverage_trace(&rules->coverage);
	const struct fm_result *r;
	struct fm_run run;

	view.counters = rules->coverage.counters;
	r = fm_run(&run, rules->rules.program, &view,
	    s->a->coverage ? &trace : NULL);
	if (r->no_memory)
		fm_cli_no_memory();
	rules->coverage.otherwise |= r->otherwise;
	fm_test_text_begin(&diff);
	fm_test_compare(diff.to, rules, one, &view, r);
	fm_test_text_end(&diff);
	fm_run_end(&run);
	fm_test_report_case(&s->report, rules, one,
	    diff.len == 0 ? FM_TEST_PASSED : FM_TEST_FAILED,
	    fm_text(diff.text, diff.len));
	free(diff.text);
}

static void
run_group(struct session *s, const struct fm_cases *cases,
    const struct fm_cases_group *group)
{
	struct fm_test_rules *rules = fm_test_rules_open(&s->rules, cases,
	    group, s->a->rules, &s->a->shared.backends);
	const struct fm_case *one;

	if (rules->rules.program == NULL) {
		s->trouble = true;
		fprintf(stderr, "%s:%u: the cases of these rules are not "
		    "run\n", cases->path, group->line);
	}
	for (one = group->ones; one != NULL; one = one->next)
		if (!(one->engines & FM_CASES_CLI))
			fm_test_report_case(&s->report, rules, one,
			    FM_TEST_LEFT_OUT, fm_text(NULL, 0));
		else if (rules->rules.program == NULL)
			fm_test_report_case(&s->report, rules, one,
			    FM_TEST_NOT_RUN, fm_text(NULL, 0));
		else
			run_case(s, rules, one);
}

static void
run_file(struct session *s, const char *path)
{
	const struct fm_cases_group *group;
	struct fm_diag *diag = fm_diag_new();
	struct fm_cases *cases;

	if (diag == NULL)
		fm_cli_no_memory();
	cases = fm_cases_read(path, diag);
	fm_cli_say(diag, false, path, fm_text(NULL, 0), stderr);
	if (cases == NULL) {
		s->trouble = true;
		fm_test_report_unread(&s->report, path, diag);
	}
	fm_diag_free(&diag);
	if (cases == NULL)
		return;
	fm_test_report_begin(&s->report, cases);
	for (group = cases->groups; group != NULL; group = group->next)
		run_group(s, cases, group);
	fm_test_report_end(&s->report);
	fm_cases_free(&cases);
}

/*--------------------------------------------------------------------
 * All files
 */

/* Reports the coverage; returns false if it is less than the user wants. */
static bool
report_coverage(struct session *s, json_t *array)
{
	const struct fm_test_rules *rules;
	struct fm_test_covered covered;
	bool enough = true;

	for (rules = s->rules; rules != NULL; rules = rules->next) {
		if (rules->rules.program == NULL)
			continue;
		fm_test_covered_find(&covered, rules);
		fm_test_report_coverage(&s->report, rules, &covered, array);
		if (covered.percent < s->a->least) {
			fprintf(stderr, "fastmatch test: cases reach %u %% of "
			    "%s, and --min-coverage asks for %u\n",
			    covered.percent, rules->main, s->a->least);
			enough = false;
		}
		free(covered.missing);
	}
	return (enough);
}

static void
report_counts(const struct session *s, json_t *coverage)
{
	static const char * const names[FM_TEST__OUTCOMES] = {
		"passed", "failed", "left_out", "not_run" };
	static const char * const words[FM_TEST__OUTCOMES] = {
		"passed", "failed", "left out", "not run" };
	const unsigned *counts = s->report.counts;
	json_t *object;
	int i;

	if (!s->a->shared.json) {
		printf("%u passed, %u failed", counts[FM_TEST_PASSED],
		    counts[FM_TEST_FAILED]);
		for (i = FM_TEST_LEFT_OUT; i < FM_TEST__OUTCOMES; i++)
			if (counts[i] > 0)
				printf(", %u %s", counts[i], words[i]);
		printf("\n");
		return;
	}
	object = fm_json_object();
	for (i = 0; i < FM_TEST__OUTCOMES; i++)
		fm_json_set(object, names[i], fm_json_number(counts[i]), NULL);
	fm_json_set(object, "failures", s->report.failures, NULL);
	if (coverage != NULL)
		fm_json_set(object, "coverage", coverage, NULL);
	fm_json_print(object);
}

/* Returns false for a file of cases or rules, and for what is no report. */
static bool
junit_may_write(const char *path)
{
	const char *dot = strrchr(path, '.');

	return ((dot == NULL || (strcmp(dot, ".test") != 0 &&
	    strcmp(dot, ".rules") != 0)) && fm_may_write(path, "<?xml"));
}

static bool
junit_begin(struct session *s)
{
	if (s->a->junit == NULL)
		return (true);
	if (!junit_may_write(s->a->junit)) {
		fprintf(stderr, "fastmatch test: --junit would overwrite %s, "
		    "which is no report: name one, as in "
		    "'--junit report.xml'\n", s->a->junit);
		return (false);
	}
	s->report.junit = fopen(s->a->junit, "we");
	if (s->report.junit == NULL) {
		fprintf(stderr, "fastmatch test: can't write %s: %s\n",
		    s->a->junit, strerror(errno));
		return (false);
	}
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n",
	    s->report.junit);
	return (true);
}

static bool
junit_end(struct session *s)
{
	bool fine;

	if (s->report.junit == NULL)
		return (true);
	fputs("</testsuites>\n", s->report.junit);
	fine = !ferror(s->report.junit);
	fine = fclose(s->report.junit) == 0 && fine;
	if (!fine)
		fprintf(stderr, "fastmatch test: can't write %s: %s\n",
		    s->a->junit, strerror(errno));
	return (fine);
}

static int
run_files(const struct arguments *a, char **files, int nfiles)
{
	struct session s = { .a = a };
	json_t *coverage = NULL;
	bool enough = true;
	int i;

	fm_term_init(&s.report.term, stdout, a->shared.colour);
	if (!junit_begin(&s))
		return (FM_TEST_TROUBLE);
	if (a->shared.json)
		s.report.failures = fm_json_array();
	for (i = 0; i < nfiles; i++)
		run_file(&s, files[i]);
	if (a->shared.json && a->coverage)
		coverage = fm_json_array();
	if (a->coverage)
		enough = report_coverage(&s, coverage);
	report_counts(&s, coverage);
	if (!junit_end(&s))
		s.trouble = true;
	fm_test_rules_close(&s.rules);
	if (!s.trouble && s.report.counts[FM_TEST_PASSED] +
	    s.report.counts[FM_TEST_FAILED] == 0) {
		fprintf(stderr, "fastmatch test: no case was run; "
		    "fastmatch.test(5) says what one looks like\n");
		s.trouble = true;
	}
	return (s.trouble ? FM_TEST_TROUBLE :
	    s.report.counts[FM_TEST_FAILED] > 0 || !enough ? FM_EXIT_ERRORS :
	    FM_EXIT_OK);
}

/*--------------------------------------------------------------------
 * The command
 */

static int
take_options(struct arguments *a, int argc, char **argv)
{
	if (fm_options_shared(command, argc, argv, &a->shared) !=
	    FM_OPTION_END || fm_options_number(command,
	    FM_OPTION_MIN_COVERAGE, 100, &a->least) != 0)
		return (FM_EXIT_USAGE);
	a->coverage = a->least > 0 || fm_option(FM_OPTION_COVERAGE) != NULL;
	a->rules = fm_option(FM_OPTION_RULES);
	a->junit = fm_option(FM_OPTION_JUNIT);
	a->record = fm_option(FM_OPTION_RECORD);
	return (0);
}

static int
record(const struct arguments *a, int argc, char **argv)
{
	const char *rules;
	int status;

	if (a->coverage || a->junit != NULL || a->shared.json ||
	    a->rules != NULL)
		return (fm_options_usage(command, "--record goes with "
		    "--format, --backend and --vcl alone"));
	status = fm_options_file(command, argc, argv, &rules);
	return (status != 0 ? status : fm_test_record(rules,
	    &a->shared.backends, a->record, a->shared.format));
}

int
fm_cli_test(int argc, char **argv)
{
	struct arguments a = { .rules = NULL };
	int status;

	fm_cli_trouble = FM_TEST_TROUBLE;
	command = fm_command_of(fm_cli_test);
	status = take_options(&a, argc, argv);
	if (status == 0 && a.shared.format != NULL && a.record == NULL)
		status = fm_options_usage(command,
		    "--format is for --record");
	else if (status == 0 && a.record != NULL)
		status = record(&a, argc, argv);
	else if (status == 0 && optind == argc)
		status = fm_options_usage(command,
		    "no file of cases is given");
	else if (status == 0)
		status = run_files(&a, argv + optind, argc - optind);
	free(a.shared.backends.v);
	return (status);
}
