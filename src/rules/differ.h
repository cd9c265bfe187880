/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One request and two programs: does it come to the same, and if not, which
 * rules of which file did it.
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
	FM_CHANGE__KINDS
};

/* "verdict", "status", ... */
const char *fm_change_word(enum fm_change_kind);

/* Of the old rules and of the new ones, each. */
enum fm_side {
	FM_OLD,
	FM_NEW,
	FM_BOTH
};

struct fm_change {
	enum fm_change_kind	kind;
	struct fm_text		header;		/* HEADER: its name */
	const struct fm_rule	*rules[2];	/* that did it; NULL: none */
	struct fm_text		values[2];	/* fm_differ_trace(): that it
						 * came to; missing: none */
};

/* Two runs of one request. */
struct fm_differ {
	const struct fm_program	*programs[2];
	const struct fm_result	*results[2];
};

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
 * Runs both programs with a trace and tells of each change for people: with
 * its values, and with the rules where they part, which may be one that found
 * nothing to do.  What is told of is gone when the function returns.  Returns
 * 0, or -1: memory was short.
 */
int fm_differ_trace(const struct fm_program * const programs[2],
    const struct fm_view *, fm_change_f *, void *priv);

#endif
