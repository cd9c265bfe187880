/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Globs: cases as a table, and a recursive twin on random input.
 */

#include "glob.h"
#include "twin.h"

static bool
match_percent(struct fm_text glob, struct fm_text subject)
{
	return (fm_glob_match_percent(glob, subject, false));
}

static const struct glob_case {
	const char	*glob;
	const char	*subject;
	bool		match;
	bool		nocase;		/* the answer without regard to case */
} glob_cases[] = {
	{ "", "", true, true },
	{ "", "a", false, false },
	{ "a", "", false, false },
	{ "*", "", true, true },
	{ "**", "", true, true },
	{ "?", "", false, false },
	{ "?*", "", false, false },
	{ "*?", "", false, false },
	{ "a", "a", true, true },
	{ "a", "A", false, true },
	{ "A", "a", false, true },
	{ "A*", "abc", false, true },
	{ "*C", "abc", false, true },
	{ "a*Xb", "aaxb", false, true },
	{ "a", "aa", false, false },
	{ "aa", "a", false, false },
	{ "?", "a", true, true },
	{ "?", "ab", false, false },
	{ "??", "ab", true, true },
	{ "a?", "a", false, false },
	{ "*", "anything", true, true },
	{ "a*", "a", true, true },
	{ "*a", "a", true, true },
	{ "*a*", "a", true, true },
	{ "*a*", "b", false, false },
	{ "a*b", "ab", true, true },
	{ "a*b", "acb", true, true },
	{ "a*b", "acbc", false, false },
	{ "a*b*c", "abbbc", true, true },
	{ "a*bc", "abcbc", true, true },
	{ "*abab", "ababab", true, true },
	{ "*aab*", "aaab", true, true },
	{ "a*a", "a", false, false },
	{ "ab*ba", "aba", false, false },
	{ "?*?", "a", false, false },
	{ "?*?", "ab", true, true },
	{ "*?a", "ba", true, true },
	{ "*??", "a", false, false },
	{ "utm_*", "utm_", true, true },
	{ "utm_*", "utm_source", true, true },
	{ "utm_*", "utm", false, false },
	{ "utm_*", "xutm_source", false, false },
	/* no classes and no escapes */
	{ "[a]", "a", false, false },
	{ "[a]", "[a]", true, true },
	{ "\\*", "*", false, false },
	{ "\\*", "\\*", true, true },
	/* bytes: the two of an umlaut, and case for ASCII alone */
	{ "?", "\xc3\xa4", false, false },
	{ "??", "\xc3\xa4", true, true },
	{ "\xc3\xa4", "\xc3\x84", false, false },
	{ "@", "`", false, false },
	{ "[", "{", false, false },
};

START_TEST(test_glob_cases)
{
	const struct glob_case *c = &glob_cases[_i];
	struct fm_text glob = unit_copy(fm_text_of(c->glob));
	struct fm_text subject = unit_copy(fm_text_of(c->subject));

	ck_assert_msg(fm_glob_match(glob, subject, false) == c->match,
	    "\"%s\" on \"%s\"", c->glob, c->subject);
	ck_assert_msg(fm_glob_match(glob, subject, true) == c->nocase,
	    "\"%s\" on \"%s\", nocase", c->glob, c->subject);
	ck_assert_msg(match_percent(glob, subject) == c->match,
	    "\"%s\" on \"%s\", percent", c->glob, c->subject);
	twin_free(glob);
	twin_free(subject);
}
END_TEST

static const struct {
	const char	*glob;
	const char	*subject;
	bool		match;
} percent_cases[] = {
	{ "a", "%61", true },
	{ "a?c", "a%62c", true },
	{ "?", "%62", true },
	{ "???", "%62", false },
	{ "J*", "%4a%4B%00", true },
	{ "*%", "a%", true },
	{ "*%6", "%6", true },
	{ "%zz", "%zz", true },
	{ "%a", "%%61", true },
	{ "%41", "%2541", true },	/* decoded once */
	{ "A", "%2541", false },
	{ "*", "%2a", true },
	{ "?", "%2a", true },
	{ "*41", "%41", false },
	{ "*1*", "%41", false },
	{ "a+b", "a+b", true },
	{ "a b", "a+b", false },
	{ "*ab*", "a%61%62", true },
};

START_TEST(test_glob_percent_decodes_once_and_bad_escapes_stay)
{
	struct fm_text subject;

	subject = unit_copy(fm_text_of(percent_cases[_i].subject));
	ck_assert_msg(match_percent(fm_text_of(percent_cases[_i].glob),
	    subject) == percent_cases[_i].match, "\"%s\" on \"%s\"",
	    percent_cases[_i].glob, percent_cases[_i].subject);
	twin_free(subject);
}
END_TEST

START_TEST(test_glob_percent_knows_every_digit_and_no_other)
{
	static const char not_digits[] = "/:@G`gxZ%+- ";
	char coded[8], glob[2] = "";
	const char *p;
	int byte;

	for (byte = 0; byte < 256; byte++) {
		glob[0] = (char)byte;
		(void)snprintf(coded, sizeof coded, "%%%02x", byte);
		ck_assert(match_percent(fm_text(glob, 1),
		    fm_text(coded, 3)));
		(void)snprintf(coded, sizeof coded, "%%%02X", byte);
		ck_assert(match_percent(fm_text(glob, 1),
		    fm_text(coded, 3)));
	}
	for (p = not_digits; *p != '\0'; p++) {
		(void)snprintf(coded, sizeof coded, "%%%c1%%1%c", *p, *p);
		ck_assert(match_percent(fm_text(coded, 6),
		    fm_text(coded, 6)));
	}
}
END_TEST

START_TEST(test_glob_prefix_ends_at_the_first_wildcard)
{
	ck_assert_uint_eq(fm_glob_prefix(fm_text_of("")), 0);
	ck_assert_uint_eq(fm_glob_prefix(fm_text_of("*")), 0);
	ck_assert_uint_eq(fm_glob_prefix(fm_text_of("?a*")), 0);
	ck_assert_uint_eq(fm_glob_prefix(fm_text_of("ab*c?")), 2);
	ck_assert_uint_eq(fm_glob_prefix(fm_text_of("ab?c*")), 2);
	ck_assert_uint_eq(fm_glob_prefix(fm_text_of("abc")), 3);
}
END_TEST

START_TEST(test_glob_takes_missing_texts_for_empty_ones)
{
	struct fm_text none = fm_text_of(NULL);

	ck_assert(fm_glob_match(none, none, false));
	ck_assert(fm_glob_match(fm_text_of("*"), none, true));
	ck_assert(match_percent(fm_text_of("*"), none));
	ck_assert(!fm_glob_match(fm_text_of("?"), none, false));
	ck_assert(!fm_glob_match(none, fm_text_of("a"), false));
	ck_assert(!match_percent(none, fm_text_of("a")));
}
END_TEST

static struct fm_text
twin_lower(struct fm_text t, char *buf)
{
	size_t i;

	for (i = 0; i < t.len; i++)
		buf[i] = t.b[i] >= 'A' && t.b[i] <= 'Z' ?
		    t.b[i] - 'A' + 'a' : t.b[i];
	return (fm_text(buf, t.len));
}

/* All four ways to read the subject; whether it matches as it is. */
static bool
agrees(struct fm_text g, struct fm_text s)
{
	char gbuf[256], sbuf[512];
	bool is, matches;

	AGREE(g.len <= sizeof gbuf && s.len <= sizeof sbuf, "too long");
	g = unit_copy(g);
	s = unit_copy(s);
	is = matches = twin_glob(g, s);
	AGREE(fm_glob_match(g, s, false) == is,
	    "\"%.*s\" on \"%.*s\"", (int)g.len, g.b, (int)s.len, s.b);
	is = twin_glob(twin_lower(g, gbuf), twin_lower(s, sbuf));
	AGREE(fm_glob_match(g, s, true) == is,
	    "\"%.*s\" on \"%.*s\", nocase", (int)g.len, g.b,
	    (int)s.len, s.b);
	is = twin_glob(g, twin_decode(s, sbuf));
	AGREE(match_percent(g, s) == is,
	    "\"%.*s\" on \"%.*s\", percent", (int)g.len, g.b,
	    (int)s.len, s.b);
	is = twin_glob(twin_lower(g, gbuf),
	    twin_lower(twin_decode(s, sbuf), sbuf));
	AGREE(fm_glob_match_percent(g, s, true) == is,
	    "\"%.*s\" on \"%.*s\", percent, nocase", (int)g.len, g.b,
	    (int)s.len, s.b);
	twin_free(g);
	twin_free(s);
	return (matches);
}

START_TEST(test_glob_agrees_with_its_definition_on_random_input)
{
	char gbuf[32], sbuf[32];
	unsigned n, hits = 0;

	unit_seed("glob");
	for (n = 0; n < 200000; n++)
		hits += agrees(twin_random(gbuf, 9, "aabB%64*?*"),
		    twin_random(sbuf, 12, "aaabB%64"));
	/* both answers were there to be got wrong */
	ck_assert_uint_gt(hits, 10000);
	ck_assert_uint_lt(hits, 190000);
}
END_TEST

/* A piece that is looked for by a word of bits, of up to two words' length. */
static size_t
some_piece(char *b)
{
	size_t n = 10 + unit_below(unit_below(2) ? 120 : 10), i;

	for (i = 0; i < n; i++)
		b[i] = "aaaaaaaaaaaaabB?"[unit_below(16)];
	return (n);
}

START_TEST(test_glob_finds_long_pieces)
{
	char g[256], s[512], piece[130];
	size_t glen, slen, len, i;
	unsigned n, k, hits = 0;

	unit_seed("glob pieces");
	for (n = 0; n < 40000; n++) {
		glen = slen = 0;
		for (k = unit_below(3); k > 0; k--)
			s[slen++] = 'a';
		for (k = unit_below(2) + 1; k > 0; k--) {
			len = some_piece(piece) / k;
			g[glen++] = '*';
			memcpy(g + glen, piece, len);
			glen += len;
			/* As it stands, or nearly; and something behind it. */
			for (i = 0; i < len; i++)
				s[slen++] = piece[i] == '?' ||
				    unit_below(100) == 0 ? 'a' : piece[i];
			for (i = unit_below(20); i > 0; i--)
				s[slen++] = "ab"[unit_below(2)];
		}
		if (unit_below(4) > 0)
			g[glen++] = '*';
		hits += agrees(fm_text(g, glen), fm_text(s, slen));
	}
	ck_assert_uint_gt(hits, 4000);
	ck_assert_uint_lt(hits, 36000);
}
END_TEST

/* What backtracks into more than the last star never ends here. */
START_TEST(test_glob_is_not_exponential_on_hostile_input)
{
	size_t len = 64 << 10;
	char *a = malloc(len);
	struct fm_text s = fm_text(a, len);

	ck_assert_ptr_nonnull(a);
	memset(a, 'a', len);
	ck_assert(!fm_glob_match(fm_text_of("*a*a*a*a*b"), s, false));
	ck_assert(!fm_glob_match(fm_text_of("*a*a*a*a*b*"), s, false));
	ck_assert(!fm_glob_match(fm_text_of("*a*a*a*a*b*"), s, true));
	ck_assert(!match_percent(fm_text_of("*a*a*a*a*b"), s));
	ck_assert(!fm_glob_match(fm_text_of("*a?a?a?a?b*a"), s, false));
	ck_assert(!fm_glob_match(fm_text_of("*?????????b*a"), s, true));
	ck_assert(fm_glob_match(fm_text_of("*a*a*a*a*a"), s, false));
	ck_assert(match_percent(fm_text_of("*a*a*a*a*a"), s));
	ck_assert(!fm_glob_match(fm_text_of("*aaaaaaaa?aaaaaaaaaaab*"), s,
	    true));
	free(a);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("glob");

	tcase_set_timeout(tc, 30);
	tcase_add_loop_test(tc, test_glob_cases, 0,
	    COUNT(glob_cases));
	tcase_add_loop_test(tc,
	    test_glob_percent_decodes_once_and_bad_escapes_stay, 0,
	    COUNT(percent_cases));
	tcase_add_test(tc,
	    test_glob_percent_knows_every_digit_and_no_other);
	tcase_add_test(tc, test_glob_prefix_ends_at_the_first_wildcard);
	tcase_add_test(tc, test_glob_takes_missing_texts_for_empty_ones);
	tcase_add_test(tc,
	    test_glob_agrees_with_its_definition_on_random_input);
	tcase_add_test(tc, test_glob_finds_long_pieces);
	tcase_add_test(tc, test_glob_is_not_exponential_on_hostile_input);
	return (unit_run("glob", tc));
}
