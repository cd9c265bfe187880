/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What VCL makes of the URL: rewrites.
 *
 * A URL must not become empty: VCL fails the request then, and rules make it
 * "/".  So where a regex might take all of it the rules end the request, too.
 */

#include <string.h>

#include "import.h"

/*--------------------------------------------------------------------
 * Whether a replacement may be empty
 */

/* Without what looks around: whether it is empty is up to itself alone. */
static bool
is_simple(struct fm_text regex)
{
	size_t i;
	bool simple = true;
	char next;

	for (i = 0; simple && i < regex.len; i++) {
		next = i + 1 < regex.len ? regex.b[i + 1] : '\0';
		switch (regex.b[i]) {
		case '\\':
			simple = strchr("bBAZzGKQEXRNkg", next) == NULL;
			i++;
			break;
		case '(':
			simple = next != '*' && (next != '?' ||
			    (i + 2 < regex.len && regex.b[i + 2] == ':'));
			break;
		case '^':
			simple = i > 0 && regex.b[i - 1] == '[';
			break;
		default:
			simple = regex.b[i] != '$';
			break;
		}
	}
	return (simple);
}

/* Behind the class that starts here. */
static size_t
class_end(struct fm_text regex, size_t i)
{
	i++;
	if (i < regex.len && regex.b[i] == '^')
		i++;
	/* A ] that is the first one is of the class. */
	if (i < regex.len && regex.b[i] == ']')
		i++;
	for (; i < regex.len && regex.b[i] != ']'; i++)
		if (regex.b[i] == '\\')
			i++;
		else if (regex.b[i] == '[')
			return (regex.len);
	return (i + 1 < regex.len ? i + 1 : regex.len);
}

/*
 * The group n, if the whole regex can't match without it: it stands under no
 * other one and no alternative.  No text: it is another one.
 */
static struct fm_text
group_of(struct fm_text regex, unsigned n)
{
	struct fm_text none = { NULL, 0 }, group = none;
	size_t i = 0, start = 0;
	unsigned depth = 0, number = 0, open = 0;

	while (i < regex.len) {
		switch (regex.b[i]) {
		case '\\':
			i += 2;
			continue;
		case '[':
			i = class_end(regex, i);
			continue;
		case '|':
			if (depth == 0)
				return (none);
			break;
		case '(':
			if (i + 1 == regex.len || regex.b[i + 1] != '?')
				number++;
			else if (i + 2 < regex.len && (regex.b[i + 2] == '<' ||
			    regex.b[i + 2] == 'P' || regex.b[i + 2] == '\'' ||
			    regex.b[i + 2] == '|'))
				return (none);
			if (depth++ == 0 && number == n &&
			    regex.b[i + 1] != '?') {
				start = i + 1;
				open = n;
			}
			break;
		case ')':
			if (depth == 0)
				return (none);
			if (--depth == 0 && open == n) {
				group = fm_text(regex.b + start, i - start);
				open = 0;
				if (i + 1 < regex.len && strchr("?*{",
				    regex.b[i + 1]) != NULL)
					return (none);
			}
			break;
		default:
			break;
		}
		i++;
	}
	return (depth == 0 ? group : none);
}

static bool
is_never_empty(struct fm_text regex)
{
	return (regex.b != NULL && is_simple(regex) &&
	    fm_import_regex_empty(regex) == 0);
}

/* Whether what a regex finds is never replaced by nothing. */
static bool
is_firm(struct fm_text regex, struct fm_text text)
{
	size_t i;

	for (i = 0; i < text.len; i++) {
		if (text.b[i] != '\\' || i + 1 == text.len)
			return (true);
		i++;
		if (text.b[i] < '0' || text.b[i] > '9')
			return (true);
		if (is_never_empty(text.b[i] == '0' ? regex :
		    group_of(regex, (unsigned)(text.b[i] - '0'))))
			return (true);
	}
	return (false);
}

/*
 * Whether it may start in another way than its first bytes say: there is a |
 * in no group, or in the group that it starts with, or that may be left out.
 * What is read here in part only may do so, too.
 */
static bool
starts_otherwise(struct fm_text regex)
{
	size_t i = 0, end;
	unsigned depth = 0;
	bool first = regex.len > 0 && *regex.b == '(';
	char next;

	while (i < regex.len) {
		next = i + 1 < regex.len ? regex.b[i + 1] : '\0';
		end = i + 1;
		switch (regex.b[i]) {
		case '\\':
			if (next == 'Q')
				return (true);
			end++;
			break;
		case '[':
			end = class_end(regex, i);
			if (memchr(regex.b + i + 1, '[', end - i - 1) != NULL)
				return (true);
			break;
		case '(':
			if (next == '*' || (next == '?' && (i + 2 ==
			    regex.len || strchr(":=!<>", regex.b[i + 2]) ==
			    NULL)))
				return (true);
			depth++;
			break;
		case ')':
			if (depth == 0)
				return (true);
			if (--depth == 0 && first && next != '\0' &&
			    strchr("?*{", next) != NULL)
				return (true);
			first &= depth > 0;
			break;
		case '|':
			if (depth == 0 || (first && depth == 1))
				return (true);
			break;
		default:
			break;
		}
		i = end;
	}
	return (false);
}

bool
fm_import_regex_roots(struct fm_text regex)
{
	return (regex.len >= 2 && memcmp(regex.b, "^/", 2) == 0 &&
	    (regex.len == 2 || strchr("?*{", regex.b[2]) == NULL) &&
	    !starts_otherwise(regex));
}

/* Whether it starts with ? or & or the like. */
static bool
starts_unrooted(struct fm_text regex)
{
	size_t i = 0, end;

	if (regex.len > 0 && *regex.b == '(')
		i = regex.len > 2 && memcmp(regex.b, "(?:", 3) == 0 ? 3 : 1;
	if (starts_otherwise(regex))
		return (false);
	if (i < regex.len && regex.b[i] == '[') {
		end = class_end(regex, i);
		if (memchr(regex.b + i, '/', end - i) != NULL ||
		    memchr(regex.b + i, '^', end - i) != NULL ||
		    memchr(regex.b + i, '\\', end - i) != NULL ||
		    memchr(regex.b + i, '-', end - i) != NULL)
			return (false);
	} else if (i + 1 < regex.len && regex.b[i] == '\\' &&
	    (regex.b[i + 1] == '?' || regex.b[i + 1] == '#')) {
		end = i + 2;
	} else if (i < regex.len && (regex.b[i] == '&' || regex.b[i] == '#')) {
		end = i + 1;
	} else {
		return (false);
	}
	return (end >= regex.len || strchr("?*{", regex.b[end]) == NULL);
}

/*
 * Ends the request where the URL would be empty: the regex takes all of it, as
 * it matches first (so the groups that don't give back), and what stands for
 * it is empty; at the end of the URL a group that is repeated is.
 */
static bool
put_guard(struct fm_import *im, const struct fm_place *at,
    struct fm_text regex, struct fm_text text, bool all, unsigned tabs,
    FILE *to)
{
	const char *groups = "", *guard;
	size_t i;
	int n;

	if (is_firm(regex, text))
		return (true);
	if (im->well_formed) {
		im->notes |= FM_NOTE_URL;
		return (true);
	}
	for (i = 0; i + 1 < text.len; i += 2) {
		n = text.b[i + 1] - '0';
		if (all || n == 0)
			return (fm_import_refuse(im, at, "the URL may become "
			    "empty: VCL fails then"));
		groups = fm_import_printf(im, "%s(?(%d)\\%d)", groups, n, n);
	}
	if (all && fm_import_regex_empty(regex) != 0)
		return (fm_import_refuse(im, at, "the URL may become empty: "
		    "VCL fails then"));
	if (!starts_unrooted(regex) && im->esi &&
	    !fm_import_differs(im, at, FM_NOTE_ESI))
		return (false);
	guard = fm_import_printf(im, "^(?>%.*s)%s%s$", (int)regex.len, regex.b,
	    all ? "+" : "", groups);
	fm_import_tabs_put(tabs, to);
	fputs("when ", to);
	if (starts_unrooted(regex))
		fputs("not url begins / and ", to);
	fputs("url ~ ", to);
	fm_import_quote_put(fm_text_of(guard), to);
	fputs(" { synth 503 \"VCL failed\"; }\n", to);
	return (true);
}

/*--------------------------------------------------------------------
 * Rewrites
 */

/* regsub(req.url, REGEX, TEXT), or regsuball() with a regex that is tied. */
static bool
put_rewrite(struct fm_import *im, const struct fm_expr *call, unsigned tabs,
    FILE *to)
{
	const struct fm_expr *a = call->first, *b, *c;
	struct fm_text regex, text;
	bool all = fm_text_is(call->text, "regsuball");

	if (fm_text_is(call->text, "std.querysort"))
		return (fm_import_refuse(im, &call->at, "std.querysort() sorts "
		    "by value as well; `query sort` sorts by name"));
	if (!all && !fm_text_is(call->text, "regsub"))
		return (fm_import_refuse(im, &call->at,
		    "rules have no %.*s() for the URL", (int)call->text.len,
		    call->text.b));
	if (a != NULL && a->kind == FM_EXPR_CALL)
		return (fm_import_refuse(im, &a->at,
		    "rules have no %.*s() in another for the URL: they rewrite "
		    "it by one after the other", (int)a->text.len, a->text.b));
	if (a == NULL || (b = a->next) == NULL || (c = b->next) == NULL ||
	    a->kind != FM_EXPR_NAME || !fm_text_is(a->text, "req.url") ||
	    !fm_expr_constant(im, b, &regex) ||
	    !fm_expr_constant(im, c, &text))
		return (fm_import_refuse(im, &call->at,
		    "rules rewrite the URL itself, by texts only"));
	if (fm_import_regex_empty(regex) < 0)
		return (fm_import_refuse(im, &b->at,
		    "PCRE2 does not understand this regex"));
	if (!put_guard(im, &call->at, regex, text, all, tabs, to))
		return (false);
	fm_import_tabs_put(tabs, to);
	fputs(all ? "rewrite all ~ " : "rewrite ~ ", to);
	fm_import_quote_put(regex, to);
	fputs(" to ", to);
	fm_import_quote_put(text, to);
	fputs(";\n", to);
	im->weight++;
	im->regexes_seen = true;
	im->url_rooted = false;
	return (true);
}

bool
fm_import_set_url(struct fm_import *im, const struct fm_vstmt *s, unsigned tabs,
    FILE *to)
{
	const struct fm_expr *a = s->value->first;
	struct fm_text text;
	const char *regex = NULL;

	if (s->value->kind == FM_EXPR_CALL)
		return (put_rewrite(im, s->value, tabs, to));
	if (fm_expr_constant(im, s->value, &text))
		regex = "(?s)^.*$";
	else if (s->value->kind == FM_EXPR_CONCAT && a->next->next == NULL &&
	    a->kind == FM_EXPR_STRING && a->next->kind == FM_EXPR_NAME &&
	    fm_text_is(a->next->text, "req.url")) {
		regex = "^";
		text = a->text;
	}
	/* A backslash is one of regsub(). */
	if (regex == NULL || text.len == 0 || *text.b != '/' ||
	    memchr(text.b, '\\', text.len) != NULL)
		return (fm_import_refuse(im, &s->at,
		    "rules rewrite the URL by a regex or put a path "
		    "in front of it, nothing else"));
	fm_import_tabs_put(tabs, to);
	fprintf(to, "rewrite ~ \"%s\" to ", regex);
	fm_import_quote_put(text, to);
	fputs(";\n", to);
	im->weight++;
	im->url_rooted = true;
	return (true);
}
