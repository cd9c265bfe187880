/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The lifetime that Varnish's core gives a response.  rules/beresp-varnishd
 * compares random responses with a varnishd.
 */

#include <math.h>

#include "lifetime.h"
#include "unit.h"

/* Half a second after DATE. */
#define NOW		784111777.5
#define DATE		"Sun, 06 Nov 1994 08:49:37 GMT"
#define MINUTE_LATER	"Sun, 06 Nov 1994 08:50:37 GMT"
#define MINUTE_BEFORE	"Sun, 06 Nov 1994 08:48:37 GMT"
#define EPOCH		"Thu, 01 Jan 1970 00:00:00 GMT"
#define FAR		"Fri, 31 Dec 9999 23:59:59 GMT"
#define MOST		4294967295.

/* grace of -1: default_grace. */
static const struct {
	unsigned		status;
	const char		*cache_control, *age, *date, *expires;
	double			ttl, grace;
	const char		*why;
} rows[] = {
	{ 200, "max-age=60", NULL, DATE, NULL, 60, -1, "max-age" },
	{ 200, NULL, NULL, DATE, NULL, 120, -1, "default_ttl" },
	{ 200, "", "", "", "", 120, -1,
	    "default_ttl, as Expires is not a date" },
	/* Statuses. */
	{ 203, NULL, NULL, DATE, NULL, 120, -1, "default_ttl" },
	{ 204, NULL, NULL, DATE, NULL, 120, -1, "default_ttl" },
	{ 300, NULL, NULL, DATE, NULL, 120, -1, "default_ttl" },
	{ 301, NULL, NULL, DATE, NULL, 120, -1, "default_ttl" },
	{ 304, NULL, NULL, DATE, NULL, 120, -1, "default_ttl" },
	{ 404, NULL, NULL, DATE, NULL, 120, -1, "default_ttl" },
	{ 410, NULL, NULL, DATE, NULL, 120, -1, "default_ttl" },
	{ 414, NULL, NULL, DATE, NULL, 120, -1, "default_ttl" },
	{ 302, NULL, NULL, DATE, NULL, -1, -1,
	    "status 302 has none without max-age or Expires" },
	{ 307, "private", NULL, DATE, NULL, -1, -1,
	    "status 307 has none without max-age or Expires" },
	{ 302, "max-age=5", NULL, DATE, NULL, 5, -1, "max-age" },
	{ 307, NULL, NULL, DATE, MINUTE_LATER, 59.5, -1, "Expires" },
	{ 302, NULL, NULL, DATE, "0", -1, -1,
	    "no lifetime, as Expires is not a date" },
	{ 206, "max-age=60", NULL, DATE, NULL, -1, -1,
	    "status 206 has no lifetime" },
	{ 303, "max-age=60", NULL, DATE, NULL, -1, -1,
	    "status 303 has no lifetime" },
	{ 308, "s-maxage=60", NULL, DATE, NULL, -1, -1,
	    "status 308 has no lifetime" },
	{ 500, "max-age=60, stale-while-revalidate=9", NULL, DATE, NULL, -1,
	    -1, "status 500 has no lifetime" },
	/* Directives that do not count. */
	{ 200, "private, no-store, no-cache, must-revalidate", NULL, DATE,
	    NULL, 120, -1, "default_ttl" },
	{ 200, "max-age=60, no-store", NULL, DATE, NULL, 60, -1, "max-age" },
	/* Which one counts. */
	{ 200, "max-age=60, s-maxage=7", NULL, DATE, FAR, 7, -1, "s-maxage" },
	{ 200, "max-age=60, max-age=7", NULL, DATE, NULL, 60, -1, "max-age" },
	{ 200, "public,,  , MAX-AGE=60", NULL, DATE, NULL, 60, -1, "max-age" },
	{ 200, "\"max-age\"=60", NULL, DATE, NULL, 60, -1, "max-age" },
	{ 200, "\"Max-Age\"=60", NULL, DATE, NULL, 120, -1, "default_ttl" },
	{ 200, "max-ages=60", NULL, DATE, NULL, 120, -1, "default_ttl" },
	{ 200, "x-max-age=60", NULL, DATE, NULL, 120, -1, "default_ttl" },
	{ 200, "public max-age=60", NULL, DATE, NULL, 120, -1,
	    "default_ttl" },
	{ 200, "x=\"a, max-age=60\"", NULL, DATE, NULL, 0, -1,
	    "max-age is not a number" },
	{ 200, "s-maxage, max-age=60", NULL, DATE, NULL, 120, -1,
	    "default_ttl" },
	{ 200, "s-maxage, max-age=60", NULL, DATE, MINUTE_LATER, 59.5, -1,
	    "Expires" },
	{ 200, "max-age", NULL, DATE, NULL, 120, -1, "default_ttl" },
	{ 200, "max-age:60", NULL, DATE, NULL, 120, -1, "default_ttl" },
	/* Numbers. */
	{ 200, "max-age=0", NULL, DATE, NULL, 0, -1, "max-age" },
	{ 200, "max-age = 60 , public", NULL, DATE, NULL, 60, -1, "max-age" },
	{ 200, "max-age=+60", NULL, DATE, NULL, 60, -1, "max-age" },
	{ 200, "max-age=060.9", NULL, DATE, NULL, 60, -1, "max-age" },
	{ 200, "max-age=60 .", NULL, DATE, NULL, 60, -1, "max-age" },
	{ 200, "max-age=\"60\"", NULL, DATE, NULL, 0, -1,
	    "max-age is not a number" },
	{ 200, "max-age=60;", NULL, DATE, NULL, 0, -1,
	    "max-age is not a number" },
	{ 200, "max-age=-60", NULL, DATE, MINUTE_LATER, 0, -1,
	    "max-age is not a number" },
	{ 200, "max-age=+-6", NULL, DATE, NULL, 0, -1,
	    "max-age is not a number" },
	{ 200, "max-age=.5", NULL, DATE, NULL, 0, -1,
	    "max-age is not a number" },
	{ 200, "s-maxage=, max-age=60", NULL, DATE, NULL, 0, -1,
	    "s-maxage is not a number" },
	{ 200, "max-age=60 seconds", NULL, DATE, NULL, 0, -1,
	    "max-age is not a number" },
	{ 200, "max-age=4294967294", NULL, DATE, NULL, MOST, -1, "max-age" },
	{ 200, "max-age=99999999999999999999999;", NULL, DATE, NULL, MOST, -1,
	    "max-age" },
	{ 200, "max-age=16777217", NULL, DATE, NULL, 16777216, -1,
	    "max-age" },
	/* Expires. */
	{ 200, NULL, NULL, DATE, MINUTE_LATER, 59.5, -1, "Expires" },
	{ 200, NULL, NULL, NULL, MINUTE_LATER, 59.5, -1, "Expires" },
	{ 200, NULL, NULL, "", MINUTE_LATER, 59.5, -1, "Expires" },
	{ 200, NULL, NULL, DATE, MINUTE_BEFORE, 0, -1,
	    "Expires is before Date" },
	{ 200, NULL, NULL, "", MINUTE_BEFORE, 0, -1,
	    "Expires is in the past" },
	{ 200, NULL, NULL, DATE, DATE, 0, -1, "Expires is in the past" },
	{ 200, NULL, NULL, MINUTE_BEFORE, MINUTE_LATER, 120, -1,
	    "Expires minus Date, as the clocks differ" },
	{ 200, NULL, NULL, MINUTE_LATER, MINUTE_LATER, 0, -1,
	    "Expires minus Date, as the clocks differ" },
	{ 200, NULL, NULL, DATE, FAR, 252618188822.5, -1, "Expires" },
	{ 200, NULL, NULL, DATE, EPOCH, 120, -1,
	    "default_ttl, as Expires is 1970" },
	{ 302, NULL, NULL, DATE, EPOCH, -1, -1,
	    "no lifetime, as Expires is 1970" },
	{ 200, NULL, NULL, DATE, "-1", 120, -1,
	    "default_ttl, as Expires is not a date" },
	{ 200, NULL, NULL, "", "Sun, 06 Nov 1960 08:49:37 GMT", 0, -1,
	    "Expires is before Date" },
	/* Grace. */
	{ 200, "max-age=6, stale-while-revalidate=30", NULL, DATE, NULL, 6,
	    30, "max-age" },
	{ 200, "stale-while-revalidate=\"30\"", NULL, DATE, NULL, 120, 0,
	    "default_ttl" },
	{ 200, "stale-while-revalidate, max-age=6", NULL, DATE, NULL, 6, -1,
	    "max-age" },
	{ 302, "stale-while-revalidate=30", NULL, DATE, NULL, -1, -1,
	    "status 302 has none without max-age or Expires" },
	/* Age, which the ttl still has in it. */
	{ 200, "max-age=60", "90", DATE, NULL, 60, -1, "max-age" }
};

static struct fm_text
text_or_none(const char *s)
{
	return (s == NULL ? fm_text(NULL, 0) : unit_copy(fm_text_of(s)));
}

static struct fm_lifetime
lifetime_of(int row, bool pass)
{
	const struct fm_lifetime_of of = {
		.status = rows[row].status,
		.pass = pass,
		.age = text_or_none(rows[row].age),
		.date = text_or_none(rows[row].date),
		.expires = text_or_none(rows[row].expires),
		.cache_control = text_or_none(rows[row].cache_control),
		.now = NOW,
		.default_ttl = 120,
		.default_grace = 10,
		.default_keep = 5,
		.clock_skew = 10
	};
	struct fm_lifetime it = fm_lifetime(&of);

	free((void *)(uintptr_t)of.age.b);
	free((void *)(uintptr_t)of.date.b);
	free((void *)(uintptr_t)of.expires.b);
	free((void *)(uintptr_t)of.cache_control.b);
	return (it);
}

UNIT_LOOP(lifetime_is_that_of_the_core, UNIT_COUNT(rows))
{
	struct fm_lifetime it = lifetime_of(_i, false);

	ck_assert_str_eq(it.why, rows[_i].why);
	ck_assert_double_eq(it.ttl, (float)rows[_i].ttl);
	ck_assert_double_eq(it.grace, rows[_i].grace < 0 ? 10 :
	    rows[_i].grace);
	ck_assert_double_eq(it.keep, 5);
	ck_assert(it.has_grace == (rows[_i].grace >= 0));
	ck_assert(it.has_lifetime == (strstr(it.why, "default_ttl") == NULL &&
	    strstr(it.why, "status") == NULL &&
	    strstr(it.why, "no lifetime") == NULL));
}

UNIT_LOOP(lifetime_of_a_pass_is_none, UNIT_COUNT(rows))
{
	struct fm_lifetime it = lifetime_of(_i, true);

	ck_assert_double_eq(it.ttl, -1);
	ck_assert_double_eq(it.grace, 0);
	ck_assert_double_eq(it.keep, 0);
	ck_assert(!it.has_lifetime && !it.has_grace);
	ck_assert_double_eq(it.age, rows[_i].age != NULL &&
	    rows[_i].age[0] != '\0' ? 90 : 0);
}

static const struct {
	const char		*age;
	double			seconds;
} ages[] = {
	{ "90", 90 }, { "0", 0 }, { "90, 5", 90 }, { "90 , 5", 90 },
	{ "90.7", 90 }, { "+9", 9 }, { "-9", 0 }, { "9 s", 0 }, { "", 0 },
	{ "x", 0 }, { "9999999999", MOST }
};

UNIT_LOOP(lifetime_has_the_age_subtracted, UNIT_COUNT(ages))
{
	const struct fm_lifetime_of of = {
		.status = 200,
		.age = fm_text_of(ages[_i].age),
		.cache_control = fm_text_of("max-age=60"),
		.now = NOW
	};
	struct fm_lifetime it = fm_lifetime(&of);

	ck_assert_double_eq(it.ttl, 60);
	ck_assert_double_eq(it.age, ages[_i].seconds);
	ck_assert_double_eq(fm_lifetime_left(&it), 60 - ages[_i].seconds);
	it.ttl = -1;
	ck_assert_double_eq(fm_lifetime_left(&it), -ages[_i].seconds);
}

/* With a skew of 0 s no Date is close enough, not even one of this second. */
UNIT_TEST(lifetime_without_clock_skew_counts_from_date)
{
	struct fm_lifetime_of of = {
		.status = 200, .now = NOW, .expires = fm_text_of(MINUTE_LATER)
	};

	ck_assert_double_eq(fm_lifetime(&of).ttl, 60);
	of.clock_skew = 0.6;
	ck_assert_double_eq(fm_lifetime(&of).ttl, 59.5);
}

/* 68 years are more than an int has; the result is the processor's. */
UNIT_TEST(lifetime_from_a_skewed_date_is_an_int)
{
	const struct fm_lifetime_of of = {
		.status = 200,
		.now = NOW,
		.clock_skew = 10,
		.date = fm_text_of(MINUTE_LATER),
		.expires = fm_text_of(FAR)
	};

	ck_assert_double_eq(fabs(fm_lifetime(&of).ttl), 2147483648.);
}

#define NOT_A_DATE	-1e300

static const struct {
	const char		*text;
	double			seconds;
} dates[] = {
	{ DATE, 784111777 },
	{ "Sunday, 06-Nov-94 08:49:37 GMT", 784111777 },
	{ "Sun Nov  6 08:49:37 1994", 784111777 },
	{ "Sun Nov 06 08:49:37 1994", 784111777 },
	{ "1994-11-06T08:49:37", 784111777 },
	{ "  Sun, 06 Nov 1994 08:49:37 GMT  ", 784111777 },
	{ EPOCH, 0 },
	{ "Wed, 31 Dec 1969 23:59:59 GMT", -1 },
	{ FAR, 253402300799 },
	{ "Sun, 01 Jan 1899 00:00:00 GMT", -2240524800 },
	{ "Tue, 29 Feb 2000 12:00:00 GMT", 951825600 },
	{ "Wed, 01 Mar 2000 00:00:00 GMT", 951868800 },
	{ "Thursday, 29-Feb-24 00:00:00 GMT", 1709164800 },
	{ "Wednesday, 01-Jan-69 00:00:00 GMT", -31536000 },
	{ "Tuesday, 01-Jan-68 00:00:00 GMT", NOT_A_DATE },
	{ "Sunday, 01-Jan-68 00:00:00 GMT", 3092601600 },
	{ "Sat, 31 Dec 2016 23:59:60 GMT", 1483228799 },
	/* None. */
	{ "", NOT_A_DATE }, { " ", NOT_A_DATE }, { "0", NOT_A_DATE },
	{ "-1", NOT_A_DATE }, { "784111777", NOT_A_DATE },
	{ "Mon, 06 Nov 1994 08:49:37 GMT", NOT_A_DATE },
	{ "Sun, 6 Nov 1994 08:49:37 GMT", NOT_A_DATE },
	{ "Sun,06 Nov 1994 08:49:37 GMT", NOT_A_DATE },
	{ "sun, 06 nov 1994 08:49:37 gmt", NOT_A_DATE },
	{ "Sun, 06-Nov-1994 08:49:37 GMT", NOT_A_DATE },
	{ "Sun, 06 Nov 1994 08:49:37 UTC", NOT_A_DATE },
	{ "Sun, 06 Nov 1994 08:49:37 +0000", NOT_A_DATE },
	{ "Sun, 06 Nov 1994 08:49:37 GMTx", NOT_A_DATE },
	{ "Sun, 06 Nov 1994 08:49:37", NOT_A_DATE },
	{ "Sun, 06 Nov 1994 08:49", NOT_A_DATE },
	{ "Sun, 06 Nov 1994 8:49:37 GMT", NOT_A_DATE },
	{ "Sun, 06 Nov 1994 24:00:00 GMT", NOT_A_DATE },
	{ "Sun, 06 Nov 1994 08:60:00 GMT", NOT_A_DATE },
	{ "Sun, 06 Nov 1994 08:49:61 GMT", NOT_A_DATE },
	{ "Sun, 00 Nov 1994 08:49:37 GMT", NOT_A_DATE },
	{ "Thu, 31 Nov 1994 08:49:37 GMT", NOT_A_DATE },
	{ "Wed, 29 Feb 2023 08:49:37 GMT", NOT_A_DATE },
	{ "Mon, 29 Feb 2100 08:49:37 GMT", NOT_A_DATE },
	{ "Sun, 06 Foo 1994 08:49:37 GMT", NOT_A_DATE },
	{ "Fri, 31 Dec 1898 00:00:00 GMT", NOT_A_DATE },
	{ "Sund, 06-Nov-94 08:49:37 GMT", NOT_A_DATE },
	{ "Sunday 06-Nov-94 08:49:37 GMT", NOT_A_DATE },
	{ "Sun Nov 6 08:49:37 1994", NOT_A_DATE },
	{ "1994-11-06 08:49:37", NOT_A_DATE },
	{ "1994-11-06T08:49:37Z", NOT_A_DATE },
	{ "1994-13-06T08:49:37", NOT_A_DATE },
	{ "1994-00-06T08:49:37", NOT_A_DATE },
	{ "Su", NOT_A_DATE }, { "Sun", NOT_A_DATE }, { "Sunday", NOT_A_DATE }
};

UNIT_LOOP(date_is_read_as_varnish_does, UNIT_COUNT(dates))
{
	struct fm_text text = unit_copy(fm_text_of(dates[_i].text));
	double seconds;

	ck_assert(fm_http_date(text, &seconds) ==
	    (dates[_i].seconds != NOT_A_DATE));
	ck_assert_double_eq(seconds, dates[_i].seconds == NOT_A_DATE ? 0 :
	    dates[_i].seconds);
	free((void *)(uintptr_t)text.b);
}

/* Each day from 1899 on, against the C library, in all formats. */
UNIT_TEST(date_is_that_of_the_c_library)
{
	static const char * const formats[] = { "%a, %d %b %Y %H:%M:%S GMT",
	    "%a %b %e %H:%M:%S %Y", "%Y-%m-%dT%H:%M:%S",
	    "%A, %d-%b-%y %H:%M:%S GMT" };
	struct fm_text text;
	char buf[64];
	struct tm tm;
	double seconds;
	time_t t;
	size_t i;

	for (t = -2240524800; t < 4102444800; t += 86400 * 7 - 3599) {
		ck_assert_ptr_nonnull(gmtime_r(&t, &tm));
		for (i = 0; i < UNIT_COUNT(formats); i++) {
			/* Two digits are a year from 1969 to 2068. */
			if (i == 3 && (tm.tm_year < 69 || tm.tm_year > 168))
				continue;
			text = fm_text(buf, strftime(buf, sizeof buf,
			    formats[i], &tm));
			ck_assert(fm_http_date(text, &seconds));
			ck_assert_double_eq(seconds, (double)t);
		}
	}
}

int
main(void)
{
	return (unit_main("lifetime", 60));
}
