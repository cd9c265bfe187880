/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Regexes that are rows of bytes: what is replaced is what PCRE2 says.
 */

#include "byterow.h"
#include "regex.h"
#include "twin.h"
#include "unit.h"

static const char * const rows[] = {
	"\\+", "_", "%20", "//", "//+", "/{2,}", "[ _]+", "[A-Z]", "a", "ab",
	"aa", "a+", "a{3}", "a{3,}", "ba{2,}", "aba+", "ab[ab]+", "[^a]",
	"[^a]b", "\\d+", "\\w", "\\s+", ".", "a.b", ".+", "(?i)ab", "\\x41",
	"ab{1}", "\\.html", "a-b", "[a-c][b-d][ac]+", "\xc3\xa4+", "aab",
	"%20|\\+", "a|b", "(a)", "(?:ab|a)", "a|ab|b+", "(%20)|(\\+|_)",
	"aa+|ab|[ab]c|b{2,}", "(?i)b|a", "a|b|c|d|%|_|/+", "(?:(?:a|b)|/)"
};

static const char * const others[] = {
	"", "a*", "a?", "a|", "(a|b)c", "a(?:b|c)", "a|b?", "a|^b", "^a", "a$",
	"\\ba", "a+b", "a+?", "a{2,}?", "a{2,3}", "a++", "a(?=b)",
	"a|b|c|d|e|f|g|h", "a\\Kb", "(a)\\1",
	"(?i)", "[[:alpha:]]", "ab*", "a{2,}b", "(?>a)"
};

struct pair {
	const char		*regex;
	struct fm_regex		*re;
	struct fm_byterow	*row;
};

static bool
pair_of(struct pair *pair, const char *regex, bool nocase)
{
	char error[FM_REGEX_ERROR_LEN];
	size_t offset;

	pair->regex = regex;
	pair->re = fm_regex_new(fm_text_of(regex), nocase, error, &offset);
	if (pair->re == NULL)
		return (false);
	pair->row = fm_byterow_new(fm_text_of(regex), nocase);
	return (true);
}

static void
pair_free(struct pair *pair)
{
	if (pair->row != NULL)
		fm_byterow_free(&pair->row);
	fm_regex_free(&pair->re);
}

/* The text for each match that PCRE2 finds; how many those are. */
static size_t
twin_sub(const struct fm_regex *re, struct fm_text subject, struct fm_text text,
    char *out, size_t *len)
{
	struct fm_text g[FM_REGEX_GROUPS];
	struct fm_tally tally = { 0 };
	size_t offset = 0, gap;
	unsigned n = 0;

	*len = 0;
	while (fm_regex_find(re, subject, offset, n, g, &tally)) {
		gap = (size_t)(g[0].b - subject.b) - offset;
		memcpy(out + *len, subject.b + offset, gap);
		memcpy(out + *len + gap, text.b, text.len);
		*len += gap + text.len;
		offset += gap + g[0].len;
		n++;
	}
	AGREE(tally.over_limit == 0, "it is given up");
	memcpy(out + *len, subject.b + offset, subject.len - offset);
	*len += subject.len - offset;
	return (n);
}

/* How many matches there are. */
static size_t
compare(const struct pair *pair, struct fm_text subject)
{
	static const char * const texts[] = {
		"", "x", "%20", "seven77", "eight888", "nine99999"
	};
	struct fm_text text = fm_text_of(texts[unit_below(COUNT(texts))]);
	char want[2000], got[sizeof want];
	size_t n, len, is, cap;

	subject = unit_copy(subject);
	n = twin_sub(pair->re, subject, text, want, &len);
	cap = unit_below(4) > 0 ? len : unit_below((unsigned)len + 1);
	memset(got, '#', sizeof got);
	AGREE(fm_byterow_sub(pair->row, subject, 0, text, got, cap, &is) == n &&
	    is == len && got[cap] == '#' &&
	    (cap < len || memcmp(got, want, len) == 0),
	    "%s on '%.*s' for '%s'", pair->regex, (int)subject.len, subject.b,
	    text.b);
	twin_free(subject);
	return (n);
}

static const char letters[] = "aaaabbAB_+/ -.%20cd\xc3\xa4";

/* Letters, and often enough the row that is too rare among these. */
static struct fm_text
random_subject(char *buf, unsigned longest)
{
	struct fm_text subject = twin_random(buf, longest, letters);
	size_t i;

	for (i = 3; i < subject.len; i += 3)
		if (unit_below(8) == 0)
			memcpy(buf + i - 3, "%20", 3);
	return (subject);
}

START_TEST(a_row_matches_where_pcre2_does)
{
	char subject[80];
	struct pair pair;
	unsigned turn, turns = unit_rounds(3000, 4);
	size_t n = 0;

	ck_assert(pair_of(&pair, rows[_i / 2], _i % 2 == 1));
	ck_assert_msg(pair.row != NULL, "%s is a row", pair.regex);
	ck_assert_uint_gt(fm_byterow_bytes(pair.row), 256);
	for (turn = 0; turn < turns; turn++)
		n += compare(&pair, random_subject(subject, turn % 80));
	(void)compare(&pair, fm_text("", 0));
	if (strchr(letters, rows[_i / 2][0]) != NULL)
		ck_assert_uint_gt(n, 0);
	pair_free(&pair);
}
END_TEST

START_TEST(what_is_no_row_is_left_alone)
{
	struct fm_byterow *row;

	row = fm_byterow_new(fm_text_of(others[_i]), false);
	ck_assert_msg(row == NULL, "%s is no row", others[_i]);
}
END_TEST

/* Whatever comes of these, one behind the other. */
START_TEST(a_row_of_any_regex_matches_where_pcre2_does)
{
	static const char * const pieces[] = {
		"a", "b", "A", ".", "[ab]", "[^a]", "\\w", "+", "{2}", "{2,}",
		"{1,2}", "(?i)", "\\.", "%", "?", "*", "(", ")", "|", "^", "$",
		"|", "|"
	};
	char regex[64], subject[80];
	unsigned turn, turns = unit_rounds(40000, 8), n, found = 0;
	struct pair pair;

	for (turn = 0; turn < turns; turn++) {
		regex[0] = '\0';
		for (n = 1 + unit_below(6); n > 0; n--)
			strcat(regex, pieces[unit_below(COUNT(pieces))]);
		if (!pair_of(&pair, regex, unit_below(4) == 0))
			continue;
		for (n = 0; n < 30 && pair.row != NULL; n++)
			(void)compare(&pair, random_subject(subject, 30));
		found += pair.row != NULL;
		pair_free(&pair);
	}
	ck_assert_uint_gt(found, turns / 40);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("byterow");

	tcase_set_timeout(tc, 60);
	unit_seed("byterow");
	tcase_add_loop_test(tc, a_row_matches_where_pcre2_does, 0,
	    2 * COUNT(rows));
	tcase_add_loop_test(tc, what_is_no_row_is_left_alone, 0,
	    COUNT(others));
	tcase_add_test(tc, a_row_of_any_regex_matches_where_pcre2_does);
	return (unit_run("byterow", tc));
}
