/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The outcome of a request in one form, whether a program, its naive twin
 * (naive.h) or a case says it.  It is all that a user can see: the verdict and
 * the place of its rule, the request after the rules, and what was counted.
 */

#ifndef AGREE_H
#define AGREE_H

#include "bounds.h"
#include "naive.h"

/* The fields that a view may have, at most. */
#define AGREE_FIELDS	256

struct outcome {
	enum fm_verdict		verdict;
	unsigned		status;
	struct fm_text		text;		/* reason, Location or type */
	struct fm_text		body;
	const char		*file;		/* of the rule that decided */
	unsigned		line;
	struct fm_text		host;
	struct fm_text		site;
	enum fm_hosttab_how	how;
	bool			otherwise;
	struct fm_text		backend;
	struct fm_text		url;
	unsigned		undecided;
	unsigned		ignored;
	unsigned		nlines;
	struct naive_line	lines[AGREE_FIELDS + FM_LIMIT_HEADERS];
};

/* Make an outcome, which points into the results. */
void outcome_of_result(struct outcome *, const struct fm_program *,
    const struct fm_view *, const struct fm_result *);
void outcome_of_naive(struct outcome *, const struct naive_result *);
/* Adds a header, with a value that is trimmed. */
void outcome_add_line(struct outcome *, struct fm_text name,
    struct fm_text value);
/* Returns NULL, or the first thing in which two outcomes differ. */
const char *outcome_differs(const struct outcome *, const struct outcome *);
/* Print an outcome, or a request, to stderr. */
void outcome_show(const char *who, const struct outcome *);
void agree_show_view(const struct fm_view *);

/*
 * Returns NULL, or what is wrong with a program's result whatever it should be:
 * an edit that changes nothing, a value that would split a header.
 */
const char *agree_is_sound(const struct fm_view *, const struct fm_result *);

/*
 * Returns NULL if a program's result is sound and is the twin's; or what is
 * wrong, and prints both.
 */
const char *agree(const struct fm_program *, const struct fm_view *,
    const struct naive_result *, const struct fm_result *);

/*
 * Returns true if PCRE2 gave up on a regex since a scan has failed.  A second
 * run, in which no scan fails, may have another result.
 */
bool agree_is_by_chance(const struct fm_result *);

#endif
