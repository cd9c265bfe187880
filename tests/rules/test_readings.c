/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tests `any path`, `every path` and `any` of values against the naive twin, on
 * random texts of few pieces, so that paths go up and down among the operands.
 */

#include <stdio.h>

#include "agree.h"
#include "check.h"
#include "compile.h"
#include "parse.h"
#include "unit.h"

#define TESTS	40

/* Appends random pieces. */
static size_t
put_pieces(char *to, const char * const *pieces, unsigned n, unsigned most)
{
	unsigned count = unit_below(most + 1);
	char *p = to;

	while (count-- > 0)
		p = stpcpy(p, pieces[unit_below(n)]);
	*p = '\0';
	return ((size_t)(p - to));
}

static const char * const plain[] = { "/a", "/b", "/", "a", "b", "/A" };
static const char * const odd[] = { "/a", "/b", "/", "a", "b", "/A", "/..",
    "/.", "..", "%2f", "%2F", "%2e", "/a/", "%61", "/%2e%2e", "%25", "%",
    "%2", "..%2f", "//", "/.a", "%00" };
static const char * const values[] = { "a", "b", "A", "%61", "+", "%2B", "%",
    " ", ",", "%2c", ", a", "=" };

#define PUT(to, pieces, most)						\
	put_pieces(to, pieces, sizeof (pieces) / sizeof *(pieces), most)

static void
put_operands(FILE *to, bool path, bool empty)
{
	unsigned n = 1 + unit_below(3);
	char word[200];

	while (n-- > 0) {
		if (path && unit_below(4) == 0)
			(void)PUT(word, odd, 4);
		else if (path)
			(void)PUT(word, plain, 3);
		else
			(void)PUT(word, values, 2);
		(void)fprintf(to, " \"%s%s\"", path && *word != '/' ? "/" :
		    *word == '\0' && !empty ? "a" : "", word);
	}
}

/* Returns rules with a header for each test; they are malloc'ed. */
static char *
rules_new(void)
{
	static const char * const subjects[] = { "any path", "every path",
	    "any path", "not every path", "any query a", "any cookie a",
	    "any header X-A" };
	static const char * const modes[] = { "is", "begins", "below",
	    "contains" };
	FILE *to;
	char *text;
	size_t len;
	unsigned i, subject, mode;

	to = open_memstream(&text, &len);
	ck_assert_ptr_nonnull(to);
	(void)fprintf(to, "always {\n");
	for (i = 0; i < TESTS; i++) {
		subject = unit_below(7);
		mode = unit_below(3);
		if (subject > 3 && mode == 2)
			mode = 3;
		(void)fprintf(to, "when %s %s%s", subjects[subject],
		    unit_below(3) == 0 ? "nocase " : "", modes[mode]);
		put_operands(to, subject < 4, mode == 0);
		(void)fprintf(to, " { set X-%u = 1; }\n", i);
		if (unit_below(20) == 0)
			(void)fprintf(to,
			    "rewrite ~ \"^/a/\" to \"/\"; unset X-A;\n");
	}
	(void)fprintf(to, "}\n");
	(void)fclose(to);
	return (text);
}

static void
ask(const struct fm_program *program, struct naive *naive)
{
	static const char * const names[] = { "X-A", "Cookie", "x-a", "X-A" };
	char url[2000], lines[4][200];
	struct fm_field fields[5];
	struct fm_view view = { .nfields = 1, .fields = fields,
	    .method = fm_text_of("GET") };
	const struct fm_result *is;
	struct fm_text copy;
	struct fm_run run;
	const char *wrong;
	size_t len;
	unsigned i;

	len = PUT(url, odd, 12);
	len += (size_t)sprintf(url + len, "?a=");
	len += PUT(url + len, values, 4);
	len += (size_t)sprintf(url + len, "&%%61=");
	(void)PUT(url + len, values, 4);
	copy = unit_copy(fm_text_of(url));
	view.url = copy;
	fields[0].b = "Host: a.example";
	fields[0].e = fields[0].b + strlen(fields[0].b);
	for (i = 0; i < 4; i++) {
		len = (size_t)sprintf(lines[i], "%s: %s", names[i],
		    i == 1 ? "a=" : "");
		len += PUT(lines[i] + len, values, 4);
		fields[view.nfields].b = lines[i];
		fields[view.nfields++].e = lines[i] + len;
	}
	is = fm_run(&run, program, &view, NULL);
	wrong = agree(program, &view, naive_run(naive, program, &view), is);
	if (wrong != NULL)
		ck_abort_msg("they differ in %s", wrong);
	fm_run_end(&run);
	free((void *)(uintptr_t)copy.b);
}

START_TEST(tests_of_many_texts_have_the_outcome_of_the_naive_twin)
{
	unsigned rounds = unit_rounds(2000, 40), i, n;
	struct fm_program *program;
	struct fm_model *model;
	struct fm_diag *diag;
	struct naive *naive;
	char *text;

	unit_seed("readings");
	for (i = 0; i < rounds; i++) {
		text = rules_new();
		diag = fm_diag_new();
		model = fm_parse_text("rules", fm_text_of(text), NULL,
		    NULL, diag);
		if (!fm_check(model, NULL, diag))
			ck_abort_msg("%s in: %s", fm_diag_line(diag, 0), text);
		program = fm_compile(model, NULL, diag);
		ck_assert_ptr_nonnull(program);
		naive = naive_new(model);
		for (n = 0; n < 100; n++)
			ask(program, naive);
		naive_free(&naive);
		fm_program_free(&program);
		fm_model_free(&model);
		fm_diag_free(&diag);
		free(text);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("readings");

	tcase_set_timeout(tc, 600);
	tcase_add_test(tc,
	    tests_of_many_texts_have_the_outcome_of_the_naive_twin);
	return (unit_run("readings", tc));
}
