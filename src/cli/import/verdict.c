/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Translates `return`.  For return (synth(STATUS)), reads what vcl_synth makes
 * of the status:
 *
 *	if (resp.status == 750) {
 *		set resp.http.Location = resp.reason;
 *		set resp.status = 301;
 *		return (deliver);
 *	}
 *
 * becomes `redirect 301`.  With Content-Type and resp.body (or synthetic(),
 * which VCL had until 9.0) instead of Location it becomes an `answer`.  A
 * vcl_synth with anything else is left alone.
 */

#include <stdlib.h>
#include <string.h>

#include "import.h"
#include "kinds.h"

/* The answer that vcl_synth makes of a status: a redirect, or a page. */
struct handler {
	unsigned		from, to;	/* statuses: before, after */
	const struct fm_expr	*reason;	/* of synth(); or NULL */
	struct fm_expr		*location;	/* parts; NULL: a page */
	struct fm_text		type, body;	/* of a page */
	bool			asks;		/* Location has the reason */
	bool			plain;		/* status and reason stay those
						 * of synth */
};

/*--------------------------------------------------------------------
 * vcl_synth
 */

/* Returns the usual reason of a status, which rules give; NULL: not known. */
static const char *
reason_of(unsigned status)
{
	static const struct {
		unsigned	status;
		const char	*reason;
	} reasons[] = {
		{ 200, "OK" }, { 301, "Moved Permanently" }, { 302, "Found" },
		{ 303, "See Other" }, { 307, "Temporary Redirect" },
		{ 308, "Permanent Redirect" }, { 400, "Bad Request" },
		{ 401, "Unauthorized" }, { 403, "Forbidden" },
		{ 404, "Not Found" }, { 405, "Method Not Allowed" },
		{ 410, "Gone" }, { 500, "Internal Server Error" },
		{ 503, "Service Unavailable" }
	};
	size_t i;

	for (i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (reasons[i].status == status)
			return (reasons[i].reason);
	return (NULL);
}

/* Returns the status that an expression is; 0 if it is not a status. */
static unsigned
number_of(const struct fm_expr *expr)
{
	if (expr == NULL || expr->kind != FM_EXPR_NUMBER || expr->text.len != 3)
		return (0);
	return ((unsigned)strtoul(expr->text.b, NULL, 10));
}

/* Adds copies of the parts of e; resp.reason becomes those of the reason. */
static struct fm_expr **
add_parts(struct fm_import *im, struct handler *handler, struct fm_expr **last,
    const struct fm_expr *expr)
{
	const struct fm_expr *part;

	if (expr->kind == FM_EXPR_CONCAT) {
		for (part = expr->first; part != NULL; part = part->next)
			last = add_parts(im, handler, last, part);
		return (last);
	}
	if (im->scratch != NULL && expr->kind == FM_EXPR_NAME &&
	    fm_text_eq_nocase(expr->text, im->scratch->name))
		return (add_parts(im, handler, last, im->scratch->value));
	if (fm_expr_is(expr, "resp.reason")) {
		handler->asks = true;
		return (handler->reason == NULL ? last :
		    add_parts(im, handler, last, handler->reason));
	}
	*last = fm_import_alloc(im, sizeof **last);
	**last = *expr;
	(*last)->next = NULL;
	return (&(*last)->next);
}

/* Reads a statement of a handler; false: rules can't do that. */
static bool
take(struct fm_import *im, struct handler *handler, const struct fm_vstmt *stmt)
{
	const struct fm_expr *value = stmt->value;

	/* A second synthetic() adds to the body. */
	if (stmt->kind == FM_VSTMT_ACTION &&
	    fm_expr_calls(value, "synthetic", 1) && handler->body.len == 0) {
		handler->body = value->first->text;
		return (value->first->kind == FM_EXPR_STRING);
	}
	if (stmt->kind != FM_VSTMT_SET)
		return (false);
	if (fm_text_is(stmt->name, "resp.body")) {
		handler->body = value->text;
		return (value->kind == FM_EXPR_STRING);
	}
	if (fm_text_is_nocase(stmt->name, "resp.http.Content-Type")) {
		handler->type = value->text;
		return (value->kind == FM_EXPR_STRING);
	}
	if (fm_text_is_nocase(stmt->name, "resp.http.Location")) {
		if (handler->location != NULL)
			return (false);
		(void)add_parts(im, handler, &handler->location, value);
		/* Setting the status changes the reason. */
		return (!handler->asks ||
		    (handler->plain && handler->reason != NULL));
	}
	handler->plain = false;
	if (fm_text_is(stmt->name, "resp.status")) {
		handler->to = number_of(value);
		return (handler->to != 0);
	}
	/* Rules give the usual reason, so no other will do. */
	return (fm_text_is(stmt->name, "resp.reason") &&
	    value->kind == FM_EXPR_STRING && reason_of(handler->to) != NULL &&
	    fm_text_is(value->text, reason_of(handler->to)));
}

/* Returns true if a condition asks only for statuses; *hit: for this one. */
static bool
asks_for(const struct fm_expr *cond, unsigned status, bool *hit)
{
	const struct fm_expr *part;

	if (cond != NULL && cond->kind == FM_EXPR_OR) {
		for (part = cond->first; part != NULL; part = part->next)
			if (!asks_for(part, status, hit))
				return (false);
		return (true);
	}
	if (cond == NULL || cond->kind != FM_EXPR_COMPARE ||
	    !fm_text_is(cond->text, "==") ||
	    !fm_expr_is(cond->first, "resp.status"))
		return (false);
	*hit |= number_of(cond->first->next) == status;
	return (true);
}

/* Returns true for a header that rules in *delivery* set as well. */
static bool
is_header(const struct fm_vstmt *stmt)
{
	return (stmt->kind == FM_VSTMT_SET &&
	    fm_text_begins(stmt->name, "resp.http.") &&
	    !fm_text_is_nocase(stmt->name, "resp.http.Location") &&
	    !fm_text_is_nocase(stmt->name, "resp.http.Content-Type") &&
	    stmt->value->kind == FM_EXPR_STRING);
}

/*
 * Returns the statements that vcl_synth has for a status, if it asks for
 * nothing but statuses before, and at most sets headers; else NULL.
 */
static const struct fm_vstmt *
body_for(struct fm_import *im, unsigned status)
{
	bool headers = false;
	const struct fm_vdecl *decl;
	const struct fm_vstmt *stmt;
	const struct fm_arm *arm;
	bool hit = false;

	for (decl = im->vcl.decls; decl != NULL; decl = decl->next)
		for (stmt = fm_vdecl_is_sub(decl, "vcl_synth") ? decl->body :
		    NULL;
		    stmt != NULL; stmt = stmt->next)
			for (arm = stmt->arms; arm != NULL ||
			    stmt->arms == NULL;
			    arm = arm->next)
				if (arm == NULL) {
					if (im->no_headers || !is_header(stmt))
						return (NULL);
					headers = true;
					break;
				} else if (!asks_for(arm->cond, status,
				    &hit)) {
					return (NULL);
				} else if (hit) {
					im->headers |= headers;
					return (arm->body);
				}
	return (NULL);
}

/*
 * Reads what vcl_synth makes of a status.  Returns true if rules can do that,
 * and if it makes use of the reason that synth() gives.
 */
static bool
handler_read(struct fm_import *im, struct handler *handler)
{
	const struct fm_vstmt *stmt = body_for(im, handler->from);

	for (; stmt != NULL && stmt->kind != FM_VSTMT_RETURN; stmt = stmt->next)
		if (!take(im, handler, stmt))
			return (false);
	if (stmt == NULL || !fm_text_is(stmt->name, "deliver") ||
	    stmt->next != NULL || (handler->plain && handler->reason != NULL))
		return (false);
	return (handler->location == NULL ? handler->type.len > 0 &&
	    handler->body.len > 0 : handler->to / 100 == 3 &&
	    reason_of(handler->to) != NULL &&
	    handler->type.len + handler->body.len == 0);
}

/*--------------------------------------------------------------------
 * Redirects and pages
 */

/*
 * Replaces req.http.Host after "https://" by ${host}; the check of the rules
 * then decides whether clients may choose it.  Returns false if VCL sets Host.
 */
static bool
host_name(struct fm_import *im, const struct fm_expr *where)
{
	struct fm_text t = where->first->text;
	const char *slash = memrchr(t.b, '/', t.len);
	struct fm_expr *host = where->first->next;

	if (!fm_expr_is(host, "req.http.Host") || slash == NULL ||
	    slash == t.b || slash[-1] != '/')
		return (true);
	if (fm_import_sets_host(im))
		return (fm_import_refuse(im, &where->at, "VCL sets Host: "
		    "${host} of rules is the host that was asked for"));
	fm_import_note(im, FM_NOTE_HOST, "Host: www.Example.com.");
	host->text = fm_text_of(FM_IMPORT_HOST);
	return (true);
}

const char *
fm_import_page(struct fm_import *im, struct fm_text type, struct fm_text body,
    const char *name)
{
	const char *slash = strrchr(im->rules_path, '/');
	size_t i = 0;

	while (i < body.len && (unsigned char)body.b[i] >= ' ')
		i++;
	if (i == body.len)
		return (fm_import_quote(im, body));
	name = fm_import_printf(im, "%s-%s.%s", im->object, name,
	    memmem(type.b, type.len, "html", 4) != NULL ? "html" : "txt");
	fm_import_need(im, fm_import_printf(im, "%.*s%s", slash == NULL ? 0 :
	    (int)(slash - im->rules_path) + 1, im->rules_path, name),
	    fm_import_printf(im, "%.*s", FM_ARG(body)));
	return (fm_import_printf(im, "from \"%s\"", name));
}

static bool
put_answer(struct fm_import *im, const struct handler *handler,
    const struct fm_vstmt *stmt)
{
	struct fm_expr where = { .kind = FM_EXPR_CONCAT,
	    .first = handler->location, .at = handler->reason == NULL ?
	    stmt->at : handler->reason->at };
	const struct fm_expr *part = handler->location;
	const char *value;

	im->seen.redirects = true;
	if (part == NULL) {
		fm_import_put(im, "answer %u %s %s;\n", handler->to,
		    fm_import_quote(im, handler->type), fm_import_page(im,
		    handler->type, handler->body, fm_import_printf(im, "%u",
		    handler->from)));
		return (true);
	}
	/* A Location like "/" + X may lead to another host: "//evil". */
	if (part->kind != FM_EXPR_STRING || part->text.len == 0 ||
	    (part->text.len == 1 && part->next != NULL))
		return (fm_import_refuse(im, &where.at, "a Location that does "
		    "not start with a text may lead elsewhere"));
	value = host_name(im, &where) ? fm_import_value(im, &where) : NULL;
	fm_import_put(im, "redirect %u %s;\n", handler->to, value);
	return (value != NULL);
}

/*
 * Returns true if a header is read in vcl_synth alone, if at all.  Then it is
 * only there to bring a Location to vcl_synth.
 */
static bool
is_scratch(const struct fm_import *im, struct fm_text name)
{
	const struct fm_vcl_token *token = im->vcl.tokens;
	const struct fm_vdecl *decl;
	bool in_synth;
	size_t i;

	for (i = 1; i < im->vcl.ntokens; i++) {
		if (!fm_text_eq_nocase(token[i].text, name) ||
		    fm_text_is(token[i - 1].text, "set") ||
		    fm_text_is(token[i - 1].text, "unset"))
			continue;
		in_synth = false;
		for (decl = im->vcl.decls; decl != NULL; decl = decl->next)
			in_synth |= fm_vdecl_is_sub(decl, "vcl_synth") &&
			    i > decl->open && i < decl->close;
		if (!in_synth)
			return (false);
	}
	return (true);
}

/*
 * Takes a redirect whose Location goes by way of a header:
 *
 *	set req.http.X-Redirect = "https://www.example.com" + req.url;
 *	return (synth(750));
 */
size_t
fm_import_redirect(struct fm_import *im, const struct fm_vstmt *stmt)
{
	const struct fm_vstmt *next = stmt->next;
	const struct fm_import saved = *im;
	const char *text;
	bool good;

	if (stmt->kind != FM_VSTMT_SET || next == NULL ||
	    fm_header_of(stmt->name).b == NULL ||
	    next->kind != FM_VSTMT_RETURN ||
	    !fm_text_is(next->name, "synth") ||
	    next->value->kind != FM_EXPR_CALL || !is_scratch(im, stmt->name))
		return (0);
	im->scratch = stmt;
	fm_import_catch(im);
	good = fm_import_return(im, next);
	text = fm_import_caught(im);
	im->scratch = NULL;
	if (good && strncmp(text, "redirect ", 9) == 0) {
		fm_import_put(im, "%s", text);
		return (2);
	}
	im->why = saved.why;
	im->why_at = saved.why_at;
	im->seen = saved.seen;
	im->headers = saved.headers;
	return (0);
}

/*--------------------------------------------------------------------
 * Verdicts
 */

static bool
is_reason_refused(struct fm_import *im, const struct fm_expr *expr)
{
	return (fm_import_refuse(im, &expr->at,
	    "rules remove <, >, & and quotes from a value in a reason"));
}

/*
 * Returns true if a reason may be a value.  Rules leave out bytes that could be
 * HTML, so only texts and client.ip come out as in VCL.  A URL often has a `&`,
 * which would be left out.
 */
static bool
is_reason(struct fm_import *im, const struct fm_expr *expr)
{
	const struct fm_expr *part;

	for (part = expr->kind == FM_EXPR_CONCAT ? expr->first : NULL;
	    part != NULL;
	    part = part->next)
		if (!is_reason(im, part))
			return (false);
	if (im->well_formed && expr->kind == FM_EXPR_NAME &&
	    fm_header_of(expr->text).b != NULL)
		fm_import_note(im, FM_NOTE_REASON, "%.*s: <b>",
		    FM_ARG(fm_header_of(expr->text)));
	else
		return (expr->kind == FM_EXPR_CONCAT ||
		    expr->kind == FM_EXPR_STRING ||
		    fm_expr_is(expr, "client.ip") || is_reason_refused(im,
		    expr));
	return (true);
}

static bool
put_synth(struct fm_import *im, const struct fm_vstmt *stmt)
{
	const struct fm_expr *status = stmt->value->first, *reason;
	unsigned n = number_of(status);
	struct handler handler = { .from = n, .to = n, .plain = true };
	const char *text = "";

	if (n == 0)
		return (fm_import_refuse(im, &stmt->at,
		    "rules have no such status"));
	handler.reason = reason = status->next;
	if (handler_read(im, &handler))
		return (put_answer(im, &handler, stmt));
	if (n < 200 || n > 599)
		return (fm_import_refuse(im, &stmt->at, "rules answer with 200 "
		    "to 599, and vcl_synth makes no plain redirect or page "
		    "of %u", n));
	if (reason != NULL)
		text = is_reason(im, reason) ? fm_import_value(im, reason) :
		    NULL;
	fm_import_put(im, "synth %u%s%s;\n", n, reason == NULL ? "" : " ",
	    text);
	return (text != NULL);
}

/* Returns the verdict without operands that does a return of VCL, or NULL. */
static const struct fm_verdict_row *
verdict_of(struct fm_text returned)
{
	static const enum fm_verdict plain[] = {
#define V(name, ...)	FM_VERDICT_##name,
		FM_PLAIN(V)
#undef V
	};
	size_t i;

	for (i = 0; i < sizeof plain / sizeof *plain; i++)
		if (fm_text_is_nocase(returned, fm_verdicts[plain[i]].returns))
			return (&fm_verdicts[plain[i]]);
	return (NULL);
}

bool
fm_import_return(struct fm_import *im, const struct fm_vstmt *stmt)
{
	const struct fm_verdict_row *verdict = verdict_of(stmt->name);
	bool synth = fm_text_is(stmt->name, "synth");

	if (stmt->name.len == 0)
		return (fm_import_refuse(im, &stmt->at, "rules have no such "
		    "return"));
	if (im->vcl.esi && (synth || (verdict != NULL &&
	    verdict->esi != FM_ESI_SAME)))
		fm_import_note(im, FM_NOTE_ESI, "an ESI sub-request");
	if (synth && stmt->value->kind == FM_EXPR_CALL)
		return (put_synth(im, stmt));
	if (verdict == NULL || stmt->value->kind != FM_EXPR_NAME)
		return (fm_import_refuse(im, &stmt->at,
		    "rules have no return (%.*s)", FM_ARG(stmt->name)));
	fm_import_put(im, "%s;\n", verdict->word);
	return (true);
}
