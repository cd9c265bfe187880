/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A hash table of the texts of a pattern set that are tied to an end of the
 * subject: exact texts, prefixes and suffixes.  A search probes once for the
 * whole subject, and once for each different length of prefixes and suffixes
 * (with and without case), however many texts there are.
 */

#ifndef FM_TIED_H
#define FM_TIED_H

#include <stdint.h>

#include "pattern.h"

struct fm_tied;

/*
 * Makes a table of those of n patterns whose way is FM_WAY_HASH; a pattern's
 * number is its index in the array.  Copies the texts.  *tied becomes NULL if
 * there are no such patterns.  Returns 0; or -1 if there is no memory.
 */
int fm_tied_new(struct fm_pattern * const *patterns,
    const unsigned char *ways, size_t n, struct fm_tied **tied);
void fm_tied_free(struct fm_tied **);
size_t fm_tied_bytes(const struct fm_tied *);

/* Is told of a pattern that matches, and returns true to stop the search. */
typedef bool fm_tied_hit_f(void *priv, uint32_t number);

/* Calls hit() for each pattern that matches, in no particular order. */
void fm_tied_find(const struct fm_tied *, struct fm_text subject,
    fm_tied_hit_f *, void *priv);

#endif
