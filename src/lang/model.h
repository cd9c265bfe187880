/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A model is the syntax tree of a rule file and its includes.  The parser makes
 * it (parse.h), the check completes it (check.h), the compiler reads it
 * (compile.h).
 *
 *	host a.example { when path is /x { pass; } }
 *
 *	fm_host "a.example" -> fm_site -> fm_block -> fm_stmt WHEN
 *	    cond -> fm_cond MODE: subject PATH, mode EXACT, operands "/x"
 *	    then -> fm_block -> fm_stmt PASS
 *
 * All of it is in the model's arena.  Lists are linked by `next`, in the order
 * of the text.  Texts end in NUL, and their escapes are resolved.  The check
 * fills in fields commented "check"; such a pointer is NULL before, and is not
 * NULL after a check without errors.
 */

#ifndef FM_MODEL_H
#define FM_MODEL_H

#include <stdint.h>
#include <sys/types.h>

#include "addrs.h"
#include "arena.h"
#include "diag.h"
#include "kinds.h"
#include "pattern.h"
#include "text.h"

struct fm_hosttab;

/*--------------------------------------------------------------------
 * Words, subjects, values
 */

/* `"a b"` is text "a b", quoted, at the place of its first quote. */
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

/* `agent` is kind HEADER, agent, name "User-Agent"; `path` has no name. */
struct fm_subject {
	enum fm_subject_kind	kind;
	bool			agent;		/* written as `agent` */
	enum fm_which		which;		/* PATH, QUERY, COOKIE, HEADER
						 * of a test */
	struct fm_text		name;
	struct fm_place		at;
};

/* "/a/${1}" has the parts TEXT, text "/a/", and GROUP, group 1. */
struct fm_part {
	enum fm_part_kind	kind;
	unsigned		group;
	bool			of_host;	/* check: GROUP, and all regexes
						 * it may be of look at the
						 * host */
	bool			grouped;	/* check: in the regex of a ban
						 * it needs a (?:...) */
	struct fm_text		text;
	struct fm_place		at;
	struct fm_part		*next;
};

struct fm_list_def;

/*
 * A value is parts, or a map:
 *
 *	"https://${host}"	parts TEXT "https://", HOST; quoted
 *	site(host)		map "site", subject HOST; raw "site"
 */
struct fm_value {
	struct fm_place		at;
	struct fm_text		raw;		/* the word or string */
	bool			quoted;
	struct fm_part		*parts;		/* NULL: the value is empty, or
						 * is a map */
	struct fm_word		*map;		/* the map's name, or NULL */
	struct fm_list_def	*map_def;	/* check: `map` names it */
	struct fm_subject	subject;	/* that the map is asked for */
};

struct fm_net {
	struct fm_network	network;
	const struct fm_word	*word;		/* as it is written */
	const struct fm_value	*value;		/* its line's, in a map; else
						 * NULL */
};

struct fm_nets {
	struct fm_net		*items;		/* sorted */
	size_t			n;
};

/*--------------------------------------------------------------------
 * Lists and maps
 */

/* A match, [not] MODE operand+, fits if any operand does. */
struct fm_match {
	bool			negated;	/* in a map: `not` is before */
	bool			in;		/* operands are networks, and
						 * mode is EXACT */
	enum fm_pattern_kind	mode;
	struct fm_words		operands;
	struct fm_place		at;
	struct fm_match		*next;
};

/*
 * A line of a list has one match; a line of a map one or more, and a value:
 *
 *	list l {
 *		begins /a /b;	mode PREFIX, operands "/a", "/b"
 *		~ "^/c$";	mode REGEX
 *	}
 *	map m {
 *		begins /a and not ends .js -> x;	two matches, value "x"
 *		default y;				otherwise
 *	}
 */
struct fm_line {
	struct fm_match		*matches;
	struct fm_value		*value;		/* NULL in a list */
	struct fm_line		*next;
};

/* A list or a map.  Both, and rulesets, begin with these two, for the check. */
struct fm_list_def {
	struct fm_word		*name;
	bool			used;		/* check: a rule names it */
	bool			nocase;
	bool			in;		/* all lines have `in` */
	bool			location;	/* check: a redirect uses the
						 * map */
	bool			of_url;		/* check: `set url` uses it */
	bool			varies;		/* check: a value of a map has
						 * a ${...} */
	unsigned		phases;		/* check: enum fm_phases of
						 * those that ask a map */
	unsigned		subjects;	/* check: FM_CHECK_* bits of
						 * those that ask it */
	/* check: the first use of a list for names, and for networks */
	const struct fm_word	*for_names, *for_networks;
	struct fm_nets		nets;		/* check: of `in`, or if
						 * for_networks */
	struct fm_line		*lines;
	struct fm_value		*otherwise;	/* `default` of a map; NULL:
						 * none */
	struct fm_list_def	*next;
	uint32_t		number;		/* from 0, among all lists and
						 * maps of the model */
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
	FM_COND_NETS,		/* subject in operands, which are networks */
	FM_COND_NUMBER,		/* subject over operand, or under it */
	FM_COND_PRESENT,	/* subject present */
	FM_COND_NAMES		/* subject present, if its name has a wildcard,
				 * or is any name in list */
};

/*
 * `path is /a and not host in l` is a tree of four, and two of them are tests:
 *
 *	AND -> left: MODE, subject PATH, mode EXACT, operands "/a"
 *	    -> right: NOT -> left: IN, subject HOST, list l, nots 1
 *
 * The tests of a `when` are linked by `next`, beginning with its `tests`.
 */
struct fm_cond {
	enum fm_cond_kind	kind;
	bool			nocase;
	bool			below;		/* `below`: mode is PREFIX, each
						 * operand ends in `/`, and the
						 * path without the `/` fits,
						 * too */
	bool			over;		/* NUMBER: not `under` */
	double			number;		/* check: NUMBER: seconds, or
						 * bytes */
	enum fm_pattern_kind	mode;
	struct fm_place		at;		/* of the test's first word */
	struct fm_cond		*left;
	struct fm_cond		*right;
	struct fm_cond		*next;		/* a test: the next test */
	unsigned		nots;		/* a test: nots around it */
	struct fm_subject	subject;
	/*
	 * Parts of the file's text: for `path is /a` source is "path", asked is
	 * "is /a", and values points to "/a"; NULL: the test has no mode.
	 */
	struct fm_text		source, asked;
	const char		*values;
	struct fm_words		operands;
	struct fm_nets		nets;		/* check: NETS */
	struct fm_word		*list;
	struct fm_list_def	*list_def;	/* check: `list` names it */
	unsigned		groups;		/* check: groups of the regex */
	unsigned		found;		/* check: bits of
						 * check_shared.c */
};

/*--------------------------------------------------------------------
 * Statements
 */

/* A test of a `ban`: `obj.http.X-Tag ~ "(^| )${header.X-Tag}( |$)"`. */
struct fm_ban_test {
	struct fm_word		*field;		/* "obj.http.X-Tag" */
	struct fm_word		*oper;		/* "~" */
	struct fm_value		*argument;
	struct fm_ban_test	*next;
};

struct fm_block;

/*
 * The header that `no-vary-search` sets for a host, such as
 * `params=("fbclid")`.  An empty one is not set.
 */
struct fm_no_vary {
	struct fm_text		header;
	struct fm_text		left;		/* for people: "not plain names:
						 * utm_*" is left out */
};

/*
 * `set X = a;` is SET, source "set X = a", header "X", value "a"; `set url /a;`
 * has no header.
 */
struct fm_stmt {
	enum fm_stmt_kind	kind;
	struct fm_place		at;
	struct fm_text		source;		/* the file's text, up to the
						 * statement's `;` or `{` */
	struct fm_stmt		*next;
	unsigned		seen;		/* check: bits of
						 * check_store.c and
						 * check_shared.c */
	union {
		struct {
			enum fm_params_what	what;
			struct fm_words		names;
			struct fm_word		*list;	/* NULL: names */
			struct fm_list_def	*list_def; /* check */
		}		params;
		struct {
			struct fm_word		*header; /* NULL: the URL */
			struct fm_value		*value;
		}		set;
		struct {
			struct fm_words		headers; /* or globs */
		}		unset;
		struct {
			struct fm_word		*header;
			bool			named;
			struct fm_words		offers;
			struct fm_value		*otherwise; /* or NULL */
		}		normalize;
		struct {
			bool			all;
			struct fm_word		*header; /* NULL: the URL */
			struct fm_word		*regex;
			struct fm_word		*to;
		}		rewrite;
		struct {
			struct fm_word		*name;
		}		backend;
		struct {
			struct fm_value		*value;
		}		log;
		struct {
			struct fm_word		*name;
		}		call;
		struct {
			struct fm_ban_test	*tests;
		}		ban;
		struct {
			struct fm_word		*status;
			unsigned		code;	/* check */
			struct fm_word		*reason; /* or NULL */
			struct fm_value		*value;	/* reason that has
							 * variables, or NULL */
		}		synth;
		struct {
			struct fm_word		*status;
			unsigned		code;	/* check */
			struct fm_word		*type;
			struct fm_word		*file;	/* `from` FILE; NULL:
							 * body is a string */
			struct fm_text		body;
		}		answer;
		struct {
			struct fm_word		*status;
			unsigned		code;	/* check */
			struct fm_value		*to;
		}		redirect;
		/* ttl, grace, keep, uncacheable, pass, retry, browser */
		struct {
			enum fm_ttl_what	what;	/* TTL */
			struct fm_words		headers; /* FROM */
			struct fm_word		*amount; /* or NULL */
			double			number;	/* check: seconds, or
							 * times */
			struct fm_value		*map;	/* TTL: gives the
							 * amount; or NULL */
			unsigned		error;	/* check: status that
							 * gets a long ttl */
			const struct fm_stmt	*after;	/* check: makes it do
							 * nothing */
		}		life;
		/* in key */
		struct {
			enum fm_keyed_what	what;
			struct fm_words		names;	/* HEADER, COOKIE */
			struct fm_value		*value;	/* TEXT */
			/*
			 * check: a bit for each of the first names: the cookie
			 * may get to the cache; also with one in the request;
			 * the check has told of it.
			 */
			uint32_t		reached, hashed, told;
		}		keyed;
		struct {
			struct fm_word		*name;
			struct fm_word		*list;	/* of clients that see
							 * the detail; NULL: all
							 * of them do */
			struct fm_list_def	*list_def; /* check */
		}		cache_status;
		struct {
			bool			told;	/* check: it has warned
							 * of it */
		}		no_vary;
		/* key, fetch, response, delivery */
		struct {
			struct fm_block		*block;
			const struct fm_stmt	*after;	/* check: nothing gets
							 * past it to here */
		}		phase;
		struct {
			unsigned		leaks;	/* check: what of one
							 * client may be there,
							 * of check_leak.c */
		}		hash;
		struct {
			struct fm_word		*name;
			struct fm_ruleset_def	*ruleset; /* check */
		}		use;
		struct {
			struct fm_cond		*cond;
			struct fm_cond		*tests;	/* first in cond */
			bool			denies;	/* check: by a 4xx */
			bool			then_denies; /* check */
			bool			then_refuses; /* check: not
						 * by 404 alone */
			unsigned		refusals; /* check: up to the
						 * end of `then` */
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

/*
 *	ruleset a { set X = y; use b; }		weight 5, depth 1
 *	ruleset b { pass; }			weight 2, depth 2, within
 *	host a.example use a;
 */
struct fm_ruleset_def {
	struct fm_word		*name;
	bool			used;		/* check: a rule names it */
	bool			within;		/* check: a `use` in a block
						 * names it */
	bool			serves;		/* check: it is the block of a
						 * host, or of `default` */
	unsigned		phases;		/* check: enum fm_phases of its
						 * blocks, and of those that it
						 * uses outside of whens */
	bool			asked;		/* check: unasked is known */
	unsigned		unasked;	/* check: FM_CHECK_ASKED_* bits
						 * that some `use` of it has
						 * not asked before */
	bool			any_host;	/* check: requests for any host
						 * may come here */
	bool			visiting;	/* check: is looking at it, and
						 * at rulesets that it uses */
	unsigned		depth;		/* check: rulesets in the
						 * longest chain of `use` that
						 * ends here */
	uint32_t		weight;		/* check: its statements, and
						 * those of all rulesets that
						 * it uses */
	struct fm_block		*block;
	const struct fm_no_vary	*no_vary;	/* check: of hosts whose block
						 * it is, if the rules have a
						 * `no-vary-search` */
	struct fm_ruleset_def	*next;
	uint32_t		number;
};

/*
 * A site is what follows the patterns of a `host`, or `default`: a block, or
 * the name of a ruleset.  Many hosts may have the same site.
 *
 *	host a.example b.example { pass; }	label "a.example", block
 *	host c.example use shop;		label "shop", use "shop"
 */
struct fm_site {
	struct fm_place		at;		/* of `host` or `default` */
	struct fm_text		label;		/* text of ${ruleset}: the
						 * ruleset's name, or the first
						 * pattern as written, or
						 * "default" */
	struct fm_block		*block;		/* NULL: the site has a `use` */
	struct fm_word		*use;		/* NULL: the site has a block */
	struct fm_ruleset_def	*ruleset;	/* check: `use` names it */
	const struct fm_no_vary	*no_vary;	/* check: as in a ruleset */
	struct fm_site		*next;
	uint32_t		number;		/* from 0, in the model */
};

/*
 * A host pattern.
 *
 *	host *.example { pass; }	pattern "*.example", site
 *	a.example shop			in a file of `hosts from`: pattern
 *					"a.example", ruleset "shop"
 */
struct fm_host {
	struct fm_text		pattern;
	struct fm_place		at;
	struct fm_site		*site;		/* NULL: of `hosts from` */
	struct fm_text		ruleset;	/* if site is NULL: the name */
	struct fm_place		ruleset_at;
	struct fm_ruleset_def	*ruleset_def;	/* check: `ruleset` names it */
};

/* `client from HEADER trust NETWORKS;` or `... trust LIST;` */
struct fm_trust {
	struct fm_word		*header;
	struct fm_words		networks;
	struct fm_nets		nets;		/* check: `networks`, read */
	struct fm_word		*list;		/* or NULL */
	struct fm_list_def	*list_def;	/* check: `list` names it */
	struct fm_place		at;
};

/*
 * `scheme from tls;`, `scheme from proxy;`, `scheme from HEADER trust ...;`.
 * Several are asked in the order of the text.
 */
struct fm_scheme {
	enum fm_scheme_from	from;
	struct fm_trust		trust;		/* HEADER */
	struct fm_place		at;
	struct fm_scheme	*next;
};

/* A rule file that was read; the first one includes the others. */
struct fm_source_file {
	const char		*name;		/* as in fm_place */
	dev_t			dev;
	ino_t			ino;
	struct fm_place		at;		/* of its `include`; of the
						 * first file: its name */
	unsigned		denied;		/* check: 1 << kind of each
						 * subject whose values deny,
						 * and of which was warned */
	struct fm_source_file	*next;
};

/*
 *	list l is { /a }			lists, nlists 1
 *	always { when path in l { pass; } }	always
 *	host a.example { hash; }		sites, hosts, nhosts 1
 *	default { pass; }			sites, otherwise
 *	undecided synth 503;			undecided_mode SYNTH,
 *						undecided_status "503"
 */
struct fm_model {
	unsigned		magic;
#define FM_MODEL_MAGIC		0x6b17d5c2
	struct fm_arena		arena;
	struct fm_source_file	*files;

	struct fm_list_def	*lists, *maps;
	struct fm_ruleset_def	*rulesets;
	struct fm_site		*sites;
	struct fm_site		*otherwise;	/* `default`; also in sites */
	struct fm_block		*always;	/* or NULL */
	struct fm_block		*finally;	/* or NULL */
	uint32_t		nlists, nmaps, nrulesets, nsites;

	/* An array from malloc(), as there may be a million hosts. */
	struct fm_host		*hosts;
	size_t			nhosts, room;	/* used, and allocated */

	struct fm_word		*undecided;	/* the word `undecided`, or
						 * NULL */
	enum fm_undecided_mode	undecided_mode;
	struct fm_word		*undecided_status;	/* SYNTH */
	unsigned		undecided_code;	/* check */
	struct fm_word		*undecided_reason;	/* or NULL */
	struct fm_word		*repeated;	/* `repeated first`: of headers
						 * that are repeated the first
						 * counts; NULL: some headers
						 * are joined */
	struct fm_trust		*trust;		/* NULL: no proxy is trusted */
	struct fm_scheme	*schemes;	/* NULL: no rule asks for it */
	bool			has_no_vary;	/* a rule is `no-vary-search` */
	const struct fm_no_vary	*no_vary;	/* check: of hosts without a
						 * block */

	/*
	 * The hosts by name; the entry of a host is fm_model_host_block().
	 */
	struct fm_hosttab	*hosttab;	/* check */
};

/*
 * Return the number of the block of a site or of a host, after the check.
 * Rulesets come first: ruleset n has block n.  A site with a block of its own
 * has nrulesets + site->number; a site that uses a ruleset has the ruleset's
 * number, and the number nrulesets + site->number stays unused.
 */
uint32_t fm_model_site_block(const struct fm_model *, const struct fm_site *);
uint32_t fm_model_host_block(const struct fm_model *, const struct fm_host *);

/*
 * Returns the `when` of the `else when` after a `when`; NULL: what follows
 * `else` is none.
 */
struct fm_stmt *fm_stmt_chained(const struct fm_stmt *when);

/* Return true if an item's block has a block of a phase, or any item does. */
bool fm_block_has(const struct fm_block *, enum fm_phase);
bool fm_model_has(const struct fm_model *, enum fm_phase);

/* Returns an empty model; NULL if there is no memory. */
struct fm_model *fm_model_new(void);
void fm_model_free(struct fm_model **);

/*
 * Writes a test, without its `not`, or a statement (a `when` without its
 * blocks) in one line, with the words of the file.  A line that is longer than
 * the buffer is cut, and ends in "...".  With `mask`, values that headers and
 * cookies are compared with become FM_MODEL_MASK, as they may be secrets.
 * Returns buf.
 */
#define FM_MODEL_LINE	160
#define FM_MODEL_MASK	"[hidden]"

const char *fm_model_print_test(const struct fm_cond *, bool mask,
    char buf[FM_MODEL_LINE]);
const char *fm_model_print_stmt(const struct fm_stmt *, bool mask,
    char buf[FM_MODEL_LINE]);

/* Returns a hash of the whole line, which does not depend on its blanks. */
uint64_t fm_model_hash_stmt(const struct fm_stmt *, uint64_t seed);

#endif
