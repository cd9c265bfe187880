/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The texts of a pattern set that are tied to an end of the subject (exact,
 * prefix and suffix), by hash: a probe for the whole subject, and one for each
 * length that prefixes or suffixes have, whatever their number, with and
 * without case.
 */

#ifndef FM_TIED_H
#define FM_TIED_H

#include <stdint.h>

#include "pattern.h"

struct fm_tied;

/*
 * Makes a table of the patterns whose kind is FM_PATTERN_EXACT and, with
 * `ends`, FM_PATTERN_PREFIX and FM_PATTERN_SUFFIX; their numbers are those of
 * the array.  Keeps no reference to the patterns.  *tied is NULL where there
 * are none.  Returns 0, or -1: no memory.
 */
int fm_tied_new(struct fm_pattern * const *patterns, size_t n, bool ends,
    struct fm_tied **tied);
void fm_tied_free(struct fm_tied **);
size_t fm_tied_bytes(const struct fm_tied *);

/* Returns true if the table has patterns of this one's kind. */
bool fm_tied_has(const struct fm_tied *, const struct fm_pattern *);

/* Called for a pattern that matches; true stops the search. */
typedef bool fm_tied_hit_f(void *priv, uint32_t number);

/* Tells all that match, in no particular order. */
void fm_tied_find(const struct fm_tied *, struct fm_text subject,
    fm_tied_hit_f *, void *priv);

#endif
