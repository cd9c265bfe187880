/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A regex with callouts.
 */

#include <ctype.h>

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

size_t
fm_callouts(struct fm_text regex, char *out)
{
	static const char callout[] = "(?C)";
	const char *p = regex.b, *e = p + regex.len, *item, *atom;
	char *o = out;

	while (p < e) {
		item = p;
		if (*p == '[')
			p = skip_class(p, e);
		else if (*p == '\\' && p + 1 < e)
			p += 2;
		else
			p++;
		if (p == NULL || (p - item == 2 && (item[1] == 'Q' ||
		    item[1] == 'c')))
			return (0);
		if (*item == '(' && ((p + 1 < e && memcmp(p, "?#", 2) == 0) ||
		    is_extended(p, e)))
			return (0);
		atom = p;
		if (*item != '(')
			p = skip_quantifier(p, e);
		memcpy(o, item, (size_t)(p - item));
		o += p - item;
		if (p > atom || *item == ')') {
			memcpy(o, callout, sizeof callout - 1);
			o += sizeof callout - 1;
		}
	}
	return ((size_t)(o - out));
}
