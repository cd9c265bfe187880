/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compares what two programs do with one request: is it the same, and if not,
 * which rules of which file make the difference?
 *
 *	differ.results[FM_OLD] = fm_run(&runs[FM_OLD], differ.programs[FM_OLD],
 *	    &view, NULL);
 *	...
 *	if (!fm_differ_same(&differ))
 *		fm_differ_tell(&differ, on_change, priv);
 */

#ifndef FM_DIFFER_H
#define FM_DIFFER_H

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
	FM_CHANGE_HEADER,
	FM_CHANGE_KEY,		/* `fastmatch diff` alone runs these rules, */
	FM_CHANGE_FETCH,	/* and those for what a backend is sent */
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

/* Two runs of one request. */
struct fm_differ {
	const struct fm_program	*programs[2];
	const struct fm_result	*results[2];
};

/* Returns the backend that a side names, or the missing text. */
struct fm_text fm_differ_backend(const struct fm_differ *, enum fm_side);

/* Returns true if both results come to the same. */
bool fm_differ_same(const struct fm_differ *);

/*
 * Tells of each change, with the rules that the results name: those that
 * decided, or edited last.  A rule that left things as they were is none.
 */
typedef void fm_change_f(void *priv, const struct fm_change *,
    const struct fm_differ *);

void fm_differ_tell(const struct fm_differ *, fm_change_f *, void *priv);

#endif
