/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes a program from a rule file: parses, checks and compiles it.
 */

#include "compile.h"
#include "loops.h"
#include "obj.h"
#include "parse.h"
#include "rules_load.h"

struct fm_program *
fm_rules_compile(struct fm_model *model,
    const struct fm_check_options *options, struct fm_diag *diag)
{
	struct fm_program *program = NULL;

	if (fm_check(model, options, diag))
		program = fm_compile(model, NULL, diag);
	if (program != NULL)
		fm_rules_loops(model, program, diag);
	return (program);
}

struct fm_program *
fm_rules_load(const char *path, const struct fm_check_options *options,
    struct fm_sources *sources, struct fm_model **modelp,
    struct fm_diag *diag)
{
	static const struct fm_check_options none;
	struct fm_program *program = NULL;
	struct fm_model *model;

	assert(path != NULL);
	assert(diag != NULL);
	model = fm_parse_file(path, sources, diag);
	if (model != NULL)
		program = fm_rules_compile(model,
		    options != NULL ? options : &none, diag);
	fm_diag_sort(diag, path);
	if (modelp != NULL)
		*modelp = model;
	else if (model != NULL)
		fm_model_free(&model);
	return (program);
}
