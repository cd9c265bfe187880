/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The cost of a rule file's patterns says who decides them, what it takes to
 * compile them, and how long PCRE2 needs for its own.
 */

#ifndef FM_COST_H
#define FM_COST_H

#include "json.h"
#include "model.h"

struct fm_cost;

/*
 * Compiles a model that has passed the check, and tries the regexes that PCRE2
 * has a say in: the slow ones are warnings.  NULL: an error in the diag.  The
 * model must outlive the cost.
 */
struct fm_cost *fm_cost_new(const struct fm_model *, struct fm_diag *);
void fm_cost_free(struct fm_cost **);

/*
 * Prints lines of the file; or returns an array of sets and one of regexes.
 * The diag knows whose text may be shown.
 */
void fm_cost_print(const struct fm_cost *, const char *file,
    const struct fm_diag *);
json_t *fm_cost_sets(const struct fm_cost *);
json_t *fm_cost_regexes(const struct fm_cost *, const struct fm_diag *);

#endif
