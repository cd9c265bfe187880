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
	bool			dropped;	/* Varnish leaves it out */
};

struct naive_result {
	enum fm_verdict		verdict;
	unsigned		status;
	struct fm_text		text;		/* reason, Location or type;
						 * missing: none */
	struct fm_text		body;		/* of an answer */
	bool			denied;		/* an ESI sub-request is */
	struct fm_place		at;		/* the rule that decided; name
						 * NULL: none */
	enum fm_refuse		refuse;		/* of a refusal */
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
	unsigned		maybe;		/* and at most so many more */
	unsigned		ignored;
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
 *
 * The twin's conditions have three values, so that no order of tests makes a
 * difference: what is undecided here must be undecided to the program.  In the
 * program `undecided and false` is, too, unless the test that is false was
 * asked first.  The twin takes that from the program's result.
 */
const struct naive_result *naive_run(struct naive *, const struct fm_view *,
    const struct fm_result *);

#endif
