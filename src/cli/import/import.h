/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch import` translates a VCL into rules, first its vcl_recv, then the
 * subs that have a phase in rules:
 *
 *	text -> tokens -> subs and statements -> units -> rule files
 *	                                                \-> VCL that remains
 *
 * A unit is one statement of a sub, or several statements that mean
 * something together.  A unit becomes rules, or stays VCL, with a reason.
 * Units of rules that follow each other become a rule file, which a call of
 * .apply() in their place runs.
 *
 *	vcl_recv				site.rules
 *
 *	set req.http.X-A = "1";		unit	always { set X-A = "1"; }
 *	std.log("hello");		unit	(stays VCL)
 *
 * Everything lives in the arena of the import.
 */

#ifndef FM_IMPORT_H
#define FM_IMPORT_H

#include <stdio.h>

#include "arena.h"
#include "diag.h"
#include "text.h"
#include "vcl_tree.h"

/*
 * Where rules and VCL differ, but only for requests that no ordinary client
 * sends.  With --well-formed such rules are taken, and the top of the rule file
 * has a comment for each note; without the option the unit stays VCL.
 */
enum fm_import_note {
	FM_NOTE_URL = 1,	/* ${url} begins with a '/' */
	FM_NOTE_ESI = 2,	/* rules don't answer sub-requests */
	FM_NOTE_QUERY = 4,	/* parameters go by whole names */
	FM_NOTE_COOKIE = 8,	/* cookies go by whole names */
	FM_NOTE_HOST = 16,	/* hosts have one spelling */
	FM_NOTE_EMPTY = 32,	/* a header can't be empty */
	FM_NOTE_SORT = 64,	/* order of parameters of one name */
	FM_NOTE_ACL = 128,	/* "localhost" in an acl */
	FM_NOTE_REPEATED = 256,	/* a header that came twice is one */
	FM_NOTE_BUILTIN = 512,	/* what builtin.vcl refuses */
	FM_NOTE_PATH = 1024,	/* extensions are those of the path */
	FM_NOTE_STATUS = 2048,	/* a status is below 600 */
	FM_NOTE_UNCACHEABLE = 4096,	/* for how long that is remembered */
	FM_NOTE_RETRY = 8192,	/* where a retry is impossible */
	FM_NOTE_STORED = 16384,	/* what the key or a cookie is made of */
	FM_NOTE_REASON = 32768,	/* a reason has no bytes of HTML */
	FM_NOTE_BAN = 65536,	/* a value stays one text */
	FM_NOTE_FAILED = 131072,	/* an error page is an answer */
	FM_NOTE_DOT = 262144	/* a `.` of a regex is a dot */
};

/* Subs of VCL that have a phase in rules, in the order of their blocks. */
enum fm_import_phase {
	FM_IN_RECV,
	FM_IN_HASH,
	FM_IN_FETCH,
	FM_IN_RESPONSE,
	FM_IN_DELIVER,
	FM_IN_SYNTH,
	FM_IN__COUNT
};

/* vcl_deliver: the block "delivery", and whose headers its names are. */
struct fm_import_phase_is {
	const char		*sub, *block;
	const char		*own;		/* "resp.http." */
	const char		*asked;		/* "req.http."; NULL: none */
};

extern const struct fm_import_phase_is fm_import_phases[FM_IN__COUNT];

/* Such a sub becomes VCL, the rules from `from` up to `end`, and VCL again. */
struct fm_import_sub {
	struct fm_import_unit	*units;
	const struct fm_import_unit	*from, *end;	/* equal: no rules */
	const char		*vcl;	/* what stays */
	bool			there;	/* the old VCL has it */
	bool			calls;	/* it has to call .apply() */
	bool			returns;	/* what stays may return, */
	bool			ends;	/* and does in any case */
};

/* Facts that a translation has found out, beside its rules. */
struct fm_seen {
	unsigned		notes;		/* bits of fm_import_note */
	const char		*tells;		/* a request that rules and VCL
						 * treat differently */
	struct fm_output	*needs;		/* lists and maps (they have no
						 * path), bodies of answers */
	bool			redirects;
	bool			regexes;	/* some may take too long */
	bool			joins;		/* looks at several Cookie or
						 * Accept headers as one */
	bool			sets_host;	/* may change the host */
	struct fm_import_called	*called;	/* what the rules call */
};

/*
 * A statement that is a sub of VCL, as rules call it: "ban_5".  Its `next` is
 * NULL, and so is `object` where no rules that are written call it.
 */
struct fm_import_call {
	const char		*name;
	struct fm_vstmt		stmt;
	struct fm_place		at;	/* where the reason is */
	const char		*why;	/* it stays VCL */
	const char		*object;	/* whose rules call it */
	const char		*vcl;	/* of the sub */
	struct fm_import_call	*next;
};

/* The calls of a unit. */
struct fm_import_called {
	struct fm_import_call	*call;
	struct fm_import_called	*next;
};

/*
 * A unit of vcl_recv (see above).  `set req.http.X = "1";` has n 1, and the
 * rules "set X = 1;".
 */
struct fm_import_unit {
	const struct fm_vstmt	*stmt;
	size_t			n;	/* statements, from stmt on */
	const char		*rules;	/* NULL: it stays VCL */
	const char		*nearest;	/* the rules, if it stays VCL */
	struct fm_seen		seen;
	struct fm_place		at;	/* where the reason is */
	const char		*why;	/* it stays VCL */
	bool			hosts;		/* rules: blocks of hosts */
	struct fm_import_unit		*next;
};

/* A file to be written: rules, or the body of an answer with several lines. */
struct fm_output {
	const char		*path, *text;
	const char		*object;	/* name in VCL; NULL: a body */
	bool			redirects;	/* vcl_synth must call it */
	struct fm_output	*next;
};

/* A danger in the old VCL. */
struct fm_import_danger {
	struct fm_place		at;
	const char		*text;
	struct fm_import_danger	*next;
};

/* The `if`s around the statement that is being translated, inside out. */
struct fm_under {
	const struct fm_expr	*cond;
	const struct fm_under	*up;		/* the `if` around this one */
};

struct fm_import {
	struct fm_vcl_tree		vcl;		/* what is read */
	struct fm_import_unit		*units;
	struct fm_output	*files;
	bool			well_formed;	/* --well-formed */
	bool			cookie_vmod;	/* vmod_cookie stays as it is */
	bool			whole_ifs;	/* no `if` is cut */
	bool			no_hosts;	/* make no blocks of hosts */
	bool			no_stops;	/* VCL that ends requests stays
						 * between rules */
	FILE			*to;		/* of fm_import_put() */
	struct fm_catch		*catch;
	unsigned		nmaps;		/* maps that have a name */
	const struct fm_vstmt	*body;		/* of the sub that is read */
	bool			may_call;	/* what is refused */
	unsigned		ncalls;		/* in this phase */
	struct fm_import_call	*calls;		/* all that were tried */
	struct fm_import_unit	*called;	/* those that are written */
	enum fm_import_phase	phase;		/* of the sub that is read */
	struct fm_import_sub	subs[FM_IN__COUNT];
	struct fm_import_sub	failed;		/* vcl_backend_error; the first
						 * unit is rules, if `calls` */
	const struct fm_import_unit	*first, *first_end; /* of the first
						 * rule file */
	const char		*blocks;	/* of other phases, in that */
	unsigned		nsynth_dead;	/* statements of vcl_synth for
						 * statuses that never come */
	bool			headers;	/* vcl_synth sets some for the
						 * answers of rules, too */
	bool			no_headers;	/* that did not do: take none
						 * of these answers */
	bool			no_subs;	/* the rules of other subs do
						 * not pass in one file */
	bool			redirects;	/* some rules do */
	bool			pipe_calls;	/* vcl_pipe calls .apply() */
	bool			whole_body;	/* vcl_synth writes a body,
						 * and returns at its end */
	bool			whole_key;	/* vcl_hash has all that
						 * builtin.vcl hashes */
	bool			returns_fetch;	/* vcl_backend_fetch does at its
						 * end */
	bool			uncached;	/* a ttl, or `uncacheable`, may
						 * be set */
	bool			ttl_asked;	/* and VCL asks for it then */

	/* The unit that is being translated: */
	struct fm_place		why_at;
	const char		*why;		/* NULL: nothing refused */
	struct fm_seen		seen;
	const struct fm_under	*under;		/* the `if`s around it */
	const struct fm_vstmt	*joined;	/* the `if` after a `set` */
	const struct fm_vstmt	*scratch;	/* a `set` before a synth() */
	const char		*emptied;	/* "req.http.X" that was just
						 * set, perhaps to nothing */

	const char		*vcl_path;	/* what is imported */
	const char		*rules_path;	/* as the new VCL names it */
	const char		*object;	/* the first file's, in VCL */
	unsigned		nfiles, ntranslated, nkept, nforeign;
	unsigned		ndropped;	/* obsolete statements */
	const char		*obsolete;	/* lines of what is; or NULL */
	struct fm_import_danger	*dangers;
};

/* The two arguments of "%.*s" for a text. */
#define FM_ARG(text)	(int)(text).len, (text).b

#define fm_import_alloc(im, n)		fm_vcl_alloc(&(im)->vcl, n)
#define fm_import_printf(im, ...)	fm_vcl_printf(&(im)->vcl, __VA_ARGS__)
#define fm_import_text(im, ...)	fm_text_of(fm_import_printf(im, __VA_ARGS__))

/* Notes why this can't be rules (the first reason stays); returns false. */
bool fm_import_refuse(struct fm_import *, const struct fm_place *,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Notes why this can't be rules; the value is NULL. */
#define FM_REFUSE(...)	((void)fm_import_refuse(__VA_ARGS__), NULL)
/* Notes that rules and VCL differ, and a request that shows it. */
void fm_import_note(struct fm_import *, enum fm_import_note,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * regex.c: a regex as the rules' simplest test for it.  "^/(a|b)" has the mode
 * "begins" and the texts "/a" and "/b"; other regexes have the mode "~".
 */
struct fm_plain {
	const char		*mode;		/* "begins", "~", ... */
	bool			nocase;
	struct fm_text		*v;
	size_t			n;
	struct fm_text		regex;		/* as VCL has it; or missing */
};

/* With globs there may be wildcards in it, as in fm_import_names(). */
void fm_import_plain(struct fm_import *, struct fm_text regex, bool globs,
    struct fm_plain *);
/*
 * Returns a regex without a backslash before a slash; for a test also without
 * `.*` or `^.*` at its beginning and `.*$` at its end, for a replacement
 * without the `$` of that.
 */
struct fm_text fm_import_tidy(struct fm_import *, struct fm_text regex,
    bool test);
/* Returns true if a regex has a | outside of groups. */
bool fm_import_has_bar(struct fm_text regex);
/*
 * Gets the texts that the path is, or ends with, if a regex of the URL fits;
 * returns false for other regexes.  Not *exact: the regex also fits an
 * extension in the query, or not the path of an absolute URL.
 */
bool fm_import_path_of(struct fm_import *, struct fm_text regex,
    struct fm_plain *, bool *exact);
/* Adds texts, leaving out those that are there already. */
void fm_import_plain_add(struct fm_import *, struct fm_plain *,
    const struct fm_text *, size_t n);
/*
 * Gets the texts that a regex of parameters or of cookies stands for; returns
 * false if it is another regex.  In the texts a blank stands for separators or
 * an end.  A wildcard is a \1, the wildcard's byte, an example of what it fits,
 * and a \2; fm_import_unwild() leaves the wildcard (`glob`) or the example of
 * all that.
 */
bool fm_import_names(struct fm_import *, struct fm_text regex, bool cookie,
    struct fm_plain *);
const char *fm_import_unwild(struct fm_import *, struct fm_text, bool glob);
/* Returns what regsub() or regsuball() makes of a text. */
struct fm_text fm_import_sub(struct fm_import *, struct fm_text regex,
    struct fm_text, struct fm_text to, bool all);
/* Returns 1 if a regex fits a text, else 0; or -1 if PCRE2 refuses it. */
int fm_import_regex_fits(struct fm_text regex, const char *);
/* Returns a text that a regex fits as a whole; NULL: it is too complex. */
const char *fm_import_sample(struct fm_import *, struct fm_text regex);
/* Returns how many groups a regex has, or -1 if PCRE2 refuses it. */
int fm_import_regex_groups(struct fm_text regex);

/*
 * cond.c: conditions of rules, as trees: OR and AND have parts in `first`,
 * linked by `next`; a TEST has a subject ("path") and what it is compared with.
 */
enum fm_import_test_kind {
	FM_IMPORT_OR,
	FM_IMPORT_AND,
	FM_IMPORT_TEST
};

struct fm_import_test {
	enum fm_import_test_kind	kind;
	bool			negated;	/* `not` stands before it */
	const char		*subject;
	struct fm_plain		is;		/* or mode "present", "in" */
	struct fm_import_test		*first;
	struct fm_import_test		*next;
};

/* Returns true for cookie.get("NAME") that rules can ask; gets the name. */
bool fm_import_cookie(struct fm_import *, const struct fm_expr *call,
    struct fm_text *name);
/* Returns a condition of VCL as one of rules; NULL: refused. */
struct fm_import_test *fm_import_cond(struct fm_import *,
    const struct fm_expr *);
/* Returns a name for a list or a map: the given one, if no acl has it. */
const char *fm_import_free_name(struct fm_import *, const char *name);
/* Returns true if rules look at several headers of this name as one. */
bool fm_import_joins(struct fm_text header);
/* Returns "header NAME", and notes if rules join several such headers. */
const char *fm_import_header(struct fm_import *, struct fm_text name);
/* Returns the text of a condition, in parentheses if it needs them inside. */
const char *fm_import_cond_text(struct fm_import *,
    const struct fm_import_test *, enum fm_import_test_kind inside);
/*
 * Gets a regex for a condition of VCL that asks for NAME only: NAME must fit
 * the regex, or (*negated) must not.  Returns false for other conditions.
 */
bool fm_import_asks(struct fm_import *, const struct fm_expr *,
    const char *name, struct fm_text *regex, bool *negated);
/* Returns true if a regex fits an empty Cookie, and no other Cookie. */
bool fm_import_is_empty(struct fm_text regex);
/* Returns true if the `if`s around the statement make sure of a header. */
bool fm_import_is_there(struct fm_import *, const char *name);

/*
 * names.c: the first two return "X" for a header X of the message that rules
 * edit in this phase, and of the request of a response; or the missing text.
 */
struct fm_text fm_import_own(const struct fm_import *, struct fm_text name);
struct fm_text fm_import_asked(const struct fm_import *, struct fm_text name);
/* Return a variable as a subject, or as a value ("${url}"; NULL: none). */
const char *fm_import_subject(struct fm_import *, const struct fm_expr *);
const char *fm_import_variable(struct fm_import *, struct fm_text name,
    bool *firm);
/* Returns "120s"; NULL: no duration. */
const char *fm_import_duration(struct fm_import *, const struct fm_expr *);
bool fm_import_is_zero(const char *duration);
/*
 * Returns false if a comparison is not one of a number that rules have; gets
 * its test, or NULL: refused.
 */
bool fm_import_number(struct fm_import *, const struct fm_expr *,
    struct fm_import_test **);
/* Returns the test of a variable that is true or false; NULL: not known. */
struct fm_import_test *fm_import_flag(struct fm_import *,
    const struct fm_expr *);

/*
 * phase.c: writes statements of a phase other than vcl_recv, from the first on;
 * returns how many; 0: refused, or (idiom) none of these.
 */
size_t fm_import_phase_idiom(struct fm_import *, const struct fm_vstmt *);
bool fm_import_phase_stmt(struct fm_import *, const struct fm_vstmt *);
/* Writes std.log() as `log`; false: refused. */
bool fm_import_log(struct fm_import *, const struct fm_vstmt *);
/* Returns true if VCL may tell that a header of a response is empty. */
bool fm_import_phase_asks(struct fm_import *, struct fm_text header);

/*
 * subs.c: makes rules of the subs other than vcl_recv, once that is done; the
 * second writes their blocks of rules, and the third the subs that remain.
 */
void fm_import_subs(struct fm_import *);
/* Returns true if a VCL has no sub that may become rules. */
bool fm_import_is_empty_vcl(const struct fm_import *);
void fm_import_subs_rules(struct fm_import *);
void fm_import_subs_vcl(struct fm_import *);

/* Returns the statements of all subs of a name, which VCL joins. */
struct fm_vstmt *fm_import_sub_body(struct fm_import *, const char *name,
    bool *there);

/* failed.c: makes rules of vcl_backend_error, once vcl_deliver is done. */
void fm_import_failed(struct fm_import *);

/*
 * empty.c: how long a header stays empty that n statements may leave so, from
 * `stmt` on, and if VCL asks meanwhile whether it is there, or empty.  Rules
 * that remove such a header decide otherwise then.
 */
enum fm_import_empty {
	FM_EMPTY_GOES,		/* all of it is gone when vcl_recv ends */
	FM_EMPTY_STAYS,		/* the backend may see it */
	FM_EMPTY_ASKED
};

/* The conditions of the `if` after the statements may ask, if it is joined. */
enum fm_import_empty fm_import_empty(struct fm_import *, struct fm_text header,
    const struct fm_vstmt *stmt, size_t n, const struct fm_vstmt *joined);
/*
 * Returns the `if` after statements that set a header if it compares the
 * header with ""; else NULL.  As the header is there, this asks for an empty
 * one in VCL, for none in rules: so both become rules together, or not at all.
 */
const struct fm_vstmt *fm_import_joined(struct fm_import *,
    struct fm_text header, const struct fm_vstmt *after);

/*
 * write.c: fm_import_put() writes to im->to.  Between fm_import_catch() and
 * fm_import_caught() it writes into a text instead, which the latter returns;
 * both can be nested.
 */
void fm_import_catch(struct fm_import *);
const char *fm_import_caught(struct fm_import *);
void fm_import_put(struct fm_import *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns rules that parse, indented, and in lines that are not too long. */
const char *fm_import_format(struct fm_import *, const char *rules);
/*
 * Return a text in quotes; in quotes if it needs them; and operands, with a
 * blank before each.
 */
const char *fm_import_quote(struct fm_import *, struct fm_text);
const char *fm_import_word(struct fm_import *, struct fm_text);
const char *fm_import_words(struct fm_import *, const struct fm_plain *);
/*
 * Adds what rules need: a page, or (no path) the definition of a list or a map,
 * unless it is there already.
 */
void fm_import_need(struct fm_import *, const char *path, const char *text);
/*
 * Returns the unit after those that can be one rule file.  A host has one
 * block in a file, and is looked up when the rules start: so a file has the
 * blocks of one unit, and no rules before them that set the Host.
 */
struct fm_import_unit *fm_import_file_end(struct fm_import_unit *);
/*
 * The first returns the text of the rule file of the units from `first` up to
 * `end`; the second adds that file to those that are written, or returns NULL
 * if rules need nothing for the units.
 */
const char *fm_import_file_text(struct fm_import *,
    const struct fm_import_unit *first, const struct fm_import_unit *end);
struct fm_output *fm_import_file(struct fm_import *,
    const struct fm_import_unit *first, const struct fm_import_unit *end);
/* Adds the blocks of the other phases to the first file, or makes one. */
void fm_import_file_blocks(struct fm_import *);
/*
 * Returns true if the rules of two units, one after the other, are one
 * statement, in which comments may be.
 */
bool fm_import_joins_units(struct fm_import *, const struct fm_import_unit *,
    const struct fm_import_unit *next);
/* Writes rules, without their beginning or end where they are so joined. */
void fm_import_unit_put(struct fm_import *, const struct fm_import_unit *,
    bool begun, bool goes_on);
/* Writes the comments of a unit's VCL, but for VCL that was commented out. */
void fm_import_comments(struct fm_import *, const struct fm_import_unit *);

/* tidy.c: returns rules that say the same as a person would write it. */
const char *fm_import_tidied(struct fm_import *, const char *rules);
/* Returns the end of a text in quotes that begins at p. */
const char *fm_import_quoted_end(const char *p);
/*
 * share.c: returns the head of a file, the lists of texts that rules have in
 * several places, and the rules.
 */
const char *fm_import_shared(struct fm_import *, const char *head,
    const char *rules);

/*
 * stmt.c: write statements as rules; return false where they are refused.
 * fm_import_next() writes the first statement, perhaps together with some
 * after it, and returns how many that were; 0: refused.
 */
size_t fm_import_next(struct fm_import *, const struct fm_vstmt *);
/* The same, but what is refused may become a call of a sub. */
size_t fm_import_next_or_call(struct fm_import *, const struct fm_vstmt *);
bool fm_import_stmts(struct fm_import *, const struct fm_vstmt *);
bool fm_import_stmt(struct fm_import *, const struct fm_vstmt *);
/* Return true if VCL may set the Host to another host; before a place. */
bool fm_import_sets_host(struct fm_import *);
bool fm_import_sets_host_before(struct fm_import *, const struct fm_place *);
/*
 * Returns true for calls that make the Host lower case, or take its port, and
 * leave ${host}.
 */
bool fm_import_is_host(struct fm_import *, const struct fm_expr *);

/* Writes the `if` after a `set` of a header; see fm_import_joined(). */
bool fm_import_join(struct fm_import *, const struct fm_vstmt *joined,
    const char *header);
/* Returns the body of an arm, "" if it does nothing; NULL: refused. */
const char *fm_import_body(struct fm_import *, const struct fm_arm *);

/*
 * ban.c: returns true for a ban() or std.ban(), and an `if` that asks for its
 * success.  The second writes a ban; false: the statement is another.  The
 * third does so for such an `if`; 0: it is another.
 */
bool fm_import_is_ban(const struct fm_vstmt *);
bool fm_import_ban(struct fm_import *, const struct fm_vstmt *, bool *good);
size_t fm_import_ban_if(struct fm_import *, const struct fm_vstmt *);

/*
 * call.c: writes a call of a sub with the statement, which was refused, and
 * forgets what was found out since `before`; false: it can't be called.
 */
bool fm_import_call(struct fm_import *, const struct fm_vstmt *,
    const struct fm_import *before);
/* Returns how many statements of a unit are rules. */
unsigned fm_import_unit_count(const struct fm_import_unit *);
/* Returns true if rules of a unit do nothing but to call subs. */
bool fm_import_only_calls(const struct fm_import_unit *);
/*
 * The first makes the subs that the rules of a unit call, for an object; the
 * second writes them (object: NULL), or the .sub() of an object.
 */
void fm_import_called(struct fm_import *, const struct fm_import_unit *,
    const char *object);
void fm_import_called_put(struct fm_import *, const char *object);

/* chain.c: writes some `if`s as blocks of hosts; returns how many `if`s. */
size_t fm_import_hosts(struct fm_import *, const struct fm_vstmt *);
/* Writes an `if` that gives a header a value in each arm as a map: 1, or 0. */
size_t fm_import_map(struct fm_import *, const struct fm_vstmt *);

/* verdict.c: writes a `return`, with what vcl_synth makes of its status. */
bool fm_import_return(struct fm_import *, const struct fm_vstmt *);
/* Writes a `set` and a `return` that are a redirect: 2, or 0. */
size_t fm_import_redirect(struct fm_import *, const struct fm_vstmt *);
/*
 * Returns the body of a page: in quotes, or (of several lines) as `from FILE`,
 * whose name ends with `name`.
 */
const char *fm_import_page(struct fm_import *, struct fm_text type,
    struct fm_text body, const char *name);

/* value.c: writes a `set`; false: refused. */
bool fm_import_set(struct fm_import *, const struct fm_vstmt *);
/* Returns a value as a template, in quotes; NULL: refused. */
const char *fm_import_value(struct fm_import *, const struct fm_expr *);
/* Replaces req.http.host in an expression: no name of VCL looks like this. */
#define FM_IMPORT_HOST	"${host}"

/*
 * cleanup.c: writes statements that clean up the URL or the Cookie, from the
 * first on; returns how many statements that were; 0: none.
 */
size_t fm_import_cleanup(struct fm_import *, const struct fm_vstmt *);

/*
 * unit.c: returns the statements as units, in an order in which as many rules
 * as possible stand together.
 */
struct fm_import_unit *fm_import_units(struct fm_import *,
    const struct fm_vstmt *);
/* The same for another sub: may rules `stop` for VCL; is no `if` cut? */
struct fm_import_unit *fm_import_phase_units(struct fm_import *,
    const struct fm_vstmt *, bool stops, bool whole);
/* Returns true if rules pass their check; else notes why not. */
bool fm_import_stands(struct fm_import *, const char *text);
/* The same for rules of a unit, with the lists and maps that they need. */
bool fm_import_rules_stand(struct fm_import *, const char *rules, bool hosts);

/*
 * effects.c: returns true if the first n statements of s may change places with
 * those of another list.
 */
bool fm_vstmts_apart(const struct fm_vcl_tree *, const struct fm_vstmt *stmt,
    size_t n, const struct fm_vstmt *other, size_t nother);
/* Returns true if they change nothing that the conditions of arms ask for. */
bool fm_vstmts_keep(const struct fm_vcl_tree *, const struct fm_vstmt *stmt,
    size_t n, const struct fm_arm *);
/*
 * Returns true if the first n statements of s may run after those of another
 * list, where none of them ends the sub.
 */
bool fm_vstmts_free(const struct fm_vcl_tree *, const struct fm_vstmt *stmt,
    size_t n, const struct fm_vstmt *other, size_t nother);
/* Returns true if they may end the sub, or do anything. */
bool fm_vstmts_may_end(const struct fm_vcl_tree *, const struct fm_vstmt *stmt,
    size_t n);
/* Returns true if they read or write one of the names, or call a module's. */
bool fm_vstmts_touch(const struct fm_vcl_tree *, const struct fm_vstmt *stmt,
    size_t n, const char * const *names);
bool fm_vstmts_read(const struct fm_vcl_tree *, const struct fm_vstmt *stmt,
    size_t n, const char * const *names);
/*
 * Returns true if cookie.get() sees what the Cookie header has: the header was
 * parsed, and neither the header nor vmod_cookie's copy was changed since.
 */
bool fm_vcl_cookie_is_parsed(const struct fm_vcl_tree *,
    const struct fm_expr *call);
/*
 * Returns true if some of the tokens ask whether a header is there, or empty;
 * also in the backend's request.
 */
bool fm_vcl_asks_for(const struct fm_vcl_tree *, struct fm_text header,
    size_t first, size_t last);

/* Returns true if the token of a header asks whether it is there, or empty. */
bool fm_vcl_token_asks(const struct fm_vcl_token *);

/*
 * obsolete.c: leaves out subs that are not needed any more, and counts the
 * statements of those that rules have nothing for.
 */
void fm_import_obsolete(struct fm_import *);
/* Returns statements of vcl_backend_response that may be reached. */
const struct fm_vstmt *fm_import_live(struct fm_import *,
    const struct fm_vstmt *);

/* danger.c: finds what is dangerous in the old VCL. */
void fm_import_dangers(struct fm_import *);

/* rest.c: writes a unit that stays VCL, with the reason. */
void fm_import_kept(struct fm_import *, const struct fm_import_unit *);
/* Returns the VCL that remains; NULL: the diag says why not. */
const char *fm_import_rest(struct fm_import *);

#endif
