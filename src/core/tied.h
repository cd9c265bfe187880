/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The texts of a pattern set that are tied to an end of the subject (exact,
 * prefix and suffix), by hash: a probe for the whole subject, and one for each
 * length that prefixes or suffixes have, whatever their number, with and
 * without case.
 *
 * To probe costs little where it is for nothing: of each length it is known
 * with which bytes those texts end that are not at the end of the subject (the
 * dot of `ends .example.org`), and where the subject has another one there,
 * nothing is hashed.
 */

#ifndef FM_TIED_H
#define FM_TIED_H

#include <stdint.h>

#include "pattern.h"

struct fm_tied;

/*
 * Prefixes and suffixes of more lengths than these are left out, those of
 * which there are the fewest; so are longer ones.
 */
#define FM_TIED_LENGTHS	64
#define FM_TIED_LONGEST	512

/*
 * Of the patterns whose kind is FM_PATTERN_EXACT and, with `ends`, of those
 * that are FM_PATTERN_PREFIX and FM_PATTERN_SUFFIX; their numbers are those of
 * the array.  Keeps no reference to the patterns.  *tied is NULL where there
 * are none.  0, or -1: no memory.
 */
int fm_tied_new(struct fm_pattern * const *patterns, size_t n, bool ends,
    struct fm_tied **tied);
void fm_tied_free(struct fm_tied **);
size_t fm_tied_bytes(const struct fm_tied *);

/* Whether a pattern of that array is in it. */
bool fm_tied_has(const struct fm_tied *, const struct fm_pattern *);

/* Called for a pattern that matches; true stops the search. */
typedef bool fm_tied_hit_f(void *priv, uint32_t number);

/* Tells all that match, in no particular order. */
void fm_tied_find(const struct fm_tied *, struct fm_text subject,
    fm_tied_hit_f *, void *priv);

#endif
