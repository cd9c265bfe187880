/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The types and functions that the files of the compiler share.
 *
 * The compiler writes into arrays that grow, and so may move: their items refer
 * to each other by index.  In the end all of them are copied into a program.
 * Texts that requests need, and texts for people, are in two arenas, which the
 * program gets.
 *
 * The sets of patterns that the tests of one block share can't be made before
 * the block has ended; until then a test of them (FM_TEST_RANGE) has the number
 * of a pool as its set.  The first pools are those of the shares, which are
 * begun before all blocks, and stay.
 *
 * A function that can't go on gives the reason to the diag and calls
 * fm_compile_fail(), which returns from all of them to fm_compile().  So what
 * they allocate belongs to struct fm_compile, or to the program in the making,
 * from the first moment on.
 */

#ifndef FM_COMPILE_PRIV_H
#define FM_COMPILE_PRIV_H

#include <setjmp.h>

#include "compile.h"
#include "grow.h"
#include "intern.h"
#include "program_priv.h"

/* Each key of the intern table begins with one of these tags. */
enum fm_compile_tag {
	FM_TAG_NAME,		/* text of a parameter or cookie: a text */
	FM_TAG_BACKEND,
	FM_TAG_CALL,
	FM_TAG_COLD_TEXT,	/* text: its number in cold_texts */
	FM_TAG_SET,		/* patterns: a set */
	FM_TAG_NETS,
	FM_TAG_PARAMS,
	FM_TAG_REWRITE,
	FM_TAG_POOL,		/* block, subject: a pool */
	FM_TAG_RANGE,		/* block, pool, operands: the first */
	FM_TAG_SHARE,		/* subject: a share */
	FM_TAG_MEMBER,		/* list, map, subject: a member */
	FM_TAG_VALUE,		/* map, text: a template */
	FM_TAG_MATCH,		/* map, operands: the first pattern in it */
	FM_TAG_MAP,		/* map, of hosts?, pool of a share: a map */
	FM_TAG_MEMO,		/* block, subject, set: a memo */
	FM_TAG_READING,		/* operand of `any path`: its number */
	FM_TAG_ROUTE,		/* operations of a route: its first */
	FM_TAG_NO_VARY,		/* texts of NO_VARY_SEARCH: a block */
	FM_TAG_SAME		/* identity of a statement: a repeat */
};

/* A statement, its counter, and its place, by which statements are sorted. */
struct fm_compile_stmt {
	struct fm_stmt_code	code;
	uint32_t		file;		/* c->file */
	uint32_t		line, column;
};

/* A pattern that a set will have: of `agent nocase contains bot`, bot. */
struct fm_compile_pattern {
	enum fm_pattern_kind	kind;
	bool			nocase;
	struct fm_text		text;		/* the model's, or in
						 * c->lowered */
	struct fm_place		at;
};

/* Patterns of one block and one subject, which become a set. */
struct fm_compile_pool {
	struct fm_grow		patterns;	/* struct fm_compile_pattern */
	uint32_t		set;		/* sets[], once it is made */
};

/*
 * A member is a list or a map that blocks ask of a subject, and that may be in
 * the subject's share.
 *
 *	pool of the share	120 patterns | 9 patterns | bot spider
 *	list brands		first 0, count 120
 *	map device		first 120, count 9
 *	own words of `always`	after them
 */
struct fm_compile_member {
	const struct fm_list_def *list;
	uint32_t		count;		/* patterns */
	bool			regexes;	/* a pattern of the list is a
						 * regex */
	bool			wanted;		/* some block asks for other
						 * members, too */
	uint32_t		share;
	uint32_t		next;		/* next member of the share */
	uint32_t		block;		/* last block that asked for
						 * this member */
	uint32_t		pool;		/* the pool of the share */
	uint32_t		first;		/* first pattern there; FM_NONE:
						 * not in the share */
};

/*
 * A `when` that has a regex, and whose block is being compiled.  ${1} in the
 * block stands for a group of the innermost such `when`.
 */
struct fm_compile_scope {
	struct fm_compile_scope	*outer;		/* around this `when` */
	uint32_t		reg;		/* register for its groups */
	bool			used;		/* the block has a ${1} to
						 * ${9} */
};

/* How the next statement is counted (compile_stmt.c). */
struct fm_compile_count {
	uint64_t		around;		/* identity of the block, or of
						 * the part of a `when` */
	uint32_t		counter;	/* FM_NONE: a new one */
	uint32_t		ends;		/* statements so far that may
						 * end a run or a block */
};

/* The first blocks to be compiled; the latter if there is one. */
#define FM_COMPILE_ALWAYS	1
#define FM_COMPILE_FINALLY	2

struct fm_compile {
	const struct fm_model	*model;
	struct fm_diag		*diag;
	fm_compile_tell_f	*tell;		/* NULL: not called */
	void			*tell_priv;
	jmp_buf			failed;		/* for fm_compile_fail() */
	struct fm_program	*p;		/* the program in the making */

	/* Arrays of the program, with the names that they have there. */
	struct fm_grow		blocks, ops, conds, tests, captures;
	struct fm_grow		texts, templates, pieces;
	struct fm_grow		offers, usual_answers;
	struct fm_grow		sets, nets, params, patterns;
	struct fm_grow		readings[2], reading_numbers;
	struct fm_grow		maps, map_lines, map_matches;
	struct fm_grow		map_lead_at, map_leads;
	struct fm_grow		slots, backends, backend_places, calls, bans;

	/* Texts that only people read: struct fm_rule, backends, files. */
	struct fm_grow		rules;
	struct fm_grow		cold_texts;	/* char *: texts of files and
						 * rules, each of them once */
	struct fm_grow		line;		/* bytes of one that is put
						 * together */
	uint32_t		guard;		/* rules[] + 1 of the `when`
						 * around the next statement;
						 * 0: none is around */
	uint8_t			depth, side;	/* of the next statement */
	struct fm_place		last_at;	/* name and line of the last
						 * rule; the model's name */
	const char		*last_place;	/* its "file:line" */
	const char		*last_file;	/* copy of its file's name */
	uint32_t		file;		/* the number of that copy in
						 * shared */

	/* The phase that is being compiled. */
	enum fm_phase		phase;
	uint32_t		always, finally; /* its first blocks: numbers as
						 * in `block`; finally 0: there
						 * is none */
	uint32_t		blocks_at;	/* its blocks are from this one
						 * on, in blocks[] */

	/* Counters (compile_stmt.c). */
	struct fm_grow		stmts;		/* struct fm_compile_stmt */
	struct fm_grow		repeats;	/* uint32_t: how often each
						 * identity came again */
	struct fm_compile_count	count;

	/*
	 * By the number of a list or a map: the set or map that was first made
	 * of it, or FM_NONE.
	 */
	uint32_t		*lists, *lists_of_hosts;

	uint32_t		no_vary;	/* texts[] of NO_VARY_SEARCH,
						 * plus one; 0: not made yet */

	/* The shares of the program. */
	struct fm_grow		shares, members;
	uint32_t		nshared;	/* pools of shares */
	bool			sharing;	/* own words go to the pools */
	bool			of_readings;	/* a test asks for any path, or
						 * for every path */
	bool			asks_host;	/* a test or a map does */
	bool			rewrites;	/* there is a `rewrite` or a
						 * `set url` */

	struct fm_intern	intern;
	struct fm_arena		lowered;	/* what only the compiler needs:
						 * hosts in lower case, and
						 * others */
	struct fm_grow		operands;	/* struct fm_compile_pattern: of
						 * the list or map in the
						 * making */
	struct fm_arena		plan;		/* compile_cond.c: of the
						 * condition in the making */

	/* The block that is being compiled. */
	uint32_t		block;		/* from FM_COMPILE_ALWAYS on */
	struct fm_grow		pools;
	struct fm_compile_scope	*scope;
	uint32_t		nmemos;		/* so far */
	uint32_t		ends;		/* chain of jumps to its end */

	/* The lists that requests run (route.c). */
	size_t			ntraced;	/* operations before these */
	struct fm_way		*ways;		/* of each of those */
	struct fm_run		*trial;
	size_t			tried;		/* operations of all routes,
						 * also of those not kept */
	size_t			asked;		/* patterns that were asked for
						 * all hosts of a wildcard */
};

/* compile.c */

/* End the compilation: the diag has the reason, or gets "out of memory". */
_Noreturn void fm_compile_fail(struct fm_compile *);
_Noreturn void fm_compile_no_memory(struct fm_compile *);
/* Appends items, zeroed.  Returns the first. */
void *fm_compile_add(struct fm_compile *, struct fm_grow *, size_t size,
    size_t count);
/* Appends a copy of an item, and returns its index. */
uint32_t fm_compile_append(struct fm_compile *, struct fm_grow *,
    const void *item, size_t size);
/* Return zeroed memory, or a copy of a text, in an arena. */
void *fm_compile_alloc(struct fm_compile *, struct fm_arena *, size_t bytes);
struct fm_text fm_compile_copy(struct fm_compile *, struct fm_arena *,
    struct fm_text);
/*
 * Until it is known how far jumps lead, those to the same place are a chain:
 * the last of them, plus one; or 0.  The b of each is the one before, likewise.
 * The first function appends a jump, the second lets all of them lead to the
 * next operation.
 */
void fm_compile_jump(struct fm_compile *, const struct fm_op *,
    uint32_t *chain);
void fm_compile_lead(struct fm_compile *, uint32_t *chain);
/* Returns `count` times FM_NONE, in an arena. */
uint32_t *fm_compile_nones(struct fm_compile *, struct fm_arena *,
    uint32_t count);
/* Adds a text that a run may need, and returns its index in texts[]. */
uint32_t fm_compile_text(struct fm_compile *, struct fm_text);
/* Does what fm_intern_get() does.  Returns true if the key is new. */
bool fm_compile_new(struct fm_compile *, size_t offered, uint32_t *number);

/*
 * compile_rule.c: each adds to rules[] what people are told of a rule, and
 * returns its index.
 */
uint32_t fm_compile_rule_stmt(struct fm_compile *, const struct fm_stmt *);
uint32_t fm_compile_rule_test(struct fm_compile *, const struct fm_cond *,
    const struct fm_subject_code *);
uint32_t fm_compile_rule_undecided(struct fm_compile *);
/* Returns the program's copy of a name that logs show: without controls. */
struct fm_text fm_compile_name(struct fm_compile *, struct fm_text);
/* Lets a place have the program's copy of its file's name. */
void fm_compile_place(struct fm_compile *, struct fm_place *);

/*
 * compile_stmt.c: appends the operations of a block, without an FM_OP_END;
 * fm_compile_item() those of the phase that is being compiled, of a block of
 * `always`, a host and so on.
 */
void fm_compile_block(struct fm_compile *, const struct fm_block *);
void fm_compile_item(struct fm_compile *, const struct fm_block *);

/*
 * Begins a block for identities and counters.  `name` is unique among the
 * blocks of its kind (0: rulesets, 1: sites, 2: common).
 */
void fm_compile_count_block(struct fm_compile *, unsigned kind,
    struct fm_text name);
/* Puts the statements into the order of the text. */
void fm_compile_count_sort(struct fm_compile *);

/*
 * compile_params.c: makes the params[] of a `query` or `cookie` statement; or
 * params[] that would drop the names that a test asks for.
 */
uint32_t fm_compile_params(struct fm_compile *, const struct fm_stmt *);
uint32_t fm_compile_names(struct fm_compile *, const struct fm_cond *);

/*
 * compile_cond.c: compiles a condition, up to its FM_OP_WHEN; adds the jumps to
 * its FM_OP_ELSE to a chain.  Its ncaptures are the regexes whose groups ${1}
 * may stand for.
 */
uint32_t fm_compile_cond(struct fm_compile *, const struct fm_cond *,
    uint32_t *otherwise);

/* compile_test.c: appends a test to tests[]; and returns what a test costs. */
uint32_t fm_compile_test(struct fm_compile *, const struct fm_cond *);
uint32_t fm_compile_test_cost(const struct fm_compile *,
    const struct fm_test *);
/* Returns true if the operands of a test are compared one by one. */
bool fm_compile_test_is_texts(const struct fm_cond *);

/*
 * compile_any.c: fills in a test of PATHS, whose texts are compiled; and makes
 * the program's readings of all such tests.
 */
void fm_compile_any_path(struct fm_compile *, struct fm_test *);
void fm_compile_readings(struct fm_compile *);

/*
 * compile_set.c: appends operands to an array of struct fm_compile_pattern.
 * `host`: the subject is the canonical host, so operands become canonical, too.
 */
void fm_compile_operands(struct fm_compile *, struct fm_grow *patterns,
    enum fm_pattern_kind, bool nocase, const struct fm_words *, bool host);
/* Returns an operand, made canonical if `host` is set. */
struct fm_text fm_compile_operand(struct fm_compile *, enum fm_pattern_kind,
    struct fm_text, bool host);
/* Makes a set of such patterns, or finds one with the same patterns. */
uint32_t fm_compile_set(struct fm_compile *, const struct fm_grow *patterns);
uint32_t fm_compile_list(struct fm_compile *, const struct fm_list_def *,
    bool host);
/* Makes nets[] without values: of a list, or (list is NULL) of a test. */
uint32_t fm_compile_nets(struct fm_compile *, const struct fm_list_def *,
    const struct fm_nets *);
/* Makes nets[] with a value for each network; values NULL: all are 0. */
uint32_t fm_compile_networks(struct fm_compile *, const struct fm_nets *,
    const uint32_t *values);
/*
 * Adds the operands of a test to this block's pool for the subject.  Returns
 * the pool, and the first pattern.
 */
uint32_t fm_compile_pool(struct fm_compile *, const struct fm_cond *,
    const struct fm_subject_code *, uint32_t *first);
/*
 * Returns the number of the block's pool for a subject.  Texts that are
 * compared whole have a pool of their own, as a hash table needs no scan.
 */
uint32_t fm_compile_pool_of(struct fm_compile *,
    const struct fm_subject_code *, bool exact);
/* Makes the sets of the block's pools. */
void fm_compile_pools(struct fm_compile *);
/* Frees all pools but the first `keep`. */
void fm_compile_pools_fini(struct fm_compile *, uint32_t keep);

/*
 * compile_share.c: goes through the model for what its blocks ask, and begins
 * the pools of the shares.
 */
void fm_compile_shares(struct fm_compile *);
/* Finds a list or a map in its share; NULL: it has a set of its own. */
const struct fm_compile_member *fm_compile_shared(struct fm_compile *,
    const struct fm_list_def *, const struct fm_subject_code *);

/*
 * compile_map.c: makes maps[] of a map and a subject; appends the patterns of a
 * list or a map to an array of struct fm_compile_pattern.
 */
uint32_t fm_compile_map(struct fm_compile *, const struct fm_list_def *,
    const struct fm_subject_code *);
void fm_compile_list_patterns(struct fm_compile *, const struct fm_list_def *,
    bool host, struct fm_grow *patterns);

/*
 * route.c: appends the lists that requests run to ops[], in a program that has
 * all its other parts, and fills in blocks[].first and route_of[].
 */
void fm_compile_routes(struct fm_compile *);

/* compile_ban.c: fills in the operation of a `ban`. */
void fm_compile_ban(struct fm_compile *, const struct fm_stmt *,
    struct fm_op *);

/* compile_value.c: makes the template of a value. */
uint32_t fm_compile_value(struct fm_compile *, const struct fm_value *);
/* Compiles a subject, or finds the slot of a header. */
struct fm_subject_code fm_compile_subject(struct fm_compile *,
    const struct fm_subject *);
uint8_t fm_compile_slot(struct fm_compile *, struct fm_text name,
    const struct fm_place *);
/* Makes the chains of the slots, once all are known. */
void fm_compile_slots_end(struct fm_compile *);
/* compile_key.c: compiles a statement of `key`: an operation for each name. */
void fm_compile_keyed(struct fm_compile *, const struct fm_stmt *,
    uint32_t rule);
/* Gives the program of `key` the identities of the blocks' keys. */
void fm_compile_key_ids(struct fm_compile *);
/*
 * compile_synth.c: returns true if the rules for deliveries, which have been
 * compiled, may do anything with what Varnish answers itself.
 */
bool fm_compile_acts_in_synth(struct fm_compile *);

/* Finds the slot of a header of the request, in any phase. */
uint8_t fm_compile_request_slot(struct fm_compile *, struct fm_text name,
    const struct fm_place *);
/* Compiles the items `scheme from`. */
void fm_compile_schemes(struct fm_compile *);
/* Adds a subject to the key that is put together for the intern table. */
void fm_compile_key_subject(struct fm_compile *,
    const struct fm_subject_code *);

#endif
