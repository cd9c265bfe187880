/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes a member of Cache-Status (cachestatus.h).
 */

#include "cachestatus.h"

#define DIGITS		15			/* RFC 8941, 3.3.1 */
#define INTEGER_MAX	999999999999999LL
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
static long long
whole(double seconds)
{
	long long n;

	if (seconds >= (double)INTEGER_MAX)
		return (INTEGER_MAX);
	if (seconds <= -(double)INTEGER_MAX)
		return (-INTEGER_MAX);
	n = (long long)seconds;
	if (seconds < 0)
		return (n - ((double)n > seconds));
	return (n + (seconds - (double)n >= .5));
}

/* Writes a number in a tenth of the time of printf().  Returns its end. */
static char *
put_number(char *to, long long n)
{
	char digits[DIGITS], *first = digits + DIGITS;

	if (n < 0) {
		*to++ = '-';
		n = -n;
	}
	do
		*--first = (char)('0' + n % 10);
	while ((n /= 10) > 0);
	return (mempcpy(to, first, (size_t)(digits + DIGITS - first)));
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
		end = put_number(stpcpy(end, "; fwd-status="),
		    member->status);
	if (member->fresh)
		end = put_number(stpcpy(end, "; ttl="), whole(member->ttl));
	if (member->stored)
		end = stpcpy(end, "; stored");
	if (member->detail.b != NULL) {
		end = stpcpy(end, "; detail=");
		end += fm_cachestatus_string(member->detail, end);
	}
	return ((size_t)(end - to));
}
