/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Translates the test of an acl into tests of lists of networks: one list for
 * the entries, and one for the entries with a `!`.
 */

#include "addrs.h"
#include "import.h"

struct acl {
	struct fm_plain		in, out;	/* out: entries with a `!` */
};

/* Takes the entry at token *at; returns false if rules have no such entry. */
static bool
acl_entry(struct fm_import *im, const struct fm_expr *e, size_t *at,
    struct acl *acl)
{
	const struct fm_vcl_token *t = im->vcl.tokens + *at;
	struct fm_plain *nets = &acl->in;
	struct fm_network network;
	struct fm_text text;
	const char *fault;

	if (fm_text_is(t->text, "!")) {
		nets = &acl->out;
		t++;
	}
	text = t->kind == FM_VCL_STRING ? t->value : t->text;
	if (fm_text_is_nocase(text, "localhost")) {
		fm_import_note(im, FM_NOTE_ACL, "a client of another address "
		    "that this machine calls localhost");
		text = fm_text_of("127.0.0.1");
		fm_import_plain_add(im, nets, &text, 1);
		text = fm_text_of("::1");
	}
	t++;
	if (fm_text_is(t->text, "/")) {
		text = fm_text_of(fm_import_printf(im, "%.*s/%.*s",
		    FM_ARG(text), FM_ARG(t[1].text)));
		t += 2;
	}
	fm_import_plain_add(im, nets, &text, 1);
	fault = fm_network_parse(text, &network);
	if (fault == NULL && !fm_text_is(t->text, ";"))
		fault = "has no ';' behind it";
	*at = (size_t)(t + 1 - im->vcl.tokens);
	return (fault == NULL || fm_import_refuse(im, &e->at, "rules have no "
	    "such acl: '%.*s' of %s:%u %s", FM_ARG(text), t->at.name,
	    t->at.line, fault));
}

static bool
acl_read(struct fm_import *im, const struct fm_vdecl *decl,
    const struct fm_expr *e, struct acl *acl)
{
	size_t at = decl->open + 1;

	if (!fm_token_is(&im->vcl, decl->open, "{"))
		return (fm_import_refuse(im, &e->at, "rules have no such acl: "
		    "they take addresses and networks, and no options"));
	while (!fm_token_is(&im->vcl, at, "}"))
		if (!acl_entry(im, e, &at, acl))
			return (false);
	return (acl->in.n > 0 || fm_import_refuse(im, &e->at,
	    "an acl that nobody is in"));
}

/* Returns true if some network of a may be a part of one of b. */
static bool
may_be_inside(const struct fm_plain *a, const struct fm_plain *b)
{
	struct fm_network net, wide;
	size_t i, j;

	for (i = 0; i < a->n; i++)
		for (j = 0; j < b->n; j++)
			if (fm_network_parse(a->v[i], &net) != NULL ||
			    fm_network_parse(b->v[j], &wide) != NULL ||
			    fm_network_inside(&net, &wide))
				return (true);
	return (false);
}

/* Defines a list of networks, and returns the test of it. */
static struct fm_test *
list_test(struct fm_import *im, const char *subject, const char *name,
    const struct fm_plain *nets)
{
	unsigned tabs = im->tabs;

	im->tabs = 0;
	fm_import_item(im, fm_import_printf(im, "list %s in {%s }\n", name,
	    fm_import_words(im, nets)));
	im->tabs = tabs;
	return (fm_import_test(im, subject, "in", fm_text_of(name)));
}

/*
 * Returns the subject of a test: for client.ip, or for std.ip(HEADER, ADDRESS)
 * with an address that is not in the acl.
 */
static const char *
subject_of(struct fm_import *im, const struct acl *acl,
    const struct fm_expr *e)
{
	const struct fm_expr *name = e->first;
	struct fm_text header;

	if (fm_expr_is(e, "client.ip"))
		return ("client");
	header = fm_header_of(name->text);
	if (name->kind != FM_EXPR_NAME || header.b == NULL ||
	    may_be_inside(&(struct fm_plain){ .v = &name->next->text, .n = 1 },
	    &acl->in))
		return (FM_REFUSE(im, &e->at, "rules ask a header for an "
		    "address, and nobody else where it has none"));
	return (fm_import_header(im, header));
}

struct fm_test *
fm_import_client(struct fm_import *im, const struct fm_expr *left)
{
	const struct fm_expr *e = left->next;
	struct fm_vdecl *decl = e->kind != FM_EXPR_NAME ? NULL :
	    fm_vcl_find(&im->vcl, "acl", e->text);
	struct acl acl = { .in = { .n = 0 } };
	const char *subject, *name;
	struct fm_test *test, *out;

	if (decl == NULL)
		return (FM_REFUSE(im, &e->at, "no acl is called so"));
	if (!acl_read(im, decl, e, &acl) ||
	    (subject = subject_of(im, &acl, left)) == NULL)
		return (NULL);
	if (may_be_inside(&acl.in, &acl.out))
		return (FM_REFUSE(im, &e->at, "rules have no such acl: what a "
		    "`!` takes out has a network in it that is in"));
	name = fm_import_printf(im, "%.*s", FM_ARG(e->text));
	test = list_test(im, subject, name, &acl.in);
	if (acl.out.n == 0)
		return (test);
	out = list_test(im, subject, fm_import_printf(im, "%s-not", name),
	    &acl.out);
	out->negated = true;
	return (fm_import_chain(im, FM_TEST_AND, test, out));
}
