/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Translates names of VCL in the subs that have a phase in rules: variables,
 * as subjects of tests and as values, and comparisons with numbers.
 *
 *	vcl_backend_response		response
 *
 *	beresp.http.X			header X
 *	bereq.http.X			request header X
 *	beresp.status >= 500		status begins 5
 *	beresp.ttl <= 0s		not ttl over 0s
 */

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "import.h"

#define BIT(phase)	(1U << FM_IN_##phase)
#define ASKED		(BIT(DELIVER) | BIT(SYNTH))
#define BACKEND		(BIT(FETCH) | BIT(RESPONSE))

const struct fm_import_phase_is fm_import_phases[FM_IN__COUNT] = {
	[FM_IN_RECV] = { "vcl_recv", "", "req.http.", NULL },
	[FM_IN_HASH] = { "vcl_hash", "key", "req.http.", NULL },
	[FM_IN_FETCH] = { "vcl_backend_fetch", "fetch", "bereq.http.", NULL },
	[FM_IN_RESPONSE] = { "vcl_backend_response", "response",
	    "beresp.http.", "bereq.http." },
	[FM_IN_DELIVER] = { "vcl_deliver", "delivery", "resp.http.",
	    "req.http." },
	[FM_IN_SYNTH] = { "vcl_synth", "delivery", "resp.http.", "req.http." }
};

/* A variable of VCL as rules have it, in some phases. */
struct variable {
	const char	*name;
	const char	*subject, *value;	/* NULL: rules have none */
	unsigned	in;			/* bits of phases */
};

static const struct variable variables[] = {
	{ "bereq.url", "url", "${url}", BACKEND },
	{ "req.url", "url", "${url}", BIT(HASH) | ASKED },
	{ "bereq.method", "method", "${method}", BIT(RESPONSE) },
	{ "req.method", "method", "${method}", BIT(HASH) | ASKED },
	{ "client.ip", "client", "${client}", BIT(HASH) | ASKED },
	{ "req.http.User-Agent", "agent", NULL, BIT(HASH) | ASKED },
	{ "bereq.http.User-Agent", "agent", NULL, BIT(RESPONSE) },
	{ "beresp.status", "status", "${status}", BIT(RESPONSE) },
	{ "resp.status", "status", "${status}", ASKED },
	{ "beresp.ttl", "ttl", NULL, BIT(RESPONSE) },
	{ "obj.ttl", "ttl", NULL, BIT(DELIVER) },
	{ "obj.hits", NULL, "${hits}", BIT(DELIVER) }
};

static struct fm_text
after(struct fm_text name, const char *before)
{
	size_t len = before == NULL ? 0 : strlen(before);

	if (len == 0 || name.len <= len ||
	    strncasecmp(name.b, before, len) != 0)
		return (fm_text(NULL, 0));
	return (fm_text(name.b + len, name.len - len));
}

struct fm_text
fm_import_own(const struct fm_import *im, struct fm_text name)
{
	return (after(name, fm_import_phases[im->phase].own));
}

struct fm_text
fm_import_asked(const struct fm_import *im, struct fm_text name)
{
	return (after(name, fm_import_phases[im->phase].asked));
}

static const struct variable *
variable_of(const struct fm_import *im, struct fm_text name)
{
	size_t i;

	for (i = 0; i < sizeof variables / sizeof *variables; i++)
		if ((variables[i].in & 1U << im->phase) != 0 &&
		    fm_text_is_nocase(name, variables[i].name))
			return (&variables[i]);
	return (NULL);
}

/*
 * Returns true for the Host of the request, if that is as good as the host that
 * was asked for: nothing sets another, and spellings don't matter.
 */
static bool
is_host(struct fm_import *im, struct fm_text header)
{
	if (!fm_text_is_nocase(header, "Host") || !im->well_formed ||
	    fm_import_sets_host(im))
		return (false);
	fm_import_note(im, FM_NOTE_HOST, "Host: www.Example.com.");
	return (true);
}

const char *
fm_import_subject(struct fm_import *im, const struct fm_expr *expr)
{
	const struct variable *variable = variable_of(im, expr->text);
	struct fm_text own = fm_import_own(im, expr->text);
	struct fm_text asked = fm_import_asked(im, expr->text);
	struct fm_text host = own.b != NULL && im->phase == FM_IN_HASH ? own :
	    asked;
	bool request = im->phase == FM_IN_HASH || im->phase == FM_IN_FETCH;

	if (expr->kind == FM_EXPR_NAME && variable != NULL &&
	    variable->subject != NULL)
		return (variable->subject);
	if (expr->kind != FM_EXPR_NAME ||
	    (own.b == NULL && asked.b == NULL))
		return (FM_REFUSE(im, &expr->at, "rules have no '%.*s%s' to "
		    "test here", FM_ARG(expr->text),
		    expr->kind == FM_EXPR_CALL ? "()" : ""));
	if (is_host(im, host))
		return ("host");
	im->seen.joins |= (request && fm_import_joins(own)) ||
	    (asked.b != NULL && fm_import_joins(asked));
	return (own.b != NULL ?
	    fm_import_printf(im, "header %s", fm_import_word(im, own)) :
	    fm_import_printf(im, "request header %s",
	    fm_import_word(im, asked)));
}

const char *
fm_import_variable(struct fm_import *im, struct fm_text name, bool *firm)
{
	const struct variable *variable = variable_of(im, name);
	struct fm_text own = fm_import_own(im, name);
	struct fm_text asked = fm_import_asked(im, name);

	*firm = variable != NULL && variable->value != NULL;
	if (*firm)
		return (variable->value);
	/* In a pass rules set none, so VCL has to set it, too. */
	if (fm_text_is(name, "beresp.ttl") && im->uncached)
		im->ttl_asked = true;
	if (is_host(im, asked) || (im->phase == FM_IN_HASH &&
	    is_host(im, own))) {
		*firm = true;
		return ("${host}");
	}
	if (own.b != NULL)
		return (fm_import_printf(im, "${header.%.*s}", FM_ARG(own)));
	if (asked.b != NULL)
		return (fm_import_printf(im, "${request.header.%.*s}",
		    FM_ARG(asked)));
	return (NULL);
}

/*--------------------------------------------------------------------
 * Comparisons with numbers
 */

const char *
fm_import_duration(struct fm_import *im, const struct fm_expr *expr)
{
	static const char * const units[] = { "ms", "s", "m", "h", "d", "w",
	    "y", NULL };
	const struct fm_expr *unit;

	if (expr->kind != FM_EXPR_CONCAT ||
	    expr->first->kind != FM_EXPR_NUMBER)
		return (NULL);
	unit = expr->first->next;
	if (unit == NULL || unit->next != NULL ||
	    unit->kind != FM_EXPR_NAME ||
	    !fm_text_is_one_of(unit->text, units))
		return (NULL);
	return (fm_import_printf(im, "%.*s%.*s", FM_ARG(expr->first->text),
	    FM_ARG(unit->text)));
}

bool
fm_import_is_zero(const char *duration)
{
	return (strtod(duration, NULL) == 0);
}

/* Returns the test `SUBJECT MODE OPERAND`, or `not` that. */
static struct fm_import_test *
test_of(struct fm_import *im, const char *subject, const char *mode,
    const char *operand, bool negated)
{
	struct fm_import_test *test = fm_import_alloc(im, sizeof *test);
	struct fm_text text = fm_text_of(operand);

	test->kind = FM_IMPORT_TEST;
	test->subject = subject;
	test->is.mode = mode;
	test->negated = negated;
	fm_import_plain_add(im, &test->is, &text, 1);
	return (test);
}

/* Returns the test of a status of the hundreds `from` to `to`. */
static struct fm_import_test *
test_hundreds(struct fm_import *im, unsigned from, unsigned to)
{
	struct fm_import_test *test = test_of(im, "status", "begins",
	    fm_import_printf(im, "%u", from), false);
	struct fm_text digit;

	for (from++; from <= to; from++) {
		digit = fm_import_text(im, "%u", from);
		fm_import_plain_add(im, &test->is, &digit, 1);
	}
	return (test);
}

/* beresp.status >= 500 */
static struct fm_import_test *
test_status(struct fm_import *im, const struct fm_expr *expr)
{
	const struct fm_expr *number = expr->first->next;
	unsigned n = (unsigned)strtoul(number->text.b, NULL, 10);
	unsigned last = im->well_formed ? 5 : 9;
	struct fm_text sign = expr->text;
	bool above = *sign.b == '>';

	if (*sign.b == '=' || *sign.b == '!')
		return (test_of(im, "status", "is", fm_import_printf(im, "%u",
		    n), *sign.b == '!'));
	/* > 499 is >= 500, and <= 499 is < 500. */
	n += above == (sign.len == 1);
	if (n % 100 != 0 || n < 200 || n / 100 > last + !above)
		return (FM_REFUSE(im, &expr->at, "rules compare a status by "
		    "its first digits: is, begins"));
	if (im->well_formed && above)
		fm_import_note(im, FM_NOTE_STATUS, "a status of 600");
	return (above ? test_hundreds(im, n / 100, last) :
	    test_hundreds(im, 1, n / 100 - 1));
}

/* beresp.ttl <= 0s */
static struct fm_import_test *
test_ttl(struct fm_import *im, const struct fm_expr *expr)
{
	const char *duration = fm_import_duration(im, expr->first->next);
	struct fm_text sign = expr->text;

	if (duration == NULL || (*sign.b != '<' && *sign.b != '>'))
		return (FM_REFUSE(im, &expr->at, "rules compare a ttl with a "
		    "duration, by over and under"));
	if (im->uncached) {
		im->ttl_asked = true;
		return (FM_REFUSE(im, &expr->at, "the ttl may have "
		    "been set by here, and rules set none in a pass"));
	}
	/* a <= b is not a > b */
	return (test_of(im, "ttl", (*sign.b == '>') == (sign.len == 1) ?
	    "over" : "under", duration, sign.len > 1));
}

/* obj.hits > 0, bereq.retries == 0: whether a number is above zero. */
static struct fm_import_test *
test_above(struct fm_import *im, const struct fm_expr *expr,
    const char *subject, const char *word)
{
	struct fm_text number = expr->first->next->text;
	bool zero = fm_text_is(number, "0"), one = fm_text_is(number, "1");
	struct fm_text sign = expr->text;

	if ((zero && (fm_text_is(sign, ">") || fm_text_is(sign, "!="))) ||
	    (one && fm_text_is(sign, ">=")))
		return (test_of(im, subject, "is", word, false));
	if ((zero && (fm_text_is(sign, "==") || fm_text_is(sign, "<="))) ||
	    (one && fm_text_is(sign, "<")))
		return (test_of(im, subject, "is", word, true));
	return (FM_REFUSE(im, &expr->at, "rules only ask if %.*s is above 0",
	    FM_ARG(expr->first->text)));
}

/* std.integer(beresp.http.Content-Length, 0) > 10000000 */
static struct fm_import_test *
test_size(struct fm_import *im, const struct fm_expr *expr)
{
	const struct fm_expr *header = expr->first->first;

	/* Without a Content-Length the test of rules is false. */
	if (!fm_text_is_nocase(fm_import_own(im, header->text),
	    "Content-Length") || !fm_text_is(header->next->text, "0") ||
	    !fm_text_is(expr->text, ">"))
		return (FM_REFUSE(im, &expr->at, "rules compare numbers of "
		    "Content-Length only, by over"));
	return (test_of(im, "size", "over", fm_import_printf(im, "%.*s",
	    FM_ARG(expr->first->next->text)), false));
}

bool
fm_import_number(struct fm_import *im, const struct fm_expr *expr,
    struct fm_import_test **test)
{
	const struct fm_expr *left = expr->first;
	const struct variable *variable = left->kind != FM_EXPR_NAME ? NULL :
	    variable_of(im, left->text);
	const char *subject = variable == NULL || variable->subject == NULL ?
	    "" : variable->subject;
	bool ttl = strcmp(subject, "ttl") == 0;

	*test = NULL;
	if (!ttl && left->next->kind != FM_EXPR_NUMBER)
		return (false);
	if (ttl)
		*test = test_ttl(im, expr);
	else if (strcmp(subject, "status") == 0)
		*test = test_status(im, expr);
	else if (im->phase == FM_IN_DELIVER && fm_expr_is(left, "obj.hits"))
		*test = test_above(im, expr, "cache", "hit");
	else if ((1U << im->phase & BACKEND) != 0 &&
	    fm_expr_is(left, "bereq.retries"))
		*test = test_above(im, expr, "fetch", "retry");
	else if (im->phase >= FM_IN_RESPONSE &&
	    fm_expr_calls(left, "std.integer", 2))
		*test = test_size(im, expr);
	else
		return (false);
	return (true);
}

struct fm_import_test *
fm_import_flag(struct fm_import *im, const struct fm_expr *expr)
{
	bool backend = (1U << im->phase & BACKEND) != 0;

	if (backend && fm_expr_is(expr, "bereq.is_bgfetch"))
		return (test_of(im, "fetch", "is", "background", false));
	if (backend && fm_expr_is(expr, "bereq.uncacheable"))
		return (test_of(im, "fetch", "is", "pass", false));
	if (im->phase == FM_IN_DELIVER && fm_expr_is(expr, "obj.uncacheable"))
		return (test_of(im, "cache", "is", "pass", false));
	return (NULL);
}
