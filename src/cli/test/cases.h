/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads files of cases: rules, requests, and what is expected of the requests.
 * fastmatch.test(5) describes the format.  Both `fastmatch test` and the tests
 * of the rule language (tests/rules) run such files.  A file becomes a list of
 * groups, each with its rules and a list of cases:
 *
 *	=== rules from shop.rules	fm_cases_group
 *	=== request the cart		fm_case
 *	GET /cart
 *	Host: shop.example.com
 *	=== expect			fm_cases_expected
 *	verdict pass
 *	=== response			fm_case: the same request, and this
 *	200				fm_case_response
 *	Set-Cookie: a=1
 *	=== expect			fm_cases_expected
 *	cached no
 */

#ifndef FM_CASES_H
#define FM_CASES_H

#include "arena.h"
#include "diag.h"
#include "run.h"
#include "text.h"
#include "view.h"

/* The programs that can run a case, a bit each; "only" names some of them. */
enum fm_cases_engine {
	FM_CASES_CORE		= 1,
	FM_CASES_CLI		= 2,
	FM_CASES_VARNISHD	= 4
};
#define FM_CASES_EVERYWHERE						\
	(FM_CASES_CORE | FM_CASES_CLI | FM_CASES_VARNISHD)

#define FM_CASES_MAIN		"main.rules"	/* name of the rules */
#define FM_CASES_WARNED		"warned:"	/* begins the title of
							 * rules that have
							 * warnings */

/* A file of a group; the first file is the rules, others are what they read. */
struct fm_cases_file {
	const char		*name;
	struct fm_text		text;
	struct fm_cases_file	*next;
};

/* An expected header; a missing value: there must be no such header. */
struct fm_cases_field {
	struct fm_text		name;
	struct fm_text		value;
	struct fm_cases_field	*next;
};

#define FM_CASES_ANY		UINT32_MAX	/* any number is right */

/*
 * The expectations of a case.  A field that the case doesn't mention is the
 * missing text, or FM_CASES_ANY as a number.
 */
struct fm_cases_expected {
	bool			given;	/* the case has "=== expect" */
	enum fm_verdict		verdict;
	unsigned		status;
	struct fm_text		text;	/* reason, Location, media type */
	struct fm_text		body;	/* of a verdict `answer` */
	struct fm_text		url;
	bool			any_url;
	struct fm_cases_field	*fields;
	bool			any_headers;	/* others than `fields` */
	struct fm_text		backend;
	bool			any_backend;
	struct fm_cases_field	*logs;		/* lines, in `value`; NULL:
						 * any, unless no_log */
	bool			no_log;
	struct fm_cases_field	*keys;		/* likewise, of the key */
	bool			no_key;
	struct fm_cases_field	*calls;		/* subs of VCL, in `value` */
	bool			any_calls;
	struct fm_cases_field	*bans;		/* all tests of each */
	bool			any_bans;
	bool			as_without;	/* "no calls" and "no bans" say
						 * what is so without them */
	struct fm_text		ruleset;
	bool			no_ruleset;
	struct fm_text		host;
	bool			no_host;
	struct fm_cases_field	*sent;		/* to a backend */
	struct fm_text		rule;	/* "LINE" or "FILE:LINE" */
	uint32_t		scans;
	uint32_t		undecided;
	uint32_t		ignored;

	/* These are of a response; `fields` has its delivered headers. */
	double			ttl, grace, keep;	/* s; below 0: any */
	bool			is_cached, not_cached;
	struct fm_cases_field	*stored;
};

/* A response to the request of a case. */
struct fm_case_response {
	unsigned		status;		/* 0: not read yet */
	struct fm_field		*fields;
	unsigned		nfields;
	bool			background, retry, hit, stale;
	bool			own;		/* Varnish made it */
	bool			refresh;	/* a 304 follows */
};

struct fm_case {
	unsigned		line;	/* where "=== request" is */
	struct fm_text		title;
	unsigned		engines;	/* FM_CASES_ bits */
	struct fm_text		method;
	struct fm_text		url;
	struct fm_field		*fields;
	unsigned		nfields;
	unsigned char		*marks;	/* for the view, of each field */
	struct fm_text		client;	/* missing:
						 * FM_CLI_CLIENT */
	bool			esi;
	uint32_t		restarts;
	struct fm_text		scheme;		/* missing: that of the URL, or
						 * found by the rules */
	struct fm_text		proto;		/* missing: HTTP/1.1 */
	struct fm_case_response	*response;	/* that the case is about; NULL:
						 * it is about the request */
	struct fm_cases_expected expected;
	struct fm_case		*next;
};

struct fm_cases_group {
	unsigned		line;	/* where "=== rules" is */
	struct fm_text		title;
	const char		*from;	/* the file of "rules from"; NULL: the
					 * rules are the first of `files` */
	struct fm_cases_file	*files;
	struct fm_case		*ones;
	struct fm_cases_group	*next;
};

struct fm_cases {
	struct fm_arena		arena;
	struct fm_file		*file;
	const char		*path;
	struct fm_cases_group	*groups;
};

/*
 * Read the cases of a path, or of a file that was read already, which the cases
 * own from then on.  Both return NULL if the diag has errors.
 */
struct fm_cases *fm_cases_read(const char *path, struct fm_diag *);
struct fm_cases *fm_cases_parse(const char *path, struct fm_file *,
    struct fm_diag *);
void fm_cases_free(struct fm_cases **);

/*
 * Makes path and scheme of the URL http://HOST/PATH of a request that has no
 * Host, as fm_made_url() does.  Returns the line of the Host, which is to be
 * added; or the missing text.
 */
struct fm_text fm_case_host(struct fm_case *, struct fm_arena *);

/* Returns a view of a case's request, for fm_run(). */
struct fm_view fm_case_view(const struct fm_case *);

#endif
