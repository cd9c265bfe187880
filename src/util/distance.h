/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Measures how far two names are apart, for "did you mean":
 *
 *	header, headr	1	headr, haeder	2
 */

#ifndef FM_DISTANCE_H
#define FM_DISTANCE_H

#include "text.h"

/*
 * Returns how many bytes to add, to leave out, to change, or to swap with the
 * next one, to get from one text to the other; max + 1 if they are more than
 * max.  Upper and lower case are the same, except when bytes are swapped.
 */
size_t fm_distance(struct fm_text, struct fm_text, size_t max);

/* Returns how far a word may be from the one that was meant. */
static inline size_t
fm_distance_max(struct fm_text word)
{
	return ((size_t)(word.len > 2) + (word.len > 4) + (word.len > 9));
}

#endif
