/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes models and programs of the text of rules, and compares what is said of
 * a text.
 */

#ifndef UNIT_COMPILING_H
#define UNIT_COMPILING_H

#include "check.h"
#include "compile.h"
#include "parse.h"
#include "unit.h"

/*
 * Fails unless a diag has exactly these lines, each with a newline; then frees
 * the diag.
 */
static inline void
unit_says(struct fm_diag *diag, const char *expect)
{
	const char *line;
	char *said;
	size_t len;
	FILE *to = open_memstream(&said, &len);
	unsigned n;

	ck_assert_ptr_nonnull(to);
	for (n = 0; (line = fm_diag_line(diag, n)) != NULL; n++)
		(void)fprintf(to, "%s\n", line);
	(void)fclose(to);
	ck_assert_str_eq(said, expect);
	free(said);
	fm_diag_free(&diag);
}

/* Returns the model of a text, of which the parser gets an exact copy. */
static inline struct fm_model *
unit_parse(const char *name, struct fm_text text, struct fm_diag *diag)
{
	struct fm_text copy = unit_copy(text);
	struct fm_model *model;

	ck_assert_ptr_nonnull(diag);
	model = fm_parse_text(name, copy, NULL, NULL, diag);
	free((void *)(uintptr_t)copy.b);
	ck_assert_ptr_nonnull(model);
	return (model);
}

/*
 * Returns the program of some rules; the test fails if the rules have errors.
 */
static inline struct fm_program *
unit_program(const char *name, const char *text)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_program *program = NULL;
	struct fm_model *model;

	model = unit_parse(name, fm_text_of(text), diag);
	if (fm_diag_errors(diag) == 0 && fm_check(model, NULL, diag))
		program = fm_compile(model, NULL, diag);
	if (program == NULL)
		ck_abort_msg("%s in: %s", fm_diag_line(diag, 0), text);
	fm_model_free(&model);
	fm_diag_free(&diag);
	return (program);
}

#endif
