/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiles the text of rules to a program, for tests that run programs.
 */

#ifndef UNIT_PROGRAM_H
#define UNIT_PROGRAM_H

#include "check.h"
#include "compile.h"
#include "parse.h"
#include "unit.h"

/*
 * Returns the program of some rules; the test fails if the rules have errors.
 */
static inline struct fm_program *
unit_program(const char *name, const char *text)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_program *program = NULL;
	struct fm_model *model;

	model = fm_parse_text(name, fm_text_of(text), false, diag);
	ck_assert_ptr_nonnull(model);
	if (fm_diag_errors(diag) == 0 && fm_check(model, NULL, diag))
		program = fm_compile(model, NULL, diag);
	if (program == NULL)
		ck_abort_msg("%s in: %s", fm_diag_line(diag, 0), text);
	fm_model_free(&model);
	fm_diag_free(&diag);
	return (program);
}

#endif
