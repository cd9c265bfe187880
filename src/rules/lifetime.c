/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the lifetime of a response as Varnish's core does (lifetime.h), with
 * what the core makes of malformed headers.
 */

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "lifetime.h"

#define DAY		86400.
/* From 1 January of the year 1 to that of 1970. */
#define DAYS_TO_1970	719162

/*
 * An int that is made of a double beyond INT_MAX, as the core does with Expires
 * minus Date: C leaves it open, processors differ.
 */
#if defined(__x86_64__) || defined(__i386__)
#  define AS_INT	INT_MIN
#else
#  define AS_INT	INT_MAX
#endif

struct date {
	int		year, month, day, hour, minute, second;
	int		weekday;	/* 0 is Sunday; -1: none */
};

static const char * const weekdays[] = { "Sunday", "Monday", "Tuesday",
    "Wednesday", "Thursday", "Friday", "Saturday" };
static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

/*
 * The formats of dates: w is a day of the week, l the rest of its long name, d
 * the day, e the day with a blank for a leading zero, m the month's name, n its
 * number, Y and y the year with four digits and two, c the time.
 */
static const char * const formats[] = {
	"w, d m Y c GMT",		/* Sun, 06 Nov 1994 08:49:37 GMT */
	"wl, d-m-y c GMT",		/* Sunday, 06-Nov-94 08:49:37 GMT */
	"w m e c Y",			/* Sun Nov  6 08:49:37 1994 */
	"Y-n-dTc"			/* 1994-11-06T08:49:37 */
};

/* Takes a word from the front of the text. */
static bool
take(struct fm_text *text, const char *word, size_t len)
{
	if (text->len < len || memcmp(text->b, word, len) != 0)
		return (false);
	text->b += len;
	text->len -= len;
	return (true);
}

/* Takes a number of `count` digits from the front of the text. */
static bool
take_digits(struct fm_text *text, unsigned count, int *number)
{
	for (*number = 0; count > 0; count--) {
		if (text->len == 0 || text->b[0] < '0' || text->b[0] > '9')
			return (false);
		*number = *number * 10 + text->b[0] - '0';
		text->b++;
		text->len--;
	}
	return (true);
}

static bool
take_weekday(struct fm_text *text, struct date *date)
{
	for (date->weekday = 0; date->weekday < 7; date->weekday++)
		if (take(text, weekdays[date->weekday], 3))
			return (true);
	return (false);
}

static bool
take_month(struct fm_text *text, struct date *date)
{
	for (date->month = 1; date->month <= 12; date->month++)
		if (take(text, months + 3 * (size_t)(date->month - 1), 3))
			return (true);
	return (false);
}

static bool
take_part(struct fm_text *text, const char *format, struct date *date)
{
	const char *rest;

	switch (*format) {
	case 'w':
		return (take_weekday(text, date));
	case 'l':
		rest = weekdays[date->weekday] + 3;
		return (take(text, rest, strlen(rest)));
	case 'd':
		return (take_digits(text, 2, &date->day));
	case 'e':
		return (take_digits(text, take(text, " ", 1) ? 1 : 2,
		    &date->day));
	case 'm':
		return (take_month(text, date));
	case 'n':
		return (take_digits(text, 2, &date->month));
	case 'Y':
		return (take_digits(text, 4, &date->year));
	case 'y':
		if (!take_digits(text, 2, &date->year))
			return (false);
		date->year += date->year < 69 ? 2000 : 1900;
		return (true);
	case 'c':
		return (take_digits(text, 2, &date->hour) &&
		    take(text, ":", 1) &&
		    take_digits(text, 2, &date->minute) &&
		    take(text, ":", 1) &&
		    take_digits(text, 2, &date->second));
	default:
		return (take(text, format, 1));
	}
}

static bool
has_format(struct fm_text text, const char *format, struct date *date)
{
	*date = (struct date){ .weekday = -1 };
	for (; *format != '\0'; format++)
		if (!take_part(&text, format, date))
			return (false);
	return (text.len == 0);
}

static bool
is_leap(int year)
{
	return (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

/* Returns the days from the year 1 on, or -1 if there is no such day. */
static int
days_until(const struct date *date)
{
	static const int before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243,
	    273, 304, 334, 365 };
	int years = date->year - 1, days, length;

	if (date->year < 1899 || date->month < 1 || date->month > 12)
		return (-1);
	length = before[date->month] - before[date->month - 1];
	if (date->month == 2 && is_leap(date->year))
		length++;
	if (date->day < 1 || date->day > length)
		return (-1);
	days = years * 365 + years / 4 - years / 100 + years / 400 +
	    before[date->month - 1] + date->day - 1;
	return (date->month > 2 && is_leap(date->year) ? days + 1 : days);
}

bool
fm_http_date(struct fm_text text, double *seconds)
{
	struct date date;
	size_t i = 0;
	int days;

	*seconds = 0;
	while (text.len > 0 && text.b[0] == ' ')
		text = fm_text(text.b + 1, text.len - 1);
	while (text.len > 0 && text.b[text.len - 1] == ' ')
		text.len--;
	while (!has_format(text, formats[i], &date))
		if (++i == sizeof formats / sizeof formats[0])
			return (false);
	days = days_until(&date);
	/* A leap second is the second before it; the year 1 began on Monday. */
	if (days < 0 || date.hour > 23 || date.minute > 59 ||
	    date.second > 60 ||
	    (date.weekday != -1 && (days + 1) % 7 != date.weekday))
		return (false);
	if (date.second == 60)
		date.second = 59;
	*seconds = (days - DAYS_TO_1970) * DAY + date.hour * 3600. +
	    date.minute * 60. + date.second;
	return (true);
}

/*
 * Reads the seconds that a value begins with; a comma ends them, or a point,
 * before a fraction that does not count.  Returns false, and 0 seconds, for
 * anything else, such as "60" in quotes, `60;` and -1.  A number that is too
 * large is UINT_MAX, whatever follows.
 */
static bool
read_seconds(struct fm_text value, double *seconds)
{
	uint64_t number = 0;
	size_t i = 0, first;

	*seconds = 0;
	if (value.len > 0 && value.b[0] == '+')
		i++;
	for (first = i; i < value.len && value.b[i] >= '0' &&
	    value.b[i] <= '9'; i++) {
		number = number * 10 + (uint64_t)(value.b[i] - '0');
		if (number > UINT_MAX) {
			*seconds = UINT_MAX;
			return (true);
		}
	}
	if (i == first)
		return (false);
	while (i < value.len && fm_is_blank(value.b[i]))
		i++;
	if (i < value.len && value.b[i] != ',' && value.b[i] != '.')
		return (false);
	*seconds = (double)number;
	return (true);
}

/*
 * Returns true if an element of Cache-Control has this name, and what follows
 * the name.  A name in quotes counts if it is in lower case.
 */
static bool
has_name(struct fm_text element, struct fm_text name, struct fm_text *rest)
{
	size_t end = name.len;

	if (element.len >= name.len + 2 && element.b[0] == '"' &&
	    element.b[name.len + 1] == '"' &&
	    memcmp(element.b + 1, name.b, name.len) == 0)
		end += 2;
	else if (element.len < name.len ||
	    !fm_text_eq_nocase(fm_text(element.b, name.len), name) ||
	    (element.len > name.len &&
	    fm_text_is_token(fm_text(element.b + name.len, 1), "")))
		return (false);
	*rest = fm_text_trim(fm_text(element.b + end, element.len - end));
	return (true);
}

/*
 * Returns true if Cache-Control has a directive of this name, and the value of
 * the first one: missing without a `=`.  Quotes hide no comma.
 */
static bool
find_directive(struct fm_text header, const char *name, struct fm_text *value)
{
	struct fm_text element, rest;
	const char *comma;

	*value = fm_text(NULL, 0);
	while (header.len > 0) {
		comma = memchr(header.b, ',', header.len);
		element = comma == NULL ? header :
		    fm_text_span(header.b, comma);
		(void)take(&header, element.b, element.len);
		(void)take(&header, ",", 1);
		element = fm_text_trim(element);
		if (!has_name(element, fm_text_of(name), &rest))
			continue;
		if (take(&rest, "=", 1))
			*value = fm_text_trim(rest);
		return (true);
	}
	return (false);
}

__attribute__((format(printf, 2, 3))) static void
tell(struct fm_lifetime *it, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(it->why, sizeof it->why, format, args);
	va_end(args);
}

/*
 * Takes s-maxage or max-age.  An s-maxage without a value keeps max-age from
 * being looked at.
 */
static bool
take_max_age(struct fm_lifetime *it, struct fm_text cache_control)
{
	const char *name = "s-maxage";
	struct fm_text value;

	if (!find_directive(cache_control, name, &value)) {
		name = "max-age";
		(void)find_directive(cache_control, name, &value);
	}
	if (value.b == NULL)
		return (false);
	if (read_seconds(value, &it->ttl))
		tell(it, "%s", name);
	else
		tell(it, "%s is not a number", name);
	it->has_lifetime = true;
	return (true);
}

/* Sets the ttl that Expires gives; `date` is 0 if Date is not a date. */
static void
take_expires(struct fm_lifetime *it, const struct fm_lifetime_of *of,
    double expires, double date)
{
	it->has_lifetime = true;
	tell(it, "Expires");
	if (expires < date) {
		it->ttl = 0;
		tell(it, "Expires is before Date");
	} else if (date == 0 || fabs(date - of->now) < of->clock_skew) {
		it->ttl = expires - of->now;
		if (it->ttl < 0) {
			it->ttl = 0;
			tell(it, "Expires is in the past");
		}
	} else {
		it->ttl = expires - date > INT_MAX ? AS_INT : expires - date;
		tell(it, "Expires minus Date, as the clocks differ");
	}
}

/* Sets the ttl of a status that may have one. */
static void
take_ttl(struct fm_lifetime *it, const struct fm_lifetime_of *of,
    bool has_default)
{
	double expires, date;
	bool is_date = fm_http_date(of->expires, &expires);

	/* The core adds a Date, in whole seconds, where there is none. */
	if (of->date.b == NULL)
		date = (double)(int64_t)of->now;
	else
		(void)fm_http_date(of->date, &date);
	if (take_max_age(it, of->cache_control))
		return;
	if (expires != 0) {
		take_expires(it, of, expires, date);
		return;
	}
	it->ttl = has_default ? of->default_ttl : -1;
	if (has_default)
		tell(it, "default_ttl");
	else
		tell(it, "status %u has none without max-age or Expires",
		    of->status);
	if (of->expires.b != NULL)
		tell(it, "%s, as Expires is %s", has_default ? "default_ttl" :
		    "no lifetime", is_date ? "1970" : "not a date");
}

/*
 * Rounds, as the core stores times as float.  Without volatile, gcc 12 leaves
 * out one of three such conversions in a row at -O2.
 */
static double
as_float(double seconds)
{
	volatile float rounded = (float)seconds;

	return ((double)rounded);
}

struct fm_lifetime
fm_lifetime(const struct fm_lifetime_of *of)
{
	struct fm_lifetime it = { .ttl = -1, .grace = of->default_grace,
		.keep = of->default_keep };
	struct fm_text value;

	(void)read_seconds(of->age, &it.age);
	if (of->pass) {
		it.grace = it.keep = 0;
		tell(&it, "a pass is not stored");
		return (it);
	}
	switch (of->status) {
	case 200: case 203: case 204: case 300: case 301: case 304:
	case 404: case 410: case 414:
		take_ttl(&it, of, true);
		break;
	case 302: case 307:
		take_ttl(&it, of, false);
		break;
	default:
		tell(&it, "status %u has no lifetime", of->status);
		break;
	}
	if (it.ttl >= 0 && find_directive(of->cache_control,
	    "stale-while-revalidate", &value) && value.b != NULL) {
		(void)read_seconds(value, &it.grace);
		it.has_grace = true;
	}
	it.ttl = as_float(it.ttl);
	it.grace = as_float(it.grace);
	it.keep = as_float(it.keep);
	return (it);
}
