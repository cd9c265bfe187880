/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Translates statements of VCL into statements of rules: first those for which
 * rules have a word of their own, then all by themselves.  A statement that may
 * not mean the same in rules is refused, with the reason.
 */

#include <string.h>

#include "import.h"

/*--------------------------------------------------------------------
 * set req.http.Host = regsub(std.tolower(req.http.Host), ":[0-9]+$", "");
 */

/* Returns true if a regsub() takes the port off a host, and nothing else. */
static bool
takes_port(struct fm_import *im, struct fm_text regex, struct fm_text to)
{
	static const char * const hosts[][2] = {
		{ "a.example:80", "a.example" }, { "a.example", "a.example" },
		{ "www.a.example:8080", "www.a.example" },
		{ "m.a.example:8443", "m.a.example" }
	};
	size_t i;

	if (memchr(regex.b, ':', regex.len) == NULL ||
	    memchr(regex.b, '|', regex.len) != NULL)
		return (false);
	for (i = 0; i < sizeof hosts / sizeof *hosts; i++)
		if (!fm_text_is(fm_import_sub(im, regex,
		    fm_text_of(hosts[i][0]), to, false), hosts[i][1]))
			return (false);
	return (true);
}

static bool
is_spelling(struct fm_import *im, const struct fm_expr *e)
{
	const struct fm_expr *a = e->first;

	if (fm_expr_is(e, "req.http.Host") || (e->kind == FM_EXPR_CALL &&
	    fm_text_is_nocase(e->text, "req.http.Host.lower")))
		return (true);
	if (fm_expr_calls(e, "std.tolower", 1))
		return (is_spelling(im, a));
	return ((fm_expr_calls(e, "regsub", 3) ||
	    fm_expr_calls(e, "regsuball", 3)) && is_spelling(im, a) &&
	    a->next->kind == FM_EXPR_STRING &&
	    a->next->next->kind == FM_EXPR_STRING &&
	    takes_port(im, a->next->text, a->next->next->text));
}

/* Returns true if the token is in vcl_recv, and not before the place. */
static bool
is_later(struct fm_import *im, size_t i, const struct fm_place *at)
{
	const struct fm_place *here = &im->vcl.tokens[i].at;
	const struct fm_vdecl *decl;
	bool in_recv = false;

	for (decl = im->vcl.decls; decl != NULL; decl = decl->next)
		in_recv |= fm_vdecl_is_sub(decl, "vcl_recv") &&
		    i > decl->open && i < decl->close;
	return (in_recv && here->name == at->name && (here->line > at->line ||
	    (here->line == at->line && here->column >= at->column)));
}

bool
fm_import_sets_host(struct fm_import *im)
{
	return (fm_import_sets_host_before(im, NULL));
}

bool
fm_import_sets_host_before(struct fm_import *im, const struct fm_place *at)
{
	const struct fm_vcl_token *token = im->vcl.tokens;
	size_t i, end;

	for (i = 0; i < im->vcl.ntokens; i++)
		if (fm_text_is(token[i].text, "restart"))
			at = NULL;
	for (i = 0; i + 3 < im->vcl.ntokens; i = end + 1) {
		end = i;
		if (!fm_text_is(token[i].text, "set") ||
		    !fm_text_is_nocase(token[i + 1].text, "req.http.Host") ||
		    (at != NULL && is_later(im, i, at)))
			continue;
		while (!fm_text_is(token[end].text, ";"))
			end++;
		if (!is_spelling(im, fm_vcl_expr(&im->vcl, i + 3, end)))
			return (true);
	}
	return (false);
}

bool
fm_import_is_host(struct fm_import *im, const struct fm_expr *e)
{
	return (im->well_formed && im->phase == FM_IN_RECV &&
	    e->kind == FM_EXPR_CALL && is_spelling(im, e) &&
	    !fm_import_sets_host_before(im, &e->at));
}

static size_t
host_put(struct fm_import *im, const struct fm_vstmt *stmt)
{
	size_t n = 0;

	for (; stmt != NULL && stmt->kind == FM_VSTMT_SET &&
	    fm_text_is_nocase(stmt->name, "req.http.Host") &&
	    is_spelling(im, stmt->value); stmt = stmt->next)
		n++;
	/* ${host} is the client's host: no use if VCL sets another. */
	if (n == 0 || fm_import_sets_host(im))
		return (0);
	fm_import_put(im, "set Host = \"${host}\";\n");
	fm_import_note(im, FM_NOTE_HOST, "Host: www.Example.com.");
	return (n);
}

/*--------------------------------------------------------------------
 * One statement
 */

static size_t
sort_put(struct fm_import *im, const struct fm_vstmt *stmt)
{
	if (stmt->kind != FM_VSTMT_SET || !fm_text_is(stmt->name, "req.url") ||
	    !fm_expr_calls(stmt->value, "std.querysort", 1) ||
	    !fm_expr_is(stmt->value->first, "req.url"))
		return (0);
	fm_import_put(im, "query sort;\nquery clean;\n");
	fm_import_note(im, FM_NOTE_SORT, "GET /?a=2&a=1 HTTP/1.1");
	return (1);
}

/* Takes std.collect() of a header that rules join; writes nothing. */
static size_t
collect_put(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct fm_text header;

	if (stmt->kind != FM_VSTMT_ACTION || stmt->value->first == NULL ||
	    !fm_text_is(stmt->value->text, "std.collect") ||
	    stmt->value->first->kind != FM_EXPR_NAME)
		return (0);
	header = fm_header_of(stmt->value->first->text);
	if (!fm_import_joins(header))
		return (0);
	fm_import_note(im, FM_NOTE_REPEATED, "%.*s: a=1, and once more "
	    "%.*s: b=2", FM_ARG(header), FM_ARG(header));
	return (1);
}

/*
 * Takes cookie.parse(), and writes nothing: rules need no parse.  If any use of
 * vmod_cookie stays VCL, all of them do (im->cookie_vmod).
 */
static size_t
parse_put(struct fm_import *im, const struct fm_vstmt *stmt)
{
	return (stmt->kind == FM_VSTMT_ACTION && !im->cookie_vmod &&
	    fm_expr_calls(stmt->value, "cookie.parse", 1) &&
	    fm_expr_is(stmt->value->first, "req.http.Cookie"));
}

/* Returns true if a constant is a regex, maybe with a `\` before its `#`. */
static bool
is_regex(struct fm_import *im, const struct fm_expr *e, const char *wanted)
{
	struct fm_text regex;

	if (!fm_expr_constant(&im->vcl, e, &regex))
		return (false);
	if (fm_text_begins(regex, "\\"))
		regex = fm_text(regex.b + 1, regex.len - 1);
	return (fm_text_is(regex, wanted));
}

/*
 * Takes an `if` that only saves a regsub(), and writes the rewrite alone: a
 * test of a URL with a `#` would refuse the request.
 *
 *	if (req.url ~ "#") { set req.url = regsub(req.url, "#.*$", ""); }
 */
static size_t
fragment_put(struct fm_import *im, const struct fm_vstmt *stmt)
{
	const struct fm_expr *cond, *call;
	const struct fm_vstmt *set;

	if (stmt->kind != FM_VSTMT_IF || stmt->arms->next != NULL)
		return (0);
	cond = stmt->arms->cond;
	set = stmt->arms->body;
	if (cond == NULL || cond->kind != FM_EXPR_COMPARE ||
	    !fm_text_is(cond->text, "~") ||
	    !fm_expr_is(cond->first, "req.url") ||
	    !is_regex(im, cond->first->next, "#") || set == NULL ||
	    set->next != NULL || set->kind != FM_VSTMT_SET ||
	    !fm_text_is(set->name, "req.url"))
		return (0);
	call = set->value;
	return ((fm_expr_calls(call, "regsub", 3) ||
	    fm_expr_calls(call, "regsuball", 3)) &&
	    fm_expr_is(call->first, "req.url") &&
	    (is_regex(im, call->first->next, "#.*$") ||
	    is_regex(im, call->first->next, "#.*")) &&
	    fm_import_set(im, set));
}

/*--------------------------------------------------------------------
 * builtin.vcl
 */

/* Takes a copy of builtin.vcl's vcl_recv, as it often ends a vcl_recv. */
static size_t
builtin_put(struct fm_import *im, const struct fm_vstmt *stmt)
{
	static const char builtin[] = "if(req.method!=\"GET\"&&"
	    "req.method!=\"HEAD\"&&req.method!=\"PUT\"&&req.method!=\"POST\""
	    "&&req.method!=\"TRACE\"&&req.method!=\"OPTIONS\"&&"
	    "req.method!=\"DELETE\"){return(pipe);}"
	    "if(req.method!=\"GET\"&&req.method!=\"HEAD\"){return(pass);}"
	    "if(req.http.Authorization||req.http.Cookie){return(pass);}"
	    "return(hash);";
	static const char patch[] = "req.method!=\"PATCH\"&&";
	const char *text = "", *p;
	size_t i, n = 0;

	for (; stmt != NULL && n < 5; stmt = stmt->next, n++)
		for (i = stmt->first; i <= stmt->last; i++)
			text = fm_import_printf(im, "%s%.*s", text,
			    FM_ARG(im->vcl.tokens[i].text));
	p = strstr(text, patch);
	if (p != NULL)
		text = fm_import_printf(im, "%.*s%s", (int)(p - text), text,
		    p + strlen(patch));
	if (strcmp(text, builtin) != 0)
		return (0);
	fm_import_put(im, "builtin;\n");
	fm_import_note(im, FM_NOTE_BUILTIN, "%s / HTTP/1.1", p != NULL ?
	    "PRI" : "PATCH");
	return (n);
}

/*--------------------------------------------------------------------
 * unset, if and call
 */

static bool
put_unset(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct fm_text header = fm_import_own(im, stmt->name);

	if (header.b == NULL || memchr(header.b, '*', header.len) != NULL)
		return (fm_import_refuse(im, &stmt->at,
		    "rules can't unset %.*s", FM_ARG(stmt->name)));
	fm_import_put(im, "unset %.*s;\n", FM_ARG(header));
	return (true);
}

const char *
fm_import_body(struct fm_import *im, const struct fm_arm *arm)
{
	struct fm_under under = { .cond = arm->cond, .up = im->under };
	const char *text;
	bool good;

	fm_import_catch(im);
	im->under = &under;
	good = fm_import_stmts(im, arm->body);
	im->under = under.up;
	text = fm_import_caught(im);
	return (good ? text : NULL);
}

/* An arm in rules: `when TEST { BODY }`; without a test it is the else. */
struct branch {
	struct fm_import_test	*test;
	const char		*body;		/* "": nothing to do */
};

/*
 * Writes n arms.  One without a body, before others, becomes `when not TEST`
 * around these.
 */
static void
put_branches(struct fm_import *im, const struct branch *branch, size_t n)
{
	struct fm_import_test not;

	for (; n > 0; branch++, n--) {
		if (branch->test == NULL) {
			fm_import_put(im, "{\n%s}", branch->body);
			continue;
		}
		not = *branch->test;
		not.negated ^= *branch->body == '\0';
		fm_import_put(im, "when %s {\n%s", fm_import_cond_text(im, &not,
		    FM_IMPORT_OR), branch->body);
		if (*branch->body == '\0') {
			if (branch[1].test == NULL)
				fm_import_put(im, "%s", branch[1].body);
			else
				put_branches(im, branch + 1, n - 1);
			n = 1;
		}
		fm_import_put(im, n > 1 ? "} else " : "}");
	}
}

static bool
put_if(struct fm_import *im, const struct fm_vstmt *stmt)
{
	bool uncached = im->uncached, after = uncached;
	const char *emptied = im->emptied;
	const struct fm_arm *arm;
	struct branch *branches, *branch;
	size_t n = 0;

	for (arm = stmt->arms; arm != NULL; arm = arm->next)
		n++;
	branches = branch = fm_import_alloc(im, n * sizeof *branches);
	for (arm = stmt->arms; arm != NULL; arm = arm->next, branch++) {
		im->emptied = emptied;
		im->uncached = uncached;
		branch->test = arm->cond == NULL ? NULL :
		    fm_import_cond(im, arm->cond);
		im->emptied = NULL;
		if ((branch->test == NULL && arm->cond != NULL) ||
		    (branch->body = fm_import_body(im, arm)) == NULL)
			return (false);
		after |= im->uncached && !fm_vstmts_end(arm->body);
	}
	im->uncached = after;
	while (n > 0 && *branches[n - 1].body == '\0')
		n--;
	put_branches(im, branches, n);
	fm_import_put(im, n > 0 ? "\n" : "");
	return (true);
}

static bool
put_call(struct fm_import *im, const struct fm_vstmt *stmt)
{
	const struct fm_vdecl *sub = fm_vcl_find(&im->vcl, "sub", stmt->name);

	return (sub != NULL ? fm_import_stmts(im, sub->body) :
	    fm_import_refuse(im, &stmt->at, "no sub is called '%.*s'",
	    FM_ARG(stmt->name)));
}

bool
fm_import_stmt(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct fm_text text = im->vcl.tokens[stmt->first].text;
	bool good;

	if (fm_import_ban(im, stmt, &good))
		return (good);
	if (stmt->kind == FM_VSTMT_ACTION &&
	    fm_expr_calls(stmt->value, "std.log", 1))
		return (fm_import_log(im, stmt));
	if (im->phase != FM_IN_RECV && stmt->kind != FM_VSTMT_IF &&
	    stmt->kind != FM_VSTMT_CALL && stmt->kind != FM_VSTMT_UNSET)
		return (fm_import_phase_stmt(im, stmt));
	switch (stmt->kind) {
	case FM_VSTMT_IF:
		return (put_if(im, stmt));
	case FM_VSTMT_CALL:
		return (put_call(im, stmt));
	case FM_VSTMT_SET:
		return (fm_import_set(im, stmt));
	case FM_VSTMT_UNSET:
		return (put_unset(im, stmt));
	case FM_VSTMT_RETURN:
		return (fm_import_return(im, stmt));
	case FM_VSTMT_ACTION:
		return (fm_import_refuse(im, &stmt->at, "rules have no %.*s()",
		    FM_ARG(stmt->value->text)));
	default:
		return (fm_import_refuse(im, &stmt->at, "rules have no `%.*s`",
		    FM_ARG(text)));
	}
}

bool
fm_import_join(struct fm_import *im, const struct fm_vstmt *joined,
    const char *name)
{
	bool good;

	im->emptied = name;
	good = fm_import_stmt(im, joined);
	im->emptied = NULL;
	return (good);
}

/* Takes a `set`, and an `if` after it that gives a default, say. */
static size_t
joined_put(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct fm_text header = stmt->kind == FM_VSTMT_SET ?
	    fm_header_of(stmt->name) : fm_text(NULL, 0);
	const struct fm_import saved = *im;
	const char *name, *text;
	bool good;

	/* Without --well-formed rules set no header that may be empty. */
	im->joined = !im->well_formed || header.b == NULL ? NULL :
	    fm_import_joined(im, header, stmt->next);
	if (im->joined == NULL)
		return (0);
	name = fm_import_printf(im, "req.http.%.*s", FM_ARG(header));
	fm_import_catch(im);
	good = fm_import_set(im, stmt) &&
	    fm_import_join(im, im->joined, name);
	text = fm_import_caught(im);
	im->joined = NULL;
	if (good) {
		fm_import_put(im, "%s", text);
		return (2);
	}
	im->why = saved.why;
	im->why_at = saved.why_at;
	im->seen = saved.seen;
	return (0);
}

size_t
fm_import_next(struct fm_import *im, const struct fm_vstmt *stmt)
{
	static size_t (* const idioms[])(struct fm_import *,
	    const struct fm_vstmt *) = {
		fm_import_cleanup, host_put, builtin_put, sort_put,
		collect_put, parse_put, fragment_put, fm_import_ban_if,
		fm_import_map, joined_put, fm_import_redirect
	};
	size_t i, n = 0;

	if (im->phase != FM_IN_RECV)
		n = fm_import_phase_idiom(im, stmt);
	else
		for (i = 0; n == 0 && i < sizeof idioms / sizeof *idioms; i++)
			n = idioms[i](im, stmt);
	return (n == 0 ? fm_import_stmt(im, stmt) : n);
}

size_t
fm_import_next_or_call(struct fm_import *im, const struct fm_vstmt *stmt)
{
	const struct fm_import before = *im;
	const char *text;
	size_t n;

	fm_import_catch(im);
	n = fm_import_next(im, stmt);
	text = fm_import_caught(im);
	/* A sub can be called where the rules would be refused. */
	if (n > 0 && im->may_call && !fm_import_rules_stand(im, text, false))
		n = 0;
	if (n > 0)
		fm_import_put(im, "%s", text);
	return (n > 0 ? n : fm_import_call(im, stmt, &before));
}

/* Writes several `unset` as one, if all are well; returns how many. */
static size_t
unsets_put(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct fm_text header;
	const char *names = "";
	size_t n = 0;

	for (; stmt != NULL && stmt->kind == FM_VSTMT_UNSET;
	    stmt = stmt->next) {
		header = fm_import_own(im, stmt->name);
		if (header.b == NULL ||
		    memchr(header.b, '*', header.len) != NULL)
			return (0);
		names = fm_import_printf(im, "%s %.*s", names, FM_ARG(header));
		n++;
	}
	if (n > 1)
		fm_import_put(im, "unset%s;\n", names);
	return (n > 1 ? n : 0);
}

bool
fm_import_stmts(struct fm_import *im, const struct fm_vstmt *stmt)
{
	size_t n;

	while (stmt != NULL) {
		n = unsets_put(im, stmt);
		if (n > 0) {
			stmt = fm_vstmts_after(stmt, n);
			continue;
		}
		n = fm_import_next_or_call(im, stmt);
		if (n == 0)
			return (false);
		stmt = fm_vstmts_after(stmt, n);
	}
	return (true);
}
