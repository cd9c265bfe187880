/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between scenarios.c and scenarios_rules.c.
 */

#ifndef SCENARIOS_H
#define SCENARIOS_H

#include "diag.h"
#include "fail.h"

/* FAIL_WRONG, for this reason. */
enum fail_outcome fail_is_wrong(const char *);

/* Does one of the errors have this word?  Where none was kept: it may be. */
enum fail_outcome fail_refused(const struct fm_diag *, const char *word);

enum fail_outcome fail_try_format(void);
enum fail_outcome fail_try_load(void);
enum fail_outcome fail_try_run(void);
enum fail_outcome fail_try_swap(void);

#endif
