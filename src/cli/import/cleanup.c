/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Statements that clean up the URL or the Cookie header, as `query drop`,
 * `query clean`, `cookie drop` or `cookie keep`:
 *
 *	set req.url = regsuball(req.url, "&(utm_source|gclid)=[^&]*", "");
 *	set req.url = regsuball(req.url, "\?(utm_source|gclid)=[^&]*", "?");
 *	set req.url = regsub(req.url, "\?&", "?");
 *
 * Each is a set of the subject by regsub() or regsuball() with a regex that
 * takes names or separators (shape.c), an `if` around such that asks for
 * these names, or one that removes an empty Cookie header.  Cookies that are
 * kept have a blank put before them, or are kept by vmod_cookie.
 */

#include <stdlib.h>
#include <string.h>

#include "glob.h"
#include "import.h"

#define CLEANUP_NAMES	400
#define CLEANUP_CALLS	16	/* of subs, in one clean-up */

/* Which of a name are taken: those in front, those behind others. */
#define TAKES_FIRST	1
#define TAKES_LATER	2
#define TAKES_ALL	(TAKES_FIRST | TAKES_LATER)

struct names {
	struct fm_text		v[CLEANUP_NAMES];
	unsigned char		takes[CLEANUP_NAMES];
	size_t			n;
};

struct cleanup {
	struct fm_import	*im;
	bool			cookie;
	struct names		drop, keep;
	bool			tidy;		/* separators, of any URL */
	bool			guarded;	/* the same, under an `if` */
	/* `;` in front, cookies to keep marked by a blank, the others cut. */
	bool			semicolon, marked, cut;
	bool			parsed, put;	/* by vmod_cookie; and back */
	bool			emptied;	/* an empty one is removed */
	unsigned		calls;
};

static bool take_all(struct cleanup *, const struct fm_vstmt *);

static const char *
subject(const struct cleanup *c)
{
	return (c->cookie ? "req.http.Cookie" : "req.url");
}

static bool
names_add(struct names *names, const struct fm_text *v, size_t n,
    unsigned takes)
{
	size_t i, j;

	for (i = 0; i < n; i++) {
		for (j = 0; j < names->n; j++)
			if (fm_text_eq(names->v[j], v[i]))
				break;
		if (j == CLEANUP_NAMES)
			return (false);
		if (j == names->n) {
			names->v[names->n++] = v[i];
			names->takes[j] = 0;
		}
		names->takes[j] |= (unsigned char)takes;
	}
	return (true);
}

static bool
names_take_all(const struct names *names)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		if (names->takes[i] != TAKES_ALL)
			return (false);
	return (names->n > 0);
}

/*--------------------------------------------------------------------
 * Sets of the subject
 */

/* Returns true for separators, and for what groups of separators found. */
static bool
is_tidy(const struct cleanup *c, struct fm_text to)
{
	size_t i;

	for (i = 0; i < to.len; i++)
		if (to.b[i] == '\\' && i + 1 < to.len)
			i++;
		else if (strchr(c->cookie ? "; " : "?&", to.b[i]) == NULL)
			return (false);
	return (true);
}

/* Returns true if \N stands for the group of the names. */
static bool
names_group(const struct fm_shape *shape, struct fm_text to)
{
	size_t i;

	for (i = 0; shape->group > 0 && i + 1 < to.len; i++)
		if (to.b[i] == '\\' &&
		    to.b[i + 1] == (char)('0' + shape->group))
			return (true);
	return (false);
}

static bool
take_names(struct cleanup *c, const struct fm_shape *shape, struct fm_text to,
    bool all)
{
	const struct fm_plain *names = &shape->names;
	unsigned takes = (shape->first ? TAKES_FIRST : 0) |
	    (shape->later ? TAKES_LATER : 0);

	if (shape->open) {
		/* ";(a|b)=" to "; \1=" */
		/* A cookie can't be marked once the others are cut. */
		if (c->cut)
			return (false);
		c->marked = true;
		return (c->semicolon && names_group(shape, to) &&
		    memchr(to.b, ' ', to.len) != NULL &&
		    names_add(&c->keep, names->v, names->n, TAKES_ALL));
	}
	/*
	 * With what is in front and behind of one goes what the next one has
	 * in front of it.
	 */
	if ((shape->before && shape->behind && (to.len == 0 || names->n > 1 ||
	    memchr(names->v[0].b, '*', names->v[0].len) != NULL)) ||
	    (to.len == 0 && shape->question))
		return (false);
	if (!shape->whole || names_group(shape, to) || !is_tidy(c, to) ||
	    (!all && names->n > 1))
		return (false);
	if (shape->kind == FM_SHAPE_NAMES)
		return (names_add(&c->drop, names->v, names->n, takes));
	c->cut = true;
	return (all && takes == TAKES_ALL && c->keep.n == 0 &&
	    names_add(&c->keep, names->v, names->n, takes));
}

static bool
take_edit(struct cleanup *c, struct fm_text regex, struct fm_text to, bool all)
{
	struct fm_shape shape;

	/* All cookies without a blank in front. */
	if (c->marked && to.len == 0 && regex.len > 4 &&
	    memcmp(regex.b, ";[^ ", 4) == 0) {
		c->cut = true;
		return (all);
	}
	fm_import_shape(c->im, regex, c->cookie, &shape);
	switch (shape.kind) {
	case FM_SHAPE_TIDY:
		/* It must leave alone what has nothing to be tidied. */
		if (!is_tidy(c, to) || (!c->cookie && fm_import_regex_fits(
		    regex, fm_text_of("/p?a=1&b=2")) != 0))
			return (false);
		c->tidy |= !c->guarded && !c->cookie;
		return (true);
	case FM_SHAPE_NAMES:
	case FM_SHAPE_OTHERS:
		return (take_names(c, &shape, to, all));
	default:
		return (false);
	}
}

/* Takes what a set gives the subject: calls in each other, inside out. */
static bool
take_value(struct cleanup *c, const struct fm_expr *e)
{
	struct fm_text regex, to;
	bool all = fm_expr_calls(e, "regsuball", 3);

	if (fm_expr_is(e, subject(c)))
		return (true);
	if (c->cookie && fm_expr_calls(e, "cookie.get_string", 0)) {
		c->put = true;
		return (c->parsed);
	}
	if (c->cookie && e->kind == FM_EXPR_CONCAT &&
	    e->first->kind == FM_EXPR_STRING &&
	    fm_text_is(fm_text_trim(e->first->text), ";") &&
	    e->first->next->next == NULL) {
		c->semicolon = true;
		return (fm_expr_is(e->first->next, subject(c)));
	}
	return ((all || fm_expr_calls(e, "regsub", 3)) &&
	    take_value(c, e->first) &&
	    fm_expr_constant(&c->im->vcl, e->first->next, &regex) &&
	    fm_expr_constant(&c->im->vcl, e->first->next->next, &to) &&
	    take_edit(c, regex, to, all));
}

/*--------------------------------------------------------------------
 * vmod_cookie
 */

/* "a, b" as names. */
static bool
take_list(struct fm_text text, struct names *names)
{
	struct fm_text name;
	const char *comma;

	while (text.len > 0) {
		comma = memchr(text.b, ',', text.len);
		name = fm_text_trim(fm_text(text.b, comma == NULL ? text.len :
		    (size_t)(comma - text.b)));
		if (name.len > 0 && (memchr(name.b, '*', name.len) != NULL ||
		    !names_add(names, &name, 1, TAKES_ALL)))
			return (false);
		text = comma == NULL ? fm_text("", 0) :
		    fm_text_span(comma + 1, text.b + text.len);
	}
	return (names->n > 0);
}

/* A regex of names, with `^` in front or not. */
static bool
take_regex(struct cleanup *c, struct fm_text regex, struct names *names)
{
	struct fm_plain plain = { .n = 0 };
	bool front = regex.len > 0 && *regex.b == '^';
	size_t i, len = regex.len;

	if (fm_import_has_loose_bar(regex))
		return (false);
	if (front)
		regex = fm_text(regex.b + 1, --len);
	if (len > 0 && regex.b[len - 1] == '$')
		len--;
	if (!fm_import_globs(c->im, fm_text(regex.b, len), &plain))
		return (false);
	for (i = 0; i < plain.n; i++)
		plain.v[i] = fm_text_of(fm_import_printf(c->im, "%s%.*s%s",
		    front ? "" : "*", (int)plain.v[i].len, plain.v[i].b,
		    len < regex.len ? "" : "*"));
	return (plain.n > 0 &&
	    names_add(names, plain.v, plain.n, TAKES_ALL));
}

static bool
take_action(struct cleanup *c, const struct fm_expr *e)
{
	static const struct {
		const char	*name;
		bool		keep, regex;
	} calls[] = {
		{ "cookie.filter", false, false },
		{ "cookie.delete", false, false },
		{ "cookie.filter_re", false, true },
		{ "cookie.keep", true, false },
		{ "cookie.filter_except", true, false },
		{ "cookie.keep_re", true, true },
	};
	struct fm_text text;
	struct names *names;
	size_t i;

	if (fm_expr_calls(e, "cookie.parse", 1)) {
		c->parsed = true;
		return (fm_expr_is(e->first, subject(c)));
	}
	for (i = 0; i < sizeof calls / sizeof *calls; i++)
		if (fm_expr_calls(e, calls[i].name, 1))
			break;
	if (!c->parsed || i == sizeof calls / sizeof *calls ||
	    !fm_expr_constant(&c->im->vcl, e->first, &text))
		return (false);
	/* This takes one name: with a comma in it there is no such cookie. */
	if (i == 1 && memchr(text.b, ',', text.len) != NULL)
		return (true);
	names = calls[i].keep ? &c->keep : &c->drop;
	/* A second one keeps what both do. */
	if (calls[i].keep && c->keep.n > 0)
		return (false);
	c->cut |= calls[i].keep;
	return (calls[i].regex ? take_regex(c, text, names) :
	    take_list(text, names));
}

/*--------------------------------------------------------------------
 * Ifs
 */

/* Returns true for a test of an empty text. */
static bool
is_empty_test(const struct cleanup *c, const struct fm_expr *e)
{
	const struct fm_expr *text = e->first == NULL ? NULL : e->first->next;

	if (e->kind == FM_EXPR_NOT)
		return (fm_expr_is(e->first, subject(c)));
	return (e->kind == FM_EXPR_COMPARE && fm_expr_is(e->first,
	    subject(c)) && text != NULL && text->kind == FM_EXPR_STRING &&
	    ((fm_text_is(e->text, "==") && fm_text_trim(text->text).len == 0) ||
	    (fm_text_is(e->text, "~") &&
	    fm_import_regex_fits(text->text, fm_text("", 0)) == 1 &&
	    fm_import_regex_fits(text->text, fm_text_of("a=1")) == 0)));
}

/* Takes `if (req.http.Cookie == "") { unset req.http.Cookie; }`. */
static bool
take_empty(const struct cleanup *c, const struct fm_vstmt *s)
{
	const struct fm_vstmt *body = s->arms->body;

	return (c->cookie && s->arms->next == NULL &&
	    is_empty_test(c, s->arms->cond) &&
	    body != NULL && body->next == NULL &&
	    body->kind == FM_VSTMT_UNSET &&
	    fm_text_is_nocase(body->name, subject(c)));
}

/* Returns true if the names of a guard are all that is dropped under it. */
static bool
guard_covers(struct cleanup *c, struct fm_text regex, const struct names *drop)
{
	struct fm_shape shape;
	size_t i, j;

	/* There is a query at all. */
	if (!c->cookie && (fm_text_is(regex, "\\?") ||
	    fm_text_is(regex, "[?&]") || fm_text_is(regex, "\\?.*")))
		return (!c->tidy);
	fm_import_shape(c->im, regex, c->cookie, &shape);
	if (shape.kind == FM_SHAPE_TIDY || shape.kind == FM_SHAPE_OTHERS)
		return (drop->n == 0);
	if (shape.kind != FM_SHAPE_NAMES &&
	    !fm_import_globs(c->im, regex, &shape.names))
		return (false);
	for (i = 0; i < drop->n; i++) {
		for (j = 0; j < shape.names.n; j++)
			if (fm_glob_match(shape.names.v[j], drop->v[i], true))
				break;
		if (j == shape.names.n)
			return (false);
	}
	return (true);
}

/*
 * Takes an `if` whose condition is true wherever there is something to clean
 * up.
 */
static bool
take_if(struct cleanup *c, const struct fm_vstmt *s)
{
	const struct fm_expr *cond = s->arms == NULL ? NULL : s->arms->cond;
	struct cleanup inner = *c;
	struct fm_text regex = { NULL, 0 };
	size_t i;

	if (cond == NULL)
		return (false);
	if (take_empty(c, s)) {
		c->emptied = true;
		return (true);
	}
	if (s->arms->next != NULL || s->arms->body == NULL)
		return (false);
	inner.guarded = true;
	inner.drop.n = 0;
	if (c->cookie && (fm_expr_is(cond, subject(c)) ||
	    (cond->kind == FM_EXPR_COMPARE && fm_text_is(cond->text, "!~") &&
	    fm_import_has(cond, subject(c))))) {
		inner.guarded = c->guarded;
	} else if (cond->kind != FM_EXPR_COMPARE ||
	    !fm_text_is(cond->text, "~") ||
	    !fm_expr_is(cond->first, subject(c)) ||
	    !fm_expr_constant(&c->im->vcl, cond->first->next, &regex)) {
		return (false);
	}
	if (!take_all(&inner, s->arms->body) ||
	    (regex.b != NULL && !guard_covers(c, regex, &inner.drop)))
		return (false);
	/* Tidied under a test of separators it is tidied wherever it is not. */
	if (inner.guarded && inner.drop.n == 0 && inner.keep.n == 0)
		inner.tidy = !c->cookie;
	inner.guarded = c->guarded;
	/* Each name with what takes it. */
	for (i = 0; i < inner.drop.n; i++)
		if (!names_add(&c->drop, inner.drop.v + i, 1,
		    inner.drop.takes[i]))
			return (false);
	inner.drop = c->drop;
	*c = inner;
	return (true);
}

static bool
take(struct cleanup *c, const struct fm_vstmt *s)
{
	const struct fm_vdecl *sub;

	switch (s->kind) {
	case FM_VSTMT_SET:
		return (fm_text_is_nocase(s->name, subject(c)) &&
		    take_value(c, s->value));
	case FM_VSTMT_ACTION:
		return (c->cookie && !c->im->cookie_vmod &&
		    take_action(c, s->value));
	case FM_VSTMT_IF:
		return (take_if(c, s));
	case FM_VSTMT_CALL:
		sub = fm_vcl_find(&c->im->vcl, "sub", s->name);
		return (sub != NULL && c->calls++ < CLEANUP_CALLS &&
		    take_all(c, sub->body));
	default:
		return (false);
	}
}

static bool
take_all(struct cleanup *c, const struct fm_vstmt *s)
{
	for (; s != NULL; s = s->next)
		if (!take(c, s))
			return (false);
	return (true);
}

/* Returns true if what was taken up to here is rules. */
static bool
is_whole(const struct cleanup *c)
{
	if (!c->cookie)
		return (c->drop.n > 0 ? names_take_all(&c->drop) : c->tidy);
	if (c->parsed && !c->put)
		return (false);
	if (c->semicolon || c->marked || c->keep.n > 0)
		return (c->cut && c->keep.n > 0 &&
		    (c->drop.n == 0 || c->parsed));
	return (names_take_all(&c->drop));
}

/*--------------------------------------------------------------------
 * Rules
 */

static void
names_put(const char *what, struct names *names, unsigned tabs, FILE *to)
{
	struct fm_plain plain = { .v = names->v, .n = names->n };

	fm_import_tabs_put(tabs, to);
	fputs(what, to);
	fm_import_words_put(&plain, tabs, to);
	fputs(";\n", to);
}

/* A name that a glob stands for. */
static const char *
name_of(struct fm_import *im, struct fm_text glob)
{
	char *name = fm_import_alloc(im, glob.len + 1);
	size_t i;

	for (i = 0; i < glob.len; i++)
		name[i] = glob.b[i] == '*' || glob.b[i] == '?' ? 'a' :
		    glob.b[i];
	return (name);
}

static void
put(struct cleanup *c, unsigned tabs, FILE *to)
{
	struct fm_import *im = c->im;

	if (c->cookie) {
		if (c->drop.n > 0)
			names_put("cookie drop", &c->drop, tabs, to);
		if (c->keep.n > 0)
			names_put("cookie keep", &c->keep, tabs, to);
		fm_import_note(im, FM_NOTE_COOKIE, "Cookie: z=1; %s",
		    name_of(im, c->keep.n > 0 ? c->keep.v[0] : c->drop.v[0]));
		im->seen.joins = true;
		return;
	}
	if (c->drop.n > 0)
		names_put("query drop", &c->drop, tabs, to);
	if (c->tidy)
		fm_import_line_put(tabs, to, "query clean;");
	if (c->drop.n > 0)
		fm_import_note(im, FM_NOTE_QUERY, "GET /?%s HTTP/1.1",
		    name_of(im, c->drop.v[0]));
	else
		fm_import_note(im, FM_NOTE_QUERY, "GET /?&&a=1&&b=2& HTTP/1.1");
	im->url_rooted = false;
}

bool
fm_import_has(const struct fm_expr *e, const char *name)
{
	const struct fm_expr *part;
	bool has = false;

	if (e->kind == FM_EXPR_AND)
		for (part = e->first; part != NULL && !has; part = part->next)
			has = fm_import_has(part, name);
	else if (e->kind == FM_EXPR_COMPARE && fm_expr_is(e->first, name) &&
	    e->first->next->kind == FM_EXPR_STRING)
		has = e->text.b[e->text.len - 1] == '~' &&
		    fm_import_regex_fits(e->first->next->text,
		    fm_text("", 0)) == (*e->text.b == '!');
	else
		has = fm_expr_is(e, name);
	return (has);
}

bool
fm_import_is_there(const struct fm_import *im, const char *name)
{
	const struct fm_under *under;

	for (under = im->under; under != NULL; under = under->up)
		if (under->cond != NULL && fm_import_has(under->cond, name))
			return (true);
	return (false);
}

/*
 * Returns true if anybody asks whether there is a Cookie: VCL, or builtin.vcl
 * behind it.
 */
static bool
is_asked_for(const struct fm_import *im)
{
	const struct fm_vdecl *recv = fm_vcl_find(&im->vcl, "sub",
	    fm_text_of("vcl_recv"));

	if (fm_import_asks_for(im, fm_text_of("Cookie"), 2,
	    im->vcl.ntokens - 3))
		return (true);
	return (recv == NULL || !fm_vstmts_end(recv->body));
}

/* Returns true if one of these removes an empty Cookie, whatever else. */
static bool
remove_empty(const struct cleanup *c, const struct fm_vstmt *s)
{
	const struct fm_vstmt *body;

	for (; s != NULL; s = s->next) {
		if (s->kind != FM_VSTMT_IF || s->arms == NULL ||
		    s->arms->cond == NULL || !is_empty_test(c, s->arms->cond)) {
			if (fm_import_asks_for(c->im, fm_text_of("Cookie"),
			    s->first, s->last))
				return (false);
			continue;
		}
		for (body = s->arms->body; body != NULL; body = body->next)
			if (body->kind == FM_VSTMT_UNSET &&
			    fm_text_is_nocase(body->name, subject(c)))
				return (true);
	}
	return (false);
}

/*
 * regsuball() makes an empty Cookie where nothing is left, or where there was
 * none, and an empty one passes for a cookie.  Returns false, and says so,
 * unless it is removed.
 */
static bool
empty_check(struct cleanup *c, const struct fm_vstmt *s, size_t n)
{
	struct fm_import *im = c->im;
	const struct fm_vstmt *at = s;
	const struct fm_under *under;
	char *text = NULL;
	size_t len;
	FILE *to;

	if (!c->cookie || c->emptied)
		return (true);
	for (; n > 0; n--)
		at = at->next;
	if (remove_empty(c, at))
		return (true);
	for (under = im->under; under != NULL; under = under->up)
		if (remove_empty(c, under->behind))
			return (true);
	if (!is_asked_for(im)) {
		fm_import_note(im, FM_NOTE_EMPTY, "a Cookie of which nothing "
		    "is left");
		return (true);
	}
	to = fm_import_memory(&text, &len);
	put(c, 0, to);
	(void)fclose(to);
	(void)fm_import_refuse(im, &s->at, "this may leave an empty "
	    "Cookie, which counts as one: with if (req.http.Cookie == \"\") { "
	    "unset req.http.Cookie; } behind it it is `%.*s`",
	    (int)strcspn(text, "\n"), text);
	free(text);
	return (false);
}

size_t
fm_import_cleanup(struct fm_import *im, const struct fm_vstmt *s,
    unsigned tabs, FILE *to)
{
	struct cleanup *c, *whole;
	size_t n, taken = 0;
	unsigned cookie;

	c = fm_import_alloc(im, sizeof *c);
	whole = fm_import_alloc(im, sizeof *whole);
	for (cookie = 0; taken == 0 && cookie < 2; cookie++) {
		const struct fm_vstmt *at = s;

		*c = (struct cleanup){ .im = im, .cookie = cookie == 1 };
		for (n = 1; at != NULL && take(c, at); at = at->next, n++)
			if (is_whole(c)) {
				taken = n;
				*whole = *c;
			}
	}
	if (taken == 0 || !empty_check(whole, s, taken))
		return (0);
	put(whole, tabs, to);
	for (n = taken; n > 0; n--)
		s = s->next;
	/* Without any Cookie it has made an empty one, which VCL asks for. */
	if (!whole->cookie || s == NULL || s->kind != FM_VSTMT_IF ||
	    s->arms == NULL || s->arms->cond == NULL ||
	    !is_empty_test(whole, s->arms->cond))
		return (taken);
	im->cleaned = true;
	if (!fm_import_stmt(im, s, tabs, to))
		taken = 0;
	im->cleaned = false;
	return (taken == 0 ? 0 : taken + 1);
}
