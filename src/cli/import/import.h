/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * From VCL to rules.
 *
 *	text -> tokens -> subs and statements -> pieces -> rule files
 *	                                                \-> VCL that remains
 *
 * A piece is one statement of vcl_recv: written as rules, or kept as VCL with
 * the reason why.  Pieces that follow each other as rules are a part: a rule
 * file, and one call of .apply() at their place.
 *
 * All of it lives in the arena of the import.
 */

#ifndef FM_IMPORT_H
#define FM_IMPORT_H

#include <stdint.h>
#include <stdio.h>

#include "arena.h"
#include "diag.h"
#include "sources.h"
#include "text.h"

/*--------------------------------------------------------------------
 * VCL as it is written
 */

enum fm_vcl_kind {
	FM_VCL_END,
	FM_VCL_NAME,		/* req.http.X-Forwarded-For is one */
	FM_VCL_NUMBER,
	FM_VCL_STRING,
	FM_VCL_SIGN,
	FM_VCL_C		/* C{ ... }C */
};

struct fm_vcl_token {
	enum fm_vcl_kind	kind;
	struct fm_text		lead;	/* blanks and comments before it */
	struct fm_text		text;	/* as written */
	struct fm_text		value;	/* of a string: what it holds */
	struct fm_place		at;
};

enum fm_expr_kind {
	FM_EXPR_OR,
	FM_EXPR_AND,
	FM_EXPR_NOT,
	FM_EXPR_COMPARE,	/* text: the operator; two of first */
	FM_EXPR_CONCAT,
	FM_EXPR_STRING,
	FM_EXPR_NUMBER,
	FM_EXPR_NAME,
	FM_EXPR_CALL,		/* text: what is called; its arguments */
	FM_EXPR_OTHER
};

struct fm_expr {
	enum fm_expr_kind	kind;
	struct fm_text		text;
	struct fm_place		at;
	struct fm_expr		*first;		/* what it is made of */
	struct fm_expr		*next;
};

enum fm_vstmt_kind {
	FM_VSTMT_IF,
	FM_VSTMT_SET,
	FM_VSTMT_UNSET,
	FM_VSTMT_CALL,
	FM_VSTMT_RETURN,
	FM_VSTMT_OTHER
};

struct fm_arm {
	struct fm_expr		*cond;		/* NULL: else */
	size_t			first, last;	/* tokens of ( to ) */
	size_t			open, close;	/* { and } */
	struct fm_vstmt		*body;
	struct fm_arm		*next;
};

struct fm_vstmt {
	enum fm_vstmt_kind	kind;
	struct fm_place		at;
	size_t			first, last;	/* tokens */
	struct fm_text		name;	/* set, unset, called, returned */
	struct fm_expr		*value;	/* of set; arguments of return */
	struct fm_arm		*arms;
	bool			cut;	/* made of some arms of an `if` */
	struct fm_vstmt		*next;
};

struct fm_vdecl {
	struct fm_text		kind;	/* "sub", "acl", "backend", ... */
	struct fm_text		name;
	size_t			first, last;
	size_t			open, close;	/* of sub and acl */
	struct fm_vstmt		*body;		/* of sub */
	bool			dropped;	/* nothing names it any more */
	struct fm_vdecl		*next;
};

/*--------------------------------------------------------------------
 * The import
 */

/* A status that vcl_synth turns into a redirect; to: 0, it does not. */
struct fm_redirect {
	unsigned		from, to;
	const struct fm_expr	*location;
	bool			plain;		/* status and reason stay those
						 * of synth */
	struct fm_redirect	*next;
};

struct fm_name {
	struct fm_text		name;	/* in the rules */
	struct fm_text		vcl;	/* what VCL calls it */
	const char		*text;	/* of a list: as it is written */
	struct fm_name		*next;
};

/* A header whose value is known where a statement stands. */
struct fm_fact {
	struct fm_text		header;
	struct fm_text		value;	/* no text: it is not there */
	struct fm_fact		*next;
};

/*
 * In what rules and VCL differ, said at the top of a rule file.  Nothing of it
 * is taken but for --well-formed.
 */
enum fm_import_note {
	FM_NOTE_URL = 1,
	FM_NOTE_ESI = 2,
	FM_NOTE_QUERY = 4,
	FM_NOTE_COOKIE = 8,
	FM_NOTE_HOST = 16
};

struct fm_piece {
	const struct fm_vstmt	*stmt;
	size_t			n;	/* of statements */
	const char		*rules;	/* NULL: stays VCL */
	const char		*items;		/* the maps of it */
	struct fm_name		*lists;
	struct fm_fact		*facts;		/* known before it */
	bool			url_checked;	/* likewise */
	struct fm_place		at;	/* and why: */
	const char		*why;
	unsigned		weight;
	unsigned		notes;
	bool			redirects;
	bool			regexes;	/* that may take too long */
	bool			joins;		/* Cookie, Accept, ... */
	bool			hosts;		/* blocks of hosts */
	bool			sets_host;
	struct fm_piece		*next;
};

/* What stays VCL, and why. */
struct fm_kept {
	struct fm_place		at;
	const char		*why;
	struct fm_kept		*next;
};

struct fm_import_part {
	char			*text;		/* of the rule file */
	char			object[80];	/* in VCL */
	const char		*path;
	bool			redirects;
	struct fm_import_part	*next;
};

struct fm_import {
	unsigned		magic;
#define FM_IMPORT_MAGIC		0x3c8e91d7
	struct fm_arena		arena;
	struct fm_sources	*sources;
	struct fm_diag		*diag;

	struct fm_vcl_token	*tokens;	/* malloc'ed */
	size_t			ntokens, room;
	struct fm_vdecl		*decls;
	struct fm_redirect	*redirects;

	bool			well_formed;	/* other requests don't count */
	bool			esi;		/* there may be sub-requests */

	/* Of the piece that is being translated. */
	struct fm_place		why_at;
	const char		*why;		/* NULL: nothing refused */
	FILE			*items;
	unsigned		weight;
	unsigned		notes;
	bool			redirects_seen;
	bool			regexes_seen;
	bool			joins_seen;
	bool			sets_host;
	bool			url_rooted;	/* here it begins with a / */
	bool			url_checked;	/* it does from here on: other
						 * requests have been ended by
						 * `if (req.url !~ "^/")` */
	bool			url_taken;	/* it is ${1} */
	size_t			hinted_first;	/* tokens: it was said */
	size_t			hinted_last;	/* what else they may be */
	unsigned		inlined;	/* calls, nested */

	struct fm_fact		*facts;
	struct fm_name		*backends;	/* that rules name */
	struct fm_name		*lists;		/* of this piece */
	unsigned		nmaps;

	const char		*vcl_path;	/* what is imported */
	const char		*folders;	/* of includes, colons between
						 * them; NULL: Varnish's own */
	const char		*rules_path;	/* as VCL is to name it */
	char			object[64];	/* of the first part */
	struct fm_import_part	*parts;
	unsigned		nparts, ntranslated, nkept;
	struct fm_kept		*kept;		/* the last one first */
};

void *fm_import_alloc(struct fm_import *, size_t);
const char *fm_import_printf(struct fm_import *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A stream into a text of malloc(), which ends in NUL once it is closed. */
FILE *fm_import_memory(char **, size_t *);

/* Why this can't be rules; the first one counts.  Returns false. */
bool fm_import_refuse(struct fm_import *, const struct fm_place *,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Rules that are not quite the same: true where these are welcome. */
bool fm_import_differs(struct fm_import *, const struct fm_place *,
    enum fm_import_note);

/* lex.c: the tokens of a file and of all that it includes. */
bool fm_import_read(struct fm_import *, const char *path);

/* parse.c: what is declared; and the statements of the subs. */
bool fm_import_parse(struct fm_import *);
struct fm_vdecl *fm_import_find(const struct fm_import *, const char *kind,
    struct fm_text name);
bool fm_token_is(const struct fm_import *, size_t, const char *);

/* expr.c: the expression in the tokens from *at on, up to end. */
struct fm_expr *fm_import_expr(struct fm_import *, size_t *at, size_t end);
/* A constant string; false: it is none. */
bool fm_expr_constant(struct fm_import *, const struct fm_expr *,
    struct fm_text *);
/* "X" of req.http.X; no text: it is another name. */
struct fm_text fm_header_of(struct fm_text name);
bool fm_text_is(struct fm_text, const char *);

/* regex.c: what a regex means, where it has a simpler name. */
struct fm_plain {
	const char		*mode;		/* "begins", "~", ... */
	bool			nocase;
	struct fm_text		*v;
	size_t			n;
	size_t			room;		/* in v; n, where it is less */
	struct fm_text		regex;		/* as it was; or no text */
};

void fm_import_plain(struct fm_import *, struct fm_text regex,
    struct fm_plain *);
/* -1: PCRE2 refuses it; else whether it matches the empty string. */
int fm_import_regex_empty(struct fm_text regex);

/* cond.c: conditions of rules. */
enum fm_test_kind {
	FM_TEST_OR,
	FM_TEST_AND,
	FM_TEST_NOT,
	FM_TEST_TEST
};

struct fm_test {
	enum fm_test_kind	kind;
	const char		*subject;
	struct fm_plain		is;		/* "present", "in" too */
	struct fm_test		*first;
	struct fm_test		*next;
};

struct fm_test *fm_import_test(struct fm_import *, enum fm_test_kind);
/* acl.c: client.ip ~ this. */
struct fm_test *fm_import_client(struct fm_import *, const struct fm_expr *);
/* NULL: it is refused. */
struct fm_test *fm_import_cond(struct fm_import *, const struct fm_expr *);
bool fm_import_roots(const struct fm_test *);
/* Rules look at this header: several may be joined. */
void fm_import_note_header(struct fm_import *, struct fm_text header);
void fm_import_cond_put(const struct fm_test *, unsigned tabs, FILE *);
void fm_import_words_put(const struct fm_plain *, unsigned tabs, FILE *);

/* write.c: words as the language has them. */
void fm_import_word_put(struct fm_text, FILE *);
void fm_import_quote_put(struct fm_text, FILE *);
void fm_import_tabs_put(unsigned, FILE *);
/* Tokens as they were written; skip: without what leads to the first. */
void fm_import_vcl_put(const struct fm_import *, size_t first, size_t last,
    bool skip, FILE *);
void fm_import_stmt_put(const struct fm_import *, const struct fm_vstmt *,
    FILE *);

/* stmt.c: statements; false: refused. */
bool fm_import_stmts(struct fm_import *, const struct fm_vstmt *,
    unsigned tabs, FILE *);
bool fm_import_stmt(struct fm_import *, const struct fm_vstmt *,
    unsigned tabs, FILE *);
void fm_import_line_put(struct fm_import *, unsigned tabs, const char *,
    FILE *);

/* hosts.c: blocks of hosts. */
bool fm_import_hosts(struct fm_import *, const struct fm_vstmt *, FILE *);

/* url.c: set req.url. */
bool fm_import_set_url(struct fm_import *, const struct fm_vstmt *,
    unsigned tabs, FILE *);
/* Returns true if all that a regex matches begins with a `/`. */
bool fm_import_regex_roots(struct fm_text regex);

/* return.c: return; and whether nothing behind these is reached. */
bool fm_import_return(struct fm_import *, const struct fm_vstmt *,
    unsigned tabs, FILE *);
bool fm_vstmts_end(const struct fm_vstmt *);

/*
 * value.c: a value as a template, in quotes or without; whether it
 * can't come out empty (VCL sets an empty header then, rules set none), or end
 * in blanks (rules trim it).
 */
bool fm_import_value_put(struct fm_import *, const struct fm_expr *, FILE *);
bool fm_import_value_quoted(struct fm_import *, const struct fm_expr *,
    FILE *);
bool fm_import_value_firm(const struct fm_expr *);
const struct fm_expr *fm_import_value_unknown(const struct fm_expr *);
bool fm_import_value_trimmed(const struct fm_expr *);
/* A name that no VCL has: ${host} in the place of req.http.host. */
#define FM_IMPORT_HOST	"${host}"
/* Returns true if the Host is not always as it came. */
bool fm_import_sets_host(const struct fm_import *);
/* Whether VCL may leave a blank at its end, which rules don't see. */
bool fm_import_header_refused(struct fm_import *, struct fm_text header,
    const struct fm_place *);
/*
 * ${url} always begins with a /.  Where that is not certain of the URL a
 * statement with it stands in a `when` that takes it as it is: open tells
 * whether, and the close has to be told.
 */
bool fm_import_url_open(struct fm_import *, bool names_url, unsigned *tabs,
    FILE *);
void fm_import_url_close(struct fm_import *, bool, unsigned *tabs, FILE *);
bool fm_import_value_names_url(const struct fm_expr *);

/* map.c: chains that give a header a value; false: it is none. */
bool fm_import_map(struct fm_import *, const struct fm_vstmt *,
    unsigned tabs, FILE *);
void fm_import_learn(struct fm_import *, struct fm_text header,
    struct fm_text value);
void fm_import_forget(struct fm_import *, struct fm_text header);

/*
 * strip.c: statements that strip parameters or cookies, as one `drop`
 * or `keep`.  How many statements it stands for; 0: they don't.
 */
size_t fm_import_strip(struct fm_import *, const struct fm_vstmt *,
    unsigned tabs, FILE *);

/*
 * trial.c: what statements make of one text, the URL or the Cookie
 * header.  false: they depend on more than that.
 */
struct fm_trial {
	struct fm_import	*im;
	struct fm_text		name;		/* "req.url", ... */
	struct fm_text		text;		/* no text: not there */
	struct fm_compiled	*regexes;
	struct fm_seen		*seen;
	unsigned		depth;
};

bool fm_trial_run(struct fm_trial *, const struct fm_vstmt *, size_t n);
void fm_trial_fini(struct fm_trial *);
/* Calls with each constant that statements take for a regex. */
void fm_trial_regexes(struct fm_trial *, const struct fm_vstmt *, size_t n,
    void (*)(void *, struct fm_text), void *);
/*
 * The first condition that was not both true and false, or call that changed
 * nothing, in all runs since they were forgotten; NULL: there is none.  A call
 * that looks for separators alone doesn't count.
 */
const struct fm_expr *fm_trial_unseen(struct fm_trial *,
    const struct fm_vstmt *, size_t n);
void fm_trial_forget(struct fm_trial *);

/* usual.c: URLs or cookies as browsers send them, at random. */
#define FM_USUAL_WORDS	256

struct fm_usual {
	struct fm_import	*im;
	bool			cookie;
	uint64_t		seed;
	struct fm_text		words[FM_USUAL_WORDS];	/* of the regexes */
	size_t			nwords;
	struct fm_text		regexes[FM_USUAL_WORDS];
	size_t			nregexes;
};

/* One more regex for them to be made of; it is for fm_trial_regexes(). */
void fm_usual_regex(void *, struct fm_text regex);
/* A name that fits this one, which may end in *. */
const char *fm_usual_name(struct fm_usual *, struct fm_text name);
struct fm_text fm_usual_text(struct fm_usual *);

/* synth.c: which statuses of synth are redirects. */
void fm_import_redirects(struct fm_import *);
bool fm_import_names_reason(const struct fm_expr *location);
const char *fm_import_reason_of(unsigned status);

/* effects.c: whether two pieces may change places. */
bool fm_import_apart(const struct fm_import *, const struct fm_piece *,
    const struct fm_piece *);
/* Returns true if a statement may make the URL another one. */
bool fm_import_edits_url(const struct fm_import *, const struct fm_vstmt *);

/*
 * piece.c: statements in pieces, in an order in which as many rules as
 * possible stand together; in: the piece of which they are a part, or NULL.
 */
struct fm_piece *fm_import_pieces(struct fm_import *,
    const struct fm_vstmt *, const struct fm_piece *in);

/* flow.c: vcl_recv as parts, and what VCL says instead of it. */
void fm_import_recv(struct fm_import *, FILE *);
/* part.c: from first on, up to end; hosts are the last piece. */
void fm_import_part(struct fm_import *, const struct fm_piece *first,
    const struct fm_piece *end, FILE *);

/* rest.c: the VCL that remains; false: it was said why not. */
bool fm_import_rest(struct fm_import *, FILE *);

#endif
