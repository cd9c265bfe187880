/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The naive twin of the compiled rules: a second interpreter, for tests only.
 * It follows the model as it is written, in the simplest way that can be right.
 * It tries every pattern to find a host, and every operand of a test (PCRE2
 * tries each regex alone), and a statement edits a copy of the request.
 */

#ifndef NAIVE_H
#define NAIVE_H

#include "model.h"
#include "run.h"

/* A header line; its value is trimmed. */
struct naive_line {
	struct fm_text		name;
	struct fm_text		value;
	bool			ours;		/* a rule has set it */
};

struct naive_result {
	enum fm_verdict		verdict;
	unsigned		status;
	struct fm_text		text;		/* reason, Location or type;
						 * missing: none */
	struct fm_text		body;		/* of an answer */
	struct fm_place		at;		/* the rule that decided; name
						 * NULL: none */
	struct fm_text		host;
	struct fm_text		site;
	enum fm_hosttab_how	how;
	bool			otherwise;
	const struct fm_host	*entry;		/* NULL: none */
	/* The statements that ran, and the `when`s that were true. */
	const struct fm_stmt	**ran;
	unsigned		nran;
	struct fm_text		backend;	/* missing: none */
	struct fm_text		url;
	const struct naive_line	*lines;		/* headers after the rules */
	unsigned		nlines;
	unsigned		undecided;
	unsigned		ignored;
};

enum {
	NAIVE_TEST_PRESENT = FM_PATTERN_REGEX + 1,
	NAIVE_TEST_LIST,
	NAIVE_TEST_NETS,
	NAIVE_TEST_NAMES,
	NAIVE_TEST__KINDS
};

#define NAIVE_FILTERS	5	/* the last count is for 5 and more */

/* How often things happened in all runs: shows that a test has tested them. */
struct naive_counts {
	/* The last index is FM_FALSE, FM_TRUE or FM_UNDECIDED. */
	unsigned		tests[NAIVE_TEST__KINDS][3];
	unsigned		subjects[FM_SUBJECT_CLIENT + 1][3];
	unsigned		whens[3];
	unsigned		ran[FM_STMT__KINDS];
	unsigned		effective[FM_STMT__KINDS];
	unsigned		parts[FM_PART_GROUP + 1];	/* not empty */
	unsigned		maps[3];	/* default, a line, undecided */
	unsigned		networks[2];	/* of maps: default, a line */
	unsigned		proxies;	/* that were trusted */
	unsigned		verdicts[FM_VERDICT_REFUSE + 1];
	unsigned		hosts[FM_HOSTTAB_ANY + 1];	/* how found */
	unsigned		defaults;
	unsigned		one_host;	/* in the URL and in Host */
	unsigned		two_hosts;
	unsigned		aliases;	/* of headers, taken away */
	/* Runs, by how many `cookie` statements have filtered something. */
	unsigned		filters[NAIVE_FILTERS + 1];
};

struct naive;

/*
 * Makes a twin of a model, which has passed fm_check() and outlives the twin.
 */
struct naive *naive_new(const struct fm_model *);
void naive_free(struct naive **);

/*
 * Runs the rules over a request.  The result lives until the next run or the
 * end of the twin; it also points into the view and the model.
 */
const struct naive_result *naive_run(struct naive *, const struct fm_view *,
    struct naive_counts *);

#endif
