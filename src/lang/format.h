/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Formats a rule file, for `fastmatch fmt`.  It changes blanks and ends of
 * lines, but no token and no comment.
 */

#ifndef FM_FORMAT_H
#define FM_FORMAT_H

#include <stddef.h>

#include "diag.h"

/*
 * Returns the text as fmt writes it, for free().  NULL: there are errors of
 * syntax, or there is no memory; the diag says so, and has to be there.  The
 * files that the text names are not read; `name` is for places.
 */
char *fm_format(const char *name, struct fm_text, size_t *len,
    struct fm_diag *);

#endif
