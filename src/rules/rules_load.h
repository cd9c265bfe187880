/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes a program from a rule file.
 */

#ifndef FM_RULES_LOAD_H
#define FM_RULES_LOAD_H

#include "check.h"
#include "program.h"
#include "sources.h"

/*
 * Parses, checks and compiles a file, and sorts the diag by place.  Returns
 * NULL if there are errors, which are in the diag.  If modelp is not NULL, the
 * caller gets the model, also if there are errors (NULL: no memory), and must
 * free it.  All files are read through `sources`, unless that is NULL.
 */
struct fm_program *fm_rules_load(const char *path,
    const struct fm_check_options *, struct fm_sources *,
    struct fm_model **modelp, struct fm_diag *);

/*
 * Checks and compiles a model: the second half of fm_rules_load(), which leaves
 * the diag as it comes.
 */
struct fm_program *fm_rules_compile(struct fm_model *,
    const struct fm_check_options *, struct fm_diag *);

#endif
