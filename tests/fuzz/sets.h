/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sets of patterns and their twins: what the targets patset and patterns
 * share.
 */

#ifndef SETS_H
#define SETS_H

#include "twin_set.h"

#define SETS_MAX	300		/* patterns; others are left out */

/* "contains ", ... at the beginning, which is cut off; false: there is none. */
bool sets_kind(struct fm_text *line, enum fm_pattern_kind *);

/* Adds a pattern, whose text must outlive the set, if there is one. */
void sets_add(struct twin_set *, enum fm_pattern_kind, bool nocase,
    struct fm_text);

/* Every way to ask about a subject; and what matches in it is replaced. */
void sets_check(struct twin_set *, struct fm_text subject);

#endif
