/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Answers questions about the tree of vcl_tree.h (is this a name, a call; do
 * these statements return), copies an `if` with fewer arms, and writes tokens
 * as they were.
 */

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "vcl_tree.h"

bool
fm_text_is(struct fm_text t, const char *s)
{
	return (fm_text_eq(t, fm_text_of(s)));
}

bool
fm_text_is_nocase(struct fm_text t, const char *s)
{
	return (fm_text_eq_nocase(t, fm_text_of(s)));
}

void
fm_vcl_fini(struct fm_vcl_tree *vcl)
{
	free(vcl->tokens);
	fm_arena_fini(&vcl->arena);
}

void *
fm_vcl_alloc(struct fm_vcl_tree *vcl, size_t bytes)
{
	void *p = fm_arena_alloc(&vcl->arena, bytes == 0 ? 1 : bytes);

	if (p == NULL)
		vcl->no_memory();
	return (p);
}

const char *
fm_vcl_printf(struct fm_vcl_tree *vcl, const char *fmt, ...)
{
	const char *copy;
	char *text;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		vcl->no_memory();
	copy = fm_arena_add(&vcl->arena, fm_text(text, (size_t)len));
	free(text);
	if (copy == NULL)
		vcl->no_memory();
	return (copy);
}

bool
fm_token_is(const struct fm_vcl_tree *vcl, size_t n, const char *s)
{
	return (n < vcl->ntokens && vcl->tokens[n].kind != FM_VCL_STRING &&
	    fm_text_is(vcl->tokens[n].text, s));
}

/*--------------------------------------------------------------------
 * Expressions
 */

bool
fm_expr_is(const struct fm_expr *expr, const char *name)
{
	return (expr != NULL && expr->kind == FM_EXPR_NAME &&
	    (fm_text_is(expr->text, name) || (strncmp(name, "re", 2) == 0 &&
	    strstr(name, ".http.") != NULL &&
	    fm_text_is_nocase(expr->text, name))));
}

bool
fm_expr_calls(const struct fm_expr *expr, const char *name, unsigned n)
{
	const struct fm_expr *argument;

	if (expr == NULL || expr->kind != FM_EXPR_CALL ||
	    !fm_text_is(expr->text, name))
		return (false);
	for (argument = expr->first; argument != NULL;
	    argument = argument->next)
		if (n-- == 0)
			return (false);
	return (n == 0);
}

bool
fm_expr_constant(struct fm_vcl_tree *vcl, const struct fm_expr *expr,
    struct fm_text *text)
{
	const struct fm_expr *part;
	const char *b = "";

	if (expr->kind == FM_EXPR_STRING) {
		*text = expr->text;
		return (true);
	}
	if (expr->kind != FM_EXPR_CONCAT)
		return (false);
	for (part = expr->first; part != NULL; part = part->next) {
		if (part->kind != FM_EXPR_STRING)
			return (false);
		b = fm_vcl_printf(vcl, "%s%.*s", b, (int)part->text.len,
		    part->text.b);
	}
	*text = fm_text_of(b);
	return (true);
}

struct fm_text
fm_header_of(struct fm_text name)
{
	static const char before[] = "req.http.";
	size_t len = sizeof before - 1;

	if (!fm_text_begins(name, before))
		return (fm_text(NULL, 0));
	return (fm_text(name.b + len, name.len - len));
}

/*--------------------------------------------------------------------
 * Declarations and statements
 */

struct fm_vdecl *
fm_vcl_find(const struct fm_vcl_tree *vcl, const char *kind,
    struct fm_text name)
{
	struct fm_vdecl *decl;

	for (decl = vcl->decls; decl != NULL; decl = decl->next)
		if (fm_text_is(decl->kind, kind) &&
		    fm_text_eq(decl->name, name))
			return (decl);
	return (NULL);
}

struct fm_vdecl * const *
fm_vcl_subs(const struct fm_vcl_tree *vcl, struct fm_text name, size_t *n)
{
	size_t low = 0, high = vcl->nsubs, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (fm_text_compare(vcl->subs[middle]->name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (*n = 0; low + *n < vcl->nsubs &&
	    fm_text_eq(vcl->subs[low + *n]->name, name); (*n)++)
		continue;
	return (vcl->subs + low);
}

bool
fm_vdecl_is_sub(const struct fm_vdecl *decl, const char *name)
{
	return (fm_text_is(decl->kind, "sub") && fm_text_is(decl->name, name));
}

unsigned
fm_vstmts_count(const struct fm_vstmt *stmt, size_t n)
{
	const struct fm_arm *arm;
	unsigned count = 0;

	for (; stmt != NULL && n > 0; stmt = stmt->next, n--) {
		count++;
		for (arm = stmt->arms; arm != NULL; arm = arm->next)
			count += fm_vstmts_count(arm->body, (size_t)-1);
	}
	return (count);
}

const struct fm_vstmt *
fm_vstmts_after(const struct fm_vstmt *stmt, size_t n)
{
	while (n-- > 0)
		stmt = stmt->next;
	return (stmt);
}

bool
fm_vstmts_end(const struct fm_vstmt *stmt)
{
	const struct fm_arm *arm;
	bool otherwise = false;

	if (stmt == NULL)
		return (false);
	while (stmt->next != NULL)
		stmt = stmt->next;
	if (stmt->kind != FM_VSTMT_IF)
		return (stmt->kind == FM_VSTMT_RETURN && stmt->name.len > 0);
	for (arm = stmt->arms; arm != NULL; arm = arm->next) {
		if (!fm_vstmts_end(arm->body))
			return (false);
		otherwise = arm->cond == NULL;
	}
	return (otherwise);
}

bool
fm_vstmts_leave(const struct fm_vstmt *stmt)
{
	const struct fm_arm *arm;

	for (; stmt != NULL; stmt = stmt->next) {
		if (stmt->kind == FM_VSTMT_RETURN && stmt->name.len == 0)
			return (true);
		for (arm = stmt->arms; arm != NULL; arm = arm->next)
			if (fm_vstmts_leave(arm->body))
				return (true);
	}
	return (false);
}

static bool
check_calls(const struct fm_vcl_tree *vcl, const struct fm_vstmt *stmt)
{
	const struct fm_arm *arm;
	struct fm_vdecl *sub;

	for (; stmt != NULL; stmt = stmt->next) {
		for (arm = stmt->arms; arm != NULL; arm = arm->next)
			if (!check_calls(vcl, arm->body))
				return (false);
		sub = stmt->kind != FM_VSTMT_CALL ? NULL :
		    fm_vcl_find(vcl, "sub", stmt->name);
		if (sub == NULL || sub->checked)
			continue;
		if (sub->entered) {
			fm_diag_error(vcl->diag, &stmt->at, "this sub calls "
			    "itself, perhaps through others: VCL forbids that");
			return (false);
		}
		sub->entered = true;
		if (!check_calls(vcl, sub->body))
			return (false);
		sub->checked = true;
	}
	return (true);
}

bool
fm_vcl_check_calls(const struct fm_vcl_tree *vcl)
{
	const struct fm_vdecl *decl;

	for (decl = vcl->decls; decl != NULL; decl = decl->next)
		if (!check_calls(vcl, decl->body))
			return (false);
	return (true);
}

/*--------------------------------------------------------------------
 * An `if`, cut
 */

struct fm_vstmt *
fm_vstmt_arms(struct fm_vcl_tree *vcl, const struct fm_vstmt *stmt,
    const struct fm_arm *from, size_t n)
{
	struct fm_vstmt *cut = fm_vcl_alloc(vcl, sizeof *cut);
	struct fm_arm **tail = &cut->arms;

	*cut = *stmt;
	cut->cut = true;
	cut->next = NULL;
	cut->arms = NULL;
	if (from != stmt->arms && from->cond != NULL)
		cut->at = from->cond->at;
	for (; from != NULL && n > 0; from = from->next, n--) {
		*tail = fm_vcl_alloc(vcl, sizeof **tail);
		**tail = *from;
		(*tail)->next = NULL;
		tail = &(*tail)->next;
	}
	return (cut);
}

struct fm_vstmt *
fm_vstmt_body(struct fm_vcl_tree *vcl, const struct fm_vstmt *stmt,
    const struct fm_vstmt *body, size_t n)
{
	struct fm_vstmt *cut = fm_vstmt_arms(vcl, stmt, stmt->arms, 1);
	struct fm_vstmt **tail = &cut->arms->body;

	if (n > 0)
		cut->at = body->at;
	for (; n > 0; body = body->next, n--) {
		*tail = fm_vcl_alloc(vcl, sizeof **tail);
		**tail = *body;
		tail = &(*tail)->next;
	}
	*tail = NULL;
	return (cut);
}

/*--------------------------------------------------------------------
 * Written again
 */

static void
text_put(struct fm_text text, FILE *to)
{
	(void)fwrite(text.b, 1, text.len, to);
}

void
fm_vcl_put(struct fm_vcl_tree *vcl, size_t first, size_t last, bool lead,
    FILE *to)
{
	size_t i;

	for (i = first; i <= last; i++) {
		if (i > first || lead)
			text_put(vcl->tokens[i].lead, to);
		text_put(vcl->tokens[i].text, to);
		vcl->tokens[i].stays = true;
	}
}

void
fm_vstmt_put(struct fm_vcl_tree *vcl, const struct fm_vstmt *stmt, FILE *to)
{
	const struct fm_vstmt *s;
	const struct fm_arm *arm;

	if (!stmt->cut) {
		fm_vcl_put(vcl, stmt->first, stmt->last, false, to);
		return;
	}
	for (arm = stmt->arms; arm != NULL; arm = arm->next) {
		if (arm != stmt->arms)
			fputs(arm->cond == NULL ? " else " : " els", to);
		if (arm->cond != NULL) {
			fputs("if ", to);
			fm_vcl_put(vcl, arm->first, arm->last, false, to);
			fputc(' ', to);
		}
		fputc('{', to);
		for (s = arm->body; s != NULL; s = s->next) {
			text_put(vcl->tokens[s->first].lead, to);
			fm_vstmt_put(vcl, s, to);
		}
		fm_vcl_put(vcl, arm->close, arm->close, true, to);
	}
}

static bool
is_named(const struct fm_vcl_tree *vcl, struct fm_text name)
{
	const struct fm_vcl_token *token;

	for (token = vcl->tokens; token < vcl->tokens + vcl->ntokens; token++)
		if (token->stays && token->kind == FM_VCL_NAME &&
		    fm_text_eq(token->text, name))
			return (true);
	return (false);
}

void
fm_vcl_keep_named(struct fm_vcl_tree *vcl)
{
	struct fm_vdecl *decl;
	bool more = true;
	size_t i;

	while (more) {
		more = false;
		for (decl = vcl->decls; decl != NULL; decl = decl->next) {
			if (decl->stays || decl->replaced ||
			    ((fm_text_is(decl->kind, "sub") ||
			    fm_text_is(decl->kind, "acl")) &&
			    !fm_text_begins(decl->name, "vcl_") &&
			    !is_named(vcl, decl->name)))
				continue;
			decl->stays = more = true;
			for (i = decl->first + 2; i <= decl->last; i++)
				vcl->tokens[i].stays = true;
		}
	}
}
