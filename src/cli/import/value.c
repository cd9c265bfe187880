/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Translates `set`: values become templates of rules, regsub() of the URL a
 * `rewrite`, and so does regsub() of a header that is set to the result.  Set
 * to the result for another header, it gets a test with groups.
 *
 * A URL must not become empty: VCL would fail the request, and rules would make
 * the URL "/".
 */

#include <ctype.h>
#include <string.h>

#include "import.h"

/*--------------------------------------------------------------------
 * Values
 */

/* A value as a template, which is made part by part. */
struct value {
	const char		*text;
	bool			firm;		/* it can't be empty */
	bool			there;		/* it has a client's header that
						 * is there for sure */
	bool			blank;		/* it ends in a blank */
	struct fm_text		header;		/* the first one that it has */
};

static bool
add_text(struct fm_import *im, struct value *value, const struct fm_expr *expr)
{
	struct fm_text text = expr->text;
	size_t i;

	for (i = 0; i < text.len; i++)
		if ((unsigned char)text.b[i] < ' ')
			return (fm_import_refuse(im, &expr->at,
			    "rules set no values with controls in them"));
	if (memmem(text.b, text.len, "${", 2) != NULL)
		return (fm_import_refuse(im, &expr->at,
		    "'${' is not a text in rules"));
	value->firm |= fm_text_trim(text).len > 0;
	value->blank = text.len > 0 && text.b[text.len - 1] == ' ';
	value->text = fm_import_printf(im, "%s%.*s", value->text, FM_ARG(text));
	return (true);
}

/* Returns true if VCL sets or unsets a header somewhere. */
static bool
is_changed(const struct fm_import *im, struct fm_text name)
{
	const struct fm_vcl_token *token;

	for (token = im->vcl.tokens; token->kind != FM_VCL_END; token++)
		if ((fm_text_is(token->text, "set") ||
		    fm_text_is(token->text, "unset")) &&
		    fm_text_eq_nocase(token[1].text, name))
			return (true);
	return (false);
}

static bool
add_name(struct fm_import *im, struct value *value, const struct fm_expr *expr)
{
	static const char * const names[][2] = {
		{ "req.url", "${url}" }, { "req.method", "${method}" },
		{ "req.request", "${method}" }, { "client.ip", "${client}" },
		{ FM_IMPORT_HOST, FM_IMPORT_HOST }
	};
	struct fm_text header = fm_header_of(expr->text);
	const char *variable = NULL;
	bool firm = false;
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (im->phase == FM_IN_RECV &&
		    fm_text_is(expr->text, names[i][0]))
			variable = names[i][1];
	if (im->phase != FM_IN_RECV) {
		variable = fm_import_variable(im, expr->text, &firm);
		header = firm ? fm_text(NULL, 0) :
		    fm_import_own(im, expr->text);
		if (header.b == NULL && !firm)
			header = fm_import_asked(im, expr->text);
	}
	value->firm |= firm || (variable != NULL &&
	    im->phase == FM_IN_RECV);
	value->blank = false;
	if (header.b != NULL) {
		im->seen.joins |= fm_import_joins(header);
		value->there |= !is_changed(im, expr->text) &&
		    fm_import_is_there(im, fm_import_printf(im, "%.*s",
		    FM_ARG(expr->text)));
		if (value->header.b == NULL)
			value->header = header;
		if (variable == NULL)
			variable = fm_import_printf(im, "${header.%.*s}",
			    FM_ARG(header));
	} else if (variable != NULL && strcmp(variable, "${url}") == 0) {
		fm_import_note(im, FM_NOTE_URL, "OPTIONS * HTTP/1.1");
	} else if (variable == NULL) {
		return (fm_import_refuse(im, &expr->at, "rules have no '%.*s' "
		    "for a value", FM_ARG(expr->text)));
	}
	value->text = fm_import_printf(im, "%s%s", value->text, variable);
	return (true);
}

/* Adds an expression of texts and names to a value; false: refused. */
static bool
value_add(struct fm_import *im, struct value *value, const struct fm_expr *expr)
{
	const struct fm_expr *part;
	struct fm_text name;

	switch (expr->kind) {
	case FM_EXPR_STRING:
	case FM_EXPR_NUMBER:
		return (add_text(im, value, expr));
	case FM_EXPR_NAME:
		return (add_name(im, value, expr));
	case FM_EXPR_CONCAT:
		for (part = expr->first; part != NULL; part = part->next)
			if (!value_add(im, value, part))
				return (false);
		return (true);
	case FM_EXPR_CALL:
		if (im->phase != FM_IN_RECV ||
		    !fm_expr_calls(expr, "cookie.get", 1) ||
		    !fm_import_cookie(im, expr, &name))
			return (fm_import_refuse(im, &expr->at, "rules have no "
			    "%.*s() for a value", FM_ARG(expr->text)));
		value->text = fm_import_printf(im, "%s${cookie.%.*s}",
		    value->text, FM_ARG(name));
		return (true);
	default:
		return (fm_import_refuse(im, &expr->at,
		    "rules have no such value"));
	}
}

const char *
fm_import_value(struct fm_import *im, const struct fm_expr *expr)
{
	struct value value = { .text = "" };

	return (!value_add(im, &value, expr) ? NULL :
	    fm_import_quote(im, fm_text_of(value.text)));
}

/*--------------------------------------------------------------------
 * The URL
 */

/* Notes that nothing is left of some URL; false: of an ordinary URL. */
static bool
note_nothing(struct fm_import *im, const struct fm_expr *call,
    struct fm_text regex, struct fm_text to)
{
	struct fm_text whole = fm_import_text(im, "^(?:%.*s)$", FM_ARG(regex));
	const char *url;

	if (to.len > 0 && (*to.b != '\\' || to.len > 2))
		return (true);
	if (to.len == 0 && (fm_import_regex_fits(whole, "/") == 1 ||
	    fm_import_regex_fits(whole, "/a/b.html?x=1") == 1))
		return (fm_import_refuse(im, &call->at, "nothing is left of "
		    "an ordinary URL: VCL fails then"));
	url = fm_import_sample(im, regex);
	fm_import_note(im, FM_NOTE_URL, url != NULL ? "GET %s HTTP/1.1" :
	    "a URL that `%s` takes whole", url != NULL ? url :
	    fm_import_printf(im, "%.*s", FM_ARG(regex)));
	return (true);
}

/* Returns true if a regex is all of a query, with its `?`. */
static bool
is_query(struct fm_text regex)
{
	static const char * const queries[] = { "\\?.*$", "\\?.*", "\\?(.*)$",
	    "\\?.+$", "[?].*$", "[?].*", NULL };

	return (fm_text_is_one_of(regex, queries));
}

/* Returns true for std.tolower(req.http.Host), for the Host itself. */
static bool
is_lowered_host(const struct fm_import *im, const struct fm_expr *expr,
    struct fm_text header)
{
	return (im->well_formed && im->phase == FM_IN_RECV &&
	    header.b != NULL && fm_text_is_nocase(header, "Host") &&
	    fm_expr_calls(expr, "std.tolower", 1) &&
	    fm_expr_is(expr->first, "req.http.Host"));
}

/*
 * Writes a `rewrite` for each of some nested calls, the innermost first, of a
 * header or (`header` is missing) of the URL.
 */
static bool
put_rewrite(struct fm_import *im, const struct fm_expr *call,
    struct fm_text header)
{
	const struct fm_expr *expr = call->first;
	struct fm_text regex, text;
	bool all = fm_expr_calls(call, "regsuball", 3);
	const char *what = "";

	if (header.b == NULL ? fm_expr_is(call, "req.url") :
	    call->kind == FM_EXPR_NAME)
		return (true);
	if (is_lowered_host(im, call, header)) {
		fm_import_put(im, "set Host = \"${host}\";\n");
		fm_import_note(im, FM_NOTE_HOST, "Host: www.Example.com.");
		return (true);
	}
	if (!all && !fm_expr_calls(call, "regsub", 3))
		return (fm_import_refuse(im, &call->at,
		    "rules have no %.*s() for the URL", FM_ARG(call->text)));
	if (!fm_expr_constant(&im->vcl, expr->next, &regex) ||
	    !fm_expr_constant(&im->vcl, expr->next->next, &text) ||
	    fm_import_regex_fits(regex, "") < 0)
		return (fm_import_refuse(im, &call->at,
		    "rules rewrite the URL by a regex and a text"));
	if (!put_rewrite(im, expr, header) || (header.b == NULL &&
	    !note_nothing(im, call, regex, text)))
		return (false);
	if (header.b == NULL && im->well_formed && text.len == 0 &&
	    is_query(regex)) {
		fm_import_put(im, "query drop *;\n");
		fm_import_note(im, FM_NOTE_QUERY, "GET /?#a HTTP/1.1");
		return (true);
	}
	im->seen.regexes = true;
	if (header.b != NULL)
		what = fm_import_printf(im, "%s ",
		    fm_import_header(im, header));
	fm_import_put(im, "rewrite %s%s~ %s to %s;\n", all ? "all " : "", what,
	    fm_import_quote(im, fm_import_tidy(im, regex, false)),
	    fm_import_quote(im, text));
	return (true);
}

static bool
set_url(struct fm_import *im, const struct fm_vstmt *stmt)
{
	const struct fm_expr *expr = stmt->value->first;
	struct fm_text text = { "", 0 };
	bool all;

	if (stmt->value->kind == FM_EXPR_CALL)
		return (put_rewrite(im, stmt->value, fm_text_of(NULL)));
	all = fm_expr_constant(&im->vcl, stmt->value, &text);
	if (!all && stmt->value->kind == FM_EXPR_CONCAT &&
	    expr->next->next == NULL && fm_expr_is(expr->next, "req.url"))
		text = expr->text;
	/* In `rewrite`, a backslash would refer to a group. */
	if (text.len == 0 || *text.b != '/' || (all ?
	    fm_text_has(text, "${") :
	    memchr(text.b, '\\', text.len) != NULL))
		return (fm_import_refuse(im, &stmt->at,
		    "rules rewrite the URL by a regex or put a path "
		    "in front of it, nothing else"));
	fm_import_put(im, "%s %s;\n", all ? "set url" : "rewrite ~ \"^\" to",
	    fm_import_quote(im, text));
	return (true);
}

/*--------------------------------------------------------------------
 * A header: regsub(X, "REGEX", "TEXT") is what is before the match, TEXT, and
 * what is after it.
 */

/* Returns TEXT of regsub() as a value, group n as n + by; NULL: refused. */
static const char *
groups_of(struct fm_import *im, struct fm_text text, int groups, int by)
{
	const char *value = "";
	size_t i;
	int n;

	for (i = 0; i < text.len; i++) {
		if (text.b[i] == '$' || text.b[i] == '"' ||
		    (unsigned char)text.b[i] < ' ')
			return (NULL);
		if (text.b[i] != '\\') {
			value = fm_import_printf(im, "%s%c", value, text.b[i]);
			continue;
		}
		n = i + 1 < text.len ? text.b[++i] - '0' : -1;
		if (n < 1 || n > groups)
			return (NULL);
		value = fm_import_printf(im, "%s${%d}", value, n + by);
	}
	return (value);
}

/*
 * Finds out if a regex (without a `|`) begins at the beginning and ends at the
 * end of its subject, and cuts off a `.*` there.
 */
static void
ends_of(struct fm_text *regex, bool *first, bool *last)
{
	const char *e = regex->b + regex->len;

	*first = fm_text_begins(*regex, "^");
	*last = regex->len > 1 && e[-1] == '$' && e[-2] != '\\';
	if (regex->len > 2 && e[-1] == '*' && e[-2] == '.' && e[-3] != '\\') {
		regex->len -= 2;
		*last = true;
	}
}

/* Refuses a value that may be empty, if VCL asks for the difference later. */
static bool
empty_check(struct fm_import *im, const struct fm_vstmt *stmt,
    struct fm_text header)
{
	bool asked = im->phase == FM_IN_RECV ? fm_import_empty(im, header,
	    stmt, 1, im->joined) == FM_EMPTY_ASKED :
	    fm_import_phase_asks(im, header);

	return (!asked || fm_import_refuse(im, &stmt->at, "the value may "
	    "be empty: rules set no such header then, and VCL tells an empty "
	    "%.*s from a missing one", FM_ARG(header)));
}

/*
 * Returns true if regsub() makes something of a header that is not there, which
 * is "" in VCL.  Rules replace nothing in such a header.
 */
static bool
fills_missing(struct fm_text regex, struct fm_text text)
{
	size_t i;

	/* Each group of an empty text is empty. */
	for (i = 0; i + 1 < text.len && text.b[i] == '\\' &&
	    isdigit((unsigned char)text.b[i + 1]); i += 2)
		continue;
	return (i < text.len && fm_import_regex_fits(regex, "") != 0);
}

/* Returns true for calls of regsub() and regsuball() that edit one header. */
static bool
is_edit(struct fm_import *im, const struct fm_expr *expr,
    struct fm_text header)
{
	struct fm_text regex, text;

	if (expr->kind == FM_EXPR_NAME)
		return (fm_text_eq_nocase(fm_import_own(im, expr->text),
		    header));
	if (is_lowered_host(im, expr, header))
		return (true);
	return ((fm_expr_calls(expr, "regsub", 3) ||
	    fm_expr_calls(expr, "regsuball", 3)) &&
	    fm_expr_constant(&im->vcl, expr->first->next, &regex) &&
	    fm_expr_constant(&im->vcl, expr->first->next->next, &text) &&
	    !fills_missing(regex, text) && is_edit(im, expr->first, header));
}

/* Returns true if the innermost of nested calls is std.tolower(). */
static bool
has_lowered(const struct fm_expr *expr)
{
	while (expr->kind == FM_EXPR_CALL && expr->first != NULL &&
	    expr->first->kind == FM_EXPR_CALL)
		expr = expr->first;
	return (fm_expr_calls(expr, "std.tolower", 1));
}

/* Returns what nested calls, which edit the Host, make of a host. */
static struct fm_text
edited(struct fm_import *im, const struct fm_expr *expr, const char *host)
{
	struct fm_text regex, to, from;

	if (expr->kind == FM_EXPR_NAME)
		return (fm_text_of(host));
	from = edited(im, expr->first, host);
	if (expr->first->next == NULL)
		return (from);
	(void)fm_expr_constant(&im->vcl, expr->first->next, &regex);
	(void)fm_expr_constant(&im->vcl, expr->first->next->next, &to);
	return (fm_import_sub(im, regex, from, to, fm_expr_calls(expr,
	    "regsuball", 3)));
}

/* Returns true if an edit of the Host leaves something of usual hosts. */
static bool
leaves_host(struct fm_import *im, const struct fm_vstmt *stmt,
    struct fm_text header)
{
	return (im->well_formed && im->phase == FM_IN_RECV &&
	    fm_text_is_nocase(header, "Host") &&
	    edited(im, stmt->value, "www.a.example").len > 0 &&
	    edited(im, stmt->value, "a.example").len > 0);
}

static bool
put_edit(struct fm_import *im, const struct fm_vstmt *stmt,
    struct fm_text header)
{

	/* VCL makes an empty header of one that is not there. */
	fm_import_note(im, FM_NOTE_EMPTY, "a request without %.*s",
	    FM_ARG(header));
	return (put_rewrite(im, stmt->value, header) && (leaves_host(im, stmt,
	    header) || empty_check(im, stmt, header)));
}

static bool
put_regsub(struct fm_import *im, const struct fm_vstmt *stmt,
    struct fm_text header)
{
	const struct fm_expr *call = stmt->value, *from = call->first;
	struct fm_text regex, text, name;
	const char *value = NULL, *nocase = "", *sample, *after = "";
	bool first = false, last = false, bar = false;
	int groups = 0;

	if (im->phase != FM_IN_RECV)
		return (fm_import_refuse(im, &call->at, "rules have no such "
		    "%.*s() for a header here", FM_ARG(call->text)));
	if (fm_expr_calls(call, "regsub", 3) && from->kind == FM_EXPR_NAME &&
	    fm_expr_constant(&im->vcl, from->next, &regex) &&
	    fm_expr_constant(&im->vcl, from->next->next, &text) &&
	    (fm_expr_is(from, "req.url") || !fills_missing(regex, text))) {
		groups = fm_import_regex_groups(regex);
		regex = fm_import_tidy(im, regex, false);
		nocase = fm_text_begins(regex, "(?i)") ? "(?i)" : "";
		regex = fm_text_span(regex.b + strlen(nocase), regex.b +
		    regex.len);
		bar = fm_import_has_bar(regex);
		if (!bar)
			ends_of(&regex, &first, &last);
		value = groups_of(im, text, groups, first ? 0 : 1);
	}
	name = fm_header_of(from == NULL ? call->text : from->text);
	if (value == NULL || groups < 0 || groups > 7 ||
	    (name.b == NULL && !fm_expr_is(from, "req.url")))
		return (fm_import_refuse(im, &call->at,
		    "rules have no such %.*s() for a header",
		    FM_ARG(call->text)));
	if (!last)
		after = fm_import_printf(im, "${%d}", groups + 2 - first);
	fm_import_put(im, "when %s ~ %s {\nset %.*s = \"%s%s%s\";\n}",
	    name.b == NULL ? "url" : fm_import_header(im, name),
	    fm_import_quote(im, fm_import_text(im, "%s%s%s%.*s%s%s", nocase,
	    first ? "" : "^(.*?)", bar ? "(?:" : "", FM_ARG(regex),
	    bar ? ")" : "", last ? "" : "(.*)$")),
	    FM_ARG(header), first ? "" : "${1}", value, after);
	if (name.b == NULL || !fm_text_eq_nocase(name, header))
		fm_import_put(im, " else {\nset %.*s = %s;\n}", FM_ARG(header),
		    fm_import_value(im, from));
	fm_import_put(im, "\n");
	sample = fm_import_sample(im, regex);
	fm_import_note(im, FM_NOTE_EMPTY, "%.*s: %s", FM_ARG(name),
	    sample == NULL ? "with nothing left of it" : sample);
	im->seen.regexes = true;
	return (empty_check(im, stmt, header));
}

/* Notes that a value may be empty, and for which request; false: refused. */
static bool
note_empty(struct fm_import *im, const struct fm_vstmt *stmt,
    const struct value *value)
{
	struct fm_text name = fm_import_own(im, stmt->name);

	if (value->there)
		fm_import_note(im, FM_NOTE_EMPTY, "an empty header that %.*s "
		    "is made of", FM_ARG(name));
	else if (value->header.b == NULL)
		fm_import_note(im, FM_NOTE_EMPTY, "any request");
	else
		fm_import_note(im, FM_NOTE_EMPTY, "a request without %.*s",
		    FM_ARG(value->header));
	return (value->there || empty_check(im, stmt, name));
}

static bool
set_header(struct fm_import *im, const struct fm_vstmt *stmt,
    struct fm_text header)
{
	struct value value = { .text = "" };

	im->seen.sets_host |= fm_text_is_nocase(header, "Host");
	if (fm_import_is_host(im, stmt->value)) {
		fm_import_put(im, "set %.*s = \"${host}\";\n", FM_ARG(header));
		fm_import_note(im, FM_NOTE_HOST, "Host: www.Example.com.");
		return (true);
	}
	if (stmt->value->kind == FM_EXPR_CALL &&
	    (im->phase != FM_IN_RECV ||
	    !fm_expr_calls(stmt->value, "cookie.get", 1)))
		return (is_edit(im, stmt->value, header) &&
		    (!has_lowered(stmt->value) ||
		    !fm_import_sets_host_before(im, &stmt->at)) ?
		    put_edit(im, stmt, header) : put_regsub(im, stmt, header));
	if (!value_add(im, &value, stmt->value))
		return (false);
	fm_import_put(im, "set %.*s = %s;\n", FM_ARG(header),
	    fm_import_quote(im, fm_text_of(value.text)));
	/* Rules would cut a blank off. */
	return ((value.firm && !value.blank) || note_empty(im, stmt, &value));
}

/*--------------------------------------------------------------------
 * A backend
 */

/*
 * Returns true for a director whose .backend() is the same for each request:
 * those of shard and of other modules may not be.
 */
static bool
is_director(const struct fm_import *im, struct fm_text name)
{
	static const char * const types[] = {
		"directors.fallback", "directors.random",
		"directors.round_robin", NULL
	};
	const struct fm_vcl_token *token;

	for (token = im->vcl.tokens; token->kind != FM_VCL_END; token++)
		if (fm_text_is(token->text, "new") &&
		    fm_text_eq(token[1].text, name))
			return (fm_text_is_one_of(token[3].text, types));
	return (false);
}

/* Writes `backend NAME`, for a backend or for NAME.backend() of a director. */
static bool
set_backend(struct fm_import *im, const struct fm_expr *expr)
{
	static const char method[] = ".backend";
	size_t len = sizeof method - 1;
	struct fm_text name = expr->text;

	if (expr->kind == FM_EXPR_CALL && expr->first == NULL && name.len >
	    len && memcmp(name.b + name.len - len, method, len) == 0) {
		name.len -= len;
		if (!is_director(im, name))
			return (fm_import_refuse(im,
			    &expr->at, "%.*s.backend() "
			    "may be another one for each request",
			    FM_ARG(name)));
	} else if (expr->kind != FM_EXPR_NAME ||
	    fm_vcl_find(&im->vcl, "backend", name) == NULL) {
		return (fm_import_refuse(im, &expr->at,
		    "rules name backends and directors, nothing else"));
	}
	fm_import_put(im, "backend %.*s;\n", FM_ARG(name));
	return (true);
}

bool
fm_import_set(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct fm_text header = fm_import_own(im, stmt->name);

	if (im->phase != FM_IN_RECV && header.b != NULL)
		return (set_header(im, stmt, header));
	if (fm_text_is(stmt->name, "req.backend_hint"))
		return (set_backend(im, stmt->value));
	if (fm_text_is(stmt->name, "req.url"))
		return (set_url(im, stmt));
	if (header.b == NULL)
		return (fm_import_refuse(im, &stmt->at,
		    "rules can't set %.*s", FM_ARG(stmt->name)));
	return (set_header(im, stmt, header));
}
