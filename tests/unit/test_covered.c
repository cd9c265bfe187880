/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Entries of random lists that the check says others hide: the others match all
 * that these do.
 */

#include "compiling.h"
#include "pattern.h"

#define ENTRIES		14		/* the diag keeps 50 warnings */
#define LETTERS		"ab"		/* few, so that much is in much */

struct entry {
	enum fm_pattern_kind	mode;
	char			text[8];
};

struct list {
	bool			nocase;
	unsigned		n;
	struct entry		v[ENTRIES];	/* on the lines from 2 on */
};

static const char *words[] = {
	[FM_PATTERN_CONTAINS] = "contains", [FM_PATTERN_EXACT] = "is",
	[FM_PATTERN_PREFIX] = "begins", [FM_PATTERN_SUFFIX] = "ends",
	[FM_PATTERN_GLOB] = "like", [FM_PATTERN_REGEX] = "~",
};

/*--------------------------------------------------------------------
 * The warnings
 */

static void
list_text(const struct list *list, char *out)
{
	unsigned i;

	out += sprintf(out, "list l%s {\n", list->nocase ? " nocase" : "");
	for (i = 0; i < list->n; i++)
		out += sprintf(out, "%s \"%s\";\n", words[list->v[i].mode],
		    list->v[i].text);
	(void)sprintf(out, "}\nalways { when header X in l { pass; } }\n");
}

/*
 * Checks a text, whose entries are on the lines from 2 on, and fills in which
 * line hides each, or is the same; 0 for none.
 */
static void
tell(const char *text, unsigned *by, unsigned n)
{
	struct fm_diag *diag = fm_diag_new();
	struct fm_model *model = unit_parse("t", fm_text_of(text), diag);
	struct fm_diag_message message;
	const char *at;
	unsigned i;

	ck_assert_msg(fm_check(model, NULL, diag), "%s%s", text,
	    fm_diag_line(diag, 0));
	memset(by, 0, n * sizeof *by);
	for (i = 0; fm_diag_message(diag, i, &message); i++) {
		if (strstr(message.text, "changes nothing") == NULL &&
		    strstr(message.text, "appears twice") == NULL)
			continue;
		at = strstr(message.text, " at t:");
		ck_assert_ptr_nonnull(at);
		ck_assert_uint_ge(message.at.line, 2);
		ck_assert_uint_lt(message.at.line - 2, n);
		by[message.at.line - 2] = (unsigned)atoi(at + 6);
	}
	ck_assert_uint_eq(i, fm_diag_warnings(diag));
	fm_model_free(&model);
	fm_diag_free(&diag);
}

/*--------------------------------------------------------------------
 * Lists to try
 */

static void
list_make(struct list *list)
{
	static const enum fm_pattern_kind modes[] = { FM_PATTERN_CONTAINS,
	    FM_PATTERN_EXACT, FM_PATTERN_PREFIX, FM_PATTERN_SUFFIX,
	    FM_PATTERN_GLOB, FM_PATTERN_GLOB };
	const char *letters;
	unsigned i, at, len;
	struct entry *entry;

	memset(list, 0, sizeof *list);
	list->nocase = unit_below(3) == 0;
	list->n = 1 + unit_below(ENTRIES);
	for (i = 0; i < list->n; i++) {
		entry = &list->v[i];
		entry->mode = modes[unit_below(6)];
		letters = list->nocase ? "abAB" : LETTERS;
		if (entry->mode == FM_PATTERN_GLOB)
			letters = "ab*a*b?";
		len = 1 + unit_below(6);
		for (at = 0; at < len; at++)
			entry->text[at] = letters[unit_below(
			    (unsigned)strlen(letters))];
	}
}

static struct fm_pattern *
entry_pattern(const struct list *list, const struct entry *entry)
{
	const struct fm_place place = { .name = "t" };
	struct fm_pattern *pattern = fm_pattern_new(entry->mode,
	    fm_text_of(entry->text), list->nocase, &place, NULL);

	ck_assert_ptr_nonnull(pattern);
	return (pattern);
}

/* Fails unless an entry takes each text of up to eight letters that e takes. */
static void
assert_sound(const struct list *list, const struct entry *entry,
    const struct entry *hides)
{
	struct fm_pattern *pattern = entry_pattern(list, entry);
	struct fm_pattern *by = entry_pattern(list, hides);
	struct fm_tally tally = { .scans = 0 };
	unsigned bits, i, len;
	struct fm_text t;
	char text[8];

	for (len = 0; len <= sizeof text; len++)
		for (bits = 0; bits < 1U << len; bits++) {
			for (i = 0; i < len; i++)
				text[i] = LETTERS[bits >> i & 1];
			t = fm_text(text, len);
			if (fm_pattern_match(pattern, t, &tally) &&
			    !fm_pattern_match(by, t, &tally))
				ck_abort_msg("'%s %s' does not hide '%s %s': "
				    "%.*s", words[hides->mode], hides->text,
				    words[entry->mode], entry->text, (int)len,
				    text);
		}
	fm_pattern_free(&pattern);
	fm_pattern_free(&by);
}

UNIT_TEST(test_covered_entries_match_nothing_that_the_other_does_not)
{
	unsigned i, round, told = 0, by[ENTRIES];
	char text[4096];
	struct list list;

	unit_seed("covered");
	for (round = 0; round < 3000; round++) {
		list_make(&list);
		list_text(&list, text);
		tell(text, by, list.n);
		for (i = 0; i < list.n; i++) {
			if (by[i] != 0)
				assert_sound(&list, &list.v[i],
				    &list.v[by[i] - 2]);
			told += by[i] != 0;
		}
	}
	ck_assert_uint_gt(told, 3000);
}

int
main(void)
{
	return (unit_main("covered", 120));
}
