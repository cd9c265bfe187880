/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Values: texts, and what of a request may stand in them.
 */

#include <string.h>

#include "import.h"

static bool
value_text(struct fm_import *im, const struct fm_expr *e)
{
	size_t i;

	for (i = 0; i < e->text.len; i++)
		if ((unsigned char)e->text.b[i] < ' ')
			return (fm_import_refuse(im, &e->at,
			    "rules set no values with controls in them"));
	if (memmem(e->text.b, e->text.len, "${", 2) != NULL)
		return (fm_import_refuse(im, &e->at,
		    "'${' is not a text in rules"));
	fm_import_put(im, "%.*s", FM_ARG(e->text));
	return (true);
}

/* Returns what rules call a name; NULL: nothing, or it is a header. */
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
value_name(struct fm_import *im, const struct fm_expr *e)
{
	struct fm_text header = fm_header_of(e->text);

	if (!fm_import_value_knows(e))
		return (fm_import_refuse(im, &e->at,
		    "rules have no '%.*s' for a value", FM_ARG(e->text)));
	im->seen.joins |= fm_import_joins(header);
	if (fm_text_is(e->text, "req.url") && !im->url_rooted)
		fm_import_note(im, FM_NOTE_URL, "OPTIONS * HTTP/1.1");
	if (header.b != NULL)
		fm_import_put(im, "${header.%.*s}", FM_ARG(header));
	else
		fm_import_put(im, "%s", value_variable(e));
	return (true);
}

/* Texts and names behind each other, as one template without quotes. */
static bool
value_put(struct fm_import *im, const struct fm_expr *e)
{
	const struct fm_expr *part;
	struct fm_text name;

	switch (e->kind) {
	case FM_EXPR_STRING:
		return (value_text(im, e));
	case FM_EXPR_NUMBER:
		fm_import_put(im, "%.*s", FM_ARG(e->text));
		return (true);
	case FM_EXPR_NAME:
		return (value_name(im, e));
	case FM_EXPR_CONCAT:
		for (part = e->first; part != NULL; part = part->next)
			if (!value_put(im, part))
				return (false);
		return (true);
	case FM_EXPR_CALL:
		if (!fm_expr_calls(e, "cookie.get", 1) ||
		    !fm_import_cookie(im, e, &name))
			return (fm_import_refuse(im, &e->at,
			    "rules have no %.*s() for a value",
			    FM_ARG(e->text)));
		fm_import_put(im, "${cookie.%.*s}", FM_ARG(name));
		return (true);
	default:
		return (fm_import_refuse(im, &e->at,
		    "rules have no such value"));
	}
}

bool
fm_import_value_quoted(struct fm_import *im, const struct fm_expr *e)
{
	bool good;

	fm_import_catch(im);
	good = value_put(im, e);
	fm_import_quote_put(im, fm_text_of(fm_import_caught(im)));
	return (good);
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
