/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * VCL as it is written: tokens, expressions, statements, declarations.  Who
 * reads it keeps a struct fm_vcl; all of the tree lives in its arena.
 */

#ifndef FM_VCL_TREE_H
#define FM_VCL_TREE_H

#include "arena.h"
#include "diag.h"
#include "text.h"

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
	bool			stays;	/* in the VCL that remains */
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
	FM_EXPR_TRUE,		/* for sure, and the others */
	FM_EXPR_FALSE,
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
	FM_VSTMT_ACTION,	/* std.log(...); */
	FM_VSTMT_OTHER
};

struct fm_arm {
	struct fm_expr		*cond;		/* NULL: else */
	size_t			first, last;	/* tokens of ( to ) */
	size_t			close;		/* } */
	struct fm_vstmt		*body;
	struct fm_arm		*next;
};

struct fm_vstmt {
	enum fm_vstmt_kind	kind;
	struct fm_place		at;
	size_t			first, last;	/* tokens */
	struct fm_text		name;	/* set, unset, called, returned */
	struct fm_expr		*value;	/* of set; what is done; arguments of
					 * return */
	struct fm_arm		*arms;
	bool			cut;	/* made of some arms of an `if` */
	struct fm_vstmt		*next;
};

struct fm_vdecl {
	struct fm_text		kind;	/* "sub", "acl", "backend", ... */
	struct fm_text		name;
	size_t			first, last;	/* tokens */
	size_t			open, close;	/* of sub and acl */
	struct fm_vstmt		*body;		/* of sub */
	bool			stays;
	struct fm_vdecl		*next;
};

struct fm_vcl {
	struct fm_arena		arena;
	struct fm_diag		*diag;
	const char		*folders;	/* of includes, colons between
						 * them; NULL: Varnish's own */
	struct fm_vcl_token	*tokens;	/* malloc'ed */
	size_t			ntokens, room;
	struct fm_vdecl		*decls;
	bool			esi;		/* there may be sub-requests */
	bool			restarts;	/* req.restarts may be 1 */
};

void *fm_vcl_alloc(struct fm_vcl *, size_t);
const char *fm_vcl_printf(struct fm_vcl *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* lex.c: the tokens of a file and of all that it includes. */
bool fm_vcl_read(struct fm_vcl *, const char *path);

/* parse.c: what is declared; and the statements of the subs. */
bool fm_vcl_parse(struct fm_vcl *);
struct fm_vdecl *fm_vcl_find(const struct fm_vcl *, const char *kind,
    struct fm_text name);
bool fm_vdecl_is_sub(const struct fm_vdecl *, const char *name);
bool fm_token_is(const struct fm_vcl *, size_t, const char *);
struct fm_expr *fm_vcl_expr(struct fm_vcl *, size_t first, size_t end);
/* Returns how many there are in so many statements; and what is behind them. */
unsigned fm_vstmts_count(const struct fm_vstmt *, size_t n);
const struct fm_vstmt *fm_vstmts_behind(const struct fm_vstmt *, size_t n);
/* Returns true if nothing behind these is reached. */
bool fm_vstmts_end(const struct fm_vstmt *);
/* A constant string; false: it is none. */
bool fm_expr_constant(struct fm_vcl *, const struct fm_expr *,
    struct fm_text *);
/* Returns true for that name, whatever its case if it is a header. */
bool fm_expr_is(const struct fm_expr *, const char *name);
/* Returns true for a call of that with so many arguments. */
bool fm_expr_calls(const struct fm_expr *, const char *name, unsigned n);
/* "X" of req.http.X; no text: it is another name. */
struct fm_text fm_header_of(struct fm_text name);
bool fm_text_is(struct fm_text, const char *);
bool fm_text_is_nocase(struct fm_text, const char *);

#endif
