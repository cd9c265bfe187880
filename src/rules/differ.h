/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compares what two programs do with one request, or with one response: is it
 * the same, and if not, which rules of which file make the difference?
 *
 *	differ.results[FM_OLD] = fm_run(&runs[FM_OLD], differ.programs[FM_OLD],
 *	    &view, NULL);
 *	...
 *	if (!fm_differ_same(&differ))
 *		fm_differ_tell(&differ, on_change, priv);
 */

#ifndef FM_DIFFER_H
#define FM_DIFFER_H

#include <stdio.h>

#include "run.h"

enum fm_change_kind {
	FM_CHANGE_VERDICT,
	FM_CHANGE_STATUS,
	FM_CHANGE_LOCATION,
	FM_CHANGE_REASON,
	FM_CHANGE_TYPE,		/* of an answer */
	FM_CHANGE_BODY,
	FM_CHANGE_URL,
	FM_CHANGE_BACKEND,
	FM_CHANGE_CALLS,	/* the subs of VCL that are called */
	FM_CHANGE_BANS,		/* that are made */
	FM_CHANGE_HEADER,
	FM_CHANGE_KEY,		/* `fastmatch diff` alone runs these rules, */
	FM_CHANGE_FETCH,	/* and those for what a backend is sent */
	FM_CHANGE_UNCACHEABLE,	/* of a response: from here on in the order of
				 * enum fm_stored */
	FM_CHANGE_TTL,
	FM_CHANGE_GRACE,
	FM_CHANGE_KEEP,
	FM_CHANGE_ESI,
	FM_CHANGE_GZIP,
	FM_CHANGE_GUNZIP,
	FM_CHANGE_STORED,	/* a header; `fastmatch diff` compares these */
	FM_CHANGE_DELIVERED,	/* and those that clients get, */
	FM_CHANGE_STORED_CALLS,	/* and the subs that either phase calls */
	FM_CHANGE_DELIVERED_CALLS,
	FM_CHANGE__KINDS
};

/* "verdict", "status", ... */
const char *fm_change_word(enum fm_change_kind);

/* Indexes of arrays that have an item for the old and the new rules. */
enum fm_side {
	FM_OLD,
	FM_NEW,
	FM_BOTH
};

/*
 * One change.  If the old rules pass, at old.rules:7, and the new ones give no
 * verdict, that is { VERDICT, rules { pass, NULL } }.
 */
struct fm_change {
	enum fm_change_kind	kind;
	struct fm_text		header;		/* HEADER, FETCH: its name */
	const struct fm_rule	*rules[2];	/* rules that did it, of either
						 * side; NULL: none */
	const struct fm_edit	*edits[2];	/* HEADER: its edits; NULL:
						 * no rule edits the header */
};

/*
 * Two runs of one request, or of one response.  For subs alone, a program that
 * is NULL has no rules, and calls none.
 */
struct fm_differ {
	const struct fm_program	*programs[2];
	const struct fm_result	*results[2];
};

/* Returns the backend that a side names, or the missing text. */
struct fm_text fm_differ_backend(const struct fm_differ *, enum fm_side);

/* Writes the names of the subs that a side calls, with a blank between two. */
void fm_differ_calls(const struct fm_differ *, enum fm_side, FILE *);
/* Writes the bans that a side makes, with a semicolon between two. */
void fm_differ_bans(const struct fm_differ *, enum fm_side, FILE *);

/*
 * Returns true if both sides call the same subs, in the same order.  Otherwise
 * the rules are those of the first calls that differ; NULL: a side has none.
 */
bool fm_differ_same_calls(const struct fm_differ *,
    const struct fm_rule *rules[2]);

/* Returns true if both results come to the same. */
bool fm_differ_same(const struct fm_differ *);

/*
 * Tells of each change, with the rules that the results name: those that
 * decided, or edited last.  A rule that left things as they were is none.
 */
typedef void fm_change_f(void *priv, const struct fm_change *,
    const struct fm_differ *);

void fm_differ_tell(const struct fm_differ *, fm_change_f *, void *priv);

/*
 * Compares what two programs add to the key of a request; NULL: nothing, as no
 * rule is for keys.
 */
bool fm_differ_same_key(const struct fm_key *, const struct fm_key *);

/*
 * Returns the first statement of a program that adds to its key what the other
 * key does not have there, or NULL: there is none.  Runs the program, on the
 * view that has given the key.
 */
const struct fm_rule *fm_differ_key(const struct fm_program *,
    const struct fm_view *, const struct fm_key *, const struct fm_key *other);

#endif
