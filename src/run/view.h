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
#include "hosttab.h"
#include "kinds.h"
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

/* What is known of the client's connection. */
enum fm_session {
	FM_SESSION_TLS = 1,	/* it is TLS, which varnishd has ended */
	FM_SESSION_PROXIED = 2	/* the PROXY protocol says that it is TLS */
};

/* Where the lifetime of a response comes from. */
enum fm_lifetime_from {
	FM_LIFETIME_NONE,	/* its status has none */
	FM_LIFETIME_DEFAULT,	/* default_ttl, or a `ttl default` */
	FM_LIFETIME_KNOWN	/* its headers, or the rules */
};

/*
 * Why a backend was asked for what is delivered, and why that is stored as it
 * is: .apply() in vcl_backend_response leaves it for `cache-status`.
 */
struct fm_cause {
	unsigned		status;		/* that the backend has sent,
						 * 304 after a refresh; 0: not
						 * known, nor what follows */
	bool			stale;		/* a stale object was there */
	bool			uncacheable;	/* the rule made it so; or else
						 * it gave the lifetime */
	struct fm_text		rule;		/* "FILE:LINE", or missing */

	/* Of the delivery. */
	bool			passed;		/* the request was a pass, */
	struct fm_text		passed_by;	/* by a rule; or missing */
	bool			failed;		/* nothing has answered */
};

/* What rules for responses change beside headers. */
enum fm_stored {
	FM_STORED_UNCACHEABLE,
	FM_STORED_TTL,
	FM_STORED_GRACE,
	FM_STORED_KEEP,
	FM_STORED_ESI,
	FM_STORED_GZIP,
	FM_STORED_GUNZIP
};
#define FM_STORED__KINDS	(FM_STORED_GUNZIP + 1)

struct fm_rule;

/*
 * What a response has beside its headers, as Varnish gives it to the rules; and
 * then as the rules leave it.
 */
struct fm_response {
	unsigned		status;
	unsigned		flags;		/* enum fm_state_flags */
	enum fm_lifetime_from	from;
	double			ttl;		/* seconds; from now on, in the
						 * rules for responses */
	double			grace, keep;
	bool			uncacheable;	/* also by VCL before this */
	bool			can_retry;	/* a retry would be carried
						 * out */
	unsigned		retries;	/* so far */
	double			uncacheable_ttl; /* of builtin.vcl */
	struct fm_text		rule;		/* of `response`, that gave the
						 * lifetime: "FILE:LINE", or
						 * missing */
	double			age;		/* of what is delivered */
	uint64_t		hits;
	const struct fm_cause	*cause;		/* NULL: not known */

	/* What the rules have done. */
	struct fm_text		targeted;	/* of the header that `ttl from`
						 * found; or missing */
	bool			ttl_set, grace_set, keep_set;
	bool			uncacheable_set;
	bool			esi, gzip, gunzip;
	const struct fm_rule	*rules[FM_STORED__KINDS]; /* that changed each
						 * last; NULL: none */
	const char		*told;		/* Cache-Status, as the last
						 * `cache-status` has made it */
	size_t			told_at;	/* bytes of it that were there
						 * before */
	char			status_text[4];
};

/* A host as the rules know it. */
struct fm_known_host {
	struct fm_text		name;		/* canonical; missing: none is
						 * valid, or was sent */
	struct fm_hosttab_hit	hit;
	uint32_t		block;		/* of a result */
};

/*
 *	GET /a HTTP/1.1		method "GET", url "/a", proto "HTTP/1.1"
 *	Host: a.example		fields { "Host: a.example", "Accept: b" }
 *	Accept: b		nfields 2
 */
struct fm_view {
	struct fm_text		method;
	struct fm_text		url;
	struct fm_text		proto;		/* missing: "HTTP/1.1" */
	const struct fm_field	*fields;	/* in the request's order; of a
						 * response: its own, and then
						 * the request's */
	unsigned		nfields;
	unsigned		nrequest;	/* of a response: how many of
						 * them are the request's */
	const unsigned char	*marks;		/* FM_MARK_DROPPED or 0 of each
						 * field; NULL: no field has a
						 * mark */
	struct fm_addr		client;		/* the peer; set only if
						 * fm_program_wants() it */
	bool			answered;	/* of a delivery: it is of an
						 * answer that the rules gave,
						 * so verdicts do nothing */
	uint8_t			session;	/* enum fm_session; set only if
						 * fm_program_wants() it */
	uint16_t		scheme;		/* FM_SCHEME_HTTP or HTTPS, if
						 * a person gives it; or 0:
						 * `scheme from` finds it */
	bool			esi;		/* an ESI sub-request: redirect
						 * and purge do nothing, nor do
						 * synth and answer below 400 */
	unsigned		restarts;	/* of a request, by VCL, before
						 * this run */
	const struct fm_response *response;	/* NULL: it is a request; for
						 * `fetch`, only the flags of
						 * the response to come */
	const struct fm_known_host *host;	/* after the rules for requests:
						 * whose block runs; NULL: that
						 * of the request's Host, to
						 * which rules may have given
						 * another value */
	uint64_t		*counters;	/* fm_program_ncounters() of
						 * them, to count in; or NULL */
	bool			own;		/* this thread alone counts in
						 * `counters` */
};

#endif
