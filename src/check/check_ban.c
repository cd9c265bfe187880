/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks the tests of a `ban`: their fields, their operators, and where in a
 * regex values may stand.  What is right here, BAN_AddTest() of Varnish takes.
 */

#include <stdio.h>
#include <stdlib.h>

#include "bounds.h"
#include "check_priv.h"
#include "quote.h"
#include "regex.h"

/* Checks the field of a test.  Returns its row, or NULL after an error. */
static const struct fm_ban_row *
field_check(struct fm_check *check, const struct fm_word *field)
{
	const struct fm_ban_row *row = fm_ban_row(field->text);
	struct fm_text name = field->text;

	if (row == NULL && (fm_text_begins(field->text, "req.") ||
	    fm_text_eq(field->text, fm_text_of("url")))) {
		fm_check_word_error(check, field, FM_MSG_BAN_REQUEST);
	} else if (row == NULL) {
		fm_check_word_error(check, field, FM_MSG_BAN_FIELD);
	} else if (row == &fm_bans[0]) {
		name = fm_text(name.b + strlen(row->name),
		    name.len - strlen(row->name));
		/* BAN_AddTest() asserts that a name is not longer. */
		if (name.len > FM_LIMIT_HEADER_NAME)
			fm_check_error(check, &field->at, FM_MSG_HEADER_LONG,
			    name.len, FM_LIMIT_HEADER_NAME);
		else if (!fm_text_is_token(name, ""))
			fm_check_error(check, &field->at, FM_MSG_HEADER_NAME,
			    FM_SHOW(name));
	}
	return (row);
}

static bool
is_regex(const struct fm_ban_test *test)
{
	return (fm_text_is_among(test->oper->text, "~ !~"));
}

static void
operator_check(struct fm_check *check, const struct fm_ban_row *row,
    const struct fm_ban_test *test)
{
	if (!fm_text_is_among(test->oper->text, row->duration ?
	    "== != < <= > >=" : "== != ~ !~"))
		fm_check_error(check, &test->oper->at, FM_MSG_BAN_OPERATOR,
		    FM_SHOW(test->field->text), FM_SHOW(test->oper->text),
		    row->duration ? "==, !=, <, <=, > or >=" :
		    "==, !=, ~ or !~");
}

/*--------------------------------------------------------------------
 * Regexes
 */

static bool
has_variables(const struct fm_value *value)
{
	const struct fm_part *part = value->parts;

	while (part != NULL && part->kind == FM_PART_TEXT)
		part = part->next;
	return (part != NULL);
}

/*
 * Finds out how each variable stands in a regex, and writes the regex with a
 * letter for each.  Returns false, with an error, if one can't stand there.
 */
static bool
places_check(struct fm_check *check, struct fm_value *value, FILE *regex)
{
	struct fm_quote_reader reader = { .escaped = false };
	struct fm_text next;
	struct fm_part *part;
	bool good = true;

	for (part = value->parts; part != NULL; part = part->next) {
		if (part->kind == FM_PART_TEXT) {
			fm_quote_read(&reader, part->text);
			(void)fwrite(part->text.b, 1, part->text.len, regex);
			continue;
		}
		next = part->next == NULL || part->next->kind !=
		    FM_PART_TEXT ? fm_text("", 0) : part->next->text;
		switch (fm_quote_place(&reader, next)) {
		case FM_QUOTE_NOT:
			fm_check_error(check, &part->at, FM_MSG_BAN_PLACE);
			good = false;
			break;
		case FM_QUOTE_GROUP:
			part->grouped = true;
			/* FALLTHROUGH */
		case FM_QUOTE_ALONE:
			break;
		}
		(void)fputs(part->grouped ? "(?:x)" : "x", regex);
	}
	return (good);
}

/* Checks a regex that has variables. */
static void
variable_check(struct fm_check *check, struct fm_value *value)
{
	char error[FM_REGEX_ERROR_LEN] = "";
	struct fm_regex *re = NULL;
	size_t len, offset;
	bool good;
	char *b;
	FILE *regex = open_memstream(&b, &len);

	if (regex == NULL) {
		fm_diag_no_memory(check->diag);
		return;
	}
	good = places_check(check, value, regex);
	if (fclose(regex) != 0)
		fm_diag_no_memory(check->diag);
	else if (good)
		re = fm_regex_new(fm_text(b, len), false, error, &offset);
	if (*error != '\0')
		fm_check_error(check, &value->at, FM_MSG_BAN_REGEX,
		    FM_SHOW(value->raw), error);
	else if (re != NULL)
		fm_regex_free(&re);
	free(b);
}

static void
regex_check(struct fm_check *check, struct fm_value *value)
{
	struct fm_word word = { .text = value->raw, .at = value->at,
	    .quoted = value->quoted };

	if (fm_text_begins(value->raw, "(*"))
		fm_check_error(check, &value->at, FM_MSG_BAN_VERB);
	else if (has_variables(value))
		variable_check(check, value);
	else
		(void)fm_check_regex(check, &word, false, false);
}

/*--------------------------------------------------------------------
 * Arguments
 */

static void
argument_check(struct fm_check *check, const struct fm_ban_row *row,
    struct fm_ban_test *test)
{
	struct fm_value *value = test->argument;
	struct fm_word word = { .text = value->raw, .at = value->at };

	if (value->map != NULL) {
		fm_check_error(check, &value->at, FM_MSG_BAN_MAP,
		    FM_SHOW(value->map->text));
		/* This marks the map as used. */
		(void)fm_check_find(check, &check->maps, value->map);
		return;
	}
	if (is_regex(test))
		fm_check_value_regex(check, value);
	else
		fm_check_value(check, value);
	if (row->duration)
		(void)fm_check_duration(check, &word);
	else if (is_regex(test))
		regex_check(check, value);
	else if (row != &fm_bans[0] && !has_variables(value) &&
	    (value->raw.len != 3 ||
	    strspn(value->raw.b, "0123456789") != 3))
		fm_check_error(check, &value->at, FM_MSG_BAN_STATUS,
		    FM_SHOW(value->raw));
}

void
fm_check_ban(struct fm_check *check, struct fm_stmt *stmt)
{
	struct fm_ban_test *test = stmt->ban.tests;
	const struct fm_ban_row *row;

	for (; test != NULL && test->argument != NULL; test = test->next) {
		row = field_check(check, test->field);
		if (row == NULL)
			continue;
		operator_check(check, row, test);
		argument_check(check, row, test);
	}
}
