/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Translates values: texts with variables into templates of rules; and regsub()
 * and regsuball() of the URL, and regsub() of a header.
 *
 * A URL must not become empty: VCL would fail the request, and rules would make
 * the URL "/".
 */

#include <string.h>

#include "import.h"

static const char *
value_text(struct fm_import *im, const struct fm_expr *e)
{
	size_t i;

	for (i = 0; i < e->text.len; i++)
		if ((unsigned char)e->text.b[i] < ' ')
			return (FM_REFUSE(im, &e->at,
			    "rules set no values with controls in them"));
	if (memmem(e->text.b, e->text.len, "${", 2) != NULL)
		return (FM_REFUSE(im, &e->at, "'${' is not a text in rules"));
	return (fm_import_printf(im, "%.*s", FM_ARG(e->text)));
}

/* Returns the variable of rules for a name of VCL; NULL: none, or a header. */
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

static const char *
value_name(struct fm_import *im, const struct fm_expr *e)
{
	struct fm_text header = fm_header_of(e->text);
	const char *variable = value_variable(e);

	if (header.b != NULL) {
		im->seen.joins |= fm_import_joins(header);
		return (fm_import_printf(im, "${header.%.*s}",
		    FM_ARG(header)));
	}
	if (variable == NULL)
		return (FM_REFUSE(im, &e->at, "rules have no '%.*s' for a "
		    "value", FM_ARG(e->text)));
	if (fm_text_is(e->text, "req.url"))
		fm_import_note(im, FM_NOTE_URL, "OPTIONS * HTTP/1.1");
	return (variable);
}

/* Returns an expression of texts and names as a template; NULL: refused. */
static const char *
template_of(struct fm_import *im, const struct fm_expr *e)
{
	const char *all = "", *one;
	const struct fm_expr *part;
	struct fm_text name;

	switch (e->kind) {
	case FM_EXPR_STRING:
	case FM_EXPR_NUMBER:
		return (value_text(im, e));
	case FM_EXPR_NAME:
		return (value_name(im, e));
	case FM_EXPR_CONCAT:
		for (part = e->first; part != NULL; part = part->next) {
			one = template_of(im, part);
			if (one == NULL)
				return (NULL);
			all = fm_import_printf(im, "%s%s", all, one);
		}
		return (all);
	case FM_EXPR_CALL:
		if (fm_expr_calls(e, "cookie.get", 1) &&
		    fm_import_cookie(im, e, &name))
			return (fm_import_printf(im, "${cookie.%.*s}",
			    FM_ARG(name)));
		return (FM_REFUSE(im, &e->at, "rules have no %.*s() for a "
		    "value", FM_ARG(e->text)));
	default:
		return (FM_REFUSE(im, &e->at, "rules have no such value"));
	}
}

const char *
fm_import_value(struct fm_import *im, const struct fm_expr *e)
{
	const char *value = template_of(im, e);

	return (value == NULL ? NULL :
	    fm_import_quote(im, fm_text_of(value)));
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

/*
 * Notes that nothing may be left of some URL.  Returns false if that is so for
 * an ordinary URL.
 */
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
	if (url != NULL)
		fm_import_note(im, FM_NOTE_URL, "GET %s HTTP/1.1", url);
	else
		fm_import_note(im, FM_NOTE_URL, "a URL that `%.*s` takes "
		    "whole", FM_ARG(regex));
	return (true);
}

/* Writes a `rewrite` for each of some nested calls, the innermost first. */
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
	    !fm_expr_constant(&im->vcl, a->next->next, &text) ||
	    fm_import_regex_fits(regex, "") < 0)
		return (fm_import_refuse(im, &call->at,
		    "rules rewrite the URL by a regex and a text"));
	if (!put_rewrite(im, a) || !note_nothing(im, call, regex, text))
		return (false);
	im->seen.regexes = true;
	fm_import_begin(im, "rewrite %s~ %s to %s;\n", all ? "all " : "",
	    fm_import_quote(im, regex), fm_import_quote(im, text));
	return (true);
}

bool
fm_import_set_url(struct fm_import *im, const struct fm_vstmt *s)
{
	const struct fm_expr *a = s->value->first;
	struct fm_text text = { "", 0 };
	bool all;

	if (s->value->kind == FM_EXPR_CALL)
		return (put_rewrite(im, s->value));
	all = fm_expr_constant(&im->vcl, s->value, &text);
	if (!all && s->value->kind == FM_EXPR_CONCAT &&
	    a->next->next == NULL && fm_expr_is(a->next, "req.url"))
		text = a->text;
	/* In `rewrite`, a backslash would refer to a group. */
	if (text.len == 0 || *text.b != '/' ||
	    memchr(text.b, '\\', text.len) != NULL)
		return (fm_import_refuse(im, &s->at,
		    "rules rewrite the URL by a regex or put a path "
		    "in front of it, nothing else"));
	fm_import_begin(im, "rewrite ~ \"%s\" to %s;\n", all ? "(?s)^.*$" :
	    "^", fm_import_quote(im, text));
	return (true);
}

/*--------------------------------------------------------------------
 * A header: regsub(X, "REGEX", "TEXT") is what is before the match, TEXT, and
 * what is behind it.
 */

/* Returns TEXT of regsub() as a value, with group n as n + 1; NULL: refused. */
static const char *
groups_of(struct fm_import *im, struct fm_text text, int groups)
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
	const char *value = NULL, *nocase, *sample;
	int groups = 0;

	if (fm_expr_calls(call, "regsub", 3) && from->kind == FM_EXPR_NAME &&
	    fm_expr_constant(&im->vcl, from->next, &regex) &&
	    fm_expr_constant(&im->vcl, from->next->next, &text)) {
		groups = fm_import_regex_groups(im, regex);
		value = groups_of(im, text, groups);
	}
	name = fm_header_of(from == NULL ? call->text : from->text);
	if (value == NULL || groups < 0 || groups > 7 ||
	    (name.b == NULL && !fm_expr_is(from, "req.url")))
		return (fm_import_refuse(im, &call->at,
		    "rules have no such %.*s() for a header",
		    FM_ARG(call->text)));
	nocase = fm_text_begins(regex, "(?i)") ? "(?i)" : "";
	regex = fm_text_span(regex.b + strlen(nocase), regex.b + regex.len);
	fm_import_begin(im, "when %s ~ %s {\n    ", name.b == NULL ? "url" :
	    fm_import_header(im, name), fm_import_quote(im, fm_import_text(im,
	    "%s^(.*?)(?:%.*s)(.*)$", nocase, FM_ARG(regex))));
	fm_import_begin(im, "set %.*s = \"${1}%s${%d}\";\n", FM_ARG(header),
	    value, groups + 2);
	if (name.b == NULL || !fm_text_eq_nocase(name, header)) {
		fm_import_begin(im, "} else {\n    ");
		fm_import_begin(im, "set %.*s = %s;\n", FM_ARG(header),
		    fm_import_value(im, from));
	}
	fm_import_begin(im, "}\n");
	sample = fm_import_sample(im, regex);
	fm_import_note(im, FM_NOTE_EMPTY, "%.*s: %s", FM_ARG(name),
	    sample == NULL ? "with nothing left of it" : sample);
	im->seen.regexes = true;
	return (true);
}
