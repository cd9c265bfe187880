/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compares what a case expects with what the rules made of its request.  The
 * differences are lines in the format of cases, expected and got:
 *
 *	-verdict pass
 *	+verdict hash
 */

#include <stdlib.h>

#include "made_request.h"
#include "scan.h"
#include "test.h"

/* A case and its result, while they are compared. */
struct comparison {
	FILE			*to;
	const struct fm_test_rules *rules;
	const struct fm_case	*one;
	const struct fm_view	*view;
	const struct fm_result	*result;
};

/*--------------------------------------------------------------------
 * Lines
 */

static void
say_header(const struct comparison *comparison, bool got, struct fm_text name,
    struct fm_text value)
{
	fputc(got ? '+' : '-', comparison->to);
	fm_test_put_header(comparison->to, name, value);
	fputc('\n', comparison->to);
}

/*
 * Adds a line "url /a".  For a missing text adds "no url" if `no`, else
 * nothing.
 */
static void
say_text(const struct comparison *comparison, char sign, const char *word,
    struct fm_text text, bool no)
{
	if (text.b == NULL && !no)
		return;
	fprintf(comparison->to, text.b == NULL ? "%cno %s" : "%c%s ", sign,
	    word);
	fm_test_put_text(comparison->to, text);
	fputc('\n', comparison->to);
}

static void
compare_text(struct comparison *comparison, const char *word,
    struct fm_text expected, struct fm_text got, bool no)
{
	if (fm_text_same(expected, got))
		return;
	say_text(comparison, '-', word, expected, no);
	say_text(comparison, '+', word, got, no);
}

static void
compare_number(struct comparison *comparison, const char *word,
    uint32_t expected, uint32_t got)
{
	if (expected != got && expected != FM_CASES_ANY)
		fprintf(comparison->to, "-%s %u\n+%s %u\n", word, expected,
		    word, got);
}

/*--------------------------------------------------------------------
 * Verdicts
 */

static void
compare_verdict(struct comparison *comparison)
{
	const struct fm_cases_expected *x = &comparison->one->expected;
	const struct fm_result *result = comparison->result;

	if (x->verdict == result->verdict && (x->verdict < FM_VERDICT_SYNTH ||
	    (x->status == result->status && fm_text_same(x->text,
	    result->text) && fm_text_eq(x->body, result->body))))
		return;
	fputc('-', comparison->to);
	fm_test_put_verdict(comparison->to, x->verdict, x->status, x->text,
	    x->body);
	fputs("\n+", comparison->to);
	fm_test_put_verdict(comparison->to, result->verdict, result->status,
	    result->text, result->body);
	fputc('\n', comparison->to);
}

/* Compares the rule that decided: "FILE:LINE", FILE in the rules' folder. */
static void
compare_rule(struct comparison *comparison)
{
	const struct fm_test_rules *rules = comparison->rules;
	const struct fm_rule *rule = comparison->result->rule;
	struct fm_text x = comparison->one->expected.rule;
	const char *slash = strrchr(rules->main, '/');
	size_t folder = slash == NULL ? 0 : (size_t)(slash - rules->main) + 1;
	char *expected, *got = NULL;
	const char *name;
	bool is_main;

	if (x.b == NULL)
		return;
	if (asprintf(&expected, "%s%s%.*s",
	    memchr(x.b, ':', x.len) == NULL ? rules->name : "",
	    memchr(x.b, ':', x.len) == NULL ? ":" : "", (int)x.len, x.b) < 0)
		fm_cli_no_memory();
	if (rule != NULL) {
		is_main = strcmp(rule->at.name, rules->main) == 0;
		name = rule->at.name + (strncmp(rule->at.name, rules->main,
		    folder) == 0 ? folder : 0);
		if (asprintf(&got, "%s:%u", is_main ? rules->name : name,
		    rule->at.line - (is_main ? rules->skip : 0)) < 0)
			fm_cli_no_memory();
	}
	compare_text(comparison, "rule", fm_text_of(expected), fm_text_of(got),
	    true);
	free(expected);
	free(got);
}

/*--------------------------------------------------------------------
 * Headers
 */

/* Returns the n-th value of a header of the request, or the missing text. */
static struct fm_text
value_before(const struct comparison *comparison, struct fm_text name,
    unsigned n)
{
	struct fm_text field, value;
	unsigned i;

	for (i = 0; i < comparison->view->nfields; i++) {
		fm_field_parts(&comparison->view->fields[i], &field, &value);
		if (fm_text_eq_nocase(field, name) && n-- == 0)
			return (fm_text_or_empty(value));
	}
	return (fm_text(NULL, 0));
}

/*
 * Returns the n-th value that the case expects of a header: if the case doesn't
 * name the header, the value that the request came with.
 */
static struct fm_text
value_expected(const struct comparison *comparison, struct fm_text name,
    unsigned n)
{
	const struct fm_cases_field *f;
	bool named = false;

	for (f = comparison->one->expected.fields; f != NULL; f = f->next) {
		if (!fm_text_eq_nocase(f->name, name))
			continue;
		named = true;
		if (f->value.b != NULL && n-- == 0)
			return (f->value);
	}
	return (named ? fm_text(NULL, 0) : value_before(comparison, name, n));
}

static struct fm_text
value_got(const struct comparison *comparison, struct fm_text name, unsigned n)
{
	struct fm_edit edit;

	if (!fm_edit_of(comparison->result, name, &edit))
		return (value_before(comparison, name, n));
	return (edit.set && n == 0 ? edit.value : fm_text(NULL, 0));
}

static void
compare_header(struct comparison *comparison, struct fm_text name)
{
	struct fm_text (*value[2])(const struct comparison *, struct fm_text,
	    unsigned) = { value_expected, value_got };
	struct fm_text v[2];
	unsigned n = 0;
	int i;

	do {
		v[0] = value_expected(comparison, name, n);
		v[1] = value_got(comparison, name, n++);
		if (!fm_text_same(v[0], v[1]))
			break;
	} while (v[0].b != NULL);
	if (fm_text_same(v[0], v[1]))
		return;
	for (i = 0; i < 2; i++) {
		n = 0;
		do {
			v[i] = value[i](comparison, name, n++);
			if (v[i].b != NULL || n == 1)
				say_header(comparison, i == 1, name, v[i]);
		} while (v[i].b != NULL);
	}
}

/*
 * Compares the headers that the case names, and those that rules have edited;
 * all others are unchanged, and expected to be.
 */
static void
compare_headers(struct comparison *comparison)
{
	const struct fm_cases_field *f, *g;
	struct fm_edit edit;
	unsigned at = 0;

	for (f = comparison->one->expected.fields; f != NULL; f = f->next) {
		for (g = comparison->one->expected.fields; g != f; g = g->next)
			if (fm_text_eq_nocase(g->name, f->name))
				break;
		if (g == f)
			compare_header(comparison, f->name);
	}
	while (fm_edit_next(comparison->result, &at, &edit)) {
		for (f = comparison->one->expected.fields; f != NULL;
		    f = f->next)
			if (fm_text_eq_nocase(f->name, edit.name))
				break;
		if (f == NULL && !comparison->one->expected.any_headers)
			compare_header(comparison, edit.name);
	}
}

void
fm_test_compare(FILE *to, const struct fm_test_rules *rules,
    const struct fm_case *one, const struct fm_view *view,
    const struct fm_result *result)
{
	struct comparison comparison = { to, rules, one, view, result };
	const struct fm_cases_expected *x = &one->expected;

	compare_verdict(&comparison);
	compare_rule(&comparison);
	if (!x->any_url)
		compare_text(&comparison, "url", x->url.b == NULL ? one->url :
		    x->url, result->url, false);
	compare_headers(&comparison);
	if (!x->any_backend)
		compare_text(&comparison, "backend", x->backend, fm_text_of(
		    !result->backend_set ? NULL : fm_program_backend(
		    rules->rules.program, result->backend, NULL)), false);
	if (x->no_host || x->host.b != NULL)
		compare_text(&comparison, "host", x->host, result->host, true);
	if (x->no_ruleset || x->ruleset.b != NULL)
		compare_text(&comparison, "ruleset", x->ruleset, result->site,
		    true);
	compare_number(&comparison, "undecided", x->undecided,
	    result->undecided);
	compare_number(&comparison, "ignored", x->ignored, result->ignored);
	if (result->tally.fallbacks == 0 && fm_scan_health() != FM_SCAN_NONE)
		compare_number(&comparison, "scans", x->scans,
		    result->tally.scans);
}
