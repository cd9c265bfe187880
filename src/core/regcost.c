/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a regex may cost.
 */

#include <ctype.h>

#include "callouts.h"
#include "regcost.h"
#include "regex.h"
#include "regitem.h"

/*
 * A match takes up to places * limit * what an attempt takes, in bytes passed
 * over or steps; this is kept below REGCOST_QUICK, and REGCOST_QUICK_BYTE for
 * each byte of the subject.  A callout may pass over REGCOST_PASSED bytes.
 */
#define REGCOST_QUICK		(16UL << 10)
#define REGCOST_QUICK_BYTE	6
#define REGCOST_PASSED		16
#define REGCOST_COPIED		16	/* groups, that take as much */
#define REGCOST_NARROW		16	/* what takes less takes that, too */
#define REGCOST_AGAIN		2
#define REGCOST_LOOPED		60	/* steps of a group, for each byte */
#define REGCOST_DEAR		5	/* what such a byte counts for */
#define REGCOST_LEVELS		128	/* groups in groups */

/* Steps of a group that take as long as a byte that a repeat passes over. */
#define PASS	3
#define ODD_LOOP	8	/* a byte of a regex that can't be read */

static unsigned
more_of(struct fm_text item)
{
	const char *p = item.len == 0 || item.b[item.len - 1] != '}' ? NULL :
	    memrchr(item.b, '{', item.len);

	if (p == NULL)
		return (0);
	return (fm_regitem_count(fm_text(p,
	    (size_t)(item.b + item.len - p))) / FM_CALLOUTS_COUNTED);
}

static bool
refers(struct fm_text item)
{
	if (item.len < 2)
		return (false);
	return (*item.b == '\\' ? isdigit((unsigned char)item.b[1]) ||
	    item.b[1] == 'g' || item.b[1] == 'k' :
	    item.len > 3 && memcmp(item.b, "(?P=", 4) == 0);
}

/* Behind `(?`: another group is called, or this one. */
static bool
calls_group(const char *p, const char *e)
{
	if (e - p > 1 && (*p == '+' || *p == '-'))
		return (isdigit((unsigned char)p[1]) != 0);
	if (e - p > 1 && *p == 'P')
		return (p[1] == '>');
	return (p < e && (isdigit((unsigned char)*p) || *p == 'R' ||
	    *p == '&'));
}

static void
add_quantifier(struct fm_regcost *w, struct fm_text q)
{
	size_t n = fm_regitem_count(q);

	if (fm_regitem_is_endless(q))
		w->endless = 1;
	else if (n > 1)
		w->passes++;
	if (n > 1 && __builtin_mul_overflow(w->times, n, &w->times))
		w->times = SIZE_MAX;
}

/* Behind what begins here. */
static const char *
add_item(struct fm_regcost *w, const char *p, const char *e)
{
	struct fm_text q = fm_regitem_quantifier(fm_text(p, (size_t)(e - p)));

	w->steps++;
	if (*p == '\\' && e - p > 1) {
		w->steps += 2;
		w->refs += refers(fm_text(p, 2));
		w->calls |= p[1] == 'g' && e - p > 2 &&
		    (p[2] == '<' || p[2] == '\'');
		return (p + 2);
	}
	if (*p == '|')
		w->steps++;
	if (*p == '(' && e - p > 2 && p[1] == '?') {
		w->calls |= calls_group(p + 2, e);
		w->refs += refers(fm_text(p, (size_t)(e - p)));
	}
	if (q.len == 0)
		return (p + 1);
	add_quantifier(w, q);
	return (p + q.len);
}

/*
 * Steps in groups that are repeated without end, of all such groups together;
 * SIZE_MAX: it can't be told.
 */
static size_t
looped(struct fm_text regex)
{
	size_t opened[REGCOST_LEVELS], depth = 0, steps = 0, all = 0;
	struct fm_regitem item;

	while (regex.len > 0) {
		if (!fm_regitem_next(&regex, &item))
			return (SIZE_MAX);
		steps += (size_t)item.steps *
		    (item.count > 0 ? item.count : 1);
		if (*item.text.b == '(' && item.kind != FM_REGITEM_OPTIONS) {
			if (depth == REGCOST_LEVELS)
				return (SIZE_MAX);
			opened[depth++] = steps;
		} else if (item.kind == FM_REGITEM_CLOSE && depth-- == 0)
			return (SIZE_MAX);
		else if (item.kind == FM_REGITEM_CLOSE &&
		    (fm_regitem_is_endless(item.quantifier) || item.count > 1))
			all += steps - opened[depth];
	}
	return (all);
}

static void
read_width(struct fm_text regex, struct fm_regcost *w)
{
	const char *p = regex.b, *e = p + regex.len;

	w->times = 1;
	while (p < e)
		p = add_item(w, p, e);
	w->looped = w->endless + w->passes > 0 ? looped(regex) : 0;
	if (w->looped == SIZE_MAX)
		w->looped = ODD_LOOP * w->steps;
}

/* a + b * c, or any number. */
static size_t
add_product(size_t a, size_t b, size_t c)
{
	size_t n;

	return (__builtin_mul_overflow(b, c, &n) ||
	    __builtin_add_overflow(n, a, &n) ? SIZE_MAX : n);
}

/* In a subject of so many bytes; or SIZE_MAX. */
static size_t
attempt(const struct fm_regcost *w, size_t len)
{
	size_t counted = add_product(0, w->steps, w->times);
	size_t passed = add_product(w->steps, w->passes, len);

	if (w->calls)
		return (SIZE_MAX);
	return (add_product(counted < passed ? counted : passed,
	    w->endless + w->refs + w->looped / PASS, len));
}

/*
 * Whether it may have an escape by which PCRE2 takes several times as long for
 * a byte: of characters, their properties, or kinds of blanks.
 */
static bool
is_dear(struct fm_text regex)
{
	size_t i;

	for (i = 0; i + 1 < regex.len; i++)
		if (regex.b[i] == '\\' &&
		    memchr("XpPhHvVR", regex.b[++i], 8) != NULL)
			return (true);
	return (false);
}

void
fm_regcost_init(struct fm_regcost *w, struct fm_text regex, bool unicode,
    unsigned groups, unsigned backref)
{
	memset(w, 0, sizeof *w);
	w->refers = backref > 0;
	w->refers_far = backref >= FM_REGEX_GROUPS;
	w->each = 1 + groups / REGCOST_COPIED;
	w->dear = unicode || is_dear(regex) ? REGCOST_DEAR : 1;
	read_width(regex, w);
}

size_t
fm_regcost_limit(const struct fm_regcost *w, size_t len, size_t places)
{
	size_t width = attempt(w, len), limit;
	bool once = w->anchored || places == 1;

	if (width < REGCOST_NARROW)
		width = REGCOST_NARROW;
	limit = (REGCOST_QUICK + REGCOST_QUICK_BYTE * len) / w->dear / width;
	if (!once)
		limit /= places;
	/* One that is not wide takes less than that each time. */
	if (limit > 0 && width < len)
		limit += REGCOST_AGAIN;
	/* It goes once over the subject, and that is not too much. */
	if (limit < REGCOST_AGAIN && once && !w->calls && w->looped > 0 &&
	    w->looped <= REGCOST_LOOPED)
		limit = REGCOST_AGAIN;
	return (limit);
}

static size_t
distance(size_t a, size_t b)
{
	return (a < b ? b - a : a - b);
}

/* The longest group, as a reference may be to each. */
static size_t
longest(const struct fm_regcost_at *at)
{
	size_t most = 0, len;
	unsigned i;

	for (i = 1; i < at->count; i++) {
		len = distance(at->groups[2 * (size_t)i],
		    at->groups[2 * (size_t)i + 1]);
		if (len > most)
			most = len;
	}
	return (most);
}

size_t
fm_regcost_callout(const struct fm_regcost *w, const struct fm_regcost_at *at)
{
	bool ref = at->number >= FM_CALLOUTS_REF;
	size_t passed = distance(at->from, at->to), more = at->number;
	struct fm_text item;

	if (w->text != NULL) {
		item = fm_text(w->text + at->item, at->item_len);
		more = more_of(item);
		ref = refers(item);
	} else if (ref)
		more -= FM_CALLOUTS_REF;
	if (ref && w->refers)
		passed += (1 + more * FM_CALLOUTS_REPEATED) *
		    (w->refers_far ? at->subject_len : longest(at));
	return (w->each + more + w->dear * passed / REGCOST_PASSED);
}
