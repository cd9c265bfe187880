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
	if (!fm_import_differs(im, at, FM_NOTE_HOST))
		return (false);
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
	if (im->url_rooted)
		return (true);
	if (im->well_formed)
		return (fm_import_differs(im, at, FM_NOTE_URL));
	return (fm_import_refuse(im, at, "a URL without a '/' in front "
	    "would go on with the host: write if (req.url !~ \"^/\") { return "
	    "(synth(400)); } before it, or see --well-formed"));
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
put_redirect(struct fm_import *im, const struct fm_redirect *r,
    const struct fm_place *at, const struct fm_expr *reason, unsigned tabs,
    FILE *to)
{
	struct fm_expr where = { .kind = FM_EXPR_CONCAT, .at = *at };
	char *text = NULL;
	size_t len;
	FILE *memory;
	bool good, taken;

	(void)add_parts(im, &where.first, r->location, reason);
	if (!starts_firmly(&where))
		return (fm_import_refuse(im, at, "a Location that does not "
		    "start with a text may lead elsewhere"));
	if (!host_check(im, &where, at))
		return (false);
	taken = fm_import_url_open(im, fm_import_value_names_url(&where),
	    &tabs, to);
	memory = fm_import_memory(&text, &len);
	good = fm_import_value_put(im, &where, memory);
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

/* Whether it becomes what `redirect` of rules answers. */
static bool
is_redirect(struct fm_import *im, const struct fm_redirect *r,
    const struct fm_expr *reason)
{
	struct fm_text text;

	if (fm_import_names_reason(r->location))
		return (reason != NULL);
	return (!r->plain || reason == NULL ||
	    (fm_expr_constant(im, reason, &text) &&
	    fm_text_is(text, fm_import_reason_of(r->to))));
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
	if (r != NULL && is_redirect(im, r, reason))
		return (put_redirect(im, r, reason != NULL ? &reason->at :
		    &s->at, reason, tabs, to));
	if (n < 200 || n > 599)
		return (fm_import_refuse(im, &s->at, "rules answer with 200 "
		    "to 599, and vcl_synth makes no plain redirect of %u", n));
	if (reason != NULL && (!fm_expr_constant(im, reason, &text) ||
	    (text.len > 0 && memmem(text.b, text.len, "${", 2) != NULL)))
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
