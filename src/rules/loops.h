/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds redirects that never end, by running the compiled rules: on a request
 * that comes to a redirect, then on the request that its Location makes, and so
 * on.
 */

#ifndef FM_LOOPS_H
#define FM_LOOPS_H

#include "model.h"
#include "program.h"

/*
 * Warns of each redirect that leads back to itself, at once or by way of
 * others.  The program is that of the model, which has no errors.
 */
void fm_rules_loops(const struct fm_model *, const struct fm_program *,
    struct fm_diag *);

#endif
