/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The naive twin of the compiled rules, for tests only: carries out the model
 * as it is written, in the simplest way that can be right.  It tries every
 * pattern to find a host, and every operand of a test (PCRE2 tries each regex
 * alone), and a statement edits a copy of the request.  Which conditions are
 * met it takes from the list of operations for traces, after it has made their
 * tests itself.
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
	uint64_t		log;		/* naive_log() of all lines */
	char			calls[400];	/* subs, a blank after each */
	uint64_t		bans;		/* naive_log() of all */
	struct fm_text		url;
	const struct naive_line	*lines;		/* headers after the rules */
	unsigned		nlines;
	unsigned		undecided;
	unsigned		ignored;
	const char		*wrong;		/* in what the list for traces
						 * differs; or NULL */
	bool			by_chance;	/* agree_is_by_chance() of that
						 * list */
};

/* Returns the hash of some lines that rules have logged, and of one more. */
static inline uint64_t
naive_log(uint64_t hash, struct fm_text line)
{
	size_t i;

	for (i = 0; i < line.len; i++)
		hash = (hash ^ (unsigned char)line.b[i]) * 0x100000001b3u;
	return ((hash ^ '\n') * 0x100000001b3u);
}

struct naive;

/*
 * Makes a twin of a model, which has passed fm_check() and outlives the twin.
 */
struct naive *naive_new(const struct fm_model *);
void naive_free(struct naive **);

/*
 * Runs a request by the program's lists for traces, and by the twin, which sees
 * what the trace is told.  The result lives until the next run or the end of
 * the twin; it also points into the view and the model.
 */
const struct naive_result *naive_run(struct naive *, const struct fm_program *,
    const struct fm_view *);

#endif
