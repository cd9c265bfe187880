/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Translates statements of vcl_hash, vcl_backend_fetch, vcl_backend_response,
 * vcl_deliver and vcl_synth: first those for which rules have a word of their
 * own, then all by themselves.
 */

#include <ctype.h>
#include <string.h>

#include "import.h"

/* Returns a statement as it is written, without blanks and comments. */
static const char *
text_of(struct fm_import *im, const struct fm_vstmt *stmt)
{
	const char *text = "";
	size_t i;

	for (i = stmt->first; i <= stmt->last; i++)
		text = fm_import_printf(im, "%s%.*s", text,
		    FM_ARG(im->vcl.tokens[i].text));
	return (text);
}

bool
fm_import_phase_asks(struct fm_import *im, struct fm_text header)
{
	static const char * const messages[] = { "beresp.http.",
	    "resp.http.", "obj.http.", "bereq.http." };
	bool backend = im->phase == FM_IN_FETCH;
	const struct fm_vcl_token *token = im->vcl.tokens;
	size_t i, j, first = backend ? 3 : 0, end = backend ? 4 : 3;

	for (i = 2; i + 2 < im->vcl.ntokens; i++)
		for (j = first; j < end; j++)
			if (token[i].kind == FM_VCL_NAME &&
			    fm_text_is_nocase(token[i].text,
			    fm_import_printf(im, "%s%.*s", messages[j],
			    FM_ARG(header))) &&
			    fm_vcl_token_asks(token + i))
				return (true);
	return (false);
}

/*--------------------------------------------------------------------
 * Lifetimes
 *
 *	set beresp.ttl = 120s;
 *	set beresp.uncacheable = true;		uncacheable 120s;
 */

static bool
is_set(const struct fm_vstmt *stmt, const char *name)
{
	return (stmt->kind == FM_VSTMT_SET && fm_text_is(stmt->name, name));
}

static bool
is_lifetime(const struct fm_vstmt *stmt)
{
	return (is_set(stmt, "beresp.ttl") || is_set(stmt, "beresp.grace") ||
	    is_set(stmt, "beresp.keep") || is_set(stmt, "beresp.uncacheable"));
}

/* Returns true if all of a sub has run where a statement does. */
static bool
is_before(const struct fm_import *im, const struct fm_vdecl *sub,
    const struct fm_vstmt *stmt)
{
	const char *name = fm_import_phases[im->phase].sub;
	const struct fm_vdecl *decl;

	/* A sub that another one calls may run at any time. */
	for (decl = im->vcl.decls; decl != NULL; decl = decl->next)
		if (fm_vdecl_is_sub(decl, name) && decl->open < stmt->first &&
		    stmt->last < decl->close)
			return (fm_vdecl_is_sub(sub, name) &&
			    sub->close < stmt->first);
	return (false);
}

/*
 * Returns true if the response may be uncacheable where a statement is: VCL
 * before it says so, and goes on.
 */
static bool
uncacheable_before(const struct fm_import *im, const struct fm_vstmt *stmt)
{
	const struct fm_vdecl *decl;
	size_t i, end;
	bool set;

	for (decl = im->vcl.decls; decl != NULL; decl = decl->next) {
		end = is_before(im, decl, stmt) ? decl->close :
		    decl->close > stmt->last ? stmt->first : 0;
		for (set = false, i = decl->open; i < end; i++) {
			if (fm_token_is(&im->vcl, i, "return"))
				set = false;
			else if (set && fm_token_is(&im->vcl, i, "}"))
				return (true);
			else if (fm_token_is(&im->vcl, i,
			    "beresp.uncacheable"))
				set = true;
		}
	}
	return (false);
}

static void
uncacheable_note(struct fm_import *im)
{
	fm_import_note(im, FM_NOTE_UNCACHEABLE, "a response that is not "
	    "stored, and how long this is remembered");
}

/*
 * Takes statements of which one makes the response uncacheable, and others set
 * a lifetime or edit headers: for an uncacheable response, the lifetime says
 * how long this is remembered.
 */
static size_t
uncacheable_put(struct fm_import *im, const struct fm_vstmt *stmt)
{
	const struct fm_vstmt *at;
	const char *duration = NULL, *d;
	size_t n = 0, lifetimes = 0;
	bool found = false;

	for (at = stmt; at != NULL && (at->kind == FM_VSTMT_UNSET ||
	    at->kind == FM_VSTMT_SET); at = at->next) {
		n++;
		if (!is_lifetime(at))
			continue;
		lifetimes = n;
		if (is_set(at, "beresp.uncacheable")) {
			found |= at->value->kind == FM_EXPR_TRUE;
			continue;
		}
		d = fm_import_duration(im, at->value);
		if (d == NULL)
			return (0);
		if (is_set(at, "beresp.ttl"))
			duration = d;
	}
	if (!found)
		return (0);
	for (n = 0, at = stmt; n < lifetimes; n++, at = at->next)
		if (!is_lifetime(at) && !fm_import_stmt(im, at))
			return (0);
	if (duration != NULL && fm_import_is_zero(duration))
		duration = NULL;
	/* The first of several says how long it is, and the last one in VCL. */
	if (duration == NULL || uncacheable_before(im, stmt))
		uncacheable_note(im);
	fm_import_put(im, "uncacheable%s%s;\n", duration == NULL ? "" : " ",
	    duration == NULL ? "" : duration);
	im->uncached = true;
	return (lifetimes);
}

/*
 * Returns true if statements make a response uncacheable, with another ttl,
 * before anything else may end the sub or ask for the ttl.
 */
static bool
is_uncacheable(struct fm_import *im, const struct fm_vstmt *stmt)
{
	static const char * const names[] = { "beresp.ttl", NULL };
	bool ttl = false, flag = false;
	const char *duration;

	for (; stmt != NULL && !(ttl && flag); stmt = stmt->next) {
		if (fm_vstmts_may_end(&im->vcl, stmt, 1) ||
		    fm_vstmts_read(&im->vcl, stmt, 1, names))
			return (false);
		duration = is_set(stmt, "beresp.ttl") ?
		    fm_import_duration(im, stmt->value) : NULL;
		ttl |= duration != NULL && !fm_import_is_zero(duration);
		flag |= is_set(stmt, "beresp.uncacheable") &&
		    stmt->value->kind == FM_EXPR_TRUE;
	}
	return (ttl && flag);
}

/*
 * Takes a ttl of 0 s that is there only for the next condition:
 *
 *	if (beresp.http.Set-Cookie) {		when set-cookie present
 *		set beresp.ttl = 0s;		    or not ttl over 0s {
 *	}						uncacheable 120s;
 *	if (beresp.ttl <= 0s) {			}
 *		set beresp.ttl = 120s;
 *		set beresp.uncacheable = true;
 *	}
 */
static size_t
zero_put(struct fm_import *im, const struct fm_vstmt *stmt)
{
	const struct fm_vstmt *zero = stmt->kind != FM_VSTMT_IF ||
	    stmt->arms->next != NULL ? NULL : stmt->arms->body;
	struct fm_expr *either, *first;
	const struct fm_expr *cond;
	const char *duration;
	struct fm_vstmt copy;
	struct fm_arm arm;

	if (zero == NULL || zero->next != NULL || !is_set(zero, "beresp.ttl") ||
	    stmt->next == NULL || stmt->next->kind != FM_VSTMT_IF)
		return (0);
	duration = fm_import_duration(im, zero->value);
	arm = *stmt->next->arms;
	cond = arm.cond;
	if (duration == NULL || !fm_import_is_zero(duration) ||
	    cond->kind != FM_EXPR_COMPARE || !fm_text_is(cond->text, "<=") ||
	    !fm_expr_is(cond->first, "beresp.ttl"))
		return (0);
	duration = fm_import_duration(im, cond->first->next);
	if (duration == NULL || !fm_import_is_zero(duration) ||
	    !is_uncacheable(im, arm.body))
		return (0);
	either = fm_import_alloc(im, sizeof *either);
	first = fm_import_alloc(im, sizeof *first);
	*first = *stmt->arms->cond;
	first->next = arm.cond;
	*either = (struct fm_expr){ .kind = FM_EXPR_OR, .at = first->at,
	    .first = first };
	arm.cond = either;
	copy = *stmt->next;
	copy.arms = &arm;
	return (fm_import_stmt(im, &copy) ? 2 : 0);
}

/* Moves on to the next token of a sub that may run after a statement. */
static bool
next_after(const struct fm_import *im, const struct fm_vstmt *stmt, size_t *at)
{
	const struct fm_vdecl *decl = im->vcl.decls;

	for (++*at; decl != NULL; decl = decl->next) {
		if (!fm_text_is(decl->kind, "sub") || decl->close < *at ||
		    is_before(im, decl, stmt))
			continue;
		if (*at < decl->open)
			*at = decl->open;
		if (decl->open < stmt->first && decl->close > stmt->last &&
		    *at <= stmt->last)
			*at = stmt->last + 1;
		return (true);
	}
	return (false);
}

/* Returns true if something that may run after a statement is of a kind. */
static bool
comes_after(const struct fm_import *im, const struct fm_vstmt *stmt,
    const char *word, const char *next)
{
	size_t i = 0;

	while (next_after(im, stmt, &i))
		if (fm_token_is(&im->vcl, i, word) && (next == NULL ||
		    fm_token_is(&im->vcl, i + 2, next)))
			return (true);
	return (false);
}

/* Returns true if something that may run after a statement asks for the ttl. */
static bool
asked_after(const struct fm_import *im, const struct fm_vstmt *stmt)
{
	size_t i = 0;

	while (next_after(im, stmt, &i))
		if (fm_token_is(&im->vcl, i, "beresp.ttl") &&
		    !fm_token_is(&im->vcl, i + 1, "="))
			return (true);
	return (false);
}

/*
 * Writes a ttl.  After a ttl of 0 s builtin.vcl makes the response uncacheable;
 * if VCL delivers it instead, it is stored, and given out for its grace.
 */
static bool
set_ttl(struct fm_import *im, const struct fm_vstmt *stmt)
{
	const char *duration = fm_import_duration(im, stmt->value);

	if (duration == NULL)
		return (fm_import_refuse(im, &stmt->at, "rules set a ttl to a "
		    "duration that is written down"));
	if (im->ttl_asked && asked_after(im, stmt))
		return (fm_import_refuse(im, &stmt->at, "VCL after it asks "
		    "for the ttl, and rules set none in a pass"));
	/* In a pass VCL reads the ttl that it has set, and rules don't. */
	im->uncached = true;
	if (!fm_import_is_zero(duration)) {
		if (uncacheable_before(im, stmt))
			uncacheable_note(im);
		fm_import_put(im, "ttl %s;\n", duration);
		return (true);
	}
	if (comes_after(im, stmt, "return", "deliver") ||
	    comes_after(im, stmt, "beresp.ttl", NULL) ||
	    comes_after(im, stmt, "beresp.uncacheable", NULL))
		return (fm_import_refuse(im, &stmt->at, "a ttl of 0 s does not "
		    "keep a page from being stored, and given out for its "
		    "grace: where that is meant, write uncacheable"));
	fm_import_put(im, "uncacheable;\n");
	return (true);
}

/*--------------------------------------------------------------------
 * `set`
 */

static bool
set_flag(struct fm_import *im, const struct fm_vstmt *stmt, const char *word)
{
	if (stmt->value->kind != FM_EXPR_TRUE)
		return (fm_import_refuse(im, &stmt->at, "rules have no "
		    "word for this"));
	fm_import_put(im, "%s", word);
	return (true);
}

/*
 * Returns true for a `set` to what is so by default, if VCL sets the variable
 * to nothing else before: Varnish streams, and does no ESI, unless VCL says
 * otherwise.  After a retry, all of the sub has run before.
 */
static bool
is_default(const struct fm_import *im, const struct fm_vstmt *stmt)
{
	const char *word = fm_text_is(stmt->name, "beresp.do_stream") ?
	    "true" : "false";
	const struct fm_vdecl *decl = im->vcl.decls;
	bool again = false;
	size_t i;

	if (!fm_token_is(&im->vcl, stmt->first + 3, word))
		return (false);
	for (i = 0; i < im->vcl.ntokens; i++)
		again |= fm_token_is(&im->vcl, i, "retry");
	while (decl->next != NULL && decl->last < stmt->first)
		decl = decl->next;
	for (i = 0; i + 3 < im->vcl.ntokens; i++)
		if ((again || i < stmt->first || i > decl->last) &&
		    fm_text_eq(im->vcl.tokens[i].text, stmt->name) &&
		    fm_token_is(&im->vcl, i + 1, "=") &&
		    !fm_token_is(&im->vcl, i + 2, word))
			return (false);
	return (true);
}

static bool
set_stored(struct fm_import *im, const struct fm_vstmt *stmt)
{
	static const char * const flags[][2] = {
		{ "beresp.do_esi", "esi;\n" }, { "beresp.do_gzip", "gzip;\n" },
		{ "beresp.do_gunzip", "gunzip;\n" }
	};
	const char *duration;
	size_t i;

	if (fm_text_is(stmt->name, "beresp.ttl"))
		return (set_ttl(im, stmt));
	for (i = 0; i < sizeof flags / sizeof *flags; i++)
		if (fm_text_is(stmt->name, flags[i][0]))
			return (is_default(im, stmt) ||
			    set_flag(im, stmt, flags[i][1]));
	if (fm_text_is(stmt->name, "beresp.do_stream") && is_default(im, stmt))
		return (true);
	if (fm_text_is(stmt->name, "beresp.grace") ||
	    fm_text_is(stmt->name, "beresp.keep")) {
		duration = fm_import_duration(im, stmt->value);
		if (duration == NULL)
			return (fm_import_refuse(im, &stmt->at, "rules set it "
			    "to a duration that is written down"));
		fm_import_put(im, "%.*s %s;\n", (int)stmt->name.len - 7,
		    stmt->name.b + 7, duration);
		return (true);
	}
	return (fm_import_refuse(im, &stmt->at, "rules can't set %.*s",
	    FM_ARG(stmt->name)));
}

#define VARY	"beresp.http.Vary"

/* Gets the regex of `set VARY = regsub(VARY, REGEX, "");`. */
static bool
vary_sub(struct fm_import *im, const struct fm_vstmt *stmt,
    struct fm_text *regex)
{
	const struct fm_expr *call = stmt->value;
	struct fm_text to;

	return (stmt->kind == FM_VSTMT_SET &&
	    fm_text_is_nocase(stmt->name, VARY) &&
	    (fm_expr_calls(call, "regsub", 3) ||
	    fm_expr_calls(call, "regsuball", 3)) &&
	    fm_expr_is(call->first, VARY) &&
	    fm_expr_constant(&im->vcl, call->first->next, regex) &&
	    fm_expr_constant(&im->vcl, call->first->next->next, &to) &&
	    to.len == 0);
}

/* if (beresp.http.Vary == "") { unset beresp.http.Vary; } */
static bool
is_vary_unset(const struct fm_vstmt *stmt)
{
	const struct fm_expr *cond;
	const struct fm_vstmt *body;

	if (stmt->kind != FM_VSTMT_IF || stmt->arms->next != NULL)
		return (false);
	cond = stmt->arms->cond;
	body = stmt->arms->body;
	return (cond->kind == FM_EXPR_COMPARE && fm_text_is(cond->text, "==") &&
	    fm_expr_is(cond->first, VARY) &&
	    cond->first->next->kind == FM_EXPR_STRING &&
	    cond->first->next->text.len == 0 && body != NULL &&
	    body->next == NULL && body->kind == FM_VSTMT_UNSET &&
	    fm_text_is_nocase(body->name, VARY));
}

/* Returns true if a regex has a letter, but for \s. */
static bool
has_name(struct fm_text regex)
{
	size_t i;

	for (i = 0; i < regex.len; i++)
		if (isalpha((unsigned char)regex.b[i]) && !(i > 0 &&
		    regex.b[i] == 's' && regex.b[i - 1] == '\\'))
			return (true);
	return (false);
}

/*
 * Returns how many statements take away what a regsub() may leave of Vary, a
 * comma at its beginning or an empty header: rules leave neither.
 */
static size_t
vary_tidied(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct fm_text regex;
	size_t n = 0;

	for (; stmt != NULL; stmt = stmt->next, n++)
		if (!is_vary_unset(stmt) && !(vary_sub(im, stmt, &regex) &&
		    !has_name(regex) &&
		    fm_text_is(fm_import_sub(im, regex, fm_text_of(", Aa, Bb"),
		    fm_text_of(""), false), "Aa, Bb") &&
		    fm_text_is(fm_import_sub(im, regex, fm_text_of("Aa, Bb"),
		    fm_text_of(""), false), "Aa, Bb")))
			break;
	return (n);
}

/*
 * Takes a regsub() that takes names out of Vary:
 *
 *	set beresp.http.Vary = regsub(beresp.http.Vary, ",? *Cookie *", "");
 */
static size_t
vary_put(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct fm_text to = fm_text_of(""), regex, name, left;
	const char *begin;
	size_t i;

	if (!im->well_formed || im->phase != FM_IN_RESPONSE ||
	    !vary_sub(im, stmt, &regex))
		return (0);
	/* The longest word of the regex is the name. */
	name = fm_text(NULL, 0);
	for (i = 0; i < regex.len; i++) {
		begin = regex.b + i;
		while (i < regex.len && (isalpha((unsigned char)regex.b[i]) ||
		    regex.b[i] == '-'))
			i++;
		if ((size_t)(regex.b + i - begin) > name.len)
			name = fm_text_span(begin, regex.b + i);
	}
	if (name.len < 3)
		return (0);
	left = fm_import_sub(im, regex, fm_import_text(im, "Aa-Bb, %.*s",
	    FM_ARG(name)), to, false);
	if (!fm_text_is(fm_text_trim(left), "Aa-Bb"))
		return (0);
	left = fm_import_sub(im, regex, name, to, false);
	if (fm_text_trim(left).len != 0)
		return (0);
	fm_import_put(im, "vary drop %s;\n", fm_import_word(im, name));
	fm_import_note(im, FM_NOTE_EMPTY, "a response whose Vary has only "
	    "%.*s", FM_ARG(name));
	return (1 + vary_tidied(im, stmt->next));
}

/*--------------------------------------------------------------------
 * builtin.vcl
 */

/*
 * Takes a copy of builtin.vcl's vcl_backend_response at the end of the sub.  A
 * copy with parts missing is written as it is.
 */
static size_t
builtin_put(struct fm_import *im, const struct fm_vstmt *stmt)
{
	static const char passed[] = "if(bereq.uncacheable){return(deliver);}"
	    "else";
	static const char cond[] = "if(beresp.ttl<=0s||beresp.http.set-cookie||"
	    "beresp.http.surrogate-control~\"no-store\"||"
	    "(!beresp.http.surrogate-control&&beresp.http.cache-control~\"";
	static const char * const names[] = { "no-cache|no-store|private",
	    "(?i:no-cache|no-store|private)",
	    "(?:^|,\\s*)(?:no-cache|no-store|private)" };
	static const char * const rest[] = {
		"\")||beresp.http.vary==\"*\"){"
		"setberesp.ttl=120s;setberesp.uncacheable=true;}",
		"\")||beresp.http.vary==\"*\"){"
		"setberesp.uncacheable=true;setberesp.ttl=120s;}" };
	const char *text, *at;
	char *lower;
	size_t i, j, n = 1;

	if (im->phase != FM_IN_RESPONSE || stmt->kind != FM_VSTMT_IF)
		return (0);
	if (stmt->next != NULL && (strcmp(text_of(im, stmt->next),
	    "return(deliver);") != 0 || stmt->next->next != NULL))
		return (0);
	n += stmt->next != NULL;
	text = text_of(im, stmt);
	lower = fm_import_alloc(im, strlen(text) + 1);
	fm_text_lower(lower, fm_text_of(text));
	at = lower;
	if (strncmp(at, passed, strlen(passed)) == 0)
		at += strlen(passed);
	if (strncmp(at, cond, strlen(cond)) != 0)
		return (0);
	at += strlen(cond);
	for (i = 0; i < sizeof names / sizeof *names; i++)
		for (j = 0; j < 2; j++)
			if (strcmp(at, fm_import_printf(im, "%s%s", names[i],
			    rest[j])) == 0) {
				fm_import_put(im, "builtin;\n");
				return (n);
			}
	return (0);
}

/*--------------------------------------------------------------------
 * if (beresp.status >= 500 && bereq.is_bgfetch) { return (abandon); }
 */

/* Returns true for an arm with only this return. */
static bool
only_returns(const struct fm_arm *arm, const char *what)
{
	const struct fm_vstmt *stmt = arm->body;

	return (stmt != NULL && stmt->next == NULL &&
	    stmt->kind == FM_VSTMT_RETURN && fm_text_is(stmt->name, what));
}

/* Returns a condition without the part that is a name; NULL: it has none. */
static struct fm_expr *
cond_without(struct fm_import *im, const struct fm_expr *cond,
    bool (*is)(const struct fm_expr *), const struct fm_expr **found)
{
	struct fm_expr *copy, *first = NULL, **tail = &first;
	const struct fm_expr *part;

	*found = NULL;
	for (part = cond->kind == FM_EXPR_AND ? cond->first : NULL;
	    part != NULL; part = part->next) {
		if (is(part)) {
			*found = part;
			continue;
		}
		*tail = fm_import_alloc(im, sizeof **tail);
		**tail = *part;
		tail = &(*tail)->next;
		*tail = NULL;
	}
	if (*found == NULL || first == NULL)
		return (NULL);
	if (first->next == NULL)
		return (first);
	copy = fm_import_alloc(im, sizeof *copy);
	*copy = *cond;
	copy->first = first;
	copy->next = NULL;
	return (copy);
}

static bool
is_background(const struct fm_expr *expr)
{
	return (fm_expr_is(expr, "bereq.is_bgfetch"));
}

/* bereq.retries < 2 */
static bool
is_retries(const struct fm_expr *expr)
{
	return (expr->kind == FM_EXPR_COMPARE &&
	    fm_expr_is(expr->first, "bereq.retries") &&
	    expr->first->next->kind == FM_EXPR_NUMBER &&
	    (fm_text_is(expr->text, "<") || (fm_text_is(expr->text, "==") &&
	    fm_text_is(expr->first->next->text, "0"))));
}

/* Takes an `if` for which rules have `prefer stale` or `retry`. */
static size_t
error_put(struct fm_import *im, const struct fm_vstmt *stmt)
{
	const struct fm_expr *found, *cond;
	struct fm_import_test *test;
	const char *text = "prefer stale;\n";
	bool stale;

	if (im->phase != FM_IN_RESPONSE || stmt->kind != FM_VSTMT_IF ||
	    stmt->arms->next != NULL)
		return (0);
	stale = only_returns(stmt->arms, "abandon");
	if (!stale && (!only_returns(stmt->arms, "retry") ||
	    !im->well_formed))
		return (0);
	cond = cond_without(im, stmt->arms->cond, stale ? is_background :
	    is_retries, &found);
	if (cond == NULL)
		return (0);
	test = fm_import_cond(im, cond);
	if (test == NULL)
		return (0);
	if (!stale) {
		text = fm_text_is(found->text, "==") ? "retry;\n" :
		    fm_import_printf(im, "retry %.*s;\n",
		    FM_ARG(found->first->next->text));
		fm_import_note(im, FM_NOTE_RETRY, "POST, with a body that "
		    "is gone");
	}
	fm_import_put(im, "when %s {\n%s}\n", fm_import_cond_text(im, test,
	    FM_IMPORT_OR), text);
	return (1);
}

/*--------------------------------------------------------------------
 * hash_data()
 */

/*
 * Takes a regsub() that gets the value of a cookie out of the header:
 *
 *	regsub(req.http.Cookie, "^.*?X-Vary=([^;]+);*.*$", "\1")
 */
static bool
cookie_of(struct fm_import *im, const struct fm_expr *call,
    struct fm_text *name)
{
	struct fm_text regex, to, text;
	const char *equals, *p;

	if ((!fm_expr_calls(call, "regsub", 3) &&
	    !fm_expr_calls(call, "regsuball", 3)) ||
	    !fm_expr_is(call->first, "req.http.Cookie") ||
	    !fm_expr_constant(&im->vcl, call->first->next, &regex) ||
	    !fm_expr_constant(&im->vcl, call->first->next->next, &to))
		return (false);
	equals = memchr(regex.b, '=', regex.len);
	for (p = equals; p != NULL && p > regex.b &&
	    (isalnum((unsigned char)p[-1]) || p[-1] == '_' || p[-1] == '-');)
		p--;
	if (equals == NULL || p == equals)
		return (false);
	*name = fm_text_span(p, equals);
	text = fm_import_sub(im, regex, fm_import_text(im,
	    "a=1; %.*s=v1; c=3", FM_ARG(*name)), to, false);
	if (!fm_text_is(text, "v1"))
		return (false);
	text = fm_import_sub(im, regex, fm_import_text(im, "%.*s=v2",
	    FM_ARG(*name)), to, false);
	return (fm_text_is(text, "v2"));
}

/* Returns the call in "text" + call(), or the expression itself. */
static const struct fm_expr *
after_texts(const struct fm_expr *expr)
{
	const struct fm_expr *part;

	if (expr->kind != FM_EXPR_CONCAT)
		return (expr);
	for (part = expr->first; part != NULL &&
	    part->kind == FM_EXPR_STRING; part = part->next)
		continue;
	return (part == NULL || part->next != NULL ||
	    part->kind != FM_EXPR_CALL ? expr : part);
}

/* hash_data(X); what builtin.vcl hashes as well needs no rule. */
static bool
hash_put(struct fm_import *im, const struct fm_vstmt *stmt)
{
	static const char * const builtin[] = { "req.url", "req.http.host",
	    "server.ip" };
	const struct fm_expr *expr = stmt->value->first;
	struct fm_text own = fm_import_own(im, expr->text), cookie;
	const char *value;
	size_t i;

	for (i = 0; i < sizeof builtin / sizeof *builtin; i++)
		if (fm_expr_is(expr, builtin[i]))
			return (im->whole_key || fm_import_refuse(im,
			    &stmt->at, "vcl_hash has not all that builtin.vcl "
			    "hashes, the URL and the Host, and returns: "
			    "different pages may have one key"));
	if (expr->kind == FM_EXPR_NAME && own.b != NULL) {
		fm_import_put(im, "%s;\n", fm_import_header(im, own));
		return (true);
	}
	/* A key has the name of the cookie, so it needs no text before. */
	if (cookie_of(im, after_texts(expr), &cookie)) {
		fm_import_put(im, "cookie %s;\n", fm_import_word(im, cookie));
		fm_import_note(im, FM_NOTE_STORED, "Cookie: z%.*s=1",
		    FM_ARG(cookie));
		return (true);
	}
	value = fm_import_value(im, expr);
	if (value == NULL)
		return (false);
	fm_import_put(im, "%s;\n", value);
	return (true);
}

/*--------------------------------------------------------------------
 * Any statement
 */

/*
 * Returns true if VCL has a part of builtin.vcl of its own, which runs once
 * more where only the rules end.
 */
static bool
has_builtin_of_own(struct fm_import *im)
{
	const char *sub = fm_import_phases[im->phase].sub;

	return (fm_vcl_find(&im->vcl, "sub", fm_text_of(fm_import_printf(im,
	    "vcl_builtin_%s", sub + strlen("vcl_")))) != NULL);
}

static bool
return_put(struct fm_import *im, const struct fm_vstmt *stmt)
{
	static const struct {
		enum fm_import_phase	phase;
		const char		*name, *rules;
	} returns[] = {
		{ FM_IN_FETCH, "fetch", "stop;\n" },
		{ FM_IN_RESPONSE, "deliver", "deliver;\n" },
		{ FM_IN_RESPONSE, "abandon", "abandon;\n" },
		{ FM_IN_DELIVER, "deliver", "stop;\n" }
	};
	const char *duration;
	size_t i;

	if (im->phase == FM_IN_RESPONSE &&
	    fm_expr_calls(stmt->value, "pass", 1)) {
		duration = fm_import_duration(im, stmt->value->first);
		if (duration != NULL && !fm_import_is_zero(duration)) {
			fm_import_put(im, "pass %s;\n", duration);
			return (true);
		}
	}
	if (im->phase == FM_IN_RESPONSE && im->well_formed &&
	    fm_expr_is(stmt->value, "pass")) {
		fm_import_note(im, FM_NOTE_UNCACHEABLE, "a response that is "
		    "not stored, and how long this is remembered");
		fm_import_put(im, "pass;\n");
		return (true);
	}
	if (im->phase == FM_IN_DELIVER && fm_text_is(stmt->name, "synth"))
		return (fm_import_return(im, stmt));
	/* With a body, the call of the rules ends vcl_synth just so. */
	if (im->phase == FM_IN_SYNTH && fm_text_is(stmt->name, "deliver") &&
	    stmt->next == NULL && im->under == NULL && im->whole_body)
		return (true);
	if (im->phase == FM_IN_HASH && im->whole_key &&
	    fm_text_is(stmt->name, "lookup"))
		return (true);
	if (im->phase == FM_IN_FETCH && fm_text_is(stmt->name, "fetch") &&
	    (!im->returns_fetch || (stmt->next == NULL && im->under == NULL)))
		return (fm_import_refuse(im, &stmt->at, "after rules "
		    "builtin.vcl runs, and removes the body of a GET"));
	for (i = 0; i < sizeof returns / sizeof *returns; i++)
		if (returns[i].phase == im->phase &&
		    fm_expr_is(stmt->value, returns[i].name)) {
			if (strcmp(returns[i].rules, "stop;\n") == 0 &&
			    has_builtin_of_own(im))
				break;
			fm_import_put(im, "%s", returns[i].rules);
			return (true);
		}
	return (fm_import_refuse(im, &stmt->at, "rules have no "
	    "return (%.*s) here", FM_ARG(stmt->name)));
}

bool
fm_import_log(struct fm_import *im, const struct fm_vstmt *stmt)
{
	const char *value = fm_import_value(im, stmt->value->first);

	if (value == NULL)
		return (false);
	fm_import_put(im, "log %s;\n", value);
	return (true);
}

bool
fm_import_phase_stmt(struct fm_import *im, const struct fm_vstmt *stmt)
{
	switch (stmt->kind) {
	case FM_VSTMT_SET:
		if (fm_import_own(im, stmt->name).b != NULL)
			return (fm_import_set(im, stmt));
		if (im->phase == FM_IN_RESPONSE)
			return (set_stored(im, stmt));
		return (fm_import_refuse(im, &stmt->at,
		    "rules can't set %.*s here", FM_ARG(stmt->name)));
	case FM_VSTMT_RETURN:
		return (return_put(im, stmt));
	case FM_VSTMT_ACTION:
		if (im->phase == FM_IN_HASH &&
		    fm_expr_calls(stmt->value, "hash_data", 1))
			return (hash_put(im, stmt));
		return (fm_import_refuse(im, &stmt->at, "rules have no %.*s()",
		    FM_ARG(stmt->value->text)));
	default:
		return (fm_import_refuse(im, &stmt->at, "rules have no `%.*s`",
		    FM_ARG(im->vcl.tokens[stmt->first].text)));
	}
}

size_t
fm_import_phase_idiom(struct fm_import *im, const struct fm_vstmt *stmt)
{
	static size_t (* const idioms[])(struct fm_import *,
	    const struct fm_vstmt *) = {
		builtin_put, error_put, vary_put, zero_put
	};
	size_t i, n = 0;

	for (i = 0; n == 0 && i < sizeof idioms / sizeof *idioms; i++)
		n = idioms[i](im, stmt);
	return (n > 0 || im->phase != FM_IN_RESPONSE ? n :
	    uncacheable_put(im, stmt));
}
