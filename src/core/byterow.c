/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Regexes that are rows of sets of bytes.
 */

#include "byterow.h"
#include "obj.h"
#include "regular_priv.h"

#define ROWS		7	/* a bit of a byte each */
#define ROW_BYTE	0x80	/* a match that ends behind this byte */
#define SETS		64	/* of all rows together */

struct row {
	unsigned		first, n;	/* its sets */
	bool			repeats;	/* the last one, once or more */
};

struct fm_byterow {
	unsigned		magic;
#define FM_BYTEROW_MAGIC	0x4be07a36
	int			only;		/* the one byte that matches
						 * begin with; -1: several */
	unsigned char		begin[256];	/* rows, by their first byte; or
						 * ROW_BYTE */
	struct row		rows[ROWS];	/* the first that fits counts */
	unsigned		nrows, nsets;
	struct fm_byteset	sets[];
};

/*--------------------------------------------------------------------
 * Of steps, which are taken from the end of the regex to its start
 */

/*
 * Where it says of the last set, `x+` or `x{3,}`, that it repeats: all steps
 * before it are of that set.  0: nowhere.
 */
static unsigned
steps_repeat(const struct fm_step *v, unsigned n)
{
	unsigned i;

	for (i = 1; i < n; i++) {
		if (v[i].kind == STEP_FORK)
			return (v[i].a == -1 && v[i].b == 1 ? i : 0);
		if (v[i].set != v[0].set)
			break;
	}
	return (0);
}

/* false: they are no row, or one too many. */
static bool
rows_add(struct fm_byterow *r, const struct fm_steps *steps, unsigned from,
    unsigned n)
{
	const struct fm_step *v = steps->v + from;
	unsigned fork = steps_repeat(v, n), i;
	struct row *row;

	for (i = 0; i < n; i++)
		if (v[i].kind != STEP_BYTE && (fork == 0 || i != fork))
			return (false);
	if (n == 0 || r->nrows == ROWS || r->nsets + n > SETS)
		return (false);
	row = &r->rows[r->nrows++];
	row->first = r->nsets;
	row->repeats = fork > 0;
	for (i = n; i-- > 0;)
		if (v[i].kind == STEP_BYTE)
			r->sets[r->nsets++] = steps->sets[v[i].set];
	row->n = r->nsets - row->first;
	return (true);
}

/* What `a|b` becomes is: fork, a, jump behind b, b. */
static bool
rows_of_steps(struct fm_byterow *r, const struct fm_steps *steps,
    unsigned from, unsigned n)
{
	const struct fm_step *v = steps->v + from;
	unsigned b;

	if (n == 0 || v->kind != STEP_FORK || v->a != 1 || v->b < 3 ||
	    (unsigned)v->b >= n)
		return (rows_add(r, steps, from, n));
	b = (unsigned)v->b;
	if (v[b - 1].kind != STEP_FORK || v[b - 1].a != v[b - 1].b ||
	    (unsigned)v[b - 1].a != n - b + 1)
		return (false);
	return (rows_of_steps(r, steps, from + 1, b - 2) &&
	    rows_of_steps(r, steps, from + b, n - b));
}

static bool
row_is_byte(const struct row *row)
{
	return (row->n == 1 && !row->repeats);
}

static void
rows_begin(struct fm_byterow *r)
{
	unsigned c, k, begin = 0;

	for (c = 0; c < 256; c++) {
		for (k = 0; k < r->nrows; k++)
			if (fm_byteset_has(&r->sets[r->rows[k].first], c))
				r->begin[c] |= (unsigned char)(1U << k);
		if (r->begin[c] == 0)
			continue;
		if (row_is_byte(&r->rows[__builtin_ctz(r->begin[c])]))
			r->begin[c] = ROW_BYTE;
		r->only = (int)c;
		begin++;
	}
	if (begin != 1)
		r->only = -1;
}

struct fm_byterow *
fm_byterow_new(struct fm_text regex, bool nocase)
{
	struct fm_byterow *r, *small;
	struct fm_steps *steps;

	r = calloc(1, sizeof *r + SETS * sizeof *r->sets);
	steps = malloc(sizeof *steps);
	if (r != NULL && steps != NULL &&
	    fm_regular_parse(regex, nocase, steps) && !steps->loose &&
	    !steps->lazy && rows_of_steps(r, steps, 0, steps->n)) {
		r->magic = FM_BYTEROW_MAGIC;
		rows_begin(r);
		small = realloc(r, sizeof *r + r->nsets * sizeof *r->sets);
		if (small != NULL)
			r = small;
	} else {
		free(r);
		r = NULL;
	}
	free(steps);
	return (r);
}

void
fm_byterow_free(struct fm_byterow **rp)
{
	struct fm_byterow *r;

	FM_OBJ_TAKE(r, rp, FM_BYTEROW_MAGIC);
	FM_OBJ_FREE(r);
}

size_t
fm_byterow_bytes(const struct fm_byterow *r)
{
	FM_OBJ_CHECK(r, FM_BYTEROW_MAGIC);
	return (sizeof *r + r->nsets * sizeof *r->sets);
}

/*--------------------------------------------------------------------
 * Replacing
 */

/* Where the match ends that begins here; NULL: none does. */
static const char *
rows_match(const struct fm_byterow *r, const char *p, const char *e)
{
	unsigned left = r->begin[(unsigned char)*p], i;
	const struct fm_byteset *set;
	const struct row *row;

	for (; left != 0; left &= left - 1) {
		row = &r->rows[__builtin_ctz(left)];
		set = &r->sets[row->first];
		if ((size_t)(e - p) < row->n)
			continue;
		for (i = 1; i < row->n; i++)
			if (!fm_byteset_has(&set[i], (unsigned char)p[i]))
				break;
		if (i < row->n)
			continue;
		p += i;
		while (row->repeats && p < e &&
		    fm_byteset_has(&set[i - 1], (unsigned char)*p))
			p++;
		return (p);
	}
	return (NULL);
}

/* A few bytes are skipped one by one: the client may write many such gaps. */
#define GAP_SHORT	16

/* Where the next match may begin. */
static const char *
rows_next(const struct fm_byterow *r, const char *p, const char *e)
{
	const char *near = (size_t)(e - p) < GAP_SHORT ? e : p + GAP_SHORT;

	while (p < near && r->begin[(unsigned char)*p] == 0)
		p++;
	if (p < near || p == e)
		return (p);
	if (r->only >= 0) {
		p = memchr(p, r->only, (size_t)(e - p));
		return (p == NULL ? e : p);
	}
	while (p < e && r->begin[(unsigned char)*p] == 0)
		p++;
	return (p);
}

#define WORD	8

/* Behind `at` bytes that have been written, or would have been. */
static void
sub_put(char *buf, size_t cap, size_t at, const char *b, size_t len)
{
	if (len > 0 && at + len <= cap)
		memcpy(buf + at, b, len);
}

size_t
fm_byterow_sub(const struct fm_byterow *r, struct fm_text subject,
    size_t offset, struct fm_text text, char *buf, size_t cap, size_t *len)
{
	const char *p = subject.b + offset, *e = subject.b + subject.len;
	const char *from = subject.b, *end;
	size_t n = 0, at = 0, words;
	unsigned begin;
	uint64_t w = 0;

	FM_OBJ_CHECK(r, FM_BYTEROW_MAGIC);
	/* A short text is written as a word, as long as there is room. */
	memcpy(&w, text.b, text.len < WORD ? text.len : WORD);
	words = text.len <= WORD && cap >= WORD ? cap - WORD + 1 : 0;
	while (p < e) {
		begin = r->begin[(unsigned char)*p];
		if (begin == 0) {
			p = rows_next(r, p + 1, e);
			continue;
		}
		end = begin == ROW_BYTE ? p + 1 : rows_match(r, p, e);
		if (end == NULL) {
			p++;
			continue;
		}
		if (p > from) {
			sub_put(buf, cap, at, from, (size_t)(p - from));
			at += (size_t)(p - from);
		}
		if (at < words)
			memcpy(buf + at, &w, WORD);
		else
			sub_put(buf, cap, at, text.b, text.len);
		at += text.len;
		p = from = end;
		n++;
	}
	sub_put(buf, cap, at, from, (size_t)(e - from));
	*len = at + (size_t)(e - from);
	return (n);
}
