/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * How long Varnish's core would store a response: beresp.ttl, grace and keep as
 * vcl_backend_response finds them.  The core is the same in 7.1 to 9.0.
 *
 *	status				ttl
 *	200 203 204 300 301 304		s-maxage, else max-age, else Expires,
 *	404 410 414			else default_ttl
 *	302 307				the same, but never default_ttl
 *	any other			none
 *
 * No other directive counts: neither private nor no-store, of which builtin.vcl
 * takes care.  tests/rules/beresp-varnishd compares this with a varnishd.
 */

#ifndef FM_LIFETIME_H
#define FM_LIFETIME_H

#include <stdbool.h>

#include "text.h"

/*
 * A response: its status, the first line of a header (missing: none), without
 * blanks around it, and Cache-Control with all lines, joined by ", ".  Times
 * are seconds, `now` since 1970.  Parameters have the names of varnishd.
 */
struct fm_lifetime_of {
	unsigned		status;
	bool			pass;	/* pass, hit-for-pass */
	struct fm_text		age;
	struct fm_text		date;
	struct fm_text		expires;
	struct fm_text		cache_control;
	double			now;
	double			default_ttl;
	double			default_grace;
	double			default_keep;
	double			clock_skew;
};

/*
 * 200 with `Cache-Control: max-age=60` and `Age: 50`: ttl 60, age 50, why
 * "max-age".  The ttl begins `age` seconds before now, as in the log (TTL RFC);
 * no lifetime is a ttl of -1.
 */
struct fm_lifetime {
	double			ttl;
	double			grace;
	double			keep;
	double			age;
	bool			has_lifetime;	/* the ttl is a header's */
	bool			has_grace;	/* the grace is a header's */
	char			why[80];	/* why the ttl is what it is */
};

struct fm_lifetime fm_lifetime(const struct fm_lifetime_of *);

/* Returns beresp.ttl as VCL reads it: what is left of the ttl now. */
static inline double
fm_lifetime_left(const struct fm_lifetime *lifetime)
{
	return ((lifetime->ttl > 0. ? lifetime->ttl : 0.) - lifetime->age);
}

/*
 * Reads a date as varnishd does: one of those of RFC 9110, or ISO 8601 without
 * a zone, with a day of the week that is right.  Returns true if it is a date,
 * and its seconds since 1970.
 */
bool fm_http_date(struct fm_text, double *seconds);

#endif
