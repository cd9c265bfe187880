/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds a text byte by byte, and never goes back (Knuth, Morris, Pratt): of
 * each beginning of the text it knows how long the longest shorter one is that
 * the beginning ends with, its border.
 */

#ifndef FM_BORDERS_H
#define FM_BORDERS_H

#include <stddef.h>
#include <stdint.h>

/*
 * With so many bytes of the text found, how many are when c comes.  Once all of
 * them are, begin again with none.
 */
static inline size_t
fm_borders_next(const uint32_t *borders, const unsigned char *text,
    size_t found, unsigned char c)
{
	while (text[found] != c) {
		if (found == 0)
			return (0);
		found = borders[found];
	}
	return (found + 1);
}

/* Room for as many as the text, which is not empty, has bytes. */
static inline void
fm_borders_fill(uint32_t *borders, const unsigned char *text, size_t len)
{
	size_t i, n = 0;

	/* That of the whole is not asked for. */
	borders[0] = 0;
	for (i = 1; i < len; i++) {
		borders[i] = (uint32_t)n;
		n = fm_borders_next(borders, text, n, text[i]);
	}
}

#endif
