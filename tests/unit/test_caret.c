/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The lines that errors keep, and which of these may have the value of a
 * condition on a header or a cookie.
 */

#include "caret.h"
#include "compile.h"
#include "folder.h"

/* Loads the text, and returns the first error with its line. */
static struct fm_diag *
load(const char *text, struct fm_diag_message *m)
{
	struct fm_program *program;
	struct fm_diag *diag = fm_diag_new();

	folder_write("site.rules", text);
	program = fm_rules_load("site.rules", NULL, NULL, NULL, diag);
	ck_assert_ptr_null(program);
	fm_caret_attach(diag);
	ck_assert(fm_diag_message(diag, 0, m));
	ck_assert(m->error);
	return (diag);
}

static const struct {
	const char	*text;
	const char	*excerpt;
	bool		private;
} cases[] = {
	{ "host a.example {\n\tsynth 99;\n}\n",
	    "     synth 99;\n           ^\n", false },
	{ "always {\n\twhen header X is \"secret\" {\n\t\tsynth 99;\n\t}\n}\n",
	    "      synth 99;\n            ^\n", false },
	{ "always { when header X is a b ) { pass; } }\n", NULL, true },
	{ "always { when cookie id is a ) { pass; } }\n", NULL, true },
	{ "always { when agent is a ) { pass; } }\n", NULL, true },
	{ "always { when path is a ) { pass; } }\n", NULL, false },
	{ "always {\n\twhen header X is\n\t    a\n\t    b ) {\n}}\n", NULL,
	    true },
	{ "# about a header\nalways {\n\tbogus;\n}\n", NULL, false },
	{ "list l {\n\t~ \"secret(\"\n}\n"
	    "always { when header X in l { pass; } }\n", NULL, true },
};

START_TEST(test_caret_shows_the_line_of_an_error_and_knows_what_is_private)
{
	struct fm_diag_message m;
	struct fm_diag *diag;

	folder_enter();
	diag = load(cases[_i].text, &m);
	ck_assert_msg(m.excerpt != NULL, "%s", fm_diag_line(diag, 0));
	if (cases[_i].excerpt != NULL)
		ck_assert_str_eq(m.excerpt, cases[_i].excerpt);
	ck_assert_msg(m.private == cases[_i].private, "%s\n%s",
	    fm_diag_line(diag, 0), m.excerpt);
	fm_diag_free(&diag);
	folder_leave();
}
END_TEST

START_TEST(test_caret_shows_nothing_of_a_file_that_holds_no_rules)
{
	struct fm_diag_message m;
	struct fm_diag *diag;

	folder_enter();
	diag = load("root:x:0:0:root:/root:/bin/sh\nsshd:!:1:2::/:/none\n",
	    &m);
	ck_assert_ptr_null(m.excerpt);
	fm_diag_free(&diag);
	folder_leave();
}
END_TEST

#define COUNT(a)	((int)(sizeof (a) / sizeof (a)[0]))

int
main(void)
{
	TCase *tc = tcase_create("caret");

	tcase_add_loop_test(tc,
	    test_caret_shows_the_line_of_an_error_and_knows_what_is_private,
	    0, COUNT(cases));
	tcase_add_test(tc,
	    test_caret_shows_nothing_of_a_file_that_holds_no_rules);
	return (unit_run("caret", tc));
}
