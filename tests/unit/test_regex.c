/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * PCRE2: what a regex means, its groups, its limit and its stack.
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
	struct fm_regex *re = make(pattern, nocase);
	struct fm_text s = unit_copy(fm_text_of(subject));
	bool hit = fm_regex_match(re, s, &tally);

	free((char *)(uintptr_t)s.b);
	fm_regex_free(&re);
	return (hit);
}

UNIT_LOOP(a_missing_subject_is_an_empty_one, 3)
{
	static const char * const regexes[] = { "a+", "a*", "^$" };
	struct fm_regex *re = make(regexes[_i], false);

	ck_assert(fm_regex_match(re, fm_text(NULL, 0), &tally) == (_i > 0));
	fm_regex_free(&re);
}

UNIT_TEST(groups_are_found_and_missing_ones_are_missing)
{
	struct fm_text g[FM_REGEX_GROUPS];
	struct fm_regex *re;

	re = make("(a)(x)?(b+)", false);
	ck_assert_uint_eq(fm_regex_group_count(re), 3);
	ck_assert(fm_regex_find(re, fm_text_of("-abb-"), 0, true, g, &tally));
	unit_assert_text(g[0], "abb");
	unit_assert_text(g[1], "a");
	ck_assert_ptr_null(g[2].b);
	unit_assert_text(g[3], "bb");
	ck_assert_ptr_null(g[4].b);
	ck_assert(!fm_regex_find(re, fm_text_of("-abb-"), 2, true, g,
	    &tally));
	fm_regex_free(&re);
	re = make("(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", false);
	ck_assert(fm_regex_find(re, fm_text_of("abcdefghijk"), 0, true, g,
	    &tally));
	unit_assert_text(g[0], "abcdefghijk");
	unit_assert_text(g[9], "i");
	fm_regex_free(&re);
	/* An empty group is there. */
	re = make("^()$", false);
	ck_assert(fm_regex_find(re, fm_text(NULL, 0), 0, true, g, &tally));
	ck_assert_ptr_nonnull(g[1].b);
	ck_assert(!fm_regex_find(re, fm_text(NULL, 0), 0, false, g, &tally));
	fm_regex_free(&re);
}

UNIT_TEST(over_the_limit_is_no_match_and_each_has_it_by_itself)
{
	struct fm_regex *slow = make("^(a+)+$", false);
	struct fm_regex *fast = make("b$", false);
	struct fm_text s;
	char line[4096];
	unsigned i;

	memset(line, 'a', sizeof line);
	line[sizeof line - 1] = 'b';
	s = fm_text(line, sizeof line);
	for (i = 1; i <= 50; i++) {
		ck_assert(!fm_regex_match(slow, s, &tally));
		ck_assert(fm_regex_match(fast, s, &tally));
		ck_assert_uint_eq(tally.over_limit, i);
	}
	fm_regex_free(&slow);
	fm_regex_free(&fast);
}

static void *
deep(void *priv)
{
	struct fm_tally t = { 0 };
	static char line[8001];

	memset(line, 'a', sizeof line - 1);
	line[sizeof line - 1] = 'c';
	return (fm_regex_match(priv, fm_text(line, sizeof line), &t) &&
	    t.over_limit == 0 ? priv : NULL);
}

UNIT_TEST(a_match_that_needs_a_larger_stack_gets_it_on_a_small_thread)
{
	struct fm_regex *re;
	pthread_attr_t attr;
	pthread_t thread;
	void *answer;

	/* Each turn of the group takes room on the JIT's stack. */
	re = make("^(?:(a)|b)*c$", false);
	(void)pthread_attr_init(&attr);
	/* The least on arm64 is 128 KB. */
	ck_assert(pthread_attr_setstacksize(&attr, 64 << 10) == 0 ||
	    pthread_attr_setstacksize(&attr, 128 << 10) == 0);
	ck_assert_int_eq(pthread_create(&thread, &attr, deep, re), 0);
	ck_assert_int_eq(pthread_join(thread, &answer), 0);
	ck_assert_ptr_eq(answer, re);
	pthread_attr_destroy(&attr);
	fm_regex_free(&re);
}

static size_t
bytes_of(const char *regex)
{
	struct fm_regex *re = make(regex, false);
	size_t bytes = fm_regex_bytes(re);

	fm_regex_free(&re);
	return (bytes);
}

UNIT_TEST(without_jit_the_answers_are_the_same_and_there_is_no_code)
{
	size_t with = bytes_of("^(a|b)+c$"), without;

	fm_regex_use_jit(false);
	without = bytes_of("^(a|b)+c$");
	ck_assert_uint_lt(without, 700);
	/* Code of the JIT, if there is a JIT, more than doubles the bytes. */
	ck_assert(with == without || with > 2 * without);
	ck_assert(matches("^(a|b)+c$", false, "ababc"));
	ck_assert(!matches("^(a|b)+c$", false, "abab"));
	ck_assert(!matches("^(a+)+$", false, "aaaaaaaaaaaaaaaaaaaaaaaaaaab"));
	ck_assert_uint_eq(tally.over_limit, 1);
	fm_regex_use_jit(true);
	ck_assert_uint_eq(bytes_of("^(a|b)+c$"), with);
}

int
main(void)
{
	return (unit_main("regex", 60));
}
