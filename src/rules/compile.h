/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * From a model that was checked to a program.
 */

#ifndef FM_COMPILE_H
#define FM_COMPILE_H

#include "check.h"
#include "model.h"
#include "patset.h"
#include "program.h"

/*
 * Called for each pattern of a set that was made, in order, with its number
 * and its place; and for each regex of rewrite, which is of no set.
 */
typedef void fm_compile_tell_f(void *priv, const struct fm_patset *,
    uint32_t n, const struct fm_pattern *, const struct fm_place *);

struct fm_compile_options {
	fm_compile_tell_f	*tell;		/* NULL: nobody asks */
	void			*tell_priv;
};

/*
 * The model must have passed fm_check(); it stays as it is and may be freed
 * before the program.  NULL with what is wrong in the diag: no memory, or more
 * than a load may compile (caps.h).  options may be NULL.  Needs some 100 KB of
 * stack: not on a worker's.
 */
struct fm_program *fm_compile(const struct fm_model *,
    const struct fm_compile_options *, struct fm_diag *);

/*
 * Parses, checks and compiles a file; the diag is sorted by place.  NULL with
 * what is wrong in the diag.  *modelp, if asked for, is the model whether
 * there were errors or not (NULL: no memory), to be freed by the caller.  All
 * files are read through the sources, if there are any.
 */
struct fm_program *fm_rules_load(const char *path,
    const struct fm_check_options *, struct fm_sources *,
    struct fm_model **modelp, struct fm_diag *);

#endif
