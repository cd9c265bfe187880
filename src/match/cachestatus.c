/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes a member of Cache-Status (cachestatus.h).
 */

#include <math.h>
#include <stdio.h>

#include "cachestatus.h"

#define INTEGER_MAX	999999999999999.	/* 15 digits: RFC 8941, 3.3.1 */
#define PARAMETERS	128	/* bytes of all but the name and the detail */

size_t
fm_cachestatus_string(struct fm_text text, char *to)
{
	char *end = to;
	size_t i;

	*end++ = '"';
	for (i = 0; i < text.len; i++) {
		if (text.b[i] == '"' || text.b[i] == '\\')
			*end++ = '\\';
		*end++ = text.b[i] < ' ' || text.b[i] > '~' ? '?' : text.b[i];
	}
	*end++ = '"';
	return ((size_t)(end - to));
}

/*
 * Returns a number of seconds without a fraction.  The nearest one is right for
 * what is fresh, as a lifetime of 60 s has lost a part of the first already;
 * what is stale, if only by a millisecond, is below 0.
 */
static double
whole(double seconds)
{
	seconds = seconds < 0 ? floor(seconds) : floor(seconds + .5);
	return (seconds > INTEGER_MAX ? INTEGER_MAX :
	    seconds < -INTEGER_MAX ? -INTEGER_MAX : seconds);
}

size_t
fm_cachestatus_cap(const struct fm_cachestatus *member)
{
	return (member->name.len + PARAMETERS + 2 * member->detail.len);
}

size_t
fm_cachestatus_put(const struct fm_cachestatus *member, char *to)
{
	char *end = mempcpy(to, member->name.b, member->name.len);

	if (member->fwd == NULL)
		end = stpcpy(end, "; hit");
	else
		end = stpcpy(stpcpy(end, "; fwd="), member->fwd);
	if (member->fwd != NULL && member->status > 0)
		end += sprintf(end, "; fwd-status=%u", member->status);
	if (member->fresh)
		end += sprintf(end, "; ttl=%.0f", whole(member->ttl));
	if (member->stored)
		end = stpcpy(end, "; stored");
	if (member->detail.b != NULL) {
		end = stpcpy(end, "; detail=");
		end += fm_cachestatus_string(member->detail, end);
	}
	return ((size_t)(end - to));
}
