/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Globs: cases as a table, and a recursive twin on random input.
 */

#include "glob.h"
#include "twin.h"

#define GLOB_MAX	1400
#define SUBJECT_MAX	9000

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

START_TEST(test_glob_takes_a_dash_for_an_underscore_and_not_back)
{
	static const struct {
		const char	*glob;
		const char	*name;
		bool		match;
	} cases[] = {
		{ "X-Internal-*", "x_internal-a", true },
		{ "X-Internal-*", "X-INTERNAL_", true },
		{ "X-Internal-*", "X.Internal-a", false },
		{ "X_Internal-*", "X-Internal-a", false },
		{ "X_Internal-*", "X_Internal_a", true },
		{ "*-a-*", "x_A_", true },
		{ "*-a-*", "x_A", false },
		{ "*-a_*", "x_a-", false },
		{ "*-id", "x_ID", true },
		{ "*_id", "x-ID", false },
		{ "?-?", "__-", true },
		{ "-", "_", true },
		{ "_", "-", false },
		{ "*--------------*", "a_-_-_-_-_-_-_-b", true },
		{ "*-_------------*", "a_-_-_-_-_-_-_-b", false },
	};
	size_t i;

	for (i = 0; i < COUNT(cases); i++)
		ck_assert_msg(fm_glob_match_header(fm_text_of(cases[i].glob),
		    fm_text_of(cases[i].name)) == cases[i].match,
		    "\"%s\" on \"%s\"", cases[i].glob, cases[i].name);
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

/* Letters of the random texts become `-` and `_`, others stay. */
static struct fm_text
dash(struct fm_text t, char *buf, bool glob)
{
	size_t i;

	for (i = 0; i < t.len; i++)
		buf[i] = t.b[i] == 'B' ? '_' : t.b[i] != 'b' ? t.b[i] :
		    glob || i % 3 == 0 ? '-' : '_';
	return (fm_text(buf, t.len));
}

static void
agree_on_header(struct fm_text g, struct fm_text s)
{
	static char gbuf[GLOB_MAX], sbuf[SUBJECT_MAX];
	bool is;

	g = unit_copy(dash(g, gbuf, true));
	s = unit_copy(dash(s, sbuf, false));
	is = twin_glob_dashed(twin_lower(g, gbuf), twin_lower(s, sbuf), true);
	AGREE(fm_glob_match_header(g, s) == is,
	    "\"%.*s\" on \"%.*s\", header", (int)g.len, g.b,
	    (int)s.len, s.b);
	twin_free(g);
	twin_free(s);
}

/* All ways to read the subject; whether it matches as it is. */
static bool
agrees(struct fm_text g, struct fm_text s)
{
	static char gbuf[GLOB_MAX], sbuf[SUBJECT_MAX];
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
	agree_on_header(g, s);
	twin_free(g);
	twin_free(s);
	return (matches);
}

START_TEST(test_glob_agrees_with_its_definition_on_random_input)
{
	char gbuf[32], sbuf[32];
	unsigned n, rounds = unit_rounds(200000, 4), hits = 0;

	unit_seed("glob");
	for (n = 0; n < rounds; n++)
		hits += agrees(twin_random(gbuf, 9, "aabB%64*?*"),
		    twin_random(sbuf, 12, "aaabB%64"));
	/* both answers were there to be got wrong */
	ck_assert_uint_gt(hits, rounds / 20);
	ck_assert_uint_lt(hits, rounds - rounds / 20);
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
	unsigned n, k, rounds = unit_rounds(40000, 16), hits = 0;

	unit_seed("glob pieces");
	for (n = 0; n < rounds; n++) {
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
	ck_assert_uint_gt(hits, rounds / 10);
	ck_assert_uint_lt(hits, rounds - rounds / 10);
}
END_TEST

/* As it comes to be written: `?` is any byte, and some are coded. */
static size_t
write_piece(char *to, const char *piece, size_t len, unsigned coded)
{
	size_t i, n = 0;
	char c;

	for (i = 0; i < len; i++) {
		c = piece[i] == '?' ? "aB%"[unit_below(3)] : piece[i];
		if (coded > 0 && unit_below(coded) == 0)
			n += (size_t)snprintf(to + n, 4, "%%%02x", c);
		else
			to[n++] = c;
	}
	return (n);
}

static const size_t borders[] = { 1, 2, 11, 12, 13, 63, 64, 65, 127, 128, 129,
	191, 192, 193, 511, 512, 513, 600 };

/*
 * Pieces of one word of bits and of many: at the beginning, behind as many
 * bytes as are looked at together, and at the end; there, or there but for a
 * byte, which is its first, its last, or another.
 */
START_TEST(test_glob_finds_pieces_around_the_borders_of_words)
{
	static const char * const kinds[] = { "a", "aaaaaaaaaaaaaaab",
	    "a?", "aaaaaaaaaaB?", "aB%?" };
	static const size_t before[] = { 0, 1, 5, 70, 4095, 4096, 4097 };
	char g[GLOB_MAX], s[SUBJECT_MAX], piece[700];
	unsigned kind, n, rounds = unit_rounds(24, 4), hits = 0, coded, all = 0;
	size_t len = borders[_i], glen, slen, i, at;

	unit_seed("glob borders");
	for (kind = 0; kind < COUNT(kinds); kind++)
		for (n = 0; n < rounds; n++) {
			for (i = 0; i < len; i++)
				piece[i] = kinds[kind][unit_below((unsigned)
				    strlen(kinds[kind]))];
			if (n % 2 > 0)
				piece[len - 1] = 'b';
			glen = 0;
			g[glen++] = '*';
			memcpy(g + glen, piece, len);
			glen += len;
			if (n % 3 > 0)
				g[glen++] = '*';
			if (n % 3 > 1)
				g[glen++] = 'a';
			slen = before[unit_below(unit_below(4) > 0 ? 4 :
			    COUNT(before))];
			memset(s, 'a', slen);
			coded = unit_below(2) > 0 ? 0 : 1 + unit_below(30);
			at = slen;
			slen += write_piece(s + slen, piece, len, coded);
			if (slen > at && unit_below(3) > 0) {
				i = unit_below(3);
				at = i == 0 ? at : i == 1 ? slen - 1 : at +
				    unit_below((unsigned)(slen - at));
				s[at] = "acB"[unit_below(3)];
			}
			for (i = n % 3 > 0 ? unit_below(130) : 0; i > 0; i--)
				s[slen++] = 'a';
			hits += agrees(fm_text(g, glen), fm_text(s, slen));
			all++;
		}
	ck_assert_uint_gt(hits, 0);
	ck_assert_uint_lt(hits, all);
}
END_TEST

/* Two in any length, behind each other, and in the other's way. */
START_TEST(test_glob_finds_one_long_piece_behind_another)
{
	char g[GLOB_MAX], s[SUBJECT_MAX], piece[700];
	unsigned n, k, rounds = unit_rounds(600, 6), hits = 0;
	size_t glen, slen, len, i;

	unit_seed("glob long pieces");
	for (n = 0; n < rounds; n++) {
		glen = slen = 0;
		for (k = 0; k < 2; k++) {
			len = 1 + unit_below(600);
			for (i = 0; i < len; i++)
				piece[i] = "aaaaaaaaaaaab?"[unit_below(14)];
			g[glen++] = '*';
			memcpy(g + glen, piece, len);
			glen += len;
			/* Its beginning once more, and all of it. */
			slen += write_piece(s + slen, piece,
			    unit_below((unsigned)len), 0);
			slen += write_piece(s + slen, piece, len,
			    unit_below(2) * 40);
			if (unit_below(4) == 0)
				s[slen - 1 - unit_below((unsigned)len)] = 'c';
		}
		if (unit_below(2) > 0)
			g[glen++] = '*';
		hits += agrees(fm_text(g, glen), fm_text(s, slen));
	}
	ck_assert_uint_gt(hits, rounds / 50);
	ck_assert_uint_lt(hits, rounds - rounds / 50);
}
END_TEST

/* A short piece that is all but there, again and again, and then is. */
START_TEST(test_glob_finds_what_has_led_astray)
{
	char g[32], s[512], piece[12];
	unsigned n, hits = 0;
	size_t glen, slen, len, i;

	unit_seed("glob astray");
	for (n = 0; n < 10000; n++) {
		glen = slen = 0;
		len = 1 + unit_below(11);
		for (i = 0; i < len; i++)
			piece[i] = "aaaAb?"[unit_below(6)];
		if (unit_below(4) == 0)
			g[glen++] = 'a';
		g[glen++] = '*';
		memcpy(g + glen, piece, len);
		glen += len;
		if (unit_below(3) > 0)
			g[glen++] = '*';
		if (unit_below(3) == 0)
			g[glen++] = 'b';
		for (i = unit_below(24); i > 0; i--) {
			slen += write_piece(s + slen, piece, len - 1,
			    unit_below(2) * 5);
			s[slen++] = "aac"[unit_below(3)];
			if (slen > 300)
				break;
		}
		slen += write_piece(s + slen, piece, unit_below(2) * len, 0);
		for (i = unit_below(3); i > 0; i--)
			s[slen++] = "ab"[unit_below(2)];
		hits += agrees(fm_text(g, glen), fm_text(s, slen));
	}
	ck_assert_uint_gt(hits, 1000);
	ck_assert_uint_lt(hits, 9000);
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
	tcase_add_test(tc,
	    test_glob_takes_a_dash_for_an_underscore_and_not_back);
	tcase_add_test(tc, test_glob_prefix_ends_at_the_first_wildcard);
	tcase_add_test(tc, test_glob_takes_missing_texts_for_empty_ones);
	tcase_add_test(tc,
	    test_glob_agrees_with_its_definition_on_random_input);
	tcase_add_test(tc, test_glob_finds_long_pieces);
	tcase_add_loop_test(tc,
	    test_glob_finds_pieces_around_the_borders_of_words, 0,
	    COUNT(borders));
	tcase_add_test(tc, test_glob_finds_one_long_piece_behind_another);
	tcase_add_test(tc, test_glob_finds_what_has_led_astray);
	tcase_add_test(tc, test_glob_is_not_exponential_on_hostile_input);
	return (unit_run("glob", tc));
}
