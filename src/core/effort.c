/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * How much may be compiled.
 *
 * Hyperscan makes automata of many regexes together, which takes the square of
 * their positions, or more: a hundred of `.*[abc].*[def].*` take 16 s, and
 * nothing but to try tells them from a hundred that take 0.1 s.  So a few are
 * made, then as many again, as long as four times the last is not too much.
 */

#include <stdlib.h>
#include <string.h>

#include "effort.h"
#include "obj.h"

#define EFFORT_FIRST	64		/* positions of the first few */
#define EFFORT_SAFE	24		/* so few are not tried before */
#define EFFORT_GROWS	4
#define EFFORT_DEPTH	32		/* of groups; deeper is too much */
#define EFFORT_HUGE	(1UL << 20)
#define EFFORT_FAILURES	100		/* regexes that may be refused */

static __thread struct {
	unsigned	depth;
	size_t		left;
	size_t		tables;			/* left, too */
	struct {
		size_t	left;
		bool	over, told;
	}		what[FM_EFFORT__WHATS];
} effort;

static const struct {
	int		mb;
	const char	*error;
} effort_most[FM_EFFORT__WHATS] = {
	[FM_EFFORT_REGEXES] = { FM_EFFORT_REGEXES_MB,
	    "with this one all regexes are more than %d MB, as they are "
	    "compiled: use fewer, or texts" },
	[FM_EFFORT_TEXTS] = { FM_EFFORT_TEXTS_MB,
	    "with this one all texts of contains and globs are more than "
	    "%d MB: use fewer, or shorter ones" }
};

void
fm_effort_begin(void)
{
	unsigned i;

	if (effort.depth++ > 0)
		return;
	effort.left = FM_EFFORT_MOST;
	effort.tables = FM_EFFORT_TABLES;
	for (i = 0; i < FM_EFFORT__WHATS; i++) {
		effort.what[i].left = (size_t)effort_most[i].mb << 20;
		effort.what[i].over = effort.what[i].told = false;
	}
}

void
fm_effort_end(void)
{
	assert(effort.depth > 0);
	effort.depth--;
}

size_t
fm_effort_left(void)
{
	return (effort.depth > 0 ? effort.left : FM_EFFORT_MOST);
}

bool
fm_effort_take(size_t bytes)
{
	if (effort.depth == 0)
		return (true);
	if (effort.left < bytes)
		return (false);
	effort.left -= bytes;
	return (true);
}

/* What was done can't be undone. */
static void
effort_spend(size_t bytes)
{
	if (!fm_effort_take(bytes))
		effort.left = 0;
}

size_t
fm_effort_tables_left(void)
{
	return (effort.depth > 0 ? effort.tables : FM_EFFORT_TABLES);
}

void
fm_effort_take_table(size_t steps)
{
	if (effort.depth > 0)
		effort.tables -= steps < effort.tables ? steps : effort.tables;
}

bool
fm_effort_allows(enum fm_effort_what what, size_t bytes,
    const struct fm_place *place, struct fm_diag *diag)
{
	if (effort.depth == 0)
		return (true);
	if (!effort.what[what].over && bytes <= effort.what[what].left) {
		effort.what[what].left -= bytes;
		return (true);
	}
	effort.what[what].over = true;
	if (!effort.what[what].told && diag != NULL) {
		fm_diag_error(diag, place, effort_most[what].error,
		    effort_most[what].mb);
		effort.what[what].told = true;
	}
	return (false);
}

bool
fm_effort_allows_regex(struct fm_text regex, size_t bytes,
    const struct fm_place *place, struct fm_diag *diag)
{
	return (fm_effort_allows(FM_EFFORT_REGEXES,
	    bytes * (1 + regex.len / FM_EFFORT_LONG), place, diag));
}

void
fm_effort_regex_failed(void)
{
	effort.what[FM_EFFORT_REGEXES].told = true;
	(void)fm_effort_allows(FM_EFFORT_REGEXES,
	    ((size_t)FM_EFFORT_REGEXES_MB << 20) / EFFORT_FAILURES, NULL,
	    NULL);
}

bool
fm_effort_is_over(enum fm_effort_what what)
{
	return (effort.depth > 0 && effort.what[what].over);
}

/*--------------------------------------------------------------------
 * Positions
 */

static size_t
bounded(size_t n)
{
	return (n > EFFORT_HUGE ? EFFORT_HUGE : n);
}

/* Behind a class; p is behind its bracket. */
static const char *
skip_class(const char *p)
{
	p += *p == '^';
	p += *p == ']';
	for (; *p != '\0' && *p != ']'; p++)
		if (*p == '\\' && p[1] != '\0')
			p++;
	return (p + (*p != '\0'));
}

/* Behind `(`, or `(?flags:` and the like. */
static const char *
skip_open(const char *p)
{
	if (*p == '?')
		while (*p != '\0' && *p != ':' && *p != ')')
			p++;
	return (p + (*p == ':'));
}

/* The more of `{n,m}`, or 1: it is none.  *pp is behind its brace. */
static size_t
repeats(const char **pp)
{
	const char *p = *pp;
	size_t n, most = 1;
	char *e;

	for (;; p = e + 1) {
		n = strtoul(p, &e, 10);
		if (n > most)
			most = bounded(n);
		if (*e != ',')
			break;
	}
	if (*e != '}')
		return (1);
	*pp = e + 1;
	return (most);
}

size_t
fm_effort_positions(const char *regex)
{
	size_t sums[EFFORT_DEPTH] = { 0 }, last = 0;
	const char *p = regex;
	unsigned depth = 0;

	while (*p != '\0') {
		switch (*p++) {
		case '\\':
			p += *p != '\0';
			last = 1;
			break;
		case '[':
			p = skip_class(p);
			last = 1;
			break;
		case '(':
			if (++depth == EFFORT_DEPTH)
				return (EFFORT_HUGE);
			p = skip_open(p);
			sums[depth] = last = 0;
			continue;
		case ')':
			if (depth == 0)
				return (EFFORT_HUGE);
			last = sums[depth--];
			break;
		case '{':
			last *= repeats(&p) - 1;
			break;
		case '*': case '+': case '?': case '|': case '^': case '$':
			continue;
		default:
			last = 1;
		}
		sums[depth] = bounded(sums[depth] + last);
	}
	return (sums[0]);
}

/*--------------------------------------------------------------------
 * Many together
 */

/* How many of them have so many positions; one, at least. */
static unsigned
effort_group(const char * const *regexes, unsigned n, size_t positions)
{
	size_t sum = 0;
	unsigned i;

	for (i = 0; i < n; i++) {
		sum += fm_effort_positions(regexes[i]);
		if (sum > positions)
			break;
	}
	return (i > 0 ? i : 1);
}

unsigned
fm_effort_fit(const char * const *regexes, unsigned n,
    fm_effort_bytes_f *bytes_of, void *priv)
{
	size_t bytes, most, positions = EFFORT_FIRST;
	unsigned fit = 0, group;

	if (n == 0 || fm_effort_left() < FM_EFFORT_DATABASE)
		return (0);
	for (;; positions *= 2) {
		group = effort_group(regexes, n, positions);
		if (group == fit)
			continue;
		if (group == n && n <= EFFORT_SAFE && positions == EFFORT_FIRST)
			return (n);
		bytes = bytes_of(priv, group);
		if (bytes == 0)
			return (fit);
		effort_spend(bytes);
		most = fm_effort_left();
		if (most > FM_EFFORT_PREFILTERS)
			most = FM_EFFORT_PREFILTERS;
		if (bytes > FM_EFFORT_PREFILTERS)
			return (fit);
		fit = group;
		if (fit == n || bytes * EFFORT_GROWS > most)
			return (fit);
	}
}
