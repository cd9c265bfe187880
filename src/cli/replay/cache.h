/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes of the requests and fetches of a log what the simulated cache takes
 * (simulate.h), for one or two rule files.  Each request has the response that
 * it had in the log: of its own fetch, or of the fetch of the object that it
 * hit; and the rules for responses run on that.
 */

#ifndef FM_CACHE_H
#define FM_CACHE_H

#include "differ.h"
#include "logs/recorded.h"
#include "run.h"
#include "simulate.h"

/* The rules of a file, and what they make of the requests. */
struct fm_cache_side {
	const struct fm_program	*program;	/* NULL: there is none */
	uint64_t		*counters;	/* of rules; or NULL */
	bool			stores;		/* rules decide what is kept;
						 * else that is as logged */
	bool			delivers;	/* it has rules for that */
	uint64_t		as_ruled;	/* requests decided as the rules
						 * of the log did, */
	uint64_t		otherwise;	/* and as they did not */
	bool			tells_background;	/* from other fetches */
	struct fm_sim_request	*requests;
	size_t			n, room;
	struct fm_distinct	objects;
	struct fm_distinct	guessed;	/* answers by the status, while
						 * rules don't decide them */
	uint32_t		(*guesses)[2][2];
	size_t			guesses_room;
	uint64_t		known;		/* objects of which the log has
						 * a response or a hit */

	/* After the simulation, for each host; and in all, at the end. */
	struct fm_sim_counts	*low, *high;	/* the same if all is known */
};

struct fm_cache {
	struct fm_recorded	recorded;
	struct fm_respond_params params;	/* as the log last told */
	struct fm_cache_side	sides[2];	/* FM_NEW: the rules that are
						 * replayed; FM_OLD: those of
						 * --old */
	bool			all_vsl;	/* each log is of varnishlog */
	uint64_t		timeless;	/* requests without a time */
	double			second;		/* the last one, in a log of
						 * lines, */
	unsigned		in_second;	/* and how many came then */

	/* What requests refer to, by index. */
	struct fm_sim_answer	*answers;
	size_t			nanswers, answers_room;
	struct fm_distinct	answers_by;
	uint32_t		*varies;
	size_t			nvaries, varies_room;
	struct fm_distinct	varies_by;	/* `other` is the index */
	struct fm_text		*names;
	size_t			nnames, names_room;
	uint32_t		*values;
	size_t			nvalues, values_room;
	struct fm_distinct	old;		/* objects older than the log */
	struct fm_arena		arena;

	/* What was logged, for each host; and in all, at the end. */
	struct fm_sim_counts	*logged;
	size_t			logged_room;
	bool			has_logged;

	bool			complete;	/* no range is needed */
	char			why[200];	/* it is not complete; or "" */
};

/* Reads what logs of varnishlog tell; the old program may be NULL. */
void fm_cache_init(struct fm_cache *, const struct fm_logs *,
    const struct fm_program *old, const struct fm_program *new);

/*
 * Takes a request with the results of both programs, and the hash of its object
 * for each.  `host` counts from 0.
 */
struct fm_cache_request {
	const struct fm_made_request *made;
	const struct fm_view	*view;
	struct fm_where		where;
	uint32_t		host;
	const struct fm_result	*results[2];
	uint64_t		objects[2];
};
void fm_cache_request(struct fm_cache *, const struct fm_cache_request *);

/* Simulates; to be called after the last request. */
void fm_cache_run(struct fm_cache *, size_t nhosts);

#endif
