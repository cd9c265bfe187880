/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads and writes durations (duration.h).
 */

#include <stdio.h>
#include <string.h>

#include "duration.h"

#define LONGEST		3155760000000.	/* ms of a hundred years */
#define DIGITS		15	/* that a double has exactly */

static const struct unit {
	const char		*name;
	double			ms;
} units[] = {
	{ "y", 31536000000. }, { "w", 604800000 }, { "d", 86400000 },
	{ "h", 3600000 }, { "m", 60000 }, { "s", 1000 }, { "ms", 1 }
};
#define UNITS	(sizeof units / sizeof units[0])

/*
 * Reads digits, and at most one dot between two of them: the number is digits /
 * scale, both of which are exact up to DIGITS digits.  Returns their end.
 */
static size_t
number(struct fm_text t, double *digits, double *scale)
{
	bool dot = false;
	size_t i, n = 0;

	*digits = 0;
	*scale = 1;
	for (i = 0; i < t.len; i++) {
		if (t.b[i] >= '0' && t.b[i] <= '9') {
			/* Decimals after these are less than a millisecond. */
			if (dot && n >= DIGITS)
				continue;
			*digits = *digits * 10 + (t.b[i] - '0');
			n += dot || *digits > 0;
			*scale *= dot ? 10 : 1;
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
	double digits, scale, ms;
	struct fm_text unit;
	size_t i, at;

	at = number(t, &digits, &scale);
	if (at == 0)
		return (FM_DURATION_BAD);
	unit = fm_text(t.b + at, t.len - at);
	if (unit.len == 0)
		return (FM_DURATION_UNIT);
	for (i = 0; i < UNITS; i++)
		if (fm_text_eq(unit, fm_text_of(units[i].name)))
			break;
	if (i < UNITS) {
		ms = digits * units[i].ms / scale;
		if (ms > LONGEST)
			return (FM_DURATION_LONG);
		*seconds = (double)(long long)(ms + .5) / 1000;
		return (FM_DURATION_OK);
	}
	for (i = 0; i < UNITS; i++) {
		at = strlen(units[i].name);
		if (unit.len > at && memcmp(unit.b, units[i].name, at) == 0 &&
		    number(fm_text(unit.b + at, unit.len - at), &digits,
		    &scale) > 0)
			return (FM_DURATION_SUM);
	}
	return (FM_DURATION_BAD);
}

const char *
fm_duration_print(double seconds, char buf[FM_DURATION_PRINT])
{
	long long ms;
	size_t i, len;

	if (!(seconds > -LONGEST && seconds < LONGEST)) {
		(void)snprintf(buf, FM_DURATION_PRINT, "%.3gs", seconds);
		return (buf);
	}
	ms = (long long)(seconds * 1000 + (seconds < 0 ? -.5 : .5));
	for (i = 0; i + 2 < UNITS; i++)
		if (ms > 0 && ms % (long long)units[i].ms == 0)
			break;
	(void)snprintf(buf, FM_DURATION_PRINT, "%.3f",
	    (double)ms / units[i].ms);
	for (len = strlen(buf); buf[len - 1] == '0'; len--)
		continue;
	len -= buf[len - 1] == '.';
	memcpy(buf + len, units[i].name, strlen(units[i].name) + 1);
	return (buf);
}
