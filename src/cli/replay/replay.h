/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch replay` runs rules over the requests of logs, counts what the
 * rules do, and shows it as text, as JSON and as a page.
 *
 *	logs -> fm_replay_request() -> struct fm_replay_count	count.c
 *				    -> struct fm_cache		cache.c
 *	     -> struct fm_replay				replay.c
 *	     -> text.c, json.c, html.c
 */

#ifndef FM_REPLAY_H
#define FM_REPLAY_H

#include <stdio.h>

#include "arena.h"
#include "cache.h"
#include "distinct.h"
#include "load.h"
#include "logs/logs.h"
#include "run.h"
#include "unseen.h"

#define FM_REPLAY_VERDICTS	(FM_VERDICT_REFUSE + 1)
#define FM_REPLAY_EXAMPLES	10

/* A number before the rules, and after them. */
struct fm_pair {
	uint64_t		before, after;
};

/* The counts of a host. */
struct fm_replay_host {
	struct fm_text		name;		/* canonical; missing: there is
						 * none, or an invalid one */
	uint64_t		hash;		/* of the name */
	uint32_t		number;		/* as the cache knows it */
	bool			entry;		/* the rules name the host */
	uint64_t		requests;
	uint64_t		verdicts[FM_REPLAY_VERDICTS];
	uint64_t		changed;	/* requests with another URL */
	uint64_t		scans;
	uint64_t		lookups;	/* requests of the cache */
	struct fm_pair		urls;		/* different URLs */
	struct fm_pair		objects;	/* different URLs of lookups */
};

/* A request whose URL was changed. */
struct fm_replay_example {
	struct fm_where		where;
	const char		*host, *before, *after;
};

struct fm_replay_count {
	const struct fm_program	*program;
	const struct fm_program	*old;		/* of --old; or NULL */
	struct fm_cache		*cache;
	uint64_t		seed;
	struct fm_arena		arena;
	uint64_t		*counters;	/* hits of rules and hosts */
	struct fm_distinct	refused;	/* rules that refused requests:
						 * their flags are 1 */
	struct fm_replay_host	*hosts;
	size_t			nhosts, hosts_room;
	struct fm_distinct	names;		/* numbers are those of hosts */
	struct fm_distinct	urls;
	struct fm_replay_example examples[FM_REPLAY_EXAMPLES];
	unsigned		nexamples;

	uint64_t		undecided, over_limit;
	uint64_t		fragments;	/* requests whose URL has a raw
						 * `#` */
	uint64_t		fragments_refused; /* of these */
	double			ns;		/* in rules, all requests */
};

void fm_replay_count_init(struct fm_replay_count *, const struct fm_program *);

/* Runs the rules over a request and counts it; a fm_logs_request_f. */
void fm_replay_request(void *count, struct fm_made_request *, struct fm_where);

/* Returns true if a rule refused a request. */
bool fm_replay_refused(struct fm_replay_count *, const struct fm_rule *);

/*
 * Counts the different URLs and objects of each host; the totals go to *urls
 * and *objects.  To be called after the last request.
 */
void fm_replay_count_end(struct fm_replay_count *, struct fm_pair *urls,
    struct fm_pair *objects);

/*--------------------------------------------------------------------
 * The report
 */

struct fm_replay {
	const char		*file;
	size_t			top;		/* rows of a list */
	double			seconds;	/* the whole run */
	const struct fm_logs	*logs;
	const struct fm_program	*program;
	struct fm_replay_count	*count;		/* hosts: the busiest first */
	const char		*old;		/* the file of --old; or NULL */

	struct fm_replay_host	sum;		/* of all hosts */
	size_t			nunknown;	/* hosts that no rules name */
	const struct fm_rule	**idle;		/* rules never hit, which
						 * refused no request */
	size_t			nidle;
	struct fm_unseen	unseen;
	const struct fm_unseen_rule **untold;	/* rules that look at what the
						 * logs don't have; or were not
						 * hit, and touch it */
	size_t			nuntold;
	const char		**idle_hosts;	/* patterns never asked for */
	size_t			nidle_hosts;
};

void fm_replay_text(const struct fm_replay *, FILE *);
void fm_replay_json(const struct fm_replay *);
void fm_replay_html(const struct fm_replay *, FILE *);

/* Returns true if the log has what a simulation of the cache needs. */
bool fm_replay_simulates(const struct fm_replay *);

/* Returns how many nanoseconds a request took in the rules, the mean. */
double fm_replay_ns(const struct fm_replay *);

/* Returns a part of all in percent; 0 if all is 0. */
double fm_percent(uint64_t part, uint64_t all);

/* Returns the highest hit rate that a cache can have, in percent. */
double fm_hit_rate(uint64_t lookups, uint64_t objects);

/* Returns "none", "hash" and so on; NULL: no request has this verdict. */
const char *fm_verdict_name(unsigned verdict);

#endif
