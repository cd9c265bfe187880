/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A request, as whoever has one shows it to the rules.  The VMOD points into
 * its struct http, the command line into its arguments; nothing is copied, and
 * nothing may change while the rules run and their result is in use.
 */

#ifndef FM_VIEW_H
#define FM_VIEW_H

#include "addrs.h"
#include "text.h"

/*
 * A header line "Name: value", from b up to e; b == NULL is none (Varnish
 * leaves such holes).  The layout is that of Varnish's txt, on purpose.
 */
struct fm_field {
	const char		*b;
	const char		*e;
};

struct fm_view {
	struct fm_text		method;
	struct fm_text		url;
	struct fm_text		proto;		/* "HTTP/1.1", which it is
						 * where it is missing */
	const struct fm_field	*fields;	/* as the request has them */
	unsigned		nfields;
	struct fm_addr		client;		/* needed only where
						 * fm_program_wants_client() */
	bool			esi;		/* an ESI sub-request: redirect,
						 * synth, answer and purge do
						 * nothing */
	uint64_t		*counters;	/* to count in, or NULL:
						 * fm_program_ncounters(), of
						 * a shard that was taken: */
	unsigned		shard;		/* this one */
};

#endif
