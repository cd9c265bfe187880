/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Values: texts, and names of a request in them; and what VCL makes of the URL
 * by regsub() and regsuball(), and of headers by regsub().
 *
 * A URL must not become empty: VCL fails the request then, and rules make it
 * "/".
 */

#include <string.h>

#include "import.h"

static bool
value_text(struct fm_import *im, const struct fm_expr *e)
{
	size_t i;

	for (i = 0; i < e->text.len; i++)
		if ((unsigned char)e->text.b[i] < ' ')
			return (fm_import_refuse(im, &e->at,
			    "rules set no values with controls in them"));
	if (memmem(e->text.b, e->text.len, "${", 2) != NULL)
		return (fm_import_refuse(im, &e->at,
		    "'${' is not a text in rules"));
	fm_import_put(im, "%.*s", FM_ARG(e->text));
	return (true);
}

/* Returns what rules call a name; NULL: nothing, or it is a header. */
static const char *
value_variable(const struct fm_expr *e)
{
	static const char * const names[][2] = {
		{ "req.url", "${url}" }, { "req.method", "${method}" },
		{ "req.request", "${method}" }, { "client.ip", "${client}" },
		{ FM_IMPORT_HOST, FM_IMPORT_HOST }
	};
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (fm_text_is(e->text, names[i][0]))
			return (names[i][1]);
	return (NULL);
}

bool
fm_import_value_knows(const struct fm_expr *e)
{
	return (fm_header_of(e->text).b != NULL || value_variable(e) != NULL);
}

static bool
value_name(struct fm_import *im, const struct fm_expr *e)
{
	struct fm_text header = fm_header_of(e->text);

	if (!fm_import_value_knows(e))
		return (fm_import_refuse(im, &e->at,
		    "rules have no '%.*s' for a value", FM_ARG(e->text)));
	im->seen.joins |= fm_import_joins(header);
	if (fm_text_is(e->text, "req.url"))
		fm_import_note(im, FM_NOTE_URL, "OPTIONS * HTTP/1.1");
	if (header.b != NULL)
		fm_import_put(im, "${header.%.*s}", FM_ARG(header));
	else
		fm_import_put(im, "%s", value_variable(e));
	return (true);
}

/* Texts and names behind each other, as one template without quotes. */
static bool
value_put(struct fm_import *im, const struct fm_expr *e)
{
	const struct fm_expr *part;
	struct fm_text name;

	switch (e->kind) {
	case FM_EXPR_STRING:
		return (value_text(im, e));
	case FM_EXPR_NUMBER:
		fm_import_put(im, "%.*s", FM_ARG(e->text));
		return (true);
	case FM_EXPR_NAME:
		return (value_name(im, e));
	case FM_EXPR_CONCAT:
		for (part = e->first; part != NULL; part = part->next)
			if (!value_put(im, part))
				return (false);
		return (true);
	case FM_EXPR_CALL:
		if (!fm_expr_calls(e, "cookie.get", 1) ||
		    !fm_import_cookie(im, e, &name))
			return (fm_import_refuse(im, &e->at,
			    "rules have no %.*s() for a value",
			    FM_ARG(e->text)));
		fm_import_put(im, "${cookie.%.*s}", FM_ARG(name));
		return (true);
	default:
		return (fm_import_refuse(im, &e->at,
		    "rules have no such value"));
	}
}

bool
fm_import_value_quoted(struct fm_import *im, const struct fm_expr *e)
{
	bool good;

	fm_import_catch(im);
	good = value_put(im, e);
	fm_import_quote_put(im, fm_text_of(fm_import_caught(im)));
	return (good);
}

bool
fm_import_value_firm(const struct fm_expr *e)
{
	const struct fm_expr *part;

	if (e->kind == FM_EXPR_CONCAT)
		for (part = e->first; part != NULL; part = part->next)
			if (fm_import_value_firm(part))
				return (true);
	return ((e->kind == FM_EXPR_STRING && fm_text_trim(e->text).len > 0) ||
	    e->kind == FM_EXPR_NUMBER ||
	    (e->kind == FM_EXPR_NAME && value_variable(e) != NULL));
}

/*--------------------------------------------------------------------
 * The URL
 */

/* Returns true if a replacement has a byte of its own. */
static bool
has_text(struct fm_text to)
{
	return (to.len > 0 && !(to.len == 2 && *to.b == '\\' &&
	    to.b[1] >= '0' && to.b[1] <= '9'));
}

/* Returns true if nothing of an ordinary URL may be left. */
static bool
takes_all(struct fm_import *im, struct fm_text regex)
{
	struct fm_text whole = fm_text_of(fm_import_printf(im, "^(?:%.*s)$",
	    (int)regex.len, regex.b));

	return (fm_import_regex_fits(im, whole, "/") == 1 ||
	    fm_import_regex_fits(im, whole, "/a/b.html?x=1") == 1);
}

/* Notes that nothing may be left of a URL. */
static void
note_nothing(struct fm_import *im, struct fm_text regex)
{
	const char *url = fm_import_sample(im, regex);

	if (url != NULL)
		fm_import_note(im, FM_NOTE_URL, "GET %s HTTP/1.1", url);
	else
		fm_import_note(im, FM_NOTE_URL, "a URL that `%.*s` takes "
		    "whole", FM_ARG(regex));
}

static void
rewrite_put(struct fm_import *im, const char *all, struct fm_text regex,
    struct fm_text text)
{
	fm_import_begin(im, "rewrite %s~ ", all);
	fm_import_quote_put(im, regex);
	fm_import_put(im, " to ");
	fm_import_quote_put(im, text);
	fm_import_put(im, ";\n");
}

/* Rewrites by calls in each other, inside out. */
static bool
put_rewrite(struct fm_import *im, const struct fm_expr *call)
{
	const struct fm_expr *a = call->first;
	struct fm_text regex, text;
	bool all = fm_expr_calls(call, "regsuball", 3);

	if (fm_expr_is(call, "req.url"))
		return (true);
	if (!all && !fm_expr_calls(call, "regsub", 3))
		return (fm_import_refuse(im, &call->at,
		    "rules have no %.*s() for the URL", FM_ARG(call->text)));
	if (!fm_expr_constant(&im->vcl, a->next, &regex) ||
	    !fm_expr_constant(&im->vcl, a->next->next, &text))
		return (fm_import_refuse(im, &call->at,
		    "rules rewrite the URL by texts only"));
	if (fm_import_regex(im, regex) == NULL)
		return (fm_import_refuse(im, &call->at,
		    "PCRE2 does not understand this regex"));
	if (!put_rewrite(im, a))
		return (false);
	if (text.len == 0 && takes_all(im, regex))
		return (fm_import_refuse(im, &call->at, "nothing is left of "
		    "an ordinary URL: VCL fails then"));
	if (!has_text(text))
		note_nothing(im, regex);
	rewrite_put(im, all ? "all " : "", regex, text);
	im->seen.regexes = true;
	return (true);
}

bool
fm_import_set_url(struct fm_import *im, const struct fm_vstmt *s)
{
	const struct fm_expr *a = s->value->first;
	const char *regex = NULL;
	struct fm_text text;

	if (s->value->kind == FM_EXPR_CALL)
		return (put_rewrite(im, s->value));
	if (fm_expr_constant(&im->vcl, s->value, &text))
		regex = "(?s)^.*$";
	else if (s->value->kind == FM_EXPR_CONCAT && a->next->next == NULL &&
	    a->kind == FM_EXPR_STRING && fm_expr_is(a->next, "req.url")) {
		regex = "^";
		text = a->text;
	}
	/* A backslash is one of regsub(). */
	if (regex == NULL || text.len == 0 || *text.b != '/' ||
	    memchr(text.b, '\\', text.len) != NULL)
		return (fm_import_refuse(im, &s->at,
		    "rules rewrite the URL by a regex or put a path "
		    "in front of it, nothing else"));
	rewrite_put(im, "", fm_text_of(regex), text);
	return (true);
}

/*--------------------------------------------------------------------
 * A header: regsub(X, "REGEX", "TEXT") is what is before the match, TEXT, and
 * what is behind it.
 */

/* TEXT of regsub() as a value, its groups by one more; NULL: it is none. */
static const char *
template_of(struct fm_import *im, struct fm_text text, int groups)
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
		value = fm_import_printf(im, "%s${%d}", value, n + 1);
	}
	return (value);
}

bool
fm_import_regsub(struct fm_import *im, const struct fm_vstmt *s,
    struct fm_text header)
{
	const struct fm_expr *call = s->value, *from = call->first;
	struct fm_text regex, text, name;
	const char *value, *nocase = "", *sample;
	int groups;

	if (!fm_expr_calls(call, "regsub", 3) ||
	    !fm_expr_constant(&im->vcl, from->next, &regex) ||
	    !fm_expr_constant(&im->vcl, from->next->next, &text) ||
	    from->kind != FM_EXPR_NAME ||
	    (fm_header_of(from->text).b == NULL &&
	    !fm_expr_is(from, "req.url")))
		return (fm_import_refuse(im, &call->at,
		    "rules have no such %.*s() for a header",
		    FM_ARG(call->text)));
	groups = fm_import_regex_groups(regex);
	if (groups < 0 || groups > 7)
		return (fm_import_refuse(im, &call->at,
		    "rules have no such regex for a header"));
	value = template_of(im, text, groups);
	if (value == NULL)
		return (fm_import_refuse(im, &call->at,
		    "rules have no such text to put in for a header"));
	if (regex.len > 4 && fm_text_begins(regex, "(?i)")) {
		nocase = "(?i)";
		regex = fm_text(regex.b + 4, regex.len - 4);
	}
	name = fm_header_of(from->text);
	fm_import_begin(im, "when %s ~ ", name.b == NULL ? "url" :
	    fm_import_header(im, name));
	fm_import_quote_put(im, fm_text_of(fm_import_printf(im,
	    "%s^(.*?)(?:%.*s)(.*)$", nocase, FM_ARG(regex))));
	fm_import_put(im, " {\n    ");
	fm_import_begin(im, "set %.*s = \"${1}%s${%d}\";\n", FM_ARG(header),
	    value, groups + 2);
	if (name.b == NULL || !fm_text_eq_nocase(name, header)) {
		fm_import_begin(im, "} else {\n    ");
		fm_import_begin(im, "set %.*s = ", FM_ARG(header));
		(void)fm_import_value_quoted(im, from);
		fm_import_put(im, ";\n");
	}
	fm_import_begin(im, "}\n");
	sample = fm_import_sample(im, regex);
	fm_import_note(im, FM_NOTE_EMPTY, "%.*s: %s", FM_ARG(name),
	    sample == NULL ? "with nothing left of it" : sample);
	im->seen.regexes = true;
	return (true);
}
