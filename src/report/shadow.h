/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A shadow is a second program of rules that runs on a sample of the requests,
 * keys, fetches, responses and deliveries, and decides nothing.  This file
 * compares its results with those of the rules that serve, and counts the
 * differences by phase, rule and host.  The code needs no Varnish.
 *
 *	if (fm_shadow_takes(sample))		each request
 *		fm_shadow_compare(shadow, &pair, &run);
 *	told = fm_shadow_told(shadow);		a report
 *
 * No request waits for the lock of the counts.  A request that differs and
 * finds the lock taken is counted without its rules and its host.
 *
 * All counts belong to one pair of digests: that of the rules that serve, and
 * that of the shadow.  When either changes, all counts begin at 0 again.
 */

#ifndef FM_SHADOW_H
#define FM_SHADOW_H

#include "arena.h"
#include "differ.h"
#include "sources.h"

#define FM_SHADOW_CELLS		1000	/* a report then has 0.5 MB */
#define FM_SHADOW_EXAMPLES	100	/* kept at a time */
#define FM_SHADOW_A_SECOND	10	/* new examples: an example costs up to
					 * as much as three requests */
#define FM_SHADOW_CHANGES	16	/* differences that an example shows */

struct fm_shadow;

/*
 * Returns true for `sample` of every 2^32 requests.  Each thread has a number
 * (fm_shadow_turn) that it steps on by the golden ratio, so that about this
 * sample is taken of any sequence of requests, whatever its rhythm.  Threads
 * begin at different numbers; otherwise short-lived threads, which serve a few
 * requests each, would all take the same ones or none.
 */
#define FM_SHADOW_ALL		(1ULL << 32)
#define FM_SHADOW_STEP		0x9e3779b9U

extern __thread uint32_t fm_shadow_turn
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

static inline bool
fm_shadow_takes(uint64_t sample)
{
	uint32_t first = (uint32_t)((uintptr_t)&fm_shadow_turn >> 12);

	fm_shadow_turn += FM_SHADOW_STEP;
	return ((uint32_t)(fm_shadow_turn + first * FM_SHADOW_STEP) < sample);
}

/* Returns a shadow that has counted nothing; NULL if there is no memory. */
struct fm_shadow *fm_shadow_new(void);
void fm_shadow_free(struct fm_shadow **);

/*
 * Sets the digest of the rules that one side has from now on; NULL: that side
 * has none.  Waits for a thread that is counting, but not for one that is only
 * comparing.
 */
void fm_shadow_begin(struct fm_shadow *, enum fm_side, const char *digest);

/*
 * The programs of both sides for a phase, and what they see of the message;
 * FM_OLD is the one that serves.
 */
struct fm_shadow_pair {
	enum fm_phase		phase;
	const struct fm_program	*programs[2];	/* NULL: no rule is for this
						 * phase */
	const struct fm_view	*views[2];	/* FM_OLD: NULL if its program
						 * did not run */
	const char		*digests[2];
};

enum fm_shadow_came {
	FM_SHADOW_SAME,
	FM_SHADOW_DIFFERS,
	FM_SHADOW_NO_MEMORY	/* to run the shadow */
};

/*
 * Runs the shadow on its view, compares its result with that of the rules that
 * serve, and counts the differences.  The shadow's view must not count (its
 * counters are NULL).  `serving` is the run of the rules that serve; NULL if
 * they did not run.  A shadow without rules for the phase does not run: then
 * its view is that of the rules that serve, but does not count either.
 */
enum fm_shadow_came fm_shadow_compare(struct fm_shadow *,
    const struct fm_shadow_pair *, const struct fm_run *serving);

/*--------------------------------------------------------------------
 * Copies for a report or a page
 */

/* One side's rule of a difference. */
struct fm_shadow_rule {
	const char		*at;		/* "file:line"; NULL: none */
	const char		*text;		/* the rule as written */
	const char		*masked;	/* text without secrets */
};

/* Counts the differences of one kind, between two rules, at one host. */
struct fm_shadow_cell {
	const char		*phase;		/* "request", "response", ... */
	const char		*kind;		/* "verdict", "header", ... */
	const char		*header;	/* its name, if kind is
						 * "header"; "*": a header that
						 * no rule names */
	const char		*host;		/* the pattern as written, or
						 * "default"; NULL: none */
	struct fm_shadow_rule	rules[2];
	uint64_t		requests;	/* or keys, fetches, ... */
};

/* A header of an example that a rule of the difference has tested. */
struct fm_shadow_tested {
	const char		*name;
	const char		*value;		/* NULL: client sent none */
};

struct fm_example;

struct fm_shadow_example {
	time_t			at;
	const char		*phase;
	const char		*method;
	const char		*host;		/* canonical; NULL: none */
	const char		*path;		/* without the query */
	const char		**params;	/* names, in their order */
	size_t			nparams;
	const char		**headers;	/* names */
	size_t			nheaders;
	struct fm_shadow_tested	*tested;
	size_t			ntested;
	const struct fm_shadow_cell *cells[FM_SHADOW_CHANGES];
	size_t			ncells;
	struct fm_example	*kept;		/* has all the texts here */
};

/* What was compared in a phase. */
struct fm_shadow_counts {
	uint64_t		sampled;
	uint64_t		differ;
	uint64_t		no_memory;	/* not compared */
	uint64_t		unattributed;	/* part of `differ` without
						 * rules: lock taken */
};

struct fm_shadow_told {
	/*
	 * Set by the caller, who knows the shadow's file; zero before that.
	 * Without a digest there is no shadow: `errors` is the number of errors
	 * in the file, or 0 if there is no such file.
	 */
	const char		*path;
	double			sample;
	const char		*digest;
	unsigned		generation;
	time_t			loaded_at;
	unsigned		errors;
	const char		*messages;	/* lines: those of the errors
						 * that were kept */
	const char		*masked;	/* messages without values */

	time_t			since;		/* 0: no pair yet */
	uint64_t		sampled;	/* requests */
	uint64_t		differ;		/* requests */
	uint64_t		no_memory;	/* requests not compared */
	uint64_t		unattributed;	/* requests of `differ` without
						 * their rules: lock taken */
	struct fm_shadow_counts	later[FM_PHASE__KINDS]; /* of the phases after
						 * that of requests */
	uint64_t		other;		/* differences in no cell, as
						 * FM_SHADOW_CELLS exist */
	struct fm_shadow_cell	**cells;	/* most requests first */
	size_t			ncells;
	struct fm_shadow_example *examples;	/* newest first */
	size_t			nexamples;
	struct fm_arena		arena;		/* has all other texts */
};

/* Returns a copy of all counts and examples; NULL if there is no memory. */
struct fm_shadow_told *fm_shadow_told(struct fm_shadow *);
void fm_shadow_told_free(struct fm_shadow_told **);

#endif
