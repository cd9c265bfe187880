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

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "import.h"

struct fm_test *
fm_import_test(struct fm_import *im, const char *subject, const char *mode,
    struct fm_text operand)
{
	struct fm_test *test = fm_import_alloc(im, sizeof *test);

	test->kind = FM_TEST_TEST;
	test->subject = subject;
	test->is.mode = mode;
	fm_import_plain_add(im, &test->is, &operand, operand.b != NULL);
	return (test);
}

struct fm_test *
fm_import_chain(struct fm_import *im, enum fm_test_kind kind,
    struct fm_test *first, struct fm_test *second)
{
	struct fm_test *test = fm_import_alloc(im, sizeof *test);

	test->kind = kind;
	test->first = first;
	first->next = second;
	return (test);
}

static struct fm_test *
test_present(struct fm_import *im, const char *subject)
{
	return (fm_import_test(im, subject, "present", fm_text(NULL, 0)));
}

static struct fm_test *
test_absent(struct fm_import *im, const char *subject)
{
	struct fm_test *test = test_present(im, subject);

	test->negated = true;
	return (test);
}

/*--------------------------------------------------------------------
 * What is tested
 */

bool
fm_import_joins(struct fm_text header)
{
	return (fm_text_is_nocase(header, "Cookie") ||
	    (header.len >= 6 && strncasecmp(header.b, "Accept", 6) == 0));
}

void
fm_import_note_header(struct fm_import *im, struct fm_text header)
{
	im->seen.joins |= fm_import_joins(header);
}

/* cookie NAME, of cookie.get("NAME") or cookie.isset("NAME"). */
static const char *
cookie_of(struct fm_import *im, const struct fm_expr *e)
{
	struct fm_text name;

	if (im->cookie_vmod || (!fm_expr_calls(e, "cookie.get", 1) &&
	    !fm_expr_calls(e, "cookie.isset", 1)) ||
	    !fm_expr_constant(&im->vcl, e->first, &name) || name.len == 0 ||
	    memchr(name.b, '*', name.len) != NULL ||
	    !fm_import_is_parsed(im, e))
		return (NULL);
	fm_import_note(im, FM_NOTE_COOKIE, "Cookie: %.*s", (int)name.len,
	    name.b);
	im->seen.joins = true;
	return (fm_import_printf(im, "cookie %.*s", (int)name.len, name.b));
}

static const char *
subject_of(struct fm_import *im, const struct fm_expr *e)
{
	struct fm_text header = fm_header_of(e->text);
	const char *cookie = cookie_of(im, e);

	if (cookie != NULL)
		return (cookie);
	if (e->kind != FM_EXPR_NAME && e->kind != FM_EXPR_CALL)
		return (FM_NO_TEST(im, &e->at,
		    "rules can't test what is put together"));
	if (fm_expr_is(e, "req.url"))
		return ("url");
	if (fm_expr_is(e, "client.ip"))
		return ("client");
	if (fm_expr_is(e, "req.method") || fm_expr_is(e, "req.request"))
		return ("method");
	if (fm_expr_is(e, "req.http.User-Agent"))
		return ("agent");
	if (e->kind == FM_EXPR_CALL || header.b == NULL)
		return (FM_NO_TEST(im, &e->at, "rules have no '%.*s%s' to test",
		    (int)e->text.len, e->text.b,
		    e->kind == FM_EXPR_CALL ? "()" : ""));
	fm_import_note_header(im, header);
	return (fm_import_printf(im, "header %.*s", (int)header.len,
	    header.b));
}

/*--------------------------------------------------------------------
 * Comparisons
 */

/*
 * Makes a test of std.tolower(X) one of X in either case.  false: a regex may
 * be another one then, and a text in upper case is none of this.
 */
static bool
test_either_case(struct fm_test *test)
{
	size_t i, j;

	if (*test->is.mode == '~')
		return (false);
	for (i = 0; i < test->is.n; i++)
		for (j = 0; j < test->is.v[i].len; j++)
			if (isupper((unsigned char)test->is.v[i].b[j]))
				return (false);
	test->is.nocase = true;
	test->is.regex = fm_text(NULL, 0);
	return (true);
}

/*
 * Under `if (req.http.Cookie)` an empty one is one of which rules have left
 * nothing.
 */
static bool
asks_for_no_cookie(const struct fm_import *im, const struct fm_expr *left,
    struct fm_text text, bool regex)
{
	if (!fm_expr_is(left, "req.http.Cookie") ||
	    (!im->cleaned && !fm_import_is_there(im, "req.http.Cookie")))
		return (false);
	return (regex ? fm_import_regex_fits(text, fm_text("", 0)) == 1 &&
	    fm_import_regex_fits(text, fm_text_of("a=1")) == 0 :
	    fm_text_trim(text).len == 0);
}

/* X ~ "regex", X == "text". */
static struct fm_test *
test_text(struct fm_import *im, const struct fm_expr *left, bool regex)
{
	const struct fm_expr *right = left->next;
	bool lowered = fm_expr_calls(left, "std.tolower", 1);
	const char *subject = subject_of(im, lowered ? left->first : left);
	struct fm_test *test;
	struct fm_text text;
	int empty = 0;

	if (subject == NULL)
		return (NULL);
	if (!fm_expr_constant(&im->vcl, right, &text))
		return (FM_NO_TEST(im, &right->at,
		    "rules compare with what is written down only"));
	if (asks_for_no_cookie(im, left, text, regex)) {
		fm_import_note(im, FM_NOTE_COOKIE, "Cookie: ;");
		return (test_absent(im, subject));
	}
	test = fm_import_test(im, subject, strcmp(subject, "client") == 0 ?
	    "in" : "is", text);
	if (regex) {
		empty = fm_import_regex_fits(text, fm_text("", 0));
		if (empty < 0)
			return (FM_NO_TEST(im, &right->at,
			    "PCRE2 does not understand this regex"));
		fm_import_plain(im, text, &test->is);
	}
	if (strcasecmp(subject, "header Host") == 0)
		im->host = test->is.v[0];
	if (*test->is.mode == '~')
		im->seen.regexes = true;
	if (lowered && !test_either_case(test))
		return (FM_NO_TEST(im, &right->at, "rules compare what was "
		    "made lower case with texts in lower case only"));
	if (!empty || strcmp(subject, "url") == 0 ||
	    strcmp(subject, "method") == 0)
		return (test);
	return (fm_import_chain(im, FM_TEST_OR, test_absent(im, subject),
	    test));
}

static struct fm_test *
test_compare(struct fm_import *im, const struct fm_expr *e)
{
	const struct fm_expr *left = e->first;
	bool regex = e->text.b[e->text.len - 1] == '~';
	struct fm_test *test;

	if (!regex && !fm_text_is(e->text, "==") && !fm_text_is(e->text, "!="))
		return (FM_NO_TEST(im, &e->at,
		    "rules compare texts, not numbers"));
	if (regex && (fm_expr_is(left, "client.ip") ||
	    fm_expr_calls(left, "std.ip", 2)))
		test = fm_import_client(im, left);
	else
		test = test_text(im, left, regex);
	if (test != NULL)
		test->negated ^= *e->text.b == '!';
	return (test);
}

/*--------------------------------------------------------------------
 * URLs that a condition is true for
 */

/* Returns true if the URL begins with a / where this is true. */
bool
fm_import_roots(const struct fm_test *test)
{
	const struct fm_plain *is = &test->is;
	const struct fm_test *part;
	size_t i;

	if (test->negated)
		return (false);
	if (test->kind == FM_TEST_AND)
		for (part = test->first; part != NULL; part = part->next)
			if (fm_import_roots(part))
				return (true);
	if (test->kind != FM_TEST_TEST || strcmp(test->subject, "url") != 0)
		return (false);
	for (i = 0; i < is->n; i++)
		if (*is->mode == '~' ? !fm_import_regex_roots(is->v[i]) :
		    !fm_text_begins(is->v[i], "/"))
			return (false);
	return (*is->mode == '~' || strcmp(is->mode, "is") == 0 ||
	    strcmp(is->mode, "begins") == 0);
}

/*--------------------------------------------------------------------
 * What several tests have in common is one test
 */

/*
 * X is a or X is b; not X is a and not X is b.  Regexes for either case, (?i)a
 * and (?i)b, are (?i)a|b.  false: these tests aren't alike.
 */
static bool
tests_join(struct fm_import *im, enum fm_test_kind kind, struct fm_test *a,
    const struct fm_test *b)
{
	if (a->kind != FM_TEST_TEST || b->kind != FM_TEST_TEST ||
	    a->negated != (kind == FM_TEST_AND) ||
	    a->negated != b->negated || a->is.nocase != b->is.nocase ||
	    strcmp(a->is.mode, b->is.mode) != 0 ||
	    strcmp(a->subject, b->subject) != 0)
		return (false);
	/* `in` takes one list. */
	if (strcmp(a->is.mode, "in") == 0)
		return (a->is.n == 1 && b->is.n == 1 &&
		    fm_text_eq(a->is.v[0], b->is.v[0]));
	fm_import_plain_add(im, &a->is, b->is.v, b->is.n);
	if (a->is.nocase && a->is.regex.len > 0 && b->is.regex.len > 0)
		a->is.regex = fm_text_of(fm_import_printf(im, "%.*s|%.*s",
		    (int)a->is.regex.len, a->is.regex.b,
		    (int)b->is.regex.len - 4, b->is.regex.b + 4));
	else
		a->is.regex = fm_text(NULL, 0);
	return (true);
}

static void
chain_add(struct fm_import *im, struct fm_test *chain, struct fm_test *test)
{
	struct fm_test **p;

	for (p = &chain->first; *p != NULL; p = &(*p)->next)
		if (tests_join(im, chain->kind, *p, test))
			return;
	*p = test;
}

static struct fm_test *
test_chain(struct fm_import *im, const struct fm_expr *e)
{
	struct fm_test *chain = fm_import_alloc(im, sizeof *chain);
	struct fm_test *test, *next;
	const struct fm_expr *part;

	chain->kind = e->kind == FM_EXPR_OR ? FM_TEST_OR : FM_TEST_AND;
	for (part = e->first; part != NULL; part = part->next) {
		test = fm_import_cond(im, part);
		if (test == NULL)
			return (NULL);
		if (test->kind == chain->kind && !test->negated)
			test = test->first;
		for (; test != NULL; test = next) {
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
	struct fm_test *test;
	const char *subject;

	switch (e->kind) {
	case FM_EXPR_OR:
	case FM_EXPR_AND:
		return (test_chain(im, e));
	case FM_EXPR_NOT:
		test = fm_import_cond(im, e->first);
		if (test != NULL)
			test->negated = !test->negated;
		return (test);
	case FM_EXPR_COMPARE:
		return (test_compare(im, e));
	case FM_EXPR_NAME:
	case FM_EXPR_CALL:
		subject = subject_of(im, e);
		return (subject == NULL ? NULL : test_present(im, subject));
	default:
		return (FM_NO_TEST(im, &e->at, "rules have no such condition"));
	}
}

/*--------------------------------------------------------------------
 * As it is written
 */

static void
cond_put(const struct fm_test *test, enum fm_test_kind inside, unsigned tabs,
    FILE *to)
{
	const struct fm_test *part;
	bool nested = inside > test->kind || test->negated;

	fputs(test->negated ? "not " : "", to);
	if (test->kind == FM_TEST_TEST) {
		fprintf(to, "%s%s %s", test->subject,
		    test->is.nocase ? " nocase" : "", test->is.mode);
		fm_import_words_put(&test->is, tabs, to);
		return;
	}
	/* `not` binds tighter than `and`, and that than `or`. */
	fputs(nested ? "(" : "", to);
	for (part = test->first; part != NULL; part = part->next) {
		if (part != test->first) {
			fputc('\n', to);
			fm_import_tabs_put(tabs + 1, to);
			fputs(test->kind == FM_TEST_OR ? "or " : "and ", to);
		}
		cond_put(part, test->kind, tabs, to);
	}
	fputs(nested ? ")" : "", to);
}

void
fm_import_cond_put(const struct fm_test *test, unsigned tabs, FILE *to)
{
	cond_put(test, FM_TEST_OR, tabs, to);
}
