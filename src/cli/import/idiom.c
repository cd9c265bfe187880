/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Statements that rules say in a word of their own: Host without its port or
 * in lower case, std.querysort(), std.collect(), what builtin.vcl does.
 */

#include <string.h>

#include "import.h"

/*--------------------------------------------------------------------
 * set req.http.Host = regsub(std.tolower(req.http.Host), ":[0-9]+$", "");
 */

/* Returns true for a regsub() that takes any port of a host, and no more. */
static bool
takes_port(struct fm_import *im, struct fm_text regex, struct fm_text to)
{
	static const char * const hosts[][2] = {
		{ "a.example:80", "a.example" }, { "a.example", "a.example" },
		{ "www.a.example:8080", "www.a.example" },
		{ "m.a.example:8443", "m.a.example" }
	};
	const struct fm_pattern *pattern = fm_import_regex(im, regex);
	size_t i;

	if (pattern == NULL || memchr(regex.b, ':', regex.len) == NULL ||
	    memchr(regex.b, '|', regex.len) != NULL)
		return (false);
	for (i = 0; i < sizeof hosts / sizeof *hosts; i++)
		if (!fm_text_is(fm_import_sub(im, pattern,
		    fm_text_of(hosts[i][0]), to, false), hosts[i][1]))
			return (false);
	return (true);
}

static bool
is_spelling(struct fm_import *im, const struct fm_expr *e)
{
	const struct fm_expr *a = e->first;

	if (fm_expr_calls(e, "std.tolower", 1))
		return (fm_expr_is(a, "req.http.Host") || is_spelling(im, a));
	if (e->kind == FM_EXPR_CALL && a == NULL)
		return (fm_text_is_nocase(e->text, "req.http.Host.lower"));
	return ((fm_expr_calls(e, "regsub", 3) ||
	    fm_expr_calls(e, "regsuball", 3)) &&
	    (fm_expr_is(a, "req.http.Host") || is_spelling(im, a)) &&
	    a->next->kind == FM_EXPR_STRING &&
	    a->next->next->kind == FM_EXPR_STRING &&
	    takes_port(im, a->next->text, a->next->next->text));
}

static bool
is_host_spelling(struct fm_import *im, const struct fm_vstmt *s)
{
	return (s->kind == FM_VSTMT_SET &&
	    fm_text_is_nocase(s->name, "req.http.Host") &&
	    is_spelling(im, s->value));
}

/* Returns true if any statement makes the Host another one. */
static bool
stmts_set_host(struct fm_import *im, const struct fm_vstmt *s)
{
	const struct fm_arm *arm;

	for (; s != NULL; s = s->next) {
		if (s->kind == FM_VSTMT_SET &&
		    fm_text_is_nocase(s->name, "req.http.Host") &&
		    !is_host_spelling(im, s))
			return (true);
		for (arm = s->arms; arm != NULL; arm = arm->next)
			if (stmts_set_host(im, arm->body))
				return (true);
	}
	return (false);
}

bool
fm_import_sets_host(struct fm_import *im)
{
	const struct fm_vdecl *decl;

	for (decl = im->vcl.decls; decl != NULL; decl = decl->next)
		if (stmts_set_host(im, decl->body))
			return (true);
	return (false);
}

static size_t
host_put(struct fm_import *im, const struct fm_vstmt *s)
{
	size_t n = 0;

	for (; s != NULL && is_host_spelling(im, s); s = s->next)
		n++;
	/* ${host} is the host that was asked for. */
	if (n == 0 || fm_import_sets_host(im))
		return (0);
	fm_import_begin(im, "set Host = \"${host}\";\n");
	fm_import_note(im, FM_NOTE_HOST, "Host: www.Example.com.");
	return (n);
}

/*--------------------------------------------------------------------
 * One statement
 */

static bool
sort_put(struct fm_import *im, const struct fm_vstmt *s)
{
	struct fm_vstmt inner = *s;

	if (s->kind != FM_VSTMT_SET || !fm_text_is(s->name, "req.url") ||
	    !fm_expr_calls(s->value, "std.querysort", 1))
		return (false);
	/* The URL that it sorts is made by a statement of its own. */
	inner.value = s->value->first;
	inner.next = NULL;
	if (!fm_expr_is(inner.value, "req.url") &&
	    fm_import_cleanup(im, &inner) == 0 &&
	    !fm_import_set_url(im, &inner))
		return (false);
	fm_import_begin(im, "query sort;\n");
	fm_import_begin(im, "query clean;\n");
	fm_import_note(im, FM_NOTE_SORT, "GET /?a=2&a=1 HTTP/1.1");
	return (true);
}

/* Rules look at all Cookie and Accept headers as one. */
static bool
collect_put(struct fm_import *im, const struct fm_vstmt *s)
{
	struct fm_text header;

	if (s->kind != FM_VSTMT_ACTION || s->value->first == NULL ||
	    !fm_text_is(s->value->text, "std.collect") ||
	    s->value->first->kind != FM_EXPR_NAME)
		return (false);
	header = fm_header_of(s->value->first->text);
	if (!fm_import_joins(header))
		return (false);
	fm_import_note(im, FM_NOTE_REPEATED, "%.*s: a=1, and once more "
	    "%.*s: b=2", FM_ARG(header), FM_ARG(header));
	return (true);
}

/*--------------------------------------------------------------------
 * vmod_cookie
 */

/* `if (req.http.Cookie == "") { unset req.http.Cookie;`, from its end on. */
static bool
ends_in_no_cookie(const struct fm_vcl_token *t)
{
	return (fm_text_is(t->text, "{") && fm_text_is(t[-1].text, ")") &&
	    t[-2].kind == FM_VCL_STRING && t[-4].kind == FM_VCL_NAME &&
	    fm_text_is_nocase(t[-4].text, "req.http.Cookie"));
}

/*
 * Returns true if what cookie.get() is asked for is in the Cookie header as it
 * is: parsed, and neither changed since, but to be put back.
 */
static bool
is_parsed(const struct fm_import *im, const struct fm_expr *call)
{
	const struct fm_vcl_token *t = im->vcl.tokens + im->vcl.ntokens - 1;
	bool put = false, set;

	while (t > im->vcl.tokens + 5 && t->text.b != call->text.b)
		t--;
	for (t--; t > im->vcl.tokens + 5; t--) {
		if (t->kind != FM_VCL_NAME)
			continue;
		if (fm_text_is(t->text, "cookie.parse"))
			return (true);
		set = fm_text_is(t[-1].text, "set");
		if (!fm_text_is_nocase(t->text, "req.http.Cookie") ||
		    (!set && !fm_text_is(t[-1].text, "unset"))) {
			if (!put && fm_text_begins(t->text, "cookie.") &&
			    !fm_text_begins(t->text, "cookie.get") &&
			    !fm_text_is(t->text, "cookie.isset"))
				return (false);
			continue;
		}
		if (set && fm_text_is(t[2].text, "cookie.get_string"))
			put = true;
		else if (set || !ends_in_no_cookie(t - 2))
			return (false);
	}
	return (false);
}

bool
fm_import_cookie(struct fm_import *im, const struct fm_expr *call,
    struct fm_text *name)
{
	if (im->cookie_vmod ||
	    !fm_expr_constant(&im->vcl, call->first, name) || name->len == 0 ||
	    memchr(name->b, '*', name->len) != NULL || !is_parsed(im, call))
		return (false);
	fm_import_note(im, FM_NOTE_COOKIE, "Cookie: %.*s", FM_ARG(*name));
	im->seen.joins = true;
	return (true);
}

/*
 * Takes the parse alone: rules that ask for cookies need none.  Once any of
 * vmod_cookie stays VCL, all of it does.
 */
static bool
parse_put(const struct fm_import *im, const struct fm_vstmt *s)
{
	return (s->kind == FM_VSTMT_ACTION && !im->cookie_vmod &&
	    fm_expr_calls(s->value, "cookie.parse", 1) &&
	    fm_expr_is(s->value->first, "req.http.Cookie"));
}

/*--------------------------------------------------------------------
 * builtin.vcl
 */

/* The whole of builtin.vcl, as it stands at the end of many a vcl_recv. */
static size_t
builtin_put(struct fm_import *im, const struct fm_vstmt *s)
{
	static const char rules[] =
	    "when not method is GET HEAD PUT POST TRACE OPTIONS DELETE {\n"
	    "    pipe;\n}\n"
	    "when not method is GET HEAD {\n"
	    "    pass;\n}\n"
	    "when header Authorization present\n"
	    "    or header Cookie present {\n"
	    "    pass;\n}\n"
	    "hash;\n";
	const struct fm_seen seen = im->seen;
	unsigned tabs = im->tabs, n = 0;
	const struct fm_vstmt *at;
	const char *text, *patch;

	for (at = s; at != NULL && at->kind == (n < 3 ? FM_VSTMT_IF :
	    FM_VSTMT_RETURN); at = at->next)
		n++;
	if (n != 4 || at != NULL)
		return (0);
	fm_import_catch(im);
	im->tabs = 0;
	for (at = s; at != NULL && fm_import_stmt(im, at); at = at->next)
		continue;
	im->tabs = tabs;
	im->seen = seen;
	im->why = NULL;
	text = fm_import_caught(im);
	patch = strstr(text, " PATCH");
	if (patch != NULL)
		text = fm_import_printf(im, "%.*s%s", (int)(patch - text),
		    text, patch + strlen(" PATCH"));
	if (strcmp(text, rules) != 0)
		return (0);
	fm_import_begin(im, "builtin;\n");
	fm_import_note(im, FM_NOTE_BUILTIN, "%s / HTTP/1.1",
	    patch != NULL ? "PRI" : "PATCH");
	return (4);
}

size_t
fm_import_idiom(struct fm_import *im, const struct fm_vstmt *s)
{
	size_t n = host_put(im, s);

	if (n == 0)
		n = builtin_put(im, s);
	if (n == 0)
		n = sort_put(im, s) || collect_put(im, s) || parse_put(im, s);
	return (n);
}
