/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reports the outcome of cases and the coverage: as text, as JSON, and as the
 * XML of JUnit, which continuous integration reads.
 */

#include <stdlib.h>

#include "explain/explain.h"
#include "test.h"

/*--------------------------------------------------------------------
 * Texts
 */

/* Returns the explanation of a case, for free(): its host, and what ran. */
static char *
explain(const struct fm_test_rules *rules, const struct fm_case *one,
    bool colour)
{
	struct fm_view view = fm_case_view(one);
	struct fm_text client = one->client.b == NULL ?
	    fm_text_of(FM_CLI_CLIENT) : one->client;
	char *copy = fm_cli_copy(client.b, client.len);
	struct fm_explain_to to = { .params = fm_respond_usual };
	struct fm_written written;
	struct fm_term term;

	if (one->response != NULL)
		to.to = fm_case_respond_to(one);

	fm_written_begin(&written);
	term = (struct fm_term){ written.to, colour };
	fm_explain(&rules->rules, &view, fm_program_wants(
	    rules->rules.program) != 0 ? copy : NULL,
	    one->response == NULL ? NULL : &to, &term, true);
	fm_written_end(&written);
	free(copy);
	return (written.text);
}

/*--------------------------------------------------------------------
 * Failures
 */

static void
put_failure(const struct fm_test_report *report,
    const struct fm_test_rules *rules, const struct fm_case *one,
    struct fm_text diff)
{
	const struct fm_term *term = &report->term;
	const struct fm_place at = { report->cases->path, one->line, 0, 0 };
	struct fm_text rest, line;
	char *kept;

	fm_term_place(term, &at);
	fputs(": ", term->to);
	fm_term_clip(term, FM_INK_BOLD, one->title.len == 0 ?
	    fm_text_of("(no title)") : one->title, 0);
	fm_term_put(term, FM_INK_BOLD, "\n  --- expected\n  +++ got\n");
	while (fm_cut_line(&diff, &line)) {
		fputs("  ", term->to);
		fm_term_put(term, *line.b == '+' ? FM_INK_GREEN : FM_INK_RED,
		    "%.*s", (int)line.len, line.b);
		fputc('\n', term->to);
	}
	fputc('\n', term->to);
	kept = explain(rules, one, term->colour);
	rest = fm_text_of(kept);
	while (fm_cut_line(&rest, &line))
		fprintf(term->to, "%s%.*s\n", line.len == 0 ? "" : "    ",
		    (int)line.len, line.b);
	free(kept);
	fputc('\n', term->to);
}

static json_t *
of_failure(const struct fm_test_report *report,
    const struct fm_test_rules *rules, const struct fm_case *one,
    struct fm_text diff)
{
	const struct fm_place at = { report->cases->path, one->line, 0, 0 };
	json_t *object = fm_json_place(&at);
	json_t *sides[2] = { fm_json_array(), fm_json_array() };
	struct fm_text line;
	char *kept;

	fm_json_set(object, "title", fm_json_text(one->title), NULL);
	while (fm_cut_line(&diff, &line))
		fm_json_add(sides[*line.b == '+'],
		    fm_json_text(fm_text(line.b + 1, line.len - 1)));
	kept = explain(rules, one, false);
	fm_json_set(object, "expected", sides[false], "got", sides[true],
	    "explanation", fm_json_string(kept), NULL);
	free(kept);
	return (object);
}

/*--------------------------------------------------------------------
 * JUnit
 */

/* Writes a text without what XML forbids: controls, U+FFFE and U+FFFF. */
static void
put_xml(FILE *to, struct fm_text text)
{
	const char *bad;

	while ((bad = fm_text_find(text, fm_text_of("\xef\xbf"))) != NULL) {
		fm_put_escaped(to, fm_text_span(text.b, bad), 0);
		fputs("\\xef\\xbf", to);
		text = fm_text_span(bad + 2, text.b + text.len);
	}
	fm_put_escaped(to, text, 0);
}

static void
put_xml_lines(FILE *to, struct fm_text text)
{
	struct fm_text line;

	while (fm_cut_line(&text, &line)) {
		put_xml(to, line);
		fputc('\n', to);
	}
}

static void
put_xml_case(const struct fm_test_report *report,
    const struct fm_test_rules *rules, const struct fm_case *one,
    enum fm_test_outcome outcome, struct fm_text diff)
{
	FILE *to = report->suite.to;
	char *kept;

	fputs("  <testcase classname=\"", to);
	put_xml(to, fm_text_of(report->cases->path));
	fprintf(to, "\" name=\"line %u", one->line);
	fputs(one->title.len == 0 ? "" : ": ", to);
	put_xml(to, one->title);
	if (outcome == FM_CASE_PASSED) {
		fputs("\"/>\n", to);
		return;
	}
	fputs("\">\n", to);
	if (outcome == FM_CASE_LEFT_OUT)
		fputs("   <skipped/>\n", to);
	else if (outcome == FM_CASE_NOT_RUN)
		fputs("   <error message=\"the rules have errors\"/>\n", to);
	else {
		fputs("   <failure message=\"not as expected\">", to);
		put_xml_lines(to, diff);
		fputc('\n', to);
		kept = explain(rules, one, false);
		put_xml_lines(to, fm_text_of(kept));
		free(kept);
		fputs("</failure>\n", to);
	}
	fputs("  </testcase>\n", to);
}

static void
put_xml_suite(FILE *to, const char *path, unsigned tests, unsigned failures,
    unsigned errors, unsigned skipped)
{
	fputs(" <testsuite name=\"", to);
	put_xml(to, fm_text_of(path));
	fprintf(to, "\" tests=\"%u\" failures=\"%u\" errors=\"%u\" "
	    "skipped=\"%u\">\n", tests, failures, errors, skipped);
}

/*--------------------------------------------------------------------
 * Cases
 */

void
fm_test_report_begin(struct fm_test_report *report,
    const struct fm_cases *cases)
{
	report->cases = cases;
	memcpy(report->before, report->counts, sizeof report->before);
	if (report->junit != NULL)
		fm_written_begin(&report->suite);
}

void
fm_test_report_end(struct fm_test_report *report)
{
	unsigned n[FM_CASE__OUTCOMES], all = 0, i;

	if (report->junit == NULL)
		return;
	fm_written_end(&report->suite);
	for (i = 0; i < FM_CASE__OUTCOMES; i++)
		all += n[i] = report->counts[i] - report->before[i];
	put_xml_suite(report->junit, report->cases->path, all,
	    n[FM_CASE_FAILED], n[FM_CASE_NOT_RUN], n[FM_CASE_LEFT_OUT]);
	fprintf(report->junit, "%s </testsuite>\n", report->suite.text);
	free(report->suite.text);
}

void
fm_test_report_unread(struct fm_test_report *report, const char *path,
    const struct fm_diag *diag)
{
	FILE *to = report->junit;
	const char *first = fm_diag_line(diag, 0);

	if (to == NULL || first == NULL)
		return;
	put_xml_suite(to, path, 1, 0, 1, 0);
	fputs("  <testcase classname=\"", to);
	put_xml(to, fm_text_of(path));
	fputs("\" name=\"can be read\">\n   <error message=\"", to);
	put_xml(to, fm_text_of(first));
	fputs("\"/>\n  </testcase>\n </testsuite>\n", to);
}

void
fm_test_report_case(struct fm_test_report *report,
    const struct fm_test_rules *rules, const struct fm_case *one,
    enum fm_test_outcome outcome, struct fm_text diff)
{
	report->counts[outcome]++;
	if (report->junit != NULL)
		put_xml_case(report, rules, one, outcome, diff);
	if (outcome != FM_CASE_FAILED)
		return;
	if (report->failures != NULL)
		fm_json_add(report->failures,
		    of_failure(report, rules, one, diff));
	else
		put_failure(report, rules, one, diff);
}

/*--------------------------------------------------------------------
 * Coverage
 */

static const char * const missing_words[] = {
	[FM_CASE_NEVER_ASKED] = "never asked",
	[FM_CASE_NEVER_RUN] = "never run",
	[FM_CASE_NEVER_TRUE] = "never true",
	[FM_CASE_NEVER_FALSE] = "never false"
};

static json_t *
of_ratio(const struct fm_test_ratio *ratio)
{
	return (fm_json_of("reached", fm_json_number(ratio->reached),
	    "all", fm_json_number(ratio->all), NULL));
}

static json_t *
of_covered(const struct fm_test_rules *rules,
    const struct fm_test_covered *covered)
{
	json_t *missing = fm_json_array(), *one;
	size_t i;

	for (i = 0; i < covered->n; i++) {
		one = fm_json_place(&covered->missing[i].at);
		fm_json_set(one, "text",
		    fm_json_string(covered->missing[i].text), "what",
		    fm_json_string(missing_words[covered->missing[i].what]),
		    NULL);
		fm_json_add(missing, one);
	}
	return (fm_json_of("file", fm_json_string(rules->main),
	    "statements", of_ratio(&covered->statements),
	    "branches", of_ratio(&covered->branches),
	    "hosts", of_ratio(&covered->hosts),
	    "percent", fm_json_number(covered->percent),
	    "missing", missing, NULL));
}

void
fm_test_report_coverage(struct fm_test_report *report,
    const struct fm_test_rules *rules, const struct fm_test_covered *covered,
    json_t *array)
{
	const struct fm_term *term = &report->term;
	const struct fm_test_missing *m;
	size_t i;

	if (array != NULL) {
		fm_json_add(array, of_covered(rules, covered));
		return;
	}
	for (i = 0; i < covered->n; i++) {
		m = &covered->missing[i];
		fm_term_place(term, &m->at);
		fm_term_put(term, FM_INK_YELLOW, ": %s: ",
		    missing_words[m->what]);
		if (m->what == FM_CASE_NEVER_ASKED &&
		    strcmp(m->text, "default") != 0)
			fputs("host ", term->to);
		fm_term_clip(term, FM_INK_PLAIN, fm_text_of(m->text), 0);
		fputc('\n', term->to);
	}
	fm_term_clip(term, FM_INK_PLAIN, fm_text_of(rules->main), 0);
	if (!rules->shared)
		fprintf(term->to, ":%u", rules->skip);
	fprintf(term->to,
	    ": cases reach %u of %u statements, %u of %u branches, "
	    "%u of %u hosts: %u %%\n", covered->statements.reached,
	    covered->statements.all, covered->branches.reached,
	    covered->branches.all, covered->hosts.reached, covered->hosts.all,
	    covered->percent);
}
