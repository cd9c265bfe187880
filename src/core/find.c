/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A short text in another one.
 */

#include <limits.h>

#include "find.h"

/*
 * How often a byte is in what clients send, roughly: 0 is seldom.  Only the
 * order counts, and only for speed.
 */
static unsigned
byte_common(unsigned char c)
{
	static const char common[] = "etaoinsrlcdmpuhgfbw/.-_ =;0125)(";
	const char *found;

	found = memchr(common, c, sizeof common - 1);
	if (found != NULL)
		return ((unsigned)(common + sizeof common - found));
	return (fm_lower(c) != c || c >= 0x80 ? 0 : 1);
}

size_t
fm_find_rare(struct fm_text t, bool nocase)
{
	size_t i, rare = 0;
	unsigned char c;
	unsigned common, least = UINT_MAX;

	for (i = 0; i < t.len; i++) {
		c = (unsigned char)t.b[i];
		common = byte_common(nocase ? fm_lower(c) : c);
		if (common < least) {
			least = common;
			rare = i;
		}
	}
	return (rare);
}

#define ASTRAY_MAX	8	/* times, and one more for */
#define ASTRAY_BYTES	8
#define FIND_SHORT	32

const char *
fm_find(struct fm_text t, struct fm_text what, size_t rare)
{
	const char *b = t.b, *at;
	size_t astray;

	for (astray = 0; t.len >= what.len && t.len > FIND_SHORT; astray++) {
		if (astray >= ASTRAY_MAX + (size_t)(b - t.b) / ASTRAY_BYTES)
			return (memmem(b, t.len, what.b, what.len));
		at = memchr(b + rare, what.b[rare], t.len - what.len + 1);
		if (at == NULL)
			return (NULL);
		at -= rare;
		if (fm_bytes_eq(at, what.b, what.len))
			return (at);
		t.len -= (size_t)(at + 1 - b);
		b = at + 1;
	}
	/* A library call costs more than a few bytes. */
	for (; t.len >= what.len; t.len--, b++)
		if (b[rare] == what.b[rare] &&
		    fm_bytes_eq(b, what.b, what.len))
			return (b);
	return (NULL);
}

bool
fm_find_few(struct fm_text t, int byte, size_t *few)
{
	const char *p = t.b, *e = t.b + t.len;

	for (; (p = memchr(p, byte, (size_t)(e - p))) != NULL; p++)
		if ((*few)-- == 0)
			return (false);
	return (true);
}
