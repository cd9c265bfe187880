/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Decides whether statements of vcl_recv may change places: no client must be
 * able to tell.  This depends on what each of them reads and writes, on whether
 * it acts (logs, bans), and on how it ends the request.
 */

#include <string.h>

#include "import.h"

#define EFFECTS_MAX	200	/* names; more are `unknown` */

/* How a statement ends vcl_recv, a bit each. */
enum end {
	END_ANSWER = 1,		/* synth, purge */
	END_PASS = 2,		/* pass, pipe */
	END_HASH = 4,
	END_OTHER = 8
};

/* Names of variables, or of modules. */
struct touched {
	struct fm_text		v[EFFECTS_MAX];
	size_t			n;
};

struct effects {
	const struct fm_vcl_tree	*vcl;
	struct touched		reads, writes;
	unsigned		ends;		/* bits of enum end */
	bool			acts;		/* logs, bans, counts */
	bool			unknown;	/* may do anything */
};

static void
add(struct effects *fx, struct touched *to, struct fm_text name)
{
	if (to->n == EFFECTS_MAX)
		fx->unknown = true;
	else
		to->v[to->n++] = name;
}

/* Returns true for functions whose result depends on their arguments only. */
static bool
is_pure(struct fm_text name)
{
	static const char * const names[] = { "regsub", "regsuball",
	    "std.tolower", "std.toupper", "std.querysort", "std.ip",
	    "std.integer", "std.duration", "std.healthy", "std.strlen", NULL };

	return (fm_text_is_one_of(name, names) || (name.len > 6 &&
	    memcmp(name.b + name.len - 6, ".lower", 6) == 0));
}

/*
 * Returns "cookie" for cookie.get().  All that a module keeps counts as one
 * variable of the module's name; functions of *std* keep nothing together.
 */
static struct fm_text
module_of(struct fm_text call)
{
	const char *dot = memchr(call.b, '.', call.len);

	return (dot == NULL || fm_text_begins(call, "std.") ? call :
	    fm_text_span(call.b, dot));
}

static void
expr_effects(struct effects *fx, const struct fm_expr *expr)
{
	for (; expr != NULL; expr = expr->next) {
		fx->unknown |= expr->kind == FM_EXPR_OTHER;
		if (expr->kind == FM_EXPR_CALL && !is_pure(expr->text) &&
		    !fm_text_is(expr->text, "hash_data")) {
			fx->acts = true;
			add(fx, &fx->reads, module_of(expr->text));
		}
		if (expr->kind == FM_EXPR_NAME || expr->kind == FM_EXPR_CALL)
			add(fx, &fx->reads, expr->text);
		expr_effects(fx, expr->first);
	}
}

/* Returns true for actions that take texts, and no headers to be written. */
static bool
takes_texts(struct fm_text name)
{
	static const char * const names[] = { "ban", "std.ban", "std.log",
	    "std.syslog", "std.timestamp", "hash_data", NULL };

	return (fm_text_is_one_of(name, names) ||
	    fm_text_begins(name, "xkey.") || fm_text_begins(name, "cookie."));
}

/* Adds the effects of an action, which may write headers that it is given. */
static void
action_effects(struct effects *fx, const struct fm_expr *call)
{
	static const char * const any_order[] = { "hash_data", "ban",
	    "std.ban", NULL };
	const struct fm_expr *expr;

	expr_effects(fx, call);
	for (expr = call->first; expr != NULL; expr = expr->next)
		if (expr->kind == FM_EXPR_NAME && !takes_texts(call->text))
			add(fx, &fx->writes, expr->text);
	/* All that is hashed makes one key, in any order; so do bans. */
	if (!fm_text_is_one_of(call->text, any_order))
		add(fx, &fx->writes, module_of(call->text));
	fx->acts = true;
	fx->unknown |= fm_text_is(call->text, "std.rollback");
}

static unsigned
end_of(const struct fm_vstmt *stmt)
{
	if (fm_text_is(stmt->name, "synth") || fm_text_is(stmt->name, "purge"))
		return (END_ANSWER);
	if (fm_text_is(stmt->name, "pass") || fm_text_is(stmt->name, "pipe"))
		return (END_PASS);
	return (fm_text_is(stmt->name, "hash") ? END_HASH : END_OTHER);
}

static void
stmts_effects(struct effects *fx, const struct fm_vstmt *stmt, size_t n)
{
	const struct fm_vdecl *sub;
	const struct fm_arm *arm;

	for (; stmt != NULL && n > 0; stmt = stmt->next, n--) {
		for (arm = stmt->arms; arm != NULL; arm = arm->next) {
			expr_effects(fx, arm->cond);
			stmts_effects(fx, arm->body, (size_t)-1);
		}
		fx->unknown |= stmt->kind == FM_VSTMT_OTHER;
		if (stmt->kind == FM_VSTMT_SET || stmt->kind == FM_VSTMT_UNSET)
			add(fx, &fx->writes, stmt->name);
		if (stmt->kind == FM_VSTMT_RETURN) {
			fx->ends |= end_of(stmt);
			add(fx, &fx->reads, stmt->name);
			if (stmt->value != NULL)
				expr_effects(fx, stmt->value->first);
		} else if (stmt->kind == FM_VSTMT_ACTION) {
			action_effects(fx, stmt->value);
		} else {
			expr_effects(fx, stmt->value);
		}
		if (stmt->kind != FM_VSTMT_CALL)
			continue;
		sub = fm_vcl_find(fx->vcl, "sub", stmt->name);
		fx->unknown |= sub == NULL;
		if (sub != NULL)
			stmts_effects(fx, sub->body, (size_t)-1);
	}
}

/* Returns true if a name is in both; the case of headers is ignored. */
static bool
touch(const struct touched *a, const struct touched *b)
{
	size_t i, j;

	for (i = 0; i < a->n; i++)
		for (j = 0; j < b->n; j++)
			if (fm_text_eq_nocase(a->v[i], b->v[j]))
				return (true);
	return (false);
}

static void
effects_of(struct effects *fx, const struct fm_vcl_tree *vcl,
    const struct fm_vstmt *stmt, size_t n)
{
	*fx = (struct effects){ .vcl = vcl };
	stmts_effects(fx, stmt, n);
}

static bool
has_one(const struct touched *touched, const char * const *names)
{
	size_t i;

	for (i = 0; i < touched->n; i++)
		if (fm_text_is_one_of(touched->v[i], names))
			return (true);
	return (false);
}

bool
fm_vstmts_touch(const struct fm_vcl_tree *vcl, const struct fm_vstmt *stmt,
    size_t n, const char * const *names)
{
	struct effects fx;

	effects_of(&fx, vcl, stmt, n);
	return (has_one(&fx.reads, names) || has_one(&fx.writes, names));
}

bool
fm_vstmts_read(const struct fm_vcl_tree *vcl, const struct fm_vstmt *stmt,
    size_t n, const char * const *names)
{
	struct effects fx;

	effects_of(&fx, vcl, stmt, n);
	return (has_one(&fx.reads, names));
}

/*--------------------------------------------------------------------
 * Order
 */

/* Returns true if a sub other than vcl_recv uses a name. */
static bool
is_named_elsewhere(const struct fm_vcl_tree *vcl, struct fm_text name)
{
	const struct fm_vdecl *decl;
	size_t i;

	for (decl = vcl->decls; decl != NULL; decl = decl->next)
		for (i = decl->open; fm_text_is(decl->kind, "sub") &&
		    !fm_text_is(decl->name, "vcl_recv") && i < decl->close;
		    i++)
			if (vcl->tokens[i].kind == FM_VCL_NAME &&
			    fm_text_eq_nocase(vcl->tokens[i].text, name))
				return (true);
	return (false);
}

bool
fm_vcl_cookie_is_parsed(const struct fm_vcl_tree *vcl,
    const struct fm_expr *call)
{
	const struct fm_vcl_token *token = vcl->tokens + vcl->ntokens - 1;

	while (token > vcl->tokens && token->text.b != call->text.b)
		token--;
	for (token--; token > vcl->tokens &&
	    !fm_text_is(token->text, "cookie.parse"); token--)
		if ((fm_text_begins(token->text, "cookie.") &&
		    !fm_text_is(token->text, "cookie.get") &&
		    !fm_text_is(token->text, "cookie.isset")) ||
		    (fm_text_is_nocase(token->text, "req.http.Cookie") &&
		    (fm_text_is(token[-1].text, "set") ||
		    fm_text_is(token[-1].text, "unset"))))
			return (false);
	return (token > vcl->tokens);
}

static bool
is_filled(const struct fm_vcl_token *token)
{
	return (token->kind == FM_VCL_STRING && token->value.len > 0);
}

bool
fm_vcl_token_asks(const struct fm_vcl_token *token)
{
	if (memchr("(!&|", *token[-1].text.b, 4) != NULL &&
	    memchr(")&|", *token[1].text.b, 3) != NULL)
		/* hash_data(X) is not a question. */
		return (*token[-1].text.b != '(' ||
		    token[-2].kind != FM_VCL_NAME ||
		    token[-2].text.b[token[-2].text.len - 1] == 'f');
	/* A header that is not there differs from any text. */
	return (((fm_text_is(token[1].text, "==") ||
	    fm_text_is(token[1].text, "!=")) && !is_filled(token + 2)) ||
	    ((fm_text_is(token[-1].text, "==") ||
	    fm_text_is(token[-1].text, "!=")) && !is_filled(token - 2)));
}

bool
fm_vcl_asks_for(const struct fm_vcl_tree *vcl, struct fm_text header,
    size_t first, size_t last)
{
	const struct fm_vcl_token *token = vcl->tokens;
	struct fm_text name;
	size_t i;

	for (i = first < 2 ? 2 : first; i <= last && i + 2 < vcl->ntokens;
	    i++) {
		name = token[i].text;
		/* The backend's request has the same headers. */
		if (fm_text_begins(name, "be"))
			name = fm_text(name.b + 2, name.len - 2);
		if (token[i].kind == FM_VCL_NAME &&
		    fm_text_eq_nocase(fm_header_of(name), header) &&
		    fm_vcl_token_asks(token + i))
			return (true);
	}
	return (false);
}

/*
 * Returns true if the writes matter to a request that ends in one of these
 * ways.
 */
static bool
is_seen(const struct effects *fx, unsigned ends)
{
	static const char * const purged[] = { "req.url", "req.http.host",
	    NULL };
	static const char * const lookup[] = { "req.hash_always_miss",
	    "req.hash_ignore_busy", "req.hash_ignore_vary", "req.grace",
	    "req.ttl", NULL };
	struct fm_text name;
	size_t i;

	for (i = 0; i < fx->writes.n; i++) {
		name = fx->writes.v[i];
		if (fm_text_is_one_of(name, lookup) ?
		    (ends & (END_HASH | END_OTHER)) != 0 :
		    (ends & ~(unsigned)END_ANSWER) != 0 ||
		    fm_text_is_one_of(name, purged) ||
		    is_named_elsewhere(fx->vcl, name))
			return (true);
	}
	return (false);
}

/* Returns true if neither writes what the other one reads or writes. */
static bool
is_free(const struct effects *a, const struct effects *b)
{
	return (!a->unknown && !b->unknown && !touch(&a->writes, &b->writes) &&
	    !touch(&a->writes, &b->reads) && !touch(&a->reads, &b->writes));
}

bool
fm_vstmts_free(const struct fm_vcl_tree *vcl, const struct fm_vstmt *stmt,
    size_t n, const struct fm_vstmt *other, size_t nother)
{
	struct effects a, b;

	effects_of(&a, vcl, stmt, n);
	effects_of(&b, vcl, other, nother);
	return (is_free(&a, &b));
}

bool
fm_vstmts_may_end(const struct fm_vcl_tree *vcl, const struct fm_vstmt *stmt,
    size_t n)
{
	struct effects fx;

	effects_of(&fx, vcl, stmt, n);
	return (fx.unknown || fx.ends != 0);
}

bool
fm_vstmts_apart(const struct fm_vcl_tree *vcl, const struct fm_vstmt *stmt,
    size_t n, const struct fm_vstmt *other, size_t nother)
{
	struct effects a, b;

	effects_of(&a, vcl, stmt, n);
	effects_of(&b, vcl, other, nother);
	if ((a.ends != 0 && b.ends != 0) || !is_free(&a, &b))
		return (false);
	return ((a.ends == 0 || (!b.acts && !is_seen(&b, a.ends))) &&
	    (b.ends == 0 || (!a.acts && !is_seen(&a, b.ends))));
}

bool
fm_vstmts_keep(const struct fm_vcl_tree *vcl, const struct fm_vstmt *stmt,
    size_t n, const struct fm_arm *arm)
{
	struct effects conds = { .vcl = vcl }, fx;

	effects_of(&fx, vcl, stmt, n);
	for (; arm != NULL; arm = arm->next)
		expr_effects(&conds, arm->cond);
	return (!conds.unknown && !conds.acts && !fx.unknown &&
	    !touch(&conds.reads, &fx.writes));
}
