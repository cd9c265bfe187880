/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiles a model, which the check has passed, into a program.
 */

#ifndef FM_COMPILE_H
#define FM_COMPILE_H

#include "model.h"
#include "patset.h"
#include "program.h"

/*
 * Is told of each pattern that was compiled: its set, its number there, and its
 * place in the text.  The set is NULL for a regex of `rewrite`.
 */
typedef void fm_compile_tell_f(void *priv, const struct fm_patset *,
    uint32_t n, const struct fm_pattern *, const struct fm_place *);

struct fm_compile_options {
	fm_compile_tell_f	*tell;		/* NULL: not called */
	void			*tell_priv;
};

/*
 * Compiles a model that has passed fm_check().  The model does not change, and
 * may be freed before the program.  Returns NULL with the reason in the diag:
 * there is no memory, or the rules take more than a load may have (caps.h).
 * `options` may be NULL.  Needs some 100 KB of stack, so it must not run in a
 * worker thread of Varnish.
 */
struct fm_program *fm_compile(const struct fm_model *,
    const struct fm_compile_options *, struct fm_diag *);

#endif
