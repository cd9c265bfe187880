/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The parts of a program, which compile_*.c and route*.c write and run.c runs.
 *
 * A program is a handful of arrays whose items refer to each other by index:
 *
 *	hosttab -> blocks -> ops -+-> tests -> sets
 *				  +-> templates -> pieces -> maps
 *
 *	when path begins /a { set X-A = 1; }
 *
 *	ops[7]	SKIP bits: that of "a", b: 4
 *	    8	IF a: tests[0], when: false, b: 3
 *	    9	COUNT a: counter 0
 *	   10	PUT slot: that of X-A, a: texts[1], which is "1"
 *	   11	END
 *
 * The operations of a block lie together, in the order in which they run.
 * Texts that are only shown to people (fm_rule) lie apart.  No run takes time
 * or memory that grows with the number of blocks.
 */

#ifndef FM_PROGRAM_PRIV_H
#define FM_PROGRAM_PRIV_H

#include "arena.h"
#include "hosttab.h"
#include "kinds.h"
#include "name_words.h"
#include "names.h"
#include "networks.h"
#include "offers.h"
#include "params.h"
#include "patset.h"
#include "program.h"
#include "readings.h"

#define FM_NONE		UINT32_MAX	/* no index */

/*
 * A map with more patterns than this asks its set for the first match alone: to
 * clear a bit for each pattern would take longer.  The limit is higher if the
 * set has regexes of PCRE2, as these might be asked twice (map_is_direct()).
 */
#define FM_PROGRAM_BITS		1024	/* patterns */
#define FM_PROGRAM_BITS_REGEXES	65536	/* patterns */

/*--------------------------------------------------------------------
 * Subjects
 */

/* The kind of a header says what its value is if the request has several. */
enum fm_slot_kind {
	FM_SLOT_PLAIN,		/* the first one counts */
	FM_SLOT_LIST,		/* Accept, Accept-*: joined by ", " */
	FM_SLOT_COOKIE		/* Cookie: joined by "; " */
};

/*
 * A header that the rules speak of, a cache line:
 *
 *	X-Forwarded-For		words of "x-forwar" and "rded-for", PLAIN
 */
struct fm_slot {
	struct fm_text		name;		/* in the case that the rules
						 * wrote first */
	struct fm_name_words	words;		/* of the name */
	uint32_t		last_at;	/* where the last eight bytes
						 * begin; 0: there are less */
	uint8_t			shift;		/* fm_name_shift() */
	uint8_t			kind:7;		/* enum fm_slot_kind */
	uint8_t			request:1;	/* a header of the request, in
						 * `response` and `delivery` */
	uint8_t			next;		/* next slot of the chain, plus
						 * one; 0: no more */
};

/*
 * Returns the head of the chain of a name, in either case, by its first byte
 * and byte program->slot_at, which may be the colon.
 */
static inline unsigned
fm_slot_head(char first, char other)
{
	return ((unsigned char)(first + other) & 31);
}

#define FM_SLOT_LINE	64
_Static_assert(sizeof(struct fm_slot) <= FM_SLOT_LINE, "a cache line");

#define FM_SLOT_AT	5	/* program->slot_at is less */
#define FM_SLOTS	255	/* most slots: an index plus one is a byte */
#define FM_SLOT_WORDS	4	/* words of 64 bits, for one bit per slot */

/* Slot 0 is the request's Host, slot 1 its Cookie, in every program. */
#define FM_SLOT_HOST		0
#define FM_SLOT_OF_COOKIE	1

/* The subject of a test, a map or a variable. */
struct fm_subject_code {
	uint8_t			kind;		/* enum fm_subject_kind; CLIENT
						 * for networks only; never
						 * REQUEST_HEADER: a HEADER */
	uint8_t			slot;		/* HEADER, COOKIE: slots[];
						 * TYPE, SET_COOKIE and
						 * CACHE_CONTROL: of the header
						 * that they are taken from */
	bool			all;		/* a test looks at all values of
						 * the name (VALUES) */
	uint32_t		name;		/* QUERY, COOKIE, SET_COOKIE,
						 * CACHE_CONTROL: the name, in
						 * texts[] */
};

/* Returns true if a subject is the URL or a part of it. */
static inline bool
fm_subject_is_url(const struct fm_subject_code *subject)
{
	return (subject->kind == FM_SUBJECT_URL ||
	    subject->kind == FM_SUBJECT_PATH ||
	    subject->kind == FM_SUBJECT_CLEAN_PATH ||
	    subject->kind == FM_SUBJECT_QUERY);
}

/*--------------------------------------------------------------------
 * Conditions
 */

enum fm_test_kind {
	FM_TEST_PRESENT,
	FM_TEST_TEXTS,		/* is, begins, ends, like: compares a few texts
				 * one by one */
	FM_TEST_SET,		/* does any pattern of a set match?  A list
				 * that is alone, or large */
	FM_TEST_RANGE,		/* does any of some patterns match, in a set
				 * that tests of a block, or of all, share? */
	FM_TEST_NETS,		/* is the subject in networks? */
	FM_TEST_NAMES,		/* would params[] drop any name? */
	FM_TEST_PATHS,		/* `any path`, `every path`: compares texts with
				 * all readings of the path */
	FM_TEST_VALUES,		/* `any query`, `any cookie`, `any header`: the
				 * same as RANGE, for any value of the name */
	FM_TEST_NUMBER,		/* is the subject over `number`, or under? */
	FM_TEST_FLAGS		/* has the response any of these flags? */
};

/*
 * A test.  A test whose subject is missing is false.  Operands of `host` are
 * canonical.  What is said of TEXTS is so of PATHS, too.
 *
 *	path begins /a /b	TEXTS, mode PREFIX, first: texts[] of "/a",
 *				count 2
 *	agent contains bot	RANGE, set: that of the User-Agent in this
 *				block, first: the pattern "bot", count 1
 *
 * Tests and maps that have the same subject and the same set have the same
 * memo, a number below nmemos.  The memo keeps what a scan found until the
 * subject changes.
 */
struct fm_test {
	uint8_t			kind;		/* enum fm_test_kind */
	uint8_t			mode;		/* TEXTS, RANGE, VALUES:
						 * fm_pattern_kind; REGEX: some
						 * pattern is a regex */
	bool			nocase;		/* TEXTS */
	bool			below;		/* TEXTS: the last byte of each
						 * is a `/` that the subject
						 * may end before */
	uint16_t		memo;		/* SET, RANGE, VALUES */
	union {
		bool		every;		/* PATHS: all readings have to
						 * fit */
		bool		over;		/* NUMBER: not `under` */
	};
	struct fm_subject_code	subject;	/* of NAMES only the kind */
	union {
		uint64_t	ends;		/* TEXTS: fm_test_end() of all
						 * operands, ored */
		double		number;		/* NUMBER */
	};
	uint32_t		first;		/* TEXTS: first operand, in
						 * texts[]; RANGE, VALUES: first
						 * pattern of the set; FLAGS:
						 * FM_FETCH_* or FM_CACHE_* */
	uint32_t		count;		/* TEXTS, RANGE, VALUES: how
						 * many */
	uint32_t		set;		/* SET, RANGE, VALUES: sets[];
						 * PATHS: reading_numbers[] of
						 * the first operand;
						 * NETS: nets[];
						 * NAMES: params[] */
	uint32_t		rule;		/* rules[] */
};

/*
 * Returns a bit for a byte.  The upper half of the bits is for small letters
 * alone: many a path ends in `/`, and an operand in a letter.
 */
static inline uint64_t
fm_byte_bit(unsigned char c)
{
	return (1ULL << (c & (0x1f | (c & 0x40) >> 1)));
}

/*
 * Returns a bit for the byte with which a text begins (PREFIX) or ends (other
 * modes).  A subject whose bit is not in test->ends matches no operand, so
 * that none has to be compared.
 */
static inline uint64_t
fm_test_end(const struct fm_test *test, struct fm_text t)
{
	unsigned char c;

	if (t.len == 0)
		return (~0ULL);
	c = (unsigned char)t.b[test->mode == FM_PATTERN_PREFIX ? 0 :
	    t.len - 1];
	/* Without case, `A` and `a` have the same bit. */
	return (fm_byte_bit(c | (unsigned char)(test->nocase << 5)));
}

/* A regex of a condition whose groups ${1} to ${9} may stand for. */
struct fm_capture {
	uint32_t		test;		/* tests[]: what it looks at */
	uint32_t		number;		/* its pattern in test->set */
};

/*
 * A condition is tests, each of which goes on or jumps, and then FM_OP_WHEN or
 * FM_OP_ELSE.  Each `not` was moved to the tests, by De Morgan's laws.  A test
 * that is undecided is not met, whatever `not` stands before it.  Tests that
 * are cheap come first.
 *
 *	when not (path ~ x and method is GET) { A } else { B }
 *
 *	0	TEST method is GET, on: false, b: 2
 *	1	TEST path ~ x, on: true, undecided, fragment; b: 3
 *	2	THEN, then A
 *	3	JUMP b: 2
 *	4	ELSE, then B
 *	5
 */
struct fm_cond_code {
	uint32_t		first_test;	/* first of the tests, which
						 * are in the text's order */
	uint16_t		ntests;
	uint16_t		ncaptures;	/* 0: its groups are not used */
	uint32_t		first_capture;	/* captures[], in the order of
						 * the text */
	uint32_t		reg;		/* register for the groups */
	uint32_t		otherwise;	/* its FM_OP_ELSE in the list
						 * for traces */
};

/*--------------------------------------------------------------------
 * Values
 */

/*
 * A piece is a text, one variable such as ${host}, or a map: "a ${host}" is
 * TEXT, a: texts[] of "a "; and HOST.
 */
struct fm_template_piece {
	uint8_t			kind;		/* enum fm_part_kind */
	uint16_t		memo;		/* MAP */
	struct fm_subject_code	subject;	/* HEADER, COOKIE, PARAMETER,
						 * MAP */
	uint32_t		a;		/* TEXT: texts[]; MAP: maps[];
						 * GROUP: a register, or FM_NONE
						 * for a group without text */
	uint32_t		b;		/* GROUP: 1 to 9 */
};

/*
 * The offers of a `normalize`.  The compiler negotiates the values that most
 * browsers send; a run looks these answers up.
 *
 *	normalize Accept-Encoding to br gzip;
 *	text "br gzip", answers: br to "gzip, deflate, br, zstd", br, gzip, ...
 */
struct fm_offers_code {
	bool			named;		/* `normalize named` */
	uint32_t		text;		/* texts[]: all offers, with a
						 * blank between two */
	uint32_t		first;		/* usual_answers[first + n] is
						 * the answer to usual value n:
						 * texts[], or FM_NONE: no
						 * offer fits */
	const struct fm_usual	*usual;		/* NULL: no usual values */
};

/* A value: its pieces, one after the other.  "a ${host}" has two. */
struct fm_template {
	uint32_t		first;		/* pieces[] */
	uint32_t		count;		/* 0: the value is empty */
	uint32_t		host;		/* where the host begins, if
						 * this is a Location; 0: it is
						 * a path */
};

/*
 * A map is the patterns of all its lines, in order, next to each other in a
 * set (of its own, or one that it shares with lists and other maps of the
 * subject), and for each line which of them must match.  The first line that
 * matches gives the value.  Patterns and lines are counted from the map's
 * first.
 *
 *	contains shop and ends .css -> a;	line 0: 0 and 1
 *	contains shop and ends .js  -> b;	line 1: 0 and 2
 *	not begins /x -> c;			line 2: not 3
 *
 *	lead_at	-> 0 0 1 2 2 3		of pattern n: [n] up to [n + 1]
 *	map_leads: 0 1 2		pattern 1 leads to line 0, 2 to line 1;
 *					no pattern (4) leads to line 2
 */
struct fm_map_match_code {
	uint32_t		first, count;	/* patterns: one must match; */
	bool			negated;	/* or, with `not`, none */
};

struct fm_map_line_code {
	uint32_t		first;		/* map_matches[] */
	uint32_t		count;		/* matches, all of which must
						 * be true */
	uint32_t		template;	/* templates[] */
};

struct fm_map_code {
	uint32_t		set;		/* sets[] */
	uint32_t		first;		/* first pattern in the set */
	uint32_t		count;		/* patterns of the map */
	uint32_t		first_line;	/* map_lines[] */
	uint32_t		nlines;
	uint32_t		otherwise;	/* a template, or FM_NONE */
	uint32_t		lead_at;	/* map_lead_at[], whose numbers
						 * are indices of map_leads[] */
	bool			direct;		/* ask for the first pattern
						 * that matches, not for all */
	uint32_t		nets;		/* nets[] whose values are
						 * templates, and nothing of the
						 * above but otherwise; or
						 * FM_NONE */
	uint32_t		texts;		/* texts[]: the patterns, to be
						 * searched for one by one, and
						 * then the text that each one
						 * gives, if it gives a text; or
						 * FM_NONE: use the set */
};

/*--------------------------------------------------------------------
 * Operations
 */

/*
 * The first operations are statements, in the order of enum fm_stmt_kind.  They
 * use these fields of fm_op:
 *
 *	QUERY		a: params[]
 *	COOKIE		slot: that of Cookie; a: params[]
 *	SET		slot; a: template
 *	UNSET		slot
 *	NORMALIZE	slot; a: offers[]; b: template if no offer fits, or
 *			FM_NONE
 *	REWRITE		a: patterns[]; b: replacement, in texts[]; all: of each
 *			match
 *	BACKEND		a: backends[]
 *	LOG		a: template
 *	CALL		a: calls[]
 *	BAN		a: the first of its tests, in bans[]; b: how many
 *	CACHE_STATUS	slot; a: name, in texts[]; b: nets[] of clients that see
 *			the detail, or FM_NONE: all do
 *	NO_VARY_SEARCH	slot; a: texts[], the header and what is left out of it
 *			for each of blocks[]; b: how many, after which there are
 *			those of hosts without a block
 *	SYNTH		status; b: template of the reason, or FM_NONE; then a:
 *			texts[], or FM_NONE: the synth has no reason
 *	REDIRECT	status; a: template of the Location
 *	ANSWER		status; a: media type, b: body, in texts[]
 *	WHEN		a: conds[], which is met; b: to the ELSE, if captures
 *			can't be found
 *	STOP		b: to the block's end
 *	BUILTIN		slot: that of Authorization; a: that of Connection, b:
 *			that of Range, where builtin.vcl edits them
 *	TTL		what: enum fm_ttl_what; a: seconds, status: and
 *			milliseconds, as of the next ones; of FROM a: texts[] of
 *			two bytes for each header: its slot, and its enum
 *			fm_targeted_kind
 *	GRACE, KEEP, UNCACHEABLE
 *			a: seconds, or FM_NONE; status
 *	RETRY		a: how often
 *	SET_COOKIE, VARY, CACHE_CONTROL
 *			slot; a: params[]; star: their names have a `*` alone
 *	VARY_ADD	slot; a: first of the names, in texts[]; b: how many
 *	USE		a: blocks[]; b: as of STOP, if that stops
 *
 * Comments name the fields that the others use.  The b of an operation that
 * may jump says how many operations further it leads, as 1 leads to the next.
 */
enum fm_op_code {
#define S(name, ...)	FM_OP_##name,
	FM_STATEMENTS(S, S)
	FM_USE(S)
#undef S
	FM_OP_KEYED,		/* a: template, whose text a key gets */
	FM_OP_KEY_HEADER,	/* slot; b: its name in lower case, texts[] */
	FM_OP_KEY_COOKIE,	/* a: params[] that keep it; b: as above */
	FM_OP_END,		/* ends the list */
	FM_OP_UNSET_GLOB,	/* a: the glob, in texts[] */
	FM_OP_SET_URL,		/* a: template */
	FM_OP_REWRITE_HEADER,	/* slot; a, b, all: as of REWRITE */
	FM_OP_JUMP,		/* b */
	FM_OP_COUNT,		/* a, b, rule: counters; the last two may be
				 * FM_NONE */
	FM_OP_TEST,		/* a: tests[]; rule: conds[]; b: jumps if `on`
				 * has the outcome's bit */
	FM_OP_ELSE,		/* a: conds[], which is not met: ends the run
				 * if a test was undecided */
	FM_OP_TTL_MAP,		/* a: template */
	FM_OP_PASS_RESPONSE,	/* a, status: as of GRACE */
	FM_OP_BUILTIN_RESPONSE,	/* slot: that of Cache-Control; a: texts[] of
				 * four bytes: the slots of Set-Cookie, Vary,
				 * Surrogate-Control and Content-Range */
	FM_OP_VARY_ADD,
	/* Only the route*.c files make these: */
	FM_OP_IF,		/* a: tests[], which can't be undecided; b:
				 * jumps if the outcome is `when` */
	FM_OP_IF_HAS,		/* slot; b: jumps if `when` says that the
				 * request has the header, or lacks it */
	FM_OP_IF_IS,		/* slot; b: jumps if the answer is `when` to: is
				 * the header the text of `len` bytes in
				 * `word`? */
	FM_OP_IF_METHOD,	/* the same for the method */
	FM_OP_SKIP,		/* when: true; b: jumps if the tests up to there
				 * are false, as `bits` lacks the bit of the
				 * path's last byte (`last`), or of its second
				 * one */
	FM_OP_PUT,		/* slot; a: the new value, in texts[] */
	FM_OP_PUT_HOST,		/* slot: gets the canonical host */
	FM_OP_PUT_PART,		/* slot; a: enum fm_part_kind, a number or a
				 * word of the response */
	FM_OP_PUT_MAP		/* slot; a: pieces[], a map that looks for a
				 * few texts and gives others */
};

_Static_assert((int)FM_OP_KEYED == (int)FM_STMT_KEYED, "as statements are");

/* One operation; the drawing at the top of this file has some. */
struct fm_op {
	uint8_t			code;		/* enum fm_op_code */
	union {
		uint8_t		slot;		/* slots[] */
		bool		last;		/* SKIP */
		uint8_t		what;		/* TTL */
		uint8_t		on;		/* TEST: a bit for each enum
						 * fm_outcome */
	};
	union {
		uint16_t	status;		/* of HTTP */
		bool		all;		/* REWRITE, REWRITE_HEADER */
		bool		star;		/* VARY */
		struct {
			bool	when;		/* IF, IF_* */
			uint8_t	len;		/* IF_IS, IF_METHOD */
		};
	};
	uint32_t		b;
	union {
		struct {
			uint32_t a;
			uint32_t rule;		/* rules[]; FM_NONE in END,
						 * JUMP, IF, IF_HAS */
		};
		char		word[8];	/* IF_IS, IF_METHOD */
		uint64_t	bits;		/* SKIP: fm_byte_bit() of those
						 * bytes that a path needs */
	};
};

/* A sub of VCL that rules call, with the place that names it first. */
struct fm_call_code {
	const char		*name;
	struct fm_place		at;
	unsigned		phases;		/* FM_PHASES_*: those that call
						 * it */
};

/*
 * A test of a ban.  The value of a regex with variables has pieces for the
 * groups that these need:
 *
 *	ban obj.http.X ~ "^${host}+$";
 *	field "obj.http.X", oper "~", quotes,
 *	template TEXT "^(?:", HOST, TEXT ")+$"
 */
struct fm_ban_code {
	const char		*field, *oper;
	uint32_t		template;
	bool			quotes;		/* it is a regex: variables are
						 * quoted */
	bool			quoted;		/* the rule has it in quotes */
};

/* The place of a host pattern in the rules. */
struct fm_host_place {
	uint32_t		line;
	uint16_t		column;		/* 0: it is farther away */
	uint16_t		file;		/* host_files[] */
};

/*
 * A statement and its counter.  Statements share a counter if nothing between
 * them branches or may end the run, as they run equally often.  The counter of
 * a `when` counts how often its condition was true.
 */
struct fm_stmt_code {
	uint64_t		id;		/* fm_program_rule_id() */
	uint32_t		rule;		/* rules[] */
	uint32_t		counter;
};

struct fm_block_code {
	struct fm_text		name;		/* "always", "finally", or
						 * ${ruleset} */
	uint32_t		first;		/* first operation, in ops[] */
	uint32_t		traced;		/* the same for traces */
};

/* A `scheme from`. */
struct fm_scheme_code {
	uint8_t			from;		/* enum fm_scheme_from */
	uint32_t		header;		/* texts[]: its name */
	uint32_t		nets;		/* nets[] of peers that may
						 * send it */
};

/*--------------------------------------------------------------------
 * The program.  It owns, and frees, what sets, nets, params and patterns
 * point to.
 */

struct fm_program {
	unsigned		magic;
#define FM_PROGRAM_MAGIC	0x38c1f6d4

	/* Every request reads these, up to `rules`: they lie together. */
	uint32_t		trust;		/* nets[] of proxies that name
						 * the client; FM_NONE: no
						 * proxy is trusted */
	const struct fm_program	*requests;	/* in a copy: this one; else
						 * NULL */
	uint32_t		regs_at, versions_at, memos_at, run_bytes;
						/* fm_exec_plan(): where the
						 * arrays of a run are, after
						 * that of its slots */

	/*
	 * Headers that the rules speak of.  Names with the same fm_slot_head()
	 * are a chain: slot_heads[head] is the first slot plus one, `next` of a
	 * slot is the next one plus one, and 0 ends the chain.  slot_at is the
	 * third byte, as many names begin with `X-`; or another one, where no
	 * name has a `-`, and so no alias another mark; or 0.
	 */
	const struct fm_slot	*slots;
	uint32_t		nslots;
	uint8_t			slot_heads[32];
	uint8_t			slot_at;
	bool			near_slots;	/* a name is an alias of another
						 * one */
	uint8_t			wants;		/* fm_program_wants() */
	struct fm_hosttab	*hosttab;	/* host to blocks[]; never
						 * NULL */
	uint32_t		otherwise;	/* `default`, or FM_NONE */

	/* Counters of statements come first, then one for each host. */
	uint32_t		first_host;	/* counter of host 0 */

	/*
	 * Operations.  Each block has a list as it is written, for traces and
	 * for requests whose URL has a raw `#`, and a list for all others.
	 * Hosts may have a route.  Jumps stay in their list.  route_of[] has
	 * the first operation of the route of each host that is found by its
	 * own name, or FM_NONE: then the lists of the blocks run, one after the
	 * other.  wild_of[] has the route of all hosts that a wildcard finds,
	 * at the number of the wildcard plus one, and at 0 that of hosts that
	 * no pattern finds.
	 */
	struct fm_op		*ops;
	uint32_t		*route_of;
	uint32_t		*wild_of;
	struct fm_block_code	*blocks;

	const struct fm_text	*texts;		/* all end in NUL */
	const struct fm_test	*tests;
	const struct fm_template_piece	*pieces;
	const struct fm_map_code *maps;
	const struct fm_template *templates;
	const struct fm_rule	*rules;

	const struct fm_cond_code *conds;
	const struct fm_capture	*captures;
	const struct fm_offers_code *offers;
	const uint32_t		*usual_answers;
	struct fm_patset	**sets;
	struct fm_networks	**nets;
	struct fm_params	*params;	/* of `query`, `cookie` */
	struct fm_pattern	**patterns;	/* of `rewrite` */

	const struct fm_map_line_code *map_lines;
	const struct fm_map_match_code *map_matches;
	const uint32_t		*map_lead_at;
	const uint32_t		*map_leads;

	uint8_t			request_heads[32]; /* the same for headers of
						 * the request, in the programs
						 * of `response` and
						 * `delivery` */
	bool			reads_request;	/* they have any of these */
	bool			reads_rule;	/* ${rule} */
	bool			tells_cache;	/* `cache-status` */
	bool			acts_in_synth;	/* of deliveries */
	uint8_t			adds;		/* of deliveries: slots that
						 * `always` and `finally` may
						 * set, */
	uint8_t			adds_most;	/* any host, */
	const uint8_t		*block_adds;	/* and each of blocks[] */

	uint32_t		always;		/* a block, or FM_NONE */
	uint32_t		finally;	/* a block, or FM_NONE */
	uint32_t		nmemos;		/* that a request may need for
						 * `always`, one block and
						 * `finally` */
	uint32_t		ncommon;	/* memos of `always` and
						 * `finally`, the first */
	uint32_t		readings_memo;	/* of tests of PATHS: one of
						 * the common memos */
	uint32_t		nreadings;	/* operands of `any path` */
	struct fm_readings	readings[2];	/* these; [1]: of `nocase` */
	const uint32_t		*reading_numbers; /* of the operands of tests */
	uint32_t		cond_tests;	/* most tests of a condition */
	uint32_t		nregs;
	bool			sets_host;	/* a rule for requests may */
	bool			asks_own;	/* `cache is own`, or a map */
	uint8_t			trust_slot;	/* header that names it */
	uint32_t		nschemes;
	const struct fm_scheme_code *schemes;	/* in their order; of phases:
						 * those of requests */
	enum fm_undecided_mode	undecided;
	uint16_t		undecided_status;
	uint32_t		undecided_reason; /* texts[], or FM_NONE */
	uint32_t		undecided_rule;	/* rules[] */

	uint32_t		nops;

	/*
	 * The programs of the other phases, by enum fm_phase; NULL:
	 * the rules have no such block.  They are copies of this one, with
	 * blocks, slots and a layout of a run of their own.
	 */
	struct fm_program	*phases[FM_PHASE__KINDS];
	uint32_t		phase_blocks_at; /* its first block */
	const uint64_t		*key_ids;	/* of `key`: fm_program_key_id()
						 * of each block, and of none */
	uint64_t		key_id;		/* of all hosts */
	bool			of_response;	/* fm_phase_is_response() */

	uint32_t		nhosts;

	/* No request reads what follows, but for logs and pages. */
	const struct fm_stmt_code *stmts;	/* in the order of the text */
	const char		*hosts;		/* patterns, each ends in NUL */
	const uint32_t		*host_at;	/* offset of each in hosts */
	const struct fm_host_place *host_places;
	const char		**host_files;
	uint32_t		nstmts;
	const char		**backends;
	const struct fm_place	*backend_places;
	uint32_t		nbackends;
	const struct fm_ban_code *bans;
	const struct fm_call_code *calls;
	uint32_t		ncalls;
	uint32_t		nsets, nnets, nparams, npatterns, nblocks;
	uint32_t		nrules, ntests, npieces;
	struct fm_arena		arena;
	struct fm_arena		cold;		/* texts of rules, backends */
};

/*
 * program.c: plans where the arrays of a run will be, in one piece of memory.
 * The last of them, memos, is not zeroed.
 */
void fm_exec_plan(struct fm_program *);

#endif
