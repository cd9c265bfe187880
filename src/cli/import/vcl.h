/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * VCL as it is written: tokens, expressions, statements, declarations.
 */

#ifndef FM_VCL_H
#define FM_VCL_H

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

#endif
