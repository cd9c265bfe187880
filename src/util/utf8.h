/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tells UTF-8 from other bytes.
 */

#ifndef FM_UTF8_H
#define FM_UTF8_H

#include <stddef.h>

/*
 * Returns the length of the first UTF-8 character at s, where n bytes are (at
 * least 1); 0 if these bytes are not UTF-8.  Overlong forms and surrogates are
 * not UTF-8.
 */
static inline size_t
fm_utf8_length(const char *s, size_t n)
{
	const unsigned char *b = (const unsigned char *)s;
	size_t len, i;

	if (b[0] < 0x80)
		return (1);
	len = b[0] >= 0xf0 ? 4 : b[0] >= 0xe0 ? 3 : 2;
	if (b[0] < 0xc2 || b[0] > 0xf4 || len > n)
		return (0);
	for (i = 1; i < len; i++)
		if ((b[i] & 0xc0) != 0x80)
			return (0);
	if ((b[0] == 0xe0 && b[1] < 0xa0) || (b[0] == 0xed && b[1] > 0x9f) ||
	    (b[0] == 0xf0 && b[1] < 0x90) || (b[0] == 0xf4 && b[1] > 0x8f))
		return (0);
	return (len);
}

#endif
