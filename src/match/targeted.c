/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lifetimes for caches of a certain kind (targeted.h).
 */

#include <string.h>

#include "targeted.h"

#define SECONDS_MAX	(100. * 365 * 86400)	/* as durations of rules */

/* The rest of a header, which is still to be read. */
struct input {
	const char		*p, *end;
};

enum fm_targeted_kind
fm_targeted_kind(struct fm_text name)
{
	const struct fm_text cdn = fm_text_of("-CDN-Cache-Control");

	if (fm_text_eq_nocase(name, fm_text_of("Surrogate-Control")))
		return (FM_TARGETED_SURROGATE);
	if (fm_text_eq_nocase(name, fm_text(cdn.b + 1, cdn.len - 1)) ||
	    (name.len > cdn.len && fm_text_eq_nocase(fm_text(name.b +
	    name.len - cdn.len, cdn.len), cdn)))
		return (FM_TARGETED_STRUCTURED);
	return (FM_TARGETED_SECONDS);
}

static bool
is_digit(char c)
{
	return (c >= '0' && c <= '9');
}

static bool
is_lower(char c)
{
	return (c >= 'a' && c <= 'z');
}

static bool
at(const struct input *in, char c)
{
	return (in->p < in->end && *in->p == c);
}

static bool
take(struct input *in, char c)
{
	if (!at(in, c))
		return (false);
	in->p++;
	return (true);
}

static void
skip_blanks(struct input *in)
{
	while (in->p < in->end && fm_is_blank(*in->p))
		in->p++;
}

/* Takes a number of digits; a large one counts as a hundred years. */
static bool
take_seconds(struct input *in, double *seconds)
{
	const char *first = in->p;

	for (*seconds = 0; in->p < in->end && is_digit(*in->p); in->p++)
		if (*seconds < SECONDS_MAX)
			*seconds = *seconds * 10 + (*in->p - '0');
	if (*seconds > SECONDS_MAX)
		*seconds = SECONDS_MAX;
	return (in->p > first);
}

/*--------------------------------------------------------------------
 * Structured fields
 */

/* Takes bytes up to `end`, which it takes, too. */
static bool
take_until(struct input *in, char end, bool escapes)
{
	while (in->p < in->end && *in->p != end) {
		if (*in->p < ' ' || *in->p > '~')
			return (false);
		if (escapes && *in->p == '\\' && (++in->p == in->end ||
		    (*in->p != '"' && *in->p != '\\')))
			return (false);
		in->p++;
	}
	return (take(in, end));
}

/*
 * Takes an integer of 15 digits at most, or a decimal.  *integer is -1 for what
 * is not a number of seconds.
 */
static bool
take_number(struct input *in, double *integer)
{
	bool minus = take(in, '-');
	const char *first = in->p;
	double number;

	if (!take_seconds(in, &number) || in->p - first > 15)
		return (false);
	*integer = minus ? -1 : number;
	if (!take(in, '.'))
		return (true);
	*integer = -1;
	if (in->p - first > 13)
		return (false);
	first = in->p;
	return (take_seconds(in, &number) && in->p - first <= 3);
}

static bool
take_token(struct input *in)
{
	const char *first = in->p;

	while (in->p < in->end && (fm_text_is_token(fm_text(in->p, 1), "") ||
	    *in->p == ':' || *in->p == '/'))
		in->p++;
	return (in->p > first);
}

/* Takes an item without its parameters; *integer is -1 if it is none. */
static bool
take_item(struct input *in, double *integer)
{
	char c;

	*integer = -1;
	if (in->p == in->end)
		return (false);
	c = *in->p;
	if (is_digit(c) || c == '-')
		return (take_number(in, integer));
	if (take(in, '"'))
		return (take_until(in, '"', true));
	if (take(in, ':'))
		return (take_until(in, ':', false));
	if (take(in, '?'))
		return (take(in, '0') || take(in, '1'));
	return ((is_lower(c) || (c >= 'A' && c <= 'Z') || c == '*') &&
	    take_token(in));
}

static bool
take_key(struct input *in, struct fm_text *key)
{
	const char *first = in->p;

	if (first == in->end || (!is_lower(*first) && *first != '*'))
		return (false);
	while (in->p < in->end && (is_lower(*in->p) || is_digit(*in->p) ||
	    strchr("_-.*", *in->p) != NULL))
		in->p++;
	*key = fm_text_span(first, in->p);
	return (true);
}

static bool
take_parameters(struct input *in)
{
	struct fm_text key;
	double number;

	while (take(in, ';')) {
		while (take(in, ' '))
			continue;
		if (!take_key(in, &key) ||
		    (take(in, '=') && !take_item(in, &number)))
			return (false);
	}
	return (true);
}

/* Takes the value of a key: an item, or a list of items. */
static bool
take_value(struct input *in, double *integer)
{
	double number;

	if (!take(in, '('))
		return (take_item(in, integer) && take_parameters(in));
	*integer = -1;
	for (;;) {
		while (take(in, ' '))
			continue;
		if (take(in, ')'))
			return (take_parameters(in));
		if (!take_item(in, &number) || !take_parameters(in) ||
		    (!at(in, ' ') && !at(in, ')')))
			return (false);
	}
}

/*
 * Reads a dictionary.  Of several values of a key the last one counts, and
 * s-maxage before max-age.
 */
static bool
read_structured(struct input in, struct fm_targeted *targeted)
{
	double age = -1, shared = -1, value;
	struct fm_text key;

	while (take(&in, ' '))
		continue;
	while (in.p < in.end) {
		if (!take_key(&in, &key))
			return (false);
		value = -1;
		if (take(&in, '=') ? !take_value(&in, &value) :
		    !take_parameters(&in))
			return (false);
		if (fm_text_eq(key, fm_text_of("max-age")))
			age = value;
		else if (fm_text_eq(key, fm_text_of("s-maxage")))
			shared = value;
		else if (fm_text_eq(key, fm_text_of("stale-while-revalidate")))
			targeted->stale = value;
		skip_blanks(&in);
		if (in.p == in.end)
			break;
		if (!take(&in, ','))
			return (false);
		skip_blanks(&in);
		if (in.p == in.end)
			return (false);
	}
	targeted->seconds = shared >= 0 ? shared : age;
	return (true);
}

/*--------------------------------------------------------------------
 * Surrogate-Control
 */

/* Returns the next directive of a list, with its value and targets. */
static struct fm_text
next_directive(struct input *in)
{
	const char *first = in->p;
	bool quoted = false;

	for (; in->p < in->end && (quoted || *in->p != ','); in->p++)
		quoted ^= *in->p == '"';
	return (fm_text_trim(fm_text_span(first, in->p)));
}

/* Reads `max-age=60`, or `max-age=60+30`. */
static void
read_max_age(struct fm_text directive, struct fm_targeted *targeted)
{
	const struct fm_text name = fm_text_of("max-age=");
	struct input in = { directive.b + name.len,
		directive.b + directive.len };
	struct fm_targeted is = { .stale = -1 };

	if (directive.len <= name.len ||
	    !fm_text_eq_nocase(fm_text(directive.b, name.len), name) ||
	    !take_seconds(&in, &is.seconds) ||
	    (take(&in, '+') && !take_seconds(&in, &is.stale)))
		return;
	skip_blanks(&in);
	if (in.p == in.end)
		*targeted = is;
}

static bool
read_surrogate(struct input in, struct fm_targeted *targeted)
{
	do
		read_max_age(next_directive(&in), targeted);
	while (take(&in, ','));
	return (true);
}

bool
fm_targeted_read(enum fm_targeted_kind kind, struct fm_text value,
    struct fm_targeted *targeted)
{
	struct input in = { value.b, value.b + value.len };

	targeted->seconds = targeted->stale = -1;
	switch (kind) {
	case FM_TARGETED_STRUCTURED:
		return (read_structured(in, targeted));
	case FM_TARGETED_SURROGATE:
		return (read_surrogate(in, targeted));
	default:
		return (take_seconds(&in, &targeted->seconds) &&
		    in.p == in.end);
	}
}
