/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Copies texts of the length that header lines have without a call.
 */

#ifndef FM_COPY_H
#define FM_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FM_COPY_SHORT	64	/* bytes; memcpy() is faster above that */

static inline void
fm_copy_16(char *to, const char *from)
{
	uint64_t first, last;

	memcpy(&first, from, 8);
	memcpy(&last, from + 8, 8);
	memcpy(to, &first, 8);
	memcpy(to + 8, &last, 8);
}

/* Copies at most 16 bytes, as two words that may overlap. */
static inline void
fm_copy_few(char *to, const char *from, size_t len)
{
	uint64_t first, last;
	uint32_t f, l;

	if (len >= 8) {
		memcpy(&first, from, 8);
		memcpy(&last, from + len - 8, 8);
		memcpy(to, &first, 8);
		memcpy(to + len - 8, &last, 8);
	} else if (len >= 4) {
		memcpy(&f, from, 4);
		memcpy(&l, from + len - 4, 4);
		memcpy(to, &f, 4);
		memcpy(to + len - 4, &l, 4);
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
	size_t i;

	if (len <= 16) {
		fm_copy_few(to, from, len);
	} else if (len <= FM_COPY_SHORT) {
		for (i = 0; i + 16 < len; i += 16)
			fm_copy_16(to + i, from + i);
		fm_copy_16(to + len - 16, from + len - 16);
	} else {
		memcpy(to, from, len);
	}
}

#endif
