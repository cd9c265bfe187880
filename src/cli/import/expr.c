/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Expressions of VCL, as trees.  What is not understood is "other", up to the
 * end of what the statement has there: it is not wrong, it stays VCL.
 */

#include <string.h>

#include "import.h"

struct reader {
	struct fm_import	*im;
	size_t			at, end;
	unsigned		depth;
	bool			lost;
};

#define EXPR_DEPTH	200

static struct fm_expr *read_or(struct reader *);

bool
fm_text_is(struct fm_text t, const char *s)
{
	return (fm_text_eq(t, fm_text_of(s)));
}

bool
fm_text_is_nocase(struct fm_text t, const char *s)
{
	return (fm_text_eq_nocase(t, fm_text_of(s)));
}

bool
fm_expr_is(const struct fm_expr *e, const char *name)
{
	return (e != NULL && e->kind == FM_EXPR_NAME &&
	    (fm_text_is(e->text, name) || (strncmp(name, "re", 2) == 0 &&
	    strstr(name, ".http.") != NULL &&
	    fm_text_is_nocase(e->text, name))));
}

bool
fm_expr_calls(const struct fm_expr *e, const char *name, unsigned n)
{
	const struct fm_expr *argument;

	if (e == NULL || e->kind != FM_EXPR_CALL || !fm_text_is(e->text, name))
		return (false);
	for (argument = e->first; argument != NULL; argument = argument->next)
		if (n-- == 0)
			return (false);
	return (n == 0);
}

struct fm_text
fm_header_of(struct fm_text name)
{
	static const char before[] = "req.http.";
	size_t len = sizeof before - 1;

	if (name.len <= len || memcmp(name.b, before, len) != 0)
		return (fm_text(NULL, 0));
	return (fm_text(name.b + len, name.len - len));
}

static const struct fm_vcl_token *
token(const struct reader *r)
{
	return (r->im->tokens + r->at);
}

static bool
sees(const struct reader *r, const char *sign)
{
	return (r->at < r->end && token(r)->kind == FM_VCL_SIGN &&
	    fm_text_is(token(r)->text, sign));
}

static bool
takes(struct reader *r, const char *sign)
{
	if (!sees(r, sign))
		return (false);
	r->at++;
	return (true);
}

static struct fm_expr *
expr_new(struct reader *r, enum fm_expr_kind kind)
{
	struct fm_expr *e = fm_import_alloc(r->im, sizeof *e);

	e->kind = kind;
	e->at = token(r)->at;
	return (e);
}

static struct fm_expr *
lose(struct reader *r)
{
	r->lost = true;
	return (expr_new(r, FM_EXPR_OTHER));
}

static void
read_arguments(struct reader *r, struct fm_expr *call)
{
	struct fm_expr **tail = &call->first;

	if (takes(r, ")"))
		return;
	do {
		/* name=value */
		if (r->at + 1 < r->end && token(r)->kind == FM_VCL_NAME &&
		    fm_text_is(token(r)[1].text, "="))
			r->at += 2;
		*tail = read_or(r);
		tail = &(*tail)->next;
	} while (takes(r, ","));
	if (!takes(r, ")"))
		r->lost = true;
}

static struct fm_expr *
read_term(struct reader *r)
{
	struct fm_expr *e;

	if (r->at >= r->end || r->lost || r->depth > EXPR_DEPTH)
		return (lose(r));
	if (takes(r, "(")) {
		r->depth++;
		e = read_or(r);
		r->depth--;
		if (!takes(r, ")"))
			r->lost = true;
		return (e);
	}
	switch (token(r)->kind) {
	case FM_VCL_STRING:
		e = expr_new(r, FM_EXPR_STRING);
		e->text = token(r)->value;
		r->at++;
		return (e);
	case FM_VCL_NUMBER:
		e = expr_new(r, FM_EXPR_NUMBER);
		e->text = token(r)->text;
		r->at++;
		return (e);
	case FM_VCL_NAME:
		e = expr_new(r, FM_EXPR_NAME);
		e->text = token(r)->text;
		if (fm_text_is(e->text, "true"))
			e->kind = FM_EXPR_TRUE;
		else if (fm_text_is(e->text, "false"))
			e->kind = FM_EXPR_FALSE;
		r->at++;
		if (takes(r, "(")) {
			e->kind = FM_EXPR_CALL;
			r->depth++;
			read_arguments(r, e);
			r->depth--;
		}
		return (e);
	default:
		return (lose(r));
	}
}

/* Strings behind each other are one, with + or without. */
static struct fm_expr *
read_concat(struct reader *r)
{
	struct fm_expr *first = read_term(r), **tail = &first->next, *e;

	while (!r->lost && r->at < r->end &&
	    (sees(r, "+") || token(r)->kind == FM_VCL_STRING ||
	    (token(r)->kind == FM_VCL_NAME && r->at > 0))) {
		(void)takes(r, "+");
		*tail = read_term(r);
		tail = &(*tail)->next;
	}
	if (first->next == NULL)
		return (first);
	e = fm_import_alloc(r->im, sizeof *e);
	e->kind = FM_EXPR_CONCAT;
	e->at = first->at;
	e->first = first;
	return (e);
}

/*
 * A number that is always 0: req.restarts where no VCL restarts, and
 * req.esi_level where none does ESI.
 */
static bool
is_settled(const struct reader *r, struct fm_expr *e)
{
	const struct fm_expr *number = e->first->next;
	bool zero;

	if (number->kind != FM_EXPR_NUMBER || ((r->im->restarts ||
	    !fm_expr_is(e->first, "req.restarts")) && (r->im->esi ||
	    !fm_expr_is(e->first, "req.esi_level"))))
		return (false);
	zero = fm_text_is(number->text, "0");
	if (fm_text_is(e->text, "=="))
		e->kind = zero ? FM_EXPR_TRUE : FM_EXPR_FALSE;
	else if (fm_text_is(e->text, "!="))
		e->kind = zero ? FM_EXPR_FALSE : FM_EXPR_TRUE;
	else if (fm_text_is(e->text, ">"))
		e->kind = FM_EXPR_FALSE;
	else if (fm_text_is(e->text, "<"))
		e->kind = zero ? FM_EXPR_FALSE : FM_EXPR_TRUE;
	return (e->kind != FM_EXPR_COMPARE);
}

static struct fm_expr *
read_compare(struct reader *r)
{
	static const char * const signs[] = {
		"==", "!=", "~", "!~", "<", ">", "<=", ">="
	};
	struct fm_expr *left, *e;
	size_t i;

	if (sees(r, "!")) {
		e = expr_new(r, FM_EXPR_NOT);
		r->at++;
		if (r->depth++ > EXPR_DEPTH)
			return (lose(r));
		e->first = read_compare(r);
		r->depth--;
		if (e->first->kind == FM_EXPR_TRUE)
			e->kind = FM_EXPR_FALSE;
		else if (e->first->kind == FM_EXPR_FALSE)
			e->kind = FM_EXPR_TRUE;
		return (e);
	}
	left = read_concat(r);
	for (i = 0; i < sizeof signs / sizeof *signs; i++)
		if (sees(r, signs[i]))
			break;
	if (i == sizeof signs / sizeof *signs)
		return (left);
	e = expr_new(r, FM_EXPR_COMPARE);
	e->text = token(r)->text;
	e->at = left->at;
	r->at++;
	e->first = left;
	left->next = read_concat(r);
	(void)is_settled(r, e);
	return (e);
}

/*
 * Leaves out of a chain what makes no difference to it; the chain is what
 * decides it, if anything does.
 */
static struct fm_expr *
settle(struct fm_expr *first, enum fm_expr_kind none)
{
	struct fm_expr *e, **p = &first;

	if (first->next == NULL)
		return (first);
	while ((e = *p) != NULL) {
		if (e->kind != FM_EXPR_TRUE && e->kind != FM_EXPR_FALSE) {
			p = &e->next;
		} else if (e->kind != none || (e == first &&
		    e->next == NULL)) {
			e->next = NULL;
			return (e);
		} else {
			*p = e->next;
		}
	}
	return (first);
}

static struct fm_expr *
read_chain(struct reader *r, enum fm_expr_kind kind, const char *sign,
    struct fm_expr *(*read)(struct reader *))
{
	struct fm_expr *first = read(r), **tail = &first->next, *e;

	while (!r->lost && takes(r, sign)) {
		*tail = read(r);
		tail = &(*tail)->next;
	}
	first = settle(first, kind == FM_EXPR_AND ? FM_EXPR_TRUE :
	    FM_EXPR_FALSE);
	if (first->next == NULL)
		return (first);
	e = fm_import_alloc(r->im, sizeof *e);
	e->kind = kind;
	e->at = first->at;
	e->first = first;
	return (e);
}

static struct fm_expr *
read_and(struct reader *r)
{
	return (read_chain(r, FM_EXPR_AND, "&&", read_compare));
}

static struct fm_expr *
read_or(struct reader *r)
{
	return (read_chain(r, FM_EXPR_OR, "||", read_and));
}

struct fm_expr *
fm_import_expr(struct fm_import *im, size_t *at, size_t end)
{
	struct reader r = { .im = im, .at = *at, .end = end };
	struct fm_expr *e = read_or(&r);

	if (r.lost || r.at != end) {
		r.at = *at;
		e = expr_new(&r, FM_EXPR_OTHER);
	}
	*at = end;
	return (e);
}

bool
fm_expr_constant(struct fm_import *im, const struct fm_expr *e,
    struct fm_text *text)
{
	const struct fm_expr *part;
	size_t len = 0;
	char *b;

	if (e->kind == FM_EXPR_STRING) {
		*text = e->text;
		return (true);
	}
	if (e->kind != FM_EXPR_CONCAT)
		return (false);
	for (part = e->first; part != NULL; part = part->next) {
		if (part->kind != FM_EXPR_STRING)
			return (false);
		len += part->text.len;
	}
	b = fm_import_alloc(im, len + 1);
	*text = fm_text(b, len);
	for (part = e->first; part != NULL; part = part->next) {
		memcpy(b, part->text.b, part->text.len);
		b += part->text.len;
	}
	return (true);
}
