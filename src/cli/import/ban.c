/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Translates ban() and std.ban().  Their argument is a text, of which Varnish
 * makes words at its blanks when the ban is made:
 *
 *	ban("obj.http.X-Tag == " + req.http.X-Tag + " && obj.age > 1h");
 *
 * Rules have words for fields and operators, and a value stays one text: so a
 * variable must be a whole argument, or a part of one.  In a regex, rules quote
 * it, and VCL doesn't.
 */

#include <string.h>

#include "import.h"

/* A word of the text of a ban, as the parts of a value. */
struct word {
	struct fm_expr		*parts, **last;
	struct word		*next;
};

struct words {
	struct word		*first, *at, **last;	/* at: it may go on */
};

static void
part_add(struct fm_import *im, struct words *words, const struct fm_expr *expr,
    struct fm_text text)
{
	struct word *word = words->at;
	struct fm_expr *part = fm_import_alloc(im, sizeof *part);

	if (word == NULL) {
		word = words->at = *words->last =
		    fm_import_alloc(im, sizeof *word);
		word->last = &word->parts;
		words->last = &word->next;
	}
	*part = *expr;
	part->text = text;
	part->next = NULL;
	*word->last = part;
	word->last = &part->next;
}

/* Adds the words of a text, or of several that stand one after the other. */
static void
words_read(struct fm_import *im, struct words *words,
    const struct fm_expr *expr)
{
	const struct fm_expr *part;
	struct fm_text text = expr->text;
	const char *p, *from, *e = text.b + text.len;

	if (expr->kind == FM_EXPR_CONCAT) {
		for (part = expr->first; part != NULL; part = part->next)
			words_read(im, words, part);
		return;
	}
	if (expr->kind != FM_EXPR_STRING) {
		part_add(im, words, expr, text);
		return;
	}
	for (p = text.b; p < e; p++) {
		for (from = p; p < e && strchr(" \t\r\n", *p) == NULL; p++)
			continue;
		if (p > from)
			part_add(im, words, expr, fm_text_span(from, p));
		if (p < e)
			words->at = NULL;
	}
}

/* Gets the text of a word; false: it has a variable. */
static bool
is_text(struct fm_import *im, const struct word *word, struct fm_text *text)
{
	const struct fm_expr *part;

	*text = fm_text_of("");
	for (part = word->parts; part != NULL; part = part->next) {
		if (part->kind != FM_EXPR_STRING &&
		    part->kind != FM_EXPR_NUMBER)
			return (false);
		*text = fm_import_text(im, "%.*s%.*s", FM_ARG(*text),
		    FM_ARG(part->text));
	}
	return (true);
}

static struct fm_expr
value_of(const struct word *word)
{
	return ((struct fm_expr){ .kind = FM_EXPR_CONCAT,
	    .at = word->parts->at, .first = word->parts });
}

/* A test: FIELD OPERATOR ARGUMENT. */
struct test {
	struct fm_text		field, oper, is;	/* is: a constant */
	const struct word	*argument;
	bool			constant;
};

/* Reads the next test, and the && after it; false: it is not such a test. */
static bool
test_read(struct fm_import *im, const struct word **at, struct test *test)
{
	const struct word *word = *at;
	struct fm_text and;

	if (word == NULL || !is_text(im, word, &test->field) ||
	    word->next == NULL || !is_text(im, word->next, &test->oper) ||
	    word->next->next == NULL)
		return (false);
	test->argument = word->next->next;
	test->constant = is_text(im, test->argument, &test->is);
	*at = word = test->argument->next;
	if (word == NULL)
		return (true);
	*at = word->next;
	return (word->next != NULL && is_text(im, word, &and) &&
	    fm_text_is(and, "&&"));
}

/*--------------------------------------------------------------------
 * Fields of the request
 */

/* Returns true if each request passes a test, as `req.url ~ /`. */
static bool
is_always(struct fm_import *im, const struct test *test)
{
	static const char * const any[] = { ".", ".*", "^.", "^.*", NULL };
	static const char * const slash[] = { "/", "^/", "/.*", "^/.*",
	    NULL };

	if (!test->constant || !fm_text_is(test->field, "req.url") ||
	    !fm_text_is(test->oper, "~"))
		return (false);
	if (fm_text_is_one_of(test->is, any))
		return (true);
	if (!fm_text_is_one_of(test->is, slash))
		return (false);
	fm_import_note(im, FM_NOTE_URL, "OPTIONS * HTTP/1.1");
	return (true);
}

/* Refuses a ban that asks for the request, and says what to store. */
static bool
request_refuse(struct fm_import *im, const struct fm_place *at,
    const struct word *word)
{
	const char *set = "", *ban = "";
	bool host = false, url = false;
	struct test test;

	while (word != NULL && test_read(im, &word, &test)) {
		host |= fm_text_is_nocase(test.field, "req.http.host");
		url |= fm_text_is(test.field, "req.url");
	}
	if (host) {
		set = " set X-Host = \"${host}\";";
		ban = "obj.http.X-Host";
	}
	if (url) {
		set = fm_import_printf(im, "%s set X-Url = \"${url}\";", set);
		ban = host ? "obj.http.X-Host and obj.http.X-Url" :
		    "obj.http.X-Url";
	}
	return (*set == '\0' ? fm_import_refuse(im, at, "the ban lurker has no "
	    "request: store what the ban asks for in a header of the "
	    "response, and ban obj.http.NAME") : fm_import_refuse(im, at,
	    "the ban lurker has no request: write `response {%s }`, and ban "
	    "%s", set, ban));
}

/*--------------------------------------------------------------------
 * Fields of objects
 */

static bool
is_field(struct fm_text field)
{
	static const char * const fields[] = { "obj.status", "obj.ttl",
	    "obj.age", "obj.grace", "obj.keep", NULL };

	return (fm_text_begins(field, "obj.http.") ||
	    fm_text_is_one_of(field, fields));
}

/* Notes what differs if a value has a blank, or is empty; false: refused. */
static bool
parts_note(struct fm_import *im, const struct test *test)
{
	const struct fm_expr *part;
	struct fm_text header;
	bool firm = false;

	for (part = test->argument->parts; part != NULL; part = part->next) {
		header = part->kind == FM_EXPR_NAME ?
		    fm_header_of(part->text) : fm_text_of(NULL);
		firm |= header.b == NULL && part->kind != FM_EXPR_CALL;
		if (header.b != NULL)
			fm_import_note(im, FM_NOTE_BAN, "%.*s: a b",
			    FM_ARG(header));
		else if (part->kind == FM_EXPR_CALL)
			fm_import_note(im, FM_NOTE_BAN, "a value with a blank");
	}
	return (firm || fm_text_is(test->oper, "==") || fm_import_refuse(im,
	    &test->argument->parts->at, "the value may be missing: VCL makes "
	    "no ban then, and rules would ban all that have another"));
}

/* Returns the argument of a test, as rules have it; NULL: refused. */
static const char *
argument_of(struct fm_import *im, const struct test *test)
{
	const struct fm_place *at = &test->argument->parts->at;
	struct fm_expr value = value_of(test->argument);
	const char *text;

	if (fm_text_begins(value.first->text, "\""))
		return (FM_REFUSE(im, at, "rules have no quotes in the text "
		    "of a ban"));
	if (test->constant)
		return (!fm_text_has(test->is, "${") ?
		    fm_import_word(im, test->is) : FM_REFUSE(im, at,
		    "'${' is not a text in rules"));
	text = fm_import_value(im, &value);
	if (text == NULL)
		return (NULL);
	if (fm_text_is(test->oper, "~") || fm_text_is(test->oper, "!~"))
		return (FM_REFUSE(im, at, "the value is a regex here, and a "
		    "text in rules: if a text is meant, write `ban %.*s %.*s "
		    "%s`", FM_ARG(test->field), FM_ARG(test->oper), text));
	return (parts_note(im, test) ? text : NULL);
}

/* Refuses words that are not tests, or that depend on the request. */
static bool
form_refuse(struct fm_import *im, const struct fm_place *at,
    const struct word *word)
{
	struct fm_text text;

	while (word != NULL && is_text(im, word, &text))
		word = word->next;
	return (fm_import_refuse(im, at, word == NULL ? "the ban is not "
	    "`FIELD OPERATOR VALUE`, or several such with && between them" :
	    "what the ban asks for is known only when it is made: rules name "
	    "the field, as `ban obj.http.NAME == \"${header.NAME}\"`"));
}

/* Writes a ban that is made of words; false: refused. */
static bool
words_put(struct fm_import *im, const struct fm_expr *call,
    const struct word *word)
{
	const struct word *all = word;
	const char *before = "ban", *argument;
	struct test test;

	while (word != NULL) {
		if (!test_read(im, &word, &test))
			return (form_refuse(im, &call->at, all));
		if (is_always(im, &test))
			continue;
		if (fm_text_begins(test.field, "req."))
			return (request_refuse(im, &call->at, all));
		if (!is_field(test.field))
			return (fm_import_refuse(im, &call->at, "a ban of "
			    "rules has no field '%.*s'", FM_ARG(test.field)));
		argument = argument_of(im, &test);
		if (argument == NULL)
			return (false);
		fm_import_put(im, "%s %.*s %.*s %s", before,
		    FM_ARG(test.field), FM_ARG(test.oper), argument);
		before = " and";
	}
	/* All that is stored has a status. */
	fm_import_put(im, "%s;\n", strcmp(before, "ban") == 0 ?
	    "ban obj.status ~ ." : "");
	return (true);
}

static bool
is_ban(const struct fm_expr *expr)
{
	return (expr != NULL && (fm_expr_calls(expr, "ban", 1) ||
	    fm_expr_calls(expr, "std.ban", 1)));
}

static bool
ban_put(struct fm_import *im, const struct fm_expr *call)
{
	struct words words = { .last = &words.first };

	if (im->phase != FM_IN_RECV)
		return (fm_import_refuse(im, &call->at,
		    "rules ban where they decide on requests, not here"));
	if (im->vcl.esi)
		fm_import_note(im, FM_NOTE_BAN, "an ESI sub-request");
	words_read(im, &words, call->first);
	if (words.first == NULL)
		return (fm_import_refuse(im, &call->at, "the ban is empty"));
	return (words_put(im, call, words.first));
}

bool
fm_import_is_ban(const struct fm_vstmt *stmt)
{
	const struct fm_expr *cond = stmt->kind != FM_VSTMT_IF ? NULL :
	    stmt->arms->cond;

	if (cond != NULL && cond->kind == FM_EXPR_NOT)
		cond = cond->first;
	return (is_ban(cond) || (stmt->kind == FM_VSTMT_ACTION &&
	    is_ban(stmt->value)));
}

bool
fm_import_ban(struct fm_import *im, const struct fm_vstmt *stmt, bool *good)
{
	if (stmt->kind != FM_VSTMT_ACTION || !is_ban(stmt->value))
		return (false);
	*good = ban_put(im, stmt->value);
	return (true);
}

/*
 * if (std.ban(...)) { A } else { B }, with B for a text that makes no ban:
 * rules have no such branch.
 */
size_t
fm_import_ban_if(struct fm_import *im, const struct fm_vstmt *stmt)
{
	const struct fm_expr *cond = stmt->kind != FM_VSTMT_IF ? NULL :
	    stmt->arms->cond;
	const struct fm_arm *arm = stmt->arms;

	if (cond != NULL && cond->kind == FM_EXPR_NOT) {
		cond = cond->first;
		arm = arm->next;
	}
	if (!is_ban(cond) || (arm != NULL && arm != stmt->arms &&
	    arm->cond != NULL) || !ban_put(im, cond))
		return (0);
	return (arm == NULL || fm_import_stmts(im, arm->body) ? 1 : 0);
}
