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
	struct fm_pattern *p;

	p = fm_pattern_new(kind, fm_text_of(text), nocase, &here, NULL);
	ck_assert_ptr_nonnull(p);
	return (p);
}

static bool
matches(enum fm_pattern_kind kind, const char *text, bool nocase,
    const char *subject)
{
	struct fm_tally tally = { 0 };
	struct fm_pattern *p;
	struct fm_text s;
	bool hit;

	p = make(kind, text, nocase);
	s = unit_copy(fm_text_of(subject));
	hit = fm_pattern_match(p, s, &tally);
	ck_assert_uint_eq(tally.confirms, 1);
	free((char *)(uintptr_t)s.b);
	fm_pattern_free(&p);
	return (hit);
}

START_TEST(each_kind_matches_its_part_of_the_text)
{
	static const struct {
		enum fm_pattern_kind	kind;
		const char		*text;
		const char		*yes[3];
		const char		*no[4];
	} cases[] = {
		{ FM_PATTERN_CONTAINS, "bc", { "bc", "abcd", "bbc" },
		    { "", "b", "b.c", "cb" } },
		{ FM_PATTERN_EXACT, "bc", { "bc" }, { "", "abc", "bcd",
		    "b" } },
		{ FM_PATTERN_PREFIX, "bc", { "bc", "bcd" }, { "", "abc",
		    "b", "cb" } },
		{ FM_PATTERN_SUFFIX, "bc", { "bc", "abc" }, { "", "bcd",
		    "c", "cb" } },
		{ FM_PATTERN_GLOB, "b*c?", { "bcd", "bxcxcy", "b/cc" },
		    { "", "bc", "abcd", "bcdd" } },
		{ FM_PATTERN_REGEX, "^b+c", { "bc", "bbcd", "bcc" }, { "",
		    "abc", "c", "b" } },
	};
	size_t i, j;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (j = 0; j < 3 && cases[i].yes[j] != NULL; j++)
			ck_assert_msg(matches(cases[i].kind, cases[i].text,
			    false, cases[i].yes[j]), "%s %s", cases[i].text,
			    cases[i].yes[j]);
		for (j = 0; j < 4; j++)
			ck_assert_msg(!matches(cases[i].kind, cases[i].text,
			    false, cases[i].no[j]), "%s %s", cases[i].text,
			    cases[i].no[j]);
	}
}
END_TEST

START_TEST(case_is_ignored_only_where_asked)
{
	int kind;

	for (kind = FM_PATTERN_CONTAINS; kind <= FM_PATTERN_REGEX; kind++) {
		ck_assert(!matches((enum fm_pattern_kind)kind, "a-B", false,
		    "A-b"));
		ck_assert(matches((enum fm_pattern_kind)kind, "a-B", true,
		    "A-b"));
		ck_assert(matches((enum fm_pattern_kind)kind, "a-B", false,
		    "a-B"));
	}
	/* Quoted, so that a dot is a dot. */
	ck_assert(!matches(FM_PATTERN_CONTAINS, "a.b", true, "axb"));
	ck_assert(matches(FM_PATTERN_CONTAINS, "a.b", true, "xA.Bx"));
}
END_TEST

START_TEST(bad_patterns_are_refused_with_their_place)
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
	ck_assert_ptr_null(fm_pattern_new(FM_PATTERN_SUFFIX, fm_text_of(""),
	    false, &here, diag));
	ck_assert_uint_eq(fm_diag_errors(diag), 4);
	fm_diag_free(&diag);
}
END_TEST

START_TEST(the_empty_text_is_matched_by_exact_glob_and_regex)
{
	ck_assert(matches(FM_PATTERN_EXACT, "", false, ""));
	ck_assert(!matches(FM_PATTERN_EXACT, "", false, "a"));
	ck_assert(matches(FM_PATTERN_GLOB, "", false, ""));
	ck_assert(!matches(FM_PATTERN_GLOB, "", false, "a"));
	ck_assert(matches(FM_PATTERN_REGEX, "", false, "a"));
}
END_TEST

static void
check_sub(enum fm_pattern_kind kind, const char *text, const char *subject,
    const char *replacement, bool all, const char *want)
{
	struct fm_tally tally = { 0 };
	struct fm_pattern *p;
	char buf[64];
	size_t len, cap;

	p = make(kind, text, false);
	len = fm_pattern_sub(p, fm_text_of(subject), fm_text_of(replacement),
	    all, buf, sizeof buf, &tally);
	if (want == NULL)
		ck_assert_msg(len == FM_PATTERN_SAME, "%s %s", text, subject);
	else {
		unit_assert_text(fm_text(buf, len), want);
		/* With less room it says how much it takes. */
		for (cap = 0; cap < len; cap++)
			ck_assert_uint_eq(fm_pattern_sub(p,
			    fm_text_of(subject), fm_text_of(replacement),
			    all, buf, cap, &tally), len);
	}
	fm_pattern_free(&p);
}

START_TEST(sub_replaces_as_regsub_and_regsuball_do)
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
END_TEST

START_TEST(sub_with_a_plain_pattern_replaces_its_text)
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
END_TEST

/* As many bytes, all of them 'a', in rules: how long it gets by aa for each. */
static size_t
sub_of_many(const char *regex, size_t len, struct fm_tally *tally)
{
	static char subject[8000], buf[4 * sizeof subject];
	struct fm_pattern *p;

	*tally = (struct fm_tally){ .over_limit_max = 4, .ration = 1 };
	memset(subject, 'a', sizeof subject);
	p = make(FM_PATTERN_REGEX, regex, false);
	len = fm_pattern_sub(p, fm_text(subject, len), fm_text_of("aa"),
	    true, buf, sizeof buf, tally);
	fm_pattern_free(&p);
	return (len);
}

START_TEST(a_request_has_so_many_matches_that_pcre2_finds)
{
	struct fm_tally tally;

	/* A row of bytes, as often as it comes. */
	ck_assert_uint_eq(sub_of_many("a", 8000, &tally), 16000);
	ck_assert_uint_eq(sub_of_many("[ab]", 8000, &tally), 16000);
	ck_assert_uint_eq(sub_of_many("aa|b", 8000, &tally), 8000);
	ck_assert_uint_eq(tally.over_limit, 0);
	/* Any other: 64, and one more for 48 bytes, up to 140. */
	ck_assert_uint_eq(sub_of_many("a(?!b)", 65, &tally), 130);
	ck_assert_uint_eq(tally.over_limit, 0);
	ck_assert_uint_eq(sub_of_many("a(?!b)", 66, &tally), FM_PATTERN_SAME);
	ck_assert_uint_eq(tally.over_limit, 1);
	ck_assert_uint_eq(sub_of_many("a(?!b)", 8000, &tally),
	    FM_PATTERN_SAME);
	ck_assert_uint_eq(tally.over_limit, 1);
	ck_assert_uint_eq(sub_of_many("a{40}(?!b)", 3200, &tally), 160);
	ck_assert_uint_eq(tally.over_limit, 0);
}
END_TEST

/* A call of VCL may ask more regexes, but each of them has the same bound. */
START_TEST(a_call_has_no_more_matches_of_one_regex)
{
	struct fm_tally tally = { 0 };
	static char subject[8000], buf[4 * sizeof subject];
	struct fm_pattern *p = make(FM_PATTERN_REGEX, "a(?!b)", false);

	memset(subject, 'a', sizeof subject);
	ck_assert_uint_eq(fm_pattern_sub(p, fm_text(subject, 65),
	    fm_text_of("aa"), true, buf, sizeof buf, &tally), 130);
	ck_assert_uint_eq(tally.over_limit, 0);
	ck_assert_uint_eq(fm_pattern_sub(p, fm_text(subject, 66),
	    fm_text_of("aa"), true, buf, sizeof buf, &tally), FM_PATTERN_SAME);
	ck_assert_uint_eq(tally.over_limit, 1);
	fm_pattern_free(&p);
}
END_TEST

/* regsuball, at each place in turn. */
static size_t
twin_sub(struct fm_text s, struct fm_text text, bool nocase, bool refers,
    char *buf)
{
	size_t i = 0, n = 0, found = 0;

	while (i < s.len)
		if (s.len - i >= text.len &&
		    twin_eq(s.b + i, text.b, text.len, nocase)) {
			buf[n++] = '<';
			if (refers)
				memcpy(buf + n, s.b + i, text.len);
			n += refers ? text.len : 0;
			buf[n++] = '>';
			i += text.len;
			found++;
		} else
			buf[n++] = s.b[i++];
	return (found == 0 ? FM_PATTERN_SAME : n);
}

/* Texts that begin like themselves, in what is made of them or nearly so. */
START_TEST(sub_of_many_matches_of_a_text_is_regsuball)
{
	char text[300], subject[2000], want[6000], got[6000];
	unsigned round, i, n, many = 0;
	struct fm_tally tally = { 0 };
	struct fm_text s, t;
	struct fm_pattern *p;
	bool nocase, refers;
	size_t len;

	unit_seed("sub of a text");
	for (round = 0; round < 4000; round++) {
		nocase = unit_below(2);
		refers = unit_below(2);
		n = 1 + unit_below(unit_below(9) ? 6 : 290);
		for (i = 0; i < n; i++)
			text[i] = "aaAbb*\xe9"[unit_below(7)];
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
		p = fm_pattern_new(FM_PATTERN_CONTAINS, t, nocase, &here,
		    NULL);
		len = fm_pattern_sub(p, s, fm_text_of(refers ? "<\\0>" : "<>"),
		    true, got, sizeof got, &tally);
		ck_assert_uint_eq(len, twin_sub(s, t, nocase, refers, want));
		if (len != FM_PATTERN_SAME)
			ck_assert_mem_eq(got, want, len);
		many += len != FM_PATTERN_SAME && len > s.len;
		fm_pattern_free(&p);
		twin_free(s);
	}
	ck_assert_uint_gt(many, round / 20);
	ck_assert_uint_eq(tally.over_limit, 0);
}
END_TEST

/* What is replaced up to there is not half an answer. */
START_TEST(a_sub_that_gives_up_on_the_way_changes_nothing)
{
	struct fm_tally tally = { 0 };
	struct fm_pattern *p;
	char subject[4000], buf[8000];

	memset(subject, 'a', sizeof subject);
	subject[0] = 'x';
	p = make(FM_PATTERN_REGEX, "x|(a+)+b", false);
	ck_assert_uint_eq(fm_pattern_sub(p, fm_text(subject, sizeof subject),
	    fm_text_of("yy"), false, buf, sizeof buf, &tally), 4001);
	ck_assert_uint_eq(fm_pattern_sub(p, fm_text(subject, sizeof subject),
	    fm_text_of("yy"), true, buf, sizeof buf, &tally),
	    FM_PATTERN_SAME);
	ck_assert_uint_eq(tally.over_limit, 1);
	fm_pattern_free(&p);
}
END_TEST

START_TEST(only_a_regex_goes_untried_after_too_many_over_the_limit)
{
	struct fm_tally spent = { .over_limit = 3, .over_limit_before = 1,
	    .over_limit_max = 4 };
	const struct fm_place place = { .name = "test" };
	struct fm_pattern *p;

	p = fm_pattern_new(FM_PATTERN_CONTAINS, fm_text_of("EVIL"), true,
	    &place, NULL);
	ck_assert(fm_pattern_match(p, fm_text_of("an evil agent"), &spent));
	ck_assert_uint_eq(spent.unasked, 0);
	ck_assert_uint_eq(spent.over_limit_max, 4);
	fm_pattern_free(&p);
	p = fm_pattern_new(FM_PATTERN_REGEX, fm_text_of("evil"), true,
	    &place, NULL);
	ck_assert(!fm_pattern_match(p, fm_text_of("an evil agent"), &spent));
	ck_assert_uint_eq(spent.unasked, 1);
	fm_pattern_free(&p);
}
END_TEST

/*
 * What contains finds, and where, against a search byte by byte.
 */

static bool
is_at(const struct fm_pattern *p, struct fm_text s, size_t i)
{
	struct fm_text what = fm_pattern_text(p), there;

	if (i + what.len > s.len)
		return (false);
	there = fm_text(s.b + i, what.len);
	return (fm_pattern_nocase(p) ? fm_text_eq_nocase(there, what) :
	    memcmp(there.b, what.b, what.len) == 0);
}

/* The leftmost place, or -1. */
static long
twin_find(const struct fm_pattern *p, struct fm_text s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if (is_at(p, s, i))
			return ((long)i);
	return (-1);
}

static struct fm_pattern *
make_contains(struct fm_text text, bool nocase)
{
	struct fm_pattern *p;

	p = fm_pattern_new(FM_PATTERN_CONTAINS, text, nocase, &here, NULL);
	AGREE(p != NULL, "no pattern");
	return (p);
}

/* Where it is, is seen by what sub leaves. */
static long
found_at(const struct fm_pattern *p, struct fm_text s)
{
	static char buf[2048];
	struct fm_tally tally = { 0 };
	size_t len, i;

	len = fm_pattern_sub(p, s, fm_text("", 0), false, buf, sizeof buf,
	    &tally);
	if (len == FM_PATTERN_SAME)
		return (-1);
	AGREE(len + fm_pattern_text(p).len == s.len && len <= sizeof buf,
	    "it took another text out");
	for (i = 0; i + fm_pattern_text(p).len <= s.len; i++)
		if (is_at(p, s, i) &&
		    memcmp(buf, s.b, i) == 0 && memcmp(buf + i,
		    s.b + i + fm_pattern_text(p).len, len - i) == 0)
			return ((long)i);
	return (-2);
}

/* Returns whether it was found. */
static bool
check_found(const struct fm_pattern *p, struct fm_text what,
    struct fm_text subject)
{
	struct fm_tally tally = { 0 };
	struct fm_text s = unit_copy(subject);
	long want = twin_find(p, s);
	bool hit = fm_pattern_match(p, s, &tally);

	AGREE(hit == (want >= 0), "\"%.*s\" in \"%.*s\": %d, the twin has "
	    "%ld", (int)what.len, what.b, (int)s.len, s.b, hit, want);
	if (s.len < 1000)
		AGREE(found_at(p, s) == want, "\"%.*s\" in \"%.*s\": at %ld, "
		    "not %ld", (int)what.len, what.b, (int)s.len, s.b,
		    found_at(p, s), want);
	twin_free(s);
	return (hit);
}

/* A text in which what is sought begins often and is there seldom. */
static struct fm_text
hostile(char *buf, unsigned longest, struct fm_text what)
{
	unsigned room = unit_below(longest + 1), take, from;
	size_t len = 0;

	while (len < room) {
		from = unit_below(2) ? 0 : unit_below((unsigned)what.len);
		take = 1 + unit_below((unsigned)what.len - from);
		if (take > room - len)
			take = room - (unsigned)len;
		memcpy(buf + len, what.b + from, take);
		len += take;
	}
	if (room > 0 && unit_below(4) == 0)
		buf[unit_below(room)] ^= 0x20;
	return (fm_text(buf, len));
}

START_TEST(contains_finds_what_a_search_byte_by_byte_finds)
{
	/* Common and rare bytes, one alone, and NUL (see below). */
	static const char * const alphabets[] = { "ab", "aZ", "Z", "eta/Q",
	    "abcdefghijklmnopqrstuvwxyzABCXYZ0123456789/.-_%\"\1\200\377",
	    "\200\377" };
	char what[24], buf[300];
	struct fm_text w, t;
	struct fm_pattern *p;
	unsigned i, k, j, hits = 0, all = 0;

	unit_seed("pattern");
	for (i = 0; i < 6000; i++) {
		w = twin_random(what, unit_below(4) ? 5 : 24,
		    alphabets[unit_below(COUNT(alphabets))]);
		if (w.len == 0)
			continue;
		if (unit_below(4) == 0)
			what[unit_below((unsigned)w.len)] = '\0';
		p = make_contains(w, unit_below(2));
		for (k = 0; k < 20; k++) {
			t = unit_below(2) ? hostile(buf, 300, w) :
			    twin_random(buf, unit_below(2) ? 8 : 300,
			    alphabets[unit_below(COUNT(alphabets))]);
			for (j = unit_below(6); j == 0 && t.len > 0; j++)
				buf[unit_below((unsigned)t.len)] = '\0';
			hits += check_found(p, w, t);
			all++;
		}
		/* Full of its bytes, each in turn: one of these is the rare. */
		for (k = 0; k < w.len; k++) {
			memset(buf, what[k], sizeof buf);
			(void)check_found(p, w, fm_text(buf, sizeof buf));
			memcpy(buf + sizeof buf - w.len, what, w.len);
			AGREE(check_found(p, w, fm_text(buf, sizeof buf)),
			    "not at the end");
		}
		/* The text itself, and one byte less at either end. */
		AGREE(check_found(p, w, w), "not itself");
		AGREE(!check_found(p, w, fm_text(what, w.len - 1)), "short");
		AGREE(!check_found(p, w, fm_text(what + 1, w.len - 1)),
		    "short");
		AGREE(!check_found(p, w, fm_text("", 0)), "in nothing");
		fm_pattern_free(&p);
	}
	ck_assert_uint_gt(hits, all / 10);
	ck_assert_uint_gt(all - hits, all / 10);
}
END_TEST

START_TEST(contains_is_not_lost_after_so_many_false_leads)
{
	/* What is sought, a false lead, and what comes before it is there. */
	static const char * const cases[][3] = {
		{ "Zab", "Zax", "" }, { "Zab", "Z", "" },
		{ "abZ", "xbZ", "" }, { "abZcd", "abZce", "abZc" },
		{ "ZZZb", "Z", "" }, { "aZaZb", "aZ", "aZ" },
		{ "ab", "ac", "a" }, { "\377\200", "\377", "\377" }
	};
	struct fm_text w;
	struct fm_pattern *p;
	unsigned i, leads, k;
	char buf[500], all[500];
	size_t len;

	for (i = 0; i < 2 * (unsigned)COUNT(cases); i++) {
		w = fm_text_of(cases[i / 2][0]);
		p = make_contains(w, i % 2);
		for (leads = 0; leads < 40; leads++) {
			buf[0] = '\0';
			for (k = 0; k < leads; k++)
				strcat(buf, cases[i / 2][1]);
			strcat(buf, cases[i / 2][2]);
			(void)check_found(p, w, fm_text_of(buf));
			/* Each end of it, so that it is cut everywhere. */
			snprintf(all, sizeof all, "%s%s%s", buf,
			    cases[i / 2][0], leads % 3 == 0 ? "tail" : "");
			for (len = 0; len <= strlen(all); len++)
				(void)check_found(p, w, fm_text(all, len));
			ck_assert(check_found(p, w, fm_text_of(all)));
		}
		fm_pattern_free(&p);
	}
}
END_TEST

START_TEST(contains_without_case_finds_bytes_that_are_no_letters)
{
	struct fm_tally tally = { 0 };
	struct fm_pattern *p;
	struct fm_text s;

	p = make_contains(fm_text("A\0b[", 4), true);
	s = unit_copy(fm_text("xa\0B[", 5));
	ck_assert(fm_pattern_match(p, s, &tally));
	twin_free(s);
	/* [ and { differ as letters of either case do. */
	s = unit_copy(fm_text("xa\0B{", 5));
	ck_assert(!fm_pattern_match(p, s, &tally));
	twin_free(s);
	ck_assert(!fm_pattern_match(p, fm_text("a", 1), &tally));
	ck_assert(!fm_pattern_match(p, fm_text(NULL, 0), &tally));
	fm_pattern_free(&p);
	p = make_contains(fm_text_of("x"), false);
	ck_assert(!fm_pattern_match(p, fm_text(NULL, 0), &tally));
	fm_pattern_free(&p);
}
END_TEST

/* The bytes lie behind the rest: nobody may need them where they came from. */
START_TEST(a_pattern_has_bytes_of_its_own)
{
	struct fm_text text;
	struct fm_tally tally = { 0 };
	struct fm_pattern *p;
	int kind;

	for (kind = FM_PATTERN_CONTAINS; kind <= FM_PATTERN_REGEX; kind++) {
		text = unit_copy(fm_text_of("ab"));
		p = fm_pattern_new((enum fm_pattern_kind)kind, text, kind % 2,
		    &here, NULL);
		memset((void *)(uintptr_t)text.b, 'x', text.len);
		twin_free(text);
		ck_assert(fm_pattern_match(p, fm_text_of("ab"), &tally));
		unit_assert_text(fm_pattern_text(p), "ab");
		ck_assert_uint_eq(fm_pattern_text(p).b[2], '\0');
		ck_assert_uint_gt(fm_pattern_bytes(p), 2);
		fm_pattern_free(&p);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("pattern");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, each_kind_matches_its_part_of_the_text);
	tcase_add_test(tc, case_is_ignored_only_where_asked);
	tcase_add_test(tc, bad_patterns_are_refused_with_their_place);
	tcase_add_test(tc,
	    the_empty_text_is_matched_by_exact_glob_and_regex);
	tcase_add_test(tc, sub_replaces_as_regsub_and_regsuball_do);
	tcase_add_test(tc, sub_with_a_plain_pattern_replaces_its_text);
	tcase_add_test(tc, a_request_has_so_many_matches_that_pcre2_finds);
	tcase_add_test(tc, a_call_has_no_more_matches_of_one_regex);
	tcase_add_test(tc, sub_of_many_matches_of_a_text_is_regsuball);
	tcase_add_test(tc, a_sub_that_gives_up_on_the_way_changes_nothing);
	tcase_add_test(tc,
	    only_a_regex_goes_untried_after_too_many_over_the_limit);
	tcase_add_test(tc,
	    contains_finds_what_a_search_byte_by_byte_finds);
	tcase_add_test(tc,
	    contains_is_not_lost_after_so_many_false_leads);
	tcase_add_test(tc,
	    contains_without_case_finds_bytes_that_are_no_letters);
	tcase_add_test(tc, a_pattern_has_bytes_of_its_own);
	return (unit_run("pattern", tc));
}
