/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch replay` counts what rules do to the requests of logs, and shows it
 * as text, JSON and a page.
 */

#ifndef FM_REPLAY_H
#define FM_REPLAY_H

#include <stdio.h>

#include "arena.h"
#include "distinct.h"
#include "load.h"
#include "logs/logs.h"
#include "run.h"
#include "unseen.h"

#define FM_REPLAY_VERDICTS	(FM_VERDICT_REFUSE + 1)
#define FM_REPLAY_EXAMPLES	10

/* Something before the rules, and after them. */
struct fm_pair {
	uint64_t		before, after;
};

struct fm_replay_host {
	struct fm_text		name;		/* canonical; missing: there is
						 * none, or an invalid one */
	uint64_t		hash;		/* of the name */
	bool			entry;		/* the rules have one for it */
	uint64_t		requests;
	uint64_t		verdicts[FM_REPLAY_VERDICTS];
	uint64_t		changed;	/* URLs */
	uint64_t		scans;
	uint64_t		lookups;	/* that reach the cache */
	struct fm_pair		urls;		/* different ones */
	struct fm_pair		objects;	/* those of lookups */
};

/* A URL that was changed. */
struct fm_replay_example {
	struct fm_where		where;
	const char		*host, *before, *after;
};

struct fm_replay_count {
	const struct fm_program	*program;
	uint64_t		seed;
	struct fm_arena		arena;
	uint64_t		*counters;	/* the program's */
	struct fm_replay_host	*hosts;
	size_t			nhosts, hosts_room;
	uint32_t		*slots;		/* hosts by hash, from 1 on */
	size_t			nslots;		/* a power of two */
	struct fm_distinct	urls;
	struct fm_replay_example examples[FM_REPLAY_EXAMPLES];
	unsigned		nexamples;

	uint64_t		undecided, over_limit;
	double			ns;		/* of all requests */
};

void fm_replay_count_init(struct fm_replay_count *, const struct fm_program *);
void fm_replay_count_fini(struct fm_replay_count *);

/* A fm_logs_request_f, to which a count is given. */
void fm_replay_request(void *count, struct fm_message *, struct fm_where);

/* At the end: counts the different URLs of each host, and of all of them. */
void fm_replay_count_end(struct fm_replay_count *, struct fm_pair *urls,
    struct fm_pair *objects);

/*--------------------------------------------------------------------
 * The report
 */

struct fm_replay {
	const char		*file;
	size_t			top;		/* rows of a list */
	double			seconds;	/* that it took */
	const struct fm_logs	*logs;
	const struct fm_program	*program;
	const struct fm_replay_count *count;

	const struct fm_replay_host **hosts;	/* the busiest first */
	struct fm_replay_host	sum;		/* of all */
	const struct fm_replay_host **unknown;	/* without an entry */
	size_t			nunknown;
	const struct fm_rule	**idle;		/* rules never hit */
	size_t			nidle;
	struct fm_unseen	unseen;
	const struct fm_unseen_rule **untold;	/* that look at what the logs
						 * don't have, or were not hit
						 * as others do */
	size_t			nuntold;
	const char		**idle_hosts;	/* patterns never asked for */
	size_t			nidle_hosts;
};

void fm_replay_text(const struct fm_replay *, FILE *);
void fm_replay_json(const struct fm_replay *);
void fm_replay_html(const struct fm_replay *, FILE *);

/* Returns how many nanoseconds a request took in the rules, the mean. */
double fm_replay_ns(const struct fm_replay *);

/* Returns a part in percent; 0 where all is 0. */
double fm_percent(uint64_t part, uint64_t all);

/* The highest hit rate that a cache can have, of 100. */
double fm_hit_rate(uint64_t lookups, uint64_t objects);

const char *fm_verdict_name(unsigned verdict);	/* "none", too */

#endif
