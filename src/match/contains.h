/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A table of texts that a subject may contain, by their first bytes.  A
 * search is one pass over the subject: a list of phones is looked for in a
 * User-Agent with a tenth of the memory that a scan touches, and a phone is
 * found at once.
 */

#ifndef FM_CONTAINS_H
#define FM_CONTAINS_H

#include <stdint.h>

#include "pattern.h"

struct fm_contains;

/*
 * Makes a table of the contains among n patterns; a pattern's number is its
 * index in the array.  The patterns must last as long.  *table becomes NULL if
 * there are none, or a scan is needed or better: the patterns have a glob, a
 * regex, a contains without case, of less than three bytes or more than 256, or
 * too many that begin alike.  Returns 0; or -1 if there is no memory.
 */
int fm_contains_new(struct fm_pattern * const *patterns, size_t n,
    struct fm_contains **table) __attribute__((cold));
void fm_contains_free(struct fm_contains **) __attribute__((cold));
size_t fm_contains_bytes(const struct fm_contains *) __attribute__((cold));

/* Is told of a pattern that matches, and returns true to stop the search. */
typedef bool fm_contains_hit_f(void *priv, uint32_t number);

/*
 * Calls hit() for each pattern that matches, in no particular order, and once
 * more for each place where it does.
 */
void fm_contains_find(const struct fm_contains *, struct fm_text subject,
    fm_contains_hit_f *, void *priv);

#endif
