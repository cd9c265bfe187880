/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes an `answer` in *delivery* of the page that vcl_backend_error writes for
 * a fetch that failed.  Its status is always 503, and `cache is own` tells it
 * from a 503 of the backend:
 *
 *	sub vcl_backend_error {			when cache is own and
 *		set beresp.http.X = "1";	    status is 503 {
 *		set beresp.body = "Sorry";	    set X = 1;
 *		return (deliver);		    answer 503 "..." "Sorry";
 *	}					}
 *
 * So vcl_synth must have no 503 of its own.  A lifetime stays VCL.
 */

#include <string.h>

#include "import.h"

/*--------------------------------------------------------------------
 * Other ways to a 503
 */

/* Returns true if some statement abandons a fetch that a client waits for. */
static bool
abandons(const struct fm_vstmt *stmt, bool background)
{
	const struct fm_arm *arm;
	const struct fm_expr *part;
	bool inside;

	for (; stmt != NULL; stmt = stmt->next) {
		if (stmt->kind == FM_VSTMT_RETURN && !background &&
		    fm_text_is(stmt->name, "abandon"))
			return (true);
		for (arm = stmt->arms; arm != NULL; arm = arm->next) {
			inside = background || (arm->cond != NULL &&
			    fm_expr_is(arm->cond, "bereq.is_bgfetch"));
			for (part = (arm->cond != NULL && arm->cond->kind ==
			    FM_EXPR_AND) ? arm->cond->first : NULL;
			    part != NULL; part = part->next)
				inside |= fm_expr_is(part,
				    "bereq.is_bgfetch");
			if (abandons(arm->body, inside))
				return (true);
		}
	}
	return (false);
}

/* Returns true for a status, at a token, that is 503, or not written down. */
static bool
is_503(const struct fm_vcl_token *token)
{
	return (token->kind != FM_VCL_NUMBER || fm_text_is(token->text, "503"));
}

/*
 * Returns true if VCL makes a 503 otherwise, or gives a failed fetch another
 * status.
 */
static bool
has_other_503(const struct fm_import *im)
{
	static const char * const fails[] = { "fail", "error", NULL };
	const struct fm_vcl_token *token = im->vcl.tokens;
	const struct fm_vdecl *decl;
	size_t i;

	for (decl = im->vcl.decls; decl != NULL; decl = decl->next)
		if (abandons(decl->body, false))
			return (true);
	for (i = 2; i + 2 < im->vcl.ntokens; i++)
		if ((fm_text_is(token[i].text, "synth") &&
		    fm_text_is(token[i + 1].text, "(") &&
		    is_503(token + i + 2)) ||
		    (fm_text_is(token[i].text, "set") &&
		    fm_text_is(token[i + 1].text, "resp.status") &&
		    is_503(token + i + 3)) ||
		    (fm_text_is(token[i - 2].text, "return") &&
		    fm_text_is_one_of(token[i].text, fails)))
			return (true);
	return (false);
}

/*--------------------------------------------------------------------
 * The page
 */

struct page {
	const char		*headers;	/* rules */
	struct fm_text		type, body;
	bool			is_body;
};

/* Gets the text of a body: no other status and reason are there. */
static bool
body_of(struct fm_import *im, const struct fm_expr *expr, struct fm_text *body)
{
	const struct fm_expr *part = expr->kind == FM_EXPR_CONCAT ?
	    expr->first : expr;
	const char *text = "";

	for (; part != NULL; part = part == expr ? NULL : part->next)
		if (fm_expr_is(part, "beresp.status"))
			text = fm_import_printf(im, "%s503", text);
		else if (fm_expr_is(part, "beresp.reason"))
			text = fm_import_printf(im, "%sBackend fetch failed",
			    text);
		else if (part->kind == FM_EXPR_STRING)
			text = fm_import_printf(im, "%s%.*s", text,
			    FM_ARG(part->text));
		else
			return (fm_import_refuse(im, &part->at, "the body of "
			    "an answer is a text that is written down"));
	*body = fm_text_of(text);
	return (true);
}

/* Returns true if VCL may stay, as it has no part in the page. */
static bool
is_apart(const struct fm_import *im, const struct fm_vstmt *stmt)
{
	static const char * const page[] = { "beresp.body", "synthetic",
	    "deliver", "call", NULL };
	const struct fm_vcl_token *token;
	size_t i;

	for (i = stmt->first; i <= stmt->last; i++) {
		token = im->vcl.tokens + i;
		if (fm_text_is_one_of(token->text, page) ||
		    fm_text_begins(token->text, "beresp.http.") ||
		    ((fm_text_is(token->text, "beresp.status") ||
		    fm_text_is(token->text, "beresp.reason")) &&
		    fm_text_is(token[-1].text, "set")))
			return (false);
	}
	return (stmt->kind != FM_VSTMT_RETURN && stmt->kind != FM_VSTMT_OTHER);
}

/* Takes a statement of the page; false if it is of another kind, or refused. */
static bool
take(struct fm_import *im, struct page *page, const struct fm_vstmt *stmt)
{
	const struct fm_expr *body = NULL;
	struct fm_text header;

	if (stmt->kind == FM_VSTMT_ACTION &&
	    fm_expr_calls(stmt->value, "synthetic", 1))
		body = stmt->value->first;
	else if (stmt->kind != FM_VSTMT_SET)
		return (false);
	else if (fm_text_is(stmt->name, "beresp.body"))
		body = stmt->value;
	if (body != NULL && page->is_body)
		return (fm_import_refuse(im, &stmt->at, "an answer has one "
		    "body"));
	if (body != NULL) {
		page->is_body = true;
		return (body_of(im, body, &page->body));
	}
	if (!fm_text_begins(stmt->name, "beresp.http.") ||
	    stmt->value->kind != FM_EXPR_STRING)
		return (false);
	header = fm_text(stmt->name.b + 12, stmt->name.len - 12);
	if (fm_text_is_nocase(header, "Content-Type"))
		page->type = stmt->value->text;
	else
		page->headers = fm_import_printf(im, "%sset %s = %s;\n",
		    page->headers, fm_import_word(im, header),
		    fm_import_quote(im, stmt->value->text));
	return (true);
}

/* Returns true if all that delivery does with a response is rules. */
static bool
is_delivery_whole(const struct fm_import *im)
{
	const struct fm_import_unit *unit;

	for (unit = im->subs[FM_IN_DELIVER].units; unit != NULL;
	    unit = unit->next)
		if (unit->rules == NULL || unit->seen.called != NULL)
			return (false);
	return (true);
}

/*
 * Returns true if rules of vcl_deliver tell hits from misses, which they can't
 * do of an answer: VCL may store a page.
 */
static bool
asks_for_hits(const struct fm_import *im)
{
	const struct fm_import_unit *unit = im->subs[FM_IN_DELIVER].units;

	for (; unit != NULL; unit = unit->next)
		if (strstr(unit->rules, "cache is ") != NULL ||
		    strstr(unit->rules, "${cache}") != NULL ||
		    strstr(unit->rules, "${hits}") != NULL)
			return (true);
	return (false);
}

/* Adds a unit of a statement to those of the sub. */
static struct fm_import_unit *
unit_add(struct fm_import *im, struct fm_import_unit ***tail,
    const struct fm_vstmt *stmt)
{
	struct fm_import_unit *unit = fm_import_alloc(im, sizeof *unit);

	*unit = (struct fm_import_unit){ .stmt = stmt, .n = 1,
	    .at = stmt->at };
	**tail = unit;
	*tail = &unit->next;
	return (unit);
}

/* Makes units: one of rules, and those that stay; false: refused. */
static bool
page_read(struct fm_import *im, const struct fm_vstmt *stmt)
{
	struct fm_import_unit *rules, *kept, **tail = &im->failed.units;
	struct page page = { .headers = "" };

	rules = unit_add(im, &tail, stmt);
	rules->n = 0;
	for (; stmt->next != NULL; stmt = stmt->next)
		if (take(im, &page, stmt)) {
			rules->n++;
		} else if (fm_text_is(stmt->name, "beresp.ttl") &&
		    asks_for_hits(im)) {
			return (fm_import_refuse(im, &stmt->at, "a page that "
			    "is stored is a hit later, and an answer is not"));
		} else if (im->why == NULL && is_apart(im, stmt)) {
			kept = unit_add(im, &tail, stmt);
			kept->why = "rules have no part in a fetch that "
			    "failed, but for its page";
		} else {
			return (fm_import_refuse(im, &stmt->at, "rules can't "
			    "do this for the page of a failed fetch"));
		}
	if (stmt->kind != FM_VSTMT_RETURN || !fm_text_is(stmt->name, "deliver"))
		return (fm_import_refuse(im, &stmt->at, "builtin.vcl makes "
		    "the page after this"));
	if (!page.is_body || page.type.len == 0)
		return (fm_import_refuse(im, &stmt->at, "an answer has a body "
		    "and a Content-Type"));
	rules->n++;
	rules->rules = fm_import_printf(im,
	    "when cache is own and status is 503 {\n%s"
	    "answer 503 %s %s;\n}\n", page.headers,
	    fm_import_quote(im, page.type), fm_import_page(im, page.type,
	    page.body, "failed"));
	return (true);
}

/* Returns true if vcl_backend_error becomes rules. */
static bool
page_make(struct fm_import *im, const struct fm_vstmt *stmt)
{
	if (!im->well_formed)
		return (fm_import_refuse(im, &stmt->at, "rules are the same "
		    "only for requests as clients send them (--well-formed)"));
	if (im->no_subs || has_other_503(im))
		return (fm_import_refuse(im, &stmt->at, "rules can't tell the "
		    "page of a failed fetch from another 503 of Varnish"));
	if (!is_delivery_whole(im))
		return (fm_import_refuse(im, &stmt->at, "VCL that stays in "
		    "vcl_deliver does not run for an answer of rules"));
	return (page_read(im, stmt) && fm_import_stands(im,
	    fm_import_printf(im, "always {\ndelivery {\n%s}\n}\n",
	    im->failed.units->rules)));
}

void
fm_import_failed(struct fm_import *im)
{
	struct fm_import_unit *unit, **tail = &im->failed.units;
	const struct fm_vstmt *stmt;
	struct fm_vdecl *decl;

	stmt = fm_import_sub_body(im, "vcl_backend_error", &im->failed.there);
	if (stmt == NULL)
		return;
	im->why = NULL;
	im->seen = (struct fm_seen){ .notes = 0 };
	if (!page_make(im, stmt)) {
		im->nkept += fm_vstmts_count(stmt, (size_t)-1);
		unit = unit_add(im, &tail, stmt);
		unit->why = im->why;
		unit->at = im->why_at.name == NULL ? stmt->at : im->why_at;
		unit->next = NULL;
		return;
	}
	if (im->vcl.esi)
		fm_import_note(im, FM_NOTE_ESI, "an ESI sub-request");
	fm_import_note(im, FM_NOTE_FAILED, "a fetch that fails");
	unit = im->failed.units;
	unit->seen = im->seen;
	im->ntranslated += (unsigned)unit->n;
	fm_import_catch(im);
	for (unit = unit->next; unit != NULL; unit = unit->next)
		fm_import_kept(im, unit);
	im->failed.vcl = fm_import_caught(im);
	im->failed.calls = true;
	for (decl = im->vcl.decls; decl != NULL; decl = decl->next)
		if (fm_vdecl_is_sub(decl, "vcl_backend_error"))
			decl->replaced = true;
}
