/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes a request or a fetch of a transaction of Varnish's log: what came, what
 * each sub of VCL has changed and returned, and what was found or stored.  A
 * record of a header is a change if a sub of VCL runs, or is what came:
 *
 *	ReqHeader	Host: A.example		came
 *	VCL_call	RECV
 *	ReqUnset	Host: A.example		changed, by
 *	ReqHeader	Host: a.example		this one
 *	VCL_return	hash
 *
 * The texts are those of the transaction.  Lists are never freed: this is for
 * the few transactions of a request.
 */

#ifndef FM_EXCHANGE_H
#define FM_EXCHANGE_H

#include "transaction.h"
#include "view.h"

struct fm_log_headers {
	struct fm_text		*v;		/* "Name: value" */
	size_t			n, room;
};

struct fm_log_message {
	struct fm_text		method, url, proto;
	unsigned		status;		/* of a response */
	struct fm_text		reason;
	struct fm_log_headers	headers;
};

/* Returns the value of the first header of a name, or the missing text. */
struct fm_text fm_log_header(const struct fm_log_headers *, const char *name);

/*
 * Returns all values of a name, with ", " between, those of Cookie with "; ";
 * they are never freed.
 */
struct fm_text fm_log_joined(const struct fm_log_headers *, const char *name);

/* Makes fields of headers, for views. */
struct fm_field *fm_log_fields(const struct fm_log_headers *);

/* A change that VCL or rules have made: a part of it is missing, or both are
 * there. */
struct fm_log_change {
	struct fm_text		before, after;	/* headers; or URLs */
	bool			url;
};

/* A sub of VCL: its changes, what it returned, and the module's lines. */
struct fm_log_sub {
	struct fm_text		returned;	/* missing: it was not called */
	struct fm_log_change	*changes;
	size_t			nchanges, changes_room;
	struct fm_text		*lines;		/* without "fastmatch: " */
	size_t			nlines, lines_room;
	struct fm_text		decided;	/* "pass"; or missing */
	struct fm_text		place;		/* "site.rules:3" */
	bool			builtin;	/* by `builtin` of the rules */
	bool			next;		/* the rules of `next` ran */
};

enum fm_log_lookup {
	FM_LOG_NONE,		/* no lookup: a synth, say */
	FM_LOG_HIT,
	FM_LOG_MISS,
	FM_LOG_HITMISS,
	FM_LOG_HITPASS,
	FM_LOG_PASS,
	FM_LOG_PIPE,
	FM_LOG_PURGE,
	FM_LOG_SYNTH,
	FM_LOG_RESTART,
	FM_LOG_FAIL
};

struct fm_log_request {
	const struct fm_transaction *it;
	struct fm_text		client;
	struct fm_log_message	came;		/* at vcl_recv */
	struct fm_log_message	left;		/* as it was looked up */
	struct fm_log_message	delivered;
	struct fm_log_sub	recv, hash, hit, miss, deliver, synth;
	enum fm_log_lookup	lookup;
	uint64_t		object;		/* that was found; 0: none */
	double			ttl, grace, keep;	/* of it */
	bool			streamed;	/* it was still being fetched */
	double			waited;		/* s, on the waiting list */
	uint64_t		fetch;		/* that it waited for */
	uint64_t		background;	/* fetch; 0: none */
	uint64_t		restarted;	/* the next round; 0: none */
	unsigned		parts;		/* of ESI */
	struct fm_text		vcl_error;	/* or missing */
	struct fm_text		error;		/* the last one; or missing */
	struct fm_text		*hashed;	/* the log's Hash records */
	size_t			nhashed, hashed_room;
};

/* A record of a lifetime, as "VCL 120 10 0 1312966111 uncacheable". */
struct fm_log_ttl {
	bool			core;		/* RFC: by Varnish itself */
	bool			pass;		/* HFP: hit-for-pass */
	double			ttl, grace, keep;
	double			now;		/* of the core, or 0 */
	double			origin;		/* the ttl begins, in seconds */
	bool			uncacheable;
};

struct fm_log_fetch {
	const struct fm_transaction *it;
	struct fm_log_message	sent, came, stored;
	struct fm_log_message	seen;		/* by vcl_backend_response; of
						 * a 304, with the headers of
						 * the object */
	struct fm_log_sub	fetch, response, error;
	struct fm_log_ttl	*ttls;
	size_t			nttls, ttls_room;
	double			answered;	/* the backend has, at this
						 * time; 0: not */
	bool			refreshed;	/* a 304 */
	struct fm_text		failed;		/* FetchError; or missing */
	struct fm_text		problem;	/* Error, the last one */
	uint64_t		retried;	/* the next try; 0: none */
	struct fm_text		length;		/* of the body; or missing */
	struct fm_text		storage;
};

struct fm_log_request fm_log_request(const struct fm_transaction *);
struct fm_log_fetch fm_log_fetch(const struct fm_transaction *);

/* Returns false if the log lacks the records of the subs that ran. */
static inline bool
fm_log_has_calls(const struct fm_log_request *request)
{
	return (request->recv.returned.b != NULL ||
	    request->came.method.b == NULL);
}

/* Returns the lifetime that a fetch leaves; NULL: none was set. */
static inline const struct fm_log_ttl *
fm_log_last_ttl(const struct fm_log_fetch *fetch)
{
	return (fetch->nttls == 0 ? NULL : &fetch->ttls[fetch->nttls - 1]);
}

/* Returns true if the fetch failed after vcl_backend_response: in the body. */
static inline bool
fm_log_is_cut(const struct fm_log_fetch *fetch)
{
	return (fetch->failed.b != NULL && fetch->error.returned.b == NULL &&
	    fetch->response.returned.b != NULL);
}

/* Returns true if a fetch leaves an object that requests find. */
bool fm_log_is_stored(const struct fm_log_fetch *);

/* Returns "vcl_backend_fetch returned error", if VCL failed it; or missing. */
struct fm_text fm_log_failed_sub(const struct fm_log_fetch *);

/* Return what the Age has left of the last ttl of a fetch, and its end. */
double fm_log_left(const struct fm_log_fetch *);
double fm_log_expires(const struct fm_log_fetch *);

#endif
