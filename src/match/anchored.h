/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A hash table of the texts of a pattern set that are anchored to an end of the
 * subject: exact texts, prefixes and suffixes.  A search probes once for the
 * whole subject, and once for each different length of prefixes and suffixes
 * (with and without case), however many texts there are.
 */

#ifndef FM_ANCHORED_H
#define FM_ANCHORED_H

#include <stdint.h>

#include "pattern.h"

struct fm_anchored;

/*
 * Makes a table of those of n patterns whose matcher is FM_MATCHER_HASH; a
 * pattern's number is its index in the array.  Copies the texts.  *table
 * becomes NULL if there are no such patterns.  Returns 0; or -1 if there is no
 * memory.
 */
int fm_anchored_new(struct fm_pattern * const *patterns,
    const unsigned char *matchers, size_t n, struct fm_anchored **table)
    __attribute__((cold));
void fm_anchored_free(struct fm_anchored **) __attribute__((cold));
size_t fm_anchored_bytes(const struct fm_anchored *) __attribute__((cold));

/* Is told of a pattern that matches, and returns true to stop the search. */
typedef bool fm_anchored_hit_f(void *priv, uint32_t number);

/* Calls hit() for each pattern that matches, in no particular order. */
void fm_anchored_find(const struct fm_anchored *, struct fm_text subject,
    fm_anchored_hit_f *, void *priv);

#endif
