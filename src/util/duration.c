/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads and writes durations (duration.h).
 */

#include <stdio.h>
#include <string.h>

#include "duration.h"

#define LONGEST		3155760000.	/* seconds of a hundred years */

static const struct unit {
	const char		*name;
	double			seconds;
} units[] = {
	{ "y", 31536000 }, { "w", 604800 }, { "d", 86400 }, { "h", 3600 },
	{ "m", 60 }, { "s", 1 }, { "ms", .001 }
};
#define UNITS	(sizeof units / sizeof units[0])

/* Reads digits, and at most one dot between two of them.  Returns their end. */
static size_t
number(struct fm_text t, double *value)
{
	double digit = 1;
	bool dot = false;
	size_t i;

	*value = 0;
	for (i = 0; i < t.len; i++) {
		if (t.b[i] >= '0' && t.b[i] <= '9') {
			if (dot)
				*value += (digit /= 10) * (t.b[i] - '0');
			else
				*value = *value * 10 + (t.b[i] - '0');
		} else if (t.b[i] == '.' && !dot && i > 0 && i + 1 < t.len &&
		    t.b[i + 1] >= '0' && t.b[i + 1] <= '9') {
			dot = true;
		} else {
			break;
		}
	}
	return (i);
}

enum fm_duration
fm_duration_parse(struct fm_text t, double *seconds)
{
	double value, rest;
	struct fm_text unit;
	size_t i, at;

	at = number(t, &value);
	if (at == 0)
		return (FM_DURATION_BAD);
	unit = fm_text(t.b + at, t.len - at);
	if (unit.len == 0)
		return (FM_DURATION_UNIT);
	for (i = 0; i < UNITS; i++)
		if (fm_text_eq(unit, fm_text_of(units[i].name)))
			break;
	if (i < UNITS) {
		*seconds = value * units[i].seconds;
		return (*seconds > LONGEST ? FM_DURATION_LONG :
		    FM_DURATION_OK);
	}
	for (i = 0; i < UNITS; i++) {
		at = strlen(units[i].name);
		if (unit.len > at && memcmp(unit.b, units[i].name, at) == 0 &&
		    number(fm_text(unit.b + at, unit.len - at), &rest) > 0)
			return (FM_DURATION_SUM);
	}
	return (FM_DURATION_BAD);
}

const char *
fm_duration_print(double seconds, char buf[FM_DURATION_PRINT])
{
	long long whole = (long long)seconds;
	size_t i;

	if (seconds < 0 || seconds > LONGEST || (double)whole != seconds) {
		(void)snprintf(buf, FM_DURATION_PRINT, "%.3gs",
		    seconds);
		return (buf);
	}
	for (i = 1; i + 2 < UNITS; i++)
		if (whole > 0 && whole % (long long)units[i].seconds == 0)
			break;
	(void)snprintf(buf, FM_DURATION_PRINT, "%lld%s",
	    whole / (long long)units[i].seconds, units[i].name);
	return (buf);
}
