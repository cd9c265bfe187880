/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A text in either case.
 */

#include "borders.h"
#include "find.h"
#include "folded.h"
#include "obj.h"

/*
 * So many bytes may be compared in vain, or passed over by a library call for
 * each false lead, and one more for each byte of the subject.
 */
#define FOLDED_ASTRAY	64
#define FOLDED_LEAD	8

struct fm_folded {
	unsigned	magic;
#define FM_FOLDED_MAGIC	0x7be0d61f
	size_t		len;
	size_t		rare;		/* where its rarest byte is */
	unsigned char	*what;		/* in lower case; behind: */
	uint32_t	borders[];
};

static inline unsigned char
lower(char c)
{
	return (fm_lower((unsigned char)c));
}

struct fm_folded *
fm_folded_new(struct fm_text what)
{
	struct fm_folded *f;

	assert(what.len > 0);
	f = calloc(1, sizeof *f + what.len * (sizeof *f->borders + 1));
	if (f == NULL)
		return (NULL);
	f->magic = FM_FOLDED_MAGIC;
	f->len = what.len;
	f->rare = fm_find_rare(what, true);
	f->what = (unsigned char *)&f->borders[what.len];
	fm_text_lower((char *)f->what, what);
	fm_borders_fill(f->borders, f->what, what.len);
	return (f);
}

void
fm_folded_free(struct fm_folded **fp)
{
	struct fm_folded *f;

	FM_OBJ_TAKE(f, fp, FM_FOLDED_MAGIC);
	FM_OBJ_FREE(f);
}

size_t
fm_folded_bytes(const struct fm_folded *f)
{
	FM_OBJ_CHECK(f, FM_FOLDED_MAGIC);
	return (sizeof *f + f->len * (sizeof *f->borders + 1));
}

/* By each byte. */
static const char *
find_steadily(const struct fm_folded *f, const char *b, const char *e)
{
	const char *p;
	size_t n = 0;

	for (p = b; p < e; p++) {
		n = fm_borders_next(f->borders, f->what, n, lower(*p));
		if (n == f->len)
			return (p + 1 - n);
	}
	return (NULL);
}

/* How many of its bytes are at b. */
static size_t
alike_at(const struct fm_folded *f, const char *b)
{
	size_t i;

	for (i = 0; i < f->len && f->what[i] == lower(b[i]); i++)
		continue;
	return (i);
}

static const char *
next_of(const char *b, const char *e, unsigned char c)
{
	return (b < e ? memchr(b, c, (size_t)(e - b)) : NULL);
}

const char *
fm_folded_find(const struct fm_folded *f, struct fm_text t)
{
	const char *b, *e, *at, *lows, *highs = NULL;
	unsigned char low, high;
	size_t astray = 0, alike;

	FM_OBJ_CHECK(f, FM_FOLDED_MAGIC);
	if (t.len < f->len)
		return (NULL);
	/* Where its rare byte may be. */
	b = t.b + f->rare;
	e = b + (t.len - f->len) + 1;
	low = f->what[f->rare];
	high = low >= 'a' && low <= 'z' ? low - 0x20 : low;
	lows = next_of(b, e, low);
	if (high != low)
		highs = next_of(b, e, high);
	while (lows != NULL || highs != NULL) {
		at = highs == NULL || (lows != NULL && lows < highs) ? lows :
		    highs;
		if (astray >= FOLDED_ASTRAY + (size_t)(at - b))
			return (find_steadily(f, at - f->rare, t.b + t.len));
		alike = alike_at(f, at - f->rare);
		if (alike == f->len)
			return (at - f->rare);
		astray += FOLDED_LEAD + alike;
		if (at == lows)
			lows = next_of(at + 1, e, low);
		else
			highs = next_of(at + 1, e, high);
	}
	return (NULL);
}
