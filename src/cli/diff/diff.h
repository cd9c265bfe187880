/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch diff` runs the old and the new rules over the requests of logs,
 * and shows what differs.  A change is counted in a cell: what changed (the
 * URL, say), by which rules of both files, at which host.  The report puts the
 * cells of all hosts together into a group.
 *
 *	logs -> fm_diff_request() -> cells	group.c
 *				stored.c, what is made of responses
 *	     -> rules that the logs can't tell	untold.c
 *	     -> bans				ban.c
 *	     -> groups, as text or JSON		report.c
 */

#ifndef FM_DIFF_H
#define FM_DIFF_H

#include <stdio.h>

#include "arena.h"
#include "differ.h"
#include "distinct.h"
#include "load.h"
#include "logs/recorded.h"
#include "record.h"
#include "run.h"
#include "unseen.h"

/*--------------------------------------------------------------------
 * Cells
 */

#define FM_DIFF_EXAMPLES	3	/* of a cell, with different URLs */

/* A request with the change of a cell. */
struct fm_diff_example {
	struct fm_where		where;
	const char		*method, *host, *url, *agent;
	const char		*values[2];	/* old, new; NULL: none */
};

/* All changes of one kind, by the same rules, at one host. */
struct fm_diff_cell {
	enum fm_change_kind	kind;
	struct fm_text		header;		/* its name, as it came first */
	const struct fm_rule	*rules[2];	/* old, new */
	struct fm_text		host;		/* canonical; missing: none */
	uint64_t		requests;
	struct fm_diff_example	examples[FM_DIFF_EXAMPLES];
	unsigned		nexamples;	/* in the order of the logs */
};

/*--------------------------------------------------------------------
 * Stored responses
 */

#define FM_DIFF_NAMES	8	/* of headers */

struct fm_diff_names {
	struct fm_text		v[FM_DIFF_NAMES];
	unsigned		n;
};

/* URLs that begin with a text; whole: all of them are the text. */
struct fm_diff_prefix {
	struct fm_text		text;
	bool			whole;
};

/* The objects of a host to forget, since the new rules store others. */
struct fm_diff_forget {
	struct fm_text		host;		/* as requests have it after
						 * the new rules, without a
						 * port */
	struct fm_diff_prefix	url;		/* after the new rules, */
	struct fm_diff_prefix	old_url;	/* and after the old ones */
};

struct fm_diff_stored {
	uint64_t		requests;	/* with another response */
	uint64_t		unanswered;	/* the log has no response of
						 * them */
	struct fm_distinct	urls;
	struct fm_diff_forget	*hosts;
	size_t			nhosts, room;
	struct fm_distinct	by_host;	/* numbers are those of hosts */
	struct fm_diff_prefix	url, old_url;	/* of all hosts */
	/* Headers in which the old rules store the host, and the URL. */
	struct fm_diff_names	host_names, url_names;
};

struct fm_diff_count {
	const struct fm_program	*programs[2];
	struct fm_recorded	recorded;
	struct fm_diff_stored	stored;
	uint64_t		seed;
	struct fm_arena		arena;
	struct fm_diff_cell	*cells;
	size_t			ncells, cells_room;
	struct fm_distinct	by_hash;	/* numbers are those of cells */
	uint64_t		changed;	/* requests */
};

/*--------------------------------------------------------------------
 * Sides
 */

/* Returns true for "-", and for a pipe, as the shell's <(...) makes. */
bool fm_diff_is_pipe(const char *path);

/*
 * Loads the rules of a path, which may be a pipe; includes in a pipe are those
 * beside the path of the other side.  Returns false after an error.
 */
bool fm_diff_open(struct fm_rules *, const char *path, const char *other);

/*
 * Loads the rules of a path, and the files that it names, as they are in a
 * commit of git.  Returns false after an error.  --vcl must be absolute.
 */
bool fm_diff_open_commit(struct fm_rules *, const char *path,
    const char *commit);

/*
 * Runs both rules over a request, and counts its changes; a fm_logs_request_f.
 */
void fm_diff_request(void *count, struct fm_made_request *, struct fm_where);

/* A request while it is compared. */
struct fm_diff_request {
	struct fm_diff_count	*count;
	const struct fm_made_request *made;
	struct fm_where		where;
	struct fm_record	records[2];	/* of the statements */
	const char		*values[2];	/* what both sides have of what
						 * a change is about, unless
						 * it is in the results; NULL:
						 * none */
};

/* Returns the subs of a side, "throttle auth", or its bans; NULL: none. */
const char *fm_diff_noted(struct fm_diff_count *, const struct fm_differ *,
    enum fm_side, bool bans);

/* Counts a change of a request; a fm_change_f. */
void fm_diff_change(void *request, const struct fm_change *,
    const struct fm_differ *);

/*
 * Compares what both sides store and deliver of the request's response.
 * Returns true if that differs.
 */
bool fm_diff_responses(struct fm_diff_request *, const struct fm_differ *,
    const struct fm_view *);

/*
 * Writes the bans that forget what the old rules have stored, one a line, as
 * varnishadm takes them: "obj.http.X-Host ~ ...".  Returns true if the ban
 * lurker can test them.
 */
bool fm_diff_bans(const struct fm_diff_stored *, FILE *);

/*
 * Makes the rules of a change of the URL or of a header those at which two
 * runs diverge; the statements of each are recorded.
 */
void fm_diff_diverge(const struct fm_record[2], struct fm_change *);

/*--------------------------------------------------------------------
 * Rules that the log can't tell
 */

struct fm_diff_untold_rule {
	enum fm_side		side;		/* BOTH: `rule` is of NEW */
	const struct fm_unseen_rule *rule;
};

/*
 * Rules that may make both files differ, though no request of the log shows it.
 */
struct fm_diff_untold {
	struct fm_unseen	unseen[2];
	struct fm_diff_untold_rule *rules;	/* rules of BOTH come last */
	size_t			n, room;
};

/* Finds the untold rules; to be called after the logs were read. */
void fm_diff_untold_find(struct fm_diff_untold *, const struct fm_rules[2],
    const struct fm_logs *);

/*--------------------------------------------------------------------
 * The report
 */

struct fm_diff {
	const char		*files[2];
	const struct fm_logs	*logs;
	size_t			top;		/* groups, hosts of each */
	struct fm_diff_count	*count;
	const struct fm_diff_untold *untold;
};

/* Prints the report; sorts the cells of the count for that. */
void fm_diff_report(const struct fm_diff *);

#endif
