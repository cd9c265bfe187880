/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An acl as a list of networks.
 */

#include <stdlib.h>

#include "addrs.h"
#include "import.h"

struct acl {
	struct fm_plain		in, out;	/* out: those with a `!` */
};

/* One entry of an acl, from *at on; false: it is none that rules have. */
static bool
acl_entry(struct fm_import *im, size_t *at, struct acl *acl)
{
	const struct fm_vcl_token *t;
	struct fm_plain *nets = &acl->in;
	struct fm_network network;
	const char *text;

	if (fm_token_is(im, *at, "!")) {
		nets = &acl->out;
		(*at)++;
	}
	t = im->tokens + (*at)++;
	if (t->kind != FM_VCL_STRING)
		return (false);
	text = fm_import_printf(im, "%.*s", (int)t->value.len, t->value.b);
	if (fm_text_is_nocase(t->value, "localhost")) {
		fm_import_note(im, FM_NOTE_ACL, "a client of another address "
		    "that this machine calls localhost");
		nets->v[nets->n++] = fm_text_of("127.0.0.1");
		text = "::1";
	} else if (fm_network_parse(t->value, &network) != NULL) {
		return (false);
	}
	if (fm_token_is(im, *at, "/")) {
		t = im->tokens + *at + 1;
		if (t->kind != FM_VCL_NUMBER)
			return (false);
		text = fm_import_printf(im, "%s/%.*s", text, (int)t->text.len,
		    t->text.b);
		*at += 2;
	}
	nets->v[nets->n++] = fm_text_of(text);
	return (fm_token_is(im, (*at)++, ";"));
}

/* Says what is wrong with the entry that starts there. */
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
	    "addresses and networks, and not %s of %s:%u", text, place->name,
	    place->line);
}

static bool
acl_read(struct fm_import *im, const struct fm_vdecl *decl,
    const struct fm_expr *e, struct acl *acl)
{
	size_t at = decl->open + 1, start, room;

	room = 2 * (decl->last - decl->first + 1);
	acl->in.v = fm_import_alloc(im, room * sizeof *acl->in.v);
	acl->out.v = fm_import_alloc(im, room * sizeof *acl->out.v);
	if (!fm_token_is(im, decl->open, "{"))
		return (fm_import_refuse(im, &e->at, "rules have no such acl: "
		    "they take addresses and networks, and no options"));
	while (!fm_token_is(im, at, "}")) {
		start = at;
		if (!acl_entry(im, &at, acl)) {
			refuse_entry(im, e, start);
			return (false);
		}
	}
	return (acl->in.n > 0 || fm_import_refuse(im, &e->at,
	    "an acl that nobody is in"));
}

/* Returns true if a network that is taken out has one in it that is not. */
static bool
is_nested(const struct acl *acl)
{
	struct fm_network in, out;
	size_t i, j;

	for (i = 0; i < acl->out.n; i++)
		for (j = 0; j < acl->in.n; j++)
			if (fm_network_parse(acl->out.v[i], &out) != NULL ||
			    fm_network_parse(acl->in.v[j], &in) != NULL ||
			    fm_network_inside(&in, &out))
				return (true);
	return (false);
}

/* Returns the test of a list of these, which it defines. */
static struct fm_test *
list_test(struct fm_import *im, const char *subject, struct fm_text vcl,
    const char *more, const struct fm_plain *nets)
{
	struct fm_name *name = fm_import_alloc(im, sizeof *name), *same;
	struct fm_test *test = fm_import_test(im, FM_TEST_TEST);
	char *text = NULL;
	size_t len;
	FILE *to = fm_import_memory(&text, &len);

	name->vcl = vcl;
	name->name = fm_text_of(fm_import_printf(im, "%.*s%s", (int)vcl.len,
	    vcl.b, more));
	fprintf(to, "list %.*s in {", (int)name->name.len, name->name.b);
	fm_import_words_put(nets, 0, to);
	fputs(" }\n", to);
	(void)fclose(to);
	name->text = fm_import_printf(im, "%s", text);
	free(text);
	for (same = im->lists; same != NULL; same = same->next)
		if (fm_text_eq(same->name, name->name))
			break;
	if (same == NULL) {
		name->next = im->lists;
		im->lists = name;
	}
	test->subject = subject;
	test->is.mode = "in";
	test->is.v = &name->name;
	test->is.n = 1;
	return (test);
}

/* Returns true if an address is in the acl. */
static bool
acl_has(const struct acl *acl, struct fm_text address)
{
	struct fm_network net, one;
	size_t i;

	if (fm_network_parse(address, &one) != NULL)
		return (true);
	for (i = 0; i < acl->in.n; i++)
		if (fm_network_parse(acl->in.v[i], &net) == NULL &&
		    fm_network_inside(&one, &net))
			return (true);
	return (false);
}

/* client.ip, or std.ip(HEADER, "an address that is not in it"). */
static const char *
subject_of(struct fm_import *im, const struct acl *acl,
    const struct fm_expr *e)
{
	struct fm_text header;

	if (fm_expr_is(e, "client.ip"))
		return ("client");
	header = e->first->kind == FM_EXPR_NAME ?
	    fm_header_of(e->first->text) : fm_text(NULL, 0);
	if (header.b == NULL || e->first->next->kind != FM_EXPR_STRING ||
	    acl_has(acl, e->first->next->text)) {
		(void)fm_import_refuse(im, &e->at, "rules ask a header for an "
		    "address, and nobody else where it has none");
		return (NULL);
	}
	return (fm_import_printf(im, "header %.*s", (int)header.len,
	    header.b));
}

struct fm_test *
fm_import_client(struct fm_import *im, const struct fm_expr *left)
{
	const struct fm_expr *e = left->next;
	struct fm_vdecl *decl = e->kind != FM_EXPR_NAME ? NULL :
	    fm_import_find(im, "acl", e->text);
	struct fm_test *test, *not, *both;
	struct acl acl = { .in = { .n = 0 } };
	const char *subject;

	if (decl == NULL) {
		(void)fm_import_refuse(im, &e->at, "no acl is called so");
		return (NULL);
	}
	if (!acl_read(im, decl, e, &acl) ||
	    (subject = subject_of(im, &acl, left)) == NULL)
		return (NULL);
	if (is_nested(&acl)) {
		(void)fm_import_refuse(im, &e->at, "rules have no such acl: "
		    "what a `!` takes out has a network in it that is in");
		return (NULL);
	}
	test = list_test(im, subject, e->text, "", &acl.in);
	if (acl.out.n == 0)
		return (test);
	not = fm_import_test(im, FM_TEST_NOT);
	not->first = list_test(im, subject, e->text, "-not", &acl.out);
	both = fm_import_test(im, FM_TEST_AND);
	both->first = test;
	test->next = not;
	return (both);
}
