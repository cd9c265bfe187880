/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Statuses of synth that vcl_synth makes redirects of, by
 *
 *	if (resp.status == 750) {
 *		set resp.http.Location = resp.reason;
 *		set resp.status = 301;
 *		return (deliver);
 *	}
 *
 * and nothing else: then `redirect` of rules answers with the same bytes.  The
 * Location may be made of texts and of the request, too, which is as it was
 * where vcl_recv returned.
 */

#include <stdlib.h>
#include <string.h>

#include "import.h"

struct handler {
	const struct fm_expr	*location;
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

static bool
is_name(const struct fm_expr *e, const char *name)
{
	return (e != NULL && e->kind == FM_EXPR_NAME &&
	    fm_text_is(e->text, name));
}

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
	    !is_name(cond->first, "resp.status"))
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
	return (e->kind == FM_EXPR_STRING || is_name(e, "resp.reason") ||
	    (e->kind == FM_EXPR_NAME && fm_import_value_unknown(e) == NULL));
}

bool
fm_import_names_reason(const struct fm_expr *e)
{
	const struct fm_expr *part;

	if (e->kind == FM_EXPR_CONCAT)
		for (part = e->first; part != NULL; part = part->next)
			if (fm_import_names_reason(part))
				return (true);
	return (is_name(e, "resp.reason"));
}

static bool
take_location(struct handler *h, const struct fm_expr *v)
{
	h->location = v;
	/* Once the status is set the reason is another one. */
	return (can_be_location(v) && (!fm_import_names_reason(v) ||
	    (h->status == 0 && h->reason.b == NULL)));
}

static bool
take(struct handler *h, const struct fm_vstmt *s)
{
	if (s->kind == FM_VSTMT_RETURN) {
		h->delivered = fm_text_is(s->name, "deliver");
		return (h->delivered && s->next == NULL);
	}
	if (s->kind != FM_VSTMT_SET)
		return (false);
	if (fm_text_eq_nocase(s->name, fm_text_of("resp.http.location")))
		return (take_location(h, s->value));
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
const char *
fm_import_reason_of(unsigned status)
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
	const char *reason = fm_import_reason_of(h->status);

	return (reason != NULL && (h->reason.b == NULL ||
	    fm_text_is(h->reason, reason)));
}

/* What becomes of this status; to: 0, it is no redirect. */
static void
look_at_status(struct fm_import *im, const struct fm_arm *arm, unsigned from)
{
	struct handler h = { .status = 0 };
	const struct fm_vstmt *s;
	struct fm_redirect *r;

	for (r = im->redirects; r != NULL; r = r->next)
		if (r->from == from)
			return;
	r = fm_import_alloc(im, sizeof *r);
	r->from = from;
	r->next = im->redirects;
	im->redirects = r;
	for (s = arm->body; s != NULL; s = s->next)
		if (!take(&h, s))
			return;
	/* Without another status the reason is still what it was. */
	r->plain = h.status == 0 && h.reason.b == NULL;
	if (h.status == 0)
		h.status = from;
	if (h.location == NULL || !h.delivered || !usual(&h) ||
	    (r->plain && fm_import_names_reason(h.location)))
		return;
	r->to = h.status;
	r->location = h.location;
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
fm_import_redirects(struct fm_import *im)
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
