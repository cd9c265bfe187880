/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Pattern sets: every way that a pattern can go, against a twin that tries one
 * pattern after the other; and what PCRE2 gives up on.
 */

#include <pthread.h>

#include "engine.h"
#include "twin_regex.h"
#include "twin_set.h"

#define COUNT(a)	((unsigned)(sizeof (a) / sizeof *(a)))

struct spec {
	enum fm_pattern_kind	kind;
	bool			nocase;
	const char		*text;
};

static void
add(struct twin_set *set, enum fm_pattern_kind kind, const char *text)
{
	ck_assert(twin_set_add(set, kind, false, fm_text_of(text)));
}

static void
make(struct twin_set *set, const struct spec *specs, unsigned n)
{
	unsigned i;

	twin_set_init(set);
	for (i = 0; i < n; i++)
		ck_assert(twin_set_add(set, specs[i].kind, specs[i].nocase,
		    fm_text_of(specs[i].text)));
	twin_set_make(set);
}

/* Asks the set and its twin.  Returns how many match. */
static size_t
ask(struct twin_set *set, struct fm_text subject)
{
	struct fm_text copy = unit_copy(subject);
	size_t all = twin_set_check(set, copy);

	free((char *)(uintptr_t)copy.b);
	return (all);
}

/*--------------------------------------------------------------------
 * All kinds
 */

static const struct spec kinds[] = {
	{ FM_PATTERN_CONTAINS, false, "Nokia" },
	{ FM_PATTERN_CONTAINS, true, "nokia" },
	{ FM_PATTERN_EXACT, false, "Nokia" },
	{ FM_PATTERN_EXACT, true, "NOKIA" },
	{ FM_PATTERN_PREFIX, false, "Mozilla/" },
	{ FM_PATTERN_SUFFIX, true, "MOBILE" },
	{ FM_PATTERN_GLOB, false, "Moz*N?kia*" },
	{ FM_PATTERN_REGEX, false, "Nok(ia|ya)[0-9]+" },
	{ FM_PATTERN_REGEX, true, "^mozilla" },
	{ FM_PATTERN_CONTAINS, false, "Nokia" },
	{ FM_PATTERN_EXACT, false, "" },
	{ FM_PATTERN_GLOB, false, "" },
	{ FM_PATTERN_GLOB, true, "*" },
	{ FM_PATTERN_REGEX, false, "" },
	{ FM_PATTERN_REGEX, false, "^(?!.*bot).*android" },
	{ FM_PATTERN_REGEX, false, "(\\w+) \\1" },
	{ FM_PATTERN_REGEX, false, "(?<=a)b" },
	{ FM_PATTERN_REGEX, false, "(?<!a)b" },
	{ FM_PATTERN_REGEX, false, "a(?i)b|c" },
	{ FM_PATTERN_REGEX, false, "(?|(a)|(b))\\1" },
	{ FM_PATTERN_REGEX, false, "(a)?(?(1)b|c)" },
	{ FM_PATTERN_REGEX, false, "foo\\Kbar" },
	{ FM_PATTERN_REGEX, false, "(?x) a b " },
	{ FM_PATTERN_REGEX, false, "(*ANYCRLF)^a$" },
	{ FM_PATTERN_REGEX, false, "(?R)?a(?=z)" },
	{ FM_PATTERN_REGEX, false, "a\\Q.*\\Eb" },
	{ FM_PATTERN_REGEX, false, "(?m)^b$" },
	{ FM_PATTERN_REGEX, false, "b$" },
};

UNIT_TEST(kinds_and_cases_mix_in_one_set)
{
	static const char * const subjects[] = { "", "Nokia", "nokia",
	    "NOKIA", "Mozilla/5.0 Nokia6600 mobile", "Mozilla/", "Mozilla",
	    "xMozilla/", "mobile", "aMobile", "Mobilex", "Nokya1", "Noki",
	    "android", "bot android", "android bot", "foo foo", "foo bar",
	    "ab", "b", "aB", "C", "c", "aa", "bb", "foobar", "a", "y", "xxy",
	    "az", "a.*b", "a\nb\nc", "b\n", "b\n\n", "\r\na", "aab" };
	struct twin_set set;
	unsigned i, k;

	make(&set, kinds, COUNT(kinds));
	for (i = 0; i < COUNT(subjects); i++)
		(void)ask(&set, fm_text_of(subjects[i]));
	twin_set_fini(&set);
	/* Each alone. */
	for (i = 0; i < COUNT(kinds); i++) {
		make(&set, &kinds[i], 1);
		for (k = 0; k < COUNT(subjects); k++)
			(void)ask(&set, fm_text_of(subjects[k]));
		twin_set_fini(&set);
	}
}

#define RANDOM_PATTERNS	40

/* Adds a pattern of any kind (plain: but a regex) that is akin to a regex. */
static void
add_random(struct twin_set *set, struct twin_regex *m, bool plain)
{
	enum fm_pattern_kind kind;
	struct fm_text text;
	unsigned i;

	do {
		twin_regex_make(m, unit_below(2));
		kind = FM_PATTERN_REGEX;
		text = fm_text_of(m->regex);
		if (plain || unit_below(2)) {
			kind = (enum fm_pattern_kind)unit_below(
			    FM_PATTERN_REGEX);
			text = fm_text(m->text, m->ntext);
		}
		for (i = 0; kind == FM_PATTERN_GLOB && i < m->ntext; i++)
			if (unit_below(4) == 0)
				m->text[i] = "*?"[unit_below(2)];
	} while (!twin_set_add(set, kind, unit_below(2), text));
}

UNIT_TEST(random_sets_answer_like_one_pattern_after_the_other)
{
	static struct twin_regex regexes[RANDOM_PATTERNS];
	unsigned i, n, made, sets = unit_rounds(2000, 100);
	unsigned long pairs = 0, hits = 0, open = 0;
	char buf[TWIN_SUBJECT_MAX];
	struct twin_set set;
	bool plain;

	unit_seed("patset");
	for (made = 0; made < sets; made++) {
		n = made % 8 < 7 ? 1 + unit_below(8) : RANDOM_PATTERNS;
		plain = made % 3 == 0;
		twin_set_init(&set);
		for (i = 0; i < n; i++)
			add_random(&set, &regexes[i], plain);
		twin_set_make(&set);
		(void)ask(&set, fm_text("", 0));
		(void)twin_set_check(&set, fm_text(NULL, 0));
		for (i = 0; i < 60; i++)
			(void)ask(&set, twin_regex_subject(regexes, n, buf));
		if (fm_patset_is_small(set.ps))
			ck_assert_uint_eq(set.tally.scans, 0);
		pairs += set.pairs;
		hits += set.hits;
		open += set.open;
		twin_set_fini(&set);
	}
	printf("patset: %lu pairs, %lu of them match, %lu are not known\n",
	    pairs, hits, open);
	ck_assert_uint_gt(hits, pairs / 20);
	ck_assert_uint_lt(open, pairs / 20);
}

UNIT_TEST(an_empty_set_and_a_missing_subject_match_nothing)
{
	static const struct spec spec = { FM_PATTERN_CONTAINS, false, "a" };
	struct fm_tally tally = { 0 };
	struct twin_set set;

	make(&set, NULL, 0);
	ck_assert(!fm_patset_match(set.ps, fm_text_of("a"), &tally));
	ck_assert_uint_eq(fm_patset_first(set.ps, fm_text_of("a"), &tally),
	    FM_PATSET_NONE);
	ck_assert_uint_eq(fm_patset_all(set.ps, fm_text("", 0), NULL, 0,
	    &tally), 0);
	twin_set_fini(&set);
	make(&set, &spec, 1);
	ck_assert(!fm_patset_match(set.ps, fm_text(NULL, 0), &tally));
	twin_set_fini(&set);
}

UNIT_LOOP(all_counts_past_the_room_it_is_given, 3)
{
	static const struct spec specs[] = {
		{ FM_PATTERN_CONTAINS, false, "a" },
		{ FM_PATTERN_CONTAINS, false, "b" },
		{ FM_PATTERN_CONTAINS, false, "c" },
		{ FM_PATTERN_CONTAINS, false, "d" },
		{ FM_PATTERN_CONTAINS, false, "e" },
	};
	uint32_t numbers[3] = { 7, 7, 7 };
	struct fm_tally tally = { 0 };
	struct twin_set set;

	/* Three are a small set; five are scanned for. */
	make(&set, specs, 3 + (unsigned)_i);
	ck_assert_uint_eq(fm_patset_all(set.ps, fm_text_of("cba"), numbers, 1,
	    &tally), 3);
	ck_assert_uint_eq(numbers[0], 0);
	ck_assert_uint_eq(numbers[1], 7);
	ck_assert_uint_eq(fm_patset_all(set.ps, fm_text_of("cba"), NULL, 0,
	    &tally), 3);
	twin_set_fini(&set);
}

/*--------------------------------------------------------------------
 * Which way a pattern goes
 */

/* A letter is a pattern: prefix, suffix, contains, Contains nocase, ... */
static const struct {
	const char	*patterns;
	bool		scans, small;
} ways[] = {
	{ "", false, true },
	{ "psp", false, true }, { "psps", false, false },
	{ "cccc", false, true }, { "ccccc", true, false },
	{ "cccppp", false, true }, { "cccpppp", true, false },
	{ "C", false, true }, { "Cp", true, false }, { "CC", true, false },
	{ "gg", false, true }, { "ggg", true, false },
	{ "eee", false, false }, { "cccce", false, false },
	{ "r", true, false }, { "er", true, false }, { "cr", true, false },
};

static void
check_ways(unsigned n)
{
	static const struct { char letter; enum fm_pattern_kind kind; } of[] = {
		{ 'p', FM_PATTERN_PREFIX }, { 's', FM_PATTERN_SUFFIX },
		{ 'c', FM_PATTERN_CONTAINS }, { 'C', FM_PATTERN_CONTAINS },
		{ 'g', FM_PATTERN_GLOB }, { 'e', FM_PATTERN_EXACT },
		{ 'r', FM_PATTERN_REGEX },
	};
	const char *letter = ways[n].patterns;
	struct twin_set set;
	unsigned i;

	twin_set_init(&set);
	for (; *letter != '\0'; letter++) {
		for (i = 0; of[i].letter != *letter; i++)
			continue;
		ck_assert(twin_set_add(&set, of[i].kind, *letter == 'C',
		    fm_text_of("text")));
	}
	twin_set_make(&set);
	ck_assert_msg(fm_patset_scans(set.ps) == ways[n].scans &&
	    fm_patset_is_small(set.ps) == ways[n].small, "\"%s\"",
	    ways[n].patterns);
	ck_assert_uint_eq(ask(&set, fm_text_of("text")), set.n);
	twin_set_fini(&set);
}

UNIT_SCANNING(a_handful_of_texts_is_compared_in_place)
{
	unsigned n;

	for (n = 0; n < COUNT(ways); n++)
		check_ways(n);
}

/*
 * Sets of contains that one pass over the subject finds; or a scan, as (_i: 1
 * to 6) there is a regex, a glob, a short one, one without case, too many
 * begin alike, or one is long.
 */
UNIT_LOOP(many_contains_are_found_in_one_pass, 7)
{
	static const char * const words[] = { "LG-", "Nok", "\xe9t\xe9", "abc",
	    "abd", "cab", "-LG", "zzz", "ia6", "Nokia6600" };
	char texts[60][40], subject[90], longest[258] = "";
	unsigned i, k, n, hits = 0, sets = unit_rounds(300, 30);
	struct twin_set set;
	size_t len;
	bool pass;

	unit_seed("contains");
	memset(longest, 'a', sizeof longest - 1);
	for (k = 0; k < sets; k++) {
		twin_set_init(&set);
		n = 5 + unit_below(_i == 5 ? 55 : 4);
		for (i = 0; i < n; i++) {
			(void)snprintf(texts[i], sizeof *texts, "%s%.*s",
			    _i == 5 ? "abc" : TWIN_ANY_OF(words),
			    (int)unit_below(12), TWIN_ANY_OF(words));
			add(&set, FM_PATTERN_CONTAINS, texts[i]);
		}
		if (_i == 1)
			add(&set, FM_PATTERN_REGEX, "a[bc]");
		else if (_i == 2)
			add(&set, FM_PATTERN_GLOB, "*b?c*");
		else if (_i == 3)
			add(&set, FM_PATTERN_CONTAINS, "ab");
		else if (_i == 4)
			ck_assert(twin_set_add(&set, FM_PATTERN_CONTAINS, true,
			    fm_text_of("abcd")));
		else if (_i == 6)
			add(&set, FM_PATTERN_CONTAINS, longest);
		twin_set_make(&set);
		pass = fm_patset_matcher(set.ps, 0) == FM_MATCHER_PASS;
		ck_assert(pass == (_i == 0 || (_i == 5 && n <= 8)));
		for (i = 0; i < 60; i++) {
			len = (size_t)snprintf(subject, sizeof subject,
			    "%.*s%s%.*s%s", (int)unit_below(4),
			    TWIN_ANY_OF(words), texts[unit_below(n)],
			    (int)unit_below(4), TWIN_ANY_OF(words),
			    TWIN_ANY_OF(words));
			len -= unit_below((unsigned)len);
			hits += ask(&set, fm_text(subject, len)) > 0;
		}
		twin_set_fini(&set);
	}
	ck_assert_uint_gt(hits, sets * 20);
}

#define MANY		4000

/* Names of a few labels, and some that are too long to be hashed. */
static void
many_name(char *buf, size_t cap)
{
	static const char * const words[] = { ".a", ".b", ".WWW", "shop",
	    ".blog-7", "\303\251t\303\251", ".", "x" };
	unsigned n = 1 + unit_below(5), more = unit_below(20);
	size_t len = 0;

	while (n-- > 0)
		len += (size_t)snprintf(buf + len, cap - len, "%s",
		    TWIN_ANY_OF(words));
	for (n = more > 0 ? 0 : unit_below(600); n > 0; n--)
		buf[len++] = n % 7 ? 'y' : '/';
	buf[len] = '\0';
}

UNIT_LOOP(thousands_that_are_anchored_to_an_end_answer_as_a_loop_does, 3)
{
	static const enum fm_pattern_kind some[][4] = {
		{ FM_PATTERN_SUFFIX, FM_PATTERN_SUFFIX, FM_PATTERN_SUFFIX,
		    FM_PATTERN_SUFFIX },
		{ FM_PATTERN_PREFIX, FM_PATTERN_EXACT, FM_PATTERN_PREFIX,
		    FM_PATTERN_EXACT },
		{ FM_PATTERN_PREFIX, FM_PATTERN_SUFFIX, FM_PATTERN_CONTAINS,
		    FM_PATTERN_GLOB },
	};
	char (*texts)[700] = calloc(MANY, sizeof *texts), subject[1400];
	/* Thousands that are scanned for take seconds to compile. */
	unsigned n = _i < 2 ? MANY : unit_rounds(MANY / 8, 2), i, hits = 0;
	unsigned subjects = unit_rounds(400, 8);
	struct twin_set set;

	unit_seed("thousands");
	twin_set_init(&set);
	for (i = 0; i < n; i++) {
		many_name(texts[i], sizeof *texts);
		ck_assert(twin_set_add(&set, some[_i][unit_below(4)],
		    unit_below(2), fm_text_of(texts[i])));
	}
	twin_set_make(&set);
	for (i = 0; i < subjects; i++) {
		many_name(subject, 700);
		if (unit_below(2))
			many_name(subject + strlen(subject), 700);
		hits += ask(&set, fm_text_of(unit_below(3) ? subject :
		    texts[unit_below(n)])) > 0;
	}
	ck_assert_uint_gt(hits, subjects / 4);
	ck_assert(_i == 2 || (!fm_patset_scans(set.ps) &&
	    set.tally.confirms + set.tally.fallbacks == 0));
	twin_set_fini(&set);
	free(texts);
}

UNIT_SCANNING_LOOP(pcre2_is_asked_about_candidates_of_a_prefilter_only, 5)
{
	static const struct {
		enum fm_pattern_kind	kind;
		const char		*format;
		unsigned		confirms;
		bool			gives_up;
	} of[] = {
		{ FM_PATTERN_CONTAINS, "w%03ux", 0, false },
		{ FM_PATTERN_GLOB, "*w%03ux*", 0, false },
		{ FM_PATTERN_REGEX, "\\bw%03ux[^a-z]", 0, false },
		{ FM_PATTERN_REGEX, "\\bw%03ux(?!a)", 1, true },
		{ FM_PATTERN_REGEX, "\\bw%03ux(?#c)", 50, true },
	};
	char texts[50][32];
	struct twin_set set;
	unsigned i;

	twin_set_init(&set);
	for (i = 0; i < COUNT(texts); i++) {
		snprintf(texts[i], sizeof *texts, of[_i].format, i);
		add(&set, of[_i].kind, texts[i]);
	}
	twin_set_make(&set);
	ck_assert(fm_patset_gives_up(set.ps) == of[_i].gives_up);
	ck_assert(fm_patset_scans(set.ps) == (of[_i].confirms < 50));
	ck_assert_uint_eq(ask(&set, fm_text_of("a w042x b w0 w042")), 1);
	ck_assert_uint_eq(set.tally.scans, of[_i].confirms < 50);
	ck_assert_uint_eq(set.tally.confirms, of[_i].confirms);
	twin_set_fini(&set);
}

UNIT_SCANNING(long_subjects_are_scanned_too)
{
	static const struct spec specs[] = {
		{ FM_PATTERN_CONTAINS, false, "needle" },
		{ FM_PATTERN_CONTAINS, true, "HAYSTACK" },
		{ FM_PATTERN_SUFFIX, false, "dle" },
		{ FM_PATTERN_REGEX, false, "ne+dle$" },
		{ FM_PATTERN_EXACT, false, "needle" },
		{ FM_PATTERN_GLOB, false, "*n?edle" },
	};
	size_t len = 1UL << 20;
	struct twin_set set;
	char *s = malloc(len);

	ck_assert_ptr_nonnull(s);
	memset(s, '.', len);
	memcpy(s + len - 6, "needle", 6);
	make(&set, specs, COUNT(specs));
	ck_assert(fm_patset_scans(set.ps));
	ck_assert_uint_eq(ask(&set, fm_text(s, len)), 4);
	ck_assert_uint_eq(set.tally.fallbacks, 0);
	twin_set_fini(&set);
	free(s);
}

/*--------------------------------------------------------------------
 * Hyperscan refuses some, which must not harm their neighbours
 */

static const struct {
	enum fm_pattern_kind	kind;
	const char		*text;
	unsigned		length;	/* this number of 'y' are added */
	const char		*subject;
} refused[] = {
	{ FM_PATTERN_REGEX, "a^b", 0, "ab" },
	{ FM_PATTERN_REGEX, "a{0}", 0, "b" },
	{ FM_PATTERN_REGEX, "a{0}b", 0, "b" },
	{ FM_PATTERN_REGEX, "x{32768}", 0, "x" },
	{ FM_PATTERN_REGEX, "x{32767}", 0, "x" },
	{ FM_PATTERN_REGEX, "w.{1,5000}.{1,5001}w", 0, "w--w" },
	{ FM_PATTERN_REGEX, "q", 15999, "q" },
	{ FM_PATTERN_REGEX, "q", 16000, "q" },
	{ FM_PATTERN_CONTAINS, "q", 3999, "q" },
	{ FM_PATTERN_CONTAINS, "q", 4000, "q" },
	{ FM_PATTERN_GLOB, "q*", 4000, "q" },
};

UNIT_LOOP(what_hyperscan_refuses_is_tried_beside_good_neighbours,
    COUNT(refused))
{
	static const struct spec good[] = {
		{ FM_PATTERN_CONTAINS, false, "needle" },
		{ FM_PATTERN_REGEX, true, "\\bfoo[0-9]+" },
		{ FM_PATTERN_GLOB, false, "*bar*q*" },
	};
	static char text[17000], subject[32768];
	size_t len = strlen(refused[_i].text);
	struct twin_set set;
	unsigned i;

	strcpy(text, refused[_i].text);
	memset(text + len, 'y', refused[_i].length);
	twin_set_init(&set);
	for (i = 0; i < 4; i++)
		if (i == (unsigned)_i % 4)
			add(&set, refused[_i].kind, text);
		else
			ck_assert(twin_set_add(&set, good[i % 3].kind,
			    good[i % 3].nocase,
			    fm_text_of(good[i % 3].text)));
	twin_set_make(&set);
	(void)ask(&set, fm_text_of("no such thing"));
	if (fm_scan_health() == FM_SCAN_HEALTHY) {
		ck_assert_uint_eq(set.tally.scans, 1);
		ck_assert_uint_le(set.tally.confirms, 1);
	}
	ck_assert_uint_ge(ask(&set, fm_text_of("needle FOO7 barq")), 3);
	(void)ask(&set, fm_text("", 0));
	(void)ask(&set, fm_text_of(refused[_i].subject));
	/* The pattern's own text, with the tail; and more x than it wants. */
	(void)ask(&set, fm_text_of(text));
	memset(subject, 'x', sizeof subject);
	for (len = 32766; refused[_i].text[0] == 'x' && len <= 32768; len++)
		(void)ask(&set, fm_text(subject, len));
	ck_assert_uint_eq(set.open, 0);
	twin_set_fini(&set);
}

UNIT_SCANNING(a_set_of_which_all_are_refused_lacks_no_engine)
{
	struct twin_set set;

	twin_set_init(&set);
	add(&set, FM_PATTERN_REGEX, "a^b");
	add(&set, FM_PATTERN_REGEX, "[0-9]\\b^[a-z]");
	twin_set_make(&set);
	ck_assert_uint_eq(ask(&set, fm_text_of("0a")), 0);
	ck_assert_uint_eq(set.tally.fallbacks + set.tally.scans, 0);
	twin_set_fini(&set);
}

/*--------------------------------------------------------------------
 * PCRE2's limit, which each regex has by itself
 */

/* Each takes more than it over SLOW; Hyperscan decides none of them. */
static const char * const slow[] = {
	"^(?=(a+)+$).", "(?#c)^(a+)+$", "(a+)+(?:$|b(?<=x))"
};
#define SLOW		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab needle"

enum outcome { NO, YES, OPEN };

static enum outcome
outcome_of(const struct fm_patset *ps)
{
	struct fm_tally tally = { 0 };

	return (fm_patset_match(ps, fm_text_of(SLOW), &tally) ? YES :
	    tally.over_limit > 0 ? OPEN : NO);
}

UNIT_LOOP(a_regex_over_its_limit_is_counted_and_others_are_decided, COUNT(slow))
{
	struct fm_text subject = fm_text_of(SLOW);
	struct fm_tally tally = { 0 };
	uint64_t bits = 0;
	uint32_t number;
	struct twin_set set;
	unsigned known;

	twin_set_init(&set);
	add(&set, FM_PATTERN_REGEX, slow[_i]);
	add(&set, FM_PATTERN_REGEX, "ne+dle");
	twin_set_make(&set);
	ck_assert(fm_patset_gives_up(set.ps));
	ck_assert_uint_eq(fm_patset_all(set.ps, subject, &number, 1, &tally),
	    1);
	ck_assert_uint_eq(number, 1);
	ck_assert_uint_eq(tally.over_limit, 1);
	known = fm_patset_candidates(set.ps, subject, &bits, &tally);
	ck_assert_uint_eq(bits, 3);
	ck_assert(fm_patset_decide(set.ps, 1, subject, known, &tally));
	ck_assert_uint_eq(tally.over_limit, 1);
	ck_assert(!fm_patset_decide(set.ps, 0, subject, known, &tally));
	ck_assert_uint_eq(tally.over_limit, 2);
	(void)ask(&set, subject);
	twin_set_fini(&set);
}

UNIT_LOOP(the_first_is_in_doubt_only_if_one_before_it_is, 2)
{
	struct fm_text subject = fm_text_of(SLOW);
	struct fm_tally tally = { 0 };
	struct twin_set set;

	twin_set_init(&set);
	add(&set, FM_PATTERN_CONTAINS, "absent");
	add(&set, FM_PATTERN_CONTAINS, _i ? "needle" : "absent");
	add(&set, FM_PATTERN_REGEX, slow[0]);
	add(&set, FM_PATTERN_CONTAINS, "needle");
	twin_set_make(&set);
	ck_assert_uint_eq(fm_patset_first(set.ps, subject, &tally),
	    _i ? 1 : 3);
	ck_assert_uint_eq(tally.over_limit, _i ? 0 : 1);
	twin_set_fini(&set);
}

/* A or B and B or A, of what is true, false and not decided. */
UNIT_TEST(the_order_of_two_patterns_does_not_matter)
{
	static const char * const regexes[] = { [NO] = "abs[e]nt",
	    [YES] = "need?le", [OPEN] = "^(?=(a+)+$)." };
	struct twin_set set;
	int a, b;

	for (a = NO; a <= OPEN; a++)
		for (b = NO; b <= OPEN; b++) {
			twin_set_init(&set);
			add(&set, FM_PATTERN_REGEX, regexes[a]);
			add(&set, FM_PATTERN_REGEX, regexes[b]);
			twin_set_make(&set);
			ck_assert_int_eq(outcome_of(set.ps),
			    a == YES || b == YES ? YES : a > b ? a : b);
			twin_set_fini(&set);
		}
}

#define LOOKS		1000

UNIT_TEST(a_thousand_look_aheads_over_one_subject_are_all_decided)
{
	char (*texts)[48] = calloc(LOOKS, sizeof *texts), cookie[1000];
	unsigned n = unit_rounds(LOOKS, 4);
	struct twin_set set;
	size_t len = 0;
	unsigned i;

	for (i = 0; len + 30 < sizeof cookie; i++)
		len += (size_t)sprintf(cookie + len, "n%u=v%u; ", i, i * 7);
	twin_set_init(&set);
	for (i = 0; i < n; i++) {
		snprintf(texts[i], sizeof *texts, "^(?!.*\\bx%u\\b).*v%u;", i,
		    i);
		add(&set, FM_PATTERN_REGEX, texts[i]);
	}
	twin_set_make(&set);
	ck_assert_uint_gt(ask(&set, fm_text(cookie, len)), 10);
	ck_assert_uint_eq(set.tally.over_limit, 0);
	ck_assert_uint_eq(set.open, 0);
	twin_set_fini(&set);
	free(texts);
}

#define VERBS	"(?:select|insert|update|delete|union|drop|alter|create|exec|" \
	"declare|cast|convert|truncate|grant|revoke|merge|replace|call|load|" \
	"rename|begin|commit|rollback|fetch|open|close|use|show|describe|" \
	"explain|lock|unlock|analyze|backup|restore|shutdown|kill|dump|set)"
#define NOUNS	"(?:from|into|table|where|values|database|schema|procedure)"

static const struct {
	const char	*regex, *hit, *miss;
} costly[] = {
	{ "\\b" VERBS "\\b.*\\b" NOUNS "\\b", "union all select x from y",
	    "reunion all selected x formed y" },
	{ "([a-z])\\1{4}", "zzzzz", "zzzz" },
	{ "(\\w+)\\s+\\1\\s+\\1", "dog dog dog", "dog dogs dog" },
	{ "^(?!.*\\bx11\\b).*xiaomi", "xiaomi", "xiaomi x11" },
	{ "([a-z]+)+$", "word", "word!" },
	{ "^(?:[^;]*;)*(?! *id=)[a-z]+=9", "; ab=9", "; id=9" },
};

/* Words, one letter, or pairs of a cookie. */
static void
fill(char *line, size_t len, unsigned how)
{
	static const char * const fillers[] = { "a quick brown fox jumps; ",
	    "a", "n1=v1; lang=en; _ga=GA1.2.34; " };
	size_t i, n = strlen(fillers[how]);

	for (i = 0; i < len; i++)
		line[i] = fillers[how][i % n];
}

/* Where VCL's `~` answers, the answer is VCL's, whatever the length. */
UNIT_LOOP(regexes_at_the_end_of_a_long_header_answer_as_vcl_does, COUNT(costly))
{
	static const unsigned lengths[] = { 300, 1000, 4000, 8000 };
	unsigned i, answered = 0, rounds = COUNT(lengths) * 3 * 2;
	enum twin_answer vcl;
	struct fm_tally tally;
	struct twin_set set;
	struct fm_text s;
	char line[8100];
	bool hit;

	twin_set_init(&set);
	ck_assert(twin_set_add(&set, FM_PATTERN_REGEX, true,
	    fm_text_of(costly[_i].regex)));
	twin_set_make(&set);
	for (i = 0; i < rounds; i++) {
		s = fm_text(line, lengths[i / 6]);
		fill(line, s.len, i / 2 % 3);
		s.len += (size_t)sprintf(line + s.len, " %s",
		    i % 2 ? costly[_i].hit : costly[_i].miss);
		tally = (struct fm_tally){ 0 };
		hit = fm_patset_match(set.ps, s, &tally);
		vcl = twin_pattern_vcl(&set.twins[0], s);
		answered += vcl != TWIN_UNKNOWN;
		if (vcl != TWIN_UNKNOWN)
			ck_assert_uint_eq(tally.over_limit, 0);
		else
			vcl = twin_pattern_match(&set.twins[0], s);
		ck_assert_msg(tally.over_limit > 0 || vcl == TWIN_UNKNOWN ||
		    hit == (vcl == TWIN_YES), "%s over %zu bytes, %u: %d",
		    costly[_i].regex, s.len, i, hit);
	}
	ck_assert_uint_ge(answered, rounds / 4);
	twin_set_fini(&set);
}

/*--------------------------------------------------------------------
 * Threads
 */

static void *
thread_main(void *priv)
{
	const struct fm_patset *ps = priv;
	unsigned i, turns = unit_rounds(20000, 40);
	struct fm_tally tally;
	uint32_t numbers[4];
	intptr_t bad = 0;

	for (i = 0; i < turns; i++) {
		tally = (struct fm_tally){ 0 };
		bad += fm_patset_all(ps, fm_text_of("one two 33"), numbers, 4,
		    &tally) != 3;
		bad += fm_patset_match(ps, fm_text_of("nothing"), &tally);
	}
	return ((void *)bad);
}

UNIT_TEST(threads_share_a_set_while_larger_ones_are_made)
{
	static const struct spec specs[] = {
		{ FM_PATTERN_CONTAINS, false, "one" },
		{ FM_PATTERN_REGEX, false, "two(?! 2)" },
		{ FM_PATTERN_REGEX, false, "[0-9]{2}" },
	};
	static struct twin_regex regexes[40];
	struct twin_set set, more;
	pthread_t threads[8];
	unsigned i, n;
	void *bad;

	unit_seed("patset threads");
	make(&set, specs, 3);
	for (i = 0; i < COUNT(threads); i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL,
		    thread_main, set.ps), 0);
	for (n = 10; n <= (unit_whole() ? 40 : 20); n += 10) {
		twin_set_init(&more);
		for (i = 0; i < n; i++)
			add_random(&more, &regexes[i], false);
		twin_set_make(&more);
		twin_set_fini(&more);
	}
	for (i = 0; i < COUNT(threads); i++) {
		ck_assert_int_eq(pthread_join(threads[i], &bad), 0);
		ck_assert_ptr_null(bad);
	}
	twin_set_fini(&set);
}

int
main(void)
{
	/* Made once: each test is a child, and would make it again. */
	(void)unit_engine_health();
	return (unit_main("patset", 600));
}
