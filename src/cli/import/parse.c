/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What VCL declares, and the statements of its subs.  A declaration or a
 * statement that is of no interest is "other", up to its end.
 */

#include <string.h>

#include "import.h"

#define PARSE_DEPTH	100

struct parser {
	struct fm_import	*im;
	size_t			at;
	unsigned		depth;
};

static bool parse_block(struct parser *, struct fm_vstmt **);

bool
fm_token_is(const struct fm_import *im, size_t n, const char *s)
{
	return (n < im->ntokens && im->tokens[n].kind != FM_VCL_STRING &&
	    fm_text_is(im->tokens[n].text, s));
}

static bool
sees(const struct parser *p, const char *s)
{
	return (fm_token_is(p->im, p->at, s));
}

static bool
sees_c(const struct parser *p)
{
	return (p->im->tokens[p->at].kind == FM_VCL_C);
}

static bool
fault(struct parser *p, const char *expected)
{
	const struct fm_vcl_token *t = p->im->tokens + p->at;

	fm_diag_error(p->im->diag, &t->at, t->kind == FM_VCL_END ?
	    "VCL ends where %s is expected%.*s" :
	    "%s is expected, and not '%.*s'", expected,
	    (int)(t->text.len < 40 ? t->text.len : 40), t->text.b);
	return (false);
}

static bool
at_end(const struct parser *p)
{
	return (p->im->tokens[p->at].kind == FM_VCL_END);
}

/* From the ( or { here to what closes it, which is *last. */
static bool
pair_end(struct parser *p, size_t *last)
{
	const char *open = sees(p, "(") ? "(" : "{";
	const char *close = *open == '(' ? ")" : "}";
	unsigned depth = 0;

	for (; !at_end(p); p->at++) {
		if (sees(p, open))
			depth++;
		else if (sees(p, close) && --depth == 0) {
			*last = p->at++;
			return (true);
		}
	}
	return (fault(p, close));
}

/* Up to the ; of a statement that may have blocks in it. */
static bool
skip_statement(struct parser *p)
{
	size_t last;

	while (!at_end(p)) {
		if (sees(p, "{")) {
			if (!pair_end(p, &last))
				return (false);
			if (!sees(p, ";"))
				return (true);
		} else if (sees(p, "}")) {
			return (fault(p, ";"));
		} else if (sees(p, ";")) {
			p->at++;
			return (true);
		} else {
			p->at++;
		}
	}
	return (fault(p, ";"));
}

/* The ; of the statement here, which has no blocks. */
static bool
find_end(struct parser *p, size_t *end)
{
	size_t n = p->at;

	while (p->im->tokens[n].kind != FM_VCL_END) {
		if (fm_token_is(p->im, n, ";")) {
			*end = n;
			return (true);
		}
		if (fm_token_is(p->im, n, "{") || fm_token_is(p->im, n, "}"))
			break;
		n++;
	}
	p->at = n;
	return (fault(p, ";"));
}

/*--------------------------------------------------------------------
 * Statements
 */

/* ( condition ) { block } */
static bool
parse_arm(struct parser *p, struct fm_arm *arm, bool has_cond)
{
	size_t n;

	if (has_cond) {
		if (!sees(p, "("))
			return (fault(p, "("));
		arm->first = p->at;
		if (!pair_end(p, &arm->last))
			return (false);
		n = arm->first + 1;
		arm->cond = fm_import_expr(p->im, &n, arm->last);
	}
	if (!sees(p, "{"))
		return (fault(p, "{"));
	arm->open = p->at;
	if (!parse_block(p, &arm->body))
		return (false);
	arm->close = p->at - 1;
	return (true);
}

static bool
parse_if(struct parser *p, struct fm_vstmt *stmt)
{
	struct fm_arm **tail = &stmt->arms;
	bool has_cond = true;

	stmt->kind = FM_VSTMT_IF;
	p->at++;
	for (;;) {
		*tail = fm_import_alloc(p->im, sizeof **tail);
		if (!parse_arm(p, *tail, has_cond))
			return (false);
		tail = &(*tail)->next;
		if (!has_cond)
			return (true);
		if (sees(p, "elsif") || sees(p, "elseif") || sees(p, "elif")) {
			p->at++;
		} else if (sees(p, "else")) {
			p->at++;
			if (sees(p, "if"))
				p->at++;
			else
				has_cond = false;
		} else {
			return (true);
		}
	}
}

static void
parse_set(struct parser *p, struct fm_vstmt *stmt, size_t end)
{
	struct fm_import *im = p->im;
	struct fm_expr *old;
	size_t n = stmt->first + 3;
	bool more = fm_token_is(im, stmt->first + 2, "+=");

	if (im->tokens[stmt->first + 1].kind != FM_VCL_NAME ||
	    (!more && !fm_token_is(im, stmt->first + 2, "=")) || n >= end)
		return;
	stmt->kind = FM_VSTMT_SET;
	stmt->name = im->tokens[stmt->first + 1].text;
	stmt->value = fm_import_expr(im, &n, end);
	if (more) {
		old = fm_import_alloc(im, sizeof *old);
		old->kind = FM_EXPR_NAME;
		old->text = stmt->name;
		old->at = stmt->at;
		old->next = stmt->value;
		stmt->value = fm_import_alloc(im, sizeof *old);
		stmt->value->kind = FM_EXPR_CONCAT;
		stmt->value->at = stmt->at;
		stmt->value->first = old;
	}
}

/* return (verb) and return (verb(...)). */
static void
parse_return(struct parser *p, struct fm_vstmt *stmt, size_t end)
{
	struct fm_import *im = p->im;
	size_t n = stmt->first + 2;

	stmt->kind = FM_VSTMT_RETURN;
	if (!fm_token_is(im, stmt->first + 1, "(") ||
	    !fm_token_is(im, end - 1, ")"))
		return;
	stmt->value = fm_import_expr(im, &n, end - 1);
	if (stmt->value->kind == FM_EXPR_NAME ||
	    stmt->value->kind == FM_EXPR_CALL)
		stmt->name = stmt->value->text;
}

/* NAME(...); */
static void
parse_action(struct parser *p, struct fm_vstmt *stmt, size_t end)
{
	size_t n = stmt->first;

	if (!fm_token_is(p->im, n + 1, "("))
		return;
	stmt->value = fm_import_expr(p->im, &n, end);
	if (stmt->value->kind == FM_EXPR_CALL)
		stmt->kind = FM_VSTMT_ACTION;
}

/* Leaves out the arms that are never reached. */
static void
settle_arms(struct fm_vstmt *stmt)
{
	struct fm_arm **p = &stmt->arms;

	while (*p != NULL)
		if ((*p)->cond != NULL && (*p)->cond->kind == FM_EXPR_FALSE) {
			*p = (*p)->next;
			stmt->cut = true;
		} else if ((*p)->cond != NULL &&
		    (*p)->cond->kind == FM_EXPR_TRUE) {
			(*p)->cond = NULL;
			(*p)->next = NULL;
			stmt->cut = true;
		} else {
			p = &(*p)->next;
		}
}

static void
parse_simple(struct parser *p, struct fm_vstmt *stmt, size_t end)
{
	struct fm_import *im = p->im;
	size_t first = stmt->first;
	bool named = end == first + 2 &&
	    im->tokens[first + 1].kind == FM_VCL_NAME;

	if (fm_token_is(im, first, "set")) {
		parse_set(p, stmt, end);
	} else if (fm_token_is(im, first, "return")) {
		parse_return(p, stmt, end);
	} else if (named && (fm_token_is(im, first, "unset") ||
	    fm_token_is(im, first, "call"))) {
		stmt->kind = fm_token_is(im, first, "call") ?
		    FM_VSTMT_CALL : FM_VSTMT_UNSET;
		stmt->name = im->tokens[first + 1].text;
	} else if (im->tokens[first].kind == FM_VCL_NAME) {
		parse_action(p, stmt, end);
	}
}

static bool
parse_stmt(struct parser *p, struct fm_vstmt **stmtp)
{
	struct fm_vstmt *stmt;
	size_t end;

	*stmtp = stmt = fm_import_alloc(p->im, sizeof *stmt);
	stmt->kind = FM_VSTMT_OTHER;
	stmt->first = p->at;
	stmt->at = p->im->tokens[p->at].at;
	if (sees(p, "if")) {
		if (!parse_if(p, stmt))
			return (false);
		settle_arms(stmt);
	} else if (sees(p, "{")) {
		if (!pair_end(p, &end))
			return (false);
	} else if (sees_c(p)) {
		p->at++;
	} else {
		if (!find_end(p, &end))
			return (false);
		parse_simple(p, stmt, end);
		p->at = end + 1;
	}
	stmt->last = p->at - 1;
	return (true);
}

/* { statements } */
static bool
parse_block(struct parser *p, struct fm_vstmt **tail)
{
	if (p->depth++ > PARSE_DEPTH)
		return (fault(p, "less nesting"));
	p->at++;
	while (!sees(p, "}")) {
		if (at_end(p))
			return (fault(p, "}"));
		/* An empty statement. */
		if (sees(p, ";")) {
			p->at++;
			continue;
		}
		if (!parse_stmt(p, tail))
			return (false);
		tail = &(*tail)->next;
	}
	p->at++;
	p->depth--;
	return (true);
}

/*--------------------------------------------------------------------
 * Declarations
 */

static bool
parse_sub(struct parser *p, struct fm_vdecl *decl)
{
	p->at += 2;
	if (!sees(p, "{"))
		return (fault(p, "{"));
	decl->open = p->at;
	if (!parse_block(p, &decl->body))
		return (false);
	decl->close = p->at - 1;
	return (true);
}

static bool
parse_decl(struct parser *p, struct fm_vdecl **declp)
{
	struct fm_import *im = p->im;
	struct fm_vdecl *decl;

	*declp = decl = fm_import_alloc(im, sizeof *decl);
	decl->first = decl->last = p->at;
	decl->kind = im->tokens[p->at].text;
	if (sees_c(p)) {
		p->at++;
		return (true);
	}
	if (p->at + 1 < im->ntokens &&
	    im->tokens[p->at + 1].kind == FM_VCL_NAME)
		decl->name = im->tokens[p->at + 1].text;
	if (im->tokens[p->at].kind != FM_VCL_NAME)
		return (fault(p, "a declaration"));
	if (fm_text_is(decl->kind, "sub") && decl->name.len > 0) {
		if (!parse_sub(p, decl))
			return (false);
	} else {
		decl->open = p->at + 2;
		if (!skip_statement(p))
			return (false);
		decl->close = p->at - 1;
	}
	decl->last = p->at - 1;
	return (true);
}

bool
fm_import_parse(struct fm_import *im)
{
	struct parser p = { .im = im };
	struct fm_vdecl **tail = &im->decls;
	size_t i;
	bool c;

	for (i = 0; i + 1 < im->ntokens; i++) {
		/* Who knows what C does. */
		c = im->tokens[i].kind == FM_VCL_C;
		im->esi |= c || fm_text_is(im->tokens[i].text,
		    "beresp.do_esi");
		im->restarts |= c || (fm_token_is(im, i, "(") &&
		    fm_token_is(im, i + 1, "restart"));
	}
	while (!at_end(&p)) {
		if (!parse_decl(&p, tail))
			return (false);
		tail = &(*tail)->next;
	}
	return (true);
}

struct fm_vdecl *
fm_import_find(const struct fm_import *im, const char *kind,
    struct fm_text name)
{
	struct fm_vdecl *decl;

	for (decl = im->decls; decl != NULL; decl = decl->next)
		if (fm_text_is(decl->kind, kind) &&
		    fm_text_eq(decl->name, name))
			return (decl);
	return (NULL);
}
