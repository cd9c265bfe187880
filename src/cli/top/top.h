/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch top` follows the log of a running varnishd, and shows the hosts,
 * rules and verdicts of its requests, each with its rate: on a screen
 * (screen.c), or once (top.c).
 *
 *	log -> fm_top_request() -> tables, by fm_top_tick() with rates	count.c
 *	    -> fm_top_sorted() -> screen.c, top.c
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
	FM_TOP__KINDS
};

/*
 * The rows of a table, at most: clients could send any number of hosts.  Hits
 * of names without a row are counted as "other".
 */
#define FM_TOP_ROWS	10000

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
};

struct fm_top_table {
	struct fm_top_row	*rows;
	size_t			n, room;
	struct fm_distinct	by_hash;	/* numbers are those of rows */
	struct fm_top_rate	other;		/* names without a row */
};

/* All zeros, but for the seed, is what has counted nothing. */
struct fm_top {
	struct fm_top_table	tables[FM_TOP__KINDS];
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
 * and drops rows that were not hit for long.
 */
void fm_top_tick(struct fm_top *, double seconds);

/* Returns the *n rows of a table, the busiest first, for free(). */
const struct fm_top_row **fm_top_sorted(const struct fm_top_table *,
    size_t *n);

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
