/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * UTF-8, a character at a time.
 */

#include <string.h>

#include "utf8.h"

size_t
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

bool
fm_utf8_is_active(const char *s, size_t len)
{
	const unsigned char *b = (const unsigned char *)s;

	switch (len) {
	case 0:
		return (true);
	case 1:
		return (b[0] < ' ' || b[0] == 0x7f);
	case 2:
		return ((b[0] == 0xc2 && b[1] < 0xa0) ||
		    (b[0] == 0xd8 && b[1] == 0x9c));
	case 3:
		return (b[0] == 0xe2 && ((b[1] == 0x80 &&
		    (b[2] == 0x8e || b[2] == 0x8f ||
		    (b[2] >= 0xa8 && b[2] <= 0xae))) ||
		    (b[1] == 0x81 && b[2] >= 0xa6 && b[2] <= 0xaf)));
	default:
		return (false);
	}
}

size_t
fm_utf8_from_bytes(const char *s, size_t n, char *to)
{
	char *t = to;
	size_t i, len;

	for (i = 0; i < n; i += len) {
		len = fm_utf8_length(s + i, n - i);
		if (len > 0) {
			memcpy(t, s + i, len);
			t += len;
			continue;
		}
		*t++ = (char)(0xc0 | (unsigned char)s[i] >> 6);
		*t++ = (char)(0x80 | ((unsigned char)s[i] & 0x3f));
		len = 1;
	}
	return ((size_t)(t - to));
}

void
fm_utf8_flatten(char *s)
{
	size_t i, len, left = strlen(s);
	char *to = s;

	for (; left > 0; s += i, left -= i) {
		len = fm_utf8_length(s, left);
		i = len == 0 ? 1 : len;
		if (fm_utf8_is_active(s, len)) {
			*to++ = '?';
		} else {
			memmove(to, s, i);
			to += i;
		}
	}
	*to = '\0';
}
