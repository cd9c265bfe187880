/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Verdicts, among them what vcl_synth makes a redirect of.
 */

#include <stdlib.h>
#include <string.h>

#include "import.h"

static const struct fm_redirect *
find_redirect(const struct fm_import *im, unsigned status)
{
	const struct fm_redirect *r;

	for (r = im->redirects; r != NULL; r = r->next)
		if (r->from == status)
			return (r->to == 0 ? NULL : r);
	return (NULL);
}

/* The Location must start with a text of its own, for ${url} may not. */
static bool
starts_firmly(const struct fm_expr *e)
{
	const struct fm_expr *first = e->kind == FM_EXPR_CONCAT ? e->first : e;

	return (first->kind == FM_EXPR_STRING && first->text.len > 1 &&
	    *first->text.b > ' ' &&
	    (*first->text.b != '/' || e == first || first->text.len > 2));
}

static bool
put_redirect(struct fm_import *im, const struct fm_redirect *r,
    const struct fm_expr *to_where, unsigned tabs, FILE *to)
{
	char *text = NULL;
	size_t len;
	FILE *memory;
	bool good, taken;

	if (!starts_firmly(to_where))
		return (fm_import_refuse(im, &to_where->at, "a Location that "
		    "does not start with a text may lead elsewhere"));
	taken = fm_import_url_open(im, r->with_url ||
	    fm_import_value_names_url(to_where), &tabs, to);
	memory = fm_import_memory(&text, &len);
	good = fm_import_value_put(im, to_where, memory);
	if (good && r->with_url)
		fputs(taken ? "${1}" : "${url}", memory);
	(void)fclose(memory);
	if (good) {
		fm_import_tabs_put(tabs, to);
		fprintf(to, "redirect %u ", r->to);
		fm_import_quote_put(fm_text(text, len), to);
		fputs(";\n", to);
		im->weight++;
		im->redirects_seen = true;
	}
	fm_import_url_close(im, taken, &tabs, to);
	free(text);
	return (good);
}

static bool
put_synth(struct fm_import *im, const struct fm_vstmt *s, unsigned tabs,
    FILE *to)
{
	const struct fm_expr *status = s->value->first, *reason;
	const struct fm_redirect *r;
	struct fm_text text;
	unsigned n;

	if (status == NULL || status->kind != FM_EXPR_NUMBER ||
	    status->text.len > 3)
		return (fm_import_refuse(im, &s->at,
		    "rules have no such status"));
	if (im->esi && !fm_import_differs(im, &s->at, FM_NOTE_ESI))
		return (false);
	reason = status->next;
	n = (unsigned)strtoul(status->text.b, NULL, 10);
	r = find_redirect(im, n);
	if (r != NULL && reason != NULL)
		return (put_redirect(im, r, reason, tabs, to));
	if (n < 200 || n > 599)
		return (fm_import_refuse(im, &s->at, "rules answer with 200 "
		    "to 599, and vcl_synth makes no plain redirect of %u", n));
	if (reason != NULL && !fm_expr_constant(im, reason, &text))
		return (fm_import_refuse(im, &reason->at,
		    "the reason of a synth is a text in rules"));
	fm_import_tabs_put(tabs, to);
	fprintf(to, "synth %u", n);
	if (reason != NULL) {
		fputc(' ', to);
		fm_import_quote_put(text, to);
	}
	fputs(";\n", to);
	im->weight++;
	return (true);
}

bool
fm_import_return(struct fm_import *im, const struct fm_vstmt *s, unsigned tabs,
    FILE *to)
{
	static const char * const verdicts[] = { "pass", "pipe", "hash" };
	size_t i;

	for (i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
		if (fm_text_is(s->name, verdicts[i]) &&
		    s->value->kind == FM_EXPR_NAME) {
			fm_import_line_put(im, tabs, fm_import_printf(im, "%s;",
			    verdicts[i]), to);
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
