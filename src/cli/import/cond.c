/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Conditions of VCL as those of rules.
 *
 * A header that is not there is the empty text to a regex of VCL, and nothing
 * at all to `==` of VCL and to every test of rules.  So a regex that fits the
 * empty text is said with "or not present".
 */

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "addrs.h"
#include "import.h"

struct fm_test *
fm_import_test(struct fm_import *im, enum fm_test_kind kind)
{
	struct fm_test *test = fm_import_alloc(im, sizeof *test);

	test->kind = kind;
	return (test);
}

static struct fm_test *
test_join(struct fm_import *im, enum fm_test_kind kind, struct fm_test *a,
    struct fm_test *b)
{
	struct fm_test *test = fm_import_test(im, kind);

	test->first = a;
	a->next = b;
	return (test);
}

/*--------------------------------------------------------------------
 * What is tested
 */

/* These are one header to rules, however often they came. */
void
fm_import_note_header(struct fm_import *im, struct fm_text header)
{
	if (fm_text_eq_nocase(header, fm_text_of("Cookie")) ||
	    (header.len >= 6 && strncasecmp(header.b, "Accept", 6) == 0))
		im->joins_seen = true;
}

/* cookie NAME, of cookie.get("NAME") or cookie.isset("NAME"). */
static const char *
cookie_of(struct fm_import *im, const struct fm_expr *e)
{
	struct fm_text name;

	if (im->cookie_vmod || (!fm_expr_calls(e, "cookie.get", 1) &&
	    !fm_expr_calls(e, "cookie.isset", 1)) ||
	    !fm_expr_constant(im, e->first, &name) || name.len == 0 ||
	    memchr(name.b, '*', name.len) != NULL)
		return (NULL);
	fm_import_note(im, FM_NOTE_COOKIE, "Cookie: %.*s", (int)name.len,
	    name.b);
	im->joins_seen = true;
	return (fm_import_printf(im, "cookie %.*s", (int)name.len, name.b));
}

static const char *
subject_of(struct fm_import *im, const struct fm_expr *e)
{
	struct fm_text header = fm_text(NULL, 0);
	const char *cookie;

	if (e->kind == FM_EXPR_CALL && (cookie = cookie_of(im, e)) != NULL)
		return (cookie);
	if (fm_expr_is(e, "req.url"))
		return ("url");
	if (fm_expr_is(e, "req.method") || fm_expr_is(e, "req.request"))
		return ("method");
	if (e->kind == FM_EXPR_NAME)
		header = fm_header_of(e->text);
	if (header.b != NULL) {
		fm_import_note_header(im, header);
		if (fm_text_is_nocase(header, "User-Agent"))
			return ("agent");
		return (fm_import_printf(im, "header %.*s", (int)header.len,
		    header.b));
	}
	if (e->kind == FM_EXPR_NAME || e->kind == FM_EXPR_CALL)
		(void)fm_import_refuse(im, &e->at, "rules have no '%.*s%s' to "
		    "test", (int)e->text.len, e->text.b,
		    e->kind == FM_EXPR_CALL ? "()" : "");
	else
		(void)fm_import_refuse(im, &e->at,
		    "rules can't test what is put together");
	return (NULL);
}

static struct fm_test *
test_present(struct fm_import *im, const struct fm_expr *e)
{
	struct fm_test *test;
	const char *subject;

	if (e->kind == FM_EXPR_NAME && fm_header_of(e->text).b == NULL) {
		(void)fm_import_refuse(im, &e->at,
		    "rules have no '%.*s' to test", (int)e->text.len,
		    e->text.b);
		return (NULL);
	}
	subject = fm_expr_calls(e, "cookie.get", 1) ? NULL : subject_of(im, e);
	if (subject == NULL)
		return (NULL);
	test = fm_import_test(im, FM_TEST_TEST);
	test->subject = subject;
	test->is.mode = "present";
	return (test);
}

/*--------------------------------------------------------------------
 * Comparisons
 */

/* Remembers a host that is asked for: an example for where hosts differ. */
static void
note_host(struct fm_import *im, const struct fm_test *test)
{
	if (strcasecmp(test->subject, "header Host") == 0 && test->is.n > 0)
		im->host = test->is.v[0];
}

static struct fm_test *
test_regex(struct fm_import *im, const char *subject, struct fm_text regex,
    const struct fm_expr *e)
{
	struct fm_test *test, *absent;
	int empty = fm_import_regex_fits(regex, fm_text("", 0));

	if (empty < 0) {
		(void)fm_import_refuse(im, &e->at,
		    "PCRE2 does not understand this regex");
		return (NULL);
	}
	test = fm_import_test(im, FM_TEST_TEST);
	test->subject = subject;
	fm_import_plain(im, regex, &test->is);
	note_host(im, test);
	if (*test->is.mode == '~')
		im->regexes_seen = true;
	if (!empty || strcmp(subject, "url") == 0 ||
	    strcmp(subject, "method") == 0)
		return (test);
	absent = fm_import_test(im, FM_TEST_NOT);
	absent->first = fm_import_test(im, FM_TEST_TEST);
	absent->first->subject = subject;
	absent->first->is.mode = "present";
	return (test_join(im, FM_TEST_OR, absent, test));
}

static struct fm_test *
test_equal(struct fm_import *im, const char *subject, struct fm_text text,
    bool nocase)
{
	struct fm_test *test = fm_import_test(im, FM_TEST_TEST);

	test->subject = subject;
	test->is.mode = "is";
	test->is.nocase = nocase;
	test->is.v = fm_import_alloc(im, sizeof *test->is.v);
	test->is.v[0] = text;
	test->is.n = 1;
	note_host(im, test);
	return (test);
}

static bool
has_upper(struct fm_text t)
{
	size_t i;

	for (i = 0; i < t.len; i++)
		if (t.b[i] >= 'A' && t.b[i] <= 'Z')
			return (true);
	return (false);
}

/* X of std.tolower(X) and X.lower(); NULL: it is another one. */
static const struct fm_expr *
lowered(struct fm_import *im, const struct fm_expr *e)
{
	struct fm_expr *name;

	if (fm_expr_calls(e, "std.tolower", 1))
		return (e->first->kind == FM_EXPR_NAME ? e->first : NULL);
	if (e->kind != FM_EXPR_CALL || e->first != NULL || e->text.len < 7 ||
	    memcmp(e->text.b + e->text.len - 6, ".lower", 6) != 0)
		return (NULL);
	name = fm_import_alloc(im, sizeof *name);
	*name = *e;
	name->kind = FM_EXPR_NAME;
	name->text.len -= 6;
	return (name);
}

/*
 * std.tolower(X) is "x" where X is, in either case; so it is with texts that a
 * regex stands for.
 */
static struct fm_test *
test_lowered(struct fm_import *im, const struct fm_expr *name,
    struct fm_text text, bool regex, const struct fm_expr *right)
{
	const char *subject = subject_of(im, name);
	struct fm_test *test;
	size_t i;

	if (subject == NULL)
		return (NULL);
	test = regex ? test_regex(im, subject, text, right) :
	    test_equal(im, subject, text, true);
	if (test == NULL)
		return (NULL);
	if (test->kind != FM_TEST_TEST || *test->is.mode == '~') {
		(void)fm_import_refuse(im, &right->at, "a regex of what was "
		    "made lower case may be another one for both cases");
		return (NULL);
	}
	for (i = 0; i < test->is.n; i++)
		if (has_upper(test->is.v[i]) || test->is.v[i].len == 0) {
			(void)fm_import_refuse(im, &right->at, "what was made "
			    "lower case is none of this");
			return (NULL);
		}
	test->is.nocase = true;
	test->is.regex = fm_text(NULL, 0);
	return (test);
}

/*
 * Under `if (req.http.Cookie)` an empty one is one of which rules have left
 * nothing.
 */
static struct fm_test *
test_no_cookie(struct fm_import *im, const struct fm_expr *left,
    struct fm_text text, bool regex)
{
	struct fm_test *not;

	if (!fm_expr_is(left, "req.http.Cookie") ||
	    !fm_import_is_there(im, "req.http.Cookie") ||
	    (regex ? fm_import_regex_fits(text, fm_text("", 0)) != 1 ||
	    fm_import_regex_fits(text, fm_text_of("a=1")) != 0 :
	    fm_text_trim(text).len > 0))
		return (NULL);
	fm_import_note(im, FM_NOTE_COOKIE, "Cookie: ;");
	not = fm_import_test(im, FM_TEST_NOT);
	not->first = test_present(im, left);
	return (not);
}

/* X ~ "regex", X == "text". */
static struct fm_test *
test_text(struct fm_import *im, const struct fm_expr *e, bool regex)
{
	const struct fm_expr *left = e->first, *right = left->next, *name;
	struct fm_test *test;
	struct fm_text text;
	const char *subject;

	name = lowered(im, left);
	if (name == NULL && left->kind == FM_EXPR_NAME &&
	    subject_of(im, left) == NULL)
		return (NULL);
	if (!fm_expr_constant(im, right, &text)) {
		(void)fm_import_refuse(im, &right->at,
		    "rules compare with what is written down only");
		return (NULL);
	}
	if (name != NULL)
		return (test_lowered(im, name, text, regex, right));
	test = test_no_cookie(im, left, text, regex);
	if (test != NULL)
		return (test);
	subject = fm_expr_calls(left, "cookie.isset", 1) ? NULL :
	    subject_of(im, left);
	return (subject == NULL ? NULL : regex ?
	    test_regex(im, subject, text, right) :
	    test_equal(im, subject, text, false));
}

/* client.ip == "192.0.2.1" */
static struct fm_test *
test_address(struct fm_import *im, const struct fm_expr *right)
{
	struct fm_network network;
	struct fm_test *test;
	struct fm_text text;

	if (!fm_expr_constant(im, right, &text) ||
	    fm_network_parse(text, &network) != NULL) {
		(void)fm_import_refuse(im, &right->at,
		    "rules compare the client with an address");
		return (NULL);
	}
	test = test_equal(im, "client", text, false);
	test->is.mode = "in";
	return (test);
}

static struct fm_test *
test_compare(struct fm_import *im, const struct fm_expr *e)
{
	const struct fm_expr *left = e->first;
	bool no = *e->text.b == '!', regex;
	struct fm_test *test, *not;

	regex = e->text.b[e->text.len - 1] == '~';
	if (!regex && !fm_text_is(e->text, "==") &&
	    !fm_text_is(e->text, "!=")) {
		(void)fm_import_refuse(im, &e->at,
		    "rules compare texts, not numbers");
		return (NULL);
	}
	if (regex && (fm_expr_is(left, "client.ip") ||
	    fm_expr_calls(left, "std.ip", 2)))
		test = fm_import_client(im, left);
	else if (fm_expr_is(left, "client.ip"))
		test = test_address(im, left->next);
	else
		test = test_text(im, e, regex);
	if (test == NULL || !no)
		return (test);
	not = fm_import_test(im, FM_TEST_NOT);
	not->first = test;
	return (not);
}

static bool
begins_with_slash(const char *mode, struct fm_text operand)
{
	if (strcmp(mode, "~") == 0)
		return (fm_import_regex_roots(operand));
	return ((strcmp(mode, "is") == 0 || strcmp(mode, "begins") == 0) &&
	    operand.len > 0 && *operand.b == '/');
}

/* Whether the URL begins with a / where this is true. */
bool
fm_import_roots(const struct fm_test *test)
{
	const struct fm_test *part;
	size_t i;

	switch (test->kind) {
	case FM_TEST_TEST:
		if (strcmp(test->subject, "url") != 0)
			return (false);
		for (i = 0; i < test->is.n; i++)
			if (!begins_with_slash(test->is.mode, test->is.v[i]))
				return (false);
		return (test->is.n > 0);
	case FM_TEST_AND:
		for (part = test->first; part != NULL; part = part->next)
			if (fm_import_roots(part))
				return (true);
		return (false);
	case FM_TEST_OR:
		for (part = test->first; part != NULL; part = part->next)
			if (!fm_import_roots(part))
				return (false);
		return (true);
	case FM_TEST_NOT:
		break;
	}
	return (false);
}

/*--------------------------------------------------------------------
 * What several tests have in common is one test
 */

static bool
tests_alike(const struct fm_test *a, const struct fm_test *b)
{
	return (a->kind == FM_TEST_TEST && b->kind == FM_TEST_TEST &&
	    a->is.nocase == b->is.nocase &&
	    strcmp(a->is.mode, "present") != 0 &&
	    strcmp(a->is.mode, "in") != 0 &&
	    strcmp(a->is.mode, b->is.mode) == 0 &&
	    strcmp(a->subject, b->subject) == 0);
}

/* "(?i)a" and "(?i)b" are "(?i)a|b"; no text where one is no regex. */
static struct fm_text
regex_join(struct fm_import *im, struct fm_text a, struct fm_text b)
{
	if (a.len <= 4 || b.len <= 4 || memcmp(a.b, "(?i)", 4) != 0 ||
	    memcmp(b.b, "(?i)", 4) != 0)
		return (fm_text(NULL, 0));
	return (fm_text_of(fm_import_printf(im, "%.*s|%.*s", (int)a.len, a.b,
	    (int)b.len - 4, b.b + 4)));
}

static void
test_add_operands(struct fm_import *im, struct fm_test *a,
    const struct fm_test *b)
{
	struct fm_text *v = a->is.v;
	size_t i, j, n = a->is.n;

	if (a->is.room < n + b->is.n) {
		a->is.room = 2 * (n + b->is.n);
		v = fm_import_alloc(im, a->is.room * sizeof *v);
		memcpy(v, a->is.v, n * sizeof *v);
	}
	for (i = 0; i < b->is.n; i++) {
		for (j = 0; j < n; j++)
			if (fm_text_eq(v[j], b->is.v[i]))
				break;
		if (j == n)
			v[n++] = b->is.v[i];
	}
	a->is.v = v;
	a->is.n = n;
	a->is.regex = regex_join(im, a->is.regex, b->is.regex);
}

/* X is a or X is b; not X is a and not X is b. */
static void
chain_add(struct fm_import *im, struct fm_test *chain, struct fm_test *test)
{
	struct fm_test **p;

	for (p = &chain->first; *p != NULL; p = &(*p)->next) {
		if (chain->kind == FM_TEST_OR && tests_alike(*p, test)) {
			test_add_operands(im, *p, test);
			return;
		}
		if (chain->kind == FM_TEST_AND && test->kind == FM_TEST_NOT &&
		    (*p)->kind == FM_TEST_NOT &&
		    tests_alike((*p)->first, test->first)) {
			test_add_operands(im, (*p)->first, test->first);
			return;
		}
	}
	*p = test;
}

static struct fm_test *
test_chain(struct fm_import *im, const struct fm_expr *e)
{
	struct fm_test *chain, *test, *next;
	const struct fm_expr *part;

	chain = fm_import_test(im, e->kind == FM_EXPR_OR ? FM_TEST_OR :
	    FM_TEST_AND);
	for (part = e->first; part != NULL; part = part->next) {
		test = fm_import_cond(im, part);
		if (test == NULL)
			return (NULL);
		if (test->kind != chain->kind) {
			chain_add(im, chain, test);
			continue;
		}
		for (test = test->first; test != NULL; test = next) {
			next = test->next;
			test->next = NULL;
			chain_add(im, chain, test);
		}
	}
	return (chain->first->next == NULL ? chain->first : chain);
}

struct fm_test *
fm_import_cond(struct fm_import *im, const struct fm_expr *e)
{
	struct fm_test *test, *not;

	switch (e->kind) {
	case FM_EXPR_OR:
	case FM_EXPR_AND:
		return (test_chain(im, e));
	case FM_EXPR_NOT:
		test = fm_import_cond(im, e->first);
		if (test == NULL)
			return (NULL);
		not = fm_import_test(im, FM_TEST_NOT);
		not->first = test;
		return (not);
	case FM_EXPR_COMPARE:
		return (test_compare(im, e));
	case FM_EXPR_NAME:
	case FM_EXPR_CALL:
		return (test_present(im, e));
	default:
		(void)fm_import_refuse(im, &e->at,
		    "rules have no such condition");
		return (NULL);
	}
}

/*--------------------------------------------------------------------
 * As it is written
 */

static void
test_put(const struct fm_test *test, unsigned tabs, FILE *to)
{
	fputs(test->subject, to);
	if (test->is.nocase)
		fputs(" nocase", to);
	fprintf(to, " %s", test->is.mode);
	fm_import_words_put(&test->is, tabs, to);
}

static void
cond_put(const struct fm_test *test, enum fm_test_kind inside, unsigned tabs,
    FILE *to)
{
	const struct fm_test *part;
	bool nested;

	switch (test->kind) {
	case FM_TEST_TEST:
		test_put(test, tabs, to);
		break;
	case FM_TEST_NOT:
		fputs("not ", to);
		cond_put(test->first, FM_TEST_NOT, tabs, to);
		break;
	case FM_TEST_OR:
	case FM_TEST_AND:
		/* not binds tighter than and, and than or. */
		nested = inside > test->kind;
		if (nested)
			fputc('(', to);
		for (part = test->first; part != NULL; part = part->next) {
			cond_put(part, test->kind, tabs, to);
			if (part->next == NULL)
				break;
			fputc('\n', to);
			fm_import_tabs_put(tabs + 1, to);
			fputs(test->kind == FM_TEST_OR ? "or " : "and ", to);
		}
		if (nested)
			fputc(')', to);
		break;
	}
}

void
fm_import_cond_put(const struct fm_test *test, unsigned tabs, FILE *to)
{
	cond_put(test, FM_TEST_OR, tabs, to);
}
