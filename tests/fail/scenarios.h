/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * scenarios.c and scenarios_rules.c share these functions.
 */

#ifndef SCENARIOS_H
#define SCENARIOS_H

#include "diag.h"
#include "fail.h"

/* Notes what is wrong; returns FAIL_WRONG. */
enum fail_outcome fail_is_wrong(const char *);

/* Returns FAIL_REFUSED if an error has this word, or if no error was kept. */
enum fail_outcome fail_refused(const struct fm_diag *, const char *word);

enum fail_outcome fail_try_format(void);
enum fail_outcome fail_try_load(void);
enum fail_outcome fail_try_run(void);
enum fail_outcome fail_try_swap(void);

#endif
