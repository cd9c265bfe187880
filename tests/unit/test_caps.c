/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The caps of what a load may compile, and the regexes that Hyperscan does not
 * get.
 */

#include "caps.h"
#include "engine.h"
#include "patset.h"
#include "syntax.h"
#include "unit.h"

static const struct {
	enum fm_cap	cap;
	size_t		most;
	const char	*says;
} caps[] = {
	{ FM_CAP_REGEXES, 20000, "there are more than 20000 regexes" },
	{ FM_CAP_CODE, 64U << 20, "all regexes are more than 64 MB" },
	{ FM_CAP_REPEATS, 300000, "add more than 300000 bytes and classes" },
	{ FM_CAP_SIZE, 500000, "have a size of more than 500000" },
	{ FM_CAP_DATABASES, 32U << 20, "of Hyperscan are more than 32 MB" },
	{ FM_CAP_SCRATCH, 2U << 20, "each thread more than 2 MB" },
};
#define NCAPS	(sizeof caps / sizeof caps[0])

static const struct fm_place here = { .name = "a.list", .line = 7,
    .column = 3 };

/* Takes all of a cap, but for so much. */
static void
leave(enum fm_cap cap, size_t left)
{
	ck_assert(fm_caps_take(cap, caps[cap].most - left, NULL, NULL));
}

static void
assert_said(const struct fm_diag *diag, const char *says)
{
	const char *line = fm_diag_line(diag, 0);

	ck_assert_uint_eq(fm_diag_errors(diag), 1);
	ck_assert_msg(strncmp(line, "a.list:7:3: error: ", 19) == 0 &&
	    strstr(line, says) != NULL, "%s", line);
}

UNIT_LOOP(each_cap_is_an_error_once_and_the_end_of_a_load, NCAPS)
{
	struct fm_caps account = { .over = false };
	struct fm_diag *diag = fm_diag_new();
	unsigned i;

	ck_assert_uint_eq(caps[_i].cap, _i);
	fm_caps_begin(&account);
	leave(caps[_i].cap, 0);
	ck_assert(fm_caps_take(caps[_i].cap, 0, &here, diag));
	ck_assert(!fm_caps_are_over());
	ck_assert(!fm_caps_take(caps[_i].cap, caps[_i].most + 1, &here, diag));
	for (i = 0; i < NCAPS; i++)
		ck_assert(!fm_caps_take(caps[i].cap, 0, &here, diag));
	ck_assert(fm_caps_are_over());
	fm_caps_end(true);
	assert_said(diag, caps[_i].says);
	ck_assert(!fm_caps_are_over());
	fm_diag_free(&diag);
}

UNIT_TEST(loads_inside_another_count_together_and_others_do_not)
{
	struct fm_caps outer = { .over = false }, inner = { .over = false };
	struct fm_diag *diag = fm_diag_new();

	ck_assert(fm_caps_take(FM_CAP_SIZE, SIZE_MAX, &here, diag));
	fm_caps_begin(&outer);
	leave(FM_CAP_SIZE, 10);
	fm_caps_begin(&inner);
	ck_assert(fm_caps_take(FM_CAP_SIZE, 10, &here, diag));
	fm_caps_end(true);
	fm_caps_begin(&inner);
	ck_assert(!fm_caps_take(FM_CAP_SIZE, 1, &here, diag));
	fm_caps_end(true);
	fm_caps_end(true);
	inner = (struct fm_caps){ .over = false };
	fm_caps_begin(&inner);
	ck_assert(fm_caps_take(FM_CAP_SIZE, 11, &here, diag));
	fm_caps_end(true);
	/* All threads share one scratch for all sets. */
	fm_caps_begin(&inner);
	leave(FM_CAP_SCRATCH, 0);
	leave(FM_CAP_SCRATCH, 0);
	fm_caps_end(true);
	/* A second begin continues the account. */
	fm_caps_begin(&inner);
	ck_assert(!fm_caps_take(FM_CAP_SIZE, 500000, &here, diag));
	fm_caps_end(true);
	ck_assert_uint_eq(fm_diag_errors(diag), 2);
	fm_diag_free(&diag);
}

static bool
may_be(enum fm_pattern_kind kind, const char *text, struct fm_diag *diag)
{
	struct fm_pattern *pattern;

	pattern = fm_pattern_new(kind, fm_text_of(text), false, &here, diag);
	if (pattern == NULL)
		return (false);
	fm_pattern_free(&pattern);
	return (true);
}

UNIT_LOOP(a_regex_too_many_is_an_error_where_it_stands, 3)
{
	static const struct {
		enum fm_cap	cap;
		size_t		left;
		const char	*good, *bad;
	} cases[] = {
		{ FM_CAP_REGEXES, 1, "a+", "b+" },
		{ FM_CAP_CODE, 2000, "a+", "(a|b|c|d|e|f|g|h|i|j|k|l){100}" },
		{ FM_CAP_REPEATS, 7, "(ab){3}c{1}", "d{1}" },
	};
	struct fm_caps account = { .over = false };
	struct fm_diag *diag = fm_diag_new();

	fm_caps_begin(&account);
	leave(cases[_i].cap, cases[_i].left);
	ck_assert(may_be(FM_PATTERN_REGEX, cases[_i].good, diag));
	/* A regex that Hyperscan does not get adds no repeats. */
	if (cases[_i].cap == FM_CAP_REPEATS)
		ck_assert(may_be(FM_PATTERN_REGEX, "x{10001}\\h{9}", diag));
	ck_assert(may_be(FM_PATTERN_CONTAINS, "text", diag));
	ck_assert_uint_eq(fm_diag_errors(diag), 0);
	ck_assert(!may_be(FM_PATTERN_REGEX, cases[_i].bad, diag));
	ck_assert(!may_be(FM_PATTERN_REGEX, cases[_i].good, diag));
	ck_assert(!may_be(FM_PATTERN_REGEX, "(", diag));
	fm_caps_end(true);
	assert_said(diag, caps[cases[_i].cap].says);
	ck_assert(may_be(FM_PATTERN_REGEX, cases[_i].bad, diag));
	fm_diag_free(&diag);
}

/* Other sets of a VCL leave less; what a scan takes is not shared. */
UNIT_LOOP(the_sum_of_a_vcl_is_capped_as_a_load_is, NCAPS)
{
	bool shared = _i < FM_CAP_DATABASES;
	struct fm_caps load = { .file = "/b.rules" }, room;
	struct fm_diag *diag = fm_diag_new();
	size_t took[FM_CAP__COUNT] = { 0 };
	char sum[64];

	took[_i] = caps[_i].most - 100;
	fm_caps_add(load.others, took);
	room = load;
	fm_caps_begin(&load);
	ck_assert(fm_caps_are_shared() == shared);
	ck_assert(fm_caps_take(caps[_i].cap, 100, &here, diag));
	ck_assert(fm_caps_take(caps[_i].cap, 7, &here, diag) == !shared);
	fm_caps_end(true);
	ck_assert(load.over == shared);
	ck_assert(fm_caps_are_crowded(&load) == shared);
	if (shared) {
		(void)snprintf(sum, sizeof sum, "files of this VCL have %zu ",
		    caps[_i].most + 7);
		assert_said(diag, sum);
		assert_said(diag, "with this one, /b.rules and the other ");
	}
	/* It may be read again once the others leave as much. */
	ck_assert(fm_caps_have_room(&load) == !shared);
	load.others[_i] -= shared ? 7 : 0;
	ck_assert(fm_caps_have_room(&load));
	/* It has none alone either. */
	fm_caps_begin(&room);
	ck_assert(!fm_caps_take(caps[_i].cap, caps[_i].most + 1, NULL, diag));
	fm_caps_end(true);
	ck_assert(!fm_caps_are_crowded(&room));
	fm_diag_free(&diag);
}

UNIT_TEST(a_load_inside_another_counts_only_if_it_is_kept)
{
	struct fm_caps outer = { .over = false }, inner;

	fm_caps_begin(&outer);
	fm_caps_begin(&inner);
	leave(FM_CAP_SIZE, 10);
	fm_caps_end(false);
	ck_assert_uint_eq(outer.used[FM_CAP_SIZE], 0);
	fm_caps_begin(&inner);
	leave(FM_CAP_SIZE, 10);
	fm_caps_end(true);
	ck_assert_uint_eq(outer.used[FM_CAP_SIZE], 499990);
	fm_caps_begin(&inner);
	ck_assert(!fm_caps_take(FM_CAP_SIZE, 11, NULL, NULL));
	fm_caps_end(false);
	ck_assert(fm_caps_are_over());
	fm_caps_end(true);
}

UNIT_TEST(after_a_hundred_mistakes_no_regex_is_looked_at)
{
	struct fm_caps account = { .over = false };
	struct fm_diag *diag = fm_diag_new();
	unsigned i;

	fm_caps_begin(&account);
	for (i = 0; i < 100; i++)
		ck_assert(!may_be(FM_PATTERN_REGEX, "(", diag));
	ck_assert(!may_be(FM_PATTERN_REGEX, "(", diag));
	ck_assert_uint_eq(fm_diag_errors(diag), 101);
	ck_assert(!may_be(FM_PATTERN_REGEX, "(", diag));
	ck_assert_uint_eq(fm_diag_errors(diag), 101);
	fm_caps_end(true);
	fm_diag_free(&diag);
}

/*--------------------------------------------------------------------
 * Sets
 */

/* Returns a set of n patterns, with a text for each number; NULL: refused. */
static struct fm_patset *
make(enum fm_pattern_kind kind, unsigned n, const char *(*text)(unsigned),
    struct fm_diag *diag)
{
	struct fm_patset *ps = fm_patset_new();
	struct fm_pattern *pattern;
	unsigned i;

	for (i = 0; i < n; i++) {
		pattern = fm_pattern_new(kind, fm_text_of(text(i)), false,
		    &here, diag);
		ck_assert_ptr_nonnull(pattern);
		ck_assert_int_eq(fm_patset_add(ps, &pattern), 0);
	}
	if (fm_patset_make(ps, &here, diag) != 0)
		fm_patset_free(&ps);
	return (ps);
}

static const char *
word(unsigned n)
{
	static char text[32];

	(void)snprintf(text, sizeof text, "word%u", n);
	return (text);
}

/* Returns a regex that begins with a class of its own, and has no word. */
static const char *
wordless(unsigned n)
{
	static char text[32];

	(void)snprintf(text, sizeof text, "[%c%c]+[0-9]$", 'a' + n % 26,
	    'A' + n / 26);
	return (text);
}

UNIT_SCANNING_LOOP(a_set_that_is_too_large_is_refused_and_harms_no_other, 2)
{
	enum fm_cap cap = _i == 0 ? FM_CAP_SIZE : FM_CAP_DATABASES;
	struct fm_caps account = { .over = false }, other = { .over = false };
	struct fm_diag *diag = fm_diag_new();
	struct fm_tally tally = { .scans = 0 };
	struct fm_patset *ps;

	fm_caps_begin(&account);
	leave(cap, _i == 0 ? 499 : 3000);
	ps = make(FM_PATTERN_EXACT, 1000, word, diag);
	ck_assert_ptr_nonnull(ps);	/* nothing is scanned for */
	fm_patset_free(&ps);
	ps = make(FM_PATTERN_CONTAINS, 2, word, diag);
	ck_assert_ptr_nonnull(ps);
	fm_patset_free(&ps);
	ck_assert_uint_eq(fm_diag_errors(diag), 0);
	ck_assert_ptr_null(make(FM_PATTERN_CONTAINS, 100, word, diag));
	ck_assert_ptr_null(make(FM_PATTERN_CONTAINS, 2, word, diag));
	fm_caps_end(true);
	assert_said(diag, caps[cap].says);
	fm_caps_begin(&other);
	ps = make(FM_PATTERN_CONTAINS, 100, word, diag);
	fm_caps_end(true);
	ck_assert_ptr_nonnull(ps);
	ck_assert_uint_eq(fm_patset_first(ps, fm_text_of("a word7!"), &tally),
	    7);
	fm_patset_free(&ps);
	fm_diag_free(&diag);
}

UNIT_SCANNING(a_load_that_only_counts_compiles_no_database)
{
	struct fm_caps account = { .over = false };
	struct fm_patset *ps;

	fm_caps_begin(&account);
	account.counts = true;
	ps = make(FM_PATTERN_CONTAINS, 100, word, NULL);
	fm_caps_end(true);
	ck_assert_ptr_nonnull(ps);
	ck_assert_uint_eq(fm_patset_cost(ps).database, 0);
	ck_assert_uint_gt(account.used[FM_CAP_SIZE], 0);
	fm_patset_free(&ps);
}

UNIT_SCANNING(many_without_a_word_are_too_many)
{
	struct fm_caps account = { .over = false }, other = { .over = false };
	struct fm_diag *diag = fm_diag_new();
	struct fm_tally tally = { .scans = 0 };
	char subject[] = ".A0";
	struct fm_patset *ps;
	unsigned i;

	fm_caps_begin(&account);
	ps = make(FM_PATTERN_REGEX, 50, wordless, diag);
	fm_caps_end(true);
	ck_assert_ptr_nonnull(ps);
	for (i = 0; i < 50; i++) {
		ck_assert_int_eq(fm_patset_matcher(ps, i), FM_MATCHER_SCAN);
		subject[1] = (char)('a' + i % 26);
		ck_assert_uint_eq(fm_patset_first(ps, fm_text_of(subject),
		    &tally), i % 26);
	}
	ck_assert_uint_eq(fm_patset_all(ps, fm_text_of("B7"), NULL, 0,
	    &tally), 24);
	fm_patset_free(&ps);
	fm_caps_begin(&other);
	ck_assert_ptr_null(make(FM_PATTERN_REGEX, 80, wordless, diag));
	fm_caps_end(true);
	assert_said(diag, "such as [a-z]+[0-9], count most");
	fm_diag_free(&diag);
}

static const struct {
	const char	*regex;
	enum fm_matcher	matcher;
	const char	*why;
} reasons[] = {
	{ "foo\\d", FM_MATCHER_SCAN, NULL },
	{ "foo(?=\\d)", FM_MATCHER_PREFILTER, "a look-ahead or look-behind" },
	{ "(foo)\\1", FM_MATCHER_PREFILTER, "a back reference" },
	{ "fo++", FM_MATCHER_PREFILTER,
	    "an atomic group or a possessive repeat" },
	{ "foo\\h", FM_MATCHER_PLACE,
	    "syntax that Hyperscan may read otherwise" },
	{ "foo.{1,10000}", FM_MATCHER_SCAN, NULL },
	{ "foo.{1,10001}", FM_MATCHER_PLACE, "too many bounded repeats" },
	{ "foo(?:a?b?){11}", FM_MATCHER_PLACE, "too many bounded repeats" },
	{ "foo(?:a?b?){10}", FM_MATCHER_SCAN, NULL },
	{ "[ab].{1,5000}[ab]", FM_MATCHER_SCAN, NULL },
	{ "[ab].{1,9999}[ab]", FM_MATCHER_PLACE, "too large" },
	{ "a^b", FM_MATCHER_PLACE, "Hyperscan refuses it" },
	{ "(?=c)a^b", FM_MATCHER_PLACE, "Hyperscan refuses it" },
};

static const char *
reason(unsigned n)
{
	return (reasons[n].regex);
}

UNIT_SCANNING(who_decides_a_regex_and_why)
{
	unsigned i, n = sizeof reasons / sizeof reasons[0];
	struct fm_patset *ps;
	const char *why;

	ps = make(FM_PATTERN_REGEX, n, reason, NULL);
	ck_assert_ptr_nonnull(ps);
	for (i = 0; i < n; i++) {
		why = fm_patset_why(ps, i);
		ck_assert_msg(fm_patset_matcher(ps, i) == reasons[i].matcher &&
		    (why == NULL ? reasons[i].why == NULL :
		    reasons[i].why != NULL && strcmp(why,
		    reasons[i].why) == 0), "%s: %d, %s", reasons[i].regex,
		    (int)fm_patset_matcher(ps, i), why == NULL ? "-" : why);
	}
	ck_assert_uint_gt(fm_patset_cost(ps).database, 0);
	ck_assert_uint_gt(fm_patset_cost(ps).scratch, 0);
	fm_patset_free(&ps);
}

/*--------------------------------------------------------------------
 * Sizes
 */

UNIT_TEST(a_word_is_two_bytes_that_each_match_has)
{
	static const struct {
		const char	*regex;
		bool		wordless;
	} cases[] = {
		{ "ab.*", false }, { "[ab].*[cd]", true }, { ".*", true },
		{ "a.*b", true }, { "a.*bc", false }, { "(?:ab|cd)+", false },
		{ "(?:ab|c)+", true }, { "(?:ab)?.*", true },
		{ "(?:ab){0,9}.*", true }, { "(?:ab){1,9}.*", false },
		{ "ab?.*", true }, { "ab+.*", false }, { "a{2}.*", true },
		{ "(?:a|b)(?:c|d).*", true }, { "(a)(b).*", false },
		{ "(?=ab)[cd]*", true }, { "(?!ab)[cd]*", true },
		{ "(?>ab)[cd]*", true }, { "(.)\\1*", true },
		{ "a|b", true }, { "\\d\\.\\d", true }, { "(?i)x-", false },
		{ "\\.js$", false }, { "^[/]", true }, { "^/a", false },
	};
	unsigned i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++)
		ck_assert_msg(fm_syntax_read(fm_text_of(
		    cases[i].regex)).wordless == cases[i].wordless, "%s",
		    cases[i].regex);
	ck_assert(fm_syntax_read_glob(fm_text_of("*a*b*")).wordless);
	ck_assert(fm_syntax_read_glob(fm_text_of("a?*b*")).wordless);
	ck_assert(fm_syntax_read_glob(fm_text_of("*a*")).wordless);
	ck_assert(!fm_syntax_read_glob(fm_text_of("*a*bc*")).wordless);
	ck_assert(!fm_syntax_read_glob(fm_text_of("ab?*")).wordless);
}

/* Reads a regex of n words, with something before and after them. */
static struct fm_syntax
words(unsigned n, const char *before, const char *after)
{
	static char text[20000];
	size_t len;
	unsigned i;

	len = (size_t)sprintf(text, "%s", before);
	for (i = 0; i < n; i++)
		len += (size_t)sprintf(text + len, "%sword%u",
		    i > 0 ? "|" : "", i);
	(void)sprintf(text + len, "%s", after);
	return (fm_syntax_read(fm_text_of(text)));
}

UNIT_TEST(alternatives_are_large_together_unless_they_are_all_there_is)
{
	size_t one = words(1, "", "").size;

	ck_assert_uint_lt(words(1000, "", "").size, 1000 * 2 * one);
	ck_assert_uint_lt(words(1000, "(?i)(?:", ")").size, 1000 * 2 * one);
	ck_assert_uint_gt(words(100, "(?:", ")\\d").size, 1000 * one);
	ck_assert_int_eq(words(300, "(?:", ")\\d").why, FM_SYNTAX_DECIDED);
	ck_assert_int_eq(words(1000, "(?:", ")\\d").why, FM_SYNTAX_LARGE);
	ck_assert_int_eq(words(1000, "(?:", ")\\d").engine, FM_SYNTAX_PCRE2);
	/* More than 16,000 bytes. */
	ck_assert_int_eq(words(2000, "", "").why, FM_SYNTAX_LARGE);
}

UNIT_TEST(repeats_count_as_often_as_they_are_written_out)
{
	size_t one = fm_syntax_read(fm_text_of("foo.")).size;

	ck_assert_uint_eq(fm_syntax_read(fm_text_of("foo.{1,5000}")).size,
	    5000 + one);
	ck_assert_uint_lt(fm_syntax_read(fm_text_of("foo\\d{1,5000}")).size,
	    2600);
	ck_assert_uint_gt(fm_syntax_read(fm_text_of("foo.*")).size, one);
	/* Each copy may be the last one. */
	ck_assert_uint_gt(fm_syntax_read(fm_text_of("foo(?:ab){0,4000}")).size,
	    50000);
	ck_assert_uint_lt(fm_syntax_read(fm_text_of("foo(?:ab){4000}")).size,
	    4100);
	/* A match may begin at every byte. */
	ck_assert_uint_gt(fm_syntax_read(fm_text_of("[ab].{1,400}foo")).size,
	    1000);
	ck_assert_uint_gt(fm_syntax_read(fm_text_of(
	    "(?:foo)?.{1,400}foo")).size, 1000);
	ck_assert_uint_lt(fm_syntax_read(fm_text_of(
	    "(?:foo|bar).{1,400}")).size, 500);
}

int
main(void)
{
	return (unit_main("caps", 120));
}
