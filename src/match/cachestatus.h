/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes a member of Cache-Status (RFC 9211), by which a cache says how it got
 * a response.  A member is an item of structured fields (RFC 8941).
 *
 *	edge; hit; ttl=12
 *	edge; fwd=miss; fwd-status=200; ttl=60; stored; detail="site.rules:21"
 */

#ifndef FM_CACHESTATUS_H
#define FM_CACHESTATUS_H

#include "text.h"

struct fm_cachestatus {
	struct fm_text		name;		/* a token; or a string, in its
						 * quotes */
	const char		*fwd;		/* why the request went on; NULL
						 * for a hit */
	unsigned		status;		/* that came back; 0: not known;
						 * not of a hit */
	bool			fresh;		/* there is a lifetime: */
	double			ttl;		/* s that are left; below 0: the
						 * response is stale */
	bool			stored;
	struct fm_text		detail;		/* any bytes; or missing */
};

/* Returns enough room for a member. */
size_t fm_cachestatus_cap(const struct fm_cachestatus *);
/* Writes a member, without a NUL.  Returns its length. */
size_t fm_cachestatus_put(const struct fm_cachestatus *, char *to);

/*
 * Writes a text as a string, in quotes; a byte that no string can have becomes
 * `?`.  Returns its length, which is at most 2 and twice that of the text.
 */
size_t fm_cachestatus_string(struct fm_text, char *to);

#endif
