/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Rules as data, as they are written: what the parser makes (parse.h), the
 * check completes (check.h), and the compiler reads (compile.h).
 *
 * Everything here lives in the model's arena, and ends with it.  Lists are
 * linked in the order of the text.  Texts end in NUL; escapes are resolved.
 * A pointer commented "check" is NULL until the check has found what a name
 * stands for, and is not NULL after a check without errors.
 */

#ifndef FM_MODEL_H
#define FM_MODEL_H

#include <stdint.h>
#include <sys/types.h>

#include "addrs.h"
#include "arena.h"
#include "diag.h"
#include "pattern.h"
#include "text.h"

struct fm_hosttab;

/*--------------------------------------------------------------------
 * Words, subjects, values
 */

struct fm_word {
	struct fm_text		text;
	struct fm_place		at;
	bool			quoted;
	struct fm_word		*next;
};

struct fm_words {
	struct fm_word		*first;		/* NULL: none */
	struct fm_word		*last;
	uint32_t		count;
};

/* What becomes of a request where a regex gave up. */
enum fm_undecided_mode {
	FM_UNDECIDED_REFUSE,	/* 400: the file says nothing */
	FM_UNDECIDED_IGNORE,	/* a test is false, a map gives its default */
	FM_UNDECIDED_SYNTH
};

enum fm_subject_kind {
	FM_SUBJECT_URL,
	FM_SUBJECT_PATH,
	FM_SUBJECT_CLEAN_PATH,
	FM_SUBJECT_HOST,
	FM_SUBJECT_METHOD,
	FM_SUBJECT_QUERY,	/* name */
	FM_SUBJECT_COOKIE,	/* name */
	FM_SUBJECT_HEADER,	/* name; `agent` is header User-Agent */
	FM_SUBJECT_CLIENT	/* in networks only */
};

struct fm_subject {
	enum fm_subject_kind	kind;
	bool			agent;		/* written as `agent` */
	struct fm_text		name;
	struct fm_place		at;
};

/* A piece of a value: text, or something in ${}. */
enum fm_part_kind {
	FM_PART_TEXT,		/* text */
	FM_PART_URL,
	FM_PART_PATH,
	FM_PART_QUERY,		/* all of the query string */
	FM_PART_HOST,
	FM_PART_METHOD,
	FM_PART_CLIENT,
	FM_PART_PORT,
	FM_PART_RULESET,
	FM_PART_WILD,
	FM_PART_HEADER,		/* text is the name; so with the next two */
	FM_PART_COOKIE,
	FM_PART_PARAMETER,	/* ${query.NAME} */
	FM_PART_GROUP		/* group: 1 to 9 */
};

struct fm_part {
	enum fm_part_kind	kind;
	unsigned		group;
	bool			of_host;	/* check: the group, as all
						 * regexes look at the host */
	struct fm_text		text;
	struct fm_place		at;
	struct fm_part		*next;
};

struct fm_map_def;

struct fm_value {
	struct fm_place		at;
	struct fm_text		raw;		/* the word or string */
	bool			quoted;
	struct fm_part		*parts;		/* NULL: empty, or a map */
	struct fm_word		*map;		/* NULL, or the map's name */
	struct fm_map_def	*map_def;	/* check: for `map` */
	struct fm_subject	subject;	/* of the map */
};

/* Networks, each with the word that it is read from. */
struct fm_net {
	struct fm_network	network;
	const struct fm_word	*word;
	const struct fm_value	*value;		/* of a map; else NULL */
};

struct fm_nets {
	struct fm_net		*items;		/* sorted */
	size_t			n;
};

/*--------------------------------------------------------------------
 * Lists and maps
 */

/* MODE operand+; the operands of one line are "any of". */
struct fm_list_line {
	bool			in;		/* networks; mode: EXACT */
	enum fm_pattern_kind	mode;
	struct fm_words		operands;
	struct fm_place		at;
	struct fm_list_line	*next;
};

struct fm_list_def {
	struct fm_word		*name;
	bool			nocase;
	bool			in;		/* all lines are of `in` */
	bool			used;		/* check */
	struct fm_nets		nets;		/* check: where it is asked for
						 * networks */
	struct fm_list_line	*lines;
	struct fm_list_def	*next;
	uint32_t		number;		/* from 0, in the model */
};

/* [not] MODE operand+, several of them joined by `and`. */
struct fm_match {
	bool			negated;
	bool			in;		/* as in fm_list_line */
	enum fm_pattern_kind	mode;
	struct fm_words		operands;
	struct fm_place		at;
	struct fm_match		*next;
};

struct fm_map_line {
	struct fm_match		*matches;
	struct fm_value		*value;
	struct fm_place		at;
	struct fm_map_line	*next;
};

struct fm_map_def {
	struct fm_word		*name;
	bool			nocase;
	bool			in;		/* all lines are of `in` */
	bool			used;		/* check */
	struct fm_nets		nets;		/* check: where it is of `in` */
	struct fm_map_line	*lines;
	struct fm_value		*otherwise;	/* `default`; NULL: none */
	struct fm_map_def	*next;
	uint32_t		number;
};

/*--------------------------------------------------------------------
 * Conditions
 */

enum fm_cond_kind {
	FM_COND_OR,		/* left, right */
	FM_COND_AND,		/* left, right */
	FM_COND_NOT,		/* left */
	FM_COND_MODE,		/* subject [nocase] mode operands */
	FM_COND_IN,		/* subject in list */
	FM_COND_NETS,		/* subject in networks: operands */
	FM_COND_PRESENT,	/* subject present */
	FM_COND_NAMES		/* the same of a name with a wildcard, or of
				 * all names in list */
};

struct fm_cond {
	enum fm_cond_kind	kind;
	bool			nocase;
	bool			below;		/* the mode is PREFIX, each
						 * operand ends in `/`, and a
						 * path that ends before that
						 * fits, too */
	enum fm_pattern_kind	mode;
	struct fm_place		at;		/* of the test's first word */
	struct fm_cond		*left;
	struct fm_cond		*right;
	struct fm_subject	subject;
	/* In the text of the file: `path`, `is /a`, and in that `/a`. */
	struct fm_text		source, asked;
	const char		*values;	/* NULL: it compares nothing */
	struct fm_words		operands;
	struct fm_nets		nets;		/* check: for NETS */
	struct fm_word		*list;
	struct fm_list_def	*list_def;	/* check: for `list` */
	unsigned		groups;		/* check: that a regex has */
};

/*--------------------------------------------------------------------
 * Statements
 */

/* But for the last one, in the order of their words in tokens.h. */
enum fm_stmt_kind {
	FM_STMT_QUERY,		/* params */
	FM_STMT_COOKIE,		/* params */
	FM_STMT_SET,		/* set */
	FM_STMT_UNSET,		/* unset */
	FM_STMT_NORMALIZE,	/* normalize */
	FM_STMT_REWRITE,	/* rewrite */
	FM_STMT_BACKEND,	/* backend */
	FM_STMT_SYNTH,		/* synth */
	FM_STMT_ANSWER,		/* answer */
	FM_STMT_REDIRECT,	/* redirect */
	FM_STMT_WHEN,		/* when */
	FM_STMT_PASS,
	FM_STMT_PIPE,
	FM_STMT_HASH,
	FM_STMT_PURGE,
	FM_STMT_STOP,
	FM_STMT_BUILTIN,
	FM_STMT_USE		/* use */
};
#define FM_STMT__KINDS	(FM_STMT_USE + 1)

enum fm_params_what {
	FM_PARAMS_WHAT_DROP,	/* `query drop`, `cookie drop` */
	FM_PARAMS_WHAT_KEEP,
	FM_PARAMS_WHAT_SORT,	/* query only */
	FM_PARAMS_WHAT_UNIQUE,	/* query only */
	FM_PARAMS_WHAT_CLEAN	/* query only */
};

struct fm_block;

struct fm_stmt {
	enum fm_stmt_kind	kind;
	struct fm_place		at;
	struct fm_text		source;		/* in the file, up to its `;`
						 * or `{` */
	struct fm_stmt		*next;
	union {
		struct {
			enum fm_params_what	what;
			struct fm_words		names;
			struct fm_word		*list;	/* NULL: names */
			struct fm_list_def	*list_def; /* check */
		}		params;
		struct {
			struct fm_word		*header;
			struct fm_value		*value;
		}		set;
		struct {
			struct fm_words		headers; /* globs too */
		}		unset;
		struct {
			struct fm_word		*header;
			bool			named;
			struct fm_words		offers;
			struct fm_value		*otherwise; /* or NULL */
		}		normalize;
		struct {
			bool			all;
			struct fm_word		*regex;
			struct fm_word		*to;
		}		rewrite;
		struct {
			struct fm_word		*name;
		}		backend;
		struct {
			struct fm_word		*status;
			unsigned		code;	/* check */
			struct fm_word		*reason; /* or NULL */
			struct fm_value		*value;	/* it has variables; or
							 * NULL */
		}		synth;
		struct {
			struct fm_word		*status;
			unsigned		code;	/* check */
			struct fm_word		*type;
			struct fm_word		*file;	/* `from`; NULL: the
							 * body is a string */
			struct fm_text		body;
		}		answer;
		struct {
			struct fm_word		*status;
			unsigned		code;	/* check */
			struct fm_value		*to;
		}		redirect;
		struct {
			struct fm_word		*name;
			struct fm_ruleset_def	*ruleset; /* check */
		}		use;
		struct {
			struct fm_cond		*cond;
			bool			denies;	/* check: by a 4xx */
			bool			then_denies; /* check */
			bool			then_refuses; /* check: not
						 * by 404 alone */
			unsigned		refusals; /* check: up to the
						 * end of `then` */
			/* check: of the first of a chain, what its blocks
			 * have: what may end the run, and edits the URL */
			bool			then_ends, else_ends;
			unsigned		edits;
			struct fm_block		*then;
			/*
			 * NULL: none.  `else when` is a block whose only
			 * statement is that `when`.
			 */
			struct fm_block		*otherwise;
		}		when;
	};
};

struct fm_block {
	struct fm_place		at;		/* of its `{` */
	struct fm_place		end;		/* of its `}` */
	struct fm_stmt		*first;		/* NULL: empty */
};

/*--------------------------------------------------------------------
 * The file
 */

struct fm_ruleset_def {
	struct fm_word		*name;
	bool			used;		/* check */
	bool			within;		/* check: of other blocks */
	bool			asked;		/* check: unasked is known */
	unsigned		unasked;	/* check: what one of them did
						 * not ask before, in bits */
	bool			any_host;	/* check: gets there */
	bool			visiting;	/* by the check, with those that
						 * it uses */
	unsigned		depth;		/* check: of the longest row of
						 * rulesets, each of which uses
						 * the next, that ends here */
	uint32_t		weight;		/* check: its statements, with
						 * those of all that it uses */
	struct fm_block		*block;
	struct fm_ruleset_def	*next;
	uint32_t		number;
};

/*
 * What follows the patterns of a `host`, or `default`: a block of its own, or
 * the name of a ruleset.  One site may have many hosts.
 */
struct fm_site {
	struct fm_place		at;		/* of `host` or `default` */
	struct fm_text		label;		/* ${ruleset}: the ruleset's
						 * name, or the first pattern as
						 * written, or "default" */
	struct fm_block		*block;		/* NULL: a ruleset's */
	struct fm_word		*use;		/* NULL: a block */
	struct fm_ruleset_def	*ruleset;	/* check: for `use` */
	struct fm_site		*next;
	uint32_t		number;
};

/* A host pattern and its site, in an array, for there may be a million. */
struct fm_host {
	struct fm_text		pattern;
	struct fm_place		at;
	struct fm_site		*site;		/* NULL after `hosts from`: */
	struct fm_text		ruleset;	/* then this name, */
	struct fm_place		ruleset_at;
	struct fm_ruleset_def	*ruleset_def;	/* check: and this */
};

/* `client from HEADER trust NETWORKS;` */
struct fm_trust {
	struct fm_word		*header;
	struct fm_words		networks;
	struct fm_nets		nets;		/* check: these */
	struct fm_word		*list;		/* or NULL */
	struct fm_list_def	*list_def;	/* check: for `list` */
	struct fm_place		at;
};

/* A file that was read, the first one first. */
struct fm_source_file {
	const char		*name;		/* as in places */
	dev_t			dev;
	ino_t			ino;
	struct fm_place		at;		/* of the include, if it is one
						 * of these */
	struct fm_source_file	*chain;		/* parse: of such files */
	struct fm_source_file	*next;
};

struct fm_model {
	unsigned		magic;
#define FM_MODEL_MAGIC		0x6b17d5c2
	struct fm_arena		arena;
	struct fm_source_file	*files;

	struct fm_list_def	*lists;
	struct fm_map_def	*maps;
	struct fm_ruleset_def	*rulesets;
	struct fm_site		*sites;
	struct fm_site		*otherwise;	/* `default`; also in sites */
	struct fm_block		*always;	/* NULL: none */
	struct fm_block		*finally;	/* likewise */
	uint32_t		nlists, nmaps, nrulesets, nsites;

	struct fm_host		*hosts;		/* malloc'ed */
	size_t			nhosts, room;

	struct fm_word		*undecided;	/* NULL, or where it stands */
	enum fm_undecided_mode	undecided_mode;
	struct fm_word		*undecided_status;	/* SYNTH */
	unsigned		undecided_code;	/* check */
	struct fm_word		*undecided_reason;	/* or NULL */
	struct fm_word		*repeated;	/* first; NULL: joined */
	struct fm_trust		*trust;		/* NULL: nobody is trusted */

	/*
	 * The hosts by name; the entries are numbers of blocks, as
	 * fm_model_block() has them.  Made by the check.
	 */
	struct fm_hosttab	*hosttab;	/* check */
};

/*
 * Blocks have numbers: those of the rulesets first, then each site with a
 * block of its own has nrulesets + site->number (the numbers between are
 * those of sites that use a ruleset; nothing is there).  For the model after
 * the check, of a site, or of a host.
 */
uint32_t fm_model_site_block(const struct fm_model *, const struct fm_site *);
uint32_t fm_model_host_block(const struct fm_model *, const struct fm_host *);

/* NULL: no memory. */
struct fm_model *fm_model_new(void);
void fm_model_free(struct fm_model **);

/*
 * The words of the language for what the enums say: "begins", "header X",
 * "redirect".
 */
const char *fm_mode_word(enum fm_pattern_kind);
const char *fm_line_word(const struct fm_list_line *);
const char *fm_stmt_word(enum fm_stmt_kind);
const char *fm_subject_word(enum fm_subject_kind);

/*
 * Writes a test (FM_COND_MODE, _IN, _NETS, _PRESENT) or a statement (a `when`
 * without its blocks) as one line, as it is written in the file but without the
 * `not` of a test; what is longer than the buffer is cut and ends in "...".
 * With a mask the values that headers and cookies are compared with are not
 * shown, as they may be secrets.  Returns buf.
 */
#define FM_MODEL_LINE	160
#define FM_MODEL_MASK	"[hidden]"

const char *fm_model_print_test(const struct fm_cond *, bool mask,
    char buf[FM_MODEL_LINE]);
const char *fm_model_print_stmt(const struct fm_stmt *, bool mask,
    char buf[FM_MODEL_LINE]);

/* A hash of all of that line, whatever blanks are in it. */
uint64_t fm_model_hash_stmt(const struct fm_stmt *, uint64_t seed);

#endif
