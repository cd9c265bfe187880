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

#include "../unit/twin.h"
#include "agree.h"
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
	    pair->rules.len[which]), NULL, NULL, diag);
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
ids_differ(const struct fm_program *program)
{
	size_t nrules = fm_program_nrules(program),
	    nhosts = fm_program_hosts(program), i;
	uint64_t *ids = calloc(nrules + nhosts + 1, sizeof *ids);
	uint32_t counter;

	ck_assert_ptr_nonnull(ids);
	for (i = 0; i < nrules; i++)
		ids[i] = fm_program_rule_id(program, (uint32_t)i);
	for (i = 0; i < nhosts; i++)
		ids[nrules + i] = fm_hosttab_pattern_id(fm_text_of(
		    fm_program_host(program, (uint32_t)i, &counter)));
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
 * Where a redirect leads
 */

/* The host that requests try to be redirected to; no rule names it. */
#define EVIL		"evil"

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

/* Returns true if no client has chosen the host of a redirect. */
static bool
redirect_is_ours(const struct fm_result *is)
{
	struct fm_text host;
	bool ours;
	char *buf;

	if (is->verdict != FM_VERDICT_REDIRECT)
		return (true);
	buf = malloc(is->text.len + 1);
	ck_assert_ptr_nonnull(buf);
	host = browser_host(browser_text(is->text, buf));
	ours = host.len == 0 ||
	    memmem(host.b, host.len, EVIL, strlen(EVIL)) == NULL;
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

/*
 * Returns NULL, or what is wrong with the counters of statements, by line.  A
 * refused request may also be counted for statements after the one that has
 * refused it.
 */
static const char *
compare_counters(const struct pair *pair, const struct naive_result *want)
{
	struct fm_place last = { .line = 0 };
	const struct fm_rule *rule;
	uint32_t n, counter, i;

	if (want->by_chance || want->verdict == FM_VERDICT_REFUSE)
		return (NULL);
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

/* Clears the counters, and returns the request, which is counted there. */
static const struct fm_view *
counted(const struct pair *pair, struct fm_view *view)
{
	memset(pair->counters, 0, sizeof *pair->counters *
	    fm_program_ncounters(pair->program));
	view->counters = pair->counters;
	return (view);
}

/*
 * Runs a request with a trace, as the twin does, then without, then with
 * counters, and compares each result with the twin's.
 */
static void
try(const struct pair *pair, struct fm_view *view)
{
	static const char * const how[] = { " (with a trace)", "",
	    " (with counters)" };
	const struct naive_result *want;
	const struct fm_result *is;
	const char *wrong;
	struct fm_run run;
	unsigned i = 0;

	want = naive_run(pair->naive, pair->program, counted(pair, view));
	wrong = want->wrong == NULL ? compare_counters(pair, want) :
	    want->wrong;
	view->counters = NULL;
	while (wrong == NULL && i++ < 2) {
		is = fm_run(&run, pair->program, view, NULL);
		wrong = agree(pair->program, view, want, is);
		if (wrong == NULL && !redirect_is_ours(is))
			wrong = "where a redirect leads: a client chose it";
		if (wrong == NULL && i == 2 && !agree_is_by_chance(is))
			wrong = compare_counters(pair, want);
		fm_run_end(&run);
		(void)counted(pair, view);
	}
	if (wrong != NULL) {
		show_rules(pair);
		agree_show_view(view);
		ck_abort_msg("they differ in %s%s", wrong, how[i]);
	}
}

START_TEST(random_rules_do_what_the_naive_twin_does)
{
	struct generate_request request;
	unsigned file, files = unit_rounds(400, 18), i;
	unsigned requests = unit_whole() ? REQUESTS : REQUESTS * 3 / 4;
	struct pair pair;

	unit_seed("random");
	for (file = 0; file < files; file++) {
		generate_rules(&pair.rules, unit_random());
		pair_make(&pair);
		for (i = 0; i < requests; i++) {
			generate_request(&request, unit_random(),
			    pair.rules.costly);
			try(&pair, &request.view);
			generate_request_free(&request);
		}
		pair_free(&pair);
	}
	printf("random: %u requests\n", file * requests);
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
