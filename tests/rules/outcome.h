/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The outcome of a request in one form, whether a program, the naive twin or a
 * case says it; test_cases.c compares outcomes with what cases expect.
 */

#ifndef OUTCOME_H
#define OUTCOME_H

#include "cases.h"
#include "naive.h"
#include "run.h"

#define OUTCOME_LINES	200	/* headers of a request */

struct outcome {
	enum fm_verdict		verdict;
	unsigned		status;
	struct fm_text		text;
	struct fm_text		body;
	const char		*file;		/* of the rule that decided */
	unsigned		line;
	struct fm_text		host;
	struct fm_text		site;
	struct fm_text		backend;
	struct fm_text		url;
	unsigned		undecided;
	unsigned		ignored;
	uint32_t		scans;		/* or FM_CASES_ANY */
	struct naive_line	lines[OUTCOME_LINES];
	unsigned		nlines;
};

/* A case, and the name of who has decided it. */
struct trial {
	const struct fm_cases	*cases;
	const struct fm_case	*one;
	const char		*who;
	unsigned		wrong;		/* differences so far */
};

/* Make an outcome, which points into the results. */
void outcome_of_result(struct outcome *, const struct fm_program *,
    const struct fm_view *, const struct fm_result *);
void outcome_of_naive(struct outcome *, const struct naive_result *);

/* Counts and prints what differs; the folder is that of the rules. */
void outcome_compare(struct trial *, const struct outcome *,
    const char *folder);

/*
 * Counts and prints edits that are wrong: two of the same name, or one that
 * changes nothing.
 */
void outcome_check_edits(struct trial *, const struct fm_view *,
    const struct fm_result *);

#endif
