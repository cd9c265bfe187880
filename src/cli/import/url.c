/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What VCL makes of the URL by regsub() and regsuball(), and of headers by
 * regsub().
 *
 * A URL must not become empty: VCL fails the request then, and rules make it
 * "/".
 */

#include <stdlib.h>
#include <string.h>

#include "import.h"

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

/* Returns true if a regex can't take the `/` that URLs begin with. */
static bool
leaves_slash(struct fm_text regex)
{
	size_t i = 0;

	if (regex.len > 2 && memcmp(regex.b, "(?:", 3) == 0)
		i = 3;
	else if (regex.len > 0 && *regex.b == '(')
		i = 1;
	return (regex.len > i + 1 && memchr(regex.b, '|', regex.len) == NULL &&
	    (regex.b[i] == '&' || regex.b[i] == '#' ||
	    memcmp(regex.b + i, "\\?", 2) == 0 ||
	    memcmp(regex.b + i, "[?&]", regex.len - i < 4 ? 2 : 4) == 0) &&
	    fm_import_regex_fits(regex, fm_text("", 0)) == 0);
}

/* Returns true if nothing of an ordinary URL may be left. */
static bool
takes_all(struct fm_import *im, struct fm_text regex)
{
	struct fm_text whole = fm_text_of(fm_import_printf(im, "^(?:%.*s)$",
	    (int)regex.len, regex.b));

	return (fm_import_regex_fits(whole, fm_text_of("/")) == 1 ||
	    fm_import_regex_fits(whole, fm_text_of("/a/b.html?x=1")) == 1);
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
		    "whole", (int)regex.len, regex.b);
}

/* Rewrites by calls in each other, inside out. */
static bool
put_rewrite(struct fm_import *im, const struct fm_expr *call, unsigned tabs,
    FILE *to)
{
	const struct fm_expr *a = call->first;
	struct fm_text regex, text;
	bool all = fm_expr_calls(call, "regsuball", 3);

	if (fm_expr_is(call, "req.url"))
		return (true);
	if (!all && !fm_expr_calls(call, "regsub", 3))
		return (fm_import_refuse(im, &call->at,
		    "rules have no %.*s() for the URL", (int)call->text.len,
		    call->text.b));
	if (!fm_expr_constant(&im->vcl, a->next, &regex) ||
	    !fm_expr_constant(&im->vcl, a->next->next, &text))
		return (fm_import_refuse(im, &call->at,
		    "rules rewrite the URL by texts only"));
	if (fm_import_regex_groups(regex) < 0)
		return (fm_import_refuse(im, &call->at,
		    "PCRE2 does not understand this regex"));
	if (!put_rewrite(im, a, tabs, to))
		return (false);
	if (text.len == 0 && takes_all(im, regex))
		return (fm_import_refuse(im, &call->at, "nothing is left of "
		    "an ordinary URL: VCL fails then"));
	if (!has_text(text) && !(im->url_rooted && leaves_slash(regex)))
		note_nothing(im, regex);
	fm_import_tabs_put(tabs, to);
	fputs(all ? "rewrite all ~ " : "rewrite ~ ", to);
	fm_import_quote_put(regex, to);
	fputs(" to ", to);
	fm_import_quote_put(text, to);
	fputs(";\n", to);
	im->seen.regexes = true;
	im->url_rooted &= leaves_slash(regex);
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
	fm_import_tabs_put(tabs, to);
	fprintf(to, "rewrite ~ \"%s\" to ", regex);
	fm_import_quote_put(text, to);
	fputs(";\n", to);
	im->url_rooted = true;
	return (true);
}

/*--------------------------------------------------------------------
 * A header: regsub(X, "REGEX", "TEXT") is what is before the match, TEXT, and
 * what is behind it.
 */

/* TEXT of regsub() as a value, its groups by one more; false: it is none. */
static bool
template_put(struct fm_text text, int groups, FILE *to)
{
	size_t i;
	int n;

	for (i = 0; i < text.len; i++) {
		if (text.b[i] == '$' || text.b[i] == '"' ||
		    (unsigned char)text.b[i] < ' ')
			return (false);
		if (text.b[i] != '\\') {
			fputc(text.b[i], to);
			continue;
		}
		n = i + 1 < text.len ? text.b[++i] - '0' : -1;
		if (n < 1 || n > groups)
			return (false);
		fprintf(to, "${%d}", n + 1);
	}
	return (true);
}

static const char *
subject_of(struct fm_import *im, const struct fm_expr *e)
{
	struct fm_text header = e->kind == FM_EXPR_NAME ?
	    fm_header_of(e->text) : fm_text(NULL, 0);

	if (fm_expr_is(e, "req.url"))
		return ("url");
	if (header.b == NULL)
		return (NULL);
	fm_import_note_header(im, header);
	return (fm_import_printf(im, "header %.*s", (int)header.len,
	    header.b));
}

bool
fm_import_regsub(struct fm_import *im, const struct fm_vstmt *s,
    struct fm_text header, unsigned tabs, FILE *to)
{
	const struct fm_expr *call = s->value, *from = call->first;
	struct fm_text regex, text;
	const char *subject, *nocase = "", *sample;
	char *value = NULL;
	size_t len;
	FILE *memory;
	int groups;
	bool good;

	if (!fm_expr_calls(call, "regsub", 3) ||
	    !fm_expr_constant(&im->vcl, from->next, &regex) ||
	    !fm_expr_constant(&im->vcl, from->next->next, &text) ||
	    (subject = subject_of(im, from)) == NULL)
		return (fm_import_refuse(im, &call->at,
		    "rules have no such %.*s() for a header",
		    (int)call->text.len, call->text.b));
	groups = fm_import_regex_groups(regex);
	if (groups < 0 || groups > 7)
		return (fm_import_refuse(im, &call->at,
		    "rules have no such regex for a header"));
	if (regex.len > 4 && memcmp(regex.b, "(?i)", 4) == 0) {
		nocase = "(?i)";
		regex = fm_text(regex.b + 4, regex.len - 4);
	}
	memory = fm_import_memory(&value, &len);
	good = template_put(text, groups, memory);
	(void)fclose(memory);
	if (good) {
		fm_import_tabs_put(tabs, to);
		fprintf(to, "when %s ~ ", subject);
		fm_import_quote_put(fm_text_of(fm_import_printf(im,
		    "%s^(.*?)(?:%.*s)(.*)$", nocase, (int)regex.len,
		    regex.b)), to);
		fputs(" {\n", to);
		fm_import_line_put(tabs + 1, to, "set %.*s = "
		    "\"${1}%s${%d}\";", (int)header.len, header.b, value,
		    groups + 2);
		if (!fm_text_eq_nocase(fm_header_of(from->text), header)) {
			fm_import_line_put(tabs, to, "} else {");
			fm_import_tabs_put(tabs + 1, to);
			fprintf(to, "set %.*s = ", (int)header.len, header.b);
			(void)fm_import_value_quoted(im, from, to);
			fputs(";\n", to);
		}
		fm_import_line_put(tabs, to, "}");
		sample = fm_import_sample(im, regex);
		fm_import_note(im, FM_NOTE_EMPTY, "%.*s: %s",
		    (int)fm_header_of(from->text).len,
		    fm_header_of(from->text).b == NULL ? "" :
		    fm_header_of(from->text).b, sample == NULL ?
		    "with nothing left of it" : sample);
		im->seen.regexes = true;
	}
	free(value);
	return (good || fm_import_refuse(im, &call->at,
	    "rules have no such text to put in for a header"));
}
