/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One pattern: what each kind matches, and what sub makes of it.
 */

#include "pattern.h"
#include "twin.h"

static const struct fm_place here = { .name = "f", .line = 3, .column = 5 };

static struct fm_pattern *
make(enum fm_pattern_kind kind, const char *text, bool nocase)
{
	struct fm_pattern *pattern;

	pattern = fm_pattern_new(kind, fm_text_of(text), nocase, &here, NULL);
	ck_assert_ptr_nonnull(pattern);
	return (pattern);
}

UNIT_TEST(bad_patterns_are_refused_with_their_place)
{
	struct fm_diag *diag;

	diag = fm_diag_new();
	ck_assert_ptr_null(fm_pattern_new(FM_PATTERN_REGEX,
	    fm_text_of("ab(c"), false, &here, diag));
	ck_assert_str_eq(fm_diag_line(diag, 0), "f:3:9: error: regex "
	    "'ab(c': missing closing parenthesis (at offset 4)");
	ck_assert_ptr_null(fm_pattern_new(FM_PATTERN_CONTAINS,
	    fm_text_of(""), false, &here, diag));
	ck_assert_str_eq(fm_diag_line(diag, 1), "f:3:5: error: an empty "
	    "pattern of kind contains would match everything: give it a "
	    "text, or leave it out");
	ck_assert_ptr_null(fm_pattern_new(FM_PATTERN_PREFIX, fm_text_of(""),
	    false, &here, diag));
	ck_assert_uint_eq(fm_diag_errors(diag), 3);
	fm_diag_free(&diag);
}

static void
check_sub(enum fm_pattern_kind kind, const char *text, const char *subject,
    const char *replacement, bool all, const char *want)
{
	struct fm_tally tally = { 0 };
	struct fm_pattern *pattern;
	char buf[64];
	size_t len, cap;

	pattern = make(kind, text, false);
	len = fm_pattern_sub(pattern, fm_text_of(subject),
	    fm_text_of(replacement), all, buf, sizeof buf, &tally);
	if (want == NULL)
		ck_assert_msg(len == FM_PATTERN_SAME, "%s %s", text, subject);
	else {
		unit_assert_text(fm_text(buf, len), want);
		/* With less room it says how much it takes. */
		for (cap = 0; cap < len; cap++)
			ck_assert_uint_eq(fm_pattern_sub(pattern,
			    fm_text_of(subject), fm_text_of(replacement),
			    all, buf, cap, &tally), len);
	}
	fm_pattern_free(&pattern);
}

UNIT_TEST(sub_replaces_as_regsub_and_regsuball_do)
{
	enum fm_pattern_kind re = FM_PATTERN_REGEX;

	check_sub(re, "b", "abcb", "x", false, "axcb");
	check_sub(re, "b", "abcb", "x", true, "axcx");
	check_sub(re, "z", "abcb", "x", true, NULL);
	check_sub(re, "(a)(b)?", "a-ab", "[\\1\\2\\0]", true,
	    "[aa]-[abab]");
	check_sub(re, "a", "a", "\\9\\x\\\\", false, "x\\");
	check_sub(re, "a", "a", "x\\", false, "x\\");
	check_sub(re, "b*", "abb", "x", false, "xabb");
	check_sub(re, "b*", "abb", "x", true, "xax");
	check_sub(re, "", "ab", "x", true, "xab");
	check_sub(re, "^a", "aab", "", true, "ab");
	check_sub(re, "a$", "aa", "", true, "a");
	check_sub(re, "a\\Kb", "abab", "x", true, "axax");
}

UNIT_TEST(sub_with_a_plain_pattern_replaces_its_text)
{
	check_sub(FM_PATTERN_CONTAINS, "ab", "xabab", "-\\0-", false,
	    "x-ab-ab");
	check_sub(FM_PATTERN_CONTAINS, "ab", "xabab", "\\1y", true, "xyy");
	check_sub(FM_PATTERN_CONTAINS, "ab", "ba", "y", true, NULL);
	check_sub(FM_PATTERN_PREFIX, "ab", "abab", "y", true, "yab");
	check_sub(FM_PATTERN_SUFFIX, "ab", "abab", "y", true, "aby");
	check_sub(FM_PATTERN_EXACT, "ab", "ab", "y", true, "y");
	check_sub(FM_PATTERN_EXACT, "", "", "y", true, "y");
	check_sub(FM_PATTERN_GLOB, "a*", "ab", "y", true, "y");
	check_sub(FM_PATTERN_GLOB, "*", "", "y", true, "y");
	check_sub(FM_PATTERN_EXACT, "ab", "abc", "y", true, NULL);
}

/* regsuball, at each place in turn. */
static size_t
twin_sub(struct fm_text s, struct fm_text text, bool nocase, char *buf)
{
	size_t i = 0, n = 0, found = 0;

	while (i < s.len)
		if (s.len - i >= text.len &&
		    twin_eq(s.b + i, text.b, text.len, nocase)) {
			buf[n++] = '<';
			memcpy(buf + n, s.b + i, text.len);
			n += text.len;
			buf[n++] = '>';
			i += text.len;
			found++;
		} else
			buf[n++] = s.b[i++];
	return (found == 0 ? FM_PATTERN_SAME : n);
}

/* Texts that begin like themselves, in what is made of them or nearly so. */
UNIT_TEST(contains_and_sub_find_what_a_search_byte_by_byte_finds)
{
	char text[300], subject[2000], want[6000], got[6000];
	unsigned round, rounds = unit_rounds(40000, 10), i, n, many = 0;
	struct fm_tally tally = { 0 };
	struct fm_text s, t;
	struct fm_pattern *pattern;
	bool nocase;
	size_t len, all;

	unit_seed("pattern");
	for (round = 0; round < rounds; round++) {
		nocase = unit_below(2);
		n = 1 + unit_below(unit_below(9) ? 6 : 290);
		for (i = 0; i < n; i++)
			text[i] = "aaAbb*\xe9\0[{"[unit_below(10)];
		t = fm_text(text, n);
		for (len = 0; len + 300 < unit_below(2000);)
			if (unit_below(4) == 0)
				subject[len++] = "aAb-"[unit_below(4)];
			else {
				i = unit_below(9) ? n : unit_below(n);
				memcpy(subject + len, text, i);
				len += i;
			}
		s = unit_copy(fm_text(subject, len));
		pattern = fm_pattern_new(FM_PATTERN_CONTAINS, t, nocase, &here,
		    NULL);
		all = twin_sub(s, t, nocase, want);
		AGREE(fm_pattern_match(pattern, s, &tally) ==
		    (all != FM_PATTERN_SAME), "contains");
		len = fm_pattern_sub(pattern, s, fm_text_of("<\\0>"), true, got,
		    sizeof got, &tally);
		AGREE(len == all && (len == FM_PATTERN_SAME ||
		    memcmp(got, want, len) == 0), "sub");
		many += len != FM_PATTERN_SAME && len > s.len;
		fm_pattern_free(&pattern);
		twin_free(s);
	}
	ck_assert_uint_gt(many, rounds / 20);
	ck_assert_uint_eq(tally.over_limit, 0);
}

UNIT_TEST(a_sub_replaces_thousands_or_gives_up_and_changes_nothing)
{
	struct fm_tally tally = { 0 };
	struct fm_pattern *pattern;
	char subject[4000], buf[8000];

	memset(subject, 'a', sizeof subject);
	subject[0] = 'x';
	pattern = make(FM_PATTERN_REGEX, "a(?!b)", false);
	ck_assert_uint_eq(fm_pattern_sub(pattern, fm_text(subject,
	    sizeof subject), fm_text_of("yy"), true, buf, sizeof buf, &tally),
	    7999);
	ck_assert_uint_eq(tally.over_limit, 0);
	fm_pattern_free(&pattern);
	pattern = make(FM_PATTERN_REGEX, "x|(a+)+b", false);
	ck_assert_uint_eq(fm_pattern_sub(pattern, fm_text(subject,
	    sizeof subject), fm_text_of("yy"), false, buf, sizeof buf, &tally),
	    4001);
	ck_assert_uint_eq(fm_pattern_sub(pattern, fm_text(subject,
	    sizeof subject), fm_text_of("yy"), true, buf, sizeof buf, &tally),
	    FM_PATTERN_SAME);
	ck_assert_uint_eq(tally.over_limit, 1);
	fm_pattern_free(&pattern);
}

UNIT_TEST(a_pattern_has_bytes_of_its_own)
{
	struct fm_text text;
	struct fm_tally tally = { 0 };
	struct fm_pattern *pattern;
	int kind;

	for (kind = FM_PATTERN_CONTAINS; kind <= FM_PATTERN_REGEX; kind++) {
		text = unit_copy(fm_text_of("ab"));
		pattern = fm_pattern_new((enum fm_pattern_kind)kind, text,
		    kind % 2, &here, NULL);
		memset((void *)(uintptr_t)text.b, 'x', text.len);
		twin_free(text);
		ck_assert(fm_pattern_match(pattern, fm_text_of("ab"), &tally));
		unit_assert_text(fm_pattern_text(pattern), "ab");
		ck_assert_uint_eq(fm_pattern_text(pattern).b[2], '\0');
		ck_assert_uint_gt(fm_pattern_bytes(pattern), 2);
		fm_pattern_free(&pattern);
	}
}

int
main(void)
{
	return (unit_main("pattern", 60));
}
