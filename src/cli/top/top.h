/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch top` follows the log of a running varnishd, and shows the hosts,
 * rules and verdicts of its requests, each with its rate: on a screen
 * (screen.c), or once (top.c).
 *
 *	log -> fm_top_request() -> tables, by fm_top_tick() with rates	count.c
 *	    -> fm_top_lines() -> screen.c, frame.c, top.c
 */

#ifndef FM_TOP_H
#define FM_TOP_H

#include <signal.h>

#include "distinct.h"
#include "logs/vsl.h"

enum fm_top_kind {
	FM_TOP_HOSTS,
	FM_TOP_RULES,
	FM_TOP_VERDICTS,
	FM_TOP__KINDS,		/* those above are shown as tables */
	FM_TOP_PAIRS = FM_TOP__KINDS,	/* a host, and a rule that it ran */
	FM_TOP__TABLES
};

/*
 * The rows of a table, at most: clients could send any number of hosts.  Hits
 * of names without a row are counted as "other".  With each tick the least busy
 * rows of a full table make room for new names.
 */
#define FM_TOP_ROWS	10000
#define FM_TOP_PAIRS_MOST 30000

#define FM_TOP_FILTER	256		/* bytes of a filter, with its NUL */

struct fm_top_rate {
	uint64_t		hits;		/* since the start */
	uint64_t		fresh;		/* since the last tick */
	double			rate;		/* hits a second, lately */
};

/* The rates of the responses of a host, or of all, by enum fm_hits_response. */
struct fm_top_responses {
	struct fm_top_rate	of[FM_HITS_RESPONSES];
};

struct fm_top_row {
	uint64_t		hash;		/* of name and text */
	char			*name;		/* a host, a verdict, or
						 * file:line of a rule; NULL:
						 * no valid host */
	char			*text;		/* of a rule; else NULL */
	struct fm_top_rate	rate;
	struct fm_top_responses	*responses;	/* of a host; else NULL */
	uint64_t		pair[2];	/* of a pair: the hashes of its
						 * host and its rule */
	struct fm_top_rate	other;		/* of a host or a rule: its
						 * pairs without a row */
	bool			goes;		/* the row is dropped next */
};

struct fm_top_table {
	struct fm_top_row	*rows;
	size_t			n, room;
	struct fm_distinct	by_hash;	/* numbers are those of rows */
	struct fm_top_rate	other;		/* names without a row */
	bool			made_room;	/* since the last tick */
};

/*
 * All zeros, but for the seed, is what has counted nothing.
 *
 * The filter hides names and texts that do not contain it, without regard to
 * case.  It may change at any time; "" hides nothing.  A full table makes room
 * for names that the filter shows: the filter finds a host with few requests
 * among any number of hosts.
 */
struct fm_top {
	struct fm_top_table	tables[FM_TOP__TABLES];
	char			filter[FM_TOP_FILTER];
	uint64_t		open;		/* the hash of a row that stays
						 * in a full table; or 0 */
	struct fm_top_rate	requests;
	struct fm_top_responses	responses;
	double			age;		/* seconds since the start */
	uint64_t		seed;		/* of hashes */
};

/*
 * Counts a request by its log; a fm_vsl_f.  Responses to ESI sub-requests are
 * not counted, as in .report().
 */
void fm_top_request(void *top, struct fm_made_request *,
    const struct fm_vsl_logged *);

/*
 * Updates the rates by the hits since the last tick, which was `seconds` ago,
 * and drops rows that were not hit for long, or have to make room.
 */
void fm_top_tick(struct fm_top *, double seconds);

/* A line of a list: a row, and how often it occurred there. */
struct fm_top_line {
	const struct fm_top_row	*row;
	const struct fm_top_rate *rate;
};

/*
 * Returns the *n rows of a kind that the filter shows, the busiest first, for
 * free().  Unless `of` is NULL, these are the rules that ran for the host `of`,
 * or the hosts for which the rule `of` ran.
 */
struct fm_top_line *fm_top_lines(struct fm_top *, enum fm_top_kind,
    const struct fm_top_row *of, size_t *n);

/* Returns the row of a hash; NULL if the table has it no more. */
const struct fm_top_row *fm_top_find(struct fm_top *, enum fm_top_kind,
    uint64_t hash);

/* Returns the name of a row, as it is shown. */
const char *fm_top_name(const struct fm_top_row *);

/* Returns the title of a table: "hosts". */
const char *fm_top_title(enum fm_top_kind);

/*--------------------------------------------------------------------
 * The screen
 */

/* Set by a signal that ends the program. */
extern volatile sig_atomic_t fm_top_stopped;

/*
 * Shows the tables until the user quits.  `name` is the varnishd's -n, or NULL.
 */
void fm_top_screen(struct fm_top *, struct fm_vsl *, const char *name);

#endif
