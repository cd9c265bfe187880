/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What takes Hyperscan's compiler long is not scanned for, and found all the
 * same.
 */

#include "effort.h"
#include "patset.h"
#include "regular.h"
#include "unit.h"

START_TEST(positions_are_what_repeats_are_written_out)
{
	static const struct {
		const char	*regex;
		size_t		positions;
	} cases[] = {
		{ "", 0 }, { "abc", 3 }, { "^a\\d[^]x\\]]$", 3 },
		{ "a*b+c?|d", 4 }, { "a{5}", 5 }, { "a{2,52}", 52 },
		{ "a{7,}", 7 }, { "a{", 1 }, { "a{0}", 1 },
		{ "(ab){3}", 6 }, { "(?:a(bc){4}){10}", 90 },
		{ "(?i)ab", 2 }, { "[{(]{3}", 3 }, { "(?i:a|b){4}", 8 },
		{ "[ab].{0,5000}[cd]", 5002 }
	};
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++)
		ck_assert_msg(fm_effort_positions(cases[i].regex) ==
		    cases[i].positions, "%s: %zu", cases[i].regex,
		    fm_effort_positions(cases[i].regex));
	ck_assert_uint_gt(fm_effort_positions("((a{999}){999}){999}"), 1000000);
	ck_assert_uint_gt(fm_effort_positions("a)"), 1000000);
	(void)fm_effort_positions("a\\");
	(void)fm_effort_positions("[a");
	(void)fm_effort_positions("(?");
}
END_TEST

START_TEST(they_nest_and_what_is_gone_is_gone)
{
	fm_effort_begin();
	fm_effort_begin();
	ck_assert(fm_effort_take(FM_EFFORT_MOST - 10));
	fm_effort_end();
	ck_assert(!fm_effort_take(11));
	ck_assert(fm_effort_take(10));
	ck_assert_uint_eq(fm_effort_left(), 0);
	fm_effort_end();
	ck_assert(fm_effort_take(11));
	fm_effort_begin();
	ck_assert_uint_eq(fm_effort_left(), FM_EFFORT_MOST);
	fm_effort_end();
}
END_TEST

/* What is still allowed of these, but for so many bytes, is taken. */
static void
leave(enum fm_effort_what what, size_t bytes)
{
	size_t most = (size_t)(what == FM_EFFORT_TEXTS ? FM_EFFORT_TEXTS_MB :
	    FM_EFFORT_REGEXES_MB) << 20;

	ck_assert(fm_effort_allows(what, most - bytes, NULL, NULL));
	ck_assert(!fm_effort_is_over(what));
}

/* What the regex is, compiled: that depends on PCRE2, and on its JIT. */
static size_t
regex_bytes(const char *regex)
{
	char error[FM_REGEX_ERROR_LEN];
	struct fm_regex *re;
	size_t offset, bytes;

	re = fm_regex_new(fm_text_of(regex), true, error, &offset);
	ck_assert_ptr_nonnull(re);
	bytes = fm_regex_bytes(re);
	fm_regex_free(&re);
	return (bytes);
}

/* A pattern that there may be; or else the error, NULL: there is none. */
static const char *
refusal(enum fm_pattern_kind kind, const char *text, struct fm_diag *diag)
{
	struct fm_place here = { .name = "a.list", .line = 7, .column = 1 };
	unsigned errors = fm_diag_errors(diag);
	struct fm_pattern *p;

	p = fm_pattern_new(kind, fm_text_of(text), true, &here, diag);
	if (p != NULL) {
		ck_assert_uint_eq(fm_diag_errors(diag), errors);
		fm_pattern_free(&p);
		return ("allowed");
	}
	if (fm_diag_errors(diag) == errors)
		return (NULL);
	return (fm_diag_line(diag, errors));
}

START_TEST(what_is_too_much_is_an_error_that_is_told_once)
{
	static const struct {
		enum fm_effort_what	what;
		enum fm_pattern_kind	kind;
		const char		*text, *error;
	} cases[] = {
		{ FM_EFFORT_REGEXES, FM_PATTERN_REGEX, "ab+c",
		    "a.list:7:1: error: with this one all regexes are more "
		    "than 256 MB, as they are compiled: use fewer, or texts" },
		{ FM_EFFORT_TEXTS, FM_PATTERN_CONTAINS, "abcd",
		    "a.list:7:1: error: with this one all texts of contains "
		    "and globs are more than 64 MB: use fewer, or shorter "
		    "ones" },
		{ FM_EFFORT_TEXTS, FM_PATTERN_GLOB, "*a*d",
		    "a.list:7:1: error: with this one all texts of contains "
		    "and globs are more than 64 MB: use fewer, or shorter "
		    "ones" },
	};
	struct fm_diag *diag;
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		diag = fm_diag_new();
		fm_effort_begin();
		leave(cases[i].what, (cases[i].what == FM_EFFORT_TEXTS ?
		    4 + FM_EFFORT_TEXT : regex_bytes("ab+c")) * 3 / 2);
		ck_assert_str_eq(refusal(cases[i].kind, cases[i].text, diag),
		    "allowed");
		ck_assert_str_eq(refusal(cases[i].kind, cases[i].text, diag),
		    cases[i].error);
		ck_assert(fm_effort_is_over(cases[i].what));
		ck_assert_ptr_null(refusal(cases[i].kind, "a", diag));
		/* The others don't mind. */
		ck_assert_str_eq(refusal(FM_PATTERN_PREFIX, "abcd", diag),
		    "allowed");
		fm_effort_end();
		ck_assert(!fm_effort_is_over(cases[i].what));
		ck_assert_str_eq(refusal(cases[i].kind, cases[i].text, diag),
		    "allowed");
		fm_diag_free(&diag);
	}
}
END_TEST

START_TEST(a_long_regex_counts_as_several)
{
	struct fm_place here = { .name = "a" };
	struct fm_diag *diag = fm_diag_new();
	char text[3000] = { 0 };
	struct fm_text regex;

	fm_effort_begin();
	leave(FM_EFFORT_REGEXES, 1000);
	memset(text, 'x', sizeof text);
	regex = fm_text(text, 999);
	ck_assert(fm_effort_allows_regex(regex, 300, &here, diag));
	regex = fm_text(text, 1000);
	ck_assert(fm_effort_allows_regex(regex, 300, &here, diag));
	ck_assert(!fm_effort_allows_regex(regex, 51, &here, diag));
	fm_effort_end();
	ck_assert_uint_eq(fm_diag_errors(diag), 1);
	fm_diag_free(&diag);
}
END_TEST

START_TEST(after_a_hundred_mistakes_no_regex_is_looked_at)
{
	struct fm_diag *diag = fm_diag_new();
	unsigned i;

	fm_effort_begin();
	for (i = 0; i < 100; i++)
		ck_assert_ptr_nonnull(refusal(FM_PATTERN_REGEX, "(", diag));
	fm_effort_end();
	ck_assert_uint_eq(fm_diag_errors(diag), 100);
	fm_effort_begin();
	for (i = 0; i < 101; i++)
		(void)refusal(FM_PATTERN_REGEX, "(", diag);
	ck_assert_ptr_null(refusal(FM_PATTERN_REGEX, "(", diag));
	ck_assert_ptr_null(refusal(FM_PATTERN_REGEX, "a", diag));
	fm_effort_end();
	ck_assert_uint_eq(fm_diag_errors(diag), 201);
	fm_diag_free(&diag);
}
END_TEST

/* As of names: the error is for whom it can be told. */
START_TEST(who_has_no_diag_leaves_the_error_to_the_next)
{
	struct fm_place here = { .name = "a" };
	struct fm_diag *diag = fm_diag_new();

	fm_effort_begin();
	leave(FM_EFFORT_TEXTS, 3);
	ck_assert(!fm_effort_allows(FM_EFFORT_TEXTS, 4, NULL, NULL));
	ck_assert(!fm_effort_allows(FM_EFFORT_TEXTS, 0, &here, diag));
	ck_assert(!fm_effort_allows(FM_EFFORT_TEXTS, 0, &here, diag));
	fm_effort_end();
	ck_assert_uint_eq(fm_diag_errors(diag), 1);
	fm_diag_free(&diag);
}
END_TEST

START_TEST(a_table_that_is_too_much_is_not_made)
{
	struct fm_text regex = fm_text_of("(a|b7|c)+[a-z]{1,40}x9");
	struct fm_regular *table;

	fm_effort_begin();
	table = fm_regular_new(regex, false);
	ck_assert_ptr_nonnull(table);
	fm_regular_free(&table);
	ck_assert_uint_lt(fm_effort_tables_left(), FM_EFFORT_TABLES);
	fm_effort_take_table(fm_effort_tables_left() - 10);
	ck_assert_ptr_null(fm_regular_new(regex, false));
	ck_assert_uint_eq(fm_effort_tables_left(), 0);
	fm_effort_end();
	table = fm_regular_new(regex, false);
	ck_assert_ptr_nonnull(table);
	fm_regular_free(&table);
}
END_TEST

static unsigned most_asked;

/* The square of their number. */
static size_t
square(void *priv, unsigned n)
{
	const unsigned *times = priv;

	most_asked = n > most_asked ? n : most_asked;
	return ((size_t)n * n * *times);
}

START_TEST(no_more_are_made_than_the_last_few_allow)
{
	const char *regexes[1000];
	unsigned i, times;

	for (i = 0; i < 1000; i++)
		regexes[i] = "[ab][cd]x{2}";
	fm_effort_begin();
	times = 1;
	ck_assert_uint_eq(fm_effort_fit(regexes, 1000, square, &times), 1000);
	times = 100;
	ck_assert_uint_eq(fm_effort_fit(regexes, 1000, square, &times), 64);
	most_asked = 0;
	times = 1000000;
	ck_assert_uint_eq(fm_effort_fit(regexes, 1000, square, &times), 0);
	ck_assert_uint_eq(most_asked, 16);
	fm_effort_end();
	fm_effort_begin();
	times = 0;
	ck_assert_uint_eq(fm_effort_fit(regexes, 1000, square, &times), 0);
	/* nothing to try out */
	most_asked = 0;
	ck_assert_uint_eq(fm_effort_fit(regexes, 16, square, &times), 16);
	ck_assert_uint_eq(most_asked, 0);
	ck_assert(fm_effort_take(fm_effort_left()));
	ck_assert_uint_eq(fm_effort_fit(regexes, 16, square, &times), 0);
	fm_effort_end();
}
END_TEST

/* They would take minutes together: a test is killed after one. */
START_TEST(what_takes_too_long_is_found_all_the_same)
{
	struct fm_place here = { .name = "test" };
	struct fm_tally tally = { .scans = 0 };
	struct fm_patset_builder *b = fm_patset_build_new();
	struct fm_pattern *p;
	struct fm_patset *ps;
	unsigned i, n, regexes = unit_rounds(600, 4);
	char regex[100];

	for (i = 0; i < regexes; i++) {
		n = 20 + i % 30;
		if (i % 2 == 0)
			(void)snprintf(regex, sizeof regex,
			    "[a-d]+[%u%u][^;]*[fg]{2,%u}$", i % 10,
			    i / 10 % 10, n);
		else
			(void)snprintf(regex, sizeof regex,
			    ".*[abc].*[%u%u].*[d-f].*[k-m]{1,%u}$", i % 10,
			    i / 10 % 10, n);
		p = fm_pattern_new(FM_PATTERN_REGEX, fm_text_of(regex), false,
		    &here, NULL);
		ck_assert_int_eq(fm_patset_build_add(b, &p), 0);
	}
	ps = fm_patset_build(&b, NULL);
	ck_assert_ptr_nonnull(ps);
	ck_assert_uint_eq(fm_patset_first(ps, fm_text_of("dd7--fg"), &tally),
	    70);
	ck_assert_uint_eq(fm_patset_first(ps, fm_text_of("--a-5-e-k"),
	    &tally), 5);
	ck_assert(!fm_patset_match(ps, fm_text_of("dd7-;-xyz"), &tally));
	fm_patset_free(&ps);
}
END_TEST

/* More than there may be: the last of them have a trie. */
START_TEST(each_of_very_many_texts_is_found)
{
	static const unsigned some[] = { 0, 1, 119999, 130000, 149999 };
	struct fm_place here = { .name = "test" };
	struct fm_tally tally = { .scans = 0 };
	struct fm_patset_builder *b = fm_patset_build_new();
	struct fm_pattern *p;
	struct fm_patset *ps;
	char text[32];
	unsigned i;

	for (i = 0; i < 150000; i++) {
		(void)snprintf(text, sizeof text, "/%06u/", i);
		p = fm_pattern_new(FM_PATTERN_CONTAINS, fm_text_of(text),
		    false, &here, NULL);
		ck_assert_int_eq(fm_patset_build_add(b, &p), 0);
	}
	ps = fm_patset_build(&b, NULL);
	ck_assert_ptr_nonnull(ps);
	for (i = 0; i < sizeof some / sizeof *some; i++) {
		(void)snprintf(text, sizeof text, "a/%06u/b", some[i]);
		ck_assert_uint_eq(fm_patset_first(ps, fm_text_of(text),
		    &tally), some[i]);
	}
	ck_assert(!fm_patset_match(ps, fm_text_of("/150000/"), &tally));
	fm_patset_free(&ps);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("effort");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, positions_are_what_repeats_are_written_out);
	tcase_add_test(tc, they_nest_and_what_is_gone_is_gone);
	tcase_add_test(tc, what_is_too_much_is_an_error_that_is_told_once);
	tcase_add_test(tc, a_long_regex_counts_as_several);
	tcase_add_test(tc, after_a_hundred_mistakes_no_regex_is_looked_at);
	tcase_add_test(tc, who_has_no_diag_leaves_the_error_to_the_next);
	tcase_add_test(tc, a_table_that_is_too_much_is_not_made);
	tcase_add_test(tc, no_more_are_made_than_the_last_few_allow);
	tcase_add_test(tc, what_takes_too_long_is_found_all_the_same);
	tcase_add_test(tc, each_of_very_many_texts_is_found);
	return (unit_run("effort", tc));
}
