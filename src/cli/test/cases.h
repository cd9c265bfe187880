/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A file of cases, read: rules, requests, and what is expected of them.
 * fastmatch.test(5) has the format.  `fastmatch test` runs these files, and so
 * do the tests of the rule language (tests/rules).
 *
 *	=== rules from shop.rules	fm_cases_group
 *	=== request the cart		fm_case
 *	GET /cart
 *	Host: shop.example.com
 *	=== expect			fm_cases_expected
 *	verdict pass
 */

#ifndef FM_CASES_H
#define FM_CASES_H

#include "arena.h"
#include "diag.h"
#include "run.h"
#include "text.h"
#include "view.h"

/* A case can be given to these, a bit each. */
enum fm_cases_engine {
	FM_CASES_CORE		= 1,
	FM_CASES_CLI		= 2,
	FM_CASES_VARNISHD	= 4
};
#define FM_CASES_EVERYWHERE						\
	(FM_CASES_CORE | FM_CASES_CLI | FM_CASES_VARNISHD)

#define FM_CASES_MAIN		"main.rules"	/* the first file's name */
#define FM_CASES_WARNED		"warned:"	/* a title begins so */

/* A file of a group; the first one is the rules. */
struct fm_cases_file {
	const char		*name;
	struct fm_text		text;
	struct fm_cases_file	*next;
};

/* A field that is expected, or (value is missing) expected not to be there. */
struct fm_cases_field {
	struct fm_text		name;
	struct fm_text		value;
	struct fm_cases_field	*next;
};

#define FM_CASES_ANY		UINT32_MAX	/* a number that may be any */

/* Texts are missing, and numbers FM_CASES_ANY, where nothing was said. */
struct fm_cases_expected {
	bool			given;	/* there is "=== expect" */
	enum fm_verdict		verdict;
	unsigned		status;
	struct fm_text		text;	/* reason, Location, media type */
	struct fm_text		body;	/* of an answer */
	struct fm_text		url;
	bool			any_url;
	struct fm_cases_field	*fields;
	bool			any_headers;	/* that fields don't name */
	struct fm_text		backend;
	bool			any_backend;
	struct fm_text		ruleset;
	bool			no_ruleset;
	struct fm_text		host;
	bool			no_host;
	struct fm_text		rule;	/* "LINE" or "FILE:LINE" */
	uint32_t		scans;
	uint32_t		undecided;
	uint32_t		ignored;
};

struct fm_case {
	unsigned		line;	/* of "=== request" */
	struct fm_text		title;
	unsigned		engines;
	struct fm_text		method;
	struct fm_text		url;
	struct fm_field		*fields;
	unsigned		nfields;
	struct fm_text		client;	/* missing: 127.0.0.1 */
	bool			esi;
	struct fm_text		proto;		/* missing: HTTP/1.1 */
	struct fm_cases_expected expected;
	struct fm_case		*next;
};

struct fm_cases_group {
	unsigned		line;	/* of "=== rules" */
	struct fm_text		title;
	const char		*from;	/* the file of "rules from"; NULL: the
					 * rules are the first of the files */
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

/* NULL with what is wrong in the diag.  To parse takes the file. */
struct fm_cases *fm_cases_read(const char *path, struct fm_diag *);
struct fm_cases *fm_cases_parse(const char *path, struct fm_file *,
    struct fm_diag *);
void fm_cases_free(struct fm_cases **);

/* Returns a view of the request of a case. */
struct fm_view fm_case_view(const struct fm_case *);

#endif
