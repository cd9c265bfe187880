/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs random rules over random requests: the compiled program and its naive
 * twin must agree in all that a user can see.
 *
 * The twin gets one spelling of the rules and the program another, so that the
 * test also finds a parser that reads them differently.
 */

#include <ctype.h>
#include <unistd.h>

#include "../unit/twin.h"
#include "agree.h"
#include "bounds.h"
#include "check.h"
#include "compile.h"
#include "generate.h"
#include "parse.h"

#define REQUESTS	220

struct pair {
	struct generate_rules	rules;
	struct fm_model		*models[2];
	struct naive		*naive;
	struct fm_program	*program;
	uint64_t		*counters;	/* of one run */
	unsigned		lines;		/* of the text */
	unsigned		*want;		/* by line, what was reached */
};

static void
show_rules(const struct pair *pair)
{
	unsigned i;

	for (i = 0; i < 2; i++)
		fprintf(stderr, "---- rules, spelling %u\n%s----\n", i + 1,
		    pair->rules.text[i]);
}

/*--------------------------------------------------------------------
 * Rules
 */

static struct fm_model *
model_make(const struct pair *pair, unsigned which)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model;
	unsigned i;

	model = fm_parse_text("random.rules", fm_text(pair->rules.text[which],
	    pair->rules.len[which]), false, diag);
	ck_assert_ptr_nonnull(model);
	if (fm_diag_errors(diag) > 0 || !fm_check(model, NULL, diag)) {
		show_rules(pair);
		for (i = 0; fm_diag_line(diag, i) != NULL; i++)
			fprintf(stderr, "%s\n", fm_diag_line(diag, i));
		ck_abort_msg("good rules were refused, spelling %u",
		    which + 1);
	}
	fm_diag_free(&diag);
	return (model);
}

static int
by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x < *y ? -1 : *x > *y);
}

/* Asserts that all rules and hosts have different identities. */
static void
ids_differ(const struct fm_program *p)
{
	size_t nrules = fm_program_nrules(p), nhosts = fm_program_hosts(p), i;
	uint64_t *ids = calloc(nrules + nhosts + 1, sizeof *ids);

	ck_assert_ptr_nonnull(ids);
	for (i = 0; i < nrules; i++)
		ids[i] = fm_program_rule_id(p, (uint32_t)i);
	for (i = 0; i < nhosts; i++)
		ids[nrules + i] = fm_program_host_id(p, (uint32_t)i);
	qsort(ids, nrules + nhosts, sizeof *ids, by_value);
	for (i = 1; i < nrules + nhosts; i++)
		ck_assert_uint_ne(ids[i], ids[i - 1]);
	free(ids);
}

/* Makes the twin and the program of a pair from its texts. */
static void
pair_make(struct pair *pair)
{
	struct fm_diag *diag = fm_diag_new();
	unsigned i;

	for (i = 0; i < 2; i++)
		pair->models[i] = model_make(pair, i);
	pair->naive = naive_new(pair->models[0]);
	pair->program = fm_compile(pair->models[1], NULL, diag);
	ck_assert_ptr_nonnull(pair->program);
	ck_assert_uint_eq(fm_diag_errors(diag), 0);
	fm_diag_free(&diag);
	/* A program must not need its model. */
	fm_model_free(&pair->models[1]);
	pair->counters = calloc(fm_program_ncounters(pair->program) + 1,
	    sizeof *pair->counters);
	for (pair->lines = 2, i = 0; i < pair->rules.len[0]; i++)
		pair->lines += pair->rules.text[0][i] == '\n';
	pair->want = calloc(pair->lines, sizeof *pair->want);
	ck_assert_ptr_nonnull(pair->counters);
	ck_assert_ptr_nonnull(pair->want);
	ids_differ(pair->program);
}

static void
pair_free(struct pair *pair)
{
	naive_free(&pair->naive);
	fm_program_free(&pair->program);
	fm_model_free(&pair->models[0]);
	generate_rules_free(&pair->rules);
	free(pair->counters);
	free(pair->want);
}

/*--------------------------------------------------------------------
 * A trace that looks at all it is told
 */

static unsigned traced;

static void
look(struct fm_text t)
{
	size_t i;

	for (i = 0; i < t.len; i++)
		traced += (unsigned char)t.b[i];
}

static void
trace_site(void *priv, struct fm_text raw, struct fm_text canon,
    const struct fm_hosttab_hit *hit, struct fm_text block)
{
	(void)priv;
	look(raw);
	look(canon);
	look(hit->wild);
	look(block);
}

static void
trace_block(void *priv, const char *name)
{
	(void)priv;
	look(fm_text_of(name));
}

static void
trace_test(void *priv, const struct fm_rule *test, enum fm_outcome outcome,
    struct fm_text subject)
{
	(void)priv;
	AGREE(outcome <= FM_NOT_ASKED, "outcome %d", (int)outcome);
	look(fm_text_of(test->text));
	look(subject);
}

static void
trace_when(void *priv, const struct fm_rule *when, enum fm_outcome outcome)
{
	(void)priv;
	AGREE(outcome <= FM_UNDECIDED, "outcome %d", (int)outcome);
	look(fm_text_of(when->text));
}

static void
trace_stmt(void *priv, const struct fm_rule *stmt, enum fm_effect effect,
    struct fm_text what, struct fm_text before, struct fm_text after)
{
	(void)priv;
	AGREE(effect <= FM_EFFECT_USE, "effect %d", (int)effect);
	look(fm_text_of(stmt->text));
	look(what);
	look(before);
	look(after);
}

static void
trace_scan(void *priv, const char *subject, size_t patterns)
{
	(void)priv;
	AGREE(patterns > 0, "a scan for nothing");
	look(fm_text_of(subject));
}

static const struct fm_trace trace = {
	.site = trace_site,
	.block = trace_block,
	.test = trace_test,
	.when = trace_when,
	.stmt = trace_stmt,
	.scan = trace_scan
};

/*--------------------------------------------------------------------
 * Where a redirect leads
 */

/* The host that requests try to be redirected to; no rule names it. */
#define EVIL		"evil"

static struct redirects {
	unsigned		hosts;		/* with EVIL behind a host */
	unsigned		paths;		/* with EVIL in a path */
	unsigned		empty;		/* without a host: synth */
} redirects;

/* Returns a Location as browsers read it: trimmed, without tabs, CR and LF. */
static struct fm_text
browser_text(struct fm_text t, char *buf)
{
	size_t i, n = 0;

	while (t.len > 0 && (unsigned char)t.b[0] <= ' ') {
		t.b++;
		t.len--;
	}
	for (i = 0; i < t.len; i++)
		if (strchr("\t\r\n", t.b[i]) == NULL)
			buf[n++] = t.b[i];
	return (fm_text(buf, n));
}

/* Returns the host that a browser goes to; no text: it stays at its host. */
static struct fm_text
browser_host(struct fm_text t)
{
	size_t i = 0, scheme, end;

	while (i < t.len && (isalnum((unsigned char)t.b[i]) ||
	    strchr("+-.", t.b[i]) != NULL))
		i++;
	scheme = i > 0 && i < t.len && t.b[i] == ':' ? i + 1 : 0;
	for (i = scheme; i < t.len && strchr("/\\", t.b[i]) != NULL; i++)
		continue;
	if (scheme == 0 && i < 2)
		return (fm_text("", 0));
	for (end = i; end < t.len && strchr("/\\?#", t.b[end]) == NULL; end++)
		if (t.b[end] == '@')
			i = end + 1;
	return (fm_text(t.b + i, end - i));
}

static bool
has_evil(struct fm_text t)
{
	return (t.len > 0 && memmem(t.b, t.len, EVIL, strlen(EVIL)) != NULL);
}

/* Returns true if no client has chosen the host of a redirect. */
static bool
redirect_is_ours(const struct fm_result *is)
{
	struct fm_text host;
	bool ours;
	char *buf;

	redirects.empty += is->verdict == FM_VERDICT_SYNTH &&
	    fm_text_eq(is->text, fm_text_of("No host to redirect to"));
	if (is->verdict != FM_VERDICT_REDIRECT)
		return (true);
	buf = malloc(is->text.len + 1);
	ck_assert_ptr_nonnull(buf);
	host = browser_host(browser_text(is->text, buf));
	ours = !has_evil(host);
	redirects.hosts += host.len > 0 && has_evil(is->text);
	redirects.paths += host.len == 0 && has_evil(is->text);
	free(buf);
	return (ours);
}

/*--------------------------------------------------------------------
 * The tests
 */

/* Returns NULL, or the name of a host that was counted wrong. */
static const char *
compare_hosts(const struct pair *pair, const struct naive_result *want)
{
	const struct fm_model *model = pair->models[0];
	uint32_t n, counter;
	const char *host;

	for (n = 0; n < model->nhosts; n++) {
		host = fm_program_host(pair->program, n, &counter);
		if (!fm_text_eq(fm_text_of(host), model->hosts[n].pattern))
			return ("the name of a host");
		if (pair->counters[counter] !=
		    (want->entry == &model->hosts[n]))
			return (host);
	}
	return (fm_program_host(pair->program, n, &counter) == NULL ? NULL :
	    "how many hosts there are");
}

/* Returns NULL, or what is wrong with the counters of statements, by line. */
static const char *
compare_counters(const struct pair *pair, const struct naive_result *want)
{
	struct fm_place last = { .line = 0 };
	const struct fm_rule *rule;
	uint32_t n, counter, i;

	memset(pair->want, 0, pair->lines * sizeof *pair->want);
	for (i = 0; i < want->nran; i++)
		pair->want[want->ran[i]->at.line]++;
	for (n = 0; fm_program_rule(pair->program, n, &rule, &counter); n++) {
		if (rule->at.line < last.line || (rule->at.line == last.line &&
		    rule->at.column <= last.column))
			return ("the order of rules");
		last = rule->at;
		pair->want[last.line] -= (unsigned)pair->counters[counter];
	}
	if (n != fm_program_nrules(pair->program))
		return ("how many rules there are");
	for (i = 0; i < pair->lines; i++)
		if (pair->want[i] != 0) {
			fprintf(stderr, "line %u is counted wrongly\n", i);
			return ("how often a rule was reached");
		}
	return (compare_hosts(pair, want));
}

/*
 * Runs a request without a trace, with counters, and with a trace, and compares
 * each result with the twin's.  A refused request may also be counted for
 * statements behind the one that has refused it.
 */
static void
try(const struct pair *pair, struct fm_view *view,
    const struct naive_result *want)
{
	static const char * const how[] = { "", " (with counters)",
	    " (with a trace)" };
	const struct fm_result *is;
	struct fm_run run;
	const char *wrong;
	unsigned i;

	for (i = 0; i < 3; i++) {
		memset(pair->counters, 0, sizeof *pair->counters *
		    fm_program_ncounters(pair->program));
		view->counters = i == 1 ? pair->counters : NULL;
		is = fm_run(&run, pair->program, view,
		    i == 2 ? &trace : NULL);
		wrong = agree(pair->program, view, want, is);
		if (wrong == NULL && !redirect_is_ours(is))
			wrong = "where a redirect leads: a client chose it";
		if (wrong == NULL && i == 1 &&
		    is->verdict != FM_VERDICT_REFUSE)
			wrong = compare_counters(pair, want);
		if (wrong != NULL) {
			show_rules(pair);
			agree_show_view(view);
			agree_show_naive(want);
			agree_show_result(pair->program, is);
			ck_abort_msg("they differ in %s%s", wrong, how[i]);
		}
		fm_run_end(&run);
	}
}

/* A short run tries 1/13 of the files, and 3/4 of the requests for each. */
#define SHARE		13

/*
 * Asserts that each of n things has happened at least so often; in a short run
 * the rare ones may not happen at all.
 */
static void
check_often(const char *what, const unsigned *counts, unsigned n,
    unsigned whole)
{
	unsigned least = unit_whole() ? whole : whole / (2 * SHARE), i;

	printf("random: %s:", what);
	for (i = 0; i < n; i++)
		printf(" %u", counts[i]);
	printf("\n");
	fflush(stdout);
	for (i = 0; i < n; i++)
		ck_assert_msg(counts[i] >= least, "%s %u came to pass %u "
		    "times, a test needs %u", what, i, counts[i], least);
}

static void
check_counts(const struct naive_counts *c)
{
	unsigned i;

	for (i = 0; i < NAIVE_TEST__KINDS; i++)
		check_often("tests, false and true", c->tests[i], 2, 100);
	for (i = 0; i <= FM_SUBJECT_CLIENT; i++)
		check_often("subjects, false and true", c->subjects[i], 2,
		    100);
	check_often("regex undecided",
	    &c->tests[FM_PATTERN_REGEX][FM_UNDECIDED], 1, 10);
	check_often("whens", c->whens, 3, 10);
	check_often("maps", c->maps, 2, 100);
	check_often("maps of networks", c->networks, 2, SHARE);
	check_often("trusted proxies", &c->proxies, 1, 30);
	check_often("maps undecided", &c->maps[2], 1, 1);
	check_often("statements that changed something", c->effective,
	    FM_STMT__KINDS, 100);
	check_often("parts of values", c->parts, FM_PART_GROUP + 1, 30);
	check_often("verdicts", c->verdicts, FM_VERDICT_ANSWER + 1, 100);
	check_often("refused", &c->verdicts[FM_VERDICT_REFUSE], 1, 10);
	/* Few random files have such redirects. */
	check_often("redirects with " EVIL " behind a host", &redirects.hosts,
	    1, unit_whole() ? 100 : 0);
	check_often("redirects with " EVIL " in a path", &redirects.paths,
	    1, unit_whole() ? 100 : 0);
	check_often("redirects without a host", &redirects.empty, 1,
	    unit_whole() ? 100 : 0);
	check_often("ways to a host", c->hosts, FM_HOSTTAB_ANY + 1, 100);
	check_often("defaults", &c->defaults, 1, 100);
	check_often("absolute URLs of the Host", &c->one_host, 1, 100);
	check_often("absolute URLs of another", &c->two_hosts, 1, 100);
	check_often("aliases of headers", &c->aliases, 1, 100);
	/* More filters than a program can delay; few files have them. */
	check_often("cookies filtered", c->filters, NAIVE_FILTERS + 1,
	    unit_whole() ? 100 : 0);
}

START_TEST(random_rules_do_what_the_naive_twin_does)
{
	struct naive_counts counts = { 0 };
	const struct naive_result *want;
	struct generate_request request;
	unsigned file, files = unit_rounds(400, SHARE), i;
	unsigned requests = unit_whole() ? REQUESTS : REQUESTS * 3 / 4;
	struct pair pair;

	unit_seed("random");
	/* Undecided maps are rare: a whole run goes on until one comes. */
	for (file = 0; file < files || (unit_whole() &&
	    counts.maps[2] == 0 && file < 4 * files); file++) {
		generate_rules(&pair.rules, unit_random());
		pair_make(&pair);
		for (i = 0; i < requests; i++) {
			generate_request(&request, unit_random(),
			    pair.rules.costly);
			want = naive_run(pair.naive, &request.view, &counts);
			try(&pair, &request.view, want);
			generate_request_free(&request);
		}
		pair_free(&pair);
	}
	printf("random: %u requests\n", file * requests);
	check_counts(&counts);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("random");

	tcase_set_timeout(tc, 600);
	tcase_add_test(tc, random_rules_do_what_the_naive_twin_does);
	return (unit_run("random", tc));
}
