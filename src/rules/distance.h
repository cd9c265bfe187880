/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Measures how far two names are apart, for "did you mean".
 */

#ifndef FM_DISTANCE_H
#define FM_DISTANCE_H

#include "text.h"

/*
 * The number of bytes to add, to leave out or to change, two neighbours that
 * changed places counting as one; case does not matter much.  max + 1 where
 * that is more than max.
 */
size_t fm_distance(struct fm_text, struct fm_text, size_t max);

/* How far a word may be from what was meant by it. */
static inline size_t
fm_distance_max(struct fm_text word)
{
	return ((size_t)(word.len > 2) + (word.len > 4) + (word.len > 9));
}

#endif
