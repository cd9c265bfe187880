/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the tree of vcl_tree.h from tokens, by recursive descent.  A statement
 * or expression that isn't understood is not an error: it becomes an OTHER as
 * far as its end, and `import` leaves it in the VCL.
 */

#include <stdlib.h>

#include "vcl_tree.h"

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
token(const struct parser *parser)
{
	return (parser->vcl->tokens + parser->at);
}

static bool
sees(const struct parser *parser, const char *s)
{
	return (parser->at < parser->end &&
	    fm_token_is(parser->vcl, parser->at, s));
}

static bool
takes(struct parser *parser, const char *s)
{
	bool seen = sees(parser, s);

	parser->at += seen;
	return (seen);
}

static bool
fault(struct parser *parser, const char *expected)
{
	const struct fm_vcl_token *t = token(parser);

	fm_diag_error(parser->vcl->diag, &t->at, t->kind == FM_VCL_END ?
	    "VCL ends where %s is expected%.*s" :
	    "%s is expected, and not '%.*s'", expected,
	    (int)(t->text.len < 40 ? t->text.len : 40), t->text.b);
	return (false);
}

/* Goes past the sign that closes the pair which opens here. */
static bool
skip_pair(struct parser *parser, const char *open, const char *close)
{
	unsigned depth = 0;

	if (!sees(parser, open))
		return (fault(parser, open));
	for (; token(parser)->kind != FM_VCL_END; parser->at++) {
		depth += sees(parser, open);
		if (sees(parser, close) && --depth == 0) {
			parser->at++;
			return (true);
		}
	}
	return (fault(parser, close));
}

/* Goes past the ; that ends this; with `blocks`, a block may end it, too. */
static bool
skip_to_end(struct parser *parser, bool blocks)
{
	while (!takes(parser, ";")) {
		if (sees(parser, "}") || (sees(parser, "{") && !blocks) ||
		    token(parser)->kind == FM_VCL_END)
			return (fault(parser, ";"));
		if (!sees(parser, "{"))
			parser->at++;
		else if (!skip_pair(parser, "{", "}"))
			return (false);
		else if (!sees(parser, ";"))
			break;
	}
	return (true);
}

/*--------------------------------------------------------------------
 * Expressions
 */

/* Returns a new expression, at the place of its first part, or else here. */
static struct fm_expr *
expr_new(struct parser *parser, enum fm_expr_kind kind, struct fm_expr *first)
{
	struct fm_expr *expr = fm_vcl_alloc(parser->vcl, sizeof *expr);

	expr->kind = kind;
	expr->at = first == NULL ? token(parser)->at : first->at;
	expr->first = first;
	return (expr);
}

static struct fm_expr *
lose(struct parser *parser)
{
	parser->lost = true;
	return (expr_new(parser, FM_EXPR_OTHER, NULL));
}

/* Goes to the , or ) that ends an argument. */
static void
skip_argument(struct parser *parser)
{
	unsigned depth = 0;

	for (; parser->at < parser->end && (depth > 0 || (!sees(parser, ",") &&
	    !sees(parser, ")"))); parser->at++) {
		depth += sees(parser, "(");
		depth -= sees(parser, ")");
	}
}

static void
read_arguments(struct parser *parser, struct fm_expr *call)
{
	struct fm_expr **tail = &call->first;
	struct fm_text name;
	size_t first;

	if (takes(parser, ")"))
		return;
	do {
		name = fm_text(NULL, 0);
		if (token(parser)->kind == FM_VCL_NAME &&
		    fm_token_is(parser->vcl, parser->at + 1, "=")) {
			name = token(parser)->text;
			parser->at += 2;
		}
		first = parser->at;
		*tail = read_expr(parser);
		if (parser->loose && (parser->lost || (!sees(parser, ",") &&
		    !sees(parser, ")")))) {
			parser->at = first;
			*tail = lose(parser);
			parser->lost = false;
			skip_argument(parser);
		}
		(*tail)->name = name;
		tail = &(*tail)->next;
	} while (takes(parser, ","));
	parser->lost |= !takes(parser, ")");
}

static struct fm_expr *
read_term(struct parser *parser)
{
	const struct fm_vcl_token *t = token(parser);
	struct fm_expr *expr;

	if (parser->lost || parser->at >= parser->end)
		return (lose(parser));
	if (takes(parser, "(")) {
		expr = read_expr(parser);
		parser->lost |= !takes(parser, ")");
		return (expr);
	}
	expr = expr_new(parser, FM_EXPR_NAME, NULL);
	expr->text = t->kind == FM_VCL_STRING ? t->value : t->text;
	parser->at++;
	if (t->kind == FM_VCL_STRING) {
		expr->kind = FM_EXPR_STRING;
	} else if (t->kind == FM_VCL_NUMBER) {
		expr->kind = FM_EXPR_NUMBER;
	} else if (t->kind != FM_VCL_NAME) {
		parser->lost = true;
	} else if (takes(parser, "(")) {
		expr->kind = FM_EXPR_CALL;
		read_arguments(parser, expr);
	} else if (fm_text_is(expr->text, "true")) {
		expr->kind = FM_EXPR_TRUE;
	} else if (fm_text_is(expr->text, "false")) {
		expr->kind = FM_EXPR_FALSE;
	}
	return (expr);
}

/* Reads strings one after the other, with or without +, as one. */
static struct fm_expr *
read_concat(struct parser *parser)
{
	struct fm_expr *first = read_term(parser), **tail = &first->next;

	while (!parser->lost && parser->at < parser->end &&
	    (takes(parser, "+") || token(parser)->kind == FM_VCL_STRING ||
	    token(parser)->kind == FM_VCL_NAME)) {
		*tail = read_term(parser);
		tail = &(*tail)->next;
	}
	return (first->next == NULL ? first :
	    expr_new(parser, FM_EXPR_CONCAT, first));
}

/*
 * Returns FM_EXPR_TRUE or FM_EXPR_FALSE if a comparison is decided because its
 * name is always 0: req.restarts if no VCL restarts, req.esi_level if none does
 * ESI.
 */
static enum fm_expr_kind
settled(const struct fm_vcl_tree *vcl, const struct fm_expr *expr)
{
	const struct fm_expr *number = expr->first->next;
	bool zero = fm_text_is(number->text, "0");

	if (number->kind != FM_EXPR_NUMBER || ((vcl->restarts ||
	    !fm_expr_is(expr->first, "req.restarts")) && (vcl->esi ||
	    !fm_expr_is(expr->first, "req.esi_level"))))
		return (FM_EXPR_COMPARE);
	if (fm_text_is(expr->text, "=="))
		return (zero ? FM_EXPR_TRUE : FM_EXPR_FALSE);
	if (fm_text_is(expr->text, "!=") || fm_text_is(expr->text, "<"))
		return (zero ? FM_EXPR_FALSE : FM_EXPR_TRUE);
	return (fm_text_is(expr->text, ">") ? FM_EXPR_FALSE : FM_EXPR_COMPARE);
}

static struct fm_expr *
read_compare(struct parser *parser)
{
	static const char * const signs[] = {
		"==", "!=", "~", "!~", "<", ">", "<=", ">=", NULL
	};
	struct fm_expr *expr;

	expr = read_concat(parser);
	if (parser->at >= parser->end ||
	    !fm_text_is_one_of(token(parser)->text, signs))
		return (expr);
	expr = expr_new(parser, FM_EXPR_COMPARE, expr);
	expr->text = token(parser)->text;
	parser->at++;
	expr->first->next = read_concat(parser);
	expr->kind = settled(parser->vcl, expr);
	return (expr);
}

static struct fm_expr *
read_not(struct parser *parser)
{
	struct fm_expr *not = expr_new(parser, FM_EXPR_NOT, NULL);
	bool odd = false;

	while (takes(parser, "!"))
		odd = !odd;
	not->first = read_compare(parser);
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
read_chain(struct parser *parser, enum fm_expr_kind kind)
{
	bool any = kind == FM_EXPR_OR;
	enum fm_expr_kind none = any ? FM_EXPR_FALSE : FM_EXPR_TRUE;
	struct fm_expr *first = NULL, **tail = &first, *sure = NULL, *e;

	do {
		e = any ? read_chain(parser, FM_EXPR_AND) : read_not(parser);
		if (e->kind != FM_EXPR_TRUE && e->kind != FM_EXPR_FALSE) {
			*tail = e;
			tail = &e->next;
		} else if (sure == NULL || sure->kind == none) {
			sure = e;
		}
	} while (!parser->lost && takes(parser, any ? "||" : "&&"));
	if (first == NULL || (sure != NULL && sure->kind != none))
		return (sure);
	return (first->next == NULL ? first : expr_new(parser, kind, first));
}

static struct fm_expr *
read_expr(struct parser *parser)
{
	struct fm_expr *expr;

	if (parser->depth == PARSE_DEPTH)
		return (lose(parser));
	parser->depth++;
	expr = read_chain(parser, FM_EXPR_OR);
	parser->depth--;
	return (expr);
}

static struct fm_expr *
parse_expr(struct fm_vcl_tree *vcl, size_t first, size_t end, bool loose)
{
	struct parser parser = { .vcl = vcl, .at = first, .end = end,
	    .loose = loose };
	struct fm_expr *e = read_expr(&parser);

	if (!parser.lost && parser.at == end)
		return (e);
	parser.at = first;
	return (lose(&parser));
}

struct fm_expr *
fm_vcl_expr(struct fm_vcl_tree *vcl, size_t first, size_t end)
{
	return (parse_expr(vcl, first, end, false));
}

struct fm_expr *
fm_vcl_call(struct fm_vcl_tree *vcl, size_t first, size_t end)
{
	return (parse_expr(vcl, first, end, true));
}

/*--------------------------------------------------------------------
 * Statements
 */

/* Parses ( condition ) { block }, or a block alone. */
static bool
parse_arm(struct parser *parser, struct fm_arm *arm, bool has_cond)
{
	arm->first = parser->at;
	if (has_cond && !skip_pair(parser, "(", ")"))
		return (false);
	arm->last = parser->at - 1;
	if (has_cond)
		arm->cond = fm_vcl_expr(parser->vcl, arm->first + 1, arm->last);
	if (!parse_block(parser, &arm->body))
		return (false);
	arm->close = parser->at - 1;
	return (true);
}

static bool
parse_if(struct parser *parser, struct fm_vstmt *stmt)
{
	struct fm_arm **tail = &stmt->arms, *arm;
	bool has_cond = true, done = false;

	stmt->kind = FM_VSTMT_IF;
	for (;;) {
		arm = fm_vcl_alloc(parser->vcl, sizeof *arm);
		if (!parse_arm(parser, arm, has_cond))
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
		if (has_cond && takes(parser, "else"))
			has_cond = takes(parser, "if");
		else if (!has_cond || (!takes(parser, "elsif") &&
		    !takes(parser, "elseif") && !takes(parser, "elif")))
			return (true);
	}
}

/* Parses `set NAME = value;` or `set NAME += value;`. */
static void
parse_set(struct parser *parser, struct fm_vstmt *stmt, size_t end)
{
	bool more = fm_token_is(parser->vcl, stmt->first + 2, "+=");
	struct fm_expr *old;

	if (parser->vcl->tokens[stmt->first + 1].kind != FM_VCL_NAME ||
	    (!more && !fm_token_is(parser->vcl, stmt->first + 2, "=")))
		return;
	stmt->kind = FM_VSTMT_SET;
	stmt->name = parser->vcl->tokens[stmt->first + 1].text;
	stmt->value = fm_vcl_expr(parser->vcl, stmt->first + 3, end);
	if (more) {
		old = expr_new(parser, FM_EXPR_NAME, NULL);
		old->text = stmt->name;
		old->next = stmt->value;
		stmt->value = expr_new(parser, FM_EXPR_CONCAT, old);
	}
}

/* Parses a statement without a block, whose ; is the token `end`. */
static void
parse_simple(struct parser *parser, struct fm_vstmt *stmt, size_t end)
{
	const struct fm_vcl_tree *vcl = parser->vcl;
	size_t first = stmt->first;

	if (fm_token_is(vcl, first, "set")) {
		parse_set(parser, stmt, end);
	} else if (fm_token_is(vcl, first, "return")) {
		stmt->kind = FM_VSTMT_RETURN;
		if (!fm_token_is(vcl, first + 1, "(") ||
		    !fm_token_is(vcl, end - 1, ")"))
			return;
		stmt->value = fm_vcl_expr(parser->vcl, first + 2, end - 1);
		if (stmt->value->kind == FM_EXPR_NAME ||
		    stmt->value->kind == FM_EXPR_CALL)
			stmt->name = stmt->value->text;
	} else if (end == first + 2 && (fm_token_is(vcl, first, "call") ||
	    fm_token_is(vcl, first, "unset"))) {
		stmt->kind = fm_token_is(vcl, first, "call") ?
		    FM_VSTMT_CALL : FM_VSTMT_UNSET;
		stmt->name = vcl->tokens[first + 1].text;
	} else if (fm_token_is(vcl, first + 1, "(")) {
		stmt->value = fm_vcl_expr(parser->vcl, first, end);
		if (stmt->value->kind == FM_EXPR_CALL)
			stmt->kind = FM_VSTMT_ACTION;
	}
}

static bool
parse_stmt(struct parser *parser, struct fm_vstmt *stmt)
{
	stmt->kind = FM_VSTMT_OTHER;
	stmt->first = parser->at;
	stmt->at = token(parser)->at;
	if (takes(parser, "if")) {
		if (!parse_if(parser, stmt))
			return (false);
	} else if (sees(parser, "{")) {
		if (!parse_block(parser, &stmt->block))
			return (false);
	} else if (token(parser)->kind == FM_VCL_C) {
		parser->at++;
	} else {
		if (!skip_to_end(parser, false))
			return (false);
		parse_simple(parser, stmt, parser->at - 1);
	}
	stmt->last = parser->at - 1;
	return (true);
}

/* Parses { statements }. */
static bool
parse_block(struct parser *parser, struct fm_vstmt **tail)
{
	const struct fm_arm *arm;

	if (parser->depth++ > PARSE_DEPTH)
		return (fault(parser, "less nesting"));
	if (!takes(parser, "{"))
		return (fault(parser, "{"));
	while (!takes(parser, "}")) {
		if (token(parser)->kind == FM_VCL_END)
			return (fault(parser, "}"));
		/* An empty statement. */
		if (takes(parser, ";"))
			continue;
		*tail = fm_vcl_alloc(parser->vcl, sizeof **tail);
		if (!parse_stmt(parser, *tail))
			return (false);
		/* An `if` that is always true is its body, or else nothing. */
		arm = (*tail)->arms;
		if ((*tail)->kind == FM_VSTMT_IF && (arm == NULL ||
		    arm->cond == NULL))
			*tail = arm == NULL ? NULL : arm->body;
		while (*tail != NULL)
			tail = &(*tail)->next;
	}
	parser->depth--;
	return (true);
}

/*--------------------------------------------------------------------
 * Declarations
 */

static bool
parse_decl(struct parser *parser, struct fm_vdecl *decl)
{
	const struct fm_vcl_token *t = token(parser);

	decl->first = parser->at;
	decl->open = parser->at + 2;
	decl->kind = t->text;
	if (t[0].kind == FM_VCL_NAME && t[1].kind == FM_VCL_NAME)
		decl->name = t[1].text;
	if (t->kind == FM_VCL_C) {
		parser->at++;
	} else if (t->kind != FM_VCL_NAME) {
		return (fault(parser, "a declaration"));
	} else if (fm_text_is(decl->kind, "sub") && decl->name.len > 0) {
		parser->at += 2;
		if (!parse_block(parser, &decl->body))
			return (false);
	} else if (!skip_to_end(parser, true)) {
		return (false);
	}
	decl->last = decl->close = parser->at - 1;
	return (true);
}

static int
by_name(const void *a, const void *b)
{
	const struct fm_vdecl *x = *(struct fm_vdecl * const *)a;
	const struct fm_vdecl *y = *(struct fm_vdecl * const *)b;
	int order = fm_text_compare(x->name, y->name);

	return (order != 0 ? order : x->first < y->first ? -1 : 1);
}

static void
sort_subs(struct fm_vcl_tree *vcl)
{
	struct fm_vdecl *decl;
	size_t n = 0;

	for (decl = vcl->decls; decl != NULL; decl = decl->next)
		vcl->nsubs += fm_text_is(decl->kind, "sub");
	vcl->subs = fm_vcl_alloc(vcl, vcl->nsubs * sizeof *vcl->subs);
	for (decl = vcl->decls; decl != NULL; decl = decl->next)
		if (fm_text_is(decl->kind, "sub"))
			vcl->subs[n++] = decl;
	qsort(vcl->subs, n, sizeof *vcl->subs, by_name);
}

/* Returns true for `beresp.do_esi = false`. */
static bool
sets_false(const struct fm_vcl_tree *vcl, size_t i)
{
	return (i + 2 < vcl->ntokens && fm_token_is(vcl, i + 1, "=") &&
	    fm_token_is(vcl, i + 2, "false"));
}

bool
fm_vcl_parse(struct fm_vcl_tree *vcl)
{
	struct parser parser = { .vcl = vcl, .end = vcl->ntokens };
	struct fm_vdecl **tail = &vcl->decls;
	size_t i;
	bool c;

	for (i = 0; i + 1 < vcl->ntokens; i++) {
		/* Inline C may do anything. */
		c = vcl->tokens[i].kind == FM_VCL_C;
		vcl->esi |= c || (fm_token_is(vcl, i, "beresp.do_esi") &&
		    !sets_false(vcl, i));
		vcl->restarts |= c || (fm_token_is(vcl, i, "(") &&
		    fm_token_is(vcl, i + 1, "restart"));
	}
	while (token(&parser)->kind != FM_VCL_END) {
		*tail = fm_vcl_alloc(vcl, sizeof **tail);
		if (!parse_decl(&parser, *tail))
			return (false);
		tail = &(*tail)->next;
	}
	sort_subs(vcl);
	return (true);
}
