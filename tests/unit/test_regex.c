/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <pthread.h>

#include "regex.h"
#include "unit.h"

static struct fm_tally tally;

static struct fm_regex *
make(const char *pattern, bool nocase)
{
	char error[FM_REGEX_ERROR_LEN];
	struct fm_regex *re;
	size_t offset;

	memset(&tally, 0, sizeof tally);
	re = fm_regex_new(fm_text_of(pattern), nocase, error, &offset);
	ck_assert_msg(re != NULL, "%s: %s", pattern, error);
	return (re);
}

static bool
matches(const char *pattern, bool nocase, const char *subject)
{
	struct fm_regex *re;
	struct fm_text s;
	bool hit;

	re = make(pattern, nocase);
	s = unit_copy(fm_text_of(subject));
	hit = fm_regex_match(re, s, &tally);
	free((char *)(uintptr_t)s.b);
	fm_regex_free(&re);
	ck_assert_ptr_null(re);
	return (hit);
}

START_TEST(a_regex_means_what_it_means_in_vcl)
{
	ck_assert(matches("^a.c$", false, "abc"));
	ck_assert(!matches("^a.c$", false, "a\nc"));
	ck_assert(matches("b$", false, "ab\n"));
	ck_assert(!matches("b$", false, "ab\n\n"));
	ck_assert(!matches("^b", false, "a\nb"));
	ck_assert(!matches("ABC", false, "abc"));
	ck_assert(matches("ABC", true, "abc"));
	ck_assert(matches("(?i)ABC", false, "abc"));
	/* Bytes, not characters, and no case but ASCII's. */
	ck_assert(matches("^..$", false, "\xc3\xa4"));
	ck_assert(!matches("\xc3\xa4", true, "\xc3\x84"));
	ck_assert(matches("", false, ""));
}
END_TEST

START_TEST(a_missing_subject_is_an_empty_one)
{
	struct fm_regex *re;

	re = make("^$", false);
	ck_assert(fm_regex_match(re, fm_text(NULL, 0), &tally));
	fm_regex_free(&re);
}
END_TEST

START_TEST(a_mistake_is_told_with_its_offset)
{
	char error[FM_REGEX_ERROR_LEN] = "";
	struct fm_regex *re;
	size_t offset = 0;

	re = fm_regex_new(fm_text_of("ab(c"), false, error, &offset);
	ck_assert_ptr_null(re);
	ck_assert_str_eq(error, "missing closing parenthesis");
	ck_assert_uint_eq(offset, 4);
}
END_TEST

START_TEST(only_a_certain_no_says_that_a_match_is_not_empty)
{
	struct fm_regex *re;

	re = make("a*", false);
	ck_assert(fm_regex_may_be_empty(re));
	fm_regex_free(&re);
	re = make("^$", false);
	ck_assert(fm_regex_may_be_empty(re));
	fm_regex_free(&re);
	re = make("a+", false);
	ck_assert(!fm_regex_may_be_empty(re));
	fm_regex_free(&re);
}
END_TEST

START_TEST(groups_are_found_and_missing_ones_are_missing)
{
	struct fm_text g[FM_REGEX_GROUPS];
	struct fm_regex *re;

	re = make("(a)(x)?(b+)", false);
	ck_assert(fm_regex_find(re, fm_text_of("-abb-"), 0, 0, g,
	    &tally));
	unit_assert_text(g[0], "abb");
	unit_assert_text(g[1], "a");
	ck_assert_ptr_null(g[2].b);
	unit_assert_text(g[3], "bb");
	ck_assert_ptr_null(g[4].b);
	ck_assert(!fm_regex_find(re, fm_text_of("-abb-"), 2, 0, g,
	    &tally));
	fm_regex_free(&re);
	re = make("(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", false);
	ck_assert(fm_regex_find(re, fm_text_of("abcdefghijk"), 0, 0, g,
	    &tally));
	unit_assert_text(g[0], "abcdefghijk");
	unit_assert_text(g[9], "i");
	fm_regex_free(&re);
}
END_TEST

START_TEST(over_the_limit_is_no_match_and_counted)
{
	char line[4096];
	struct fm_regex *re;

	memset(line, 'a', sizeof line);
	line[sizeof line - 1] = 'b';
	re = make("^(a+)+$", false);
	ck_assert(!fm_regex_match(re, fm_text(line, sizeof line), &tally));
	ck_assert_uint_eq(tally.over_limit, 1);
	fm_regex_free(&re);
}
END_TEST

/*
 * What PCRE2's limit doesn't count: each is given up all the same, and takes
 * no more than others.
 */
static const char * const squares[] = {
	"(x*)y", "(x*)(x*)y", "(?:x|;)*?z|(x+)z", "(?=(x*)z)x",
	"(x*)\\1y", "x[^;]*x[^;]*z", "(x|xx)(x|xx)x{3,}y",
	"(?x) (x *) y # a+b", "(?<a>x+)y", "[]x]*xz", "(?(?=x)x*z|q)",
	"(?i)X*[yz]x", "(?#a+(x*)x*y"
};

START_TEST(what_takes_the_square_of_a_length_is_over_the_limit)
{
	struct fm_tally t = { .over_limit_max = 100, .ration = 1 };
	char line[8000];
	struct fm_regex *re;
	unsigned i;

	/* The ends are there, or PCRE2 would not try. */
	memset(line, 'x', sizeof line);
	memcpy(line + sizeof line - 6, ";z;y;z", 6);
	re = make(squares[_i], false);
	for (i = 1; i <= 6; i++) {
		(void)fm_regex_match(re, fm_text(line, sizeof line), &t);
		ck_assert_uint_eq(t.over_limit, i);
		ck_assert_uint_le(t.careful, i < 6 ? 1200 * i : 8000);
	}
	fm_regex_free(&re);
}
END_TEST

/* PCRE2 doesn't take it with callouts, by which it could be stopped. */
START_TEST(what_is_too_large_for_callouts_is_a_mistake)
{
	char error[FM_REGEX_ERROR_LEN] = "";
	size_t offset = 0;

	ck_assert_ptr_null(fm_regex_new(fm_text_of("(\\w)\\1[^;]*b[^;]*[!?]|ZZ"
	    "(?:p*q?r*){0,2500}"), false, error, &offset));
	ck_assert_str_eq(error, "regular expression is too large");
}
END_TEST

/* With callouts behind its repeats a regex means the same. */
START_TEST(a_careful_match_has_the_same_groups)
{
	static const char * const regexes[] = {
		"(a+)(b|c)?;(.*)$", "[]a]+(;)", "(?<=b)([^;]+);", "(a)\\1(.)",
		"(?x) (a) + # (b)\n (c)", "\\Qa\\E(b+)", "(?#(a+)(b+)c",
		"(a{1,3}?)(;)", "((a|b)+)c", "(?:(a)|b)*;", "(a)?(?(1)b|c)",
		"(?i)(A+)b", "(a(?C1)b)c+", "a\\{2}|(b{2})",
		"([[:alpha:]+]+);", "([^[:^alpha:]*]+)", "([[:a+]+]*);",
		"([\\Qb]+\\E;]+)", "([a\\c]+]+);", "(\\c[|a+]+|b)+;",
		"(?xx)([ ]a+;]+)b"
	};
	static const char letters[] = "aabbc;(";
	struct fm_text g[FM_REGEX_GROUPS], h[FM_REGEX_GROUPS];
	char line[300];
	struct fm_regex *re;
	unsigned turn, i;
	bool hit;

	re = make(regexes[_i], false);
	for (turn = 0; turn < 2000; turn++) {
		/* Nothing matches in the first: it only makes it long. */
		memset(line, '-', sizeof line);
		/* And no run in it is so long that it would be given up. */
		for (i = 0; i < 40; i++)
			line[260 + i] = i % 10 == 9 ? '(' :
			    letters[unit_below(7)];
		memset(&tally, 0, sizeof tally);
		hit = fm_regex_groups(re, fm_text(line + 259, 41), 0, false,
		    g, &tally);
		ck_assert(fm_regex_groups(re, fm_text(line, 300), 0, false,
		    h, &tally) == hit);
		ck_assert_uint_eq(tally.over_limit, 0);
		for (i = 0; hit && i < FM_REGEX_GROUPS; i++)
			if (g[i].b != h[i].b || g[i].len != h[i].len)
				ck_abort_msg("%s on %.41s: group %u",
				    regexes[_i], line + 259, i);
	}
	fm_regex_free(&re);
}
END_TEST

/* A reference passes over a group again, however far behind it is. */
static const char * const refs[] = {
	"(?=(x*;))(?:\\1a|\\1b|\\1c|\\1d|\\1e|\\1f|\\1g)",
	("(?=(?<n>x*;))(?:\\k<n>a|\\g{n}b|(?P=n)c|"
	    "\\g{-1}d|\\k'n'e|\\g1f|\\1{2})"),
	"(?x)(?=(x*;))(?:\\1a|\\1b|\\1c|\\1d|\\1e|\\1f|\\1g) # a",
	"()()()()()()()()()()(?=(x*;))(?:\\11a|\\11b|\\11c|\\11d)",
};

START_TEST(what_refers_to_a_long_group_is_over_the_limit_soon)
{
	struct fm_tally t = { .ration = 1 };
	char line[8000];
	struct fm_regex *re;

	memset(line, 'x', sizeof line);
	line[sizeof line - 1] = ';';
	re = make(refs[_i], false);
	ck_assert(!fm_regex_match(re, fm_text(line, sizeof line), &t));
	ck_assert_uint_eq(t.over_limit, 1);
	fm_regex_free(&re);
}
END_TEST

START_TEST(after_so_many_over_the_limit_none_is_tried_any_more)
{
	struct fm_tally t = { .over_limit_max = 3, .over_limit_before = 1 };
	char line[4096];
	struct fm_regex *slow, *fast;
	unsigned i;

	memset(line, 'a', sizeof line);
	line[sizeof line - 1] = 'b';
	slow = make("^(a+)+$", false);
	fast = make("b$", false);
	for (i = 0; i < 2; i++) {
		ck_assert(fm_regex_match(fast, fm_text(line, sizeof line),
		    &t));
		ck_assert(!fm_regex_match(slow, fm_text(line, sizeof line),
		    &t));
	}
	ck_assert_uint_eq(t.over_limit, 2);
	ck_assert_uint_eq(t.unasked, 0);
	ck_assert(!fm_regex_match(fast, fm_text(line, sizeof line), &t));
	ck_assert(!fm_regex_match(slow, fm_text(line, sizeof line), &t));
	ck_assert_uint_eq(t.over_limit, 2);
	ck_assert_uint_eq(t.unasked, 2);
	fm_regex_free(&slow);
	fm_regex_free(&fast);
}
END_TEST

START_TEST(groups_are_there_whenever_it_matches)
{
	struct fm_text g[FM_REGEX_GROUPS];
	struct fm_regex *re;

	re = make("(a)(x)?", false);
	ck_assert(fm_regex_groups(re, fm_text_of("-a"), 0, 0, g, &tally));
	unit_assert_text(g[1], "a");
	ck_assert_ptr_null(g[2].b);
	ck_assert(!fm_regex_groups(re, fm_text_of("-x"), 0, 0, g, &tally));
	fm_regex_free(&re);
	re = make("^()$", false);
	ck_assert(fm_regex_groups(re, fm_text(NULL, 0), 0, 0, g,
	    &tally));
	ck_assert_ptr_nonnull(g[1].b);
	fm_regex_free(&re);
}
END_TEST

static void *
deep(void *priv)
{
	struct fm_tally t = { 0 };
	static char line[8001];
	const struct fm_regex *re = priv;

	memset(line, 'a', sizeof line - 1);
	line[sizeof line - 1] = 'c';
	return (fm_regex_match(re, fm_text(line, sizeof line), &t) &&
	    t.over_limit == 0 ? priv : NULL);
}

START_TEST(a_match_that_needs_a_larger_stack_gets_it_on_a_small_thread)
{
	struct fm_regex *re;
	pthread_attr_t attr;
	pthread_t thread;
	void *answer;

	/* Each turn of the group takes room on the JIT's stack. */
	re = make("^(?:(a)|b)*c$", false);
	ck_assert_int_eq(pthread_attr_init(&attr), 0);
	ck_assert_int_eq(pthread_attr_setstacksize(&attr, 64 << 10), 0);
	ck_assert_int_eq(pthread_create(&thread, &attr, deep, re), 0);
	ck_assert_int_eq(pthread_join(thread, &answer), 0);
	ck_assert_ptr_eq(answer, re);
	pthread_attr_destroy(&attr);
	fm_regex_free(&re);
}
END_TEST

static bool
nobody_matches_without_end(void)
{
	bool hit = matches("^(a+)+$", false, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaab");

	ck_assert_uint_eq(tally.over_limit, 1);
	return (hit);
}

START_TEST(without_jit_the_answers_are_the_same_and_there_is_no_code)
{
	struct fm_regex *re;
	size_t with, without;

	re = make("^(a|b)+c$", false);
	with = fm_regex_bytes(re);
	fm_regex_free(&re);
	fm_regex_use_jit(false);
	re = make("^(a|b)+c$", false);
	without = fm_regex_bytes(re);
	fm_regex_free(&re);
	ck_assert_uint_lt(without, 700);
	/* Where there is a JIT at all; what it makes is a lot more. */
	ck_assert(with == without || with > 2 * without);
	ck_assert(matches("^(a|b)+c$", false, "ababc"));
	ck_assert(!matches("^(a|b)+c$", false, "abab"));
	ck_assert(!nobody_matches_without_end());
	fm_regex_use_jit(true);
	re = make("^(a|b)+c$", false);
	ck_assert_uint_eq(fm_regex_bytes(re), with);
	fm_regex_free(&re);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("regex");

	tcase_set_timeout(tc, 60);
	unit_seed("regex");
	tcase_add_test(tc, a_regex_means_what_it_means_in_vcl);
	tcase_add_test(tc, a_missing_subject_is_an_empty_one);
	tcase_add_test(tc, a_mistake_is_told_with_its_offset);
	tcase_add_test(tc,
	    only_a_certain_no_says_that_a_match_is_not_empty);
	tcase_add_test(tc, groups_are_found_and_missing_ones_are_missing);
	tcase_add_test(tc, groups_are_there_whenever_it_matches);
	tcase_add_loop_test(tc,
	    what_takes_the_square_of_a_length_is_over_the_limit, 0,
	    sizeof squares / sizeof *squares);
	tcase_add_test(tc, what_is_too_large_for_callouts_is_a_mistake);
	tcase_add_loop_test(tc, a_careful_match_has_the_same_groups, 0, 21);
	tcase_add_loop_test(tc,
	    what_refers_to_a_long_group_is_over_the_limit_soon, 0,
	    sizeof refs / sizeof *refs);
	tcase_add_test(tc, over_the_limit_is_no_match_and_counted);
	tcase_add_test(tc,
	    after_so_many_over_the_limit_none_is_tried_any_more);
	tcase_add_test(tc,
	    a_match_that_needs_a_larger_stack_gets_it_on_a_small_thread);
	tcase_add_test(tc,
	    without_jit_the_answers_are_the_same_and_there_is_no_code);
	return (unit_run("regex", tc));
}
