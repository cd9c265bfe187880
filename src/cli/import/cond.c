/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Translates conditions of VCL into conditions of rules, acls into lists.
 *
 * A regex of VCL takes a header that isn't there for the empty text; `==` of
 * VCL and all tests of rules are false for it.  So a regex that fits the empty
 * text becomes a test with "or not present".
 */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "addrs.h"
#include "check.h"
#include "import.h"

#define RESTARTS_MAX	1000000UL	/* more than any VCL asks for */

/* Returns a test with one operand; a missing text: without an operand. */
static struct fm_import_test *
test_new(struct fm_import *im, const char *subject, const char *mode,
    struct fm_text operand)
{
	struct fm_import_test *test = fm_import_alloc(im, sizeof *test);

	test->kind = FM_IMPORT_TEST;
	test->subject = subject;
	test->is.mode = mode;
	fm_import_plain_add(im, &test->is, &operand, operand.b != NULL);
	return (test);
}

/* Returns both conditions with `or` or `and` between them. */
static struct fm_import_test *
test_both(struct fm_import *im, enum fm_import_test_kind kind,
    struct fm_import_test *first, struct fm_import_test *second)
{
	struct fm_import_test *test = fm_import_alloc(im, sizeof *test);

	test->kind = kind;
	test->first = first;
	first->next = second;
	return (test);
}

static struct fm_import_test *
test_present(struct fm_import *im, const char *subject, bool negated)
{
	struct fm_import_test *test = test_new(im, subject, "present",
	    fm_text(NULL, 0));

	test->negated = negated;
	return (test);
}

/*--------------------------------------------------------------------
 * Subjects of tests
 */

bool
fm_import_joins(struct fm_text header)
{
	return (fm_text_is_nocase(header, "Cookie") ||
	    (header.len >= 6 && strncasecmp(header.b, "Accept", 6) == 0));
}

const char *
fm_import_header(struct fm_import *im, struct fm_text header)
{
	im->seen.joins |= fm_import_joins(header);
	return (fm_import_printf(im, "header %s", fm_import_word(im, header)));
}

bool
fm_import_cookie(struct fm_import *im, const struct fm_expr *call,
    struct fm_text *name)
{
	size_t i;

	if (im->cookie_vmod ||
	    !fm_expr_constant(&im->vcl, call->first, name) || name->len == 0 ||
	    !fm_vcl_cookie_is_parsed(&im->vcl, call))
		return (false);
	/* In rules these are wildcards, or end a name. */
	for (i = 0; i < name->len; i++)
		if (!isgraph((unsigned char)name->b[i]) ||
		    strchr("*?{}\"\\=;,", name->b[i]) != NULL)
			return (false);
	fm_import_note(im, FM_NOTE_COOKIE, "Cookie: %.*s", FM_ARG(*name));
	im->seen.joins = true;
	return (true);
}

static const char *
subject_of(struct fm_import *im, const struct fm_expr *expr)
{
	static const char * const subjects[][2] = {
		{ "req.url", "url" }, { "client.ip", "client" },
		{ "req.method", "method" }, { "req.request", "method" },
		{ "req.http.User-Agent", "agent" }
	};
	struct fm_text header = fm_header_of(expr->text), cookie;
	size_t i;

	if (im->phase != FM_IN_RECV)
		return (fm_import_subject(im, expr));
	if ((fm_expr_calls(expr, "cookie.get", 1) ||
	    fm_expr_calls(expr, "cookie.isset", 1)) &&
	    fm_import_cookie(im, expr, &cookie))
		return (fm_import_printf(im, "cookie %s",
		    fm_import_word(im, cookie)));
	if (expr->kind != FM_EXPR_NAME && expr->kind != FM_EXPR_CALL)
		return (FM_REFUSE(im, &expr->at,
		    "rules can't test what is put together"));
	for (i = 0; i < sizeof subjects / sizeof *subjects; i++)
		if (fm_expr_is(expr, subjects[i][0]))
			return (subjects[i][1]);
	if (expr->kind == FM_EXPR_CALL || header.b == NULL)
		return (FM_REFUSE(im, &expr->at,
		    "rules have no '%.*s%s' to test", FM_ARG(expr->text),
		    expr->kind == FM_EXPR_CALL ? "()" : ""));
	return (fm_import_header(im, header));
}

/*--------------------------------------------------------------------
 * Comparisons
 */

bool
fm_import_asks(struct fm_import *im, const struct fm_expr *expr,
    const char *name, struct fm_text *regex, bool *negated)
{
	bool not = expr->kind == FM_EXPR_NOT;

	*negated = false;
	*regex = fm_text_of(not ? "^\\s*$" : ".");
	if (not || expr->kind == FM_EXPR_NAME)
		return (fm_expr_is(not ? expr->first : expr, name));
	if (expr->kind != FM_EXPR_COMPARE || !fm_expr_is(expr->first, name) ||
	    !fm_expr_constant(&im->vcl, expr->first->next, regex))
		return (false);
	*negated = *expr->text.b == '!';
	if (expr->text.b[expr->text.len - 1] == '~')
		return (fm_import_regex_fits(*regex, "") >= 0);
	*regex = fm_text_trim(*regex).len == 0 ? fm_text_of("^\\s*$") : *regex;
	return (fm_text_is(expr->text, "==") && fm_text_is(*regex, "^\\s*$"));
}

bool
fm_import_is_empty(struct fm_text regex)
{
	return (fm_import_regex_fits(regex, "") == 1 &&
	    fm_import_regex_fits(regex, "a=1") == 0);
}

/* Returns true if a header must be there for a condition to be true. */
static bool
has(struct fm_import *im, const struct fm_expr *expr, const char *name)
{
	const struct fm_expr *part;
	struct fm_text regex;
	bool negated;

	if (expr->kind == FM_EXPR_AND)
		for (part = expr->first; part != NULL; part = part->next)
			if (has(im, part, name))
				return (true);
	return (fm_import_asks(im, expr, name, &regex, &negated) &&
	    fm_import_regex_fits(regex, "") == negated);
}

bool
fm_import_is_there(struct fm_import *im, const char *name)
{
	const struct fm_under *under;

	for (under = im->under; under != NULL; under = under->up)
		if (under->cond != NULL && has(im, under->cond, name))
			return (true);
	return (false);
}

/*
 * Makes a test of std.tolower(X) one of X in either case.  Returns false if
 * that is not the same: a regex may change its meaning, a text with capitals
 * never matches, and a missing header is the empty text.
 */
static bool
test_either_case(struct fm_import *im, struct fm_import_test *test, bool regex)
{
	struct fm_text text = test->is.v[0];
	size_t i, j;

	for (i = 0; i < test->is.n; i++)
		for (j = 0; j < test->is.v[i].len; j++)
			if (isupper((unsigned char)test->is.v[i].b[j]))
				return (false);
	if (!regex)
		test->is.regex = fm_import_text(im, "(?i)^\\Q%.*s\\E$",
		    FM_ARG(text));
	else if (!test->is.nocase)
		test->is.regex = fm_import_text(im, "(?i)%.*s",
		    FM_ARG(test->is.regex));
	test->is.nocase = true;
	return (text.len > 0 && *test->is.mode != '~');
}

/* Returns true if a token is the name of a header that is set, or unset. */
static bool
is_set_at(const struct fm_vcl_token *token, struct fm_text name)
{
	return (fm_text_eq_nocase(token->text, name) &&
	    (fm_text_is(token[-1].text, "set") ||
	    fm_text_is(token[-1].text, "unset")));
}

/* Returns true if subs that others call set a header, or unset it. */
static bool
is_set_by_calls(const struct fm_import *im, struct fm_text name)
{
	const struct fm_vdecl *decl;
	size_t i;

	for (decl = im->vcl.decls; decl != NULL; decl = decl->next)
		for (i = decl->open; fm_text_is(decl->kind, "sub") &&
		    !fm_text_begins(decl->name, "vcl_") && i < decl->close;
		    i++)
			if (is_set_at(im->vcl.tokens + i, name))
				return (true);
	return (false);
}

/*
 * Gets the text of a header that vcl_recv has set before, whatever its `if`s
 * do, to a text that is written down; false: another expression.
 */
static bool
is_scratch(struct fm_import *im, const struct fm_expr *expr,
    struct fm_text *text)
{
	const struct fm_vcl_token *token = im->vcl.tokens;
	const struct fm_vstmt *stmt;
	struct fm_vdecl *decl = im->vcl.decls;
	size_t at = 1, set = 0;

	if (im->phase != FM_IN_RECV || expr->kind != FM_EXPR_NAME ||
	    fm_header_of(expr->text).b == NULL)
		return (false);
	while (at < im->vcl.ntokens && token[at].text.b != expr->text.b)
		at++;
	while (decl != NULL && decl->last < at)
		decl = decl->next;
	if (decl == NULL || !fm_vdecl_is_sub(decl, "vcl_recv") ||
	    is_set_by_calls(im, expr->text))
		return (false);
	for (set = at; set > decl->open && !is_set_at(token + set, expr->text);)
		set--;
	for (stmt = decl->body; stmt != NULL && stmt->last < at;
	    stmt = stmt->next)
		if (stmt->kind == FM_VSTMT_SET && stmt->first + 1 == set)
			return (fm_expr_constant(&im->vcl, stmt->value, text));
	return (false);
}

/*
 * Takes a regex as a text in which `.` is a dot, as it is meant in "/cart.php"
 * of a URL, or in "ESI/1.0": between letters or digits.
 */
static void
test_dots(struct fm_import *im, struct fm_import_test *test,
    struct fm_text regex)
{
	bool host = strcasecmp(test->subject, "header Host") == 0 ||
	    strcmp(test->subject, "host") == 0,
	    name = host || strcmp(test->subject, "url") == 0, dots = false;
	char *text = fm_import_alloc(im, 2 * regex.len + 1), *to = text;
	struct fm_plain is;
	size_t i;

	for (i = 0; i < regex.len; i++) {
		if (regex.b[i] == '\\' && i + 1 < regex.len) {
			*to++ = regex.b[i++];
		} else if (regex.b[i] == '.' && i > 0 && i + 1 < regex.len &&
		    (name ? isalnum((unsigned char)to[-1]) &&
		    isalpha((unsigned char)regex.b[i + 1]) :
		    isdigit((unsigned char)to[-1]) &&
		    isdigit((unsigned char)regex.b[i + 1])) &&
		    (i < 2 || regex.b[i - 2] != '\\')) {
			*to++ = '\\';
			dots = true;
		}
		*to++ = regex.b[i];
	}
	fm_import_plain(im, fm_text_span(text, to), false, &is);
	if (!dots || *is.mode == '~')
		return;
	test->is = is;
	fm_import_note(im, host ? FM_NOTE_HOST : FM_NOTE_DOT, "%s with "
	    "another byte for the '.' of %.*s", test->subject, FM_ARG(regex));
}

/* Returns true if the end of one text may be the beginning of another one. */
static bool
overlap(const struct fm_plain *first, const struct fm_plain *last)
{
	size_t i, j, n;

	for (i = 0; i < first->n; i++)
		for (j = 0; j < last->n; j++)
			for (n = 1; n <= first->v[i].len &&
			    n <= last->v[j].len; n++)
				if (memcmp(first->v[i].b + first->v[i].len -
				    n, last->v[j].b, n) == 0)
					return (true);
	return (false);
}

/*
 * Returns the tests of what is before and after the `.*` of a regex, as
 * ^/(media|static)/.*\.(css|js)$; NULL: it has another form.
 */
static struct fm_import_test *
test_around(struct fm_import *im, const char *subject, struct fm_text regex)
{
	struct fm_import_test *first, *last;
	const char *p = memmem(regex.b, regex.len, ".*", 2);
	struct fm_text front, back;
	bool exact = true;

	if (p == NULL || p == regex.b || p[-1] == '\\')
		return (NULL);
	front = fm_text_span(regex.b, p);
	back = fm_text_span(p + 2, regex.b + regex.len);
	first = test_new(im, subject, "is", front);
	last = test_new(im, subject, "is", back);
	fm_import_plain(im, front, false, &first->is);
	fm_import_plain(im, back, false, &last->is);
	if (*last->is.mode == '~' && strcmp(subject, "url") == 0 &&
	    fm_import_path_of(im, back, &last->is, &exact) &&
	    (exact || im->well_formed))
		last->subject = "path";
	if (strcmp(first->is.mode, "begins") != 0 ||
	    strcmp(last->is.mode, "ends") != 0 || first->is.nocase ||
	    last->is.nocase || overlap(&first->is, &last->is))
		return (NULL);
	if (!exact)
		fm_import_note(im, FM_NOTE_PATH,
		    "GET http://host/?a%.*s HTTP/1.1", FM_ARG(last->is.v[0]));
	return (test_both(im, FM_IMPORT_AND, first, last));
}

/* Returns true if check would take a text for one of another mode. */
static bool
is_misread(const struct fm_plain *is)
{
	size_t i;

	for (i = 0; i < is->n; i++)
		if (*is->mode != '~' && fm_check_other_mode(FM_PATTERN_EXACT,
		    is->v[i], false) != NULL)
			return (true);
	return (false);
}

/*
 * Makes a test of a regex.  One of a text that looks like a regex, as `\.\*`,
 * stays as it is written: the backslashes say that this is meant.
 */
static void
test_regex(struct fm_import *im, struct fm_import_test *test,
    struct fm_text regex)
{
	fm_import_plain(im, regex, false, &test->is);
	if (is_misread(&test->is)) {
		test->is = (struct fm_plain){ .mode = "~", .regex = regex };
		fm_import_plain_add(im, &test->is, &regex, 1);
	}
}

/* X ~ "regex", X == "text"; std.tolower(X) in the place of X. */
static struct fm_import_test *
test_text(struct fm_import *im, const struct fm_expr *left, bool regex)
{
	const struct fm_expr *right = left->next;
	bool host = fm_import_is_host(im, left), lowered = !host &&
	    fm_expr_calls(left, "std.tolower", 1) &&
	    !fm_expr_is(left->first, "client.ip");
	const char *subject = host ? "host" : subject_of(im, lowered ?
	    left->first : left);
	struct fm_import_test *test, *around = NULL;
	struct fm_text text;
	struct fm_plain is;
	bool exact;
	int empty = 0;

	if (subject == NULL)
		return (NULL);
	if (host)
		fm_import_note(im, FM_NOTE_HOST, "Host: www.Example.com.");
	if (!fm_expr_constant(&im->vcl, right, &text) &&
	    (regex || !is_scratch(im, right, &text)))
		return (FM_REFUSE(im, &right->at,
		    "rules compare with what is written down only"));
	/* It was set just now: where nothing is left, rules have no header. */
	if (im->emptied != NULL && fm_expr_is(left, im->emptied) && !regex &&
	    fm_text_trim(text).len == 0)
		return (test_present(im, subject, true));
	test = test_new(im, subject, strcmp(subject, "client") == 0 ?
	    "in" : "is", text);
	if (regex) {
		empty = fm_import_regex_fits(text, "");
		if (empty < 0)
			return (FM_REFUSE(im, &right->at,
			    "PCRE2 does not understand this regex"));
		text = fm_import_tidy(im, text, true);
		test_regex(im, test, text);
		if (*test->is.mode == '~' && im->well_formed && !lowered)
			test_dots(im, test, text);
		if (strcmp(subject, "url") == 0 && !lowered &&
		    *test->is.mode == '~' &&
		    fm_import_path_of(im, text, &is, &exact) &&
		    (exact || im->well_formed)) {
			if (!exact)
				fm_import_note(im, FM_NOTE_PATH,
				    "GET http://host/?a%.*s HTTP/1.1",
				    FM_ARG(is.v[0]));
			test->subject = "path";
			test->is = is;
		}
		if (!lowered && *test->is.mode == '~')
			around = test_around(im, subject, text);
		if (around != NULL)
			return (around);
	}
	im->seen.regexes |= *test->is.mode == '~';
	if (lowered && !test_either_case(im, test, regex))
		return (FM_REFUSE(im, &right->at, "rules compare what was "
		    "made lower case with plain texts in lower case"));
	if (!empty || strcmp(subject, "url") == 0 ||
	    strcmp(subject, "method") == 0 || strcmp(subject, "status") == 0)
		return (test);
	return (test_both(im, FM_IMPORT_OR,
	    test_present(im, subject, true), test));
}

/*--------------------------------------------------------------------
 * An acl becomes a list of networks, and one of the entries with a `!`
 */

/* Reads an acl, entries with a `!` into `out`.  Returns false if refused. */
static bool
acl_read(struct fm_import *im, const struct fm_expr *expr,
    const struct fm_vdecl *decl, struct fm_plain *in, struct fm_plain *out)
{
	static const struct fm_text local[] = {
		{ "127.0.0.1", 9 }, { "::1", 3 }
	};
	const struct fm_vcl_token *token = im->vcl.tokens + decl->open + 1;
	struct fm_plain *nets = in;
	struct fm_network network;
	struct fm_text text;
	const char *fault;

	for (; token < im->vcl.tokens + decl->close; token++) {
		if (fm_text_is(token->text, "!") ||
		    fm_text_is(token->text, ";")) {
			nets = *token->text.b == '!' ? out : in;
			continue;
		}
		text = token->kind == FM_VCL_STRING ? token->value :
		    token->text;
		if (fm_text_is(token[1].text, "/")) {
			text = fm_import_text(im, "%.*s/%.*s", FM_ARG(text),
			    FM_ARG(token[2].text));
			token += 2;
		}
		if (fm_text_is_nocase(text, "localhost")) {
			fm_import_note(im, FM_NOTE_ACL, "a client of another "
			    "address that this machine calls localhost");
			fm_import_plain_add(im, nets, local, 2);
			continue;
		}
		fault = fm_network_parse(text, &network);
		if (fault != NULL)
			return (fm_import_refuse(im, &expr->at, "rules have no "
			    "such acl: '%.*s' of %s:%u %s", FM_ARG(text),
			    token->at.name, token->at.line, fault));
		fm_import_plain_add(im, nets, &text, 1);
	}
	return (in->n > 0 ||
	    fm_import_refuse(im, &expr->at, "an acl without addresses"));
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

const char *
fm_import_free_name(struct fm_import *im, const char *name)
{
	const char *tried = name;
	unsigned n;

	/* A list has the name of its acl. */
	for (n = 2; fm_vcl_find(&im->vcl, "acl", fm_text_of(tried)) != NULL;
	    n++)
		tried = fm_import_printf(im, "%s-%u", name, n);
	return (tried);
}

/* Defines a list of networks, and returns the test of it. */
static struct fm_import_test *
list_test(struct fm_import *im, const char *subject, const char *name,
    const struct fm_plain *nets)
{
	fm_import_need(im, NULL, fm_import_printf(im, "list %s in {%s }\n",
	    fm_import_word(im, fm_text_of(name)), fm_import_words(im, nets)));
	return (test_new(im, subject, "in", fm_text_of(name)));
}

/*
 * Returns the subject of a test: for client.ip, or for std.ip(HEADER, ADDRESS)
 * with an address that is not in the acl.
 */
static const char *
acl_subject(struct fm_import *im, const struct fm_plain *in,
    const struct fm_expr *expr)
{
	const struct fm_expr *name = expr->first;
	struct fm_text header;

	if (fm_expr_is(expr, "client.ip"))
		return ("client");
	header = fm_header_of(name->text);
	if (name->kind != FM_EXPR_NAME || header.b == NULL ||
	    may_be_inside(&(struct fm_plain){ .v = &name->next->text, .n = 1 },
	    in))
		return (FM_REFUSE(im, &expr->at, "the ACL may have the second "
		    "address of std.ip(), and rules test the header alone"));
	return (fm_import_header(im, header));
}

/* Returns the test for `client.ip ~ ACL` or `std.ip(X, ...) ~ ACL`. */
static struct fm_import_test *
test_acl(struct fm_import *im, const struct fm_expr *left)
{
	const struct fm_expr *expr = left->next;
	struct fm_vdecl *decl = expr->kind != FM_EXPR_NAME ? NULL :
	    fm_vcl_find(&im->vcl, "acl", expr->text);
	struct fm_plain in = { .n = 0 }, out = { .n = 0 };
	const char *subject, *name;
	struct fm_import_test *test, *not;

	if (decl == NULL || !fm_token_is(&im->vcl, decl->open, "{"))
		return (FM_REFUSE(im, &expr->at, "rules have no such acl: they "
		    "take addresses and networks, and no options"));
	if (!acl_read(im, expr, decl, &in, &out) ||
	    (subject = acl_subject(im, &in, left)) == NULL)
		return (NULL);
	if (may_be_inside(&in, &out))
		return (FM_REFUSE(im,
		    &expr->at, "rules have no such acl: what a "
		    "`!` takes out has a network in it that is in"));
	name = fm_import_printf(im, "%.*s", FM_ARG(expr->text));
	test = list_test(im, subject, name, &in);
	if (out.n == 0)
		return (test);
	not = list_test(im, subject, fm_import_free_name(im,
	    fm_import_printf(im, "%s-not", name)), &out);
	not->negated = true;
	return (test_both(im, FM_IMPORT_AND, test, not));
}

/*--------------------------------------------------------------------
 * Any comparison
 */

/* Returns `restarts over N`, or `under N`. */
static struct fm_import_test *
test_than(struct fm_import *im, const char *mode, unsigned long number)
{
	return (test_new(im, "restarts", mode, fm_text_of(
	    fm_import_printf(im, "%lu", number))));
}

/* Makes a test of a comparison of req.restarts with a number. */
static struct fm_import_test *
test_restarts(struct fm_import *im, const struct fm_expr *expr)
{
	struct fm_import_test *test;
	struct fm_text sign = expr->text;
	unsigned long number;
	char *end;

	number = strtoul(expr->first->next->text.b, &end, 10);
	if (number > RESTARTS_MAX || end != expr->first->next->text.b +
	    expr->first->next->text.len)
		return (FM_REFUSE(im, &expr->at, "rules have no such number "
		    "of restarts"));
	if (*sign.b == '<' || *sign.b == '>') {
		/* a <= b is not a > b */
		test = test_than(im, (*sign.b == '>') == (sign.len == 1) ?
		    "over" : "under", number);
		test->negated = sign.len > 1;
		return (test);
	}
	test = test_than(im, "under", number + 1);
	if (number > 0)
		test = test_both(im, FM_IMPORT_AND, test_than(im, "over",
		    number - 1), test);
	test->negated = *sign.b == '!';
	return (test);
}

static struct fm_import_test *
test_compare(struct fm_import *im, const struct fm_expr *expr)
{
	const struct fm_expr *left = expr->first;
	bool regex = expr->text.b[expr->text.len - 1] == '~';
	struct fm_import_test *test;

	if (im->phase != FM_IN_RECV && !regex &&
	    fm_import_number(im, expr, &test))
		return (test);
	if (im->phase != FM_IN_RECV && fm_expr_calls(left, "std.ip", 2))
		return (FM_REFUSE(im, &left->at, "rules have no std.ip() "
		    "here"));
	if (!regex && fm_expr_is(left, "req.restarts") &&
	    left->next->kind == FM_EXPR_NUMBER)
		return (test_restarts(im, expr));
	if (!regex && !fm_text_is(expr->text, "==") &&
	    !fm_text_is(expr->text, "!="))
		return (FM_REFUSE(im, &expr->at,
		    "rules compare texts, not numbers"));
	if (regex && (fm_expr_is(left, "client.ip") ||
	    fm_expr_calls(left, "std.ip", 2)))
		test = test_acl(im, left);
	else
		test = test_text(im, left, regex);
	if (test != NULL)
		test->negated ^= *expr->text.b == '!';
	return (test);
}

/*--------------------------------------------------------------------
 * Tests that are alike are joined
 */

/*
 * Joins `X is a or X is b`, or `not X is a and not X is b`, into one test with
 * both operands.  The regexes (?i)a and (?i)b become (?i)a|b.  Returns false if
 * the tests aren't alike.
 */
static bool
tests_join(struct fm_import *im, enum fm_import_test_kind kind,
    struct fm_import_test *a, const struct fm_import_test *b)
{
	/* `in` takes one list, `over` and `under` one number. */
	if (a->kind != FM_IMPORT_TEST || b->kind != FM_IMPORT_TEST ||
	    strcmp(a->is.mode, "in") == 0 ||
	    strcmp(a->subject, "restarts") == 0 ||
	    a->negated != (kind == FM_IMPORT_AND) ||
	    a->negated != b->negated || a->is.nocase != b->is.nocase ||
	    strcmp(a->is.mode, b->is.mode) != 0 ||
	    strcmp(a->subject, b->subject) != 0)
		return (false);
	fm_import_plain_add(im, &a->is, b->is.v, b->is.n);
	if (a->is.nocase)
		a->is.regex = fm_import_text(im, "%.*s|%.*s",
		    FM_ARG(a->is.regex), (int)b->is.regex.len - 4,
		    b->is.regex.b + 4);
	return (true);
}

/* `status begins 4 5 and status begins 1 2 3 4` is `status begins 4`. */
static bool
tests_meet(struct fm_import_test *a, const struct fm_import_test *b)
{
	size_t i, j, n = 0;

	if (a->kind != FM_IMPORT_TEST || b->kind != FM_IMPORT_TEST ||
	    a->negated || b->negated || strcmp(a->subject, "status") != 0 ||
	    strcmp(b->subject, "status") != 0 ||
	    strcmp(a->is.mode, "begins") != 0 ||
	    strcmp(b->is.mode, "begins") != 0)
		return (false);
	for (i = 0; i < a->is.n; i++)
		for (j = 0; j < b->is.n; j++)
			n += fm_text_eq(a->is.v[i], b->is.v[j]);
	if (n == 0)
		return (false);
	for (i = n = 0; i < a->is.n; i++)
		for (j = 0; j < b->is.n; j++)
			if (fm_text_eq(a->is.v[i], b->is.v[j])) {
				a->is.v[n++] = a->is.v[i];
				break;
			}
	a->is.n = n;
	return (true);
}

static void
chain_add(struct fm_import *im, struct fm_import_test *chain,
    struct fm_import_test *test)
{
	struct fm_import_test **p;

	for (p = &chain->first; *p != NULL; p = &(*p)->next)
		if (tests_join(im, chain->kind, *p, test) ||
		    (chain->kind == FM_IMPORT_AND && tests_meet(*p, test)))
			return;
	*p = test;
}

/*
 * Returns true for a part that makes no difference, as the header was set just
 * now: `!X` in `!X || X == ""`, `X` in `X && X != ""`.
 */
static bool
is_idle(const struct fm_import *im, enum fm_import_test_kind kind,
    const struct fm_expr *part)
{
	if (im->emptied == NULL)
		return (false);
	return (kind == FM_IMPORT_AND ? fm_expr_is(part, im->emptied) :
	    part->kind == FM_EXPR_NOT && fm_expr_is(part->first, im->emptied));
}

static struct fm_import_test *
test_chain(struct fm_import *im, const struct fm_expr *expr)
{
	struct fm_import_test *chain = fm_import_alloc(im, sizeof *chain);
	struct fm_import_test *test, *next;
	const struct fm_expr *part;

	chain->kind = expr->kind == FM_EXPR_OR ? FM_IMPORT_OR : FM_IMPORT_AND;
	for (part = expr->first; part != NULL; part = part->next) {
		if (is_idle(im, chain->kind, part))
			continue;
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
	if (chain->first == NULL)
		return (FM_REFUSE(im, &expr->at, "VCL has just set %s, so that "
		    "it is there", im->emptied));
	return (chain->first->next == NULL ? chain->first : chain);
}

struct fm_import_test *
fm_import_cond(struct fm_import *im, const struct fm_expr *expr)
{
	struct fm_import_test *test;
	const char *subject;

	switch (expr->kind) {
	case FM_EXPR_OR:
	case FM_EXPR_AND:
		return (test_chain(im, expr));
	case FM_EXPR_NOT:
		test = fm_import_cond(im, expr->first);
		if (test != NULL)
			test->negated = !test->negated;
		return (test);
	case FM_EXPR_COMPARE:
		return (test_compare(im, expr));
	case FM_EXPR_NAME:
	case FM_EXPR_CALL:
		if (im->emptied != NULL && fm_expr_is(expr, im->emptied))
			return (FM_REFUSE(im, &expr->at, "VCL has just set "
			    "%.*s, so that it is there", FM_ARG(expr->text)));
		test = fm_import_flag(im, expr);
		if (test != NULL)
			return (test);
		subject = subject_of(im, expr);
		return (subject == NULL ? NULL :
		    test_present(im, subject, false));
	default:
		return (FM_REFUSE(im, &expr->at,
		    "rules have no such condition"));
	}
}

/*--------------------------------------------------------------------
 * The text of a condition
 */

const char *
fm_import_cond_text(struct fm_import *im, const struct fm_import_test *test,
    enum fm_import_test_kind inside)
{
	const struct fm_import_test *part;
	bool nested = inside > test->kind || test->negated;
	const char *text = "", *not = test->negated ? "not " : "";

	if (test->kind == FM_IMPORT_TEST)
		return (fm_import_printf(im, "%s%s%s %s%s", not, test->subject,
		    test->is.nocase ? " nocase" : "", test->is.mode,
		    fm_import_words(im, &test->is)));
	for (part = test->first; part != NULL; part = part->next) {
		if (part != test->first)
			text = fm_import_printf(im, "%s\n%s ", text,
			    test->kind == FM_IMPORT_OR ? "or" : "and");
		text = fm_import_printf(im, "%s%s", text,
		    fm_import_cond_text(im, part, test->kind));
	}
	/* `not` binds tighter than `and`, and that than `or`. */
	return (nested ? fm_import_printf(im, "%s(%s)", not, text) : text);
}
