/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Translates single statements of VCL into statements of rules.  A statement
 * that may not mean the same in rules is refused, with the reason.
 */

#include <string.h>

#include "import.h"

#define CALLS_MAX	16	/* calls of subs in each other */

/*--------------------------------------------------------------------
 * set and unset
 */

/* Returns true if a value has a header that is there for sure. */
static bool
is_there(struct fm_import *im, const struct fm_expr *e)
{
	const struct fm_expr *part;

	if (e->kind == FM_EXPR_CONCAT)
		for (part = e->first; part != NULL; part = part->next)
			if (is_there(im, part))
				return (true);
	return (e->kind == FM_EXPR_NAME && fm_import_is_there(im,
	    fm_import_printf(im, "%.*s", FM_ARG(e->text))));
}

/* Returns true if a value ends in a blank, which rules would cut off. */
static bool
ends_in_blank(const struct fm_expr *e)
{
	const struct fm_expr *part = e->kind == FM_EXPR_CONCAT ? e->first : e;

	while (e->kind == FM_EXPR_CONCAT && part->next != NULL)
		part = part->next;
	return (part->kind == FM_EXPR_STRING && part->text.len > 0 &&
	    part->text.b[part->text.len - 1] == ' ');
}

/*
 * Notes that a value may be empty, and for which request.  Returns false if the
 * VCL asks whether the header is there, since rules don't set empty headers.
 */
static bool
note_empty(struct fm_import *im, const struct fm_vstmt *s)
{
	const struct fm_expr *e = s->value;
	const struct fm_expr *part = e->kind == FM_EXPR_CONCAT ? e->first : e;
	struct fm_text name = fm_header_of(s->name);
	struct fm_text header = fm_text(NULL, 0);

	/* Only a client that sends an empty header makes it empty. */
	if (is_there(im, e)) {
		fm_import_note(im, FM_NOTE_EMPTY, "an empty header that %.*s "
		    "is made of", FM_ARG(name));
		return (true);
	}
	for (; part != NULL && header.b == NULL; part = part->next)
		if (part->kind == FM_EXPR_NAME)
			header = fm_header_of(part->text);
	if (fm_import_asks_for(im, name, 2, im->vcl.ntokens - 3))
		return (fm_import_refuse(im, &s->at, "the value may be empty: "
		    "rules set no such header then, and VCL asks whether "
		    "there is %.*s", FM_ARG(name)));
	if (header.b == NULL)
		fm_import_note(im, FM_NOTE_EMPTY, "any request");
	else
		fm_import_note(im, FM_NOTE_EMPTY, "a request without %.*s",
		    FM_ARG(header));
	return (true);
}

static bool
put_set_header(struct fm_import *im, const struct fm_vstmt *s,
    struct fm_text header)
{
	const char *value;

	im->seen.sets_host |= fm_text_is_nocase(header, "Host");
	if (s->value->kind == FM_EXPR_CALL &&
	    !fm_expr_calls(s->value, "cookie.get", 1))
		return (fm_import_regsub(im, s, header));
	value = fm_import_value(im, s->value);
	if (value == NULL)
		return (false);
	fm_import_begin(im, "set %.*s = %s;\n", FM_ARG(header), value);
	return ((fm_import_value_firm(s->value) &&
	    !ends_in_blank(s->value)) || note_empty(im, s));
}

static bool
put_unset(struct fm_import *im, const struct fm_vstmt *s)
{
	struct fm_text header = fm_header_of(s->name);

	if (header.b == NULL || memchr(header.b, '*', header.len) != NULL)
		return (fm_import_refuse(im, &s->at,
		    "rules can't unset %.*s", FM_ARG(s->name)));
	fm_import_begin(im, "unset %.*s;\n", FM_ARG(header));
	return (true);
}

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
	const struct fm_vcl_token *t;
	size_t i;

	for (i = 0; i + 3 < im->vcl.ntokens; i++) {
		t = im->vcl.tokens + i;
		if (fm_token_is(&im->vcl, i, "new") &&
		    fm_text_eq(t[1].text, name) &&
		    fm_text_is_one_of(t[3].text, types))
			return (true);
	}
	return (false);
}

/* Writes `backend NAME`, for a backend or for NAME.backend() of a director. */
static bool
put_backend(struct fm_import *im, const struct fm_vstmt *s)
{
	const struct fm_expr *v = s->value;
	struct fm_text name = v->text;

	if (v->kind == FM_EXPR_CALL && v->first == NULL && name.len > 8 &&
	    memcmp(name.b + name.len - 8, ".backend", 8) == 0) {
		name.len -= 8;
		if (!is_director(im, name))
			return (fm_import_refuse(im, &v->at, "%.*s.backend() "
			    "may be another one for each request",
			    FM_ARG(name)));
	} else if (v->kind != FM_EXPR_NAME ||
	    fm_vcl_find(&im->vcl, "backend", name) == NULL) {
		return (fm_import_refuse(im, &v->at,
		    "rules name backends and directors, nothing else"));
	}
	fm_import_begin(im, "backend %.*s;\n", FM_ARG(name));
	return (true);
}

static bool
put_set(struct fm_import *im, const struct fm_vstmt *s)
{
	struct fm_text header = fm_header_of(s->name);

	if (fm_text_is(s->name, "req.backend_hint"))
		return (put_backend(im, s));
	if (fm_text_is(s->name, "req.url"))
		return (fm_import_set_url(im, s));
	if (header.b == NULL)
		return (fm_import_refuse(im, &s->at,
		    "rules can't set %.*s", FM_ARG(s->name)));
	return (put_set_header(im, s, header));
}

/*--------------------------------------------------------------------
 * if and call
 */

bool
fm_import_body(struct fm_import *im, const struct fm_vstmt *s,
    const struct fm_arm *arm)
{
	struct fm_under under = { .cond = arm->cond, .behind = s->next,
	    .up = im->under };
	bool good;

	fm_import_put(im, "{\n");
	im->under = &under;
	im->tabs++;
	good = fm_import_stmts(im, arm->body);
	im->tabs--;
	im->under = under.up;
	fm_import_begin(im, "}");
	return (good);
}

static bool
put_if(struct fm_import *im, const struct fm_vstmt *s)
{
	const struct fm_arm *arm;
	struct fm_test *test;

	/* An `if` whose condition is always true, or never. */
	if (s->arms == NULL || s->arms->cond == NULL)
		return (s->arms == NULL || fm_import_stmts(im, s->arms->body));
	fm_import_begin(im, "%s", "");
	for (arm = s->arms; arm != NULL; arm = arm->next) {
		test = arm->cond == NULL ? NULL :
		    fm_import_cond(im, arm->cond);
		if (test != NULL)
			fm_import_put(im, "when %s ",
			    fm_import_cond_text(im, test));
		if ((test == NULL && arm->cond != NULL) ||
		    !fm_import_body(im, s, arm))
			return (false);
		fm_import_put(im, arm->next != NULL ? " else " : "\n");
	}
	return (true);
}

static bool
put_call(struct fm_import *im, const struct fm_vstmt *s)
{
	const struct fm_vdecl *sub = fm_vcl_find(&im->vcl, "sub", s->name);
	bool good;

	if (sub == NULL || im->inlined == CALLS_MAX)
		return (fm_import_refuse(im, &s->at,
		    "no sub is called '%.*s'", FM_ARG(s->name)));
	im->inlined++;
	good = fm_import_stmts(im, sub->body);
	im->inlined--;
	return (good);
}

bool
fm_import_stmt(struct fm_import *im, const struct fm_vstmt *s)
{
	struct fm_text text = im->vcl.tokens[s->first].text;

	switch (s->kind) {
	case FM_VSTMT_IF:
		return (put_if(im, s));
	case FM_VSTMT_CALL:
		return (put_call(im, s));
	case FM_VSTMT_SET:
		return (put_set(im, s));
	case FM_VSTMT_UNSET:
		return (put_unset(im, s));
	case FM_VSTMT_RETURN:
		return (fm_import_return(im, s));
	case FM_VSTMT_ACTION:
		return (fm_import_refuse(im, &s->at, "rules have no %.*s()",
		    FM_ARG(s->value->text)));
	default:
		return (fm_import_refuse(im, &s->at, "rules have no `%.*s`",
		    FM_ARG(text)));
	}
}

size_t
fm_import_next(struct fm_import *im, const struct fm_vstmt *s)
{
	size_t n = fm_import_cleanup(im, s);

	if (n == 0)
		n = fm_import_idiom(im, s);
	if (n == 0)
		n = fm_import_map(im, s);
	return (n == 0 ? fm_import_stmt(im, s) : n);
}

bool
fm_import_stmts(struct fm_import *im, const struct fm_vstmt *s)
{
	size_t n;

	while (s != NULL) {
		n = fm_import_next(im, s);
		if (n == 0)
			return (false);
		for (; n > 0; n--)
			s = s->next;
	}
	return (true);
}
