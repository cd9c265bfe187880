/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What is required of a match, as data.  That it really is required of every
 * match, test_patset.c finds out on random regexes.
 */

#include "literals.h"
#include "unit.h"

/* "" where nothing is found: then result tells. */
static const struct {
	const char		*regex;
	enum fm_literals_result	result;
	const char		*want;	/* joined by |, /i: ignores case */
} cases[] = {
	{ "android", FM_LITERALS_FOUND, "android" },
	{ "android.*(mobile|mini)", FM_LITERALS_FOUND, "android" },
	{ ".*(mobile|mini).*", FM_LITERALS_FOUND, "mobile|mini" },
	{ "(?i)ipad", FM_LITERALS_FOUND, "ipad/i" },
	{ "(?i:ip)ad", FM_LITERALS_FOUND, "ip/i" },
	{ "ab?cde", FM_LITERALS_FOUND, "cde" },
	{ "ab+cde", FM_LITERALS_FOUND, "cde" },
	{ "abc+d", FM_LITERALS_FOUND, "abc" },
	{ "ab{2,}c", FM_LITERALS_FOUND, "ab" },
	{ "ab{0,2}c", FM_LITERALS_NONE, "" },
	{ "^www\\.example\\.com$", FM_LITERALS_FOUND, "www.example.com" },
	{ "www[.]example", FM_LITERALS_FOUND, "www.example" },
	{ "\\x41\\x42", FM_LITERALS_FOUND, "AB" },
	{ "a|bc", FM_LITERALS_NONE, "" },
	{ "ab|cd", FM_LITERALS_FOUND, "ab|cd" },
	{ "ab||cd", FM_LITERALS_NONE, "" },
	{ "(ab|[0-9])cd", FM_LITERALS_FOUND, "cd" },
	{ "(ab)*[0-9]", FM_LITERALS_NONE, "" },
	{ "(ab)+[0-9]", FM_LITERALS_FOUND, "ab" },
	{ "(?!bot)android", FM_LITERALS_FOUND, "android" },
	{ "(?=a)(?!b)[0-9]", FM_LITERALS_UNKNOWN, "" },
	{ "[0-9]+", FM_LITERALS_NONE, "" },
	{ "(\\w)\\1", FM_LITERALS_UNKNOWN, "" },
	{ "abc\\1", FM_LITERALS_UNKNOWN, "" },
	{ "(?x) abc", FM_LITERALS_UNKNOWN, "" },
	{ "(*UTF)abc", FM_LITERALS_UNKNOWN, "" },
	{ "abc{,3}", FM_LITERALS_UNKNOWN, "" },
	{ "abc{x", FM_LITERALS_UNKNOWN, "" },
	{ "\\Qabc\\E", FM_LITERALS_UNKNOWN, "" },
	{ "(?<name>abc)", FM_LITERALS_UNKNOWN, "" },
	{ "abc(?C1)", FM_LITERALS_UNKNOWN, "" },
	{ "[[:<:]]abc", FM_LITERALS_UNKNOWN, "" },
	{ "[\\Q]\\E]abc", FM_LITERALS_UNKNOWN, "" },
	{ "\\habc", FM_LITERALS_FOUND, "abc" },
	{ "\\h", FM_LITERALS_UNKNOWN, "" },
	{ "(?m)^$", FM_LITERALS_UNKNOWN, "" },
	{ "a(?i)b|cd", FM_LITERALS_FOUND, "a|cd/i" },
	{ "xa(?i)yb|cd", FM_LITERALS_FOUND, "xa|cd/i" },
	{ "", FM_LITERALS_NONE, "" },
};

static void
print_literals(const struct fm_literals *lits, char *buf)
{
	unsigned i;

	*buf = '\0';
	for (i = 0; i < lits->n; i++)
		buf += sprintf(buf, "%s%.*s%s", i > 0 ? "|" : "",
		    (int)lits->literals[i].text.len, lits->literals[i].text.b,
		    lits->literals[i].nocase ? "/i" : "");
}

START_TEST(required_literals_of_what_people_write)
{
	struct fm_literals lits;
	enum fm_literals_result r;
	struct fm_text re;
	char buf[256];
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		re = unit_copy(fm_text_of(cases[i].regex));
		r = fm_literals_of_regex(re, false, NULL, &lits);
		ck_assert_msg(r == cases[i].result, "%s: %d",
		    cases[i].regex, (int)r);
		free((char *)(uintptr_t)re.b);
		if (r != FM_LITERALS_FOUND)
			continue;
		print_literals(&lits, buf);
		ck_assert_msg(!strcmp(buf, cases[i].want), "%s: %s",
		    cases[i].regex, buf);
		fm_literals_free(&lits);
	}
}
END_TEST

START_TEST(more_alternatives_than_fit_leave_no_requirement)
{
	struct fm_literals lits;
	char buf[2048];
	unsigned i;

	buf[0] = '\0';
	for (i = 0; i < FM_LITERALS_MAX; i++)
		sprintf(buf + strlen(buf), "%sword%02u", i > 0 ? "|" : "", i);
	ck_assert(fm_literals_of_regex(fm_text_of(buf), false, NULL, &lits) ==
	    FM_LITERALS_FOUND);
	ck_assert_uint_eq(lits.n, FM_LITERALS_MAX);
	fm_literals_free(&lits);
	strcat(buf, "|more");
	ck_assert(fm_literals_of_regex(fm_text_of(buf), false, NULL, &lits) ==
	    FM_LITERALS_NONE);
}
END_TEST

START_TEST(nesting_too_deep_is_not_understood)
{
	struct fm_literals lits;
	char buf[256];

	memset(buf, '(', 100);
	memset(buf + 100, 'a', 5);
	memset(buf + 105, ')', 100);
	ck_assert(fm_literals_of_regex(fm_text(buf, 205), false, NULL, &lits) ==
	    FM_LITERALS_UNKNOWN);
}
END_TEST

START_TEST(a_globs_longest_part_is_required)
{
	struct fm_literals lits;

	ck_assert(fm_literals_of_glob(fm_text_of("a*bcd?ef"), true, NULL,
	    &lits) == FM_LITERALS_FOUND);
	ck_assert_uint_eq(lits.n, 1);
	unit_assert_text(lits.literals[0].text, "bcd");
	ck_assert(lits.literals[0].nocase);
	fm_literals_free(&lits);
	ck_assert(fm_literals_of_glob(fm_text_of("*?*"), true, NULL, &lits) ==
	    FM_LITERALS_NONE);
	ck_assert(fm_literals_of_glob(fm_text_of(""), true, NULL, &lits) ==
	    FM_LITERALS_NONE);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("literals");

	tcase_add_test(tc, required_literals_of_what_people_write);
	tcase_add_test(tc, more_alternatives_than_fit_leave_no_requirement);
	tcase_add_test(tc, nesting_too_deep_is_not_understood);
	tcase_add_test(tc, a_globs_longest_part_is_required);
	return (unit_run("literals", tc));
}
