/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An acl as a list of networks.
 */

#include <arpa/inet.h>
#include <stdlib.h>

#include "import.h"

/* One entry of an acl, from *at on; false: it is none that rules have. */
static bool
acl_entry(struct fm_import *im, size_t *at, struct fm_text *net)
{
	const struct fm_vcl_token *t = im->tokens + *at;
	unsigned char address[16];
	const char *text, *bits = "", *slash = "";

	if (t->kind != FM_VCL_STRING)
		return (false);
	text = fm_import_printf(im, "%.*s", (int)t->value.len, t->value.b);
	if (inet_pton(AF_INET, text, address) != 1 &&
	    inet_pton(AF_INET6, text, address) != 1)
		return (false);
	(*at)++;
	if (fm_token_is(im, *at, "/")) {
		if (im->tokens[*at + 1].kind != FM_VCL_NUMBER)
			return (false);
		slash = "/";
		bits = fm_import_printf(im, "%.*s",
		    (int)im->tokens[*at + 1].text.len,
		    im->tokens[*at + 1].text.b);
		*at += 2;
	}
	if (!fm_token_is(im, *at, ";"))
		return (false);
	(*at)++;
	text = fm_import_printf(im, "%s%s%s", text, slash, bits);
	*net = fm_text_of(text);
	return (true);
}

/* What is wrong with the entry that starts there. */
static void
refuse_entry(struct fm_import *im, const struct fm_expr *e, size_t at)
{
	const struct fm_place *place = &im->tokens[at].at;
	const char *text = "";

	for (; im->tokens[at].kind != FM_VCL_END && !fm_token_is(im, at, ";") &&
	    !fm_token_is(im, at, "}"); at++)
		text = fm_import_printf(im, "%s%.*s", text,
		    (int)im->tokens[at].text.len, im->tokens[at].text.b);
	(void)fm_import_refuse(im, &e->at, "rules have no such acl: they take "
	    "addresses and networks, none that is excepted, and not %s of "
	    "%s:%u", text, place->name, place->line);
}

/* "list NAME in { ... }", or NULL. */
static const char *
acl_text(struct fm_import *im, const struct fm_vdecl *acl,
    const struct fm_expr *e)
{
	struct fm_plain nets = { .mode = "is" };
	size_t at = acl->open + 1, start, len;
	char *text = NULL;
	const char *copy;
	FILE *to;

	nets.v = fm_import_alloc(im,
	    (acl->last - acl->first + 1) * sizeof *nets.v);
	if (!fm_token_is(im, acl->open, "{"))
		return (NULL);
	while (!fm_token_is(im, at, "}")) {
		start = at;
		if (!acl_entry(im, &at, &nets.v[nets.n++])) {
			refuse_entry(im, e, start);
			return (NULL);
		}
	}
	if (nets.n == 0)
		return (NULL);
	to = fm_import_memory(&text, &len);
	fprintf(to, "list %.*s in {", (int)acl->name.len, acl->name.b);
	fm_import_words_put(&nets, 0, to);
	fputs(" }\n", to);
	(void)fclose(to);
	copy = fm_import_printf(im, "%s", text);
	free(text);
	return (copy);
}

struct fm_test *
fm_import_client(struct fm_import *im, const struct fm_expr *e)
{
	struct fm_vdecl *acl;
	struct fm_test *test;
	struct fm_name *name;
	const char *text = NULL;

	acl = e->kind != FM_EXPR_NAME ? NULL :
	    fm_import_find(im, "acl", e->text);
	for (name = im->lists; acl != NULL && name != NULL; name = name->next)
		if (fm_text_eq(name->vcl, e->text))
			break;
	if (acl != NULL && name == NULL)
		text = acl_text(im, acl, e);
	if (acl == NULL || (name == NULL && text == NULL)) {
		(void)fm_import_refuse(im, &e->at, "rules have no such acl: "
		    "they take addresses and networks, none that is excepted");
		return (NULL);
	}
	if (name == NULL) {
		name = fm_import_alloc(im, sizeof *name);
		name->vcl = name->name = e->text;
		name->text = text;
		name->next = im->lists;
		im->lists = name;
	}
	test = fm_import_test(im, FM_TEST_TEST);
	test->subject = "client";
	test->is.mode = "in";
	test->is.v = &name->name;
	test->is.n = 1;
	return (test);
}
