/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Values: texts, and what of a request may stand in them.
 */

#include <stdlib.h>
#include <string.h>

#include "import.h"

static bool
value_text(struct fm_import *im, const struct fm_expr *e, FILE *to)
{
	size_t i;

	for (i = 0; i < e->text.len; i++) {
		if ((unsigned char)e->text.b[i] < ' ')
			return (fm_import_refuse(im, &e->at,
			    "rules set no values with controls in them"));
		if (i + 1 < e->text.len && memcmp(e->text.b + i, "${", 2) == 0)
			return (fm_import_refuse(im, &e->at,
			    "'${' is not a text in rules"));
	}
	(void)fwrite(e->text.b, 1, e->text.len, to);
	return (true);
}

/* What rules call a name; NULL: they have none for it, or it is a header. */
static const char *
value_variable(const struct fm_expr *e)
{
	static const char * const names[][2] = {
		{ "req.url", "${url}" }, { "req.method", "${method}" },
		{ "req.request", "${method}" }, { "client.ip", "${client}" },
		{ FM_IMPORT_HOST, FM_IMPORT_HOST }
	};
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (fm_text_is(e->text, names[i][0]))
			return (names[i][1]);
	return (NULL);
}

bool
fm_import_value_knows(const struct fm_expr *e)
{
	return (fm_header_of(e->text).b != NULL || value_variable(e) != NULL);
}

static bool
value_name(struct fm_import *im, const struct fm_expr *e, FILE *to)
{
	struct fm_text header = fm_header_of(e->text);

	if (header.b != NULL) {
		fm_import_note_header(im, header);
		fprintf(to, "${header.%.*s}", (int)header.len, header.b);
		return (true);
	}
	if (value_variable(e) == NULL)
		return (fm_import_refuse(im, &e->at,
		    "rules have no '%.*s' for a value", (int)e->text.len,
		    e->text.b));
	if (fm_text_is(e->text, "req.url") && !im->url_rooted)
		fm_import_note(im, FM_NOTE_URL, "OPTIONS * HTTP/1.1");
	fputs(value_variable(e), to);
	return (true);
}

/* Texts and names behind each other, as one template without quotes. */
bool
fm_import_value_put(struct fm_import *im, const struct fm_expr *e, FILE *to)
{
	const struct fm_expr *part;

	switch (e->kind) {
	case FM_EXPR_STRING:
		return (value_text(im, e, to));
	case FM_EXPR_NUMBER:
		fprintf(to, "%.*s", (int)e->text.len, e->text.b);
		return (true);
	case FM_EXPR_NAME:
		return (value_name(im, e, to));
	case FM_EXPR_CONCAT:
		for (part = e->first; part != NULL; part = part->next)
			if (!fm_import_value_put(im, part, to))
				return (false);
		return (true);
	case FM_EXPR_CALL:
		if (!im->cookie_vmod && fm_expr_calls(e, "cookie.get", 1) &&
		    e->first->kind == FM_EXPR_STRING &&
		    fm_import_is_parsed(im, e)) {
			fprintf(to, "${cookie.%.*s}", (int)e->first->text.len,
			    e->first->text.b);
			fm_import_note(im, FM_NOTE_COOKIE, "Cookie: %.*s",
			    (int)e->first->text.len, e->first->text.b);
			im->seen.joins = true;
			return (true);
		}
		return (fm_import_refuse(im, &e->at,
		    "rules have no %.*s() for a value", (int)e->text.len,
		    e->text.b));
	default:
		return (fm_import_refuse(im, &e->at,
		    "rules have no such value"));
	}
}

bool
fm_import_value_firm(const struct fm_expr *e)
{
	const struct fm_expr *part;

	if (e->kind == FM_EXPR_CONCAT)
		for (part = e->first; part != NULL; part = part->next)
			if (fm_import_value_firm(part))
				return (true);
	return ((e->kind == FM_EXPR_STRING && fm_text_trim(e->text).len > 0) ||
	    e->kind == FM_EXPR_NUMBER ||
	    (e->kind == FM_EXPR_NAME && value_variable(e) != NULL));
}

/* Returns true if any statement makes the Host another one. */
static bool
stmts_set_host(struct fm_import *im, const struct fm_vstmt *s)
{
	const struct fm_arm *arm;

	for (; s != NULL; s = s->next) {
		if (s->kind == FM_VSTMT_SET &&
		    fm_text_is_nocase(s->name, "req.http.Host") &&
		    !fm_import_is_host_spelling(im, s))
			return (true);
		for (arm = s->arms; arm != NULL; arm = arm->next)
			if (stmts_set_host(im, arm->body))
				return (true);
	}
	return (false);
}

bool
fm_import_sets_host(struct fm_import *im)
{
	const struct fm_vdecl *decl;

	for (decl = im->vcl.decls; decl != NULL; decl = decl->next)
		if (fm_text_is(decl->kind, "sub") &&
		    stmts_set_host(im, decl->body))
			return (true);
	return (false);
}

/* The template, in quotes. */
bool
fm_import_value_quoted(struct fm_import *im, const struct fm_expr *e, FILE *to)
{
	char *text = NULL;
	size_t len;
	FILE *memory = fm_import_memory(&text, &len);
	bool good;

	good = fm_import_value_put(im, e, memory);
	(void)fclose(memory);
	if (good)
		fm_import_quote_put(fm_text(text, len), to);
	free(text);
	return (good);
}
