/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The files of the check share this header:
 *
 *	check.c			names, hosts, and the walk over blocks
 *	check_cond.c		conditions
 *	check_list.c		lists and maps
 *	check_stmt.c		statements and blocks
 *	check_value.c		names of headers and cookies, values
 *	check_nets.c		networks, and `client from`
 *	check_regex.c		regexes
 *	check_response.c	`response` and `delivery`
 *	check_table.c		a table of names
 *	check_twice.c		values that grow where a block runs again
 *
 *	Warnings only:
 *	check_cookies.c		a Set-Cookie that is removed too late
 *	check_cover.c		operands that another operand makes useless
 *	check_dead.c		operands that an earlier statement takes
 *	check_client.c		what one client sends
 *	check_fetch.c		what `fetch` sends of one client
 *	check_variants.c	names by which the cache tells pages apart
 *	check_leak.c		pages for one client that all clients may get
 *	check_novary.c		what `no-vary-search` may say
 *	check_operand.c		operands that never match, or too much
 *	check_purge.c		purges of a URL that is edited later
 *	check_shared.c		responses that one client decides for all
 *	check_signal.c		headers that only some branches or hosts set
 *	check_slips.c		syntax of other languages, typing errors
 *	check_store.c		responses that are stored
 *	check_vary.c		names in Vary
 *
 * check_location.c looks at where a redirect leads, and knows errors, too.
 *
 * A model of a text with errors has holes: any pointer in it may be NULL.  The
 * functions of the check pass over a NULL.
 */

#ifndef FM_CHECK_PRIV_H
#define FM_CHECK_PRIV_H

#include <limits.h>

#include "check.h"
#include "intern.h"
#include "messages_check.h"
#include "messages_warn.h"

/*--------------------------------------------------------------------
 * A table from a text to a thing, such as a list (check_table.c)
 */

struct fm_check_entry {
	struct fm_text		text;
	void			*thing;
};

/*
 * A table of zeros is empty.
 *
 *	list a is { /x }	what "list",
 *	list b is { /y }	entries "a" -> fm_list_def, "b" -> fm_list_def
 */
struct fm_check_table {
	const char		*what;		/* the things are, for messages;
						 * or NULL */
	bool			nocase;
	struct fm_intern	keys;		/* texts: numbers of entries */
	struct fm_grow		entries;	/* struct fm_check_entry */
};

/*
 * Adds a thing, unless the text has one, and returns the one that the text has
 * then.  Reports if there is no memory.
 */
void *fm_check_table_add(struct fm_check_table *, struct fm_text, void *thing,
    struct fm_diag *);
/* Returns the thing of a text, or NULL. */
void *fm_check_table_find(struct fm_check_table *, struct fm_text);
/* Returns the nearest entry that is one slip of the pen away, or NULL. */
const struct fm_check_entry *fm_check_table_near(
    const struct fm_check_table *, struct fm_text);
void fm_check_table_fini(struct fm_check_table *);

/*--------------------------------------------------------------------
 * The check
 */

/*
 * Each of three searches may take this many steps, so that a large file does
 * not make the check slow: for headers that only some branches set, for
 * pages that leak, and for hosts whose blocks deny.  A step is about one
 * statement that is looked at.
 */
#define FM_CHECK_STEPS	100000L

/* Bits of subjects: one for how much there is to match, ... */
#define FM_CHECK_BROAD		1U	/* long in nearly every request */
#define FM_CHECK_HEADER		2U
#define FM_CHECK_OTHER		4U
#define FM_CHECK_NAMES		8U	/* names of parameters or cookies */
/* ... and one for the kind of subject, of which User-Agent is one. */
#define FM_CHECK_KIND(kind)	(16U << (kind))
#define FM_CHECK_AGENT		(16U << FM_SUBJECT_ROWS)
#define FM_CHECK_KINDS		(2 * FM_CHECK_AGENT - 16U)

/*
 * The innermost `when` with a regex around a statement, for ${1} to ${9}.
 *
 *	when host ~ "^(.+)-(.+)[.]" { ... }	any, of_host, groups 2
 */
struct fm_check_scope {
	bool			any;		/* it has a regex */
	bool			of_host;	/* all regexes look at the
						 * host */
	unsigned		groups;		/* most groups of a regex */
	const struct fm_cond	*tests;		/* of the `when` */
};

/* Bits for the parts of a request that tests ask for. */
#define FM_CHECK_ASKED_METHOD	1U
#define FM_CHECK_ASKED_WHO	2U	/* the client, or a header */
#define FM_CHECK_ASKED_HOST	4U
#define FM_CHECK_ASKED_COOKIE	8U	/* that the response has no
					 * Set-Cookie */

/* A header in the rules.  One that is set once only gets no warning. */
struct fm_check_named {
	bool			set;		/* rules set it */
	bool			read;		/* rules read it */
	bool			matters;	/* rules read it, or set it
						 * twice */
	bool			told;		/* there was a warning */
};

/* The state of a check. */
struct fm_check {
	struct fm_model		*model;
	const struct fm_check_options *options;
	struct fm_diag		*diag;
	bool			broken;		/* the parser had errors */
	/* Counters, to see what a block has: compared before and after. */
	unsigned		denials;	/* synths with a 4xx */
	unsigned		refusals;	/* denials other than 404 */

	/* Names, and what each of them stands for. */
	struct fm_check_table	lists, maps, rulesets, backends, subs;
	struct fm_check_table	headers;	/* of fm_check_named */

	bool			calls;		/* a `call` was checked */

	/* The place in the model that is being checked. */
	enum fm_phase		phase;
	unsigned		depth;		/* blocks around it, in the
						 * phase's block */
	/* A map whose values are checked; or NULL. */
	const struct fm_list_def *in_map;
	bool			in_list;	/* in a line of `is` */
	bool			in_file;	/* in the file of a list */
	const struct fm_check_scope *scope;	/* innermost, or NULL */
	unsigned		asked;		/* bits that whens around this
						 * statement ask for */
	unsigned		answered;	/* bits that whens before it ask
						 * for, whose blocks end the
						 * run */
	unsigned		uses;		/* rulesets inside each other */
	uint32_t		weight;		/* statements so far, of a
						 * block and its rulesets */
	bool			uses_told;	/* an error of `use` was said */
	bool			scheme_asked;	/* a rule asks for the scheme */
	const struct fm_site	*site;		/* whose block this is, or
						 * NULL */
	size_t			first_host;	/* first host of the site, in
						 * model->hosts */
	bool			any_host;	/* requests for any host may
						 * come to this block */

	struct fm_grow		denied;		/* tests of values on which
						 * denials depend */

	/* Steps that are left: a search stops at 0, and says nothing. */
	long			steps;
};

/*
 * The blocks of a model: always, those of hosts, of rulesets, finally.  A host
 * that uses a ruleset has none.
 *
 *	struct fm_check_items items = { .model = model };
 *
 *	while ((block = fm_check_item_next(&items)) != NULL)
 */
struct fm_check_items {
	const struct fm_model	*model;
	bool			hosts;		/* only what hosts have:
						 * no always, finally, nor
						 * rulesets for others */
	const struct fm_site	*site;		/* the next one */
	const struct fm_ruleset_def *ruleset;	/* the next one */
	bool			begun, ended;
	bool			host;		/* the last one is of a host */
};
/* Returns the next block, or NULL. */
struct fm_block *fm_check_item_next(struct fm_check_items *);

#define fm_check_error(check, ...)	\
	fm_diag_error((check)->diag, __VA_ARGS__)

/* Report an error, or warn, of a word, which the message shows. */
void fm_check_word_error(struct fm_check *, const struct fm_word *,
    const char *message) __attribute__((format(printf, 3, 0)));
void fm_check_word_warn(struct fm_check *, const struct fm_word *,
    const char *message) __attribute__((format(printf, 3, 0)));

/*
 * Returns what a name stands for, and marks it as used; or reports an error,
 * and returns NULL.  The table is one of those in fm_check.
 */
void *fm_check_find(struct fm_check *, struct fm_check_table *,
    const struct fm_word *name);
/*
 * Checks the name that VCL gives to a backend or a sub.  The table has all such
 * names if they are known.
 */
void fm_check_given(struct fm_check *, struct fm_check_table *, bool known,
    const struct fm_word *name);
/* Notes in a ruleset what was asked before a `use` of it. */
void fm_check_used(struct fm_check *, struct fm_ruleset_def *, bool within);

/*
 * The way to a statement.  The way to `pass` has two of these structs:
 *
 *	always {
 *		when a { }		stmt: `when a`, when: `when b`
 *		else when b {
 *			pass;		stmt: `pass`, up: that one
 *		}
 *	}
 */
struct fm_check_way {
	const struct fm_check_way *up;		/* to the `when` around the
						 * block, or NULL */
	const struct fm_block	*block;
	const struct fm_stmt	*stmt;		/* statement of the block */
	const struct fm_stmt	*when;		/* if stmt is the first of a
						 * chain: the `when` whose block
						 * is next; NULL: the `else` */
};

/*
 * Calls a function for each statement of a block and of the blocks in it.  `up`
 * is the way to the block, or NULL.
 */
void fm_check_walk(struct fm_check *, const struct fm_block *,
    const struct fm_check_way *up,
    void visit(struct fm_check *, const struct fm_check_way *));

/* check_cond.c */
unsigned fm_check_subject_bit(const struct fm_subject *);
/* Checks the name of a subject; `glob`: it may have wildcards. */
void fm_check_subject(struct fm_check *, const struct fm_subject *, bool glob);
/* Checks the condition of a `when`. */
void fm_check_cond(struct fm_check *, const struct fm_stmt *when);

/*
 * check_any.c: checks the subject, the mode and the `not` of a test with `any`
 * or `every`.  Returns false if there was an error.
 */
bool fm_check_any(struct fm_check *, const struct fm_cond *);
/*
 * Warns of a test on which a denial depends, if clients can get round it.
 * `negated`: the denial comes if the test is false.  `refuses`: it is no 404.
 */
void fm_check_denied(struct fm_check *, const struct fm_stmt *when,
    const struct fm_cond *, bool negated, bool refuses);
/* Warns of denials by one value of several, once all headers are known. */
void fm_check_denied_values(struct fm_check *);
/* Warns of denials in the blocks of hosts, if there is no `default`. */
void fm_check_hostless(struct fm_check *);

/* check_list.c: checks all lists and maps, once their uses are known */
void fm_check_lists(struct fm_check *);
/* Finds a list that is used for names, or for networks. */
struct fm_list_def *fm_check_names_list(struct fm_check *,
    const struct fm_word *name);
struct fm_list_def *fm_check_client_list(struct fm_check *,
    const struct fm_word *name);

/* check_stmt.c */
/* Returns true for a test by a regex under no `not`: ${1} may be of it. */
bool fm_check_is_grouped(const struct fm_cond *);
/* Returns true if a status keeps a client out, and is no 404. */
bool fm_check_refuses(unsigned code);
/* Checks a block.  Returns the statement that always ends the run, or NULL. */
const struct fm_stmt *fm_check_block(struct fm_check *,
    const struct fm_block *);
void fm_check_undecided(struct fm_check *);
/* Finds the list of `in LIST` in a statement.  Returns false if it has none. */
bool fm_check_params_list(struct fm_check *, struct fm_stmt *);
/* Returns true if a redirect leads somewhere for every request. */
bool fm_check_redirects(const struct fm_stmt *redirect);

/* check_value.c */
enum fm_check_header {
	FM_CHECK_HEADER_READ,
	FM_CHECK_HEADER_SET,
	FM_CHECK_HEADER_UNSET,
	FM_CHECK_HEADER_GLOB	/* a test asks if any name that fits is there */
};
void fm_check_header(struct fm_check *, enum fm_check_header, struct fm_text,
    const struct fm_place *);
/* Checks the name of a parameter or cookie; `glob`: it may have wildcards. */
void fm_check_name(struct fm_check *, struct fm_text, bool glob,
    const struct fm_place *);
void fm_check_value(struct fm_check *, struct fm_value *);
/* Checks a value that is a regex, of a ban. */
void fm_check_value_regex(struct fm_check *, struct fm_value *);
/* Checks that the phase has the variables of a value, which was checked. */
void fm_check_value_phase(struct fm_check *, const struct fm_value *);
/* Returns true if a value is always empty. */
bool fm_check_value_empty(const struct fm_value *);

/* Returns true if an `unset` removes a header. */
bool fm_check_unsets(const struct fm_stmt *, struct fm_text name);

/* Returns true for `cookie drop *`. */
bool fm_check_drops_all(const struct fm_stmt *);

/* check_twice.c: values that grow where a block runs again */
void fm_check_twice(struct fm_check *, const struct fm_stmt *);

/* check_response.c: `response { }` and `delivery { }` */
/* Checks a word that may be in these phases only. */
bool fm_check_phase_has(struct fm_check *, unsigned phases, const char *word,
    const struct fm_place *);
bool fm_check_stmt_phase(struct fm_check *, const struct fm_stmt *);
void fm_check_request_set(struct fm_check *, struct fm_text name,
    const struct fm_place *);
bool fm_check_fetch_header(struct fm_check *, enum fm_check_header,
    struct fm_text, const struct fm_place *);
void fm_check_response_header(struct fm_check *, enum fm_check_header,
    struct fm_text, const struct fm_place *);
void fm_check_response_set(struct fm_check *, const struct fm_stmt *);
void fm_check_response_stmt(struct fm_check *, struct fm_stmt *);
/* Returns true if a test is one that requests have, too. */
bool fm_check_response_cond(struct fm_check *, struct fm_cond *);
/* Returns the seconds of a duration; -1 after an error. */
double fm_check_duration(struct fm_check *, const struct fm_word *);
/* Checks a block; and finds out which blocks rulesets have. */
void fm_check_phase(struct fm_check *, const struct fm_stmt *);
void fm_check_ruleset_phases(struct fm_check *);
void fm_check_use_phases(struct fm_check *, const struct fm_stmt *);

/* check_key.c: `key { }` */
void fm_check_keyed(struct fm_check *, const struct fm_stmt *);
/* Warns of names that a key has twice. */
void fm_check_keys_twice(struct fm_check *);
/*
 * Calls a function for each statement of the `key` blocks of an item, and of
 * the rulesets that it uses there.
 */
void fm_check_key_each(struct fm_check *, const struct fm_block *,
    void (*)(struct fm_check *, struct fm_stmt *, void *priv), void *priv);

/*
 * check_store.c: warns of rules for responses that store what is probably not
 * meant, or do nothing
 */
void fm_check_store(struct fm_check *);
/* Warns of names that a block of `delivery` takes out of Vary. */
void fm_check_vary(struct fm_check *, const struct fm_block *,
    const struct fm_stmt *);
/* Warns of names that the Vary of a stored response has. */
void fm_check_vary_stored(struct fm_check *, const struct fm_stmt *);

/* check_cookies.c: warns of a Set-Cookie that only `delivery` removes */
void fm_check_cookies(struct fm_check *);

/*
 * check_variants.c: by what of a request the cache tells pages apart.  Names
 * that all hosts have come first: those of always and finally, or of each host.
 */
struct fm_check_keys {
	struct fm_grow		found;
	size_t			common;		/* of all hosts */
};
void fm_check_keys_begin(struct fm_check *, struct fm_check_keys *);
/* Takes the names of one host instead of those of another one before. */
void fm_check_keys_host(struct fm_check *, struct fm_check_keys *,
    const struct fm_block *);
/* Returns true for a subject of requests; without a name: for any of its. */
bool fm_check_keys_has(const struct fm_check_keys *, enum fm_subject_kind,
    struct fm_text name);
void fm_check_keys_fini(struct fm_check_keys *);
/*
 * Returns true if the rules store no response for which a test of a later phase
 * could be true, or none for which it has one of its outcomes: what it decides
 * is never stored.
 */
bool fm_check_never_stored(struct fm_check *, const struct fm_block *host,
    const struct fm_cond *test);

/*
 * check_client.c: if what a later phase looks at is what one client sends, and
 * the page is stored for all.  Begin with always and finally; then come the
 * hosts.
 */
struct fm_check_client {
	struct fm_check		*check;
	struct fm_check_keys	keys;
	const struct fm_block	*host;		/* or NULL: always, finally */
	enum fm_phase		phase;		/* that looks at it */
};
void fm_check_client_begin(struct fm_check_client *, struct fm_check *,
    enum fm_phase);
void fm_check_client_host(struct fm_check_client *, const struct fm_block *);
void fm_check_client_fini(struct fm_check_client *);

/* A part of a request; without a name it is one of several of its kind. */
struct fm_check_sent {
	enum fm_subject_kind	kind;
	struct fm_text		name;
};
struct fm_check_sent fm_check_test_sent(const struct fm_cond *,
    enum fm_phase);
bool fm_check_test_of_one(const struct fm_check_client *,
    const struct fm_cond *);
/* Returns true if a `when` is for passes only, which are not stored. */
bool fm_check_asks_pass(const struct fm_cond *);
/* Fills in by which part a value is of one client. */
bool fm_check_value_of_one(const struct fm_check_client *,
    const struct fm_value *, struct fm_check_sent *);
/* Writes what to do about it.  Returns the text. */
#define FM_CHECK_CURE_LEN	160
const char *fm_check_cure(const struct fm_check_sent *,
    char buf[FM_CHECK_CURE_LEN]);

/*
 * check_fetch.c: warns of what `fetch` sends of one client, where the page that
 * a backend makes of it is stored for all.
 */
void fm_check_fetch(struct fm_check *);
/*
 * Returns true if a block of `fetch` edits what is sent, but for one header,
 * and for those that a backend writes into its log.
 */
bool fm_check_sends(struct fm_check *, const struct fm_block *,
    struct fm_text but);

/*
 * check_shared.c: warns of what is stored for all, but was made for one client;
 * and of headers that are gone when a stored response is refreshed.
 */
void fm_check_shared(struct fm_check *);

/*
 * check_location.c: checks where a redirect leads, unless its value is empty or
 * a map.
 */
void fm_check_location(struct fm_check *, const struct fm_value *);
struct fm_text fm_check_location_host(struct fm_text);
bool fm_check_location_open(const struct fm_value *);
/* Warns of a URL that ends in `?${query}`. */
void fm_check_query_mark(struct fm_check *, const struct fm_value *);

/* check_dead.c: warns of operands that no request comes to */
void fm_check_dead(struct fm_check *);

/*
 * check_leak.c: looks for each `hash` that a Cookie or Authorization of one
 * client may reach; then warns of a statement that is one.
 */
void fm_check_leaks(struct fm_check *);
/* Returns true if a cookie may get to a `hash`, for the hosts of a block. */
bool fm_check_cookie_hashed(struct fm_check *, const struct fm_block *host,
    struct fm_text cookie);
void fm_check_leak(struct fm_check *, const struct fm_check_way *);

/*
 * check_signal.c: warns of a `set` of a header that only some branches or hosts
 * set
 */
void fm_check_signal(struct fm_check *, const struct fm_check_way *);

/* check_cover.c: warns of operands that another operand makes useless */
/* Returns true if the first operand matches all that the second one does. */
bool fm_check_covers(enum fm_pattern_kind by, struct fm_text with,
    enum fm_pattern_kind, struct fm_text, bool nocase);
/* Checks a list; or (in_map) a map, also for lines that are never reached. */
void fm_check_covered(struct fm_check *, const struct fm_list_def *);
/* Checks the operands of a test, or of a statement. */
void fm_check_covered_words(struct fm_check *, enum fm_pattern_kind,
    const struct fm_words *, bool nocase);

/*
 * Warns of an operand that another one makes useless.  mode is NULL if both are
 * the same.
 */
void fm_check_tell_covered(struct fm_check *, const struct fm_word *,
    const char *mode, const struct fm_word *by, const char *by_mode);

/* Returns true for a glob that has only stars. */
bool fm_check_is_stars(enum fm_pattern_kind, struct fm_text);

/*
 * check_nets.c: reads the operands of a test as networks.
 * fm_check_list_networks() does the same for a list or a map that has `in`, and
 * for a list that a `client in` uses.  An operand that is not a network is an
 * error.
 */
void fm_check_networks(struct fm_check *, const struct fm_words *,
    struct fm_nets *);
/*
 * Returns true, and reports an error, if the name of a list was meant as a
 * network.
 */
bool fm_check_meant_network(struct fm_check *, struct fm_word *);
void fm_check_list_networks(struct fm_check *, struct fm_list_def *);
/* Warns of a subject that is tested for networks, but may be no address. */
void fm_check_nets_subject(struct fm_check *, const struct fm_subject *);
/* Checks `client from`; and statements that set or unset its header. */
void fm_check_trust(struct fm_check *);
void fm_check_schemes(struct fm_check *);
/* Reports the first place that asks for the scheme, if no item says it. */
void fm_check_scheme_known(struct fm_check *, const struct fm_place *);
void fm_check_trusted(struct fm_check *, const char *what,
    const struct fm_word *header,
    const struct fm_value *);
/*
 * Returns the kind that a glob with stars only at its ends means, and removes
 * the stars: `*x*` is `contains x`.  Any other operand stays as it is.
 */
enum fm_pattern_kind fm_check_kind(enum fm_pattern_kind, struct fm_text *);

/*
 * check_call.c: check the name of a sub of VCL, and how many subs each host may
 * call.
 */
void fm_check_call(struct fm_check *, const struct fm_word *name);
void fm_check_calls(struct fm_check *);

/* check_ban.c: checks the tests of a `ban`. */
void fm_check_ban(struct fm_check *, struct fm_stmt *);

/*
 * check_novary.c: finds out what `no-vary-search` may say of each host, and
 * warns where that is nothing.
 */
void fm_check_no_vary(struct fm_check *);

/* check_purge.c: warns of a `purge` before the URL has its last form */
void fm_check_purge(struct fm_check *, const struct fm_check_way *);

/* check_regex.c */
/*
 * Compiles a regex, and warns of what is probably not meant, as of one without
 * groups that matches every text, unless `all` is set.  Returns how many groups
 * it has, or FM_CHECK_GROUPS_UNKNOWN after an error, which is reported.
 */
#define FM_CHECK_GROUPS_UNKNOWN	UINT_MAX
unsigned fm_check_regex(struct fm_check *, const struct fm_word *, bool nocase,
    bool all);
/*
 * A text that each match of a regex has, if that is simple to see: `WWW.` of
 * `^WWW\.[a-z]+`.
 */
struct fm_check_needs {
	char			text[32];
	size_t			len;
	bool			first;		/* the text is at the start of
						 * the subject */
	bool			never;		/* no subject matches */
	bool			unknown;	/* we can't see it */
};
struct fm_check_needs fm_check_regex_needs(struct fm_text);
/* Returns the place of a byte of a word. */
struct fm_place fm_check_inside(const struct fm_word *, size_t offset);

/*
 * check_operand.c: warns of bytes that clients send encoded, as no request has
 * them in a URL: /caf%C3%A9.  Returns true if it did.  `instead` is the end of
 * the message.
 */
bool fm_check_raw(struct fm_check *, const struct fm_word *,
    enum fm_pattern_kind, const char *instead);
/*
 * Checks the operands of a test; or, if it is NULL, of a list
 * or map, for all subjects that it is asked for.
 */
void fm_check_operands(struct fm_check *, enum fm_pattern_kind,
    const struct fm_words *, bool nocase, unsigned subjects,
    struct fm_cond *test);
bool fm_check_is_host(struct fm_text);

/*
 * check_slips.c.  `subjects` has FM_CHECK_NAMES if the words are names of
 * parameters, cookies or headers.
 */
void fm_check_slip_word(struct fm_check *, const struct fm_word *);
void fm_check_slip_name(struct fm_check *, struct fm_text,
    const struct fm_place *);
void fm_check_slip_words(struct fm_check *, const struct fm_words *,
    unsigned subjects);
bool fm_check_is_known_header(struct fm_text name);
void fm_check_slip_header(struct fm_check *, enum fm_check_header,
    struct fm_text name, const struct fm_place *at);
void fm_check_slip_unset(struct fm_check *, const struct fm_words *);
/*
 * Warns of a text in a value that was meant as a variable.  bare: it has no
 * quotes, in which `url` may be meant as it is.  regex: it is one, of a ban.
 */
void fm_check_slip_text(struct fm_check *, struct fm_text,
    const struct fm_place *, bool bare, bool regex);
bool fm_check_slip_operand(struct fm_check *, const struct fm_word *);
void fm_check_slip_rewrite(struct fm_check *, const struct fm_stmt *);
void fm_check_slip_list(struct fm_check *, const struct fm_cond *);
void fm_check_slip_redirect(struct fm_check *, const struct fm_value *);

static inline bool
fm_check_text_eq(struct fm_text a, struct fm_text b, bool nocase)
{
	return (nocase ? fm_text_eq_nocase(a, b) : fm_text_eq(a, b));
}

static inline bool
fm_check_is_digit(char c)
{
	return (c >= '0' && c <= '9');
}

static inline bool
fm_check_is_letter(char c)
{
	return (fm_lower((unsigned char)c) >= 'a' &&
	    fm_lower((unsigned char)c) <= 'z');
}

static inline bool
fm_check_is_alnum(char c)
{
	return (fm_check_is_letter(c) || fm_check_is_digit(c));
}

/* Returns true for a byte that no header line and no URL may have. */
static inline bool
fm_check_is_control(char c)
{
	return ((unsigned char)c < ' ' || c == 0x7f);
}

#endif
