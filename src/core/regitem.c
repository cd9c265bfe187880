/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The items of a regex.
 */

#include <assert.h>
#include <ctype.h>

#include "regitem.h"

/* What an item takes; see test_regex. */
#define STEPS_BYTE	1
#define STEPS_PLACE	12	/* a class, a kind of bytes */
#define STEPS_BAR	8
#define STEPS_OPEN	24
#define STEPS_BORDER	48	/* \b, \h, \p{L} */
#define STEPS_CLUSTER	160	/* \X */

/* Behind `[:alpha:]` in a class; or p itself, which is a `[`. */
static const char *
skip_posix(const char *p, const char *e)
{
	const char *q = p + 1;

	if (q == e || *q++ != ':')
		return (p);
	while (q < e && (*q == '^' || islower((unsigned char)*q)))
		q++;
	return (e - q >= 2 && memcmp(q, ":]", 2) == 0 ? q + 2 : p);
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

/* Newer versions of PCRE2 have blanks in `{ 1, 2 }`. */
struct fm_text
fm_regitem_quantifier(struct fm_text t)
{
	const char *p = t.b, *e = p + t.len, *q = p;

	if (p == e || memchr("*+?{", *p, 4) == NULL)
		return (fm_text(p, 0));
	if (*q++ == '{') {
		while (q < e && (isdigit((unsigned char)*q) ||
		    memchr(", \t", *q, 3) != NULL))
			q++;
		if (q == e || *q++ != '}')
			return (fm_text(p, 0));
	}
	if (q < e && (*q == '+' || *q == '?'))
		q++;
	return (fm_text(p, (size_t)(q - p)));
}

unsigned
fm_regitem_count(struct fm_text quantifier)
{
	unsigned n = 0, last = 0;
	size_t i;

	if (quantifier.len == 0 || *quantifier.b != '{')
		return (1);
	for (i = 1; i < quantifier.len && quantifier.b[i] != '}'; i++)
		if (quantifier.b[i] == ',') {
			last = n;
			n = 0;
		} else if (isdigit((unsigned char)quantifier.b[i]) &&
		    n < 100000)
			n = 10 * n + (unsigned)(quantifier.b[i] - '0');
	return (n > last ? n : last);
}

bool
fm_regitem_is_endless(struct fm_text quantifier)
{
	const char *p;

	if (quantifier.len == 0 || *quantifier.b != '{')
		return (quantifier.len > 0 && *quantifier.b != '?');
	p = memchr(quantifier.b, ',', quantifier.len);
	if (p == NULL)
		return (false);
	do
		p++;
	while (*p == ' ' || *p == '\t');
	return (*p == '}');
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

/*
 * Whether options make what is behind them unreadable: with `#` there may be
 * comments, of any bytes.
 */
static bool
is_odd_options(const char *p, const char *q, const char *e)
{
	return (is_extended(p + 1, q) &&
	    (memmem(p, (size_t)(q - p), "xx", 2) != NULL ||
	    memchr(q, '#', (size_t)(e - q)) != NULL));
}

/* Behind the next of these, or NULL. */
static const char *
skip_to(const char *p, const char *e, int c)
{
	p = memchr(p, c, (size_t)(e - p));
	return (p == NULL ? NULL : p + 1);
}

/* At the `)` of `(?1)` or `(?&name)`. */
static const char *
skip_call(const char *p, const char *e, struct fm_regitem *item)
{
	if (item->kind == FM_REGITEM_OPEN)
		item->kind = FM_REGITEM_OPEN_CALL;
	return (memchr(p, ')', (size_t)(e - p)));
}

/*
 * Behind what a group has before its first item.  NULL: it has no callouts
 * around it, or can't be told apart here.
 */
static const char *
skip_open(const char *p, const char *e, struct fm_regitem *item)
{
	bool python;

	item->kind = FM_REGITEM_OPEN;
	item->steps = STEPS_OPEN;
	if (++p == e || (*p != '?' && *p != '*'))
		return (p);
	if (*p == '*' || is_extended(p, e) || e - ++p < 2)
		return (NULL);
	python = *p == 'P';
	if (python && (*++p == '=' || *p == '>')) {
		if (*p == '=')
			item->kind = FM_REGITEM_OPEN_REF;
		return (skip_call(p, e, item));
	}
	if (*p == '<' && e - p > 1 && memchr("=!*", p[1], 3) != NULL)
		return (p + 2);
	if (*p == '<' || *p == '\'')
		return (skip_to(p + 1, e, *p == '<' ? '>' : '\''));
	if (!python && (memchr("&R+", *p, 3) != NULL ||
	    isdigit((unsigned char)*p) ||
	    (*p == '-' && isdigit((unsigned char)p[1]))))
		return (skip_call(p, e, item));
	if (memchr("=!>|*", *p, 5) != NULL)
		return (p + 1);
	while (p < e && (isalpha((unsigned char)*p) || *p == '-' || *p == '^'))
		p++;
	return (p < e && *p == ':' ? p + 1 : NULL);
}

/* Behind digits of this base, n at most. */
static const char *
skip_digits(const char *p, const char *e, int (*is_digit)(int), unsigned n)
{
	while (n-- > 0 && p < e && is_digit((unsigned char)*p))
		p++;
	return (p);
}

/* Behind `{name}`, `<name>` or `'name'`; or p itself.  NULL: it has no end. */
static const char *
skip_name(const char *p, const char *e)
{
	if (p == e || memchr("{<'", *p, 3) == NULL)
		return (p);
	return (skip_to(p + 1, e, *p == '{' ? '}' : *p == '<' ? '>' : '\''));
}

/* Behind the rest of an escape, p behind its letter. */
static const char *
skip_escape(char letter, const char *p, const char *e)
{
	if (isdigit((unsigned char)letter))
		return (skip_digits(p, e, isdigit, 9));
	if (letter == 'N')	/* \N{3} is three of \N */
		return (e - p > 1 && p[1] == 'U' ? skip_name(p, e) : p);
	if (memchr("xogkpP", letter, 6) == NULL)
		return (p);
	if (p < e && memchr("{<'", *p, 3) != NULL)
		return (skip_name(p, e));
	if (letter == 'x')
		return (skip_digits(p, e, isxdigit, 2));
	if (letter == 'g') {
		if (p < e && (*p == '+' || *p == '-'))
			p++;
		return (skip_digits(p, e, isdigit, 9));
	}
	return ((letter == 'p' || letter == 'P') && p < e ? p + 1 : p);
}

/* An escape: NULL where it quotes what follows. */
static const char *
read_escape(const char *p, const char *e, struct fm_regitem *item)
{
	char letter;

	if (e - p < 2 || memchr("QEc", p[1], 3) != NULL)
		return (NULL);
	letter = p[1];
	item->kind = FM_REGITEM_PLACE;
	item->steps = STEPS_PLACE;
	if (letter == 'x' || !isalnum((unsigned char)letter)) {
		item->kind = FM_REGITEM_BYTE;
		item->steps = STEPS_BYTE;
	} else if (isdigit((unsigned char)letter) || letter == 'g' ||
	    letter == 'k')
		item->kind = FM_REGITEM_REF;
	else if (letter == 'X')
		item->steps = STEPS_CLUSTER;
	else if (memchr("dDsSwW", letter, 6) == NULL)
		item->steps = STEPS_BORDER;
	return (skip_escape(letter, p + 2, e));
}

static const char *
read_other(const char *p, const char *e, struct fm_regitem *item)
{
	item->kind = FM_REGITEM_PLACE;
	item->steps = STEPS_PLACE;
	if (*p == '[')
		return (skip_class(p, e));
	if (*p == '|') {
		item->kind = FM_REGITEM_BAR;
		item->steps = STEPS_BAR;
	} else if (*p == ')')
		item->kind = FM_REGITEM_CLOSE;
	else if (memchr(".^$", *p, 3) == NULL) {
		item->kind = FM_REGITEM_BYTE;
		item->steps = STEPS_BYTE;
	}
	return (p + 1);
}

bool
fm_regitem_next(struct fm_text *regex, struct fm_regitem *item)
{
	const char *p = regex->b, *e = p + regex->len, *q;

	assert(regex->len > 0);
	q = *p == '(' ? skip_options(p, e) : p;
	if (q > p) {
		if (is_odd_options(p, q, e))
			return (false);
		item->kind = FM_REGITEM_OPTIONS;
		item->steps = 0;
	} else if (*p == '(')
		q = skip_open(p, e, item);
	else if (*p == '\\')
		q = read_escape(p, e, item);
	else
		q = read_other(p, e, item);
	if (q == NULL)
		return (false);
	item->text = fm_text(p, (size_t)(q - p));
	item->quantifier = fm_text(q, 0);
	if (memchr("(|", *p, 2) == NULL)
		item->quantifier = fm_regitem_quantifier(fm_text(q,
		    (size_t)(e - q)));
	item->count = fm_regitem_count(item->quantifier);
	q += item->quantifier.len;
	*regex = fm_text(q, (size_t)(e - q));
	return (true);
}
