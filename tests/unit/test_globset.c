/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Many globs in one pass: each against a table of all its prefixes and of all
 * those of the subject, and with memory that runs out.
 */

#include "globset.h"
#include "twin.h"

#define GLOBS	400

static const struct fm_place here = { .name = "test" };

/* Memory that runs out: after so many more allocations; < 0: it doesn't. */
static int memory_left = -1;

static bool
memory_fails(void)
{
	if (memory_left > 0)
		memory_left--;
	return (memory_left == 0);
}

void *__real_malloc(size_t);
void *__wrap_malloc(size_t);
void *
__wrap_malloc(size_t size)
{
	return (memory_fails() ? NULL : __real_malloc(size));
}

void *__real_calloc(size_t, size_t);
void *__wrap_calloc(size_t, size_t);
void *
__wrap_calloc(size_t n, size_t size)
{
	return (memory_fails() ? NULL : __real_calloc(n, size));
}

struct world {
	struct fm_pattern	*patterns[GLOBS];
	unsigned		n;
	struct fm_globset	*set;		/* or NULL */
};

static void
world_add(struct world *w, enum fm_pattern_kind kind, struct fm_text text,
    bool nocase)
{
	struct fm_pattern *p;

	p = fm_pattern_new(kind, text, nocase, &here, NULL);
	AGREE(p != NULL && w->n < GLOBS, "no pattern");
	w->patterns[w->n++] = p;
}

static void
world_make(struct world *w)
{
	AGREE(fm_globset_new(w->patterns, w->n, &w->set) == 0, "no memory");
}

static void
world_free(struct world *w)
{
	if (w->set != NULL)
		fm_globset_free(&w->set);
	while (w->n > 0)
		fm_pattern_free(&w->patterns[--w->n]);
}

static bool
is_bit(const uint64_t *bits, unsigned n)
{
	return ((bits[n / 64] & 1ULL << n % 64) != 0);
}

static bool
twin_contains(struct fm_text s, struct fm_text text, bool nocase)
{
	size_t i;

	for (i = 0; i + text.len <= s.len; i++)
		if (twin_eq(s.b + i, text.b, text.len, nocase))
			return (true);
	return (false);
}

static bool
twin_match(const struct fm_pattern *p, struct fm_text s)
{
	struct fm_text glob = fm_pattern_text(p);

	if (fm_pattern_kind(p) == FM_PATTERN_CONTAINS)
		return (twin_contains(s, glob, fm_pattern_nocase(p)));
	return (fm_pattern_nocase(p) ? twin_glob_nocase(glob, s) :
	    twin_glob(glob, s));
}

/* All of the set, whatever their bits are; others stay as they are. */
static void
world_agrees_of_all(const struct world *w, struct fm_text s,
    const uint64_t *before)
{
	uint64_t after[(GLOBS + 63) / 64], one[(GLOBS + 63) / 64];
	uint32_t work = UINT32_MAX;
	unsigned i, match = 0, left = 0;
	bool in, want;
	int found;

	memcpy(after, before, sizeof after);
	memcpy(one, before, sizeof one);
	found = fm_globset_decide(w->set, s, after, FM_GLOBSET_ALL, false,
	    &work);
	AGREE((fm_globset_decide(w->set, s, one, FM_GLOBSET_ALL, true,
	    &work) > 0) == (found > 0), "one or %d", found);
	for (i = 0; i < w->n; i++) {
		in = fm_globset_has(w->set, i);
		AGREE(in || fm_globset_cost(w->set, i) == 0, "%u is in", i);
		want = in ? twin_match(w->patterns[i], s) : is_bit(before, i);
		match += in && want;
		AGREE(want == is_bit(after, i), "glob \"%s\" of all, nocase "
		    "%d, over \"%.*s\": the twin says %s",
		    fm_pattern_text(w->patterns[i]).b,
		    fm_pattern_nocase(w->patterns[i]), (int)s.len, s.b,
		    want ? "match" : "none");
		AGREE(!(in && is_bit(one, i) && !want), "%u is not one", i);
		left += in && is_bit(one, i);
	}
	AGREE(found == (match > 0), "%d of all, and %u match", found, match);
	AGREE(left >= (match > 0), "none of all is left of %u", match);
}

/*
 * With less work than it takes: what is said to match does, no text is missed,
 * and all is as it is where some work is left.
 */
static void
world_agrees_of_some_work(const struct world *w, struct fm_text s,
    const uint64_t *before, uint32_t most)
{
	uint64_t after[(GLOBS + 63) / 64];
	uint32_t work = unit_below(20);
	unsigned i;
	bool want, is;

	memcpy(after, before, sizeof after);
	(void)fm_globset_decide(w->set, s, after, most, false, &work);
	for (i = 0; i < w->n; i++) {
		if (!fm_globset_has(w->set, i) || (!is_bit(before, i) &&
		    most != FM_GLOBSET_ALL))
			continue;
		want = twin_match(w->patterns[i], s);
		is = is_bit(after, i);
		if (most != FM_GLOBSET_ALL &&
		    fm_globset_cost(w->set, i) == 0)
			AGREE(is, "the bit of text %u", i);
		else if (work > 0 || fm_globset_cost(w->set, i) == 0)
			AGREE(want == is, "%u, of work %u are left", i, work);
		else
			AGREE(want || !is, "%u does not match", i);
	}
}

/*
 * Some of the patterns are candidates; what is not in the set stays as it is.
 * Returns how many match.
 */
static unsigned
world_agrees(const struct world *w, struct fm_text subject, unsigned share)
{
	uint64_t before[(GLOBS + 63) / 64] = { 0 }, after[(GLOBS + 63) / 64];
	struct fm_text s = unit_copy(subject);
	unsigned i, most = 0, match = 0, left = 0;
	uint32_t work = UINT32_MAX;
	bool want;
	int found;

	for (i = 0; i < w->n; i++)
		if (unit_below(100) < share) {
			before[i / 64] |= 1ULL << i % 64;
			most += fm_globset_cost(w->set, i) > 0;
		}
	memcpy(after, before, sizeof after);
	found = fm_globset_decide(w->set, s, after, most, false, &work);
	for (i = 0; i < w->n; i++) {
		want = is_bit(before, i);
		if (want && fm_globset_cost(w->set, i) > 0) {
			want = twin_match(w->patterns[i], s);
			match += want;
		}
		AGREE(want == is_bit(after, i), "glob \"%s\" nocase %d over "
		    "\"%.*s\": the twin says %s",
		    fm_pattern_text(w->patterns[i]).b,
		    fm_pattern_nocase(w->patterns[i]), (int)s.len, s.b,
		    want ? "match" : "none");
	}
	AGREE(found == (match > 0), "%d, and %u match", found, match);
	memcpy(after, before, sizeof after);
	found = fm_globset_decide(w->set, s, after, most, true, &work);
	AGREE((found > 0) == (match > 0), "%d, and %u match", found, match);
	for (i = 0; i < w->n && found > 0; i++)
		left += is_bit(after, i) && fm_globset_cost(w->set, i) > 0 &&
		    twin_match(w->patterns[i], s);
	AGREE(left >= (found > 0), "the one that matches is gone");
	if (unit_below(2))
		world_agrees_of_all(w, s, before);
	world_agrees_of_some_work(w, s, before, most);
	world_agrees_of_some_work(w, s, before, FM_GLOBSET_ALL);
	twin_free(s);
	return (match);
}

static const char * const alphabets[] = { "ab", "abA", "abc", "aB-",
    "abcdefgh", "a\377\200\n" };

/* Stars, `?`, and a few letters; or pieces that nest and overlap. */
static struct fm_text
random_glob(char *buf, unsigned longest, const char *alphabet)
{
	static const char * const pieces[] = { "*", "*", "*", "?", "??", "a",
	    "aa", "aaa", "ab", "ba", "aba", "abab", "a?a", "?a", "b?",
	    "aab", "baa", "aaaaaaaa", "**" };
	unsigned i, n, k;

	if (unit_below(2)) {
		n = unit_below(longest + 1);
		for (i = 0; i < n; i++)
			buf[i] = unit_below(3) ? alphabet[unit_below(
			    (unsigned)strlen(alphabet))] :
			    "***?"[unit_below(4)];
		return (fm_text(buf, n));
	}
	for (i = 0, n = 0; i < longest / 2; i++) {
		k = unit_below(sizeof pieces / sizeof *pieces);
		memcpy(buf + n, pieces[k], strlen(pieces[k]));
		n += (unsigned)strlen(pieces[k]);
	}
	return (fm_text(buf, n));
}

static void
random_world(struct world *w, const char *alphabet, bool large)
{
	static const enum fm_pattern_kind kinds[] = { FM_PATTERN_CONTAINS,
	    FM_PATTERN_EXACT };
	unsigned n = 20 + unit_below(large ? GLOBS - 20 : 40);
	unsigned longest = unit_below(8) ? 4 + unit_below(12) : 60;
	unsigned nocase = unit_below(3);
	enum fm_pattern_kind kind;
	struct fm_text t;
	char buf[400];

	while (w->n < n) {
		t = random_glob(buf, longest, alphabet);
		kind = t.len == 0 || unit_below(20) < 14 ? FM_PATTERN_GLOB :
		    kinds[unit_below(2)];
		world_add(w, kind, t, nocase == 2 ? unit_below(2) :
		    nocase == 1);
	}
	world_make(w);
}

/* Random; or a glob of the set with something in place of its wildcards. */
static struct fm_text
random_subject(const struct world *w, char *buf, const char *alphabet)
{
	struct fm_text glob, t = fm_text(buf, 0);
	size_t i, k;

	if (unit_below(2))
		return (twin_random(buf, unit_below(4) ? 12 : 300, alphabet));
	glob = fm_pattern_text(w->patterns[unit_below(w->n)]);
	for (i = 0; i < glob.len; i++) {
		k = glob.b[i] == '*' ? unit_below(3) : 1;
		for (; k > 0 && unit_below(60) > 0; k--)
			buf[t.len++] = glob.b[i] == '*' || glob.b[i] == '?' ?
			    alphabet[unit_below((unsigned)strlen(alphabet))] :
			    glob.b[i];
	}
	return (t);
}

START_TEST(random_globs_answer_as_one_by_one)
{
	unsigned round, rounds = unit_rounds(1500, 8), k;
	unsigned hits = 0, pairs = 0, sets = 0;
	struct world w = { .n = 0 };
	const char *alphabet;
	char buf[1200];

	unit_seed("globset");
	for (round = 0; round < rounds; round++) {
		alphabet = alphabets[unit_below(6)];
		random_world(&w, alphabet, round % 20 == 0);
		for (k = 0; k < 30 && w.set != NULL; k++, pairs += w.n)
			hits += world_agrees(&w, random_subject(&w, buf,
			    alphabet), k % 3 ? 100 : unit_below(100));
		sets += w.set != NULL;
		world_free(&w);
	}
	printf("globset: %u sets of %u, %u matches of %u\n", sets, round,
	    hits, pairs);
	ck_assert_uint_gt(sets, round / 4);
	ck_assert_uint_gt(pairs, 333 * rounds);
	ck_assert_uint_gt(hits, pairs / 200);
}
END_TEST

/* A part of `zxyzxy...`, and what it may be a piece of. */
static void
nested_add(struct world *w)
{
	static const char * const forms[] = { "*%.*s*!*", "*!*%.*s*",
	    "*%.*s?!*",
	    "*%.*s*?*%.*s*", "*%.*s*!*%.*s*", "*%.*s*", "%.*s*%.*s*!*" };
	static const char turns[] = "zxyzxyzxyzxyzxyzxyzxyzxyzxyzxyzxyzxy";
	unsigned at = unit_below(3), len = 1 + unit_below(30);
	unsigned again = unit_below(3);
	char buf[100];
	int n;

	n = snprintf(buf, sizeof buf, forms[unit_below(7)], (int)len,
	    turns + at, (int)(1 + len / 2), turns + again);
	world_add(w, FM_PATTERN_GLOB, fm_text(buf, (size_t)n),
	    unit_below(4) == 0);
}

/* Runs that end where others do, for which somebody waits now and then. */
START_TEST(pieces_that_nest_are_waited_for_again)
{
	static const char * const parts[] = { "zxy", "zxyzxyzxy", "!", "xy",
	    "zzx", "zxyzxyzxyzxyzxyzxyzxyzxyzxyzxyzxyzxy", "y!" };
	unsigned round, rounds = unit_rounds(300, 10), k, i, n, hits = 0;
	struct world w = { .n = 0 };
	struct fm_text t;
	char buf[1200];

	unit_seed("globset nested");
	for (round = 0; round < rounds; round++) {
		n = 3 + unit_below(round % 8 == 0 ? 200 : 20);
		while (w.n < n)
			nested_add(&w);
		world_make(&w);
		for (k = 0; k < 30 && w.set != NULL; k++) {
			t = fm_text(buf, 0);
			for (i = unit_below(20); i > 0; i--) {
				n = unit_below(7);
				memcpy(buf + t.len, parts[n],
				    strlen(parts[n]));
				t.len += strlen(parts[n]);
			}
			hits += world_agrees(&w, t, k % 3 ? 100 :
			    unit_below(100));
		}
		world_free(&w);
	}
	ck_assert_uint_gt(hits, round);
}
END_TEST

/* Words that begin, or end, as others do; two or three in a glob. */
static void
prefix_add(struct world *w)
{
	static const char * const forms[] = { "*w%u*u%u*", "*w%u*w%u*",
	    "*%uw*w%u*", "*w%u*%uw*w%u*", "*w%u?*u%u*", "w%u*w%u*",
	    "*w%u*w%u*w%u*", "*w%u*", "*u%u*w%u*u1*" };
	char buf[100];
	int n;

	n = snprintf(buf, sizeof buf, forms[unit_below(9)], unit_below(130),
	    unit_below(130), unit_below(130));
	world_add(w, unit_below(8) == 0 && buf[0] == 'w' ?
	    FM_PATTERN_EXACT : FM_PATTERN_GLOB, fm_text(buf, (size_t)n),
	    unit_below(4) == 0);
}

/* So nobody waits for what ends at nearly each byte, until somebody does. */
START_TEST(words_that_are_repeated_are_waited_for_again)
{
	static const char * const forms[] = { "w%u", "u%u", "w%u ", "%uw",
	    "w1", "w12" };
	unsigned round, rounds = unit_rounds(300, 20), k, i, n, form, word;
	unsigned hits = 0;
	struct world w = { .n = 0 };
	struct fm_text t;
	char buf[1200];

	unit_seed("globset prefixes");
	for (round = 0; round < rounds; round++) {
		n = 3 + unit_below(round % 4 == 0 ? 300 : 30);
		while (w.n < n)
			prefix_add(&w);
		world_make(&w);
		for (k = 0; k < 30 && w.set != NULL; k++) {
			t = fm_text(buf, 0);
			while (unit_below(25) > 0 && t.len < 1000) {
				form = unit_below(6);
				word = unit_below(130);
				for (i = 1 + unit_below(4) * unit_below(20);
				    i > 0 && t.len < 1100; i--)
					t.len += (size_t)snprintf(buf + t.len,
					    10, forms[form], word);
			}
			hits += world_agrees(&w, t, k % 3 ? 100 :
			    unit_below(100));
		}
		world_free(&w);
	}
	ck_assert_uint_gt(hits, round);
}
END_TEST

/* Which of them take a pass, and which a pass for all decides. */
START_TEST(globs_with_a_piece_between_stars_are_in_it)
{
	static const struct {
		enum fm_pattern_kind	kind;
		const char		*text;
		bool			in, has;
	} cases[] = {
#define GLOB	FM_PATTERN_GLOB
		{ GLOB, "", false, false }, { GLOB, "a", false, false },
		{ GLOB, "*", false, false }, { GLOB, "**", false, false },
		{ GLOB, "a*b", false, false }, { GLOB, "*a", false, false },
		{ GLOB, "a*", false, false }, { GLOB, "*??*", false, false },
		{ GLOB, "a*?*b", false, false }, { GLOB, "*abc*", false, true },
		{ GLOB, "**abc*", true, true }, { GLOB, "*abc**", true, true },
		{ GLOB, "*a*b", true, true }, { GLOB, "a*b*", true, true },
		{ GLOB, "*?a*", true, true }, { GLOB, "*a?*", true, true },
		{ GLOB, "x*a*y", true, true }, { GLOB, "*a*b*", true, true },
		{ GLOB, "*?*a*", true, true }, { GLOB, "**a**b**", true, true },
		{ GLOB, "*a*", false, true },
#undef GLOB
		{ FM_PATTERN_CONTAINS, "abc", false, true },
		{ FM_PATTERN_CONTAINS, "a?c", false, false },
		{ FM_PATTERN_CONTAINS, "a*c", false, false },
		{ FM_PATTERN_EXACT, "abc", false, false },
		{ FM_PATTERN_PREFIX, "abc", false, false },
		{ FM_PATTERN_SUFFIX, "abc", false, false },
		{ FM_PATTERN_REGEX, "abc", false, false },
	};
	struct world w = { .n = 0 };
	unsigned i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++)
		world_add(&w, cases[i].kind, fm_text_of(cases[i].text),
		    i % 2);
	world_make(&w);
	ck_assert_ptr_nonnull(w.set);
	for (i = 0; i < w.n; i++)
		ck_assert_msg((fm_globset_cost(w.set, i) > 0) ==
		    cases[i].in && fm_globset_has(w.set, i) == cases[i].has,
		    "%s", cases[i].text);
	world_free(&w);
}
END_TEST

START_TEST(a_few_are_not_worth_a_pass)
{
	unsigned i, cost = 0, each = 0;
	struct world w = { .n = 0 };

	for (i = 0; w.set == NULL; i++) {
		ck_assert_uint_lt(i, FM_GLOBSET_PASS);
		world_add(&w, FM_PATTERN_GLOB, fm_text_of("*a*b*"), _i == 1);
		world_make(&w);
	}
	for (i = 0; i < w.n; i++, cost += each)
		each = fm_globset_cost(w.set, i);
	ck_assert_uint_ge(cost, FM_GLOBSET_PASS);
	ck_assert_uint_lt(cost - each, FM_GLOBSET_PASS);
	ck_assert_uint_gt(fm_globset_bytes(w.set), w.n * 4);
	world_free(&w);
}
END_TEST

/* A piece takes a turn each time that it is in what a glob begins with. */
START_TEST(what_takes_many_turns_is_said_to)
{
	struct world w = { .n = 0 };
	char text[200], glob[120];
	uint64_t bits[1] = { 0 };
	uint32_t work = FM_GLOBSET_WORK;
	unsigned i;

	for (i = 0; i < 20; i++) {
		memset(glob, 'a', 64);
		(void)snprintf(glob + 64, sizeof glob - 64, "*a*b%u*", i);
		world_add(&w, FM_PATTERN_GLOB, fm_text_of(glob), _i == 1);
	}
	world_make(&w);
	memset(text, 'a', 66);
	text[66] = '\0';
	for (i = 0; i < 20; i++)
		(void)sprintf(text + strlen(text), "b%u", i);
	ck_assert_int_ge(fm_globset_decide(w.set, fm_text_of(text), bits,
	    FM_GLOBSET_ALL, false, &work), 0);
	ck_assert_uint_eq(work, 0);
	ck_assert(fm_globset_is_much(w.set));
	world_free(&w);
}
END_TEST

START_TEST(without_memory_nothing_is_changed)
{
	struct world w = { .n = 0 };
	struct fm_globset *set;
	uint64_t bits;
	char glob[20];
	int n, failed;
	uint32_t work;
	unsigned i;

	for (i = 0; i < 20; i++) {
		(void)snprintf(glob, sizeof glob, "*w%u?x*v%u*", i, i % 3);
		world_add(&w, FM_PATTERN_GLOB, fm_text_of(glob), i % 2);
	}
	for (n = 1, failed = -1; failed != 0; n++) {
		memory_left = n;
		failed = fm_globset_new(w.patterns, w.n, &set);
		memory_left = -1;
		ck_assert((set == NULL) == (failed != 0));
	}
	ck_assert_int_gt(n, 10);
	for (n = 1, failed = -1; failed < 0; n++) {
		bits = (1ULL << 20) - 1;
		memory_left = n;
		work = UINT32_MAX;
		failed = fm_globset_decide(set, fm_text_of("w3-x w4-x v0 v2"),
		    &bits, _i == 1 ? FM_GLOBSET_ALL : 20, false, &work);
		memory_left = -1;
		if (failed < 0)
			ck_assert_uint_eq(bits, (1ULL << 20) - 1);
	}
	ck_assert_int_eq(failed, 1);
	ck_assert_uint_eq(bits, 1ULL << 3);
	ck_assert_int_gt(n, 3);
	fm_globset_free(&set);
	world_free(&w);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("globset");

	tcase_set_timeout(tc, 600);
	tcase_add_loop_test(tc, without_memory_nothing_is_changed, 0, 2);
	tcase_add_test(tc, globs_with_a_piece_between_stars_are_in_it);
	tcase_add_loop_test(tc, a_few_are_not_worth_a_pass, 0, 2);
	tcase_add_loop_test(tc, what_takes_many_turns_is_said_to, 0, 2);
	tcase_add_test(tc, random_globs_answer_as_one_by_one);
	tcase_add_test(tc, pieces_that_nest_are_waited_for_again);
	tcase_add_test(tc, words_that_are_repeated_are_waited_for_again);
	return (unit_run("globset", tc));
}
