/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Diagnostics: how places and messages read, and that they stay bounded.
 */

#include "diag.h"
#include "unit.h"

UNIT_TEST(test_diag_prints_each_kind_of_place)
{
	char buf[FM_PLACE_LEN];
	struct fm_place place = { .name = "hosts.list" };

	ck_assert_ptr_eq(fm_place_print(&place, buf), buf);
	ck_assert_str_eq(buf, "hosts.list");
	place.line = 12;
	ck_assert_str_eq(fm_place_print(&place, buf), "hosts.list:12");
	place.column = 3;
	ck_assert_str_eq(fm_place_print(&place, buf), "hosts.list:12:3");
	place = (struct fm_place){ .name = "sites.add()", .call = 2 };
	ck_assert_str_eq(fm_place_print(&place, buf), "sites.add(), call 2");
	/* a column means nothing without its line */
	place = (struct fm_place){ .name = "x", .column = 3 };
	ck_assert_str_eq(fm_place_print(&place, buf), "x");
}

UNIT_TEST(test_diag_keeps_the_end_and_the_line_of_a_place_too_long)
{
	char name[4096], buf[FM_PLACE_LEN];
	const struct fm_place place = { .name = name, .line = 4294967295U,
	    .column = 4294967295U };
	const char *end = "/site.list:4294967295:4294967295";

	memset(name, 'n', sizeof name);
	strcpy(name + sizeof name - 11, "/site.list");
	ck_assert_ptr_eq(fm_place_print(&place, buf), buf);
	ck_assert_uint_lt(strlen(buf), sizeof buf);
	ck_assert_uint_gt(strlen(buf), sizeof buf - 10);
	ck_assert_str_eq(buf + strlen(buf) - strlen(end), end);
	ck_assert_int_eq(strncmp(buf, "...nnn", 6), 0);
}

UNIT_TEST(test_diag_keeps_an_error_after_any_number_of_warnings)
{
	struct fm_diag *diag = fm_diag_new();
	unsigned i, errors = 0;

	for (i = 0; i < 1000; i++)
		fm_diag_warning(diag, NULL, "warning %u", i);
	fm_diag_error(diag, NULL, "the one that counts");
	for (i = 0; fm_diag_line(diag, i) != NULL; i++)
		errors += strcmp(fm_diag_line(diag, i),
		    "error: the one that counts") == 0;
	ck_assert_uint_eq(errors, 1);
	fm_diag_free(&diag);
}

UNIT_TEST(test_diag_makes_one_line_of_any_bytes)
{
	const struct fm_place place = { .name = "a\nb" };
	struct fm_diag *diag = fm_diag_new();

	fm_diag_error(diag, &place, "x\ny\r\tz\x1b\x7f\xc3\xa4");
	ck_assert_str_eq(fm_diag_line(diag, 0),
	    "a?b: error: x?y??z??\xc3\xa4");
	/* C1 as UTF-8 and as bytes, a turned line, half a character. */
	fm_diag_error(diag, &place, "\xc2\x80\xc2\x9b\xc2\xa0\x9b|\xd8\x9c"
	    "\xe2\x80\x8e\xe2\x80\xa8\xe2\x80\xae\xe2\x81\xa6\xe2\x82\xac"
	    "\xf0\x9f\x98\x80|\xe2\x80");
	ck_assert_str_eq(fm_diag_line(diag, 1), "a?b: error: "
	    "??\xc2\xa0?|?????\xe2\x82\xac\xf0\x9f\x98\x80|??");
	fm_diag_free(&diag);
}

UNIT_TEST(test_diag_cuts_a_message_that_is_too_long)
{
	char text[4096], name[4096];
	const struct fm_place place = { .name = name };
	struct fm_diag *diag = fm_diag_new();
	size_t len;

	memset(text, 't', sizeof text);
	text[sizeof text - 1] = '\0';
	memset(name, 'n', sizeof name);
	name[sizeof name - 1] = '\0';
	fm_diag_error(diag, NULL, "%s", text);
	fm_diag_error(diag, &place, "%s", text);
	len = strlen(fm_diag_line(diag, 0));
	ck_assert_uint_gt(len, 500);
	ck_assert_uint_lt(len, 4096);
	ck_assert_ptr_nonnull(strstr(fm_diag_line(diag, 1), "n: error: tt"));
	ck_assert_uint_lt(strlen(fm_diag_line(diag, 1)), 4096);
	fm_diag_free(&diag);
}

UNIT_TEST(test_diag_counts_on_when_it_keeps_no_more)
{
	struct fm_diag *diag = fm_diag_new();
	unsigned i, kept;

	for (i = 0; i < 50000; i++) {
		fm_diag_error(diag, NULL, "error %u", i);
		fm_diag_warning(diag, NULL, "warning %u", i);
	}
	ck_assert_uint_eq(fm_diag_errors(diag), 50000);
	ck_assert_uint_eq(fm_diag_warnings(diag), 50000);
	for (kept = 0; fm_diag_line(diag, kept) != NULL; kept++)
		continue;
	ck_assert_uint_ge(kept, 20);
	ck_assert_uint_le(kept, 1000);
	ck_assert_str_eq(fm_diag_line(diag, 0), "error: error 0");
	ck_assert_str_eq(fm_diag_line(diag, 19), "warning: warning 9");
	ck_assert_ptr_null(fm_diag_line(diag, kept + 1));
	ck_assert_ptr_null(fm_diag_line(diag, ~0U));
	fm_diag_free(&diag);
}

/* Returns the line at n, or "" past the last. */
static const char *
line(const struct fm_diag *diag, unsigned n)
{
	const char *s = fm_diag_line(diag, n);

	return (s == NULL ? "" : s);
}

UNIT_TEST(test_diag_sorts_files_by_first_mention_after_the_main_one)
{
	static const char * const names[] = { "z", "main", "b", "z", "a",
	    "main", "b" };
	static const char * const sorted[] = { "main", "main", "z", "z", "b",
	    "b", "a" };
	static const char * const mentioned[] = { "z", "z", "main", "main",
	    "b", "b", "a" };
	struct fm_place place = { .line = 1 };
	struct fm_diag *diag = fm_diag_new();
	char want[32], name[32];
	unsigned i;

	for (i = 0; i < 7; i++) {
		/* no place's name need outlive the call */
		(void)strcpy(name, names[i]);
		place.name = name;
		fm_diag_error(diag, &place, "x");
	}
	fm_diag_sort(diag, "main");
	for (i = 0; i < 7; i++) {
		(void)snprintf(want, sizeof want, "%s:1: error: x", sorted[i]);
		ck_assert_str_eq(line(diag, i), want);
	}
	fm_diag_sort(diag, NULL);
	for (i = 0; i < 7; i++) {
		(void)snprintf(want, sizeof want, "%s:1: error: x",
		    mentioned[i]);
		ck_assert_str_eq(line(diag, i), want);
	}
	fm_diag_sort(diag, "nobody");
	ck_assert_str_eq(line(diag, 0), "z:1: error: x");
	fm_diag_free(&diag);
}

UNIT_TEST(test_diag_gives_a_message_in_its_parts)
{
	const struct fm_place place = { .name = "a: error: b", .line = 2,
	    .column = 5 };
	struct fm_diag *diag = fm_diag_new();
	struct fm_diag_message message;

	fm_diag_error(diag, &place, "it's %s", "wrong: error: x");
	fm_diag_warning(diag, NULL, "odd\n");
	ck_assert(fm_diag_message(diag, 0, &message));
	ck_assert(message.error);
	ck_assert_str_eq(message.at.name, "a: error: b");
	ck_assert_uint_eq(message.at.line, 2);
	ck_assert_uint_eq(message.at.column, 5);
	ck_assert_str_eq(message.text, "it's wrong: error: x");
	ck_assert(fm_diag_message(diag, 1, &message));
	ck_assert(!message.error);
	ck_assert_ptr_null(message.at.name);
	ck_assert_str_eq(message.text, "odd?");
	ck_assert(!fm_diag_message(diag, 2, &message));
	ck_assert(!fm_diag_message(diag, ~0U, &message));
	fm_diag_free(&diag);
}

UNIT_TEST(test_diag_may_be_missing)
{
	struct fm_diag *none = NULL;
	struct fm_diag_message message;

	fm_diag_error(NULL, NULL, "nobody %s", "listens");
	fm_diag_warning(NULL, NULL, "nobody");
	ck_assert_uint_eq(fm_diag_errors(NULL), 0);
	ck_assert_uint_eq(fm_diag_warnings(NULL), 0);
	ck_assert_ptr_null(fm_diag_line(NULL, 0));
	ck_assert(!fm_diag_message(NULL, 0, &message));
	fm_diag_sort(NULL, "a");
	fm_diag_free(&none);
}

/* Some of 60 warnings are dropped: the error after them keeps its excerpt. */
UNIT_TEST(a_message_is_copied_with_the_excerpt_of_another)
{
	struct fm_diag *from = fm_diag_new(), *to = fm_diag_new();
	struct fm_diag_message message;
	struct fm_place at = { .name = "a.rules", .line = 100 };
	unsigned i, errors = 0;

	fm_diag_error(from, &at, "the one");
	for (at.line = 1; at.line <= 60; at.line++)
		fm_diag_warning(from, &at, "w%u", at.line);
	fm_diag_sort(from, "a.rules");
	for (i = 0; fm_diag_message(from, i, &message); i++)
		fm_diag_excerpt(from, i, message.text, NULL);
	fm_diag_warning(to, NULL, "before");
	fm_diag_copy(to, from);
	for (i = 1; fm_diag_message(to, i, &message); i++) {
		ck_assert_str_eq(message.excerpt, message.text);
		errors += message.error;
	}
	ck_assert_uint_eq(errors, 1);
	fm_diag_copy(NULL, from);
	fm_diag_free(&from);
	fm_diag_free(&to);
}

int
main(void)
{
	return (unit_main("diag", 60));
}
