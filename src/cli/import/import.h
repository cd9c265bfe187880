/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * From VCL to rules.
 *
 *	text -> tokens -> subs and statements -> pieces -> rule files
 *	                                                \-> VCL that remains
 *
 * A piece is one statement of vcl_recv, or a run of them that is known as a
 * whole: written as rules, or kept as VCL with the reason why.  Pieces that
 * follow each other as rules are a part: a rule file, and one call of .apply()
 * at their place.
 *
 * All of it lives in the arena of the import.
 */

#ifndef FM_IMPORT_H
#define FM_IMPORT_H

#include <stdio.h>

#include "arena.h"
#include "diag.h"
#include "text.h"
#include "vcl/tree.h"

/* The definition of a list, or of a map. */
struct fm_item {
	const char		*text;
	struct fm_item		*next;
};

/*
 * In what rules and VCL differ: only for requests that no client sends.  Such
 * rules are taken with --well-formed, and named at the top of the rule file.
 */
enum fm_import_note {
	FM_NOTE_URL = 1,	/* ${url} begins with a '/' */
	FM_NOTE_ESI = 2,	/* rules don't answer sub-requests */
	FM_NOTE_QUERY = 4,	/* what a parameter is */
	FM_NOTE_COOKIE = 8,	/* what a cookie is */
	FM_NOTE_HOST = 16,	/* one spelling of a host */
	FM_NOTE_EMPTY = 32,	/* an empty header is none */
	FM_NOTE_SORT = 64,	/* parameters of one name */
	FM_NOTE_ACL = 128,	/* "localhost" */
	FM_NOTE_REPEATED = 256,	/* headers that came twice */
	FM_NOTE_BUILTIN = 512	/* what builtin.vcl refuses */
};

/* A translation came to this, beside its rules. */
struct fm_seen {
	unsigned		notes;
	const char		*tells;		/* a request they differ in */
	struct fm_item		*items;
	struct fm_output	*pages;
	bool			redirects;
	bool			regexes;	/* that may take too long */
	bool			joins;		/* Cookie, Accept, ... */
	bool			sets_host;	/* to another one */
};

struct fm_piece {
	const struct fm_vstmt	*stmt;
	size_t			n;	/* of statements */
	const char		*rules;	/* NULL: stays VCL */
	const char		*nearest;	/* what would be the rules */
	struct fm_seen		seen;
	struct fm_place		at;	/* and why: */
	const char		*why;
	bool			hosts;		/* blocks of hosts */
	struct fm_piece		*stop;		/* of rules, where it was; it is
						 * VCL behind them */
	struct fm_piece		*next;
};

/* A rule file; or the body of an answer, for it has more than one line. */
struct fm_output {
	const char		*path, *text;
	const char		*object;	/* of rules, in VCL */
	bool			redirects;
	struct fm_output	*next;
};

struct fm_under {
	const struct fm_expr	*cond;
	const struct fm_vstmt	*behind;	/* statements */
	const struct fm_under	*up;
};

struct fm_import {
	struct fm_vcl		vcl;		/* what is read */
	struct fm_piece		*pieces;
	struct fm_output	*files;

	bool			well_formed;	/* other requests don't count */
	bool			cookie_vmod;	/* vmod_cookie stays as it is */
	bool			whole_ifs;	/* none is cut */
	bool			no_hosts;	/* no blocks of hosts */

	FILE			*to;		/* what is written goes here */
	unsigned		tabs;
	struct fm_catch		*catch;

	/* The piece that is being translated: */
	struct fm_place		why_at;
	const char		*why;		/* NULL: nothing refused */
	struct fm_seen		seen;
	const struct fm_under	*under;		/* the ifs around it */
	bool			cleaned;	/* a Cookie, just before */
	unsigned		inlined;	/* calls, nested */

	unsigned		nmaps;

	const char		*vcl_path;	/* what is imported */
	const char		*rules_path;	/* as VCL is to name it */
	const char		*object;	/* of the first part */
	unsigned		nparts, ntranslated, nkept, nforeign;
};

/* A text for "%.*s". */
#define FM_ARG(text)	(int)(text).len, (text).b

static inline void *
fm_import_alloc(struct fm_import *im, size_t n)
{
	return (fm_vcl_alloc(&im->vcl, n));
}

#define fm_import_printf(im, ...)	fm_vcl_printf(&(im)->vcl, __VA_ARGS__)
#define fm_import_text(im, ...)	fm_text_of(fm_import_printf(im, __VA_ARGS__))

/* Says why this can't be rules; the first reason counts.  Returns false. */
bool fm_import_refuse(struct fm_import *, const struct fm_place *,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Refuses likewise: there is no result. */
#define FM_REFUSE(...)	((void)fm_import_refuse(__VA_ARGS__), NULL)
/* Notes that rules differ, and by which request one sees it. */
void fm_import_note(struct fm_import *, enum fm_import_note,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* regex.c: what a regex means, where it has a simpler name. */
struct fm_plain {
	const char		*mode;		/* "begins", "~", ... */
	bool			nocase;
	struct fm_text		*v;
	size_t			n;
	struct fm_text		regex;		/* as it was; or no text */
};

/* With globs there may be wildcards in it, as in fm_import_names(). */
void fm_import_plain(struct fm_import *, struct fm_text regex, bool globs,
    struct fm_plain *);
/* Adds texts to those that are there, none twice. */
void fm_import_plain_add(struct fm_import *, struct fm_plain *,
    const struct fm_text *, size_t n);
/*
 * The texts that a regex of parameters, or of cookies, stands for.  A blank is
 * any separators, or an end.  A wildcard is between two marks, with an example
 * of what it stands for: fm_import_unwild() leaves the wildcard or the example.
 * false: it is another one.
 */
bool fm_import_names(struct fm_import *, struct fm_text regex, bool cookie,
    struct fm_plain *);
const char *fm_import_unwild(struct fm_import *, struct fm_text, bool glob);
/* Does regsub(), or regsuball(). */
struct fm_text fm_import_sub(struct fm_import *, struct fm_text regex,
    struct fm_text, struct fm_text to, bool all);
/* Returns 1 if it matches, or 0; -1: PCRE2 refuses it. */
int fm_import_regex_fits(struct fm_text regex, const char *);
/* Returns a text of which a regex matches all; NULL: it is not that simple. */
const char *fm_import_sample(struct fm_import *, struct fm_text regex);
/* Returns how many groups a regex has; -1: PCRE2 refuses it. */
int fm_import_regex_groups(struct fm_import *, struct fm_text regex);

/* cond.c: conditions of rules. */
enum fm_test_kind {
	FM_TEST_OR,
	FM_TEST_AND,
	FM_TEST_TEST
};

struct fm_test {
	enum fm_test_kind	kind;
	bool			negated;	/* `not` is before it */
	const char		*subject;
	struct fm_plain		is;		/* "present", "in" too */
	struct fm_test		*first;
	struct fm_test		*next;
};

/* A test with one operand; no text: without any. */
struct fm_test *fm_import_test(struct fm_import *, const char *subject,
    const char *mode, struct fm_text);
/* A chain of these. */
struct fm_test *fm_import_chain(struct fm_import *, enum fm_test_kind,
    struct fm_test *first, struct fm_test *second);
/* acl.c: client.ip or std.ip(X, ...), ~ the acl that is next to it. */
struct fm_test *fm_import_client(struct fm_import *, const struct fm_expr *);
/* NULL: it is refused. */
struct fm_test *fm_import_cond(struct fm_import *, const struct fm_expr *);
/* Returns true if rules look at several such headers as one. */
bool fm_import_joins(struct fm_text header);
/* Returns `header NAME`, and notes that rules look at it. */
const char *fm_import_header(struct fm_import *, struct fm_text name);
const char *fm_import_cond_text(struct fm_import *, const struct fm_test *);
/*
 * Makes a condition on NAME alone a regex that NAME fits, or that it does not;
 * false: it is none.
 */
bool fm_import_asks(struct fm_import *, const struct fm_expr *,
    const char *name, struct fm_text *regex, bool *negated);
/* Returns true for a regex that an empty Cookie fits, and no other. */
bool fm_import_is_empty(struct fm_text regex);
/* Returns true if there is such a header where a condition is true. */
bool fm_import_has(struct fm_import *, const struct fm_expr *,
    const char *name);
/* Returns true if the ifs around a statement ask for a header. */
bool fm_import_is_there(struct fm_import *, const char *name);

/*
 * write.c: texts go where im->to leads; what is put between a catch and its
 * caught is a text instead.  A line begins with blanks for im->tabs.
 */
void fm_import_catch(struct fm_import *);
const char *fm_import_caught(struct fm_import *);
void fm_import_put(struct fm_import *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void fm_import_begin(struct fm_import *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns a text in quotes; and operands, a blank before each. */
const char *fm_import_quote(struct fm_import *, struct fm_text);
const char *fm_import_words(struct fm_import *, const struct fm_plain *);
/* Adds the definition of a list or a map, once each. */
void fm_import_item(struct fm_import *, const char *);
/* Pieces from first on, up to end, as a rule file. */
struct fm_output *fm_import_part(struct fm_import *,
    const struct fm_piece *first, const struct fm_piece *end);

/*
 * stmt.c: statements; false: refused.  fm_import_next() writes the first of
 * them, perhaps with some behind it, and returns how many; 0: it is refused.
 */
size_t fm_import_next(struct fm_import *, const struct fm_vstmt *);
bool fm_import_stmts(struct fm_import *, const struct fm_vstmt *);
bool fm_import_stmt(struct fm_import *, const struct fm_vstmt *);

/* Writes what an arm does, in braces. */
bool fm_import_body(struct fm_import *, const struct fm_vstmt *,
    const struct fm_arm *);

/* chain.c: blocks of hosts.  Returns how many statements they are; or 0. */
size_t fm_import_hosts(struct fm_import *, const struct fm_vstmt *);
/* Chains that give a header a value; false: it is none. */
bool fm_import_map(struct fm_import *, const struct fm_vstmt *);

/* verdict.c: return; and what vcl_synth makes of a status. */
bool fm_import_return(struct fm_import *, const struct fm_vstmt *);

/* value.c: set req.url, and set HEADER = regsub(...); false: refused. */
bool fm_import_set_url(struct fm_import *, const struct fm_vstmt *);
bool fm_import_regsub(struct fm_import *, const struct fm_vstmt *,
    struct fm_text header);
/* Returns a value as a template, in quotes; NULL: refused. */
const char *fm_import_value(struct fm_import *, const struct fm_expr *);
/* Returns true if it can't come out empty. */
bool fm_import_value_firm(const struct fm_expr *);
/* A name that no VCL has: ${host} in the place of req.http.host. */
#define FM_IMPORT_HOST	"${host}"

/*
 * cleanup.c, idiom.c: statements from here on that are known as a whole.  How
 * many; 0: they aren't.
 */
size_t fm_import_cleanup(struct fm_import *, const struct fm_vstmt *);
size_t fm_import_idiom(struct fm_import *, const struct fm_vstmt *);
/* Returns true, and the name, for a cookie that is asked of vmod_cookie. */
bool fm_import_cookie(struct fm_import *, const struct fm_expr *call,
    struct fm_text *name);
/* Returns true if the Host may be made another one. */
bool fm_import_sets_host(struct fm_import *);

/* effects.c: whether two pieces may change places. */
bool fm_import_apart(const struct fm_import *, const struct fm_piece *,
    const struct fm_piece *);
/*
 * Returns rules that stop where a piece of VCL was, which is behind them then;
 * NULL: they can't.
 */
struct fm_piece *fm_import_stop(struct fm_import *,
    const struct fm_piece *vcl);
bool fm_import_keeps_test(struct fm_import *, const struct fm_piece *vcl,
    const struct fm_piece *rules);
/* Returns true if a sub other than vcl_recv names a variable, or a sub. */
bool fm_import_is_named_elsewhere(const struct fm_import *, struct fm_text);
/* Tokens that ask whether there is such a header, or an empty one. */
bool fm_import_asks_for(const struct fm_import *, struct fm_text header,
    size_t first, size_t last);
/* Returns true for what rules have no statement for: ban and the like. */
bool fm_import_is_foreign(const struct fm_import *, const struct fm_vstmt *);

/*
 * piece.c: statements in pieces, in an order in which as many rules as
 * possible stand together.
 */
struct fm_piece *fm_import_pieces(struct fm_import *, const struct fm_vstmt *);

/* rest.c: the VCL that remains; NULL: it was said why there is none. */
const char *fm_import_rest(struct fm_import *);

#endif
