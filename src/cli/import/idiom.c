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
	struct fm_text whole = fm_text_of(fm_import_printf(im,
	    "^a\\.example(?:%.*s)$", (int)regex.len, regex.b));
	size_t i = 0;

	if (fm_text_is(to, "\\1"))
		return (regex.len > 6 && memcmp(regex.b, "^([^:]", 6) == 0 &&
		    fm_import_regex_fits(regex, fm_text_of("a.example:8080"))
		    == 1);
	while (i < regex.len && strchr("(?\\.", regex.b[i]) != NULL)
		i++;
	return (to.len == 0 && i < regex.len && regex.b[i] == ':' &&
	    memchr(regex.b, '|', regex.len) == NULL &&
	    fm_import_regex_fits(whole, fm_text_of("a.example:80")) == 1 &&
	    fm_import_regex_fits(whole, fm_text_of("a.example:8080")) == 1);
}

static bool
is_spelling(struct fm_import *im, const struct fm_expr *e, bool *changed)
{
	const struct fm_expr *a = e == NULL ? NULL : e->first;

	if (e == NULL || fm_expr_is(e, "req.http.Host"))
		return (e != NULL);
	*changed = true;
	if (fm_expr_calls(e, "std.tolower", 1))
		return (is_spelling(im, a, changed));
	if (e->kind == FM_EXPR_CALL && a == NULL &&
	    fm_text_is_nocase(e->text, "req.http.Host.lower"))
		return (true);
	return ((fm_expr_calls(e, "regsub", 3) ||
	    fm_expr_calls(e, "regsuball", 3)) && is_spelling(im, a, changed) &&
	    a != NULL && a->next != NULL && a->next->kind == FM_EXPR_STRING &&
	    a->next->next->kind == FM_EXPR_STRING &&
	    takes_port(im, a->next->text, a->next->next->text));
}

bool
fm_import_is_host_spelling(struct fm_import *im, const struct fm_vstmt *s)
{
	bool changed = false;

	return (s->kind == FM_VSTMT_SET &&
	    fm_text_is_nocase(s->name, "req.http.Host") &&
	    is_spelling(im, s->value, &changed) && changed);
}

static size_t
host_put(struct fm_import *im, const struct fm_vstmt *s, unsigned tabs,
    FILE *to)
{
	size_t n = 0;

	for (; s != NULL && fm_import_is_host_spelling(im, s); s = s->next)
		n++;
	/* ${host} is the host that was asked for. */
	if (n == 0 || fm_import_sets_host(im))
		return (0);
	fm_import_line_put(tabs, to, "set Host = \"${host}\";");
	fm_import_note(im, FM_NOTE_HOST, "Host: www.Example.com.");
	return (n);
}

/*--------------------------------------------------------------------
 * One statement
 */

static bool
sort_put(struct fm_import *im, const struct fm_vstmt *s, unsigned tabs,
    FILE *to)
{
	struct fm_vstmt inner = *s;

	if (s->kind != FM_VSTMT_SET || !fm_text_is(s->name, "req.url") ||
	    !fm_expr_calls(s->value, "std.querysort", 1))
		return (false);
	/* What it sorts is made by a statement of its own. */
	inner.value = s->value->first;
	inner.next = NULL;
	if (!fm_expr_is(inner.value, "req.url") &&
	    fm_import_cleanup(im, &inner, tabs, to) == 0 &&
	    !fm_import_set_url(im, &inner, tabs, to))
		return (false);
	fm_import_line_put(tabs, to, "query sort;");
	fm_import_line_put(tabs, to, "query clean;");
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
	    "%.*s: b=2", (int)header.len, header.b, (int)header.len, header.b);
	return (true);
}

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
bool
fm_import_is_parsed(const struct fm_import *im, const struct fm_expr *call)
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

/*
 * The parse alone: rules that ask for cookies need none.  What of vmod_cookie
 * stays VCL does, and then all of it does.
 */
static bool
parse_put(const struct fm_import *im, const struct fm_vstmt *s)
{
	return (s->kind == FM_VSTMT_ACTION && !im->cookie_vmod &&
	    fm_expr_calls(s->value, "cookie.parse", 1) &&
	    fm_expr_is(s->value->first, "req.http.Cookie"));
}

/*--------------------------------------------------------------------
 * What builtin.vcl does
 */

static bool
is_return(const struct fm_vstmt *s, const char *verdict)
{
	return (s != NULL && s->next == NULL && s->kind == FM_VSTMT_RETURN &&
	    fm_text_is(s->name, verdict) && s->value->kind == FM_EXPR_NAME);
}

static const struct fm_expr *
cond_of(const struct fm_vstmt *s, const char *verdict)
{
	return (s != NULL && s->kind == FM_VSTMT_IF && s->arms != NULL &&
	    s->arms->next == NULL && is_return(s->arms->body, verdict) ?
	    s->arms->cond : NULL);
}

/* req.method != "A" && req.method != "B" ..., of all these and no other. */
static bool
asks_for_methods(const struct fm_expr *e, const char *names)
{
	const struct fm_expr *part;
	const char *hit;
	size_t len = 0;

	if (e == NULL || e->kind != FM_EXPR_AND)
		return (false);
	for (part = e->first; part != NULL; part = part->next) {
		if (part->kind != FM_EXPR_COMPARE ||
		    !fm_text_is(part->text, "!=") ||
		    !fm_expr_is(part->first, "req.method") ||
		    part->first->next->kind != FM_EXPR_STRING)
			return (false);
		hit = memmem(names, strlen(names), part->first->next->text.b,
		    part->first->next->text.len);
		if (hit == NULL)
			return (false);
		len += part->first->next->text.len + 1;
	}
	return (len == strlen(names));
}

static bool
asks_for_secrets(const struct fm_expr *e)
{
	return (e != NULL && e->kind == FM_EXPR_OR &&
	    e->first->next->next == NULL &&
	    ((fm_expr_is(e->first, "req.http.Authorization") &&
	    fm_expr_is(e->first->next, "req.http.Cookie")) ||
	    (fm_expr_is(e->first, "req.http.Cookie") &&
	    fm_expr_is(e->first->next, "req.http.Authorization"))));
}

/*
 * The whole of builtin.vcl as it was copied into many a vcl_recv, at its end.
 */
static size_t
builtin_put(struct fm_import *im, const struct fm_vstmt *s, unsigned tabs,
    FILE *to)
{
	const struct fm_vstmt *pass = s->next, *secrets;
	const struct fm_expr *pipe = cond_of(s, "pipe");
	bool patch = asks_for_methods(pipe,
	    "GET HEAD PUT POST TRACE OPTIONS DELETE PATCH ");

	if ((!patch && !asks_for_methods(pipe,
	    "GET HEAD PUT POST TRACE OPTIONS DELETE ")) || pass == NULL ||
	    !asks_for_methods(cond_of(pass, "pass"), "GET HEAD "))
		return (0);
	secrets = pass->next;
	if (secrets == NULL || !asks_for_secrets(cond_of(secrets, "pass")) ||
	    !is_return(secrets->next, "hash"))
		return (0);
	fm_import_line_put(tabs, to, "builtin;");
	fm_import_note(im, FM_NOTE_BUILTIN, "%s / HTTP/1.1", patch ? "PRI" :
	    "PATCH");
	return (4);
}

size_t
fm_import_idiom(struct fm_import *im, const struct fm_vstmt *s, unsigned tabs,
    FILE *to)
{
	size_t n = host_put(im, s, tabs, to);

	if (n == 0)
		n = builtin_put(im, s, tabs, to);
	if (n == 0)
		n = sort_put(im, s, tabs, to) || collect_put(im, s) ||
		    parse_put(im, s);
	return (n);
}
