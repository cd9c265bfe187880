/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Verdicts; and statuses of synth that vcl_synth makes another answer of:
 *
 *	if (resp.status == 750) {
 *		set resp.http.Location = resp.reason;
 *		set resp.status = 301;
 *		return (deliver);
 *	}
 *
 * is a redirect, and with Content-Type and synthetic() in place of Location a
 * page.  With anything else in it it stays as it is.
 */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "import.h"

/*--------------------------------------------------------------------
 * vcl_synth
 */

/* NULL: it is no status of a redirect. */
static const char *
reason_of(unsigned status)
{
	return (status == 301 ? "Moved Permanently" : status == 302 ? "Found" :
	    status == 303 ? "See Other" : status == 307 ? "Temporary Redirect" :
	    status == 308 ? "Permanent Redirect" : NULL);
}

/* A status; 0: it is something else. */
static unsigned
number_of(const struct fm_expr *e)
{
	if (e == NULL || e->kind != FM_EXPR_NUMBER || e->text.len != 3)
		return (0);
	return ((unsigned)strtoul(e->text.b, NULL, 10));
}

/* Puts the parts of e there, and those of the reason for resp.reason. */
static struct fm_expr **
add_parts(struct fm_import *im, struct fm_expr **last, const struct fm_expr *e,
    const struct fm_expr *reason)
{
	const struct fm_expr *part;

	if (e->kind == FM_EXPR_CONCAT) {
		for (part = e->first; part != NULL; part = part->next)
			last = add_parts(im, last, part, reason);
		return (last);
	}
	if (reason != NULL && fm_expr_is(e, "resp.reason"))
		return (add_parts(im, last, reason, NULL));
	*last = fm_import_alloc(im, sizeof **last);
	**last = *e;
	(*last)->next = NULL;
	return (&(*last)->next);
}

/* Takes texts, and what of the request rules may have in a value. */
static bool
take_location(struct fm_import *im, struct fm_handler *h,
    const struct fm_expr *value)
{
	const struct fm_expr *part;

	if (h->location != NULL)
		return (false);
	(void)add_parts(im, &h->location, value, NULL);
	for (part = h->location; part != NULL; part = part->next)
		if (fm_expr_is(part, "resp.reason"))
			h->asks = true;
		else if (part->kind != FM_EXPR_STRING &&
		    (part->kind != FM_EXPR_NAME ||
		    !fm_import_value_knows(part)))
			return (false);
	/* Once the status is set the reason is another one. */
	return (!h->asks || h->plain);
}

static bool
take(struct fm_import *im, struct fm_handler *h, const struct fm_vstmt *s)
{
	const struct fm_expr *text = s->value;

	if (s->kind == FM_VSTMT_ACTION && fm_expr_calls(text, "synthetic", 1) &&
	    text->first->kind == FM_EXPR_STRING) {
		h->body = text->first->text;
		return (true);
	}
	if (s->kind != FM_VSTMT_SET)
		return (false);
	if (fm_text_is_nocase(s->name, "resp.http.Location"))
		return (take_location(im, h, text));
	if (fm_text_is(s->name, "resp.status")) {
		h->plain = false;
		h->to = number_of(text);
		h->reason = fm_text(NULL, 0);
		return (h->to != 0);
	}
	if (text->kind == FM_EXPR_STRING &&
	    fm_text_is_nocase(s->name, "resp.http.Content-Type")) {
		h->type = text->text;
		return (true);
	}
	h->plain = false;
	h->reason = text->text;
	return (text->kind == FM_EXPR_STRING &&
	    fm_text_is(s->name, "resp.reason"));
}

/* Returns true if it is known what becomes of the status. */
static bool
read_handler(struct fm_import *im, struct fm_handler *h,
    const struct fm_vstmt *s)
{
	h->to = h->from;
	h->plain = true;
	for (; s != NULL && s->kind != FM_VSTMT_RETURN; s = s->next)
		if (!take(im, h, s))
			return (false);
	if (s == NULL || !fm_text_is(s->name, "deliver") || s->next != NULL)
		return (false);
	/* Rules give a redirect the usual reason. */
	if (h->location != NULL)
		return (reason_of(h->to) != NULL && !(h->plain && h->asks) &&
		    h->type.len + h->body.len == 0 && (h->reason.b == NULL ||
		    fm_text_is(h->reason, reason_of(h->to))));
	return (h->reason.b == NULL && h->type.len > 0 && h->body.len > 0);
}

/* Takes `resp.status == N`, or several with `||`; false: it asks for more. */
static bool
read_arm(struct fm_import *im, const struct fm_arm *arm,
    const struct fm_expr *cond)
{
	const struct fm_expr *part;
	struct fm_handler *h;
	unsigned from;

	if (cond != NULL && cond->kind == FM_EXPR_OR) {
		for (part = cond->first; part != NULL; part = part->next)
			if (!read_arm(im, arm, part))
				return (false);
		return (true);
	}
	if (cond == NULL || cond->kind != FM_EXPR_COMPARE ||
	    !fm_text_is(cond->text, "==") ||
	    !fm_expr_is(cond->first, "resp.status") ||
	    (from = number_of(cond->first->next)) == 0)
		return (false);
	for (h = im->handlers; h != NULL; h = h->next)
		if (h->from == from)
			return (true);
	h = fm_import_alloc(im, sizeof *h);
	h->from = from;
	h->next = im->handlers;
	im->handlers = h;
	if (!read_handler(im, h, arm->body))
		h->to = 0;
	return (true);
}

/* Handlers count up to the first `if` that asks for more than a status. */
void
fm_import_handlers(struct fm_import *im)
{
	const struct fm_vdecl *decl;
	const struct fm_vstmt *s;
	const struct fm_arm *arm;

	for (decl = im->vcl.decls; decl != NULL; decl = decl->next)
		for (s = fm_vdecl_is_sub(decl, "vcl_synth") ? decl->body : NULL;
		    s != NULL; s = s->next) {
			if (s->kind != FM_VSTMT_IF)
				return;
			for (arm = s->arms; arm != NULL; arm = arm->next)
				if (!read_arm(im, arm, arm->cond))
					return;
		}
}

/*--------------------------------------------------------------------
 * Redirects and pages
 */

/* The Location must start with a text of its own, for ${url} may not. */
static bool
starts_firmly(const struct fm_expr *first)
{
	return (first != NULL && first->kind == FM_EXPR_STRING &&
	    first->text.len > 1 && *first->text.b > ' ' &&
	    (*first->text.b != '/' || first->next == NULL ||
	    first->text.len > 2));
}

/* Makes a header the host of rules; false: it is none, and why is said. */
static bool
host_name_check(struct fm_import *im, const struct fm_expr *where,
    struct fm_expr *part)
{
	if (!fm_expr_is(part, "req.http.Host"))
		return (fm_import_refuse(im, &where->at, "%.*s would be a part "
		    "of the host: a client could choose where a redirect of "
		    "rules leads", FM_ARG(part->text)));
	if (fm_import_sets_host(im))
		return (fm_import_refuse(im, &where->at, "VCL sets Host: "
		    "${host} of rules is the host that was asked for"));
	if (im->host.b == NULL)
		im->host = fm_text_of("www.example.com");
	fm_import_note(im, FM_NOTE_HOST, "Host: %c%.*s",
	    toupper((unsigned char)*im->host.b), (int)im->host.len - 1,
	    im->host.b + 1);
	part->text = fm_text_of(FM_IMPORT_HOST);
	return (true);
}

/*
 * Returns false, and says why, unless the host of a Location is as rules have
 * it: of texts and the request's host, up to a `/`, `?` or `#` of a text, or
 * to the URL, which must begin with a `/` then.
 */
static bool
host_check(struct fm_import *im, const struct fm_expr *where)
{
	struct fm_expr *part = where->first;
	struct fm_text t = part->text;
	const char *host = memmem(t.b, t.len, "//", 2);

	if (host == NULL || (*t.b == '/' && host != t.b))
		return (true);
	for (t = fm_text_span(host + 2, t.b + t.len);; t = part->text) {
		if (part->kind == FM_EXPR_STRING) {
			if (memchr(t.b, '/', t.len) != NULL ||
			    memchr(t.b, '?', t.len) != NULL ||
			    memchr(t.b, '#', t.len) != NULL)
				return (true);
		} else if (fm_expr_is(part, "req.url")) {
			fm_import_note(im, FM_NOTE_URL, "GET .b.example/ "
			    "HTTP/1.1: a URL without a '/' goes on with the "
			    "host");
			return (true);
		} else if (!host_name_check(im, where, part)) {
			return (false);
		}
		part = part->next;
		if (part == NULL)
			return (true);
	}
}

/* Makes a file beside the rules of a page; returns its name there. */
static const char *
page_file(struct fm_import *im, const struct fm_handler *h)
{
	const char *slash = strrchr(im->rules_path, '/');
	struct fm_output *page;
	const char *name;

	name = fm_import_printf(im, "%s-%u.%s", im->object, h->from,
	    memmem(h->type.b, h->type.len, "html", 4) != NULL ? "html" :
	    "txt");
	page = fm_import_file(im, fm_import_printf(im, "%.*s%s", slash == NULL ?
	    0 : (int)(slash - im->rules_path) + 1, im->rules_path, name));
	page->name = name;
	page->text = fm_import_printf(im, "%.*s", FM_ARG(h->body));
	return (name);
}

static void
put_page(struct fm_import *im, const struct fm_handler *h)
{
	size_t i;

	fm_import_put(im, "answer %u ", h->to);
	fm_import_quote_put(im, h->type);
	for (i = 0; i < h->body.len; i++)
		if ((unsigned char)h->body.b[i] < ' ') {
			fm_import_put(im, " from \"%s\"", page_file(im, h));
			return;
		}
	fm_import_put(im, " ");
	fm_import_quote_put(im, h->body);
}

static bool
put_answer(struct fm_import *im, const struct fm_handler *h,
    const struct fm_vstmt *s, const struct fm_expr *reason)
{
	struct fm_expr where = { .kind = FM_EXPR_CONCAT,
	    .at = reason == NULL ? s->at : reason->at };
	struct fm_expr **last = &where.first, *part;

	im->seen.redirects = true;
	if (h->location == NULL) {
		put_page(im, h);
		return (true);
	}
	for (part = h->location; part != NULL; part = part->next)
		last = add_parts(im, last, part, reason);
	if (!starts_firmly(where.first))
		return (fm_import_refuse(im, &where.at, "a Location that does "
		    "not start with a text may lead elsewhere"));
	fm_import_put(im, "redirect %u ", h->to);
	return (host_check(im, &where) && fm_import_value_quoted(im, &where));
}

/*--------------------------------------------------------------------
 * Verdicts
 */

/* Rules leave out what could be HTML in a reason, which no address has. */
static bool
put_reason(struct fm_import *im, const struct fm_expr *reason)
{
	struct fm_expr *part = NULL;

	(void)add_parts(im, &part, reason, NULL);
	for (; part != NULL; part = part->next)
		if (part->kind != FM_EXPR_STRING &&
		    !fm_expr_is(part, "client.ip"))
			return (fm_import_refuse(im, &part->at, "the reason "
			    "of a synth has texts and the client in rules"));
	fm_import_put(im, " ");
	return (fm_import_value_quoted(im, reason));
}

static bool
put_synth(struct fm_import *im, const struct fm_vstmt *s)
{
	const struct fm_expr *status = s->value->first, *reason;
	const struct fm_handler *h = im->handlers;
	unsigned n = number_of(status);
	bool good;

	if (n == 0)
		return (fm_import_refuse(im, &s->at,
		    "rules have no such status"));
	reason = status->next;
	while (h != NULL && h->from != n)
		h = h->next;
	fm_import_begin(im, "%s", "");
	/* The reason must be that of the handler. */
	if (h != NULL && h->to != 0 && (h->asks ? reason != NULL :
	    reason == NULL || !h->plain)) {
		good = put_answer(im, h, s, reason);
	} else if (n < 200 || n > 599) {
		return (fm_import_refuse(im, &s->at, "rules answer with 200 "
		    "to 599, and vcl_synth makes no plain redirect or page "
		    "of %u", n));
	} else {
		fm_import_put(im, "synth %u", n);
		good = reason == NULL || put_reason(im, reason);
	}
	fm_import_put(im, ";\n");
	return (good);
}

bool
fm_import_return(struct fm_import *im, const struct fm_vstmt *s)
{
	static const char * const verdicts[] = { "pass", "pipe", "hash",
	    "purge", NULL };
	bool synth = fm_text_is(s->name, "synth");

	if (s->name.len == 0)
		return (fm_import_refuse(im, &s->at, "rules have no such "
		    "return"));
	if (im->vcl.esi && (synth || fm_text_is(s->name, "purge")))
		fm_import_note(im, FM_NOTE_ESI, "an ESI sub-request");
	if (synth && s->value->kind == FM_EXPR_CALL)
		return (put_synth(im, s));
	if (!fm_text_is_one_of(s->name, verdicts) ||
	    s->value->kind != FM_EXPR_NAME)
		return (fm_import_refuse(im, &s->at,
		    "rules have no return (%.*s)", FM_ARG(s->name)));
	fm_import_begin(im, "%.*s;\n", FM_ARG(s->name));
	return (true);
}

bool
fm_vstmts_end(const struct fm_vstmt *s)
{
	const struct fm_arm *arm;
	bool otherwise = false;

	if (s == NULL)
		return (false);
	while (s->next != NULL)
		s = s->next;
	if (s->kind != FM_VSTMT_IF)
		return (s->kind == FM_VSTMT_RETURN && s->name.len > 0);
	for (arm = s->arms; arm != NULL; arm = arm->next) {
		if (!fm_vstmts_end(arm->body))
			return (false);
		otherwise = arm->cond == NULL;
	}
	return (otherwise);
}
