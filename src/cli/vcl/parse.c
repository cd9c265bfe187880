/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the tree of tree.h from tokens, by recursive descent.  A statement or
 * expression that isn't understood is no error: it becomes an OTHER as far as
 * its end, and `import` leaves it in the VCL.
 */

#include "vcl/tree.h"

#define PARSE_DEPTH	100

struct parser {
	struct fm_vcl_tree		*vcl;
	size_t			at, end;
	unsigned		depth;
	bool			lost;	/* the expression isn't understood */
	bool			loose;	/* arguments need not be understood */
};

static bool parse_block(struct parser *, struct fm_vstmt **);
static struct fm_expr *read_expr(struct parser *);

static const struct fm_vcl_token *
token(const struct parser *p)
{
	return (p->vcl->tokens + p->at);
}

static bool
sees(const struct parser *p, const char *s)
{
	return (p->at < p->end && fm_token_is(p->vcl, p->at, s));
}

static bool
takes(struct parser *p, const char *s)
{
	bool seen = sees(p, s);

	p->at += seen;
	return (seen);
}

static bool
fault(struct parser *p, const char *expected)
{
	const struct fm_vcl_token *t = token(p);

	fm_diag_error(p->vcl->diag, &t->at, t->kind == FM_VCL_END ?
	    "VCL ends where %s is expected%.*s" :
	    "%s is expected, and not '%.*s'", expected,
	    (int)(t->text.len < 40 ? t->text.len : 40), t->text.b);
	return (false);
}

/* Goes behind the sign that closes the pair which opens here. */
static bool
skip_pair(struct parser *p, const char *open, const char *close)
{
	unsigned depth = 0;

	if (!sees(p, open))
		return (fault(p, open));
	for (; token(p)->kind != FM_VCL_END; p->at++) {
		depth += sees(p, open);
		if (sees(p, close) && --depth == 0) {
			p->at++;
			return (true);
		}
	}
	return (fault(p, close));
}

/* Goes behind the ; that ends this; with `blocks`, a block may end it, too. */
static bool
skip_to_end(struct parser *p, bool blocks)
{
	while (!takes(p, ";")) {
		if (sees(p, "}") || (sees(p, "{") && !blocks) ||
		    token(p)->kind == FM_VCL_END)
			return (fault(p, ";"));
		if (!sees(p, "{"))
			p->at++;
		else if (!skip_pair(p, "{", "}"))
			return (false);
		else if (!sees(p, ";"))
			break;
	}
	return (true);
}

/*--------------------------------------------------------------------
 * Expressions
 */

/* Returns a new expression, at the place of its first part, or else here. */
static struct fm_expr *
expr_new(struct parser *p, enum fm_expr_kind kind, struct fm_expr *first)
{
	struct fm_expr *e = fm_vcl_alloc(p->vcl, sizeof *e);

	e->kind = kind;
	e->at = first == NULL ? token(p)->at : first->at;
	e->first = first;
	return (e);
}

static struct fm_expr *
lose(struct parser *p)
{
	p->lost = true;
	return (expr_new(p, FM_EXPR_OTHER, NULL));
}

/* Goes to the , or ) that ends an argument. */
static void
skip_argument(struct parser *p)
{
	unsigned depth = 0;

	for (; p->at < p->end && (depth > 0 || (!sees(p, ",") &&
	    !sees(p, ")"))); p->at++) {
		depth += sees(p, "(");
		depth -= sees(p, ")");
	}
}

static void
read_arguments(struct parser *p, struct fm_expr *call)
{
	struct fm_expr **tail = &call->first;
	struct fm_text name;
	size_t first;

	if (takes(p, ")"))
		return;
	do {
		name = fm_text(NULL, 0);
		if (token(p)->kind == FM_VCL_NAME &&
		    fm_token_is(p->vcl, p->at + 1, "=")) {
			name = token(p)->text;
			p->at += 2;
		}
		first = p->at;
		*tail = read_expr(p);
		if (p->loose && (p->lost || (!sees(p, ",") &&
		    !sees(p, ")")))) {
			p->at = first;
			*tail = lose(p);
			p->lost = false;
			skip_argument(p);
		}
		(*tail)->name = name;
		tail = &(*tail)->next;
	} while (takes(p, ","));
	p->lost |= !takes(p, ")");
}

static struct fm_expr *
read_term(struct parser *p)
{
	const struct fm_vcl_token *t = token(p);
	struct fm_expr *e;

	if (p->lost || p->at >= p->end)
		return (lose(p));
	if (takes(p, "(")) {
		e = read_expr(p);
		p->lost |= !takes(p, ")");
		return (e);
	}
	e = expr_new(p, FM_EXPR_NAME, NULL);
	e->text = t->kind == FM_VCL_STRING ? t->value : t->text;
	p->at++;
	if (t->kind == FM_VCL_STRING) {
		e->kind = FM_EXPR_STRING;
	} else if (t->kind == FM_VCL_NUMBER) {
		e->kind = FM_EXPR_NUMBER;
	} else if (t->kind != FM_VCL_NAME) {
		p->lost = true;
	} else if (takes(p, "(")) {
		e->kind = FM_EXPR_CALL;
		read_arguments(p, e);
	} else if (fm_text_is(e->text, "true")) {
		e->kind = FM_EXPR_TRUE;
	} else if (fm_text_is(e->text, "false")) {
		e->kind = FM_EXPR_FALSE;
	}
	return (e);
}

/* Reads strings behind each other, with or without +, as one. */
static struct fm_expr *
read_concat(struct parser *p)
{
	struct fm_expr *first = read_term(p), **tail = &first->next;

	while (!p->lost && p->at < p->end && (takes(p, "+") ||
	    token(p)->kind == FM_VCL_STRING ||
	    token(p)->kind == FM_VCL_NAME)) {
		*tail = read_term(p);
		tail = &(*tail)->next;
	}
	return (first->next == NULL ? first :
	    expr_new(p, FM_EXPR_CONCAT, first));
}

/*
 * Returns FM_EXPR_TRUE or FM_EXPR_FALSE if a comparison is decided because its
 * name is always 0: req.restarts if no VCL restarts, req.esi_level if none does
 * ESI.
 */
static enum fm_expr_kind
settled(const struct fm_vcl_tree *vcl, const struct fm_expr *e)
{
	const struct fm_expr *number = e->first->next;
	bool zero = fm_text_is(number->text, "0");

	if (number->kind != FM_EXPR_NUMBER || ((vcl->restarts ||
	    !fm_expr_is(e->first, "req.restarts")) && (vcl->esi ||
	    !fm_expr_is(e->first, "req.esi_level"))))
		return (FM_EXPR_COMPARE);
	if (fm_text_is(e->text, "=="))
		return (zero ? FM_EXPR_TRUE : FM_EXPR_FALSE);
	if (fm_text_is(e->text, "!=") || fm_text_is(e->text, "<"))
		return (zero ? FM_EXPR_FALSE : FM_EXPR_TRUE);
	return (fm_text_is(e->text, ">") ? FM_EXPR_FALSE : FM_EXPR_COMPARE);
}

static struct fm_expr *
read_compare(struct parser *p)
{
	static const char * const signs[] = {
		"==", "!=", "~", "!~", "<", ">", "<=", ">=", NULL
	};
	struct fm_expr *e;

	e = read_concat(p);
	if (p->at >= p->end || !fm_text_is_one_of(token(p)->text, signs))
		return (e);
	e = expr_new(p, FM_EXPR_COMPARE, e);
	e->text = token(p)->text;
	p->at++;
	e->first->next = read_concat(p);
	e->kind = settled(p->vcl, e);
	return (e);
}

static struct fm_expr *
read_not(struct parser *p)
{
	struct fm_expr *not = expr_new(p, FM_EXPR_NOT, NULL);
	bool odd = false;

	while (takes(p, "!"))
		odd = !odd;
	not->first = read_compare(p);
	if (!odd)
		return (not->first);
	if (not->first->kind == FM_EXPR_TRUE)
		not->kind = FM_EXPR_FALSE;
	else if (not->first->kind == FM_EXPR_FALSE)
		not->kind = FM_EXPR_TRUE;
	return (not);
}

/*
 * Reads terms with && or || between them.  A term that is true or false for
 * sure is left out if it makes no difference, or else replaces the whole chain.
 */
static struct fm_expr *
read_chain(struct parser *p, enum fm_expr_kind kind)
{
	bool any = kind == FM_EXPR_OR;
	enum fm_expr_kind none = any ? FM_EXPR_FALSE : FM_EXPR_TRUE;
	struct fm_expr *first = NULL, **tail = &first, *sure = NULL, *e;

	do {
		e = any ? read_chain(p, FM_EXPR_AND) : read_not(p);
		if (e->kind != FM_EXPR_TRUE && e->kind != FM_EXPR_FALSE) {
			*tail = e;
			tail = &e->next;
		} else if (sure == NULL || sure->kind == none) {
			sure = e;
		}
	} while (!p->lost && takes(p, any ? "||" : "&&"));
	if (first == NULL || (sure != NULL && sure->kind != none))
		return (sure);
	return (first->next == NULL ? first : expr_new(p, kind, first));
}

static struct fm_expr *
read_expr(struct parser *p)
{
	struct fm_expr *e;

	if (p->depth == PARSE_DEPTH)
		return (lose(p));
	p->depth++;
	e = read_chain(p, FM_EXPR_OR);
	p->depth--;
	return (e);
}

static struct fm_expr *
expr(struct fm_vcl_tree *vcl, size_t first, size_t end, bool loose)
{
	struct parser p = { .vcl = vcl, .at = first, .end = end,
	    .loose = loose };
	struct fm_expr *e = read_expr(&p);

	if (!p.lost && p.at == end)
		return (e);
	p.at = first;
	return (lose(&p));
}

struct fm_expr *
fm_vcl_expr(struct fm_vcl_tree *vcl, size_t first, size_t end)
{
	return (expr(vcl, first, end, false));
}

struct fm_expr *
fm_vcl_call(struct fm_vcl_tree *vcl, size_t first, size_t end)
{
	return (expr(vcl, first, end, true));
}

/*--------------------------------------------------------------------
 * Statements
 */

/* Parses ( condition ) { block }, or a block alone. */
static bool
parse_arm(struct parser *p, struct fm_arm *arm, bool has_cond)
{
	arm->first = p->at;
	if (has_cond && !skip_pair(p, "(", ")"))
		return (false);
	arm->last = p->at - 1;
	if (has_cond)
		arm->cond = fm_vcl_expr(p->vcl, arm->first + 1, arm->last);
	if (!parse_block(p, &arm->body))
		return (false);
	arm->close = p->at - 1;
	return (true);
}

static bool
parse_if(struct parser *p, struct fm_vstmt *stmt)
{
	struct fm_arm **tail = &stmt->arms, *arm;
	bool has_cond = true, done = false;

	stmt->kind = FM_VSTMT_IF;
	for (;;) {
		arm = fm_vcl_alloc(p->vcl, sizeof *arm);
		if (!parse_arm(p, arm, has_cond))
			return (false);
		/* An arm that is never reached is left out. */
		if (done || (has_cond && arm->cond->kind == FM_EXPR_FALSE)) {
			stmt->cut = true;
		} else {
			*tail = arm;
			tail = &arm->next;
		}
		if (has_cond && arm->cond->kind == FM_EXPR_TRUE) {
			arm->cond = NULL;
			stmt->cut = done = true;
		}
		if (has_cond && takes(p, "else"))
			has_cond = takes(p, "if");
		else if (!has_cond || (!takes(p, "elsif") &&
		    !takes(p, "elseif") && !takes(p, "elif")))
			return (true);
	}
}

/* Parses `set NAME = value;` or `set NAME += value;`. */
static void
parse_set(struct parser *p, struct fm_vstmt *stmt, size_t end)
{
	bool more = fm_token_is(p->vcl, stmt->first + 2, "+=");
	struct fm_expr *old;

	if (p->vcl->tokens[stmt->first + 1].kind != FM_VCL_NAME ||
	    (!more && !fm_token_is(p->vcl, stmt->first + 2, "=")))
		return;
	stmt->kind = FM_VSTMT_SET;
	stmt->name = p->vcl->tokens[stmt->first + 1].text;
	stmt->value = fm_vcl_expr(p->vcl, stmt->first + 3, end);
	if (more) {
		old = expr_new(p, FM_EXPR_NAME, NULL);
		old->text = stmt->name;
		old->next = stmt->value;
		stmt->value = expr_new(p, FM_EXPR_CONCAT, old);
	}
}

/* Parses a statement without a block, whose ; is the token `end`. */
static void
parse_simple(struct parser *p, struct fm_vstmt *stmt, size_t end)
{
	const struct fm_vcl_tree *vcl = p->vcl;
	size_t first = stmt->first;

	if (fm_token_is(vcl, first, "set")) {
		parse_set(p, stmt, end);
	} else if (fm_token_is(vcl, first, "return")) {
		stmt->kind = FM_VSTMT_RETURN;
		if (!fm_token_is(vcl, first + 1, "(") ||
		    !fm_token_is(vcl, end - 1, ")"))
			return;
		stmt->value = fm_vcl_expr(p->vcl, first + 2, end - 1);
		if (stmt->value->kind == FM_EXPR_NAME ||
		    stmt->value->kind == FM_EXPR_CALL)
			stmt->name = stmt->value->text;
	} else if (end == first + 2 && (fm_token_is(vcl, first, "call") ||
	    fm_token_is(vcl, first, "unset"))) {
		stmt->kind = fm_token_is(vcl, first, "call") ?
		    FM_VSTMT_CALL : FM_VSTMT_UNSET;
		stmt->name = vcl->tokens[first + 1].text;
	} else if (fm_token_is(vcl, first + 1, "(")) {
		stmt->value = fm_vcl_expr(p->vcl, first, end);
		if (stmt->value->kind == FM_EXPR_CALL)
			stmt->kind = FM_VSTMT_ACTION;
	}
}

static bool
parse_stmt(struct parser *p, struct fm_vstmt *stmt)
{
	stmt->kind = FM_VSTMT_OTHER;
	stmt->first = p->at;
	stmt->at = token(p)->at;
	if (takes(p, "if")) {
		if (!parse_if(p, stmt))
			return (false);
	} else if (sees(p, "{")) {
		if (!skip_pair(p, "{", "}"))
			return (false);
	} else if (token(p)->kind == FM_VCL_C) {
		p->at++;
	} else {
		if (!skip_to_end(p, false))
			return (false);
		parse_simple(p, stmt, p->at - 1);
	}
	stmt->last = p->at - 1;
	return (true);
}

/* Parses { statements }. */
static bool
parse_block(struct parser *p, struct fm_vstmt **tail)
{
	const struct fm_arm *arm;

	if (p->depth++ > PARSE_DEPTH)
		return (fault(p, "less nesting"));
	if (!takes(p, "{"))
		return (fault(p, "{"));
	while (!takes(p, "}")) {
		if (token(p)->kind == FM_VCL_END)
			return (fault(p, "}"));
		/* An empty statement. */
		if (takes(p, ";"))
			continue;
		*tail = fm_vcl_alloc(p->vcl, sizeof **tail);
		if (!parse_stmt(p, *tail))
			return (false);
		/* An `if` that is always true is its body, or else nothing. */
		arm = (*tail)->arms;
		if ((*tail)->kind == FM_VSTMT_IF && (arm == NULL ||
		    arm->cond == NULL))
			*tail = arm == NULL ? NULL : arm->body;
		while (*tail != NULL)
			tail = &(*tail)->next;
	}
	p->depth--;
	return (true);
}

/*--------------------------------------------------------------------
 * Declarations
 */

static bool
parse_decl(struct parser *p, struct fm_vdecl *decl)
{
	const struct fm_vcl_token *t = token(p);

	decl->first = p->at;
	decl->open = p->at + 2;
	decl->kind = t->text;
	if (t[0].kind == FM_VCL_NAME && t[1].kind == FM_VCL_NAME)
		decl->name = t[1].text;
	if (t->kind == FM_VCL_C) {
		p->at++;
	} else if (t->kind != FM_VCL_NAME) {
		return (fault(p, "a declaration"));
	} else if (fm_text_is(decl->kind, "sub") && decl->name.len > 0) {
		p->at += 2;
		if (!parse_block(p, &decl->body))
			return (false);
	} else if (!skip_to_end(p, true)) {
		return (false);
	}
	decl->last = decl->close = p->at - 1;
	return (true);
}

bool
fm_vcl_parse(struct fm_vcl_tree *vcl)
{
	struct parser p = { .vcl = vcl, .end = vcl->ntokens };
	struct fm_vdecl **tail = &vcl->decls;
	size_t i;
	bool c;

	for (i = 0; i + 1 < vcl->ntokens; i++) {
		/* Inline C may do anything. */
		c = vcl->tokens[i].kind == FM_VCL_C;
		vcl->esi |= c || fm_token_is(vcl, i, "beresp.do_esi");
		vcl->restarts |= c || (fm_token_is(vcl, i, "(") &&
		    fm_token_is(vcl, i + 1, "restart"));
	}
	while (token(&p)->kind != FM_VCL_END) {
		*tail = fm_vcl_alloc(vcl, sizeof **tail);
		if (!parse_decl(&p, *tail))
			return (false);
		tail = &(*tail)->next;
	}
	return (true);
}
