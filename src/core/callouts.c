/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A regex with callouts.
 */

#include <ctype.h>
#include <stdio.h>

#include "callouts.h"

/* Behind `[:alpha:]` in a class; or p itself, which is a `[`. */
static const char *
skip_posix(const char *p, const char *e)
{
	const char *q = p + 1;

	if (q == e || *q++ != ':')
		return (p);
	while (q < e && (*q == '^' || islower((unsigned char)*q)))
		q++;
	return ((size_t)(e - q) > 1 && memcmp(q, ":]", 2) == 0 ? q + 2 : p);
}

/*
 * Behind a class, whose first byte may be a `]`.  NULL: it quotes, and such a
 * `]` may not be its end.
 */
static const char *
skip_class(const char *p, const char *e)
{
	const char *q;

	p++;
	if (p < e && *p == '^')
		p++;
	if (p < e && *p == ']')
		p++;
	while (p < e && *p != ']') {
		q = *p == '[' ? skip_posix(p, e) : p;
		if (q != p)
			p = q;
		else if (*p != '\\')
			p++;
		else if (e - p < 2 || p[1] == 'Q' || p[1] == 'E' ||
		    p[1] == 'c')
			return (NULL);
		else
			p += 2;
	}
	return (p < e ? p + 1 : e);
}

/* Behind `*`, `+`, `?` or `{1,2}` with its `?` or `+`; or p itself. */
static const char *
skip_quantifier(const char *p, const char *e)
{
	const char *q = p;

	if (p == e || memchr("*+?{", *p, 4) == NULL)
		return (p);
	if (*q++ == '{') {
		while (q < e && (isdigit((unsigned char)*q) || *q == ','))
			q++;
		if (q == e || *q++ != '}')
			return (p);
	}
	if (q < e && (*q == '+' || *q == '?'))
		q++;
	return (q);
}

/* Behind `(`: (?x) and the like, with which blanks in classes may be none. */
static bool
is_extended(const char *p, const char *e)
{
	if (p == e || *p++ != '?')
		return (false);
	while (p < e && (isalpha((unsigned char)*p) || *p == '-' || *p == '^'))
		if (*p++ == 'x')
			return (true);
	return (false);
}

/* Behind `(?i)` and the like, no group; or p itself, which is a `(`. */
static const char *
skip_options(const char *p, const char *e)
{
	const char *q = p + 1;

	if (q == e || *q++ != '?')
		return (p);
	while (q < e && (isalpha((unsigned char)*q) || *q == '-' || *q == '^'))
		q++;
	return (q < e && *q == ')' && q - p > 2 && p[2] != 'R' ? q + 1 : p);
}

/* In `(`: what has no callouts around it, or can't be told apart here. */
static bool
is_odd_group(const char *p, const char *e)
{
	if (p == e)
		return (false);
	if (*p == '*' || is_extended(p, e))
		return (true);
	return (*p == '?' && e - p > 1 && memchr("#(C", p[1], 3) != NULL);
}

/* The most, or the least where there is no most, of `{2,5}`; or 1. */
static unsigned
quantifier_count(const char *p, const char *e)
{
	unsigned n = 0, last = 0;

	if (p == e || *p++ != '{')
		return (1);
	for (; p < e && *p != '}'; p++)
		if (*p == ',') {
			last = n;
			n = 0;
		} else if (n < 100000)
			n = 10 * n + (unsigned)(*p - '0');
	return (n > last ? n : last);
}

/* A place behind it that was passed over costs less than a callout. */
#define COUNTED		16
#define COUNTED_GROUP	8	/* \1{5} */

static char *
put_counted(char *o, const char *item, unsigned count)
{
	unsigned n;

	n = count / (*item == '\\' && isdigit((unsigned char)item[1]) ?
	    COUNTED_GROUP : COUNTED);
	if (n > 0)
		o += sprintf(o, "(?C%u)", n < 254 ? n : 254);
	return (o);
}

/* Whether it stands for itself, as \x41 does, or for a place. */
static bool
is_plain(const char *item, const char *end)
{
	return (*item == '\\' ? item[1] == 'x' ||
	    !isalnum((unsigned char)item[1]) :
	    end - item == 1 && memchr("([.|)", *item, 5) == NULL);
}

size_t
fm_callouts(struct fm_text regex, char *out)
{
	const char *p = regex.b, *e = p + regex.len, *item, *atom;
	char *o = stpcpy(out, "(?C)");
	bool plain = true;

	while (p < e) {
		item = p;
		if (*p == '(')
			p = skip_options(p, e);
		if (p > item) {
			o = mempcpy(o, item, (size_t)(p - item));
			continue;
		}
		if (*p == '[')
			p = skip_class(p, e);
		else if (*p == '\\' && p + 1 < e)
			p += 2;
		else
			p++;
		if (p == NULL || (p - item == 2 && (item[1] == 'Q' ||
		    item[1] == 'c')) || (*item == '(' && is_odd_group(p, e)))
			return (0);
		atom = p;
		if (*item != '(')
			p = skip_quantifier(p, e);
		plain &= p == atom && is_plain(item, p);
		if (*item == '(')
			o = stpcpy(o, "(?:");
		else if (*item != ')')
			o = put_counted(o, item, quantifier_count(atom, p));
		o = mempcpy(o, item, (size_t)(atom - item));
		if (*item == ')')
			o = stpcpy(o, "(?C))");
		o = mempcpy(o, atom, (size_t)(p - atom));
		if (p > atom)
			o = stpcpy(o, "(?C)");
	}
	if (plain) {
		memcpy(out, regex.b, regex.len);
		return (regex.len);
	}
	return ((size_t)(o - out));
}

/* Behind `(?`: another group is called, or this one. */
static bool
calls_group(const char *p, const char *e)
{
	if (p < e && (*p == '+' || *p == '-'))
		return (e - p > 1 && isdigit((unsigned char)p[1]));
	return (p < e && (isdigit((unsigned char)*p) ||
	    memchr("R&P", *p, 3) != NULL));
}

size_t
fm_callouts_width(struct fm_text regex)
{
	const char *p, *e = regex.b + regex.len, *q;
	size_t width = regex.len;

	for (p = regex.b; p < e; p++) {
		if (*p == '*' || *p == '+' || (*p == '\\' && e - p > 1 &&
		    p[1] == 'g') || (*p == '(' && e - p > 1 && p[1] == '?' &&
		    calls_group(p + 2, e)))
			return (SIZE_MAX);
		q = *p == '{' ? skip_quantifier(p, e) : p;
		if (q == p)
			continue;
		if (memchr(p, ',', (size_t)(q - p)) != NULL &&
		    memmem(p, (size_t)(q - p), ",}", 2) != NULL)
			return (SIZE_MAX);
		if (__builtin_mul_overflow(width,
		    (size_t)quantifier_count(p, q) + 1, &width))
			return (SIZE_MAX);
		p = q - 1;
	}
	return (width);
}

bool
fm_callouts_is_dear(struct fm_text regex)
{
	size_t i;

	for (i = 0; i + 1 < regex.len; i++)
		if (regex.b[i] == '\\' &&
		    memchr("XpPhHvVR", regex.b[++i], 8) != NULL)
			return (true);
	return (false);
}
