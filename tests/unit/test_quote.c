/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Texts in regexes: PCRE2 is asked whether each matches itself, and nothing
 * else, wherever it may stand.
 */

#include "quote.h"
#include "regex.h"
#include "unit.h"

#define MOST	64	/* bytes of a random text */

/* Compiles a regex, which may be wrong if `error` is not NULL. */
static struct fm_regex *
regex_new(struct fm_text regex)
{
	char error[FM_REGEX_ERROR_LEN];
	size_t offset;

	return (fm_regex_new(regex, false, error, &offset));
}

static bool
regex_matches(const struct fm_regex *re, struct fm_text subject)
{
	struct fm_tally tally = { .scans = 0 };
	bool matches = fm_regex_match(re, subject, &tally);

	ck_assert_uint_eq(tally.over_limit, 0);
	return (matches);
}

/* Returns \A, the quoted text, and \z, after a prefix of a regex. */
static struct fm_regex *
regex_of(const char *prefix, struct fm_text text)
{
	char b[2 * MOST + 20];
	struct fm_regex *re;
	size_t len = strlen(prefix);

	memcpy(b, prefix, len);
	memcpy(b + len, "\\A", 2);
	len += 2;
	len += fm_quote(b + len, text);
	memcpy(b + len, "\\z", 2);
	re = regex_new(fm_text(b, len + 2));
	ck_assert_ptr_nonnull(re);
	return (re);
}

UNIT_LOOP(test_quote_each_byte_is_itself_and_no_other, 3)
{
	static const char * const prefixes[] = { "", "(?x)", "(?xx)" };
	struct fm_regex *re;
	char a, b;
	int i, j;

	for (i = 0; i < 256; i++) {
		a = (char)i;
		re = regex_of(prefixes[_i], fm_text(&a, 1));
		for (j = 0; j < 256; j++) {
			b = (char)j;
			ck_assert_msg(regex_matches(re, fm_text(&b, 1)) ==
			    (i == j), "%d and %d", i, j);
		}
		fm_regex_free(&re);
	}
}

/* Makes a random text of bytes that mean something, or of any. */
static struct fm_text
random_text(char *b)
{
	static const char some[] = "\\^$.[]|()?*+{}-#&, aQE12xdp\"";
	size_t i, len = unit_below(MOST + 1);
	bool any = unit_below(2) == 0;

	for (i = 0; i < len; i++)
		b[i] = any ? (char)unit_below(256) :
		    some[unit_below(sizeof some - 1)];
	return (fm_text(b, len));
}

UNIT_TEST(test_quote_a_text_is_found_where_it_is_and_nowhere_else)
{
	char a[MOST], b[MOST], quoted[2 * MOST];
	struct fm_text text, other, part;
	struct fm_regex *re, *search;
	unsigned n, rounds = unit_rounds(5000, 20), found = 0;
	bool is;

	unit_seed("quote");
	for (n = 0; n < rounds; n++) {
		text = random_text(a);
		other = random_text(b);
		part = fm_text(text.b + text.len / 2, text.len > 0);
		re = regex_of(unit_below(2) == 0 ? "(?x)" : "", text);
		ck_assert(regex_matches(re, text));
		ck_assert(regex_matches(re, other) == fm_text_eq(text, other));
		search = regex_new(fm_text(quoted, fm_quote(quoted, part)));
		ck_assert_ptr_nonnull(search);
		is = fm_text_find(other, part) != NULL;
		found += is;
		ck_assert(regex_matches(search, other) == is);
		fm_regex_free(&re);
		fm_regex_free(&search);
	}
	ck_assert_uint_gt(found, rounds / 10);
	ck_assert_uint_lt(found, rounds - rounds / 10);
}

/* How a text stands between two parts of a regex. */
static const struct {
	const char		*before, *after;
	enum fm_quote_place	place;
} places[] = {
	{ "", "", FM_QUOTE_ALONE },
	{ "^", "$", FM_QUOTE_ALONE },
	{ "(^| )", "( |$)", FM_QUOTE_ALONE },
	{ "^a-", ",", FM_QUOTE_ALONE },
	{ "[a-z]", "", FM_QUOTE_ALONE },
	{ "[]a]", "", FM_QUOTE_ALONE },
	{ "[^]a]", "", FM_QUOTE_ALONE },
	{ "[^^]", "", FM_QUOTE_ALONE },
	{ "[[:alpha:]]", "", FM_QUOTE_ALONE },
	{ "[[:alpha:]\\]]", "", FM_QUOTE_ALONE },
	{ "[[:]", "", FM_QUOTE_ALONE },
	{ "\\\\", "", FM_QUOTE_ALONE },
	{ "\\.", "", FM_QUOTE_ALONE },
	{ "\\Qa\\E", "", FM_QUOTE_ALONE },
	{ "(?:", ")", FM_QUOTE_ALONE },
	{ "(?<n>", ")", FM_QUOTE_ALONE },
	{ "(?i)", "", FM_QUOTE_ALONE },
	{ "(?#a)", "", FM_QUOTE_ALONE },
	{ "a{2}", "", FM_QUOTE_ALONE },
	{ "^", "*", FM_QUOTE_GROUP },
	{ "^", "+", FM_QUOTE_GROUP },
	{ "^", "?", FM_QUOTE_GROUP },
	{ "^", "{2}", FM_QUOTE_GROUP },
	{ "(a)\\1", "", FM_QUOTE_GROUP },
	{ "\\x4", "", FM_QUOTE_GROUP },
	{ "a{", "}", FM_QUOTE_GROUP },
	{ "a{1,", "}", FM_QUOTE_GROUP },
	{ "(?", ")", FM_QUOTE_GROUP },
	{ "\\", "", FM_QUOTE_NOT },
	{ "\\\\\\", "", FM_QUOTE_NOT },
	{ "[", "]", FM_QUOTE_NOT },
	{ "[]", "]", FM_QUOTE_NOT },
	{ "[^", "]", FM_QUOTE_NOT },
	{ "[^]", "]", FM_QUOTE_NOT },
	{ "[[:alpha:]", "]", FM_QUOTE_NOT },
	{ "[\\]", "]", FM_QUOTE_NOT },
	{ "\\Q", "\\E", FM_QUOTE_NOT },
	{ "(?#", ")", FM_QUOTE_NOT },
	{ "(*MARK:", ")", FM_QUOTE_NOT },
};

UNIT_LOOP(test_quote_places, UNIT_COUNT(places))
{
	struct fm_quote_reader reader = { .escaped = false };

	fm_quote_read(&reader, fm_text_of(places[_i].before));
	ck_assert_msg(fm_quote_place(&reader, fm_text_of(places[_i].after)) ==
	    places[_i].place, "%s, %s", places[_i].before, places[_i].after);
}

/* Joins random parts of regexes, up to a number of bytes. */
static size_t
random_regex(char *b)
{
	static const char * const parts[] = { "a", "b", "a", "b", ".", "[ab]",
		"[^a]", "[", "]", "(", ")", "(", ")", "|", "*", "+", "?",
		"{2}", "{1,", "{", "}", "\\.", "\\1", "\\x", "\\x6", "\\",
		"\\Q", "\\E", "(?:", "(?=", "(?#", "(?x)", "(?", "^", "$",
		"\\g", "2", ",", ":", "=", "-", "[[:blank:]b]", "[^]b]" };
	unsigned n = unit_below(5);
	size_t len = 0, part;

	while (n-- > 0) {
		part = unit_below(UNIT_COUNT(parts));
		memcpy(b + len, parts[part], strlen(parts[part]));
		len += strlen(parts[part]);
	}
	return (len);
}

/* Joins two parts with a byte between them, which may be in a group. */
static struct fm_regex *
join(const char *before, size_t nbefore, const char *after, size_t nafter,
    bool group, char byte)
{
	char b[3 * MOST];
	size_t len = nbefore;

	memcpy(b, before, nbefore);
	if (group) {
		memcpy(b + len, "(?:", 3);
		len += 3;
	}
	len += fm_quote(b + len, fm_text(&byte, 1));
	if (group)
		b[len++] = ')';
	memcpy(b + len, after, nafter);
	return (regex_new(fm_text(b, len + nafter)));
}

/*
 * A byte that means something must do the same in each regex as one that means
 * nothing there: match itself.  The latter is Z for a letter or a digit, and a
 * control byte for others.
 */
UNIT_TEST(test_quote_a_byte_is_a_literal_at_each_place_that_has_room)
{
	static const char bytes[] = ".^$[](){}|?*+\\#-12xQEgd";
	static const char subjects[] = "abc,@@@";
	unsigned n, k, i, rounds = unit_rounds(20000, 50), compiled = 0;
	unsigned matched = 0;
	char before[MOST], after[MOST], s[2][8], byte, plain;
	struct fm_quote_reader reader;
	struct fm_regex *re, *twin;
	enum fm_quote_place place;
	bool own;
	size_t nbefore, nafter, len;

	unit_seed("places");
	for (n = 0; n < rounds; n++) {
		nbefore = random_regex(before);
		nafter = random_regex(after);
		memset(&reader, 0, sizeof reader);
		fm_quote_read(&reader, fm_text(before, nbefore));
		place = fm_quote_place(&reader, fm_text(after, nafter));
		if (place == FM_QUOTE_NOT)
			continue;
		byte = bytes[unit_below(sizeof bytes - 1)];
		plain = (byte >= '0' && byte <= '9') || byte >= 'A' ? 'Z' : 1;
		if (strchr("[]\\^{|}", byte) != NULL)
			plain = 1;
		re = join(before, nbefore, after, nafter,
		    place == FM_QUOTE_GROUP, byte);
		twin = join(before, nbefore, after, nafter,
		    place == FM_QUOTE_GROUP, plain);
		ck_assert_msg((re == NULL) == (twin == NULL),
		    "%.*s %c %.*s", (int)nbefore, before, byte, (int)nafter,
		    after);
		if (re == NULL)
			continue;
		compiled++;
		/* A byte that the author wrote stands for itself, too. */
		own = memchr(before, byte, nbefore) != NULL ||
		    memchr(after, byte, nafter) != NULL;
		for (k = 0; k < 10 && !own; k++) {
			len = unit_below(8);
			for (i = 0; i < len; i++) {
				s[0][i] = s[1][i] =
				    subjects[unit_below(sizeof subjects - 1)];
				if (s[0][i] != '@')
					continue;
				s[0][i] = byte;
				s[1][i] = plain;
			}
			matched += regex_matches(re, fm_text(s[0], len));
			ck_assert_msg(regex_matches(re, fm_text(s[0], len)) ==
			    regex_matches(twin, fm_text(s[1], len)),
			    "%.*s %c %.*s on %.*s", (int)nbefore, before, byte,
			    (int)nafter, after, (int)len, s[0]);
		}
		fm_regex_free(&re);
		fm_regex_free(&twin);
	}
	ck_assert_uint_gt(compiled, rounds / 20);
	ck_assert_uint_gt(matched, rounds / 20);
}

int
main(void)
{
	return (unit_main("quote", 60));
}
