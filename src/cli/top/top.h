/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch top` counts hosts, rules and verdicts of the requests of a running
 * varnishd, each with its rate.
 */

#ifndef FM_TOP_H
#define FM_TOP_H

#include <signal.h>

#include "logs/vsl.h"

enum fm_top_kind {
	FM_TOP_HOSTS,
	FM_TOP_RULES,
	FM_TOP_VERDICTS,
	FM_TOP__KINDS
};

/* Clients choose hosts, so a table has no more rows; the rest is "other". */
#define FM_TOP_ROWS	10000
#define FM_TOP_SLOTS	32768		/* a power of two, over twice that */

struct fm_top_rate {
	uint64_t		hits;		/* since the start */
	uint64_t		fresh;		/* since the last tick */
	double			rate;		/* hits a second, lately */
};

struct fm_top_row {
	uint64_t		hash;
	char			*name;		/* a host, a verdict, or
						 * file:line of a rule; NULL:
						 * no valid host */
	char			*text;		/* of a rule; else NULL */
	struct fm_top_rate	rate;
};

struct fm_top_table {
	struct fm_top_row	*rows;
	size_t			n, room;
	uint32_t		*slots;		/* rows by hash, from 1 on */
	struct fm_top_rate	other;		/* than the rows */
};

struct fm_top {
	struct fm_top_table	tables[FM_TOP__KINDS];
	struct fm_top_rate	requests;
	double			age;		/* seconds that were counted */
};

void fm_top_init(struct fm_top *);
void fm_top_fini(struct fm_top *);

/* Counts a request and the lines that the module has logged (fm_vsl_f). */
void fm_top_request(void *top, struct fm_message *, const struct fm_text *lines,
    size_t nlines);

/*
 * Takes what came since the last tick into the rates, seconds after it, and
 * forgets rows that were not hit for long.
 */
void fm_top_tick(struct fm_top *, double seconds);

/* Returns the rows, the busiest first, of fm_cli_alloc(); how many is in n. */
const struct fm_top_row **fm_top_sorted(const struct fm_top_table *,
    size_t *n);

/* "hosts" */
const char *fm_top_title(enum fm_top_kind);

/*--------------------------------------------------------------------
 * The screen
 */

/* Set by a signal that ends the program. */
extern volatile sig_atomic_t fm_top_stopped;

double fm_top_now(void);

/* Shows it until somebody quits; name: of the varnishd, or NULL. */
void fm_top_screen(struct fm_top *, struct fm_vsl *, const char *name);

#endif
