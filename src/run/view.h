/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A view shows a request to the rules.  The VMOD lets it point into its struct
 * http, the command line into its arguments.  Nothing is copied, so the request
 * must not change while the rules run, or while their result is in use.
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

/*
 * The mark of a field that the client's Connection header names.  Varnish shows
 * such a field to VCL, and leaves it out of the request to the backend; a field
 * that VCL or a rule writes has no mark.
 */
#define FM_MARK_DROPPED	1

/*
 *	GET /a HTTP/1.1		method "GET", url "/a", proto "HTTP/1.1"
 *	Host: a.example		fields { "Host: a.example", "Accept: b" }
 *	Accept: b		nfields 2
 */
struct fm_view {
	struct fm_text		method;
	struct fm_text		url;
	struct fm_text		proto;		/* missing: "HTTP/1.1" */
	const struct fm_field	*fields;	/* in the request's order */
	unsigned		nfields;
	const unsigned char	*marks;		/* FM_MARK_DROPPED or 0 of each
						 * field; NULL: no field has a
						 * mark */
	struct fm_addr		client;		/* the peer; set only if
						 * fm_program_wants_client() */
	bool			esi;		/* an ESI sub-request: redirect
						 * and purge do nothing, nor do
						 * synth and answer below 400 */
	uint64_t		*counters;	/* fm_program_ncounters() of
						 * them, to count in; or NULL */
	bool			own;		/* this thread alone counts in
						 * `counters` */
};

#endif
