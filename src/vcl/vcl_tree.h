/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * VCL as a tree, for `import` and --vcl: declarations, whose subs have
 * statements, whose values and conditions are expressions.  Everything knows
 * its tokens, so that any part can be written again as it stands in the text.
 *
 *	sub vcl_recv {			fm_vdecl, kind "sub"
 *	    if (req.url ~ "^/a") {	fm_vstmt IF; an arm with cond, body
 *		return (pass);		fm_vstmt RETURN, name "pass"
 *	    }
 *	}
 *
 *	req.url ~ "^/a"			fm_expr COMPARE, text "~"
 *					    first: NAME, then STRING
 *
 * All of the tree lives in the arena of the struct fm_vcl_tree.  No function
 * goes on without memory: it calls no_memory(), which ends the process.
 */

#ifndef FM_VCL_TREE_H
#define FM_VCL_TREE_H

#include <stdio.h>

#include "arena.h"
#include "diag.h"
#include "text.h"

enum fm_vcl_kind {
	FM_VCL_END,
	FM_VCL_NAME,		/* req.http.X-Forwarded-For, too */
	FM_VCL_NUMBER,
	FM_VCL_STRING,
	FM_VCL_SIGN,
	FM_VCL_C		/* C{ ... }C */
};

struct fm_vcl_token {
	enum fm_vcl_kind	kind;
	struct fm_text		lead;	/* blanks and comments before it */
	struct fm_text		text;	/* as written */
	struct fm_text		value;	/* STRING: its text without quotes */
	struct fm_place		at;
	bool			stays;	/* import: in the VCL that remains */
};

enum fm_expr_kind {
	FM_EXPR_OR,
	FM_EXPR_AND,
	FM_EXPR_NOT,
	FM_EXPR_COMPARE,	/* text: the operator; first has two */
	FM_EXPR_CONCAT,
	FM_EXPR_STRING,
	FM_EXPR_NUMBER,
	FM_EXPR_NAME,
	FM_EXPR_CALL,		/* text: the function; first: the
				 * arguments */
	FM_EXPR_TRUE,		/* for sure */
	FM_EXPR_FALSE,
	FM_EXPR_OTHER		/* anything that isn't understood */
};

struct fm_expr {
	enum fm_expr_kind	kind;
	struct fm_text		text;
	struct fm_text		name;		/* of an argument; or missing */
	struct fm_place		at;
	struct fm_expr		*first;		/* its parts, linked by next */
	struct fm_expr		*next;
};

enum fm_vstmt_kind {
	FM_VSTMT_IF,
	FM_VSTMT_SET,
	FM_VSTMT_UNSET,
	FM_VSTMT_CALL,
	FM_VSTMT_RETURN,
	FM_VSTMT_ACTION,	/* std.log(...); */
	FM_VSTMT_OTHER		/* anything that isn't understood */
};

/* An arm of an `if`: if, elseif, or else. */
struct fm_arm {
	struct fm_expr		*cond;		/* NULL: it is the `else` */
	size_t			first, last;	/* the tokens ( and ) */
	size_t			close;		/* the token } */
	struct fm_vstmt		*body;
	struct fm_arm		*next;
};

struct fm_vstmt {
	enum fm_vstmt_kind	kind;
	struct fm_place		at;
	size_t			first, last;	/* tokens */
	struct fm_text		name;	/* what is set, unset, called, or
					 * returned */
	struct fm_expr		*value;	/* of set; of ACTION, the call; of
					 * return, its arguments */
	struct fm_arm		*arms;
	struct fm_vstmt		*block;	/* of an OTHER that is { ... } */
	bool			cut;	/* an IF without some of its arms */
	struct fm_vstmt		*next;
};

struct fm_vdecl {
	struct fm_text		kind;	/* "sub", "acl", "backend", ... */
	struct fm_text		name;
	size_t			first, last;	/* tokens */
	size_t			open, close;	/* { and } of sub and acl */
	struct fm_vstmt		*body;		/* of sub */
	bool			stays;
	bool			replaced;	/* import: by a new one */
	bool			dropped;	/* and that is empty */
	bool			entered, checked;	/* its calls */
	const char		*body_is;	/* import: the body that the
					 * sub may write, "resp.body" or
					 * "beresp.body"; "": both; or NULL */
	struct fm_vdecl		*next;
};

struct fm_vcl_tree {
	struct fm_arena		arena;
	struct fm_diag		*diag;
	__attribute__((noreturn)) void (*no_memory)(void);
	const char		*folders;	/* where includes are, separated
						 * by colons; NULL: Varnish's */
	const char * const	*names, * const *bodies; /* of sources */
	size_t			nsources, next;	/* the next to be included */
	struct fm_vcl_token	*tokens;	/* malloc'ed */
	size_t			ntokens, room;
	struct fm_vdecl		*decls;
	struct fm_vdecl		**subs;		/* by name, then as in the
						 * text */
	size_t			nsubs;
	bool			esi;		/* there may be sub-requests */
	bool			restarts;	/* req.restarts may be 1 */
};

/* vcl_lex.c: reads the tokens of a file and of all that it includes. */
bool fm_vcl_read(struct fm_vcl_tree *, const char *path);
/*
 * Reads the sources that a compiled VCL has: its file, then the included ones
 * in the order of the text.  The tree keeps both arrays and their texts.
 */
bool fm_vcl_read_sources(struct fm_vcl_tree *, const char * const *names,
    const char * const *bodies, size_t n);

/* vcl_parse.c: makes the tree of declarations from the tokens. */
bool fm_vcl_parse(struct fm_vcl_tree *);
struct fm_expr *fm_vcl_expr(struct fm_vcl_tree *, size_t first, size_t end);
/* The same for a call; arguments that aren't understood are each an OTHER. */
struct fm_expr *fm_vcl_call(struct fm_vcl_tree *, size_t first, size_t end);

/* vcl_tree.c */
void fm_vcl_fini(struct fm_vcl_tree *);
void *fm_vcl_alloc(struct fm_vcl_tree *, size_t);
const char *fm_vcl_printf(struct fm_vcl_tree *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
struct fm_vdecl *fm_vcl_find(const struct fm_vcl_tree *, const char *kind,
    struct fm_text name);
/* Returns the first of the subs of a name, which VCL joins, and how many. */
struct fm_vdecl * const *fm_vcl_subs(const struct fm_vcl_tree *,
    struct fm_text name, size_t *n);
bool fm_vdecl_is_sub(const struct fm_vdecl *, const char *name);
bool fm_token_is(const struct fm_vcl_tree *, size_t, const char *);
/*
 * The first returns how many statements the first n have, with those inside of
 * them; the second returns the statement after the first n.
 */
unsigned fm_vstmts_count(const struct fm_vstmt *, size_t n);
const struct fm_vstmt *fm_vstmts_after(const struct fm_vstmt *, size_t n);
/* Returns true if these statements return, whatever their `if`s do. */
bool fm_vstmts_end(const struct fm_vstmt *);
/* Gets the text of a constant string; returns false for anything else. */
bool fm_expr_constant(struct fm_vcl_tree *, const struct fm_expr *,
    struct fm_text *);
/* Returns true if an expression is a name; the case of headers is ignored. */
bool fm_expr_is(const struct fm_expr *, const char *name);
/* Returns true if an expression calls a function with n arguments. */
bool fm_expr_calls(const struct fm_expr *, const char *name, unsigned n);
/* Returns "X" for req.http.X, and the missing text for other names. */
struct fm_text fm_header_of(struct fm_text name);
bool fm_text_is(struct fm_text, const char *);
bool fm_text_is_nocase(struct fm_text, const char *);
/*
 * Returns false, with an error, if a sub calls itself, perhaps through others.
 * VCL forbids that, and import's effects.c relies on it.
 */
bool fm_vcl_check_calls(const struct fm_vcl_tree *);
/* Returns true if some statement returns from its sub only: `return;`. */
bool fm_vstmts_leave(const struct fm_vstmt *);
/*
 * Return a copy of an `if`: with the n arms from `from` on; or with its first
 * arm, of whose body it has n statements from `body` on.
 */
struct fm_vstmt *fm_vstmt_arms(struct fm_vcl_tree *, const struct fm_vstmt *,
    const struct fm_arm *from, size_t n);
struct fm_vstmt *fm_vstmt_body(struct fm_vcl_tree *, const struct fm_vstmt *,
    const struct fm_vstmt *body, size_t n);
/*
 * Write tokens as they were (`lead`: with the comments before the first); or a
 * statement, of an `if` that was cut the arms that are left.  They stay then.
 */
void fm_vcl_put(struct fm_vcl_tree *, size_t first, size_t last, bool lead,
    FILE *);
void fm_vstmt_put(struct fm_vcl_tree *, const struct fm_vstmt *, FILE *);
/*
 * Marks the declarations that stay beside the tokens that do.  VCL refuses
 * unused subs and acls, so these go, and so do those that are replaced.
 */
void fm_vcl_keep_named(struct fm_vcl_tree *);

#endif
