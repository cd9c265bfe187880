/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Shadow rules: a second program runs on a share of the requests, and what it
 * would have done otherwise is counted by rule and host.  Knows no Varnish.
 *
 *	if (fm_shadow_takes(share))		each request
 *		fm_shadow_compare(shadow, &pair, &view, result);
 *	told = fm_shadow_told(shadow);		a report
 *
 * No request waits: the lock of the counts is tried, and a request that finds
 * it busy is counted as one that differs, without rules and host.
 *
 * Everything is of one pair of digests, that of the rules that serve and that
 * of the shadow: with other rules on either side it begins anew.
 */

#ifndef FM_SHADOW_H
#define FM_SHADOW_H

#include "arena.h"
#include "differ.h"
#include "sources.h"

#define FM_SHADOW_CELLS		1000	/* in a report: 0.5 MB */
#define FM_SHADOW_EXAMPLES	100
#define FM_SHADOW_A_SECOND	10	/* examples: one costs up to what three
					 * requests do */
#define FM_SHADOW_CHANGES	16	/* that an example shows */

struct fm_shadow;

/*
 * The share of requests, of 2^32.  Each thread steps through the numbers by
 * the golden ratio, so that of any so many requests in a row about that share
 * is taken, whatever their rhythm.  Threads begin at different numbers: those
 * of a burst, which serve a few requests each, are sampled, too.
 */
#define FM_SHADOW_ALL		(1ULL << 32)
#define FM_SHADOW_STEP		0x9e3779b9U

extern __thread uint32_t fm_shadow_turn
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

static inline bool
fm_shadow_takes(uint64_t share)
{
	uint32_t first = (uint32_t)((uintptr_t)&fm_shadow_turn >> 12);

	fm_shadow_turn += FM_SHADOW_STEP;
	return ((uint32_t)(fm_shadow_turn + first * FM_SHADOW_STEP) < share);
}

/* NULL: no memory. */
struct fm_shadow *fm_shadow_new(void);
void fm_shadow_free(struct fm_shadow **);

/*
 * From here on this side has rules of this digest, or (NULL) none.  Waits for
 * whoever counts just now; not for a thread that has a request.
 */
void fm_shadow_begin(struct fm_shadow *, enum fm_side, const char *digest);

/* Both sides, FM_OLD the rules that serve. */
struct fm_shadow_pair {
	const struct fm_program	*programs[2];
	const char		*digests[2];
};

enum fm_shadow_came {
	FM_SHADOW_SAME,
	FM_SHADOW_DIFFERS,
	FM_SHADOW_NO_MEMORY	/* to run the shadow */
};

/*
 * Runs the shadow on a view, of which the rules that serve have made this
 * result, and counts what differs.  The view's counters are NULL.
 */
enum fm_shadow_came fm_shadow_compare(struct fm_shadow *,
    const struct fm_shadow_pair *, const struct fm_view *,
    const struct fm_result *serving);

/*--------------------------------------------------------------------
 * What there is to be shown
 */

/* A rule as it is written, and "file:line"; at is NULL: no rule did it. */
struct fm_shadow_rule {
	const char		*at;
	const char		*text;
	const char		*masked;	/* without secrets */
};

/* All differences of one kind, by the same rules, at the same host. */
struct fm_shadow_cell {
	const char		*kind;		/* "verdict", "header", ... */
	const char		*header;	/* of kind header: its name, or
						 * "*", which no rule names */
	const char		*host;		/* the pattern as written,
						 * "default", or NULL: none */
	struct fm_shadow_rule	rules[2];
	uint64_t		requests;
};

/* A header that a rule tested which did something else than the other. */
struct fm_shadow_tested {
	const char		*name;
	const char		*value;		/* NULL: it did not come */
};

struct fm_shadow_example {
	time_t			at;
	const char		*method;
	const char		*host;		/* canonical, or NULL: none */
	const char		*path;		/* without the query */
	const char		**params;	/* names, in their order */
	size_t			nparams;
	const char		**headers;	/* names */
	size_t			nheaders;
	struct fm_shadow_tested	*tested;
	size_t			ntested;
	const struct fm_shadow_cell *cells[FM_SHADOW_CHANGES];
	size_t			ncells;
};

struct fm_shadow_told {
	/* The caller's, who knows the file; all zero before. */
	const char		*path;
	double			sample;
	const char		*digest;	/* NULL: there is no shadow */
	unsigned		generation;
	time_t			loaded_at;
	unsigned		errors;		/* why it is none; 0: there is
						 * no such file */
	const char		*messages;	/* a line for each that was
						 * kept */

	time_t			since;		/* 0: no pair yet */
	char			digests[2][FM_DIGEST_LEN];
	uint64_t		sampled;
	uint64_t		differ;		/* requests */
	uint64_t		no_memory;	/* that could not be compared */
	uint64_t		unattributed;	/* of `differ`: by which rules
						 * is not known */
	uint64_t		other;		/* differences that are in no
						 * cell, for there are 1,000 */
	struct fm_shadow_cell	**cells;	/* most requests first */
	size_t			ncells;
	struct fm_shadow_example *examples;	/* newest first */
	size_t			nexamples;
	struct fm_arena		arena;		/* all of that */
};

/* A copy; NULL: no memory. */
struct fm_shadow_told *fm_shadow_told(struct fm_shadow *);
void fm_shadow_told_free(struct fm_shadow_told **);

#endif
