/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch check --cost`: what the patterns of a rule file cost.  The answer
 * has two tables: for each set, how many patterns Hyperscan, PCRE2 and others
 * decide; and for each regex that PCRE2 decides, why Hyperscan doesn't, and how
 * long the slowest match took.
 */

#ifndef FM_COST_H
#define FM_COST_H

#include "caps.h"
#include "json.h"
#include "model.h"

struct fm_cost;

/*
 * Compiles a model that has passed the check, and measures the regexes that
 * PCRE2 decides; the diag gets a warning for each slow one.  Returns NULL if
 * the diag has errors.  The model must outlive the cost.
 */
struct fm_cost *fm_cost_new(const struct fm_model *, struct fm_diag *);
void fm_cost_free(struct fm_cost **);

/*
 * Print the cost of a file as lines, or return its sets or its regexes as JSON
 * arrays.  The diag knows whose text may be shown.
 */
void fm_cost_print(const struct fm_cost *, const char *file,
    const struct fm_diag *);
json_t *fm_cost_sets(const struct fm_cost *);
json_t *fm_cost_regexes(const struct fm_cost *, const struct fm_diag *);

/*
 * Add what a file takes to the sum of a VCL that has all the files (caps.h);
 * and print the sum, or return it as a JSON array.
 */
void fm_cost_add(const struct fm_cost *, size_t sum[FM_CAP__COUNT]);
void fm_cost_print_sum(const size_t sum[FM_CAP__COUNT], int files);
json_t *fm_cost_sum(const size_t sum[FM_CAP__COUNT]);

#endif
