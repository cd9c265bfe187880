/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Regexes that are regular: the answers of their tables are PCRE2's.
 */

#include "regex.h"
#include "regular.h"
#include "twin.h"
#include "unit.h"

static const char * const regular[] = {
	"android.*mobile", "android.*(mobile|mini)", "(?i)Android.*Mobile",
	"a.*b", "a.*?b", ".*a.*b.*", "^a.*b", "^.*a.*b", "^(a|ab).*c",
	"opera (mini|mobi).*x", "a(b|c)(d|e)f.*g", "(?:ab|a).*b",
	"a\\.b.*\\(c\\)", "a.*.*b", "Mozilla.*Android.*Mobile.*Safari",
	"a b.*#c", "\xc3\xa4.*\xc3\x84", "(aa|aaa).*a", "ab.*ab.*ab",
	"a*", "a*b", "a+$", "\\s+$", "^a*$", "[^/]*\\.a", "a[^;]*b[^;]*c",
	"a+?b", "a{2,}b", "a{0,}b", "a{2}[b-d]*x", "(ab){2,3}c*d",
	"(a|b)?c+d", "(a|b|)c*d", "[]a]+b", "[^]a]+b", "[a\\]]+b", "[-a]+b",
	"[a-]+b", "[\\w.-]+b", "\\d+\\D+\\d", "\\W+\\w+\\S+\\s", "a|b*c|d",
	"^a|b+$", "(^a|b+)c", "(^|; )a=[^;]*b", "a+(b$|c)", "^$|a+b", "a+|^",
	"a(?i)b+C|d", "(?i:a+)b", "((?i)a+)b", "\\x61+\\x2eb", "\\Aa+b\\z",
	"a", "abc", "", "a|b", "(a+)+b", "(a|b)*c", "(a+){2,}", "(a*)*b",
	"(a|aa)+$", "((a+b)*|c)+d", "(a?){3,}b", "(^|a)+b", "(a$|b)*",
	"a{201}b", "(ab|c){3}", "(a{2}b){2}", "(a|b|cd)*e",
	"[ab]{3,5}c", "(?:a|(b|c)+)?d", "(|a)+b", "(a|)*", "x{0,3}?a",
	"((a{2}){2}){2}", "([ab]+c?){2,}",
	"(a+b){2}c", "((a+|b)c){1,2}d", "[^a]*b", "(?i)[^a]+b", "(?i)[b-d]+a",
	"a{1}b{1,1}c*", "a{0,2}b+", "(a{0,2}b){0,2}c+d", "[a-c]+[d-]*e", "()a+"
};

static const char * const others[] = {
	"a(?-i).*b", "(*UTF)a.*b", "\\Qa.*b\\E",
	"(?x)a .*b", "\\h*b", "[[:alpha:]]*b", "a{,3}b+",
	"a+\\Kb", "a{0}b+", "a{2}{3}b+", "[\\b]+a", "a{2049}b+",
	"[a-c]{20}.{20}x*(a.{20}|b)", "\\N+a", "a+\\R", "(?<x>a+)", "(?|a+|b)",
	"x.{30}a.*"
};

/* Of which a "no" is sure, and where a match begins at the earliest. */
static const char * const loose[] = {
	"(?=a).*b", "a.*+b", "(a).*\\1", "\\ba+", "(?>a+)b", "a+(?!b)c|d",
	"(?:(?!ab)[^;])*; b", "(?<!a)b*c", "(?<=a|b)c+", "\\b(\\w+).*\\b\\1\\b",
	"(?i)a(?!.*B)c*", "(a|ab)(?>c*)d\\1", "\\Ba*+b", "^(?!.*a).*b"
};

/* One regex, for both. */
struct pair {
	const char		*regex;
	struct fm_regex		*re;
	struct fm_regular	*r;
};

static bool
pair_of(struct pair *pair, const char *regex, bool nocase)
{
	char error[FM_REGEX_ERROR_LEN];
	size_t offset;

	/* The JIT of PCRE2 10.42 finds no (?:ab|a).*b in "xabd". */
	fm_regex_use_jit(false);
	pair->regex = regex;
	pair->r = NULL;
	pair->re = fm_regex_new(fm_text_of(regex), nocase, error, &offset);
	if (pair->re == NULL)
		return (false);
	pair->r = fm_regular_new(fm_text_of(regex), nocase);
	return (true);
}

static void
pair_free(struct pair *pair)
{
	if (pair->r != NULL)
		fm_regular_free(&pair->r);
	fm_regex_free(&pair->re);
}

static void
compare(const struct pair *pair, struct fm_text subject)
{
	enum fm_regular_result got, also;
	struct fm_text g[FM_REGEX_GROUPS];
	struct fm_tally tally = { 0 };
	size_t start = SIZE_MAX;
	bool want;

	subject = unit_copy(subject);
	want = fm_regex_find(pair->re, subject, 0, 0, g, &tally);
	got = fm_regular_find(pair->r, subject, &start);
	also = fm_regular_find(pair->r, subject, NULL);
	AGREE(tally.over_limit > 0 || (got == also &&
	    (got == FM_REGULAR_MAYBE ? !want || g[0].b >= subject.b + start :
	    want == (got == FM_REGULAR_YES) && (!want ||
	    g[0].b == subject.b + start))),
	    "%s on '%.*s'", pair->regex, (int)subject.len, subject.b);
	twin_free(subject);
}

static size_t
some_subject(char *subject)
{
	static const char bytes[] = "aabbcdefgAB .#(x;=/1]-e";
	static const char * const words[] = {
		"android", "Mobile", "mini", "mobil", "opera ", "Mozilla",
		"Safari", "ab", "\xc3\xa4", "\xc3\x84", "a b", "ANDROID"
	};
	const char *word;
	size_t len = 0;

	while (len < 60 && unit_below(20) > 0)
		if (unit_below(4) > 0) {
			subject[len++] = bytes[unit_below(sizeof bytes - 1)];
		} else {
			word = words[unit_below(COUNT(words))];
			memcpy(subject + len, word, strlen(word));
			len += strlen(word);
		}
	return (len);
}

START_TEST(a_table_answers_as_pcre2)
{
	struct pair pair;
	char subject[256];
	unsigned turn;

	ck_assert(pair_of(&pair, regular[_i / 2], _i % 2 == 1));
	ck_assert_msg(pair.r != NULL, "%s is regular", pair.regex);
	for (turn = 0; turn < unit_rounds(3000, 10); turn++)
		compare(&pair, fm_text(subject, some_subject(subject)));
	pair_free(&pair);
}
END_TEST

START_TEST(a_loose_table_never_says_no_to_a_match)
{
	struct fm_text none = fm_text_of("----------");
	struct pair pair;
	char subject[256];
	unsigned turn;

	ck_assert(pair_of(&pair, loose[_i / 2], _i % 2 == 1));
	ck_assert_msg(pair.r != NULL, "%s has a table", pair.regex);
	ck_assert_uint_ne(fm_regular_find(pair.r, none, NULL), FM_REGULAR_YES);
	for (turn = 0; turn < unit_rounds(3000, 10); turn++)
		compare(&pair, fm_text(subject, some_subject(subject)));
	pair_free(&pair);
}
END_TEST

/* Whatever comes of these, one behind the other. */
START_TEST(a_table_of_any_regex_answers_as_pcre2)
{
	static const char * const pieces[] = {
		"a", "b", "c", ".", "[ab]", "[^a]", "\\w", "x", "(", ")", "|",
		"*", "+", "?", "{2}", "{1,2}", "{2,}", "^", "$", "(?:", "(?i)",
		"[b-d]", "\\.", "=", ";", "*?", "(?=", "\\b", "a*", ".*",
		"(?!", "(?<=", "(?<!", "(?>", "\\1", "*+"
	};
	char regex[128], subject[256];
	struct pair pair;
	unsigned turn, turns = unit_rounds(20000, 8), n, tables = 0;

	for (turn = 0; turn < turns; turn++) {
		regex[0] = '\0';
		for (n = 1 + unit_below(9); n > 0; n--)
			strcat(regex, pieces[unit_below(COUNT(pieces))]);
		if (!pair_of(&pair, regex, unit_below(4) == 0))
			continue;
		if (pair.r != NULL)
			tables++;
		for (n = 0; n < 40 && pair.r != NULL; n++)
			compare(&pair, fm_text(subject,
			    some_subject(subject)));
		pair_free(&pair);
	}
	ck_assert_uint_gt(tables, turns / 20);
}
END_TEST

START_TEST(what_is_not_regular_is_left_alone)
{
	struct fm_regular *r;

	r = fm_regular_new(fm_text_of(others[_i]), false);
	ck_assert_msg(r == NULL, "%s has no table", others[_i]);
}
END_TEST

START_TEST(a_subject_of_two_lines_is_left_alone)
{
	struct fm_regular *r;

	r = fm_regular_new(fm_text_of("a.*b"), false);
	ck_assert_uint_eq(fm_regular_find(r, fm_text_of("a\nb"), NULL),
	    FM_REGULAR_UNKNOWN);
	ck_assert_uint_eq(fm_regular_find(r, fm_text_of("a\rb"), NULL),
	    FM_REGULAR_UNKNOWN);
	ck_assert_uint_eq(fm_regular_find(r, fm_text_of("a b"), NULL),
	    FM_REGULAR_YES);
	ck_assert_uint_eq(fm_regular_find(r, fm_text_of(""), NULL),
	    FM_REGULAR_NO);
	fm_regular_free(&r);
	ck_assert_ptr_null(r);
}
END_TEST

START_TEST(a_table_has_a_size)
{
	char regex[3000] = "a*";
	struct fm_regular *r;
	unsigned i;

	for (i = 0; i < 1024; i++)
		strcat(regex, "bc");
	ck_assert_ptr_null(fm_regular_new(fm_text_of(regex), false));
	regex[200] = '\0';
	r = fm_regular_new(fm_text_of(regex), false);
	ck_assert_ptr_nonnull(r);
	ck_assert_uint_gt(fm_regular_bytes(r), 200 * sizeof(uint16_t));
	fm_regular_free(&r);
	strcpy(regex, "a*");
	for (i = 0; i < 30; i++)
		strcat(regex, "(");
	strcat(regex, "b");
	for (i = 0; i < 30; i++)
		strcat(regex, ")");
	ck_assert_ptr_null(fm_regular_new(fm_text_of(regex), false));
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("regular");

	tcase_set_timeout(tc, 60);
	unit_seed("regular");
	tcase_add_loop_test(tc, a_table_answers_as_pcre2, 0,
	    2 * COUNT(regular));
	tcase_add_loop_test(tc, a_loose_table_never_says_no_to_a_match, 0,
	    2 * COUNT(loose));
	tcase_add_test(tc, a_table_of_any_regex_answers_as_pcre2);
	tcase_add_loop_test(tc, what_is_not_regular_is_left_alone, 0,
	    COUNT(others));
	tcase_add_test(tc, a_subject_of_two_lines_is_left_alone);
	tcase_add_test(tc, a_table_has_a_size);
	return (unit_run("regular", tc));
}
