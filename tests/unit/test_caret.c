/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The lines that errors keep.
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

UNIT_TEST(test_caret_shows_the_line_of_an_error)
{
	struct fm_diag_message m;
	struct fm_diag *diag;

	folder_enter();
	diag = load("host a.example {\n\tsynth 99;\n}\n", &m);
	ck_assert_str_eq(m.excerpt, "     synth 99;\n           ^\n");
	fm_diag_free(&diag);
	folder_leave();
}

UNIT_TEST(test_caret_shows_nothing_of_a_file_that_holds_no_rules)
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

int
main(void)
{
	return (unit_main("caret", 60));
}
