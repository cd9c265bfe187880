/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds values that grow where a block runs again on what it has made before:
 * `response` after a 304, and `fetch` in a retry.
 */

#include <string.h>

#include "caps.h"
#include "check_priv.h"
#include "regex.h"

/* A value that is made for a sample, with room for its end. */
struct made {
	char			b[256];
	size_t			len;
};

static struct fm_text
made_text(const struct made *made)
{
	return (fm_text(made->b, made->len));
}

/* When the block runs again, and where the statement belongs. */
static const char *
again(const struct fm_check *check)
{
	return (check->phase == FM_PHASE_FETCH ?
	    "in each retry: write this in the rules for requests" :
	    "after each 304: write this in delivery { }");
}

/* Reports a value that reads the header that it sets. */
static void
reads_itself(struct fm_check *check, struct fm_text header,
    const struct fm_place *at)
{
	fm_check_error(check, at, FM_MSG_TWICE_MADE, FM_SHOW(header),
	    again(check));
}

/* Reports each part of a value that reads the header. */
static void
parts_check(struct fm_check *check, const struct fm_word *header,
    const struct fm_value *value)
{
	const struct fm_part *part;

	part = value == NULL ? NULL : value->parts;
	for (; part != NULL; part = part->next)
		if (part->kind == FM_PART_HEADER &&
		    fm_text_eq_nocase(part->text, header->text))
			reads_itself(check, header->text, &part->at);
}

/*--------------------------------------------------------------------
 * Groups of a regex that has looked at the header
 */

/*
 * Makes a value, in which `sample` is all that is not known: groups[0], and
 * groups[n] for ${n}.  Returns false if there is no room.
 */
static bool
make(struct made *to, const struct fm_value *value, struct fm_text sample,
    const struct fm_text groups[FM_REGEX_GROUPS])
{
	const struct fm_part *part;
	struct fm_text text;

	to->len = 0;
	for (part = value->parts; part != NULL; part = part->next) {
		text = sample;
		if (part->kind == FM_PART_TEXT)
			text = part->text;
		else if (part->kind == FM_PART_GROUP)
			text = fm_text_or_empty(groups[part->group]);
		if (text.len > sizeof to->b - to->len)
			return (false);
		memcpy(to->b + to->len, text.b, text.len);
		to->len += text.len;
	}
	return (true);
}

/*
 * Returns true if the value of a sample is another one each time that it is
 * made: `header X ~ "^(.*)$"` and "${1}+" make x+, then x++, then x+++.
 */
static bool
grows(const struct fm_value *value, struct fm_text regex, struct made made[3])
{
	static const char samples[][3] = { "x", "1", "/x" };
	struct fm_text groups[FM_REGEX_GROUPS], sample;
	struct fm_tally tally = { .scans = 0 };
	char error[FM_REGEX_ERROR_LEN];
	size_t offset, i, n = 0;
	struct fm_regex *re = NULL;

	if (!fm_caps_are_over())
		re = fm_regex_new(regex, false, error, &offset);
	if (re == NULL)
		return (false);
	for (i = 0; i < sizeof samples / sizeof *samples && n < 3; i++) {
		sample = fm_text_of(samples[i]);
		for (n = 0; n < FM_REGEX_GROUPS; n++)
			groups[n] = sample;
		for (n = 0; n < 3; n++)
			if (!make(&made[n], value, sample, groups) ||
			    (n < 2 && !fm_regex_find(re, made_text(&made[n]),
			    0, true, groups, &tally)))
				break;
		if (n == 3 && fm_text_eq(made_text(&made[1]),
		    made_text(&made[2])))
			n = 0;
	}
	fm_regex_free(&re);
	return (n == 3);
}

/* Warns of a value with groups of the header that it sets, if it grows. */
static void
groups_check(struct fm_check *check, const struct fm_word *header,
    const struct fm_value *value)
{
	const struct fm_cond *test = check->scope == NULL ? NULL :
	    check->scope->tests;
	const struct fm_part *part = value->parts;
	struct made made[3];

	while (part != NULL && part->kind != FM_PART_GROUP)
		part = part->next;
	for (; part != NULL && test != NULL; test = test->next)
		if (fm_check_is_grouped(test) &&
		    test->subject.kind == FM_SUBJECT_HEADER &&
		    fm_text_eq_nocase(test->subject.name, header->text) &&
		    grows(value, test->operands.first->text, made)) {
			fm_diag_warning(check->diag, &part->at,
			    FM_MSG_WARN_AGAIN, FM_SHOW(header->text),
			    (int)made[1].len, made[1].b, (int)made[2].len,
			    made[2].b, again(check));
			return;
		}
}

/* Checks a `set` in a block that may run again on what it has made. */
void
fm_check_twice(struct fm_check *check, const struct fm_stmt *stmt)
{
	const struct fm_word *header = stmt->set.header;
	const struct fm_value *value = stmt->set.value;
	const struct fm_line *line;

	parts_check(check, header, value);
	groups_check(check, header, value);
	if (value->map != NULL && value->subject.kind == FM_SUBJECT_HEADER &&
	    fm_text_eq_nocase(value->subject.name, header->text))
		reads_itself(check, header->text, &value->map->at);
	if (value->map_def == NULL)
		return;
	for (line = value->map_def->lines; line != NULL; line = line->next)
		parts_check(check, header, line->value);
	parts_check(check, header, value->map_def->otherwise);
}
