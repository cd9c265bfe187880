/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The types and functions that the files which make routes share:
 *
 *	route.c		makes the routes of hosts and the lists of blocks
 *	route_block.c	appends what is left of a block to a list
 *	route_sure.c	finds out which values and tests are sure
 *	route_wild.c	finds out which are, for all hosts of a wildcard
 *	route_skip.c	leads past tests of the path
 *
 * A list is made by a trial run of a request that has only a Host.  The trial
 * run makes each `set` and `unset` on the way, and notes which headers are
 * sure: every request that comes here has this value.
 *
 *	set X-A = one;			X-A is sure		copied
 *	when X-A is one { ... }		true for every request	block only
 *	when path is /a {		not known		IF
 *		set X-A = two;		X-A is not sure any more
 *	}
 *
 * A test of a sure header or of the host is decided, and only what follows from
 * its outcome is copied.  Any other test is copied: as an FM_OP_IF if it can't
 * be undecided, and then FM_OP_WHEN and FM_OP_ELSE of its condition go.
 *
 * A region is operations that some requests jump over.  A header that is set in
 * a region is not sure from there on.
 */

#ifndef FM_ROUTE_PRIV_H
#define FM_ROUTE_PRIV_H

#include "compile_priv.h"
#include "run_priv.h"

/* How requests come to an operation of the list for traces. */
struct fm_way {
	uint32_t		jumps;		/* chain of those to it */
	bool			open;		/* ELSE: a test of its condition
						 * may be undecided */
};

/*
 * The hosts of a route that is not of one host: those that are found by a
 * wildcard, or (NONE) by no pattern.
 *
 *	.wiki.example	SUFFIX, ".wiki.example"
 *	www.*		PREFIX, "www."
 */
struct fm_route_wild {
	enum fm_hosttab_how	how;
	uint32_t		pattern;	/* FM_NONE of NONE */
	struct fm_text		end;		/* SUFFIX: each of them ends
						 * with it; PREFIX: begins */
	bool			asks;		/* patterns: for all of the
						 * route, or for none of it */
};

/*
 * The list that is being made.  After `when path is /a { set X-A = 1; }`,
 * operation 7 of the list for traces, region is 9, where the jump of the `when`
 * ends, and sure[] of X-A is false.
 */
struct fm_route {
	struct fm_compile	*compile;
	const struct fm_program	*program;	/* of the phase */
	struct fm_exec		*exec;		/* the trial run */
	bool			of_host;	/* a route: the host is sure */
	const struct fm_route_wild *wild;	/* a route of many hosts; or
						 * NULL */
	bool			any_site;	/* ${ruleset} is not known */
	bool			rewritten;	/* the URL may have got a raw
						 * `#` from a `rewrite` */
	bool			sure[256];	/* of each slot: every request
						 * that comes here has the value
						 * of the trial run */
	uint32_t		next;		/* operation for traces to go on
						 * with; FM_NONE: requests have
						 * ended */
	uint32_t		region;		/* the one where the region
						 * ends; 0: in no region */
	uint32_t		here;		/* chain of jumps to the next
						 * operation of the list */
	uint32_t		met;		/* last operation of the list
						 * that a jump leads to */
	uint32_t		count;		/* a COUNT that every request
						 * from there on has come by, or
						 * FM_NONE */
	uint64_t		skip;		/* bits of the last SKIP and the
						 * tests after it */
	bool			skip_last;	/* the `last` of that one */
	bool			decided;	/* a test or a map was */
	bool			ended;		/* every request has ended */
};

#define FM_UNKNOWN	(FM_NONE - 1)	/* an index, or none: it is not known */

/* Returns an operation, which is valid until one is appended. */
static inline struct fm_op *
fm_route_op(const struct fm_route *route, size_t n)
{
	return (FM_GROW_AT(&route->compile->ops, struct fm_op, n));
}

/* route_block.c: appends a block, without its end, or an operation. */
void fm_route_block(struct fm_route *, uint32_t block);
void fm_route_emit(struct fm_route *, const struct fm_op *);

/*
 * route_skip.c: appends an FM_OP_SKIP in front of a test, if it helps; and
 * fills in those of a list from operation `first` on, when the list is made.
 */
void fm_route_skip(struct fm_route *, const struct fm_test *);
void fm_route_skips(struct fm_route *, size_t first);

/* route_sure.c */

/* Returns true if a template gives the same text for every request. */
bool fm_route_sure_template(const struct fm_route *, uint32_t template);
/* Returns the piece of a template that has no other piece; or NULL. */
const struct fm_template_piece *fm_route_piece(const struct fm_route *,
    uint32_t template);
/*
 * Returns the template that the map gives which is the only piece of a
 * template; FM_UNKNOWN: there is no such map, or its subject is not sure.
 */
uint32_t fm_route_given(const struct fm_route *, uint32_t template);
/* Returns the outcome of a test; FM_NOT_ASKED: it is not sure. */
enum fm_outcome fm_route_test(const struct fm_route *, const struct fm_test *);
/* Returns true if a test may be undecided. */
bool fm_route_test_is_open(const struct fm_route *, const struct fm_test *);

/*
 * route_wild.c: return the outcome of a test of the host, and what a map of the
 * host gives (FM_NONE: nothing), if that is the same for all hosts of the
 * route; else FM_NOT_ASKED and FM_UNKNOWN.
 */
enum fm_outcome fm_route_wild_test(const struct fm_route *,
    const struct fm_test *);
uint32_t fm_route_wild_map(const struct fm_route *, const struct fm_map_code *);

#endif
