/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Statements of VCL as those of rules.  What is not certain to mean the same
 * is refused, with the reason.
 */

#include <string.h>
#include <strings.h>

#include "import.h"

#define CALLS_MAX	16

void
fm_import_line_put(struct fm_import *im, unsigned tabs, const char *text,
    FILE *to)
{
	fm_import_tabs_put(tabs, to);
	fprintf(to, "%s\n", text);
	im->weight++;
}

/*--------------------------------------------------------------------
 * set and unset
 */

static bool
in_names(struct fm_text name, const char * const *names)
{
	for (; *names != NULL; names++)
		if (fm_text_eq_nocase(name, fm_text_of(*names)))
			return (true);
	return (false);
}

static bool
put_set_header(struct fm_import *im, const struct fm_vstmt *s,
    struct fm_text header, unsigned tabs, FILE *to)
{
	static const char * const fixed[] = {
		"Connection", "Content-Length", "Keep-Alive",
		"Proxy-Authenticate", "Proxy-Authorization",
		"Proxy-Connection", "TE", "Trailer", "Transfer-Encoding",
		"Upgrade", NULL
	};
	const struct fm_expr *unknown = fm_import_value_unknown(s->value);
	struct fm_text text;
	bool good, taken;

	if (in_names(header, fixed))
		return (fm_import_refuse(im, &s->at,
		    "rules don't set %.*s", (int)header.len, header.b));
	if (unknown != NULL)
		return (fm_import_refuse(im, &unknown->at,
		    "rules have no '%.*s' for a value", (int)unknown->text.len,
		    unknown->text.b));
	if (!fm_import_value_firm(s->value) &&
	    (s->value->kind == FM_EXPR_STRING ||
	    s->value->kind == FM_EXPR_NAME ||
	    s->value->kind == FM_EXPR_CONCAT))
		return (fm_import_refuse(im, &s->at, "the value may be empty: "
		    "VCL keeps such a header, rules remove it"));
	if (fm_import_header_refused(im, header, &s->at))
		return (false);
	taken = fm_import_url_open(im, fm_import_value_names_url(s->value),
	    &tabs, to);
	fm_import_tabs_put(tabs, to);
	fprintf(to, "set %.*s = ", (int)header.len, header.b);
	good = fm_import_value_quoted(im, s->value, to);
	fputs(";\n", to);
	fm_import_url_close(im, taken, &tabs, to);
	if (!good)
		return (false);
	im->weight++;
	im->sets_host |= fm_text_eq_nocase(header, fm_text_of("Host"));
	fm_import_forget(im, header);
	if (fm_expr_constant(im, s->value, &text))
		fm_import_learn(im, header, text);
	return (true);
}

static bool
put_unset(struct fm_import *im, const struct fm_vstmt *s, unsigned tabs,
    FILE *to)
{
	static const char * const fixed[] = {
		"Host", "Content-Length", "Transfer-Encoding", NULL
	};
	struct fm_text header = fm_header_of(s->name);

	if (header.b == NULL || memchr(header.b, '*', header.len) != NULL)
		return (fm_import_refuse(im, &s->at,
		    "rules can't unset %.*s", (int)s->name.len, s->name.b));
	if (in_names(header, fixed))
		return (fm_import_refuse(im, &s->at,
		    "rules don't unset %.*s: the request needs it",
		    (int)header.len, header.b));
	fm_import_line_put(im, tabs, fm_import_printf(im, "unset %.*s;",
	    (int)header.len, header.b), to);
	fm_import_forget(im, header);
	fm_import_learn(im, header, fm_text(NULL, 0));
	return (true);
}

/*
 * Whether it is a director whose .backend() is always the same.  That of
 * shard, and of other modules, may be another one for each request.
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

	for (i = 0; i + 3 < im->ntokens; i++) {
		t = im->tokens + i;
		if (fm_token_is(im, i, "new") &&
		    fm_text_eq(t[1].text, name) && in_names(t[3].text, types))
			return (true);
	}
	return (false);
}

/* A backend, or what a director gives. */
static bool
put_backend(struct fm_import *im, const struct fm_vstmt *s, unsigned tabs,
    FILE *to)
{
	const struct fm_expr *v = s->value;
	struct fm_text name = v->text, vcl = name;
	struct fm_name *b;

	if (v->kind == FM_EXPR_CALL && v->first == NULL && name.len > 8 &&
	    memcmp(name.b + name.len - 8, ".backend", 8) == 0) {
		name.len -= 8;
		if (!is_director(im, name))
			return (fm_import_refuse(im, &v->at, "%.*s.backend() "
			    "may be another one for each request",
			    (int)name.len, name.b));
		vcl = fm_text_of(fm_import_printf(im, "%.*s.backend()",
		    (int)name.len, name.b));
	} else if (v->kind != FM_EXPR_NAME ||
	    fm_import_find(im, "backend", name) == NULL) {
		return (fm_import_refuse(im, &v->at,
		    "rules name backends and directors, nothing else"));
	}
	for (b = im->backends; b != NULL; b = b->next)
		if (fm_text_eq(b->name, name))
			break;
	if (b == NULL) {
		b = fm_import_alloc(im, sizeof *b);
		b->name = name;
		b->vcl = vcl;
		b->next = im->backends;
		im->backends = b;
	}
	fm_import_line_put(im, tabs, fm_import_printf(im, "backend %.*s;",
	    (int)name.len, name.b), to);
	return (true);
}

static bool
put_set(struct fm_import *im, const struct fm_vstmt *s, unsigned tabs,
    FILE *to)
{
	struct fm_text header = fm_header_of(s->name);

	if (fm_text_is(s->name, "req.backend_hint"))
		return (put_backend(im, s, tabs, to));
	if (fm_text_is(s->name, "req.url"))
		return (fm_import_set_url(im, s, tabs, to));
	if (header.b == NULL)
		return (fm_import_refuse(im, &s->at,
		    "rules can't set %.*s", (int)s->name.len, s->name.b));
	return (put_set_header(im, s, header, tabs, to));
}

/*--------------------------------------------------------------------
 * if and call
 */

static bool
put_if(struct fm_import *im, const struct fm_vstmt *s, unsigned tabs,
    FILE *to)
{
	const struct fm_arm *arm;
	struct fm_fact *facts = im->facts;
	struct fm_test *test;
	bool rooted = im->url_rooted, edited = false, was;

	for (arm = s->arms; arm != NULL; arm = arm->next) {
		im->facts = facts;
		im->url_rooted = rooted;
		if (arm == s->arms)
			fm_import_tabs_put(tabs, to);
		else
			fputs(" else ", to);
		if (arm->cond != NULL) {
			test = fm_import_cond(im, arm->cond);
			if (test == NULL)
				return (false);
			im->url_rooted = rooted || fm_import_roots(test);
			fputs("when ", to);
			fm_import_cond_put(test, tabs, to);
			fputc(' ', to);
		}
		fputs("{\n", to);
		was = im->url_rooted;
		if (!fm_import_stmts(im, arm->body, tabs + 1, to))
			return (false);
		edited |= was && !im->url_rooted;
		fm_import_tabs_put(tabs, to);
		fputc('}', to);
	}
	fputc('\n', to);
	im->facts = NULL;
	im->url_rooted = rooted && !edited;
	return (true);
}

static bool
put_call(struct fm_import *im, const struct fm_vstmt *s, unsigned tabs,
    FILE *to)
{
	const struct fm_vdecl *sub = fm_import_find(im, "sub", s->name);
	bool good;

	if (sub == NULL || im->inlined == CALLS_MAX)
		return (fm_import_refuse(im, &s->at,
		    "no sub is called '%.*s'", (int)s->name.len, s->name.b));
	im->inlined++;
	good = fm_import_stmts(im, sub->body, tabs, to);
	im->inlined--;
	return (good);
}

bool
fm_import_stmt(struct fm_import *im, const struct fm_vstmt *s, unsigned tabs,
    FILE *to)
{
	switch (s->kind) {
	case FM_VSTMT_IF:
		if (fm_import_map(im, s, tabs, to))
			return (true);
		return (put_if(im, s, tabs, to));
	case FM_VSTMT_SET:
		return (put_set(im, s, tabs, to));
	case FM_VSTMT_UNSET:
		return (put_unset(im, s, tabs, to));
	case FM_VSTMT_CALL:
		return (put_call(im, s, tabs, to));
	case FM_VSTMT_RETURN:
		return (fm_import_return(im, s, tabs, to));
	case FM_VSTMT_OTHER:
		break;
	}
	return (fm_import_refuse(im, &s->at, "rules have no such statement"));
}

bool
fm_import_stmts(struct fm_import *im, const struct fm_vstmt *s, unsigned tabs,
    FILE *to)
{
	size_t n;

	while (s != NULL) {
		n = fm_import_strip(im, s, tabs, to);
		if (n == 0 && !fm_import_stmt(im, s, tabs, to))
			return (false);
		for (n += n == 0; n > 0; n--)
			s = s->next;
	}
	return (true);
}
