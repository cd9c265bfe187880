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

#include <math.h>
#include <stdlib.h>

#include "duration.h"
#include "made_request.h"
#include "scan.h"
#include "steps.h"
#include "test.h"

#define PHASES	3	/* after that of requests, which can log */

/* A case and its result, while they are compared. */
struct comparison {
	FILE			*to;
	const struct fm_test_rules *rules;
	const struct fm_case	*one;
	const struct fm_result	*result;	/* of the verdict; NULL: no
						 * rules */
	enum fm_verdict		verdict;
	bool			refreshed;	/* of a response, by a 304 */
};

/* The headers of a message before and after, and those that are expected. */
struct headers {
	const char		*prefix;	/* of each line: "stored " */
	const struct fm_step	*before, *after;
	size_t			nbefore, nafter;
	const struct fm_cases_field *expected;
	bool			any;		/* others may be anything */
	bool			delivered;	/* some are Varnish's own */
};

/*--------------------------------------------------------------------
 * Lines
 */

/* Begins a line. */
static void
say(const struct comparison *comparison, char sign)
{
	fprintf(comparison->to, "%c%s", sign, comparison->refreshed ?
	    "after a 304: " : "");
}

static void
say_header(const struct comparison *comparison, const struct headers *headers,
    bool got, struct fm_text name, struct fm_text value)
{
	say(comparison, got ? '+' : '-');
	fputs(headers->prefix, comparison->to);
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
	say(comparison, sign);
	fprintf(comparison->to, text.b == NULL ? "no %s" : "%s ", word);
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
	if (expected == got || expected == FM_CASES_ANY)
		return;
	say(comparison, '-');
	fprintf(comparison->to, "%s %u\n", word, expected);
	say(comparison, '+');
	fprintf(comparison->to, "%s %u\n", word, got);
}

/* Compares seconds, where the case expects any. */
static void
compare_seconds(struct comparison *comparison, const char *word,
    double expected, double got)
{
	char buf[FM_DURATION_PRINT];

	if (expected < 0 || fabs(expected - got) < .001)
		return;
	say(comparison, '-');
	fprintf(comparison->to, "%s %s\n", word,
	    fm_duration_print(expected, buf));
	say(comparison, '+');
	fprintf(comparison->to, "%s %s\n", word, fm_duration_print(got, buf));
}

static void
say_expected(const struct comparison *comparison, const char *word,
    const struct fm_cases_field *line)
{
	if (line == NULL)
		say_text(comparison, '-', word, fm_text(NULL, 0), true);
	for (; line != NULL; line = line->next)
		say_text(comparison, '-', word, line->value, false);
}

static void
say_got(const struct comparison *comparison, const char *word,
    const struct fm_log_line * const got[PHASES])
{
	const struct fm_log_line *line;
	bool any = false;
	int i;

	for (i = 0; i < PHASES; i++)
		for (line = got[i]; line != NULL; line = line->next) {
			say_text(comparison, '+', word, line->text, false);
			any = true;
		}
	if (!any)
		say_text(comparison, '+', word, fm_text(NULL, 0), true);
}

/* Takes the lines off a list that are those of another one. */
static bool
lines_begin(const struct fm_cases_field **expected,
    const struct fm_log_line *line)
{
	for (; *expected != NULL && line != NULL && fm_text_eq(
	    (*expected)->value, line->text); line = line->next)
		*expected = (*expected)->next;
	return (line == NULL);
}

/* Compares lines with those that the case has, if it has any, or `no`. */
static void
compare_lines(struct comparison *comparison, const char *word,
    const struct fm_cases_field *expected, bool no,
    const struct fm_log_line * const got[PHASES])
{
	const struct fm_cases_field *left = expected;
	bool same = true;
	int i;

	if (expected == NULL && !no)
		return;
	for (i = 0; i < PHASES; i++)
		same = same && lines_begin(&left, got[i]);
	if (same && left == NULL)
		return;
	say_expected(comparison, word, expected);
	say_got(comparison, word, got);
}

/*
 * Compares the lines that the rules of some phases have logged; a result of
 * NULL has none.
 */
static void
compare_log(struct comparison *comparison,
    const struct fm_result * const results[PHASES])
{
	const struct fm_cases_expected *x = &comparison->one->expected;
	const struct fm_log_line *logs[PHASES];
	int i;

	for (i = 0; i < PHASES; i++)
		logs[i] = results[i] == NULL ? NULL : results[i]->log;
	compare_lines(comparison, "log", x->logs, x->no_log, logs);
}

/*
 * Compares the subs of VCL that the rules of some phases call, in their order.
 * A case that names none expects none.
 */
static void
compare_calls(struct comparison *comparison,
    const struct fm_result * const results[PHASES])
{
	const struct fm_cases_expected *x = &comparison->one->expected;
	struct fm_log_line lines[PHASES][FM_LIMIT_CALLS];
	const struct fm_log_line *calls[PHASES] = { NULL };
	struct fm_log_line *line;
	unsigned n, last;
	int i;

	for (i = 0; i < PHASES; i++)
		for (n = last = results[i] == NULL ? 0 : results[i]->ncalls;
		    n-- > 0; calls[i] = line) {
			line = &lines[i][n];
			line->next = n + 1 < last ? line + 1 : NULL;
			line->text = fm_text_of(fm_program_call(
			    comparison->rules->rules.program,
			    results[i]->calls[n].sub, NULL, NULL));
		}
	compare_lines(comparison, "calls", x->calls, !x->any_calls, calls);
}

/* Compares the bans of a request.  A case that names none expects none. */
static void
compare_bans(struct comparison *comparison)
{
	const struct fm_cases_expected *x = &comparison->one->expected;
	const struct fm_log_line *bans[PHASES] = { NULL };
	const struct fm_banned *ban = comparison->result->nbans == 0 ? NULL :
	    comparison->result->bans;
	struct fm_log_line *lines;
	unsigned n = 0;

	lines = fm_cli_alloc((comparison->result->nbans + 1U) * sizeof *lines);
	for (; ban != NULL; ban = ban->next) {
		if (ban->text.b == NULL)
			continue;
		lines[n].text = ban->text;
		if (n > 0)
			lines[n - 1].next = &lines[n];
		bans[0] = lines;
		n++;
	}
	compare_lines(comparison, "bans", x->bans, !x->any_bans, bans);
	free(lines);
}

/*--------------------------------------------------------------------
 * Verdicts
 */

static void
compare_verdict(struct comparison *comparison)
{
	const struct fm_cases_expected *x = &comparison->one->expected;
	const struct fm_result *result = comparison->result;
	enum fm_verdict verdict = comparison->verdict;

	if (x->verdict == verdict && (x->verdict < FM_VERDICT_SYNTH ||
	    fm_verdicts[verdict].status != FM_STATUS_OPERAND ||
	    (x->status == result->status && fm_text_same(x->text,
	    result->text) && fm_text_eq(x->body, result->body))))
		return;
	say(comparison, '-');
	fm_test_put_verdict(comparison->to, x->verdict, x->status, x->text,
	    x->body);
	fputc('\n', comparison->to);
	say(comparison, '+');
	if (result == NULL)
		fputs("verdict deliver", comparison->to);
	else
		fm_test_put_verdict(comparison->to, verdict, result->status,
		    result->text, result->body);
	fputc('\n', comparison->to);
}

/* Compares the rule that decided: "FILE:LINE", FILE in the rules' folder. */
static void
compare_rule(struct comparison *comparison)
{
	const struct fm_test_rules *rules = comparison->rules;
	const struct fm_rule *rule = comparison->result == NULL ? NULL :
	    comparison->result->rule;
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

/*
 * Returns the n-th value of a header among steps, without those of a kind; or
 * the missing text.
 */
static struct fm_text
value_of(const struct fm_step *steps, size_t nsteps, enum fm_step_kind without,
    struct fm_text name, unsigned n)
{
	size_t i;

	for (i = 0; i < nsteps; i++)
		if (steps[i].kind != without &&
		    fm_text_eq_nocase(steps[i].name, name) && n-- == 0)
			return (fm_text_or_empty(steps[i].value));
	return (fm_text(NULL, 0));
}

/*
 * Returns the n-th value that the case expects of a header: if the case doesn't
 * name the header, the value that it came with.
 */
static struct fm_text
value_expected(const struct headers *headers, struct fm_text name, unsigned n)
{
	const struct fm_cases_field *f;
	bool named = false;

	for (f = headers->expected; f != NULL; f = f->next) {
		if (!fm_text_eq_nocase(f->name, name))
			continue;
		named = true;
		if (f->value.b != NULL && n-- == 0)
			return (f->value);
	}
	return (named ? fm_text(NULL, 0) : value_of(headers->before,
	    headers->nbefore, FM_STEP_ADDED, name, n));
}

static struct fm_text
value_got(const struct headers *headers, struct fm_text name, unsigned n)
{
	return (value_of(headers->after, headers->nafter, FM_STEP_REMOVED,
	    name, n));
}

static void
compare_header(struct comparison *comparison, const struct headers *headers,
    struct fm_text name)
{
	struct fm_text (*value[2])(const struct headers *, struct fm_text,
	    unsigned) = { value_expected, value_got };
	struct fm_text v[2];
	unsigned n = 0;
	int i;

	do {
		v[0] = value_expected(headers, name, n);
		v[1] = value_got(headers, name, n++);
		if (!fm_text_same(v[0], v[1]))
			break;
	} while (v[0].b != NULL);
	if (fm_text_same(v[0], v[1]))
		return;
	for (i = 0; i < 2; i++) {
		n = 0;
		do {
			v[i] = value[i](headers, name, n++);
			if (v[i].b != NULL || n == 1)
				say_header(comparison, headers, i == 1, name,
				    v[i]);
		} while (v[i].b != NULL);
	}
}

/*
 * Returns true if the case names a header, or a step before the n-th does; or
 * if Varnish adds it to each delivery, so that a case need not name it.
 */
static bool
was_compared(const struct headers *headers, const struct fm_step *steps,
    size_t n, struct fm_text name)
{
	static const char * const own[] = { "Age", "Via", "X-Varnish" };
	const struct fm_cases_field *f;
	size_t i;

	for (i = 0; i < sizeof own / sizeof own[0] && headers->delivered; i++)
		if (fm_text_eq_nocase(name, fm_text_of(own[i])))
			return (true);
	for (f = headers->expected; f != NULL; f = f->next)
		if (fm_text_eq_nocase(f->name, name))
			return (true);
	for (i = 0; i < n; i++)
		if (fm_text_eq_nocase(steps[i].name, name))
			return (true);
	return (false);
}

/* Compares the headers that the case names, and then all others. */
static void
compare_headers(struct comparison *comparison, const struct headers *headers)
{
	const struct fm_cases_field *f, *g;
	size_t i;

	for (f = headers->expected; f != NULL; f = f->next) {
		for (g = headers->expected; g != f; g = g->next)
			if (fm_text_eq_nocase(g->name, f->name))
				break;
		if (g == f)
			compare_header(comparison, headers, f->name);
	}
	if (headers->any)
		return;
	for (i = 0; i < headers->nafter; i++)
		if (!was_compared(headers, headers->after, i,
		    headers->after[i].name))
			compare_header(comparison, headers,
			    headers->after[i].name);
	for (i = 0; i < headers->nbefore; i++)
		if (!was_compared(headers, headers->before, i,
		    headers->before[i].name) &&
		    value_got(headers, headers->before[i].name, 0).b == NULL)
			compare_header(comparison, headers,
			    headers->before[i].name);
}

void
fm_test_compare(FILE *to, const struct fm_test_rules *rules,
    const struct fm_case *one, const struct fm_view *view,
    const struct fm_result *result, const struct fm_log_line *key)
{
	struct comparison comparison = { .to = to, .rules = rules, .one = one,
		.result = result, .verdict = result->verdict };
	const struct fm_cases_expected *x = &one->expected;
	const struct fm_log_line *keys[PHASES] = { key };
	struct headers headers = { .prefix = "", .expected = x->fields,
		.any = x->any_headers };
	struct fm_step *steps;
	size_t n;

	steps = fm_steps(view, result, &n);
	if (steps == NULL)
		fm_cli_no_memory();
	headers.before = headers.after = steps;
	headers.nbefore = headers.nafter = n;
	compare_verdict(&comparison);
	compare_rule(&comparison);
	if (!x->any_url)
		compare_text(&comparison, "url", x->url.b == NULL ? one->url :
		    x->url, result->url, false);
	compare_headers(&comparison, &headers);
	if (!x->any_backend)
		compare_text(&comparison, "backend", x->backend, fm_text_of(
		    !result->backend_set ? NULL : fm_program_backend(
		    rules->rules.program, result->backend, NULL)), false);
	compare_calls(&comparison,
	    (const struct fm_result *[PHASES]){ result });
	compare_bans(&comparison);
	compare_log(&comparison, (const struct fm_result *[PHASES]){ result });
	compare_lines(&comparison, "key", x->keys, x->no_key, keys);
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
	free(steps);
}

/*--------------------------------------------------------------------
 * Responses
 */

/* Returns fields as steps that keep them, for free(). */
static struct fm_step *
steps_of(const struct fm_field *fields, unsigned n)
{
	struct fm_step *steps = fm_cli_alloc((n + 1) * sizeof *steps);
	unsigned i;

	for (i = 0; i < n; i++)
		fm_field_parts(&fields[i], &steps[i].name, &steps[i].value);
	return (steps);
}

static void
compare_fields(struct comparison *comparison, const char *prefix,
    const struct fm_cases_field *expected, bool any,
    const struct fm_respond_run *before, const struct fm_respond_run *after)
{
	struct fm_step *from = steps_of(before->after, before->nafter);
	struct fm_step *to = steps_of(after->after, after->nafter);
	struct headers headers = { prefix, from, to, before->nafter,
		after->nafter, expected, any, *prefix == '\0' };

	compare_headers(comparison, &headers);
	free(from);
	free(to);
}

/* Compares what the backend is sent, if the case says anything of it. */
static void
compare_sent(struct comparison *comparison, const struct fm_respond *respond)
{
	compare_fields(comparison, "fetch ", comparison->one->expected.sent,
	    true, &respond->sent, &respond->sent);
}

void
fm_test_compare_sent(FILE *to, const struct fm_case *one,
    const struct fm_respond *respond)
{
	struct comparison comparison = { .to = to, .one = one };
	const char *word = fm_verdict_word(respond->verdict);

	if (one->expected.sent == NULL)
		return;
	if (!fm_respond_fetches(respond))
		fprintf(to, "-a fetch\n+no fetch, as the request has the "
		    "verdict %s\n", word);
	else if (fm_respond_unsent(respond))
		fputs("-a fetch\n+no fetch, as a rule for it is undecided\n",
		    to);
	else
		compare_sent(&comparison, respond);
}

/* Returns the run that decided: that of `response`, or of `delivery`. */
static void
comparison_decide(struct comparison *comparison,
    const struct fm_respond *respond, const struct fm_respond_run *delivered)
{
	const struct fm_result *stored = fm_respond_unsent(respond) ?
	    respond->sent.result : respond->stored.result;

	comparison->result = stored;
	comparison->verdict = FM_VERDICT_DELIVER;
	if (!fm_respond_delivers(respond) ||
	    respond->fate == FM_RESPOND_PASSED) {
		comparison->verdict = stored->verdict;
	} else if (delivered->result != NULL &&
	    delivered->result->verdict != FM_VERDICT_NONE) {
		comparison->result = delivered->result;
		comparison->verdict = delivered->result->verdict;
	}
}

void
fm_test_compare_response(FILE *to, const struct fm_test_rules *rules,
    const struct fm_case *one, const struct fm_respond *respond,
    const struct fm_respond_run *delivered, const struct fm_respond_run *sent,
    const struct fm_respond_run *bare)
{
	struct comparison comparison = { .to = to, .rules = rules, .one = one,
		.refreshed = respond->to.fresh != NULL };
	const struct fm_cases_expected *x = &one->expected;
	bool cached = fm_respond_is_kept(respond);

	comparison_decide(&comparison, respond, delivered);
	compare_verdict(&comparison);
	compare_rule(&comparison);
	if (cached ? x->not_cached : x->is_cached)
		compare_text(&comparison, "cached",
		    fm_text_of(cached ? "no" : "yes"),
		    fm_text_of(cached ? "yes" : "no"), false);
	if (!cached && (one->response->hit || one->response->stale))
		fprintf(to, "-a hit\n+no hit, as the response is not "
		    "cached\n");
	compare_seconds(&comparison, "ttl", x->ttl, respond->ttl);
	compare_seconds(&comparison, "grace", x->grace, respond->grace);
	compare_seconds(&comparison, "keep", x->keep, respond->keep);
	compare_sent(&comparison, respond);
	compare_fields(&comparison, "stored ", x->stored, true,
	    &respond->stored, &respond->stored);
	if (fm_respond_delivers(respond))
		compare_fields(&comparison, "", x->fields, x->any_headers,
		    bare, sent);
	compare_calls(&comparison, (const struct fm_result *[PHASES]){
	    NULL, respond->stored.result, delivered->result });
	compare_log(&comparison, (const struct fm_result *[PHASES]){
	    respond->sent.result, respond->stored.result, delivered->result });
	if (comparison.result != NULL)
		compare_number(&comparison, "undecided", x->undecided,
		    comparison.result->undecided);
}

/* Compares a case whose request asks no backend. */
void
fm_test_compare_none(FILE *to, const struct fm_respond *respond)
{
	const char *word = fm_verdict_word(respond->verdict);

	fprintf(to, "-a response\n+no response, as the request has the "
	    "verdict %s\n", word);
}
