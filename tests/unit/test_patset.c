/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Pattern sets: every engine and every short cut against a naive twin, which
 * tries one pattern after the other with loops of its own and, for a regex,
 * with PCRE2.
 */

#include <pthread.h>

#include "engine.h"
#include "glob.h"
#include "patset.h"
#include "scan.h"
#include "twin_text.h"
#include "unit.h"

/* Check takes a note of each assertion: too slow for a million of them. */
#define CHECK(is)							\
	do {								\
		if (!(is))						\
			ck_abort_msg("%s", #is);			\
	} while (0)

static const struct fm_place here = { .name = "test" };

struct spec {
	enum fm_pattern_kind	kind;
	bool			nocase;
	char			text[160];
};

/* The twin. */

/* Takes the regex of the set itself; test_regular compares it with PCRE2. */
static bool
twin_match(const struct fm_patset *ps, unsigned n, const struct spec *sp,
    struct fm_text s)
{
	struct fm_tally tally = { 0 };
	size_t len = strlen(sp->text), i;

	switch (sp->kind) {
	case FM_PATTERN_CONTAINS:
		for (i = 0; i + len <= s.len; i++)
			if (twin_eq(s.b + i, sp->text, len, sp->nocase))
				return (true);
		return (false);
	case FM_PATTERN_EXACT:
		return (s.len == len &&
		    twin_eq(s.b, sp->text, len, sp->nocase));
	case FM_PATTERN_PREFIX:
		return (s.len >= len &&
		    twin_eq(s.b, sp->text, len, sp->nocase));
	case FM_PATTERN_SUFFIX:
		return (s.len >= len && twin_eq(s.b + s.len - len, sp->text,
		    len, sp->nocase));
	case FM_PATTERN_GLOB:
		return (fm_glob_match(fm_text_of(sp->text), s, sp->nocase));
	case FM_PATTERN_REGEX:
		return (fm_pattern_match(fm_patset_pattern(ps, n), s, &tally));
	}
	ck_abort();
}

/* Builds the set; false where a random regex is none. */
static struct fm_patset *
make_set(const struct spec *specs, unsigned n)
{
	struct fm_patset_builder *b;
	struct fm_patset *ps;
	struct fm_pattern *p;
	struct fm_diag *diag;
	unsigned i;

	diag = fm_diag_new();
	b = fm_patset_build_new();
	for (i = 0; i < n; i++) {
		p = fm_pattern_new(specs[i].kind, fm_text_of(specs[i].text),
		    specs[i].nocase, &here, diag);
		ck_assert_msg(p != NULL, "%s", fm_diag_line(diag, 0));
		ck_assert_int_eq(fm_patset_build_add(b, &p), 0);
		ck_assert_ptr_null(p);
	}
	ck_assert_uint_eq(fm_patset_build_count(b), n);
	ps = fm_patset_build(&b, diag);
	ck_assert_ptr_nonnull(ps);
	ck_assert_ptr_null(b);
	ck_assert_uint_eq(fm_diag_errors(diag), 0);
	ck_assert_uint_eq(fm_patset_count(ps), n);
	fm_diag_free(&diag);
	return (ps);
}

static void
complain(const struct spec *sp, struct fm_text s, bool want)
{
	size_t i;

	fprintf(stderr, "kind %d nocase %d pattern \"%s\" over \"",
	    (int)sp->kind, sp->nocase, sp->text);
	for (i = 0; i < s.len; i++)
		fprintf(stderr, s.b[i] >= ' ' && s.b[i] < 0x7f ? "%c" :
		    "\\x%02x", (unsigned char)s.b[i]);
	fprintf(stderr, "\": the twin says %s\n", want ? "match" : "none");
}

/* match, first and all against the answers of the twin. */
static void
check_answers(const struct fm_patset *ps, const struct spec *specs,
    unsigned n, struct fm_text s, const bool *want)
{
	uint32_t numbers[256], first = FM_PATSET_NONE;
	struct fm_tally tally = { 0 };
	unsigned i, count = 0;
	size_t all;

	all = fm_patset_all(ps, s, numbers, 256, &tally);
	for (i = 0; i < n; i++) {
		if (want[i] && first == FM_PATSET_NONE)
			first = i;
		if (want[i] != (count < all && numbers[count] == i)) {
			complain(&specs[i], s, want[i]);
			ck_abort_msg("pattern %u of %u", i, n);
		}
		count += want[i];
	}
	ck_assert_uint_eq(all, count);
	ck_assert_uint_eq(fm_patset_first(ps, s, &tally), first);
	ck_assert(fm_patset_match(ps, s, &tally) == (count > 0));
}

/* The same in two steps: every candidate decided, and no other is a match. */
static void
check_steps(const struct fm_patset *ps, const struct spec *specs,
    unsigned n, struct fm_text s, const bool *want)
{
	uint64_t bits[FM_PATSET_WORDS(256)] = { 0 };
	struct fm_tally tally = { 0 };
	unsigned i, known;
	bool hit;

	known = fm_patset_candidates(ps, s, bits, &tally);
	/*
	 * What is dense has a trie instead of a scan; where there are too many
	 * hits what is without literals has another.
	 */
	ck_assert_uint_le(tally.scans, fm_patset_scans(ps) ? 2 : 0);
	ck_assert_uint_eq(tally.confirms, 0);
	for (i = 0; i < n; i++) {
		hit = (bits[i / 64] & 1ULL << i % 64) != 0 &&
		    fm_patset_decide(ps, i, s, known, &tally);
		if (hit != want[i]) {
			complain(&specs[i], s, want[i]);
			ck_abort_msg("pattern %u of %u, in two steps", i, n);
		}
	}
	for (; i < 64 * FM_PATSET_WORDS(n); i++)
		ck_assert((bits[i / 64] & 1ULL << i % 64) == 0);
}

static void
check_set(const struct spec *specs, unsigned n, const char * const *subjects)
{
	struct fm_patset *ps;
	struct fm_text s;
	bool want[256];
	unsigned i;

	ps = make_set(specs, n);
	for (; *subjects != NULL; subjects++) {
		s = unit_copy(fm_text_of(*subjects));
		for (i = 0; i < n; i++)
			want[i] = twin_match(ps, i, &specs[i], s);
		check_answers(ps, specs, n, s, want);
		check_steps(ps, specs, n, s, want);
		free((char *)(uintptr_t)s.b);
	}
	fm_patset_free(&ps);
	ck_assert_ptr_null(ps);
}

/* Random patterns and subjects. */

static const char alphabet[] = "abcABC01 .-/\n";

static char
random_byte(void)
{
	if (unit_below(40) == 0)
		return ((char)(1 + unit_below(255)));
	return (alphabet[unit_below(sizeof alphabet - 1)]);
}

static void
append(char *out, size_t cap, const char *s)
{
	if (strlen(out) + strlen(s) < cap)
		strcat(out, s);
}

static void random_regex(char *out, size_t cap, unsigned depth);

static void
random_atom(char *out, size_t cap, unsigned depth)
{
	static const char * const atoms[] = { "a", "b", "c", "A", "B", "ab",
	    "abc", "Ab", "0", "1", " ", "-", "/", "\\.", "\\/", ".", "[ab]",
	    "[^a]", "[a-c]", "[.]", "[]a]", "[^]b]", "[\\d]", "[\\.b]",
	    "[[:alpha:]]", "[[:^digit:]x]", "[a\\-c]", "\\d", "\\w", "\\s",
	    "\\D", "\\W", "\\S", "\\h", "\\v", "\\x61", "\\x{62}", "\\n",
	    "\\t", "\\e", "^", "$", "\\b", "\\B", "\\A", "\\z", "\\Z",
	    "\\Qa.b\\E",
	    "[[:punct:]]", "\\N", "\\R", "\\101", "caba", "bacab", "[0-1]",
	    "\\xff", "[\\x80-\\xff]", "\\cA", "#", "}", "]" };
	static const char * const opens[] = { "(", "(?:", "(?i:", "(?>",
	    "(?=", "(?!", "(?<=", "(?<!", "(?s:", "(?m:", "(?-i:", "(?<n>" };

	if (depth > 0 && unit_below(4) == 0) {
		append(out, cap, opens[unit_below(unit_below(3) == 0 ?
		    sizeof opens / sizeof *opens : 2)]);
		random_regex(out, cap, depth - 1);
		append(out, cap, ")");
	} else if (unit_below(25) == 0)
		append(out, cap, "(?i)");
	else if (unit_below(40) == 0)
		append(out, cap, "(a|b)\\1");
	else
		append(out, cap,
		    atoms[unit_below(sizeof atoms / sizeof *atoms)]);
}

static void
random_regex(char *out, size_t cap, unsigned depth)
{
	static const char * const quantifiers[] = { "*", "+", "?", "{2}",
	    "{0,2}", "{1,}", "{0}", "*?", "+?", "??", "++", "*+", "{,2}",
	    "{1,3}?" };
	unsigned n = 1 + unit_below(5);

	while (n-- > 0) {
		random_atom(out, cap, depth);
		if (unit_below(4) == 0)
			append(out, cap, quantifiers[unit_below(
			    sizeof quantifiers / sizeof *quantifiers)]);
		if (unit_below(8) == 0)
			append(out, cap, "|");
	}
}

static void
random_plain(struct spec *sp)
{
	unsigned i, len = 1 + unit_below(unit_below(8) == 0 ? 140 : 4);

	for (i = 0; i < len; i++) {
		sp->text[i] = random_byte();
		if (sp->kind == FM_PATTERN_GLOB && unit_below(4) == 0)
			sp->text[i] = "*?"[unit_below(2)];
	}
	sp->text[len] = '\0';
}

static void
random_spec(struct spec *sp)
{
	char error[FM_REGEX_ERROR_LEN];
	struct fm_regex *re;
	size_t offset;

	memset(sp, 0, sizeof *sp);
	sp->nocase = unit_below(2);
	if (unit_below(2) == 0) {
		sp->kind = (enum fm_pattern_kind)unit_below(FM_PATTERN_REGEX);
		random_plain(sp);
		return;
	}
	sp->kind = FM_PATTERN_REGEX;
	for (;;) {
		sp->text[0] = '\0';
		random_regex(sp->text, sizeof sp->text, 3);
		re = fm_regex_new(fm_text_of(sp->text), sp->nocase, error,
		    &offset);
		if (re != NULL)
			break;
	}
	fm_regex_free(&re);
}

/* Random bytes, with a piece of some pattern in them as often as not. */
static struct fm_text
random_subject(const struct spec *specs, unsigned n)
{
	char buf[512];
	size_t len, i, off, plen;
	const char *p;

	len = unit_below(6) == 0 ? unit_below(330) : unit_below(24);
	for (i = 0; i < len; i++)
		buf[i] = random_byte();
	if (unit_below(2) == 0) {
		p = specs[unit_below(n)].text;
		plen = strlen(p);
		off = unit_below((unsigned)len + 1);
		memcpy(buf + off, p, plen);
		if (off + plen > len)
			len = off + plen;
	}
	return (unit_copy(fm_text(buf, len)));
}

/* Every question about the subject; how many patterns match. */
static unsigned
check_all(const struct fm_patset *ps, const struct spec *specs, unsigned n,
    struct fm_text s)
{
	unsigned i, hits = 0;
	bool want[200];

	ck_assert_uint_le(n, 200);
	for (i = 0; i < n; i++) {
		want[i] = twin_match(ps, i, &specs[i], s);
		hits += want[i];
	}
	check_answers(ps, specs, n, s, want);
	check_steps(ps, specs, n, s, want);
	return (hits);
}

START_TEST(random_sets_answer_like_one_pattern_after_the_other)
{
	struct spec specs[40];
	struct fm_text s;
	struct fm_patset *ps;
	unsigned set, sets = unit_rounds(150, 25), n, i, j;
	unsigned pairs = 0, hits = 0;

	unit_seed("patset");
	for (set = 0; set < sets || pairs < 800 * sets; set++) {
		n = set < sets / 7 ? 1 : 1 + unit_below(40);
		for (i = 0; i < n; i++)
			random_spec(&specs[i]);
		ps = make_set(specs, n);
		for (j = 0; j < 40; j++) {
			s = random_subject(specs, n);
			hits += check_all(ps, specs, n, s);
			pairs += n;
			free((char *)(uintptr_t)s.b);
		}
		fm_patset_free(&ps);
	}
	printf("patset: %u sets, %u pairs, %u matches\n", set, pairs, hits);
	ck_assert_uint_gt(hits, pairs / 50);
}
END_TEST

/* Where a scan looks for nothing else, it may stop when many are found. */
START_TEST(random_sets_of_globs_answer_so_too)
{
	unsigned set, sets = unit_rounds(300, 10), n, i, k;
	unsigned pairs = 0, hits = 0, passes = 0;
	static struct spec specs[200];
	uint64_t bits[FM_PATSET_WORDS(200)];
	struct fm_tally tally = { 0 };
	struct fm_patset *ps;
	struct fm_text s;

	unit_seed("patset of globs");
	for (set = 0; set < sets; set++) {
		n = 2 + unit_below(set % 10 ? 30 : 198);
		memset(specs, 0, sizeof specs);
		for (i = 0; i < n; i++) {
			specs[i].kind = FM_PATTERN_GLOB;
			specs[i].nocase = set % 3 ? set % 2 : unit_below(2);
			for (k = 2 + unit_below(10); k > 0; k--)
				append(specs[i].text, 100, ((const char *[]){
				    "*", "*", "*", "?", "ab", "ba", "a", "B",
				    "aba", "**" })[unit_below(10)]);
		}
		ps = make_set(specs, n);
		for (k = 0; k < 30; k++) {
			s = random_subject(specs, n);
			hits += check_all(ps, specs, n, s);
			pairs += n;
			memset(bits, 0, sizeof bits);
			passes += (fm_patset_candidates(ps, s, bits, &tally) &
			    FM_PATSET_GLOBS) != 0;
			free((char *)(uintptr_t)s.b);
		}
		fm_patset_free(&ps);
	}
	printf("patset: %u matches of %u globs, %u passes of %u\n", hits,
	    pairs, passes, 30 * set);
	ck_assert_uint_gt(hits, pairs / 50);
	ck_assert_uint_gt(passes, 3 * set);
}
END_TEST

START_TEST(kinds_and_cases_mix_in_one_set)
{
	static const struct spec specs[] = {
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
	};
	static const char * const subjects[] = { "", "Nokia", "nokia",
	    "NOKIA", "Mozilla/5.0 Nokia6600 mobile", "Mozilla/", "Mozilla",
	    "xMozilla/", "mobile", "aMobile", "Mobilex", "Nokya1", "Noki",
	    NULL };

	check_set(specs, sizeof specs / sizeof *specs, subjects);
}
END_TEST

START_TEST(look_around_and_back_references_answer_as_pcre2_does)
{
	static const struct spec specs[] = {
		{ FM_PATTERN_REGEX, false, "^(?!.*bot).*android" },
		{ FM_PATTERN_REGEX, false, "(\\w+) \\1" },
		{ FM_PATTERN_REGEX, false, "(?<=a)b" },
		{ FM_PATTERN_REGEX, false, "(?<!a)b" },
		{ FM_PATTERN_REGEX, false, "a(?i)b|c" },
		{ FM_PATTERN_REGEX, false, "(?|(a)|(b))\\1" },
		{ FM_PATTERN_REGEX, false, "(a)?(?(1)b|c)" },
		{ FM_PATTERN_REGEX, false, "foo\\Kbar" },
		{ FM_PATTERN_REGEX, false, "(?#comment)a" },
		{ FM_PATTERN_REGEX, false, "(?x) a b " },
		{ FM_PATTERN_REGEX, false, "(*ANYCRLF)^a$" },
		{ FM_PATTERN_REGEX, false, "a{,2}b" },
		{ FM_PATTERN_REGEX, false, "(?R)?a(?=z)" },
		{ FM_PATTERN_REGEX, false, "a\\Q.*\\Eb" },
		{ FM_PATTERN_REGEX, false, "(?m)^b$" },
		{ FM_PATTERN_REGEX, false, "b$" },
	};
	static const char * const subjects[] = { "", "android", "bot android",
	    "android bot", "foo foo", "foo bar", "ab", "b", "aB", "C", "c",
	    "aa", "bb", "foobar", "a", "y", "xxy", "az", "a.*b", "a\nb\nc",
	    "b\n", "b\n\n", "\r\na", "a{,2}b", "aab", NULL };

	check_set(specs, sizeof specs / sizeof *specs, subjects);
}
END_TEST

START_TEST(a_regex_over_its_limit_is_no_match_and_counted)
{
	static const struct spec specs[] = {
		{ FM_PATTERN_REGEX, false, "(a+)+(?:$|b(?<=x))" },
		{ FM_PATTERN_CONTAINS, false, "needle" },
	};
	struct fm_tally tally = { 0 };
	struct fm_patset *ps;
	uint32_t numbers[2];
	char line[8000];

	memset(line, 'a', sizeof line);
	memcpy(line, "needle", 6);
	line[sizeof line - 1] = 'b';
	ps = make_set(specs, 2);
	ck_assert_uint_eq(fm_patset_all(ps, fm_text(line, sizeof line),
	    numbers, 2, &tally), 1);
	ck_assert_uint_eq(numbers[0], 1);
	ck_assert_uint_eq(tally.over_limit, 1);
	fm_patset_free(&ps);
}
END_TEST

/*
 * Eight texts that a client can write at each byte are tried, fewer where the
 * case of letters doesn't count; a trie finds the others.
 */
START_TEST(what_repeats_itself_is_tried)
{
	static const char * const texts[] = { "//", "aa", "abab", "........",
	    "../../../", "x########", "\377\377", "%%", "==", "--" };
	static struct spec specs[16];
	struct fm_tally tally;
	struct fm_patset *ps;
	uint32_t numbers[16], n;

	memset(specs, 0, sizeof specs);
	for (n = 0; n < 16; n++) {
		specs[n].kind = FM_PATTERN_CONTAINS;
		specs[n].nocase = _i == 1;
		snprintf(specs[n].text, sizeof specs[n].text, "%s",
		    n < 10 ? texts[n] : "word");
		specs[n].text[3] += (char)(n < 10 ? 0 : n);
	}
	ps = make_set(specs, 16);
	for (n = 0; n < 10; n++) {
		tally = (struct fm_tally){ 0 };
		ck_assert_uint_eq(fm_patset_all(ps, fm_text_of(texts[n]),
		    numbers, 16, &tally), 1);
		ck_assert_uint_eq(numbers[0], n);
		ck_assert_uint_eq(tally.confirms, _i == 1 ? 4 : 8);
	}
	tally = (struct fm_tally){ 0 };
	ck_assert_uint_eq(fm_patset_all(ps, fm_text_of("== worn -- ../../.."),
	    numbers, 16, &tally), 3);
	ck_assert_uint_eq(tally.scans, 1);
	fm_patset_free(&ps);
	/* To try what begins or ends so costs nothing. */
	for (n = 0; n < 3; n++)
		specs[n].kind = FM_PATTERN_PREFIX;
	ps = make_set(specs, 16);
	tally = (struct fm_tally){ 0 };
	ck_assert_uint_eq(fm_patset_all(ps, fm_text_of("//aaabab--=="), numbers,
	    16, &tally), 3);
	fm_patset_free(&ps);
}
END_TEST

/* Then there may be nothing to scan for. */
START_TEST(many_that_repeat_themselves_are_found_without_a_scan)
{
	static struct spec specs[40];
	struct fm_tally tally = { 0 };
	uint32_t numbers[40], n;
	struct fm_patset *ps;
	char buf[sizeof specs->text];
	size_t len;

	memset(specs, 0, sizeof specs);
	for (n = 0; n < 40; n++) {
		specs[n].kind = FM_PATTERN_CONTAINS;
		specs[n].nocase = _i == 1;
		for (len = 0; len < 4 + n / 20; len++)
			specs[n].text[len] = (char)('A' + n % 20);
	}
	ps = make_set(specs, 40);
	ck_assert(fm_patset_scans(ps));
	ck_assert(!fm_patset_match(ps, fm_text_of("AAABBBCCCTTT"), &tally));
	ck_assert_uint_eq(fm_patset_first(ps, fm_text_of("AAA TTTTT SSSSS"),
	    &tally), 18);
	ck_assert_uint_eq(fm_patset_all(ps, fm_text_of("TTTTTTT-AAAAAB"),
	    numbers, 40, &tally), 4);
	ck_assert(numbers[0] == 0 && numbers[1] == 19 && numbers[2] == 20 &&
	    numbers[3] == 39);
	ck_assert_uint_eq(fm_patset_match(ps, fm_text_of("tttttt"), &tally),
	    _i == 1);
	ck_assert_uint_eq(tally.scans, 0);
	ck_assert_uint_eq(tally.fallbacks, 0);
	fm_patset_free(&ps);
	/* Of globs they are what to look for. */
	for (n = 0; n < 40; n++) {
		specs[n].kind = FM_PATTERN_GLOB;
		memcpy(buf, specs[n].text, sizeof buf);
		snprintf(specs[n].text, sizeof buf, "*%.9s*?!", buf);
	}
	ps = make_set(specs, 40);
	ck_assert_uint_eq(fm_patset_all(ps, fm_text_of("TTTTT and AAAA!!"),
	    numbers, 40, &tally), 3);
	ck_assert_uint_eq(tally.scans, 0);
	fm_patset_free(&ps);
}
END_TEST

/*
 * A client writes the words of all regexes of a list: a request tries some of
 * them, a call of VCL's ten times as many, and an ordinary one never sees it.
 */
#define RATIONED	300
#define WORD		"w%03ux-------"
#define WORD_LEN	12

static struct fm_patset *
rationed_set(char *line, enum fm_pattern_kind other, const char *text)
{
	static struct spec specs[RATIONED + 1];
	unsigned i;

	memset(specs, 0, sizeof specs);
	for (i = 0; i < RATIONED; i++) {
		specs[i].kind = FM_PATTERN_REGEX;
		snprintf(specs[i].text, sizeof specs[i].text,
		    "w%03ux.*[0-9]z", i);
		(void)sprintf(line + (size_t)i * WORD_LEN, WORD, i);
	}
	specs[i].kind = other;
	snprintf(specs[i].text, sizeof specs[i].text, "%s", text);
	return (make_set(specs, RATIONED + 1));
}

START_TEST(many_regexes_of_which_all_words_are_there_are_rationed)
{
	struct fm_tally call = { 0 }, request = { .ration = 1 };
	char line[RATIONED * WORD_LEN + 1];
	struct fm_patset *ps;
	unsigned i;

	ps = rationed_set(line, FM_PATTERN_REGEX, "other");
	/* The flood takes as much as a pass, and then there are two. */
	ck_assert(!fm_patset_match(ps, fm_text_of(line), &request));
	ck_assert_uint_eq(request.confirms, 3);
	ck_assert_uint_eq(request.unasked, RATIONED + 1 - 3);
	ck_assert(!fm_patset_match(ps, fm_text_of(line), &call));
	ck_assert_uint_eq(call.confirms, 22);
	ck_assert_uint_eq(call.unasked, RATIONED + 1 - 22);
	/* Ten words, on 120 bytes. */
	call = request = (struct fm_tally){ 0 };
	request.ration = 1;
	ck_assert(!fm_patset_match(ps, fm_text(line, 120), &request));
	ck_assert_uint_eq(request.confirms, 10);
	ck_assert_uint_eq(request.unasked, 0);
	for (i = 0; i < 15; i++)
		ck_assert(!fm_patset_match(ps, fm_text(line, 120), &call));
	ck_assert_uint_eq(call.confirms, 150);
	ck_assert_uint_eq(call.unasked, 0);
	/* One of each subject, however many there are and whatever was. */
	request = (struct fm_tally){ 0 };
	request.ration = 1;
	for (i = 0; i < 100; i++)
		ck_assert(!fm_patset_match(ps, fm_text(line, WORD_LEN),
		    &request));
	ck_assert_uint_eq(request.confirms, 100);
	memset(line + WORD_LEN, '-', sizeof line - 1 - WORD_LEN);
	for (i = 0; i < 20; i++)
		ck_assert(!fm_patset_match(ps, fm_text_of(line), &request));
	ck_assert_uint_eq(request.confirms, 120);
	ck_assert_uint_eq(request.unasked, 0);
	fm_patset_free(&ps);
}
END_TEST

/*
 * Of those that are not found for all the others it is not said that they don't
 * match; and what is no regex is found all the same.
 */
START_TEST(regexes_that_are_not_looked_for_are_missing)
{
	static const struct {
		enum fm_pattern_kind	kind;
		const char		*text;
		bool			there;
	} others[] = {
		{ FM_PATTERN_CONTAINS, "w299x-", true },
		{ FM_PATTERN_GLOB, "*w298x*w299x*", true },
		{ FM_PATTERN_CONTAINS, "w300x", false },
		{ FM_PATTERN_REGEX, "w300x[a-z]", false },
		{ FM_PATTERN_REGEX, "[0-9]{4}-[a-z]{9}", false },
	};
	uint64_t bits[FM_PATSET_WORDS(RATIONED + 1)];
	uint64_t missing[FM_PATSET_WORDS(RATIONED + 1)];
	char line[RATIONED * WORD_LEN + 8];
	struct fm_tally tally;
	struct fm_patset *ps;
	unsigned i, known, found = 0, bit;
	bool is_regex, hit;

	ps = rationed_set(line, others[_i].kind, others[_i].text);
	/* All of these match. */
	strcpy(line + sizeof line - 8, "7z");
	is_regex = others[_i].kind == FM_PATTERN_REGEX;
	memset(bits, 0, sizeof bits);
	memset(missing, 0, sizeof missing);
	tally = (struct fm_tally){ .ration = 1 };
	known = fm_patset_candidates(ps, fm_text_of(line), bits, &tally);
	ck_assert(known & FM_PATSET_SPENT);
	ck_assert_uint_gt(tally.unasked, 0);
	fm_patset_missing(ps, known, bits, missing);
	for (i = 0; i <= RATIONED; i++) {
		bit = bits[i / 64] >> i % 64 & 1;
		found += bit && i < RATIONED;
		ck_assert_uint_eq(missing[i / 64] >> i % 64 & 1,
		    !bit && (i < RATIONED || is_regex));
	}
	ck_assert_uint_ge(found, 16);
	ck_assert_uint_lt(found, RATIONED);
	ck_assert(fm_patset_gives_up(ps));
	if (!is_regex) {
		hit = (bits[RATIONED / 64] >> RATIONED % 64 & 1) != 0 &&
		    fm_patset_decide(ps, RATIONED, fm_text_of(line), known,
		    &tally);
		ck_assert(hit == others[_i].there);
	}
	/* The first that matches may be one of them, which is told. */
	tally = (struct fm_tally){ .ration = 1 };
	i = fm_patset_first(ps, fm_text_of(line), &tally);
	ck_assert(tally.unasked > 0 && (i < 64 || i == RATIONED ||
	    i == FM_PATSET_NONE));
	/* And nothing of the kind where they are few. */
	memset(bits, 0, sizeof bits);
	tally = (struct fm_tally){ .ration = 1 };
	known = fm_patset_candidates(ps, fm_text(line, 10 * WORD_LEN), bits,
	    &tally);
	ck_assert(!(known & FM_PATSET_SPENT) && tally.unasked == 0);
	fm_patset_free(&ps);
}
END_TEST

#define GRID		40

/* Each glob of a word of both kinds; and another pattern, at the end. */
static struct fm_patset *
grid_set(const char *format, enum fm_pattern_kind kind, const char *text)
{
	static struct spec specs[GRID * GRID + 1];
	unsigned i;

	memset(specs, 0, sizeof specs);
	for (i = 0; i < GRID * GRID; i++) {
		specs[i].kind = FM_PATTERN_GLOB;
		snprintf(specs[i].text, sizeof specs[i].text, format, i / GRID,
		    i % GRID);
	}
	specs[i].kind = kind;
	snprintf(specs[i].text, sizeof specs[i].text, "%s", text);
	return (make_set(specs, GRID * GRID + 1));
}

/* All words of the first kind, and of the second one so many. */
static struct fm_text
grid_line(char *line, unsigned seconds)
{
	size_t n = 0;
	unsigned i;

	for (i = 0; i < GRID + seconds; i++)
		n += (size_t)sprintf(line + n, "%c%02u", i < GRID ? 'a' : 'b',
		    i % GRID);
	return (fm_text(line, n));
}

/*
 * What a client can write of the words of many globs is decided, or said to be
 * missing; other patterns of the set are decided.
 */
START_TEST(globs_of_which_too_many_words_are_there_are_missing)
{
	static const char * const formats[] = {
		"*a%02u*b%02u*", "a%02u*b%02u*", "*a%02u*b%02u?*",
		"*a%02u*b%02u",
	};
	static const struct {
		enum fm_pattern_kind	kind;
		const char		*text;
	} others[] = {
		{ FM_PATTERN_CONTAINS, "a01a02" },
		{ FM_PATTERN_GLOB, "*a0?a*" },
		{ FM_PATTERN_REGEX, "a0[0-9]a10" }, { FM_PATTERN_EXACT, "a" },
	};
	uint64_t bits[FM_PATSET_WORDS(GRID * GRID + 1)];
	uint64_t missing[FM_PATSET_WORDS(GRID * GRID + 1)];
	unsigned i, k, known, crowded = 0;
	char line[3 * 2 * GRID + 1];
	struct fm_tally tally;
	struct fm_text subject;
	struct fm_patset *ps;
	bool is, want, open;

	ps = grid_set(formats[_i % 4], others[_i / 4].kind,
	    others[_i / 4].text);
	ck_assert(fm_patset_is_much(ps) && fm_patset_gives_up(ps));
	for (k = 0; k <= GRID; k += unit_step(8)) {
		subject = grid_line(line, k);
		memset(bits, 0, sizeof bits);
		memset(missing, 0, sizeof missing);
		tally = (struct fm_tally){ .ration = 1 };
		known = fm_patset_candidates(ps, subject, bits, &tally);
		fm_patset_missing(ps, known, bits, missing);
		crowded += (known & FM_PATSET_CROWDED) != 0;
		ck_assert((known & FM_PATSET_CROWDED) == 0 ||
		    tally.unasked > 0);
		for (i = 0; i <= GRID * GRID; i++) {
			open = missing[i / 64] >> i % 64 & 1;
			want = fm_pattern_match(fm_patset_pattern(ps, i),
			    subject, &tally);
			is = (bits[i / 64] >> i % 64 & 1) != 0 &&
			    fm_patset_decide(ps, i, subject, known, &tally);
			ck_assert(is ? want : !want || open);
			ck_assert(!open || ((known & FM_PATSET_CROWDED) != 0 &&
			    fm_pattern_kind(fm_patset_pattern(ps, i)) ==
			    FM_PATTERN_GLOB));
		}
		/* One is enough; no is said only where it is known. */
		want = fm_patset_all(ps, subject, NULL, 0, &tally) > 0;
		tally = (struct fm_tally){ .ration = 1 };
		is = fm_patset_match(ps, subject, &tally);
		ck_assert(is == want || (!is && tally.unasked > 0));
	}
	/* Where few words are there all is known. */
	memset(bits, 0, sizeof bits);
	tally = (struct fm_tally){ 0 };
	known = fm_patset_candidates(ps, fm_text_of("a01 a02 b03b"), bits,
	    &tally);
	ck_assert_uint_eq(known & FM_PATSET_CROWDED, 0);
	ck_assert_uint_eq(tally.unasked, 0);
	ck_assert_uint_gt(crowded, 0);
	fm_patset_free(&ps);
}
END_TEST

/* Each of those that match is decided, or is missing, and that is told. */
static unsigned
open_of(const struct fm_patset *ps, struct fm_text subject)
{
	struct fm_tally tally = { 0 }, once = { 0 };
	uint64_t bits[1] = { 0 }, missing[1] = { 0 };
	unsigned i, n = 0, known;
	bool is, open;

	ck_assert_uint_le(fm_patset_count(ps), 64);
	known = fm_patset_candidates(ps, subject, bits, &tally);
	fm_patset_missing(ps, known, bits, missing);
	for (i = 0; i < fm_patset_count(ps); i++) {
		open = (missing[0] >> i & 1) != 0;
		is = (bits[0] >> i & 1) != 0 &&
		    fm_patset_decide(ps, i, subject, known, &tally);
		ck_assert(is || open || !fm_pattern_match(fm_patset_pattern(ps,
		    i), subject, &tally));
		n += open && !is;
	}
	ck_assert_uint_eq(tally.unasked, n);
	ck_assert(fm_patset_match(ps, subject, &once) || n == 0 ||
	    once.unasked > 0);
	return (n);
}

START_TEST(globs_that_are_tried_each_time_may_be_missing_too)
{
	struct spec specs[8];
	struct fm_text subject;
	struct fm_patset *ps;
	char line[4000];
	unsigned i;

	for (i = 0; i < 8; i++) {
		specs[i].kind = FM_PATTERN_GLOB;
		specs[i].nocase = _i == 1;
		(void)snprintf(specs[i].text, sizeof specs[i].text,
		    "*aa%.16s%.16s%.16s%.16sbb*c%u*", "????????????????",
		    "????????????????", "????????????????",
		    "????????????????", i);
	}
	ps = make_set(specs, 8);
	ck_assert(fm_patset_is_much(ps));
	memset(line, 'a', 3200);
	memset(line + 3200, 'z', 64);
	(void)strcpy(line + 3264, "bbc0c1c2c3c4c5c6c7");
	subject = fm_text_of(line);
	ck_assert_uint_eq(open_of(ps, subject), 8);
	ck_assert_uint_eq(open_of(ps, fm_text_of(line + 3100)), 0);
	fm_patset_free(&ps);
}
END_TEST

/* A flood of what they all end in, and none of them is there. */
START_TEST(a_flood_may_be_of_no_pattern)
{
	struct fm_tally tally = { 0 };
	struct spec specs[8];
	struct fm_patset *ps;
	char line[600] = "";
	uint32_t number;
	unsigned i;

	for (i = 0; i < 8; i++) {
		specs[i].kind = FM_PATTERN_GLOB;
		specs[i].nocase = _i == 1;
		(void)snprintf(specs[i].text, sizeof specs[i].text,
		    "*word%03u-index.php*x%u*", i, i);
	}
	ps = make_set(specs, 8);
	for (i = 0; i < 30; i++) {
		strcat(line, i % 2 ? "ndex.php " : "dex.php ");
		ck_assert(!fm_patset_match(ps, fm_text_of(line), &tally));
		ck_assert_uint_eq(fm_patset_first(ps, fm_text_of(line),
		    &tally), FM_PATSET_NONE);
		ck_assert_uint_eq(fm_patset_all(ps, fm_text_of(line), &number,
		    1, &tally), 0);
	}
	strcat(line, "word003-index.php x3");
	ck_assert(fm_patset_match(ps, fm_text_of(line), &tally));
	ck_assert_uint_eq(fm_patset_first(ps, fm_text_of(line), &tally), 3);
	ck_assert_uint_eq(tally.unasked, 0);
	fm_patset_free(&ps);
}
END_TEST

START_TEST(subjects_longer_than_a_scan_are_decided_all_the_same)
{
	static const struct spec specs[] = {
		{ FM_PATTERN_CONTAINS, false, "needle" },
		{ FM_PATTERN_CONTAINS, true, "HAYSTACK" },
		{ FM_PATTERN_SUFFIX, false, "dle" },
		{ FM_PATTERN_REGEX, false, "ne+dle$" },
		{ FM_PATTERN_EXACT, false, "needle" },
	};
	static const uint32_t want[] = { 0, 2, 3 };
	struct fm_tally tally = { 0 };
	struct fm_patset *ps;
	uint32_t numbers[5];
	uint64_t bits = 0;
	size_t len = FM_SCAN_SUBJECT_MAX + 1;
	char *s;

	s = malloc(len);
	memset(s, '.', len);
	memcpy(s + len - 6, "needle", 6);
	ps = make_set(specs, 5);
	ck_assert(fm_patset_scans(ps));
	ck_assert_uint_eq(fm_patset_all(ps, fm_text(s, len), numbers, 5,
	    &tally), 3);
	ck_assert_mem_eq(numbers, want, sizeof want);
	ck_assert(fm_patset_match(ps, fm_text(s, len), &tally));
	ck_assert_uint_eq(tally.fallbacks, 2);
	/* In two steps nothing counts as sure. */
	ck_assert_uint_eq(fm_patset_candidates(ps, fm_text(s, len), &bits,
	    &tally), 0);
	ck_assert_uint_eq(bits & 1, 1);
	ck_assert(fm_patset_decide(ps, 0, fm_text(s, len), 0, &tally));
	ck_assert(!fm_patset_decide(ps, 1, fm_text(s, len), 0, &tally));
	tally.fallbacks = 2;
	/* One byte less is scanned. */
	ck_assert(fm_patset_match(ps, fm_text(s + 1, len - 1), &tally));
	ck_assert_uint_eq(tally.fallbacks, 2);
	fm_patset_free(&ps);
	free(s);
}
END_TEST

START_TEST(all_counts_past_the_room_it_is_given)
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
	struct fm_patset *ps;

	/* Of three, a small set; of five, one that is scanned for. */
	ps = make_set(specs, (unsigned)_i);
	ck_assert(fm_patset_scans(ps) == (_i == 5));
	ck_assert_uint_eq(fm_patset_all(ps, fm_text_of("cba"), numbers, 1,
	    &tally), 3);
	ck_assert_uint_eq(numbers[0], 0);
	ck_assert_uint_eq(numbers[1], 7);
	ck_assert_uint_eq(fm_patset_all(ps, fm_text_of("cba"), NULL, 0,
	    &tally), 3);
	fm_patset_free(&ps);
}
END_TEST

START_TEST(an_empty_set_and_a_missing_subject_match_nothing)
{
	static const struct spec spec = { FM_PATTERN_CONTAINS, false, "a" };
	struct fm_tally tally = { 0 };
	struct fm_patset *ps;

	ps = make_set(NULL, 0);
	ck_assert(!fm_patset_match(ps, fm_text_of("a"), &tally));
	ck_assert_uint_eq(fm_patset_first(ps, fm_text_of("a"), &tally),
	    FM_PATSET_NONE);
	fm_patset_free(&ps);
	ps = make_set(&spec, 1);
	ck_assert(!fm_patset_match(ps, fm_text(NULL, 0), &tally));
	fm_patset_free(&ps);
}
END_TEST

START_TEST(yes_or_no_stops_at_the_first_sure_hit)
{
	struct fm_tally tally = { 0 };
	struct spec specs[120];
	struct fm_patset *ps;
	unsigned i;

	for (i = 0; i < 120; i++) {
		specs[i].kind = i % 2 ? FM_PATTERN_CONTAINS :
		    FM_PATTERN_REGEX;
		specs[i].nocase = false;
		snprintf(specs[i].text, sizeof specs[i].text, "Brand%03u", i);
	}
	ps = make_set(specs, 120);
	ck_assert(fm_patset_match(ps, fm_text_of("x Brand001 Brand002"),
	    &tally));
	ck_assert_uint_eq(tally.scans, 1);
	ck_assert_uint_eq(tally.confirms, 0);
	ck_assert(fm_patset_match(ps, fm_text_of("x Brand002"), &tally));
	ck_assert_uint_eq(tally.scans, 2);
	ck_assert_uint_eq(tally.confirms, 1);
	ck_assert(!fm_patset_match(ps, fm_text_of("x Brand"), &tally));
	ck_assert_uint_eq(tally.scans, 3);
	ck_assert_uint_eq(tally.confirms, 1);
	fm_patset_free(&ps);
}
END_TEST

/* How many patterns are tried alone, of 100 of this kind. */
static unsigned
tried_of(enum fm_pattern_kind kind, const char *format, const char *subject,
    bool match)
{
	struct fm_tally tally = { 0 };
	struct spec specs[100];
	struct fm_patset *ps;
	unsigned i;

	for (i = 0; i < 100; i++) {
		specs[i].kind = kind;
		specs[i].nocase = i % 2;
		snprintf(specs[i].text, sizeof specs[i].text, format, i);
	}
	ps = make_set(specs, 100);
	ck_assert_int_eq(fm_patset_match(ps, fm_text_of(subject), &tally),
	    match);
	fm_patset_free(&ps);
	return (tally.confirms);
}

START_TEST(what_many_have_is_not_looked_for)
{
	enum fm_pattern_kind re = FM_PATTERN_REGEX, glob = FM_PATTERN_GLOB;

	ck_assert_uint_eq(tried_of(re, "Android.*S[%02u]", "Android x", false),
	    100);		/* there is nothing else */
	ck_assert_uint_eq(tried_of(re, "Android.*[a-c]S%02uM", "Android 12",
	    false), 0);
	ck_assert_uint_eq(tried_of(re, "Android.*[a-c]s%02um", "Android as07m",
	    true), 1);
	/* The second is common, too. */
	ck_assert_uint_eq(tried_of(re, "Android.*Mobile.*s%02um",
	    "Android 12 Mobile", false), 0);
	ck_assert_uint_eq(tried_of(re, "(Android|Linux).*(Mobile|Tab).*s%02um",
	    "Android 12 Mobile", false), 0);
	ck_assert_uint_eq(tried_of(glob, "*Android*?s%02um*", "Android 12",
	    false), 0);
}
END_TEST

START_TEST(exact_texts_are_never_scanned)
{
	struct fm_tally tally = { 0 };
	struct spec *specs;
	struct fm_patset *ps;
	char key[32];
	unsigned i;

	specs = calloc(20000, sizeof *specs);
	for (i = 0; i < 20000; i++) {
		specs[i].kind = FM_PATTERN_EXACT;
		specs[i].nocase = i % 2;
		snprintf(specs[i].text, sizeof specs[i].text, "/Key/%u", i);
	}
	ps = make_set(specs, 20000);
	for (i = 0; i < 20000; i++) {
		snprintf(key, sizeof key, "/kEY/%u", i);
		ck_assert(fm_patset_match(ps, fm_text_of(key), &tally) ==
		    (i % 2 == 1));
		ck_assert_uint_eq(fm_patset_first(ps,
		    fm_text_of(specs[i].text), &tally), i);
	}
	ck_assert_uint_eq(tally.scans, 0);
	ck_assert_uint_eq(tally.confirms, 0);
	fm_patset_free(&ps);
	free(specs);
}
END_TEST

/*
 * Small sets: patterns of any bytes, asked one after the other.
 */

#define FEW		14

struct few {
	struct fm_pattern	*patterns[FEW];		/* of our own */
	struct fm_patset	*ps;
	unsigned		n;
	bool			small;	/* as it should be */
};

/* Bytes that requests have often, and seldom, and NUL. */
static struct fm_text
few_text(char *buf, unsigned longest)
{
	static const char bytes[] = "eetaaQZ/.\0\377\303[{";
	unsigned i, len = 1 + unit_below(longest);

	for (i = 0; i < len; i++)
		buf[i] = bytes[unit_below(sizeof bytes - 1)];
	return (fm_text(buf, len));
}

static void
few_make(struct few *f)
{
	static const unsigned cost[] = { [FM_PATTERN_PREFIX] = 1,
	    [FM_PATTERN_SUFFIX] = 1, [FM_PATTERN_CONTAINS] = 3,
	    [FM_PATTERN_EXACT] = 100, [FM_PATTERN_GLOB] = 12,
	    [FM_PATTERN_REGEX] = 12 };
	static const enum fm_pattern_kind kinds[] = { FM_PATTERN_PREFIX,
	    FM_PATTERN_SUFFIX, FM_PATTERN_CONTAINS, FM_PATTERN_PREFIX,
	    FM_PATTERN_SUFFIX, FM_PATTERN_CONTAINS, FM_PATTERN_PREFIX,
	    FM_PATTERN_SUFFIX, FM_PATTERN_EXACT, FM_PATTERN_GLOB };
	struct fm_patset_builder *b = fm_patset_build_new();
	unsigned i, sum = 0, wild = unit_below(3) ? 8 : 10;
	enum fm_pattern_kind kind;
	struct fm_pattern *p;
	struct fm_text text;
	char buf[200];
	bool nocase;

	f->n = unit_below(FEW + 1);
	for (i = 0; i < f->n; i++) {
		kind = kinds[unit_below(wild)];
		nocase = unit_below(unit_below(2) ? 20 : 3) == 0;
		text = few_text(buf, unit_below(30) ? 4 : 200);
		if (kind == FM_PATTERN_GLOB && unit_below(2))
			buf[unit_below((unsigned)text.len)] = '*';
		f->patterns[i] = fm_pattern_new(kind, text, nocase, &here,
		    NULL);
		p = fm_pattern_new(kind, text, nocase, &here, NULL);
		CHECK(f->patterns[i] != NULL && p != NULL &&
		    fm_patset_build_add(b, &p) == 0);
		sum += kind == FM_PATTERN_CONTAINS && nocase ? 12 :
		    cost[kind];
	}
	f->ps = fm_patset_build(&b, NULL);
	CHECK(f->ps != NULL);
	f->small = sum <= 12;
}

static void
few_free(struct few *f)
{
	while (f->n > 0)
		fm_pattern_free(&f->patterns[--f->n]);
	fm_patset_free(&f->ps);
}

/* As often as not with one of the texts in it, and then maybe spoilt. */
static struct fm_text
few_subject(const struct few *f, char *buf)
{
	struct fm_text t, what;
	size_t at;

	switch (unit_below(12)) {
	case 0:
		return (fm_text(NULL, 0));
	case 1:
		return (fm_text("", 0));
	default:
		t = few_text(buf, unit_below(4) ? 12 : 300);
	}
	if (f->n == 0 || unit_below(2))
		return (t);
	what = fm_pattern_text(f->patterns[unit_below(f->n)]);
	at = unit_below(2) ? 0 : unit_below((unsigned)t.len + 1);
	memcpy(buf + at, what.b, what.len);
	t.len = unit_below(2) || t.len < at + what.len ? at + what.len :
	    t.len;
	if (unit_below(3) == 0)
		buf[unit_below((unsigned)t.len)] ^= 0x20;
	return (t);
}

/* Returns whether any matched. */
static bool
few_agree(const struct few *f, struct fm_text s)
{
	uint32_t numbers[FEW], first = FM_PATSET_NONE, all = 0;
	struct fm_tally loop = { 0 }, tally = { 0 }, once = { 0 };
	uint64_t bits = 0;
	unsigned i, known;
	bool want[FEW];

	for (i = 0; i < f->n; i++) {
		want[i] = fm_pattern_match(f->patterns[i], s, &tally);
		all += want[i];
		if (first != FM_PATSET_NONE)
			continue;
		loop.confirms++;
		if (want[i])
			first = i;
	}
	CHECK(fm_patset_first(f->ps, s, &once) == first);
	if (f->small)
		CHECK(once.confirms == loop.confirms && once.scans == 0 &&
		    once.fallbacks == 0);
	CHECK(fm_patset_match(f->ps, s, &once) == (all > 0));
	if (f->small)
		CHECK(once.confirms == 2 * loop.confirms);
	CHECK(fm_patset_all(f->ps, s, numbers, FEW, &tally) == all);
	known = fm_patset_candidates(f->ps, s, &bits, &tally);
	for (all = 0, i = 0; i < f->n; i++) {
		if (want[i])
			CHECK(numbers[all++] == i);
		CHECK(want[i] == ((bits & 1ULL << i) != 0 &&
		    fm_patset_decide(f->ps, i, s, known, &tally)));
	}
	return (all > 0);
}

START_TEST(small_sets_answer_as_a_loop_does)
{
	unsigned set, sets = unit_rounds(4000, 16), k;
	unsigned small = 0, pairs = 0, hits = 0;
	struct fm_text s, t;
	struct few few;
	char buf[600];

	unit_seed("small sets");
	for (set = 0; set < sets; set++) {
		few_make(&few);
		CHECK(fm_patset_is_small(few.ps) == few.small);
		CHECK(!few.small || !fm_patset_scans(few.ps));
		small += few.small;
		for (k = 0; k < 40; k++, pairs++) {
			t = few_subject(&few, buf);
			if (t.b == NULL) {
				hits += few_agree(&few, t);
				continue;
			}
			s = unit_copy(t);
			hits += few_agree(&few, s);
			free((char *)(uintptr_t)s.b);
		}
		few_free(&few);
	}
	printf("patset: %u small ones of %u, %u matches of %u\n", small, set,
	    hits, pairs);
	ck_assert_uint_gt(small, set / 4);
	ck_assert_uint_gt(set - small, set / 4);
	ck_assert_uint_gt(hits, pairs / 10);
}
END_TEST

/* Where it is that a scan pays: never for what may be found by hash. */
START_TEST(more_than_a_few_texts_are_hashed_or_scanned)
{
	static const struct {
		unsigned	prefixes, contains, nocase, exact;
		bool		scans, small;
	} cases[] = {
		{ 12, 0, 0, 0, false, true }, { 13, 0, 0, 0, false, false },
		{ 0, 4, 0, 0, false, true }, { 0, 5, 0, 0, true, false },
		{ 9, 1, 0, 0, false, true }, { 10, 1, 0, 0, false, false },
		{ 0, 0, 1, 0, false, true }, { 0, 0, 2, 0, true, false },
		{ 1, 0, 1, 0, false, false }, { 0, 0, 0, 3, false, false },
		{ 3, 4, 0, 1, false, false }, { 3, 5, 0, 1, true, false },
		{ 3, 5, 0, 0, true, false }, { 13, 5, 0, 0, true, false },
		{ 0, 0, 0, 0, false, true },
	};
	struct spec specs[20];
	struct fm_patset *ps;
	unsigned i, k, n;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		memset(specs, 0, sizeof specs);
		n = cases[i].prefixes + cases[i].contains + cases[i].nocase +
		    cases[i].exact;
		for (k = 0; k < n; k++) {
			snprintf(specs[k].text, sizeof specs[k].text,
			    "text%c", 'a' + k);
			specs[k].kind = k < cases[i].prefixes ? k % 2 ?
			    FM_PATTERN_PREFIX : FM_PATTERN_SUFFIX :
			    FM_PATTERN_CONTAINS;
			if (k >= n - cases[i].exact)
				specs[k].kind = FM_PATTERN_EXACT;
			else
				specs[k].nocase = k >= cases[i].prefixes +
				    cases[i].contains;
		}
		ps = make_set(specs, n);
		ck_assert_msg(fm_patset_scans(ps) == cases[i].scans &&
		    fm_patset_is_small(ps) == cases[i].small, "case %u", i);
		fm_patset_free(&ps);
	}
}
END_TEST

/*
 * Thousands of hosts by their ends and whole, of paths by how they begin, with
 * what must be scanned for among them: against the patterns themselves.
 */

#define MANY		4000

struct many {
	struct fm_pattern	*patterns[MANY];	/* of our own */
	struct fm_patset	*ps;
};

static struct fm_text
many_name(char *buf, size_t cap)
{
	static const char * const words[] = { "a", "b", "WWW", "shop",
	    "blog-7", "\303\251t\303\251", "", "x" };
	unsigned i, n = unit_below(5);

	buf[0] = '\0';
	for (i = 0; i <= n; i++) {
		append(buf, cap, i == 0 && unit_below(2) ? "" : ".");
		append(buf, cap, words[unit_below(8)]);
	}
	if (buf[0] == '\0')
		append(buf, cap, ".");
	/* Longer than what is found by hash, and of too many lengths. */
	for (n = unit_below(20) ? 0 : unit_below(600); n > 0; n--)
		append(buf, cap, n % 7 ? "y" : "/");
	return (fm_text_of(buf));
}

static void
many_make(struct many *m, unsigned kinds)
{
	struct fm_patset_builder *b = fm_patset_build_new();
	enum fm_pattern_kind kind;
	struct fm_pattern *p;
	char buf[800];
	unsigned i;
	bool nocase;

	for (i = 0; i < MANY; i++) {
		do {
			kind = (enum fm_pattern_kind)unit_below(
			    FM_PATTERN_REGEX);
		} while ((kinds & 1U << kind) == 0);
		nocase = unit_below(2);
		(void)many_name(buf, sizeof buf);
		m->patterns[i] = fm_pattern_new(kind, fm_text_of(buf), nocase,
		    &here, NULL);
		p = fm_pattern_new(kind, fm_text_of(buf), nocase, &here,
		    NULL);
		CHECK(m->patterns[i] != NULL && p != NULL &&
		    fm_patset_build_add(b, &p) == 0);
	}
	m->ps = fm_patset_build(&b, NULL);
	CHECK(m->ps != NULL);
}

/* Returns how many match. */
static size_t
many_agree(const struct many *m, struct fm_text s)
{
	static uint32_t numbers[MANY];
	uint64_t bits[FM_PATSET_WORDS(MANY)] = { 0 };
	struct fm_tally tally = { 0 }, mine = { 0 };
	uint32_t i, first = FM_PATSET_NONE;
	size_t all, n = 0;
	unsigned known;
	bool want;

	all = fm_patset_all(m->ps, s, numbers, MANY, &tally);
	known = fm_patset_candidates(m->ps, s, bits, &tally);
	for (i = 0; i < MANY; i++) {
		want = fm_pattern_match(m->patterns[i], s, &mine);
		if (want && first == FM_PATSET_NONE)
			first = i;
		CHECK(want == (n < all && numbers[n] == i));
		CHECK(want == ((bits[i / 64] & 1ULL << i % 64) != 0 &&
		    fm_patset_decide(m->ps, i, s, known, &mine)));
		n += want;
	}
	CHECK(n == all);
	CHECK(fm_patset_first(m->ps, s, &tally) == first);
	CHECK(fm_patset_match(m->ps, s, &tally) == (n > 0));
	CHECK(tally.scans <= 4 && (tally.scans > 0) ==
	    fm_patset_scans(m->ps));
	return (n);
}

START_TEST(thousands_that_are_tied_to_an_end_answer_as_a_loop_does)
{
	static const unsigned kinds[] = {
		1U << FM_PATTERN_SUFFIX,
		1U << FM_PATTERN_PREFIX | 1U << FM_PATTERN_EXACT,
		1U << FM_PATTERN_SUFFIX | 1U << FM_PATTERN_PREFIX |
		    1U << FM_PATTERN_EXACT | 1U << FM_PATTERN_CONTAINS,
		(1U << FM_PATTERN_REGEX) - 1,
	};
	unsigned k, subjects = unit_rounds(400, 8), hits = 0;
	static struct many m;
	char buf[1700];
	struct fm_text s, t;

	unit_seed("thousands");
	many_make(&m, kinds[_i]);
	for (k = 0; k < subjects; k++) {
		(void)many_name(buf, 800);
		if (unit_below(2))
			(void)many_name(buf + strlen(buf), 800);
		t = unit_below(3) ? fm_text_of(buf) :
		    fm_pattern_text(m.patterns[unit_below(MANY)]);
		s = unit_copy(t);
		hits += many_agree(&m, s) > 0;
		free((char *)(uintptr_t)s.b);
	}
	(void)many_agree(&m, fm_text("", 0));
	(void)many_agree(&m, fm_text(NULL, 0));
	ck_assert_uint_gt(hits, subjects / 4);
	for (k = 0; k < MANY; k++)
		fm_pattern_free(&m.patterns[k]);
	fm_patset_free(&m.ps);
}
END_TEST

START_TEST(hosts_by_their_ends_are_never_scanned_for)
{
	struct fm_tally tally = { 0 };
	struct spec *specs;
	struct fm_patset *ps;
	char host[64];
	unsigned i;

	specs = calloc(20000, sizeof *specs);
	for (i = 0; i < 20000; i++) {
		specs[i].kind = i % 3 ? FM_PATTERN_SUFFIX : FM_PATTERN_EXACT;
		specs[i].nocase = i % 2;
		snprintf(specs[i].text, sizeof specs[i].text,
		    "%s.site-%u.example", i % 3 ? "" : "www", i);
	}
	ps = make_set(specs, 20000);
	ck_assert(!fm_patset_scans(ps));
	for (i = 0; i < 20000; i++) {
		snprintf(host, sizeof host, "www.site-%u.example", i);
		ck_assert_uint_eq(fm_patset_first(ps, fm_text_of(host),
		    &tally), i);
		snprintf(host, sizeof host, "www.SITE-%u.example", i);
		ck_assert(fm_patset_match(ps, fm_text_of(host), &tally) ==
		    (i % 2 == 1));
	}
	ck_assert_uint_eq(tally.scans, 0);
	ck_assert_uint_eq(tally.confirms, 0);
	ck_assert_uint_eq(tally.fallbacks, 0);
	fm_patset_free(&ps);
	free(specs);
}
END_TEST

/*
 * A client writes the words of all globs of a list, in the right order, the
 * wrong one, or both: no glob is tried alone.
 */

#define MANY_GLOBS	300

static void
many_globs_make(struct spec *specs, bool nocase)
{
	unsigned i;

	memset(specs, 0, MANY_GLOBS * sizeof *specs);
	for (i = 0; i < MANY_GLOBS; i++) {
		specs[i].kind = FM_PATTERN_GLOB;
		specs[i].nocase = nocase;
		snprintf(specs[i].text, sizeof specs[i].text,
		    i % 7 == 6 ? "*word?%u;*val%u;*" : "*word%u;*val%u;*", i,
		    i);
	}
}

/* A word of each of the globs from first on, up to last. */
static size_t
many_globs_write(char *buf, const char *word, unsigned first, unsigned last)
{
	size_t len = 0;
	unsigned i;

	for (i = first; i < last; i++)
		len += (size_t)sprintf(buf + len, "%s%s%u; ", word,
		    i % 7 == 6 && *word == 'w' ? "-" : "", i);
	return (len);
}

START_TEST(many_globs_of_which_all_words_are_there_take_one_pass)
{
	static struct spec specs[MANY_GLOBS];
	static char buf[20000];
	uint64_t bits[FM_PATSET_WORDS(MANY_GLOBS)] = { 0 };
	struct fm_tally tally = { 0 };
	unsigned i, known;
	struct fm_patset *ps;
	struct fm_text s;
	bool want;
	size_t n;

	many_globs_make(specs, _i == 1);
	ps = make_set(specs, MANY_GLOBS);
	n = many_globs_write(buf, "val", 0, 200);
	n += many_globs_write(buf + n, "word", 0, 250);
	n += many_globs_write(buf + n, "val", 100, 120);
	s = fm_text(buf, n);
	ck_assert_uint_eq(fm_patset_all(ps, s, NULL, 0, &tally), 20);
	ck_assert_uint_eq(fm_patset_first(ps, s, &tally), 100);
	ck_assert(fm_patset_match(ps, s, &tally));
	ck_assert(!fm_patset_match(ps, fm_text(buf, n / 4), &tally));
	known = fm_patset_candidates(ps, s, bits, &tally);
	ck_assert_uint_eq(known, FM_PATSET_SCANNED | FM_PATSET_GLOBS);
	for (i = 0; i < MANY_GLOBS; i++) {
		want = (bits[i / 64] & 1ULL << i % 64) != 0;
		ck_assert(want == (i >= 100 && i < 120));
		ck_assert(!want || fm_patset_decide(ps, i, s, known, &tally));
	}
	ck_assert_uint_eq(tally.confirms, 0);
	ck_assert_uint_eq(tally.fallbacks, 0);
	/* One is tried, in a subject that has the words of one. */
	s = fm_text(buf, many_globs_write(buf, "word", 7, 8));
	ck_assert(!fm_patset_match(ps, s, &tally));
	ck_assert_uint_eq(tally.confirms, 1);
	fm_patset_free(&ps);
}
END_TEST

/* Where there is no scan all are candidates, and it takes one pass, too. */
START_TEST(many_globs_over_a_subject_too_long_for_a_scan_take_one_pass)
{
	static struct spec specs[MANY_GLOBS];
	struct fm_tally tally = { 0 };
	size_t len = 2 * FM_SCAN_SUBJECT_MAX;
	struct fm_patset *ps;
	uint32_t number;
	char *buf;

	many_globs_make(specs, false);
	ps = make_set(specs, MANY_GLOBS);
	buf = malloc(len);
	ck_assert_ptr_nonnull(buf);
	memset(buf, 'w', len);
	memcpy(buf + 1000, "word3;", 6);
	memcpy(buf + len - 5, "val3;", 5);
	ck_assert_uint_eq(fm_patset_all(ps, fm_text(buf, len), &number, 1,
	    &tally), 1);
	ck_assert_uint_eq(number, 3);
	ck_assert_uint_eq(tally.fallbacks, 1);
	ck_assert_uint_eq(tally.confirms, 0);
	free(buf);
	fm_patset_free(&ps);
}
END_TEST

START_TEST(a_glob_that_is_a_text_between_stars_needs_no_second_look)
{
	struct fm_tally tally = { 0 };
	struct spec specs[40];
	struct fm_patset *ps;
	unsigned i;

	memset(specs, 0, sizeof specs);
	for (i = 0; i < 40; i++) {
		specs[i].kind = FM_PATTERN_GLOB;
		specs[i].nocase = i % 2;
		snprintf(specs[i].text, sizeof specs[i].text, "*text-%u-*", i);
	}
	ps = make_set(specs, 40);
	ck_assert_uint_eq(fm_patset_all(ps, fm_text_of("text-7-TEXT-9-text-12-"
	    "TEXT-14-"), NULL, 0, &tally), 3);
	ck_assert(fm_patset_match(ps, fm_text_of("xtext-4-"), &tally));
	ck_assert(!fm_patset_match(ps, fm_text_of("xtext-4"), &tally));
	ck_assert_uint_eq(tally.confirms, 0);
	fm_patset_free(&ps);
}
END_TEST

static void *
thread_main(void *priv)
{
	const struct fm_patset *ps = priv;
	struct fm_tally tally;
	uint32_t numbers[4];
	unsigned i, turns = unit_rounds(20000, 5);
	intptr_t bad = 0;

	for (i = 0; i < turns; i++) {
		tally = (struct fm_tally){ 0 };
		bad += fm_patset_all(ps, fm_text_of("one two 33"), numbers, 4,
		    &tally) != 3;
		bad += fm_patset_match(ps, fm_text_of("nothing"), &tally);
	}
	return ((void *)bad);
}

START_TEST(threads_share_a_set_while_larger_ones_are_made)
{
	static const struct spec specs[] = {
		{ FM_PATTERN_CONTAINS, false, "one" },
		{ FM_PATTERN_CONTAINS, false, "two" },
		{ FM_PATTERN_REGEX, false, "[0-9]{2}" },
	};
	struct fm_patset *ps, *more;
	struct spec many[60];
	pthread_t threads[8];
	unsigned i;
	void *bad;

	unit_seed("patset threads");
	ps = make_set(specs, 3);
	ck_assert(fm_patset_scans(ps));
	for (i = 0; i < 8; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL,
		    thread_main, ps), 0);
	for (i = 0; i < 60; i++) {
		random_spec(&many[i]);
		if (i % 10 == 9) {
			more = make_set(many, i + 1);
			fm_patset_free(&more);
		}
	}
	for (i = 0; i < 8; i++) {
		ck_assert_int_eq(pthread_join(threads[i], &bad), 0);
		ck_assert_ptr_null(bad);
	}
	fm_patset_free(&ps);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("patset");
	int i;

	/* Made once: each test is a child, and would make it again. */
	(void)unit_engine_health();
	tcase_set_timeout(tc, 600);
	tcase_add_test(tc, kinds_and_cases_mix_in_one_set);
	tcase_add_test(tc,
	    look_around_and_back_references_answer_as_pcre2_does);
	tcase_add_test(tc, a_regex_over_its_limit_is_no_match_and_counted);
	unit_add_scanning_loop(tc, what_repeats_itself_is_tried, 0, 2);
	unit_add_scanning_loop(tc,
	    many_that_repeat_themselves_are_found_without_a_scan, 0, 2);
	unit_add_scanning(tc,
	    many_regexes_of_which_all_words_are_there_are_rationed);
	/* Each format and each other pattern. */
	for (i = 0; i < 16; i += unit_step(5))
		unit_add_scanning_loop(tc,
		    globs_of_which_too_many_words_are_there_are_missing, i,
		    i + 1);
	unit_add_scanning_loop(tc,
	    globs_that_are_tried_each_time_may_be_missing_too, 0, 2);
	tcase_add_loop_test(tc, a_flood_may_be_of_no_pattern, 0, 2);
	for (i = 0; i < 5; i += unit_step(2))
		unit_add_scanning_loop(tc,
		    regexes_that_are_not_looked_for_are_missing, i, i + 1);
	unit_add_scanning(tc,
	    subjects_longer_than_a_scan_are_decided_all_the_same);
	tcase_add_loop_test(tc, all_counts_past_the_room_it_is_given, 3, 5);
	unit_add_scanning_loop(tc, all_counts_past_the_room_it_is_given, 5, 6);
	tcase_add_test(tc, an_empty_set_and_a_missing_subject_match_nothing);
	unit_add_scanning(tc, yes_or_no_stops_at_the_first_sure_hit);
	unit_add_scanning(tc, what_many_have_is_not_looked_for);
	tcase_add_test(tc, exact_texts_are_never_scanned);
	unit_add_scanning(tc, more_than_a_few_texts_are_hashed_or_scanned);
	tcase_add_test(tc, small_sets_answer_as_a_loop_does);
	tcase_add_loop_test(tc,
	    thousands_that_are_tied_to_an_end_answer_as_a_loop_does, 0, 4);
	tcase_add_test(tc, hosts_by_their_ends_are_never_scanned_for);
	unit_add_scanning_loop(tc,
	    many_globs_of_which_all_words_are_there_take_one_pass, 0, 2);
	unit_add_scanning(tc,
	    many_globs_over_a_subject_too_long_for_a_scan_take_one_pass);
	unit_add_scanning(tc,
	    a_glob_that_is_a_text_between_stars_needs_no_second_look);
	unit_add_scanning(tc, threads_share_a_set_while_larger_ones_are_made);
	tcase_add_test(tc, random_sets_of_globs_answer_so_too);
	tcase_add_test(tc,
	    random_sets_answer_like_one_pattern_after_the_other);
	return (unit_run("patset", tc));
}
