/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The way of a response through Varnish, with the rules for it: the page and
 * the subcommands explain and test show and compare each part.
 *
 *	request, after its rules		fm_respond_init()
 *	    builtin.vcl of vcl_recv, if they have no verdict
 *	what the backend is sent		fm_respond_fetch()
 *	    the core's headers; `fetch`
 *	response				fm_respond_store()
 *	    the core's lifetime; `response`;
 *	    builtin.vcl of vcl_backend_response, if they have no verdict
 *	what is stored, or passed		fm_respond_deliver()
 *	    the core's headers; `delivery`
 */

#ifndef FM_RESPOND_H
#define FM_RESPOND_H

#include "arena.h"
#include "builtin.h"
#include "lifetime.h"
#include "run.h"

/* Parameters of varnishd, by their names; times in seconds. */
struct fm_respond_params {
	double			default_ttl;
	double			default_grace;
	double			default_keep;
	double			clock_skew;
	double			uncacheable_ttl;
	double			max_retries;
};

/* Defaults, which the user may replace. */
extern const struct fm_respond_params fm_respond_usual;

/* A response of a backend. */
struct fm_respond_to {
	unsigned		status;
	struct fm_field		*fields;
	unsigned		nfields;
	unsigned		flags;		/* FM_FETCH_BACKGROUND,
						 * FM_FETCH_RETRY, and
						 * FM_CACHE_OWN: Varnish made
						 * it of a failed fetch */
	double			now;		/* s since 1970 */
	const struct fm_respond_to *fresh;	/* the headers of a 304, which
						 * give the lifetime; NULL: the
						 * fields do */
};

/*
 * The headers of a message, and what the rules of a phase have made of them.
 * Without such rules, result is NULL, and the headers stay as they are.
 */
struct fm_respond_run {
	struct fm_view		view;
	struct fm_response	response;	/* of the view */
	const struct fm_result	*result;
	struct fm_run		run;
	struct fm_field		*after;
	unsigned		nafter;
};

/* A response as the rules leave it, and as it is delivered. */
enum fm_respond_fate {
	FM_RESPOND_STORED,
	FM_RESPOND_EXPIRED,	/* stored without a lifetime: stale at once */
	FM_RESPOND_UNCACHEABLE,	/* not stored, which is remembered */
	FM_RESPOND_PASSED,	/* `pass` of `response`: the same, and later
				 * requests are passed */
	FM_RESPOND_PASS,	/* the request was a pass */
	FM_RESPOND_ABANDONED,
	FM_RESPOND_RETRIED
};

struct fm_respond {
	const struct fm_program	*program;
	struct fm_respond_params params;
	struct fm_arena		arena;		/* of lines and arrays */
	bool			no_memory;	/* parts are lacking */

	/* The request, as its rules have left it, with the host before. */
	struct fm_view		request;
	const struct fm_rule	*request_rule;	/* that gave its verdict */
	enum fm_verdict		verdict;	/* HASH or PASS: a backend is
						 * asked; else none is */
	const char		*why;		/* as builtin.vcl tells it */
	unsigned char		*marks;		/* of the request's fields */
	enum fm_verdict		given;		/* by the request's rules */
	bool			asks_builtin;	/* the rules have no verdict */

	/* What the backend is sent; its view has no fields before that. */
	struct fm_respond_run	sent;

	/* The response, as it is stored or passed. */
	struct fm_respond_to	to;
	struct fm_lifetime	lifetime;
	struct fm_respond_run	stored;
	enum fm_respond_fate	fate;
	const char		*uncacheable;	/* by builtin.vcl, as the rules
						 * have no verdict:
						 * "Set-Cookie"; NULL: not */
	struct fm_builtin_response builtin;	/* decided by, or would be */
	double			ttl, grace, keep;	/* from now on; not of
							 * a PASS */
	struct fm_cause		cause;
};

/* Takes the request of a view, and the result of its rules. */
void fm_respond_init(struct fm_respond *, const struct fm_program *,
    const struct fm_view *, const struct fm_result *);
void fm_respond_fini(struct fm_respond *);

/*
 * Makes the key of the request.  Returns false, with an empty run, if there are
 * no rules for keys, the request's rules have answered or passed it, or there
 * is no memory.
 */
bool fm_respond_key(struct fm_respond *, struct fm_respond_run *,
    const struct fm_trace *);

/*
 * Returns what a statement adds to the key as a line, for free(): "header A:
 * b", "no header A", "cookie a=1", "no cookie a" or "text b".  NULL: no memory.
 */
char *fm_key_line(const struct fm_event *);

/* Returns true if a backend is asked. */
static inline bool
fm_respond_fetches(const struct fm_respond *respond)
{
	return (respond->verdict == FM_VERDICT_HASH ||
	    respond->verdict == FM_VERDICT_PASS);
}

/*
 * Sends the request to a backend; the flags are FM_FETCH_BACKGROUND and
 * FM_FETCH_RETRY.  Call once.
 */
void fm_respond_fetch(struct fm_respond *, unsigned flags,
    const struct fm_trace *);

/* Returns true if the rules for fetches have abandoned what was sent. */
static inline bool
fm_respond_unsent(const struct fm_respond *respond)
{
	return (respond->sent.result != NULL &&
	    respond->sent.result->verdict != FM_VERDICT_NONE);
}

/* Stores a response, and sends the request before.  Call once. */
void fm_respond_store(struct fm_respond *, const struct fm_respond_to *,
    const struct fm_trace *);

/* Returns true if what was stored, or passed, is delivered. */
static inline bool
fm_respond_delivers(const struct fm_respond *respond)
{
	return (respond->fate <= FM_RESPOND_PASS);
}

/* Returns true if what was stored may be a hit later. */
static inline bool
fm_respond_is_kept(const struct fm_respond *respond)
{
	return (respond->fate == FM_RESPOND_STORED);
}

/*
 * Delivers what was stored: as a FM_CACHE_MISS, or as a FM_CACHE_HIT or
 * FM_CACHE_STALE some seconds later; what was not stored, as FM_CACHE_PASS.
 * The caller ends the run.
 */
void fm_respond_deliver(struct fm_respond *, struct fm_respond_run *,
    unsigned flag, double later, const struct fm_trace *);
void fm_respond_run_end(struct fm_respond_run *);

/*
 * Delivers the answer that a verdict gives; `answered`: a verdict of rules for
 * deliveries, which no other verdict takes the place of.  Returns false, with
 * an empty run, if the verdict gives none, or there is no memory.
 */
bool fm_respond_answer(struct fm_respond *, struct fm_respond_run *,
    const struct fm_result *, bool answered, const struct fm_trace *);

/*
 * Fills in a delivery of what the backend has sent, without any rules: `after`
 * is what the client would get.
 */
void fm_respond_bare(struct fm_respond *, struct fm_respond_run *,
    unsigned flag, double later);

/*
 * Makes of what was stored the response that a backend's 304 leads to, with no
 * header of its own but those that give the lifetime.
 */
void fm_respond_refresh(struct fm_respond *, struct fm_respond_to *);

#endif
