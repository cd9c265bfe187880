/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `builtin;`: the decisions that builtin.vcl takes in vcl_recv and in
 * vcl_backend_response.
 *
 *					7.1 to 7.7	from 8.0 on
 *	a URL that begins with no `/`	- or 400	400
 *	no Host in HTTP/1.1		400		400
 *	PRI				405		501
 *	any other unknown method	pipe		501, Connection: close
 *	neither GET nor HEAD		pass		pass
 *	Authorization, or a Cookie	pass		pass
 *	nothing of this			hash		hash
 *
 * From 9.1 on QUERY is known, and Range is unset unless the method is GET.
 *
 * The check of the URL came with 8.0.1, and with security updates (VSV00018),
 * such as that of Debian's 7.7.0.  The ABI tells none of these from the release
 * before it, so the stricter one counts.  configure reads the rest in the text
 * that varnishd shows; tests/rules/builtin-vcl compares this with that text.
 */

#ifndef FM_BUILTIN_H
#define FM_BUILTIN_H

#include "run.h"

/* Facts in which releases of Varnish differ. */
#define FM_BUILTIN_URL	1U		/* the URL is checked */
#define FM_BUILTIN_501	2U		/* unknown methods are refused */
#define FM_BUILTIN_QUERY 4U		/* QUERY is a known method */
/* Range is unset unless the method is GET, before the given step. */
#define FM_BUILTIN_RANGE(step)	(8U * ((step) + 1U))

/* The steps of builtin.vcl, in its order. */
enum fm_builtin_step {
	FM_BUILTIN_STEP_URL,
	FM_BUILTIN_STEP_HOST,
	FM_BUILTIN_STEP_METHOD,
	FM_BUILTIN_STEP_AUTHORIZATION,
	FM_BUILTIN_STEP_COOKIE,
	FM_BUILTIN_STEP_END
};

/* The facts of the Varnish for which this is built. */
extern const unsigned fm_builtin_here;

/*
 * The request after all edits of the rules.  GET /a of a browser has a method,
 * url, proto and host, and most likely cookie.
 */
struct fm_builtin_request {
	struct fm_text		method;
	struct fm_text		url;
	struct fm_text		proto;		/* missing: HTTP/1.1 */
	struct fm_text		host;		/* header; missing: none */
	bool			authorization;	/* the header is there */
	bool			cookie;		/* the header is there */
	bool			esi;
};

/* PRI / HTTP/2.0, with 7.1: SYNTH, status 405, why "PRI: synth 405". */
struct fm_builtin {
	enum fm_verdict		verdict;	/* HASH, PASS, PIPE or SYNTH */
	unsigned		status;		/* of SYNTH: 400, 405 or 501 */
	bool			lower;		/* sets Host to lower case */
	bool			close;		/* sets Connection: close */
	bool			range;		/* unsets Range */
	const char		*why;		/* "a Cookie: pass" */
};

/* Returns true if builtin.vcl of these facts ever unsets Range. */
static inline bool
fm_builtin_has_range(unsigned facts)
{
	return (facts >= FM_BUILTIN_RANGE(FM_BUILTIN_STEP_URL));
}

/*
 * Return true if a request is a GET of a path, and the verdict of builtin.vcl
 * for such a request that has a Host without upper case: the same with all
 * facts, and without an edit.
 */
static inline bool
fm_builtin_is_usual(struct fm_text method, struct fm_text url)
{
	return (method.len == 3 && memcmp(method.b, "GET", 3) == 0 &&
	    url.len > 0 && url.b[0] == '/');
}

static inline enum fm_verdict
fm_builtin_usual(bool authorization, bool cookie)
{
	return (authorization || cookie ? FM_VERDICT_PASS : FM_VERDICT_HASH);
}

/* Decides as vcl_recv of builtin.vcl does, in a Varnish of these facts. */
struct fm_builtin fm_builtin_decide(unsigned facts,
    const struct fm_builtin_request *);

/*
 * vcl_backend_response.
 *
 *				7.1 to 7.5	7.6, 7.7	from 8.0 on
 *	Content-Range, unless
 *	the status is 206 or 416	stays	unset		unset
 *	no lifetime, Set-Cookie,
 *	Surrogate-Control or
 *	Cache-Control against it,
 *	`Vary: *`			120 s	120 s		uncacheable_ttl
 *
 * The last row is the ttl of a response that becomes uncacheable.
 */
#define FM_BUILTIN_CONTENT_RANGE 1U	/* Content-Range is unset */
#define FM_BUILTIN_PARAM_TTL	2U	/* the ttl is a parameter */

/* The facts about responses of the Varnish for which this is built. */
extern const unsigned fm_builtin_response_here;

/*
 * The response after all edits of the rules.  A text is the value of the first
 * line, or, of Cache-Control and Vary, all lines joined by ", "; missing if
 * there is no such header.
 */
struct fm_builtin_response {
	unsigned		status;
	bool			uncacheable;	/* by VCL or rules, or a pass */
	bool			set_cookie;	/* the header is there */
	bool			content_range;	/* the header is there */
	bool			targeted;	/* cache_control is that of
						 * another header (RFC 9213) */
	double			ttl;		/* beresp.ttl, s */
	double			uncacheable_ttl; /* the parameter, s */
	struct fm_text		surrogate_control;
	struct fm_text		cache_control;
	struct fm_text		vary;
};

/* 200 with a Set-Cookie, with 7.1: uncacheable, ttl 120, why "Set-Cookie". */
struct fm_builtin_stored {
	bool			uncacheable;
	bool			content_range;	/* unsets Content-Range */
	double			ttl;		/* as it was, or new */
	const char		*why;		/* NULL: it was uncacheable
						 * before, or is stored */
};

/*
 * Decides as vcl_backend_response of builtin.vcl does, in a Varnish of these
 * facts.
 */
struct fm_builtin_stored fm_builtin_respond(unsigned facts,
    const struct fm_builtin_response *);

#endif
