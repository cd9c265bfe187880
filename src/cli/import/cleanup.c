/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds statements that clean up the URL or the Cookie header, and writes them
 * as `query drop`, `query clean`, `cookie drop` or `cookie keep`:
 *
 *	set req.url = regsuball(req.url, "&(utm_source|gclid)=[^&]*", "");
 *	set req.url = regsuball(req.url, "\?(utm_source|gclid)=[^&]*", "?");
 *	set req.url = regsub(req.url, "\?&", "?");
 *
 * Statements are not compared with known texts, but run.  First, the names are
 * read from their regexes, which may have only separators, names and values.
 * Then the statements are run on URLs (or Cookies) with these names and with
 * others, and must leave what rules would leave.
 */

#include <ctype.h>
#include <string.h>

#include "import.h"

#define CLEANUP_NAMES	400	/* in one clean-up */

/* A name that the regexes have: "utm_*" and the example "utm_a". */
struct name {
	struct fm_text		glob, example;
	bool			stays;		/* others are dropped */
};

/* A filter leaves some cookies: by a regex; or by the names that were found. */
struct filter {
	struct fm_text		regex;
	bool			keep;
};

/*
 * The clean-up of the drawing above: subject "req.url", n 3, names utm_source
 * and gclid, not keeps, tidy.  jar is vmod_cookie's copy of the Cookie.
 */
struct cleanup {
	struct fm_import	*im;
	bool			cookie;		/* of the Cookie, not the URL */
	const char		*subject;	/* as VCL names it */
	const struct fm_vstmt	*first;
	size_t			n;		/* statements, from first on */
	struct name		names[CLEANUP_NAMES];
	size_t			nnames;
	bool			keeps;		/* all other cookies go */
	bool			tidy;		/* stray separators go */

	/* do_stmts() collects the names of all statements, or runs them. */
	bool			reads;
	struct fm_text		text;		/* the URL or Cookie so far */
	struct fm_text		jar;		/* what vmod_cookie has */
	bool			parsed;		/* cookie.parse() ran */
	bool			gone;		/* the Cookie was unset */
};

static bool do_stmts(struct cleanup *, const struct fm_vstmt *, size_t);

/*--------------------------------------------------------------------
 * Names
 */

static const struct name *
find(const struct cleanup *cleanup, struct fm_text text, bool glob)
{
	size_t i;

	for (i = 0; i < cleanup->nnames; i++)
		if (fm_text_eq(glob ? cleanup->names[i].glob :
		    cleanup->names[i].example, text))
			return (cleanup->names + i);
	return (NULL);
}

/* Adds a name, whose wildcards are marked; returns false if it isn't a name. */
static bool
name_add(struct cleanup *cleanup, struct fm_text text)
{
	const char *glob = fm_import_unwild(cleanup->im, text, true);
	struct name *name = cleanup->names + cleanup->nnames;

	if (find(cleanup, fm_text_of(glob), true) != NULL)
		return (true);
	if (strpbrk(glob, " /=") != NULL || glob[strspn(glob, "*?-.")] ==
	    '\0' || cleanup->nnames == CLEANUP_NAMES)
		return (false);
	name->glob = fm_text_of(glob);
	name->example = fm_text_of(fm_import_unwild(cleanup->im, text, false));
	cleanup->nnames++;
	return (true);
}

/* Takes the names that a regex has before a `=`; false: it has other texts. */
static bool
take_names(struct cleanup *cleanup, struct fm_text regex)
{
	struct fm_plain texts;
	struct fm_text t;
	const char *glob, *equal;
	size_t i;

	if (!fm_import_names(cleanup->im, regex, cleanup->cookie, &texts))
		return (false);
	for (i = 0; i < texts.n; i++) {
		t = fm_text_trim(texts.v[i]);
		equal = memchr(t.b, '=', t.len);
		if (equal != NULL) {
			t = fm_text_trim(fm_text_span(t.b, equal));
			if (!name_add(cleanup, t))
				return (false);
			continue;
		}
		/* A name without a value; cookies that are not marked. */
		glob = fm_import_unwild(cleanup->im, t, true);
		t = fm_text(glob, strcspn(glob, " "));
		if (t.len > 0 && find(cleanup, t, true) == NULL &&
		    (!cleanup->cookie || cleanup->nnames == 0 ||
		    glob[strspn(glob, "*? ")] != '\0'))
			return (false);
	}
	return (true);
}

/* Returns a regex for the names of a list like "a, b". */
static struct fm_text
list_regex(struct fm_import *im, struct fm_text list)
{
	const char *regex = "", *p, *e = list.b + list.len;
	bool apart = true;

	for (p = list.b; p < e; p++) {
		apart |= strchr(", \t", *p) != NULL;
		if (strchr(", \t", *p) != NULL)
			continue;
		regex = fm_import_printf(im, isalnum((unsigned char)*p) ?
		    "%s%s%c" : "%s%s\\%c", regex, apart && *regex != '\0' ?
		    "|" : "", *p);
		apart = false;
	}
	return (fm_import_text(im, "^(%s)$", regex));
}

/* Takes the texts of a regex; a name has others around them, or not. */
static bool
take_regex(struct cleanup *cleanup, struct fm_text regex)
{
	struct fm_plain is;
	size_t i;

	fm_import_plain(cleanup->im, regex, true, &is);
	for (i = 0; i < is.n; i++)
		if (!name_add(cleanup, fm_import_text(cleanup->im, "%s%.*s%s",
		    strchr("ib", *is.mode) != NULL ? "" : "\1*\2",
		    FM_ARG(is.v[i]),
		    strchr("ie", *is.mode) != NULL ? "" : "\1*\2")))
			return (false);
	return (*is.mode != '~' && !is.nocase);
}

/*--------------------------------------------------------------------
 * Statements, read or run
 */

static bool
stays(const struct cleanup *cleanup, const struct filter *filter,
    struct fm_text part)
{
	const char *equal = memchr(part.b, '=', part.len);
	struct fm_text name = fm_text_trim(equal == NULL ? part :
	    fm_text_span(part.b, equal));
	const struct name *known = find(cleanup, name, false);

	if (part.len == 0 || filter == NULL)
		return (part.len > 0);
	if (filter->regex.b == NULL)
		return (known != NULL ? known->stays : !cleanup->keeps);
	return ((fm_import_regex_fits(filter->regex,
	    fm_import_printf(cleanup->im, "%.*s", FM_ARG(name))) == 1) ==
	    filter->keep);
}

/*
 * Returns the parameters or cookies of a text (that the filter leaves) with one
 * separator between them, so that texts can be compared.
 */
static struct fm_text
parts_of(const struct cleanup *cleanup, struct fm_text t,
    const struct filter *filter)
{
	const char *out = "", *p = t.b, *e = t.b + t.len, *end, *mark;
	struct fm_text part;

	if (!cleanup->cookie) {
		mark = memchr(t.b, '?', t.len);
		mark = mark == NULL ? e : mark;
		out = fm_import_printf(cleanup->im, "%.*s?", (int)(mark - p),
		    p);
		p = mark < e ? mark + 1 : e;
	}
	for (; p < e; p = end + 1) {
		end = memchr(p, cleanup->cookie ? ';' : '&', (size_t)(e - p));
		end = end == NULL ? e : end;
		part = fm_text_trim(fm_text_span(p, end));
		if (stays(cleanup, filter, part))
			out = fm_import_printf(cleanup->im, "%s%.*s%s", out,
			    FM_ARG(part), cleanup->cookie ? "; " : "&");
	}
	return (fm_text_of(out));
}

/* Runs the value of a `set`: nested calls, the innermost first. */
static bool
do_value(struct cleanup *cleanup, const struct fm_expr *expr)
{
	bool all = fm_expr_calls(expr, "regsuball", 3);
	struct fm_text regex, text;

	if (fm_expr_is(expr, cleanup->subject))
		return (true);
	if (cleanup->cookie && fm_expr_calls(expr, "cookie.get_string", 0)) {
		cleanup->text = cleanup->jar;
		return (cleanup->parsed);
	}
	if (cleanup->cookie && expr->kind == FM_EXPR_CONCAT &&
	    expr->first->kind == FM_EXPR_STRING &&
	    fm_text_is(fm_text_trim(expr->first->text), ";") &&
	    expr->first->next->next == NULL) {
		cleanup->text =
		    fm_text_of(fm_import_printf(cleanup->im, "%.*s%.*s",
		    FM_ARG(expr->first->text), FM_ARG(cleanup->text)));
		return (fm_expr_is(expr->first->next, cleanup->subject));
	}
	if ((!all && !fm_expr_calls(expr, "regsub", 3)) || !do_value(cleanup,
	    expr->first) || !fm_expr_constant(&cleanup->im->vcl,
	    expr->first->next, &regex) || !fm_expr_constant(&cleanup->im->vcl,
	    expr->first->next->next, &text) || (cleanup->reads &&
	    !take_names(cleanup, regex)) || fm_import_regex_fits(regex, "") < 0)
		return (false);
	cleanup->text = fm_import_sub(cleanup->im, regex, cleanup->text, text,
	    all);
	return (true);
}

/* Runs a function of vmod_cookie; most take a list of names, *_re a regex. */
static bool
do_action(struct cleanup *cleanup, const struct fm_expr *expr)
{
	static const char * const calls[] = { "cookie.delete", "cookie.filter",
	    "cookie.filter_re", "cookie.keep", "cookie.filter_except",
	    "cookie.keep_re", NULL };
	struct filter filter = { .keep = fm_text_is_one_of(expr->text,
	    calls + 3) };

	if (fm_expr_calls(expr, "cookie.parse", 1)) {
		cleanup->jar = cleanup->text;
		cleanup->parsed = true;
		return (fm_expr_is(expr->first, cleanup->subject));
	}
	if (!cleanup->parsed || !fm_text_is_one_of(expr->text, calls) ||
	    expr->first == NULL ||
	    !fm_expr_constant(&cleanup->im->vcl, expr->first, &filter.regex))
		return (false);
	if (!fm_text_is(expr->text, calls[2]) &&
	    !fm_text_is(expr->text, calls[5])) {
		/* delete() takes one name, and no cookie's has a comma. */
		if (fm_text_is(expr->text, calls[0]) &&
		    memchr(filter.regex.b, ',', filter.regex.len) != NULL)
			return (true);
		if (memchr(filter.regex.b, '*', filter.regex.len) != NULL)
			return (false);
		filter.regex = list_regex(cleanup->im, filter.regex);
	}
	if (cleanup->reads && !take_regex(cleanup, filter.regex))
		return (false);
	cleanup->jar = parts_of(cleanup, cleanup->jar, &filter);
	return (true);
}

/* Returns true for an `if` that asks whether the subject is empty. */
static bool
asks_for_empty(const struct cleanup *cleanup, const struct fm_vstmt *stmt)
{
	struct fm_text regex;
	bool negated;

	/* `!req.http.Cookie` is false for an empty one. */
	return (stmt != NULL && stmt->arms != NULL &&
	    stmt->arms->cond->kind == FM_EXPR_COMPARE &&
	    fm_import_asks(cleanup->im, stmt->arms->cond, cleanup->subject,
	    &regex, &negated) && !negated && fm_import_is_empty(regex));
}

static bool
is_unset(const struct cleanup *cleanup, const struct fm_vstmt *stmt)
{
	return (stmt->kind == FM_VSTMT_UNSET &&
	    fm_text_is_nocase(stmt->name, cleanup->subject));
}

/* Runs an `if` on the subject; a regex after `!~` must fit an empty Cookie. */
static bool
do_if(struct cleanup *cleanup, const struct fm_vstmt *stmt)
{
	const struct fm_vstmt *body = stmt->arms == NULL ? NULL :
	    stmt->arms->body;
	struct fm_text regex;
	bool negated, runs;

	if (body == NULL || stmt->arms->next != NULL ||
	    stmt->arms->cond->kind == FM_EXPR_NOT || !fm_import_asks(
	    cleanup->im, stmt->arms->cond, cleanup->subject, &regex,
	    &negated) || (negated &&
	    (!cleanup->cookie || fm_import_regex_fits(regex, "") != 1)))
		return (false);
	runs = cleanup->reads || (stmt->arms->cond->kind == FM_EXPR_NAME ?
	    !cleanup->gone : fm_import_regex_fits(regex, fm_import_printf(
	    cleanup->im, "%.*s", FM_ARG(cleanup->text))) != negated);
	if (!asks_for_empty(cleanup, stmt))
		return (!runs || do_stmts(cleanup, body, (size_t)-1));
	if (runs) {
		cleanup->text = fm_text("", 0);
		cleanup->gone = true;
	}
	return (cleanup->cookie && body->next == NULL &&
	    is_unset(cleanup, body));
}

/* Runs, or reads, n statements; false: one can't be in a clean-up. */
static bool
do_stmts(struct cleanup *cleanup, const struct fm_vstmt *stmt, size_t n)
{
	const struct fm_vdecl *sub;
	bool good = true;

	for (; good && stmt != NULL && n > 0; stmt = stmt->next, n--)
		switch (stmt->kind) {
		case FM_VSTMT_SET:
			good = fm_text_is_nocase(stmt->name,
			    cleanup->subject) && do_value(cleanup, stmt->value);
			cleanup->gone = false;
			break;
		case FM_VSTMT_ACTION:
			good = cleanup->cookie && !cleanup->im->cookie_vmod &&
			    do_action(cleanup, stmt->value);
			break;
		case FM_VSTMT_IF:
			good = do_if(cleanup, stmt);
			break;
		case FM_VSTMT_CALL:
			sub = fm_vcl_find(&cleanup->im->vcl, "sub", stmt->name);
			good = sub != NULL &&
			    do_stmts(cleanup, sub->body, (size_t)-1);
			break;
		default:
			good = false;
		}
	return (good);
}

/* Returns what the statements make of a text; "" if they can't run. */
static struct fm_text
run(struct cleanup *cleanup, struct fm_text t)
{
	cleanup->text = t;
	cleanup->jar = fm_text("", 0);
	cleanup->parsed = cleanup->gone = false;
	return (do_stmts(cleanup, cleanup->first, cleanup->n) ? cleanup->text :
	    fm_text("", 0));
}

/*--------------------------------------------------------------------
 * The statements against the rules
 */

/*
 * Returns true if the statements leave what rules leave of some parameters or
 * cookies.  `order` has a letter for each: n is a name, m the one after n in
 * the list (after the last the first), o and p are other names; "onp" gives
 * /p?zq=z0&NAME=z1&Y_9=z2.
 */
static bool
leaves(struct cleanup *cleanup, const char *order, size_t name)
{
	const struct fm_text texts[] = {
		cleanup->names[cleanup->nnames == 0 ? 0 :
		    (name + 1) % cleanup->nnames].example,
		cleanup->names[name].example, { "zq", 2 }, { "Y_9", 3 }
	};
	const struct filter rules = { .keep = false };
	const char *text = cleanup->cookie ? "" : "/p?";
	struct fm_text t, ran, left;
	size_t i;

	for (i = 0; order[i] != '\0'; i++)
		text = fm_import_printf(cleanup->im, "%s%s%.*s=z%zu", text,
		    i == 0 ? "" : cleanup->cookie ? "; " : "&",
		    FM_ARG(texts[order[i] - 'm']), i);
	t = fm_text_of(text);
	ran = run(cleanup, t);
	left = parts_of(cleanup, t, &rules);
	/* To VCL a `;` alone is a Cookie. */
	return (fm_text_eq(parts_of(cleanup, ran, NULL), left) &&
	    (!cleanup->cookie || left.len > 0 || fm_text_trim(ran).len == 0));
}

/*
 * Returns 1 if the statements remove stray separators of a URL, 0 if they leave
 * the URL alone, -1 if anything else comes out.
 */
static int
tidies(struct cleanup *cleanup)
{
	static const char * const stray[] = { "/p?", "/p?&zq=b", "/p?zq=b&",
	    "/p?zq=b&&yx=b", "/p?&", "/p?zq=b&&" };
	struct fm_text t, ran;
	size_t i;
	int tidy = 0;

	for (i = 0; i < sizeof stray / sizeof *stray; i++) {
		t = fm_text_of(stray[i]);
		ran = run(cleanup, t);
		if (!fm_text_eq(parts_of(cleanup, ran, NULL),
		    parts_of(cleanup, t, NULL)))
			return (-1);
		tidy |= !fm_text_eq(ran, t);
	}
	return (tidy);
}

/* Reads the names of n statements; false: one can't be in a clean-up. */
static bool
take(struct cleanup *cleanup, struct fm_import *im, bool cookie,
    const struct fm_vstmt *first, size_t n)
{
	*cleanup = (struct cleanup){ .im = im, .cookie = cookie,
	    .subject = cookie ? "req.http.Cookie" : "req.url", .first = first,
	    .n = n, .reads = true, .text = { "", 0 }, .jar = { "", 0 } };
	return (do_stmts(cleanup, first, n));
}

/* Returns true if the statements that were read do what rules do. */
static bool
is_whole(struct cleanup *cleanup)
{
	static const char * const orders[] = { "n", "no", "on", "onp", "nm",
	    "onmp" };
	size_t i, j;
	int tidy;

	cleanup->reads = false;
	tidy = cleanup->cookie ? 0 : tidies(cleanup);
	cleanup->keeps = cleanup->cookie && cleanup->nnames > 0 &&
	    !leaves(cleanup, "o", 0);
	if (tidy < 0 || !leaves(cleanup, "op", 0))
		return (false);
	for (i = 0; i < cleanup->nnames; i++) {
		cleanup->names[i].stays = cleanup->keeps;
		cleanup->names[i].stays = cleanup->keeps &&
		    leaves(cleanup, "onp", i);
	}
	for (i = 0; i < cleanup->nnames; i++)
		for (j = 0; j < sizeof orders / sizeof *orders; j++)
			/* A client sends a name once, if it isn't a glob. */
			if ((cleanup->nnames > 1 || strchr(orders[j],
			    'm') == NULL || memchr(cleanup->names[i].glob.b,
			    '*', cleanup->names[i].glob.len) != NULL) &&
			    !leaves(cleanup, orders[j], i))
				return (false);
	cleanup->tidy = tidy == 1;
	return (cleanup->nnames > 0 || cleanup->tidy);
}

/*--------------------------------------------------------------------
 * Rules
 */

static void
put(struct cleanup *cleanup)
{
	struct fm_text example = fm_text_of("&&a=1&&b=2&");
	struct fm_plain plain = { .n = 0 };
	struct fm_import *im = cleanup->im;
	unsigned stay;
	size_t i;

	plain.v = fm_import_alloc(im, cleanup->nnames * sizeof *plain.v);
	for (stay = 0; stay < 2; stay++) {
		plain.n = 0;
		for (i = 0; i < cleanup->nnames; i++) {
			if (cleanup->names[i].stays != (stay == 1))
				continue;
			if (plain.n == 0)
				example = cleanup->names[i].example;
			plain.v[plain.n++] = cleanup->names[i].glob;
		}
		if (plain.n > 0)
			fm_import_put(im, "%s %s%s;\n", cleanup->cookie ?
			    "cookie" : "query", stay == 1 ? "keep" : "drop",
			    fm_import_words(im, &plain));
	}
	im->seen.joins |= cleanup->cookie;
	if (cleanup->tidy)
		fm_import_put(im, "query clean;\n");
	if (cleanup->cookie)
		fm_import_note(im, FM_NOTE_COOKIE, "Cookie: z=1; %.*s",
		    FM_ARG(example));
	else
		fm_import_note(im, FM_NOTE_QUERY, "GET /?%.*s HTTP/1.1",
		    FM_ARG(example));
}

/*
 * Refuses a clean-up that may leave an empty Cookie which VCL asks for: where
 * nothing is left, or where there was no Cookie, regsuball() makes one, and an
 * empty Cookie counts as one for builtin.vcl, too.  Returns true if it is none
 * of these.
 */
static bool
empty_check(struct cleanup *cleanup, const struct fm_vstmt *joined)
{
	struct fm_import *im = cleanup->im;
	enum fm_import_empty empty = fm_import_empty(im, fm_text_of("Cookie"),
	    cleanup->first, cleanup->n, joined);
	const char *text;

	if (empty == FM_EMPTY_STAYS)
		fm_import_note(im, FM_NOTE_EMPTY,
		    "a Cookie of which nothing is left");
	if (empty != FM_EMPTY_ASKED)
		return (true);
	fm_import_catch(im);
	put(cleanup);
	text = fm_import_caught(im);
	text += strspn(text, " ");
	return (fm_import_refuse(im, &cleanup->first->at, "this may leave "
	    "an empty Cookie, which counts as one: with if "
	    "(req.http.Cookie == \"\") { unset req.http.Cookie; } after it "
	    "it is `%.*s`", (int)strcspn(text, "\n"), text));
}

size_t
fm_import_cleanup(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct cleanup *cleanup = fm_import_alloc(im, sizeof *cleanup);
	const struct fm_vstmt *at, *joined = NULL;
	size_t n = 0;
	unsigned cookie;

	for (cookie = 0; n == 0 && cookie < 2; cookie++) {
		(void)take(cleanup, im, cookie == 1, stmt, 0);
		for (at = stmt; at != NULL && do_stmts(cleanup, at, 1);
		    at = at->next)
			n++;
		while (n > 0 && !(take(cleanup, im, cookie == 1, stmt, n) &&
		    is_whole(cleanup)))
			n--;
	}
	if (n == 0)
		return (0);
	if (cleanup->cookie) {
		joined = fm_import_joined(im, fm_text_of("Cookie"),
		    fm_vstmts_after(stmt, n));
		if (!empty_check(cleanup, joined))
			return (0);
	}
	put(cleanup);
	return (joined == NULL ? n :
	    fm_import_join(im, joined, cleanup->subject) ? n + 1 : 0);
}
