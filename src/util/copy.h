/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Copies texts of the length that header lines have without a call, and zeroes
 * structures.
 */

#ifndef FM_COPY_H
#define FM_COPY_H

#include <stddef.h>
#include <string.h>

#define FM_COPY_SHORT	64	/* bytes; memcpy() is faster above that */

/* Copies at most 16 bytes, as two words that may overlap. */
static inline void
fm_copy_few(char *to, const char *from, size_t len)
{
	if (len >= 8) {
		memcpy(to, from, 8);
		memcpy(to + len - 8, from + len - 8, 8);
	} else if (len >= 4) {
		memcpy(to, from, 4);
		memcpy(to + len - 4, from + len - 4, 4);
	} else if (len > 0) {
		to[0] = from[0];
		to[len / 2] = from[len / 2];
		to[len - 1] = from[len - 1];
	}
}

/* Copies bytes to a place that does not overlap. */
static inline void
fm_copy(char *to, const char *from, size_t len)
{
	if (len <= 16) {
		fm_copy_few(to, from, len);
	} else if (len <= FM_COPY_SHORT) {
		memcpy(to, from, 16);
		if (len > 32) {
			memcpy(to + 16, from + 16, 16);
			memcpy(to + len - 32, from + len - 32, 16);
		}
		memcpy(to + len - 16, from + len - 16, 16);
	} else {
		memcpy(to, from, len);
	}
}

/*
 * Zeroes the start of a structure.  In line, gcc would write `rep stos`, which
 * takes long to start.
 */
static inline void
fm_zero(void *start, size_t len)
{
	__asm__("" : "+r"(len));
	memset(start, 0, len);
}

#endif
