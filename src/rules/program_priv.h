/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a program is made of: between compile.c, which writes it, and run.c,
 * which follows it.
 *
 * All parts are arrays that refer to each other by index.  What a block runs
 * (its operations, the nodes and tests of its conditions, its templates) lies
 * together, in the order in which it runs; what is for people only (fm_rule)
 * lies apart.  Nothing in a run takes time or memory that grows with the
 * number of blocks.
 */

#ifndef FM_PROGRAM_PRIV_H
#define FM_PROGRAM_PRIV_H

#include "arena.h"
#include "hosttab.h"
#include "model.h"
#include "name_words.h"
#include "names.h"
#include "networks.h"
#include "params.h"
#include "patset.h"
#include "program.h"
#include "usual.h"

#define FM_NONE		UINT32_MAX	/* no index */
#define FM_UNKNOWN	(FM_NONE - 1)	/* nor that there is none */

/*
 * A set of more patterns is asked for its first match, if that will do; one
 * that has regexes, too.
 */
#define FM_PROGRAM_BITS		1024
#define FM_PROGRAM_BITS_REGEXES	65536

/*--------------------------------------------------------------------
 * Subjects
 */

/* The name of a header that rules speak of, its case as first written. */
enum fm_slot_kind {
	FM_SLOT_PLAIN,		/* repeated: the first counts */
	FM_SLOT_LIST,		/* Accept, Accept-*: joined by ", " */
	FM_SLOT_COOKIE		/* Cookie: joined by "; " */
};

struct fm_slot {
	struct fm_text		name;
	struct fm_name_word	front, back;	/* its first and last eight
						 * bytes */
	enum fm_slot_kind	kind;
	uint8_t			next;		/* in the chain; 0: no more */
};

#define FM_SLOTS	255	/* an index plus one fits into a byte */
#define FM_SLOT_WORDS	4	/* of 64 bits, that have one for each */

/* Slot 0 is Host, slot 1 Cookie, in every program. */
#define FM_SLOT_HOST		0
#define FM_SLOT_OF_COOKIE	1

/* kind is CLIENT in tests and maps of networks only. */
struct fm_subject_code {
	uint8_t			kind;		/* enum fm_subject_kind */
	uint8_t			slot;		/* HEADER; COOKIE: slot 1 */
	uint32_t		name;		/* QUERY, COOKIE: a text */
};

/*--------------------------------------------------------------------
 * Conditions
 */

enum fm_test_kind {
	FM_TEST_PRESENT,
	FM_TEST_TEXTS,		/* is, begins, ends, like: few, compared
				 * directly */
	FM_TEST_SET,		/* all of a set: any of it; a list that is
				 * alone, or large */
	FM_TEST_RANGE,		/* some of a set that tests share: of one
				 * block, or of the program (a list, too) */
	FM_TEST_NETS,		/* in networks */
	FM_TEST_NAMES		/* any name that is dropped by params[] */
};

/*
 * Where a test's subject is not there the test is false.  `host` tests have
 * operands that were canonicalised.
 *
 * memo: tests (and maps) that have the same subject and the same set have the
 * same memo, a number below the block's nmemos; what a scan found is kept
 * there for as long as the subject does not change.
 */
struct fm_test {
	uint8_t			kind;		/* enum fm_test_kind */
	uint8_t			mode;		/* TEXTS: fm_pattern_kind */
	bool			nocase;		/* TEXTS */
	bool			below;		/* TEXTS: the last byte of each
						 * is a `/` that the subject
						 * may end before */
	uint16_t		memo;		/* SET, RANGE */
	struct fm_subject_code	subject;	/* of NAMES only the kind */
	uint64_t		ends;		/* TEXTS: fm_test_end() of all
						 * of them together */
	uint32_t		first;		/* TEXTS: texts[first...];
						 * RANGE: numbers in the set */
	uint32_t		count;		/* of these */
	uint32_t		set;		/* SET, RANGE: sets[];
						 * NETS: nets[];
						 * NAMES: params[] */
	uint32_t		rule;
};

/*
 * A bit for the byte with which a text begins or ends.  A subject that has none
 * in common with the operands is none of them; that is known without looking
 * at them.
 */
static inline uint64_t
fm_test_end(const struct fm_test *test, struct fm_text t)
{
	unsigned char c;

	if (t.len == 0)
		return (~0ULL);
	c = (unsigned char)t.b[test->mode == FM_PATTERN_PREFIX ? 0 :
	    t.len - 1];
	/* Either case of a letter has the same bit then. */
	c |= (unsigned char)(test->nocase << 5);
	return (1ULL << c % 64);
}

/*
 * Negations are pushed down to the tests (three values, so De Morgan holds).
 * The children of a node are sorted by what they cost, the cheap first;
 * those that cost the same stay in the order of the text.
 */
enum fm_node_kind {
	FM_NODE_TEST,		/* tests[first] */
	FM_NODE_AND,		/* nodes[first...], count of them, two up */
	FM_NODE_OR
};

struct fm_node {
	uint8_t			kind;
	bool			negated;	/* TEST */
	uint16_t		count;
	uint32_t		first;
};

/* A regex of a condition that ${1} may speak of, and what it is tried on. */
struct fm_capture {
	struct fm_subject_code	subject;
	uint32_t		set;		/* sets[], */
	uint32_t		number;		/* and which of its patterns */
};

struct fm_cond_code {
	struct fm_node		root;
	uint32_t		first_test;	/* its tests, in the order of */
	uint16_t		ntests;		/* the text, lie together */
	uint16_t		ncaptures;	/* 0: nobody uses its groups */
	uint32_t		first_capture;	/* in the order of the text */
	uint32_t		reg;		/* where the groups go */
};

/*--------------------------------------------------------------------
 * Values
 */

enum fm_piece_kind {
	FM_PIECE_TEXT,		/* texts[a] */
	FM_PIECE_URL,
	FM_PIECE_PATH,
	FM_PIECE_QUERY,
	FM_PIECE_HOST,
	FM_PIECE_METHOD,
	FM_PIECE_CLIENT,
	FM_PIECE_PORT,
	FM_PIECE_RULESET,
	FM_PIECE_WILD,
	FM_PIECE_SUBJECT,	/* a header, cookie, parameter: subject */
	FM_PIECE_GROUP,		/* a: register, or FM_NONE: empty; b: 1 to 9 */
	FM_PIECE_MAP		/* maps[a] of the subject */
};

struct fm_piece {
	uint8_t			kind;
	uint16_t		memo;		/* MAP */
	struct fm_subject_code	subject;
	uint32_t		a, b;
};

/* The offers of a `normalize`, and its answers to the values that are usual. */
struct fm_offers_code {
	bool			named;
	uint32_t		text;		/* with blanks between */
	uint32_t		first;		/* usual_answers[], one for each
						 * value: texts[], or FM_NONE:
						 * none fits */
	const struct fm_usual	*usual;		/* or NULL */
};

struct fm_template {
	uint32_t		first;		/* pieces[] */
	uint32_t		count;		/* 0: empty */
};

/*
 * A map is the patterns of all its lines, in order, next to each other in a
 * set (of its own, or one that it shares with lists and other maps of the
 * subject), and for each line what must match; lines that ask for the same
 * have the same patterns.  The first line that matches gives the value.
 * Numbers of patterns are counted from the map's first.
 */
struct fm_map_match_code {
	uint32_t		first, count;	/* of the patterns: any of */
	bool			negated;
};

struct fm_map_line_code {
	uint32_t		first;		/* map_matches[] */
	uint32_t		count;
	uint32_t		template;
};

struct fm_map_code {
	uint32_t		set;
	uint32_t		first;		/* in it, and so many */
	uint32_t		count;
	uint32_t		first_line;	/* map_lines[] */
	uint32_t		nlines;
	uint32_t		otherwise;	/* a template, or FM_NONE */
	/*
	 * For each of the patterns the first line that asks for it, from 0:
	 * map_line_of[].
	 */
	uint32_t		line_of;
	/*
	 * The lines to which each leads, ascending: map_hints[] from
	 * map_hint_at[] of it to that of the next one.  Of a line's matches
	 * the one leads there whose words the fewest ask for, of those that
	 * are not negated.  FM_NONE: each leads to its own line.
	 */
	uint32_t		hint_at;
	/*
	 * Lines without a match that is not negated, from 0, ascending:
	 * map_unhinted[]; no candidate tells of them.
	 */
	uint32_t		unhinted, nunhinted;
	bool			direct;		/* ask its set for the first
						 * match, not for all */
	uint32_t		nets;		/* nets[], whose values are
						 * templates: there is nothing
						 * else of it; or FM_NONE */
	uint32_t		texts;		/* one a line, looked for one
						 * by one: texts[]; or FM_NONE:
						 * they are in the set alone */
	uint32_t		known;		/* a map of the host: its place
						 * in each row of known[], or
						 * FM_NONE */
};

/*--------------------------------------------------------------------
 * Operations
 */

enum fm_op_code {
	FM_OP_END,		/* of a list of operations */
	FM_OP_QUERY,		/* a: params; all: none, what is empty goes */
	FM_OP_COOKIE,		/* a: params */
	FM_OP_SET,		/* slot; a: template */
	FM_OP_UNSET,		/* slot */
	FM_OP_UNSET_GLOB,	/* a: text */
	FM_OP_NORMALIZE,	/* slot; a: offers[]; b: template or FM_NONE */
	FM_OP_REWRITE,		/* a: patterns[]; b: text; all */
	FM_OP_BACKEND,		/* a: number */
	FM_OP_PASS,
	FM_OP_PIPE,
	FM_OP_HASH,
	FM_OP_PURGE,
	FM_OP_SYNTH,		/* status; a: text, or FM_NONE; b: template, or
				 * FM_NONE: the text */
	FM_OP_ANSWER,		/* status; a: text, the type; b: the body */
	FM_OP_REDIRECT,		/* status; a: template */
	FM_OP_STOP,		/* b: the end of the block */
	FM_OP_BUILTIN,		/* slot: that of Authorization; a: that of
				 * Connection, where builtin.vcl sets it */
	FM_OP_USE,		/* a: blocks[]; b: as of STOP, if that stops */
	FM_OP_WHEN,		/* a: conds[]; b: the operation to go on with
				 * unless it is true */
	FM_OP_JUMP,		/* b */
	FM_OP_COUNT,		/* a, b, rule: counters; the last two may be
				 * FM_NONE */
	/* Only route.c makes these: */
	FM_OP_IF,		/* a: tests[], a test of two values; b: the
				 * operation to go on with if that is `when` */
	FM_OP_PUT,		/* slot; a: text */
	FM_OP_PUT_HOST,		/* slot */
	FM_OP_PUT_MAP,		/* slot; a: pieces[], a map that looks for a
				 * few texts and gives others */
	FM_OP_TELL_BLOCK,	/* a: blocks[]; b: as below */
	FM_OP_TELL_WHEN		/* a: conds[] that is asked next, or was when
				 * the program was made; only a trace is told.
				 * b: so many are behind each other, from this
				 * one on */
};

struct fm_op {
	uint8_t			code;
	union {
		uint8_t		slot;
		bool		when;
		bool		all;
	};
	uint16_t		status;
	uint32_t		a;
	uint32_t		b;
	uint32_t		rule;		/* rules[]; NONE: JUMP, END, IF,
						 * TELL_BLOCK */
};

/*
 * A statement as it is counted.  Statements that run equally often, as nothing
 * between them branches or may end the run, have one counter; a `when` has
 * that of what it guards.
 */
struct fm_stmt_code {
	uint64_t		id;
	uint32_t		rule;		/* rules[] */
	uint32_t		counter;
};

struct fm_block_code {
	struct fm_text		name;		/* "always", "finally", or
						 * ${ruleset} */
	uint32_t		first;		/* ops[] */
};

/*--------------------------------------------------------------------
 * The program.  Sets, names, params and patterns are owned.
 */

struct fm_program {
	unsigned		magic;
#define FM_PROGRAM_MAGIC	0x38c1f6d4
	struct fm_hosttab	*hosttab;	/* entry: a block; never NULL */
	struct fm_block_code	*blocks;
	const struct fm_cond_code *conds;
	const struct fm_node	*nodes;
	const struct fm_test	*tests;
	const struct fm_capture	*captures;
	const struct fm_text	*texts;		/* each ends in NUL */
	const struct fm_template *templates;
	const struct fm_piece	*pieces;
	const struct fm_offers_code *offers;
	const uint32_t		*usual_answers;
	struct fm_patset	**sets;
	struct fm_networks	**nets;
	struct fm_params	*params;	/* their names are owned */
	struct fm_pattern	**patterns;	/* of rewrite */

	const struct fm_map_code *maps;
	const struct fm_map_line_code *map_lines;
	const struct fm_map_match_code *map_matches;
	const uint32_t		*map_line_of;
	const uint32_t		*map_hint_at;
	const uint32_t		*map_hints;
	const uint32_t		*map_unhinted;

	/*
	 * Header names: chains by `first byte & 31`, each index plus one in
	 * slot_heads and in next; 0 ends a chain.
	 */
	const struct fm_slot	*slots;
	uint32_t		nslots;
	uint8_t			slot_heads[32];
	bool			near_slots;	/* two names differ only in `-`
						 * and `_` */

	uint32_t		always;		/* a block, or FM_NONE */
	uint32_t		finally;	/* likewise */
	uint32_t		otherwise;	/* `default`; likewise */
	uint32_t		nmemos;		/* what any request may need: of
						 * `always`, one block and
						 * `finally` */
	uint32_t		ncommon;	/* of these, of `always` and
						 * `finally` */
	uint32_t		nregs;
	bool			wants_client;
	uint32_t		trust;		/* nets[] of proxies that name
						 * the client, or FM_NONE: no */
	uint8_t			trust_slot;	/* and the header */
	enum fm_undecided_mode	undecided;
	uint16_t		undecided_status;
	uint32_t		undecided_reason; /* a text, or FM_NONE */
	uint32_t		undecided_rule;

	/*
	 * What maps of the host give where a host is found by its own name: a
	 * row of nknown templates for each pattern of the host table, in the
	 * order of their numbers.
	 */
	uint32_t		*known;
	uint32_t		nknown;

	/*
	 * Operations: a list of each block and, for such hosts, of all blocks
	 * that run for them, without what the host decides.  Jumps stay in
	 * their list.  route_of[] has the first operation of a host's own list,
	 * or FM_NONE: the blocks' lists run, one after the other.
	 */
	struct fm_op		*ops;
	uint32_t		nops;
	uint32_t		*route_of;

	/* Counters: those of statements, and from here on one a host. */
	uint32_t		first_host;
	uint32_t		nhosts;

	/* Cold: for people, and for freeing. */
	const struct fm_rule	*rules;
	const struct fm_stmt_code *stmts;	/* in the order of the text */
	const char		*hosts;		/* patterns, each ends in NUL */
	const uint32_t		*host_at;	/* where */
	uint32_t		nstmts;
	const char		**backends;
	const struct fm_place	*backend_places;
	uint32_t		nbackends;
	uint32_t		nsets, nnets, nparams, npatterns, nblocks;
	uint32_t		nrules, ntests, npieces;
	struct fm_arena		arena;
};

#endif
