/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Durations: texts that are one, texts that are none, and how they are printed.
 */

#include <math.h>

#include "duration.h"
#include "unit.h"

static const struct {
	const char	*text;
	double		seconds;
} right[] = {
	{ "0s", 0 }, { "00s", 0 }, { "0ms", 0 }, { "0.0y", 0 },
	{ "1ms", .001 }, { "10ms", .01 }, { "1500ms", 1.5 },
	{ "1s", 1 }, { "60s", 60 }, { "007s", 7 },
	{ "0.1s", .1 }, { "1.5s", 1.5 }, { "0.25s", .25 }, { "0.001s", .001 },
	{ "1.0s", 1 }, { "0.30s", .3 }, { "0.7s", .7 },
	{ "2m", 120 }, { "0.5m", 30 }, { "1.1m", 66 },
	{ "1h", 3600 }, { "1.5h", 5400 }, { "0.1h", 360 },
	{ "1d", 86400 }, { "7d", 604800 }, { "1w", 604800 },
	{ "0.1d", 8640 }, { "0.3w", 181440 },
	{ "1y", 31536000 }, { "100y", 3153600000. },
	{ "36500d", 3153600000. }, { "3155760000s", 3155760000. },
	{ "2628001s", 2628001 },
	{ "0.000000000000000000000000001y", 0 },
	{ "1.00000000000000000000000000000000000000000000000000s", 1 },
	{ "0000000000000000000000000000000000000000000000000060s", 60 },
};

UNIT_LOOP(test_duration_right, UNIT_COUNT(right))
{
	struct fm_text t = unit_copy(fm_text_of(right[_i].text));
	double seconds = -1;

	ck_assert_int_eq(fm_duration_parse(t, &seconds), FM_DURATION_OK);
	ck_assert_msg(fabs(seconds - right[_i].seconds) < 1e-9,
	    "%s is %.17g", right[_i].text, seconds);
	/* Whole numbers are whole: 0.1h is not 360.00000000000006 s. */
	if (floor(right[_i].seconds) == right[_i].seconds &&
	    right[_i].seconds > 0)
		ck_assert_msg(seconds == right[_i].seconds, "%s is %.17g",
		    right[_i].text, seconds);
	free((void *)(uintptr_t)t.b);
}

static const struct {
	const char		*text;
	enum fm_duration	why;
} wrong[] = {
	{ "", FM_DURATION_BAD }, { "s", FM_DURATION_BAD },
	{ "m", FM_DURATION_BAD }, { ".", FM_DURATION_BAD },
	{ ".5s", FM_DURATION_BAD }, { ".s", FM_DURATION_BAD },
	{ "1.s", FM_DURATION_BAD }, { "1.", FM_DURATION_BAD },
	{ "1..5s", FM_DURATION_BAD }, { "1.5.5s", FM_DURATION_BAD },
	{ "1,5s", FM_DURATION_BAD }, { "1e3s", FM_DURATION_BAD },
	{ "0x10s", FM_DURATION_BAD }, { "-1s", FM_DURATION_BAD },
	{ "+1s", FM_DURATION_BAD }, { " 1s", FM_DURATION_BAD },
	{ "1 s", FM_DURATION_BAD }, { "1s ", FM_DURATION_BAD },
	{ "1S", FM_DURATION_BAD }, { "1sec", FM_DURATION_BAD },
	{ "1min", FM_DURATION_BAD }, { "1hour", FM_DURATION_BAD },
	{ "1mo", FM_DURATION_BAD }, { "1M", FM_DURATION_BAD },
	{ "1us", FM_DURATION_BAD }, { "inf", FM_DURATION_BAD },
	{ "nans", FM_DURATION_BAD }, { "1h30", FM_DURATION_SUM },
	{ "60", FM_DURATION_UNIT }, { "0", FM_DURATION_UNIT },
	{ "1.5", FM_DURATION_UNIT },
	{ "1h30m", FM_DURATION_SUM }, { "1d12h30m", FM_DURATION_SUM },
	{ "1s500ms", FM_DURATION_SUM }, { "2m30s", FM_DURATION_SUM },
	{ "500ms1s", FM_DURATION_SUM },
	{ "101y", FM_DURATION_LONG }, { "3155760001s", FM_DURATION_LONG },
	{ "99999999999999999999s", FM_DURATION_LONG },
	{ "18446744073709551616ms", FM_DURATION_LONG },
};

UNIT_LOOP(test_duration_wrong, UNIT_COUNT(wrong))
{
	struct fm_text t = unit_copy(fm_text_of(wrong[_i].text));
	double seconds = -1;

	ck_assert_msg(fm_duration_parse(t, &seconds) == wrong[_i].why,
	    "%s", wrong[_i].text);
	free((void *)(uintptr_t)t.b);
}

/* A number of many digits is more than a double has. */
UNIT_TEST(test_duration_of_many_digits_is_long)
{
	char *text = malloc(1002);
	double seconds;

	ck_assert_ptr_nonnull(text);
	memset(text, '9', 1000);
	text[1000] = 's';
	ck_assert_int_eq(fm_duration_parse(fm_text(text, 1001), &seconds),
	    FM_DURATION_LONG);
	memset(text, '0', 1000);
	text[1] = '.';
	ck_assert_int_eq(fm_duration_parse(fm_text(text, 1001), &seconds),
	    FM_DURATION_OK);
	ck_assert(seconds == 0);
	free(text);
}

static const struct {
	double		seconds;
	const char	*text;
} printed[] = {
	{ 0, "0s" }, { 1, "1s" }, { 90, "90s" }, { 120, "2m" },
	{ 3600, "1h" }, { 5400, "90m" }, { 86400, "1d" }, { 604800, "1w" },
	{ 691200, "8d" }, { 31536000, "1y" }, { 31536001, "31536001s" },
	{ 2628001, "2628001s" }, { 3153600000., "100y" },
	{ .25, "0.25s" }, { 1.5, "1.5s" }, { .001, "0.001s" },
	{ .1, "0.1s" }, { 12.345, "12.345s" }, { 123456.5, "123456.5s" },
	{ .0004, "0s" }, { 59.9996, "1m" },
	{ -1, "-1s" }, { -.5, "-0.5s" }, { -3600, "-3600s" },
};

UNIT_LOOP(test_duration_printed, UNIT_COUNT(printed))
{
	char buf[FM_DURATION_PRINT];

	ck_assert_str_eq(fm_duration_print(printed[_i].seconds, buf),
	    printed[_i].text);
}

/* Any number fits, and what is printed of a duration is that duration. */
UNIT_TEST(test_duration_printed_and_read_is_the_same)
{
	char buf[FM_DURATION_PRINT];
	double seconds, again;
	unsigned i;

	unit_seed("durations");
	for (i = 0; i < unit_rounds(100000, 1); i++) {
		seconds = (double)(unit_random() %
		    (1ULL << unit_below(41))) / (unit_below(2) == 0 ? 1 : 1000);
		if (seconds > 3155760000.)
			continue;
		(void)fm_duration_print(seconds, buf);
		ck_assert_msg(fm_duration_parse(fm_text_of(buf), &again) ==
		    FM_DURATION_OK, "%.17g is printed as %s", seconds, buf);
		ck_assert_msg(fabs(seconds - again) < 1e-6,
		    "%.17g is printed as %s", seconds, buf);
	}
	(void)fm_duration_print(1e300, buf);
	(void)fm_duration_print(-1e300, buf);
	(void)fm_duration_print(INFINITY, buf);
	(void)fm_duration_print(NAN, buf);
}

int
main(void)
{
	return (unit_main("duration", 30));
}
