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

/* The first name in it that rules don't have; NULL: there is none. */
const struct fm_expr *
fm_import_value_unknown(const struct fm_expr *e)
{
	const struct fm_expr *part, *unknown = NULL;

	if (e->kind == FM_EXPR_CONCAT)
		for (part = e->first; part != NULL && unknown == NULL;
		    part = part->next)
			unknown = fm_import_value_unknown(part);
	else if (e->kind == FM_EXPR_NAME && fm_header_of(e->text).b == NULL &&
	    !fm_text_is(e->text, "req.url") &&
	    !fm_text_is(e->text, "req.method"))
		unknown = e;
	return (unknown);
}

static bool
value_name(struct fm_import *im, const struct fm_expr *e, FILE *to)
{
	struct fm_text header = fm_header_of(e->text);

	if (fm_text_is(e->text, FM_IMPORT_HOST)) {
		fputs(FM_IMPORT_HOST, to);
	} else if (header.b != NULL) {
		if (fm_import_header_refused(im, header, &e->at))
			return (false);
		fm_import_note_header(im, header);
		fprintf(to, "${header.%.*s}", (int)header.len, header.b);
	} else if (fm_text_is(e->text, "req.url")) {
		fputs(im->url_taken ? "${1}" : "${url}", to);
	} else if (fm_text_is(e->text, "req.method")) {
		fputs("${method}", to);
	} else {
		return (fm_import_refuse(im, &e->at,
		    "rules have no '%.*s' for a value", (int)e->text.len,
		    e->text.b));
	}
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
	case FM_EXPR_NAME:
		return (value_name(im, e, to));
	case FM_EXPR_CONCAT:
		for (part = e->first; part != NULL; part = part->next)
			if (!fm_import_value_put(im, part, to))
				return (false);
		return (true);
	case FM_EXPR_CALL:
		return (fm_import_refuse(im, &e->at,
		    "rules have no %.*s() for a value", (int)e->text.len,
		    e->text.b));
	default:
		return (fm_import_refuse(im, &e->at,
		    "rules have no such value"));
	}
}

/*
 * Whether it can't come out empty: VCL sets an empty header then, and rules
 * set none.
 */
bool
fm_import_value_firm(const struct fm_expr *e)
{
	const struct fm_expr *part;

	if (e->kind == FM_EXPR_CONCAT)
		for (part = e->first; part != NULL; part = part->next)
			if (fm_import_value_firm(part))
				return (true);
	return ((e->kind == FM_EXPR_STRING && fm_text_trim(e->text).len > 0) ||
	    (e->kind == FM_EXPR_NAME && (fm_text_is(e->text, "req.url") ||
	    fm_text_is(e->text, "req.method"))));
}

/* What may be empty at the end has the blanks before it for an end. */
bool
fm_import_value_trimmed(const struct fm_expr *e)
{
	const struct fm_expr *part = e->kind == FM_EXPR_CONCAT ? e->first : e;
	bool trimmed = true;

	for (; part != NULL; part = e->kind == FM_EXPR_CONCAT ? part->next :
	    NULL)
		if (part->kind == FM_EXPR_STRING && part->text.len > 0)
			trimmed = part->text.b[part->text.len - 1] > ' ' ||
			    part->text.b[part->text.len - 1] < 0;
		else if (fm_import_value_firm(part))
			trimmed = true;
	return (trimmed);
}

/*
 * VCL may give a header a value that ends in a blank; rules don't see that
 * blank, neither in a test nor where they set the header to the same without
 * it.
 */
static bool
stmts_leave_blank(const struct fm_vstmt *s, struct fm_text header)
{
	const struct fm_arm *arm;

	for (; s != NULL; s = s->next) {
		if (s->kind == FM_VSTMT_SET &&
		    fm_text_eq_nocase(fm_header_of(s->name), header) &&
		    !fm_import_value_trimmed(s->value))
			return (true);
		for (arm = s->arms; arm != NULL; arm = arm->next)
			if (stmts_leave_blank(arm->body, header))
				return (true);
	}
	return (false);
}

/* Returns true if any statement sets the header. */
static bool
stmts_set(const struct fm_vstmt *s, struct fm_text header)
{
	const struct fm_arm *arm;

	for (; s != NULL; s = s->next) {
		if (s->kind == FM_VSTMT_SET &&
		    fm_text_eq_nocase(fm_header_of(s->name), header))
			return (true);
		for (arm = s->arms; arm != NULL; arm = arm->next)
			if (stmts_set(arm->body, header))
				return (true);
	}
	return (false);
}

bool
fm_import_sets_host(const struct fm_import *im)
{
	const struct fm_vdecl *decl;

	for (decl = im->decls; decl != NULL; decl = decl->next)
		if (fm_text_is(decl->kind, "sub") &&
		    stmts_set(decl->body, fm_text_of("Host")))
			return (true);
	return (false);
}

bool
fm_import_header_refused(struct fm_import *im, struct fm_text header,
    const struct fm_place *at)
{
	const struct fm_vdecl *decl;

	for (decl = im->decls; decl != NULL; decl = decl->next)
		if (fm_text_is(decl->kind, "sub") &&
		    stmts_leave_blank(decl->body, header))
			return (!fm_import_refuse(im, at, "%.*s is set to what "
			    "may end in a blank: VCL keeps it, rules don't",
			    (int)header.len, header.b));
	return (false);
}

bool
fm_import_value_names_url(const struct fm_expr *e)
{
	const struct fm_expr *part;

	if (e->kind == FM_EXPR_CONCAT)
		for (part = e->first; part != NULL; part = part->next)
			if (fm_import_value_names_url(part))
				return (true);
	return (e->kind == FM_EXPR_NAME && fm_text_is(e->text, "req.url"));
}

bool
fm_import_url_open(struct fm_import *im, bool names_url, unsigned *tabs,
    FILE *to)
{
	if (!names_url || im->url_rooted)
		return (false);
	if (im->well_formed) {
		im->notes |= FM_NOTE_URL;
		return (false);
	}
	fm_import_tabs_put(*tabs, to);
	fputs("when url ~ \"^(.*)$\" {\n", to);
	++*tabs;
	im->url_taken = true;
	return (true);
}

void
fm_import_url_close(struct fm_import *im, bool opened, unsigned *tabs,
    FILE *to)
{
	if (!opened)
		return;
	--*tabs;
	fm_import_tabs_put(*tabs, to);
	fputs("}\n", to);
	im->url_taken = false;
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
