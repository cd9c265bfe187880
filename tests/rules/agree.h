/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Whether a program and its naive twin agree about a request, in all that a
 * user can see: the verdict and where it was found, the request afterwards,
 * and what was counted.
 */

#ifndef AGREE_H
#define AGREE_H

#include "naive.h"

/* The view has at most so many fields. */
#define AGREE_FIELDS	256

/*
 * NULL, or what they disagree in, or what is wrong with the program's result
 * whatever the twin says (an edit that changes nothing, a value that would
 * split a header).
 */
const char *agree(const struct fm_program *, const struct fm_view *,
    const struct naive_result *, const struct fm_result *);

/*
 * Returns true if scans have failed, so that PCRE2 gave up on a regex: a second
 * run, in which they don't fail, may come to something else.
 */
bool agree_is_by_chance(const struct fm_result *);

/* To stderr, for people. */
void agree_show_view(const struct fm_view *);
void agree_show_naive(const struct naive_result *);
void agree_show_result(const struct fm_program *, const struct fm_result *);

#endif
