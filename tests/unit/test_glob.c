/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Globs: cases as a table, and a twin by their definition on random input.
 */

#include "glob.h"
#include "twin.h"

/* The ways to read a subject, each a letter. */
static const char ways[] = "rnh";

static bool
matches(char way, struct fm_text glob, struct fm_text subject)
{
	switch (way) {
	case 'r':
		return (fm_glob_match(glob, subject, false));
	case 'n':
		return (fm_glob_match(glob, subject, true));
	default:
		return (fm_glob_match_header(glob, subject));
	}
}

/* The ways in which a glob matches a subject, and no other. */
static const struct {
	const char	*glob;
	const char	*subject;
	const char	*ways;
} cases[] = {
	{ "", "", ways },
	{ "", "a", "" },
	{ "*", "", ways },
	/* no classes and no escapes */
	{ "[a]", "a", "" },
	{ "[a]", "[a]", ways },
	{ "\\*", "*", "" },
	{ "\\*", "\\*", ways },
	/* bytes: the two of an umlaut, and case for ASCII alone */
	{ "?", "\xc3\xa4", "" },
	{ "??", "\xc3\xa4", ways },
	{ "\xc3\xa4", "\xc3\x84", "" },
	{ "@", "`", "" },
	{ "[", "{", "" },
	/* a dash of the glob for any mark, and not back */
	{ "X-Internal-*", "x_internal-a", "h" },
	{ "X-Internal-*", "X.Internal'a", "h" },
	{ "X-Internal-*", "X!Internal|a", "h" },
	{ "X-Internal-*", "X:Internal-a", "" },
	{ "X-Internal-*", "X\x1fInternal-a", "" },
	{ "X-Internal-*", "X\xe4Internal-a", "" },
	{ "X-Internal-*", "XaInternal-a", "" },
	{ "X-Internal-*", "X0Internal-a", "" },
	{ "X.Internal-*", "X-Internal-a", "" },
	{ "X_Internal-*", "X-Internal-a", "" },
	{ "*-a-*", "x_A_", "h" },
};

UNIT_LOOP(test_glob_cases, COUNT(cases))
{
	struct fm_text glob = unit_copy(fm_text_of(cases[_i].glob));
	struct fm_text subject = unit_copy(fm_text_of(cases[_i].subject));
	const char *way;

	for (way = ways; *way != '\0'; way++)
		ck_assert_msg(matches(*way, glob, subject) ==
		    (strchr(cases[_i].ways, *way) != NULL),
		    "\"%s\" on \"%s\", %c", cases[_i].glob,
		    cases[_i].subject, *way);
	twin_free(glob);
	twin_free(subject);
}

UNIT_TEST(test_glob_prefix_ends_at_the_first_wildcard)
{
	ck_assert_uint_eq(fm_glob_prefix(fm_text_of("")), 0);
	ck_assert_uint_eq(fm_glob_prefix(fm_text_of("*")), 0);
	ck_assert_uint_eq(fm_glob_prefix(fm_text_of("?a*")), 0);
	ck_assert_uint_eq(fm_glob_prefix(fm_text_of("ab*c?")), 2);
	ck_assert_uint_eq(fm_glob_prefix(fm_text_of("ab?c*")), 2);
	ck_assert_uint_eq(fm_glob_prefix(fm_text_of("abc")), 3);
}

UNIT_TEST(test_glob_takes_missing_texts_for_empty_ones)
{
	struct fm_text none = fm_text_of(NULL);
	const char *way;

	for (way = ways; *way != '\0'; way++) {
		ck_assert(matches(*way, none, none));
		ck_assert(matches(*way, fm_text_of("*"), none));
		ck_assert(!matches(*way, fm_text_of("?"), none));
		ck_assert(!matches(*way, none, fm_text_of("a")));
	}
}

/* Returns the answer by definition. */
static bool
twin_matches(char way, struct fm_text glob, struct fm_text subject)
{
	char g[16], s[16];

	if (way != 'r') {
		fm_text_lower(g, glob);
		fm_text_lower(s, subject);
		glob.b = g;
		subject.b = s;
	}
	return (twin_glob_dashed(glob, subject, way == 'h'));
}

UNIT_TEST(test_glob_agrees_with_its_definition_on_random_input)
{
	unsigned n, rounds = unit_rounds(200000, 4), hits = 0;
	struct fm_text glob, subject;
	char gbuf[16], sbuf[16];
	const char *way;
	bool is;

	unit_seed("glob");
	for (n = 0; n < rounds; n++) {
		glob = unit_copy(twin_random(gbuf, 9, "aabB%64*?*-_"));
		subject = unit_copy(twin_random(sbuf, 12, "aaabB%64-_"));
		for (way = ways; *way != '\0'; way++) {
			is = twin_matches(*way, glob, subject);
			hits += is;
			AGREE(matches(*way, glob, subject) == is,
			    "\"%.*s\" on \"%.*s\", %c", (int)glob.len, glob.b,
			    (int)subject.len, subject.b, *way);
		}
		twin_free(glob);
		twin_free(subject);
	}
	/* The random input gave both answers often enough. */
	ck_assert_uint_gt(hits, rounds / 10);
	ck_assert_uint_lt(hits, 3 * rounds - rounds / 10);
}

/* A matcher that goes back to earlier stars takes years here. */
UNIT_TEST(test_glob_is_not_exponential_on_hostile_input)
{
	size_t len = 64 << 10;
	char *a = malloc(len);
	struct fm_text s = fm_text(a, len);
	const char *way;

	ck_assert_ptr_nonnull(a);
	memset(a, 'a', len);
	for (way = ways; *way != '\0'; way++) {
		ck_assert(!matches(*way, fm_text_of("*a*a*a*a*b"), s));
		ck_assert(!matches(*way, fm_text_of("*a*a*a*a*b*"), s));
		ck_assert(!matches(*way, fm_text_of("*a?a?a?a?b*a"), s));
		ck_assert(matches(*way, fm_text_of("*a*a*a*a*a"), s));
	}
	free(a);
}

int
main(void)
{
	return (unit_main("glob", 30));
}
