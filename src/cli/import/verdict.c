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

struct handler {
	const struct fm_expr	*location;
	struct fm_text		type, body;
	bool			delivered;
	unsigned		status;
	struct fm_text		reason;
};

static const struct {
	unsigned		status;
	const char		*reason;
} handler_reasons[] = {
	{ 301, "Moved Permanently" },
	{ 302, "Found" },
	{ 303, "See Other" },
	{ 307, "Temporary Redirect" },
	{ 308, "Permanent Redirect" }
};

static unsigned
number_of(const struct fm_expr *e)
{
	if (e == NULL || e->kind != FM_EXPR_NUMBER || e->text.len != 3)
		return (0);
	return ((unsigned)strtoul(e->text.b, NULL, 10));
}

/* resp.status == N; 0: it is something else. */
static unsigned
status_of(const struct fm_expr *cond)
{
	if (cond->kind != FM_EXPR_COMPARE || !fm_text_is(cond->text, "==") ||
	    !fm_expr_is(cond->first, "resp.status"))
		return (0);
	return (number_of(cond->first->next));
}

static bool
asks_for_status(const struct fm_expr *cond)
{
	const struct fm_expr *part;

	if (cond == NULL || cond->kind != FM_EXPR_OR)
		return (cond != NULL && status_of(cond) != 0);
	for (part = cond->first; part != NULL; part = part->next)
		if (status_of(part) == 0)
			return (false);
	return (true);
}

/* Texts, and what of the request rules may have in a value. */
static bool
can_be_location(const struct fm_expr *e)
{
	const struct fm_expr *part;

	if (e->kind == FM_EXPR_CONCAT) {
		for (part = e->first; part != NULL; part = part->next)
			if (!can_be_location(part))
				return (false);
		return (true);
	}
	return (e->kind == FM_EXPR_STRING || fm_expr_is(e, "resp.reason") ||
	    (e->kind == FM_EXPR_NAME && fm_import_value_unknown(e) == NULL));
}

static bool
names_reason(const struct fm_expr *e)
{
	const struct fm_expr *part;

	if (e->kind == FM_EXPR_CONCAT)
		for (part = e->first; part != NULL; part = part->next)
			if (names_reason(part))
				return (true);
	return (fm_expr_is(e, "resp.reason"));
}

static bool
take_location(struct handler *h, const struct fm_expr *v)
{
	h->location = v;
	/* Once the status is set the reason is another one. */
	return (can_be_location(v) && (!names_reason(v) ||
	    (h->status == 0 && h->reason.b == NULL)));
}

static bool
take(struct handler *h, const struct fm_vstmt *s)
{
	if (s->kind == FM_VSTMT_RETURN) {
		h->delivered = fm_text_is(s->name, "deliver");
		return (h->delivered && s->next == NULL);
	}
	if (s->kind == FM_VSTMT_ACTION && fm_expr_calls(s->value, "synthetic",
	    1) && s->value->first->kind == FM_EXPR_STRING) {
		h->body = s->value->first->text;
		return (true);
	}
	if (s->kind != FM_VSTMT_SET)
		return (false);
	if (fm_text_is_nocase(s->name, "resp.http.Location"))
		return (take_location(h, s->value));
	if (fm_text_is_nocase(s->name, "resp.http.Content-Type") &&
	    s->value->kind == FM_EXPR_STRING) {
		h->type = s->value->text;
		return (true);
	}
	if (fm_text_is(s->name, "resp.status")) {
		h->status = number_of(s->value);
		h->reason = fm_text(NULL, 0);
		return (true);
	}
	if (fm_text_is(s->name, "resp.reason") &&
	    s->value->kind == FM_EXPR_STRING) {
		h->reason = s->value->text;
		return (true);
	}
	return (false);
}

/* NULL: it is no status of a redirect. */
static const char *
reason_of(unsigned status)
{
	size_t i;

	for (i = 0; i < sizeof handler_reasons / sizeof *handler_reasons; i++)
		if (handler_reasons[i].status == status)
			return (handler_reasons[i].reason);
	return (NULL);
}

/* The reason of ours is the usual one; so is VCL's, of a status alone. */
static bool
usual(const struct handler *h)
{
	const char *reason = reason_of(h->status);

	return (reason != NULL && (h->reason.b == NULL ||
	    fm_text_is(h->reason, reason)));
}

/* A page of one line, which rules can have as a string. */
static bool
is_page(const struct handler *h)
{
	size_t i;

	for (i = 0; i < h->body.len; i++)
		if ((unsigned char)h->body.b[i] < ' ')
			return (false);
	return (h->type.len > 0 && h->body.len > 0 && h->reason.b == NULL &&
	    h->status >= 200 && h->status <= 599 && h->status != 204 &&
	    h->status != 205 && h->status != 304);
}

/* What becomes of this status; to: 0, it is no redirect. */
static void
look_at_status(struct fm_import *im, const struct fm_arm *arm, unsigned from)
{
	struct handler h = { .status = 0 };
	const struct fm_vstmt *s;
	struct fm_handler *r;

	for (r = im->handlers; r != NULL; r = r->next)
		if (r->from == from)
			return;
	r = fm_import_alloc(im, sizeof *r);
	r->from = from;
	r->next = im->handlers;
	im->handlers = r;
	for (s = arm->body; s != NULL; s = s->next)
		if (!take(&h, s))
			return;
	/* Without another status the reason is still what it was. */
	r->plain = h.status == 0 && h.reason.b == NULL;
	if (h.status == 0)
		h.status = from;
	if (h.location == NULL ? !is_page(&h) : !usual(&h) || h.type.len +
	    h.body.len > 0 || (r->plain && names_reason(h.location)))
		return;
	if (!h.delivered)
		return;
	r->to = h.status;
	r->location = h.location;
	r->type = h.type;
	r->body = h.body;
}

/* false: it may be reached, or not, for another reason than the status. */
static bool
look_at_arm(struct fm_import *im, const struct fm_arm *arm)
{
	const struct fm_expr *part;

	if (!asks_for_status(arm->cond))
		return (false);
	if (arm->cond->kind != FM_EXPR_OR)
		look_at_status(im, arm, status_of(arm->cond));
	else
		for (part = arm->cond->first; part != NULL; part = part->next)
			look_at_status(im, arm, status_of(part));
	return (true);
}

/* What comes before a handler must ask for other statuses only. */
void
fm_import_handlers(struct fm_import *im)
{
	const struct fm_vdecl *decl;
	const struct fm_vstmt *s;
	const struct fm_arm *arm;

	for (decl = im->decls; decl != NULL; decl = decl->next) {
		if (!fm_text_is(decl->kind, "sub") ||
		    !fm_text_is(decl->name, "vcl_synth"))
			continue;
		for (s = decl->body; s != NULL; s = s->next) {
			if (s->kind != FM_VSTMT_IF)
				return;
			for (arm = s->arms; arm != NULL; arm = arm->next)
				if (!look_at_arm(im, arm))
					return;
		}
	}
}

/*--------------------------------------------------------------------
 * Verdicts
 */

static const struct fm_handler *
find_handler(const struct fm_import *im, unsigned status)
{
	const struct fm_handler *r;

	for (r = im->handlers; r != NULL; r = r->next)
		if (r->from == status)
			return (r->to == 0 ? NULL : r);
	return (NULL);
}

/* The Location must start with a text of its own, for ${url} may not. */
static bool
starts_firmly(const struct fm_expr *e)
{
	const struct fm_expr *first = e->first;

	return (first != NULL && first->kind == FM_EXPR_STRING &&
	    first->text.len > 1 && *first->text.b > ' ' &&
	    (*first->text.b != '/' || first->next == NULL ||
	    first->text.len > 2));
}

/* Returns false, and says why, if a header is no host of rules. */
static bool
host_name_check(struct fm_import *im, struct fm_expr *part,
    const struct fm_place *at)
{
	if (!fm_text_eq_nocase(fm_header_of(part->text), fm_text_of("Host")))
		return (fm_import_refuse(im, at, "%.*s would be a part "
		    "of the host: a client could choose where a redirect of "
		    "rules leads", (int)part->text.len, part->text.b));
	if (fm_import_sets_host(im))
		return (fm_import_refuse(im, at, "VCL sets Host: "
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
host_check(struct fm_import *im, struct fm_expr *location,
    const struct fm_place *at)
{
	struct fm_expr *part = location->first;
	struct fm_text t = part->text;
	const char *host = memmem(t.b, t.len, "//", 2);

	if (host == NULL || (*t.b == '/' && host != t.b))
		return (true);
	t = fm_text_span(host + 2, t.b + t.len);
	for (;;) {
		if (part->kind != FM_EXPR_STRING) {
			if (fm_text_is(part->text, "req.url"))
				break;
			if (!host_name_check(im, part, at))
				return (false);
		} else if (memchr(t.b, '/', t.len) != NULL ||
		    memchr(t.b, '?', t.len) != NULL ||
		    memchr(t.b, '#', t.len) != NULL) {
			return (true);
		}
		part = part->next;
		if (part == NULL)
			return (true);
		t = part->text;
	}
	if (!im->url_rooted)
		fm_import_note(im, FM_NOTE_URL, "GET .b.example/ HTTP/1.1: a "
		    "URL without a '/' goes on with the host");
	return (true);
}

/* Behind the parts that are there; the reason stands for resp.reason. */
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
	if (reason != NULL && e->kind == FM_EXPR_NAME &&
	    fm_text_is(e->text, "resp.reason"))
		return (add_parts(im, last, reason, NULL));
	*last = fm_import_alloc(im, sizeof **last);
	**last = *e;
	(*last)->next = NULL;
	return (&(*last)->next);
}

/* reason: NULL, there is none, and the Location names none. */
static bool
put_redirect(struct fm_import *im, const struct fm_handler *r,
    const struct fm_place *at, const struct fm_expr *reason, unsigned tabs,
    FILE *to)
{
	struct fm_expr where = { .kind = FM_EXPR_CONCAT, .at = *at };
	char *text = NULL;
	size_t len;
	FILE *memory;
	bool good;

	(void)add_parts(im, &where.first, r->location, reason);
	if (!starts_firmly(&where))
		return (fm_import_refuse(im, at, "a Location that does not "
		    "start with a text may lead elsewhere"));
	if (!host_check(im, &where, at))
		return (false);
	memory = fm_import_memory(&text, &len);
	good = fm_import_value_put(im, &where, memory);
	(void)fclose(memory);
	if (good) {
		fm_import_tabs_put(tabs, to);
		fprintf(to, "redirect %u ", r->to);
		fm_import_quote_put(fm_text(text, len), to);
		fputs(";\n", to);
		im->redirects_seen = true;
	}
	free(text);
	return (good);
}

static void
put_page(struct fm_import *im, const struct fm_handler *r, unsigned tabs,
    FILE *to)
{
	fm_import_tabs_put(tabs, to);
	fprintf(to, "answer %u ", r->to);
	fm_import_quote_put(r->type, to);
	fputc(' ', to);
	fm_import_quote_put(r->body, to);
	fputs(";\n", to);
	im->redirects_seen = true;
}

/* Returns true if it becomes what rules answer. */
static bool
is_answer(struct fm_import *im, const struct fm_handler *r,
    const struct fm_expr *reason)
{
	struct fm_text text;

	if (r->location != NULL && names_reason(r->location))
		return (reason != NULL);
	if (r->location == NULL)
		return (!r->plain || reason == NULL);
	return (!r->plain || reason == NULL ||
	    (fm_expr_constant(im, reason, &text) &&
	    fm_text_is(text, reason_of(r->to))));
}

/* Of a reason rules leave out what could be HTML in it, but no address. */
static bool
reason_check(struct fm_import *im, const struct fm_expr *e)
{
	const struct fm_expr *part = e->kind == FM_EXPR_CONCAT ? e->first : e;

	for (; part != NULL; part = e->kind == FM_EXPR_CONCAT ? part->next :
	    NULL)
		if (part->kind != FM_EXPR_STRING &&
		    !fm_expr_is(part, "client.ip"))
			return (fm_import_refuse(im, &part->at, "the reason "
			    "of a synth has texts and the client in rules"));
	return (true);
}

static bool
put_synth(struct fm_import *im, const struct fm_vstmt *s, unsigned tabs,
    FILE *to)
{
	const struct fm_expr *status = s->value->first, *reason;
	const struct fm_handler *r;
	unsigned n;

	if (status == NULL || status->kind != FM_EXPR_NUMBER ||
	    status->text.len > 3)
		return (fm_import_refuse(im, &s->at,
		    "rules have no such status"));
	if (im->esi)
		fm_import_note(im, FM_NOTE_ESI, "an ESI sub-request");
	reason = status->next;
	n = (unsigned)strtoul(status->text.b, NULL, 10);
	r = find_handler(im, n);
	if (r != NULL && r->location == NULL && is_answer(im, r, reason)) {
		put_page(im, r, tabs, to);
		return (true);
	}
	if (r != NULL && is_answer(im, r, reason))
		return (put_redirect(im, r, reason != NULL ? &reason->at :
		    &s->at, reason, tabs, to));
	if (n < 200 || n > 599)
		return (fm_import_refuse(im, &s->at, "rules answer with 200 "
		    "to 599, and vcl_synth makes no plain redirect or page of %u", n));
	fm_import_tabs_put(tabs, to);
	fprintf(to, "synth %u", n);
	if (reason != NULL) {
		fputc(' ', to);
		if (!reason_check(im, reason) ||
		    !fm_import_value_quoted(im, reason, to))
			return (false);
	}
	fputs(";\n", to);
	return (true);
}

bool
fm_import_return(struct fm_import *im, const struct fm_vstmt *s, unsigned tabs,
    FILE *to)
{
	static const char * const verdicts[] = { "pass", "pipe", "hash",
	    "purge" };
	size_t i;

	for (i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
		if (fm_text_is(s->name, verdicts[i]) &&
		    s->value->kind == FM_EXPR_NAME) {
			fm_import_line_put(tabs, to, "%s;", verdicts[i]);
			if (i == 3 && im->esi)
				fm_import_note(im, FM_NOTE_ESI,
				    "an ESI sub-request");
			return (true);
		}
	if (fm_text_is(s->name, "synth") && s->value->kind == FM_EXPR_CALL)
		return (put_synth(im, s, tabs, to));
	if (s->name.len == 0)
		return (fm_import_refuse(im, &s->at, "rules have no such "
		    "return"));
	return (fm_import_refuse(im, &s->at, "rules have no return (%.*s)",
	    (int)s->name.len, s->name.b));
}

/* Whether nothing that follows is reached. */
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
