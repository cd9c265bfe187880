/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs a program on a view of a request, for the module, the command line and
 * the tests.  The result has a verdict and edits.  A run does not touch the
 * request: the caller makes all edits, or none.
 *
 *	struct fm_run run;
 *
 *	result = fm_run(&run, program, &view, NULL);
 *	...
 *	fm_run_end(&run);
 */

#ifndef FM_RUN_H
#define FM_RUN_H

#include "hosttab.h"
#include "program.h"
#include "scratch.h"
#include "tally.h"
#include "trace.h"
#include "view.h"

enum fm_verdict {
	FM_VERDICT_NONE,
	FM_VERDICT_PASS,
	FM_VERDICT_PIPE,
	FM_VERDICT_HASH,
	FM_VERDICT_PURGE,
	FM_VERDICT_SYNTH,
	FM_VERDICT_REDIRECT,
	FM_VERDICT_ANSWER,
	FM_VERDICT_REFUSE	/* the request is refused without edits, also
				 * an ESI sub-request: enum fm_refuse */
};

/* Why a request is refused. */
enum fm_refuse {
	FM_REFUSE_UNDECIDED,	/* a rule was undecided */
	FM_REFUSE_FRAGMENT,	/* a rule needs the URL, which has a raw `#` */
	FM_REFUSE_CLIENT	/* a rule needs the client, which is unknown */
};

/* Returns "pass", "redirect" and so on; NULL for FM_VERDICT_NONE. */
const char *fm_verdict_word(enum fm_verdict);

/*
 * Removes all fields of a name, whatever its case; if `set`, one field "name:
 * value" takes their place.  A result has at most one edit of a name, and each
 * edit changes the request.
 *
 *	fields 3 "X-A: 1", 5 "x-a: 2"; set X-A = 7	set, field 3, "X-A", "7"
 *	the request has no X-B;        set X-B = 8	set, field NEW
 *	fields 3 and 5;                unset X-A	not set, field 3
 */
struct fm_edit {
	bool			set;
	uint32_t		field;		/* if set: first field of this
						 * name in the view, or
						 * FM_EDIT_NEW */
	struct fm_text		name;
	struct fm_text		value;		/* has no CR, LF or NUL */
	const struct fm_rule	*rule;		/* that changed it last */
};

#define FM_EDIT_NEW	UINT32_MAX

/*
 * The result of a run.  After `redirect 301 "https://a.example${url}"` it has
 * the verdict REDIRECT, status 301, and the Location as its text.
 */
struct fm_result {
	enum fm_verdict		verdict;
	unsigned		status;		/* HTTP status of synth,
						 * redirect, answer, refuse */
	struct fm_text		text;		/* synth: the reason, missing
						 * if the rules give none;
						 * redirect: the Location;
						 * answer: the media type */
	struct fm_text		body;		/* of an answer */
	bool			denied;		/* synth or answer denies an
						 * ESI sub-request: what the
						 * page gets has no body */
	const struct fm_rule	*rule;		/* that gave the verdict, or
						 * NULL */
	enum fm_refuse		refuse;		/* only if the verdict is
						 * REFUSE */

	struct fm_text		host;		/* canonical; missing: invalid,
						 * or not sent */
	bool			host_in_view;	/* host.b points into the view,
						 * not into the run */
	struct fm_text		site;		/* ${ruleset}; missing: no
						 * block is the host's */
	enum fm_hosttab_how	how;		/* how the host was found */
	bool			otherwise;	/* the host was not found, and
						 * the block of `default` ran */
	uint32_t		pattern;	/* n for fm_program_host(), or
						 * UINT32_MAX */

	bool			url_changed;
	struct fm_text		url;		/* the new URL, which is never
						 * empty; or the view's */
	const struct fm_rule	*url_rule;	/* that changed it last */
	const struct fm_edit	*edits;
	unsigned		nedits;
	unsigned		nadded;		/* edits with FM_EDIT_NEW */
	size_t			lines;		/* bytes of all new lines, each
						 * "name: value" and a NUL */
	const uint32_t		*gone;		/* fields of the view to remove
						 * without replacement, in no
						 * order */
	unsigned		ngone;

	bool			backend_set;
	uint32_t		backend;	/* n for fm_program_backend() */
	const struct fm_rule	*backend_rule;	/* that set the backend */

	struct fm_tally		tally;		/* what matching has cost */
	unsigned		undecided;	/* number of whens, maps and
						 * rewrites undecided */
	const struct fm_rule	*undecided_at;	/* the first of them, or NULL */
	unsigned		ignored;	/* verdicts passed over, as
						 * this is an ESI sub-request */
	bool			no_memory;	/* the run failed: there are no
						 * edits and no verdict */
};

struct fm_run {
	unsigned		magic;
#define FM_RUN_MAGIC		0x5e0c7a91
	struct fm_result	result;		/* points into what follows */
	char			host[FM_HOSTNAME_MAX];
	struct fm_scratch	scratch;
};

/*
 * Runs a program, and tells the trace, which may be NULL.  Returns a result
 * that points into the run, the view and the program.  Takes no lock.  Calls
 * malloc() only if the scratch, 4 KB in struct fm_run, is too small.
 */
const struct fm_result *fm_run(struct fm_run *, const struct fm_program *,
    const struct fm_view *, const struct fm_trace *);
void fm_run_end(struct fm_run *);

/*
 * Does only the first step of fm_run(): finds the host.  Returns a result that
 * has the host, and how it was found; for fm_run_end(), too.
 */
const struct fm_result *fm_run_host(struct fm_run *,
    const struct fm_program *, const struct fm_view *);

/*
 * Finds the client of the view: its peer, or the client that trusted proxies
 * name (`client from`).  Returns false, and no address, if the client is
 * unknown: nothing may depend on it then.
 */
bool fm_run_client(const struct fm_program *, const struct fm_view *,
    struct fm_addr *client);

#endif
