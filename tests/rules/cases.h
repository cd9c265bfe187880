/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The cases of tests/cases, read: rules, requests, and what is expected of
 * them.  tests/cases/README.md has the format.
 */

#ifndef CASES_H
#define CASES_H

#include "arena.h"
#include "diag.h"
#include "run.h"
#include "text.h"
#include "view.h"

/* Who can be given a case: a bit each. */
enum cases_engine {
	CASES_CORE	= 1,
	CASES_CLI	= 2,
	CASES_VARNISHD	= 4
};
#define CASES_EVERYWHERE	(CASES_CORE | CASES_CLI | CASES_VARNISHD)

#define CASES_MAIN		"main.rules"	/* the first file's name */
#define CASES_WARNED		"warned:"	/* a title begins so */

/* A file of a group; the first one is the rules. */
struct cases_file {
	const char		*name;
	struct fm_text		text;
	struct cases_file	*next;
};

/* A field that is expected, or (value is missing) expected not to be there. */
struct cases_field {
	struct fm_text		name;
	struct fm_text		value;
	struct cases_field	*next;
};

#define CASES_ANY	UINT32_MAX	/* a number that may be any */

/* Texts are missing, and numbers CASES_ANY, where nothing was said. */
struct cases_expected {
	enum fm_verdict		verdict;
	unsigned		status;
	struct fm_text		text;	/* reason, Location, media type */
	struct fm_text		body;	/* of an answer */
	struct fm_text		url;
	struct cases_field	*fields;
	struct fm_text		backend;
	struct fm_text		ruleset;
	bool			no_ruleset;
	struct fm_text		host;
	bool			no_host;
	struct fm_text		rule;	/* "LINE" or "FILE:LINE" */
	uint32_t		scans;
	uint32_t		undecided;
	uint32_t		ignored;
};

struct cases_one {
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
	struct cases_expected	expected;
	struct cases_one	*next;
};

struct cases_group {
	unsigned		line;	/* of "=== rules" */
	struct fm_text		title;
	struct cases_file	*files;
	struct cases_one	*ones;
	struct cases_group	*next;
};

struct cases {
	struct fm_arena		arena;
	struct fm_file		*file;
	const char		*path;
	struct cases_group	*groups;
};

/* NULL with what is wrong in the diag. */
struct cases *cases_read(const char *path, struct fm_diag *);
void cases_free(struct cases **);

/* A view of a request, that of the case or another one. */
struct fm_view cases_view(const struct cases_one *);

#endif
