/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A short text in another one.
 */

#include <limits.h>
#include <stdlib.h>

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

/*--------------------------------------------------------------------
 * Where case doesn't count
 */

static unsigned char
lower_at(struct fm_text t, size_t i)
{
	return (fm_lower((unsigned char)t.b[i]));
}

/* How much of it is there behind one byte more, of what was before. */
static size_t
borders_next(const uint32_t *borders, struct fm_text what, size_t n,
    unsigned char c)
{
	while (n > 0 && lower_at(what, n) != c)
		n = borders[n];
	return (n + (lower_at(what, n) == c));
}

uint32_t *
fm_find_borders(struct fm_text what)
{
	uint32_t *borders;
	size_t i, n = 0;

	borders = calloc(what.len + 1, sizeof *borders);
	if (borders == NULL)
		return (NULL);
	for (i = 1; i < what.len; i++) {
		n = borders_next(borders, what, n, lower_at(what, i));
		borders[i + 1] = (uint32_t)n;
	}
	return (borders);
}

/* By each byte. */
static const char *
find_steadily(struct fm_text t, struct fm_text what, const uint32_t *borders)
{
	size_t i, n = 0;

	for (i = 0; i < t.len; i++) {
		n = borders_next(borders, what, n, lower_at(t, i));
		if (n == what.len)
			return (t.b + i + 1 - n);
	}
	return (NULL);
}

/* How many bytes from here on are those of the text. */
static size_t
alike_from(const char *b, struct fm_text what)
{
	size_t i;

	for (i = 0; i < what.len; i++)
		if (fm_lower((unsigned char)b[i]) != lower_at(what, i))
			break;
	return (i);
}

static const char *
next_of(const char *b, const char *e, unsigned char c)
{
	return (b < e ? memchr(b, c, (size_t)(e - b)) : NULL);
}

const char *
fm_find_nocase(struct fm_text t, struct fm_text what, size_t rare,
    const uint32_t *borders)
{
	unsigned char low = lower_at(what, rare);
	unsigned char high = low >= 'a' && low <= 'z' ? low - 0x20 : low;
	const char *b, *e, *at, *lows, *highs = NULL;
	size_t astray = 0, alike;

	if (t.len < what.len)
		return (NULL);
	/* Where its rare byte may be. */
	b = t.b + rare;
	e = b + (t.len - what.len) + 1;
	lows = next_of(b, e, low);
	if (high != low)
		highs = next_of(b, e, high);
	while (lows != NULL || highs != NULL) {
		at = highs == NULL || (lows != NULL && lows < highs) ? lows :
		    highs;
		if (astray >= ASTRAY_MAX * ASTRAY_BYTES + (size_t)(at - b))
			return (find_steadily(fm_text_span(at - rare,
			    t.b + t.len), what, borders));
		alike = alike_from(at - rare, what);
		if (alike == what.len)
			return (at - rare);
		astray += ASTRAY_BYTES + alike;
		if (at == lows)
			lows = next_of(at + 1, e, low);
		else
			highs = next_of(at + 1, e, high);
	}
	return (NULL);
}
