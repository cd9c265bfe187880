/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compares what a program and its naive twin (naive.h) make of a request, in
 * all that a user can see: the verdict and the place of its rule, the request
 * after the rules, and what was counted.
 */

#ifndef AGREE_H
#define AGREE_H

#include "naive.h"

/* The fields that a view may have, at most. */
#define AGREE_FIELDS	256

/*
 * Returns NULL if both agree; or what they disagree in; or what is wrong with
 * the program's result whatever the twin says: an edit that changes nothing, a
 * value that would split a header.
 */
const char *agree(const struct fm_program *, const struct fm_view *,
    const struct naive_result *, const struct fm_result *);

/*
 * Returns true if PCRE2 gave up on a regex since a scan has failed.  A second
 * run, in which no scan fails, may have another result.
 */
bool agree_is_by_chance(const struct fm_result *);

/* Print a request, or a result, to stderr. */
void agree_show_view(const struct fm_view *);
void agree_show_naive(const struct naive_result *);
void agree_show_result(const struct fm_program *, const struct fm_result *);

#endif
