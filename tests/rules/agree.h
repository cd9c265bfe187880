/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compares what a program makes of a request with what its naive twin (naive.h)
 * does, in all that a user can see: the verdict and the place of its rule, the
 * request after the rules, and what was counted.
 */

#ifndef AGREE_H
#define AGREE_H

#include "bounds.h"
#include "naive.h"

/* The fields that a view may have, at most. */
#define AGREE_FIELDS	256

/* Prints a request to stderr. */
void agree_show_view(const struct fm_view *);

/*
 * Returns NULL, or what is wrong with a program's result whatever it should be:
 * an edit that changes nothing, a value that would split a header.
 */
const char *agree_is_sound(const struct fm_view *, const struct fm_result *);

/*
 * Returns NULL if a program's result is sound and is the twin's; or what is
 * wrong, and prints both.
 */
const char *agree(const struct fm_program *, const struct fm_view *,
    const struct naive_result *, const struct fm_result *);

/*
 * Returns true if PCRE2 gave up on a regex since a scan has failed.  A second
 * run, in which no scan fails, may have another result.
 */
bool agree_is_by_chance(const struct fm_result *);

#endif
