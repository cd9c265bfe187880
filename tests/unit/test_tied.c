/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Texts by hash that are tied to an end: against a naive twin, which compares
 * byte by byte.
 */

#include "tied.h"
#include "twin_text.h"
#include "unit.h"

/* Check takes a note of each assertion: too slow for a million of them. */
#define CHECK(is)							\
	do {								\
		if (!(is))						\
			ck_abort_msg("%s", #is);			\
	} while (0)

static const struct fm_place here = { .name = "test" };

struct set {
	struct fm_pattern	**patterns;
	size_t			n, cap;
	struct fm_tied		*tied;
	unsigned char		*hits;	/* how often each was told */
	size_t			nhits;
	size_t			stop;	/* after so many */
};

static void
set_add(struct set *set, enum fm_pattern_kind kind, struct fm_text text,
    bool nocase)
{
	struct fm_pattern *p;

	p = fm_pattern_new(kind, text, nocase, &here, NULL);
	CHECK(p != NULL);
	if (set->n == set->cap) {
		set->cap = 2 * set->cap + 16;
		set->patterns = realloc(set->patterns,
		    set->cap * sizeof(void *));
		CHECK(set->patterns != NULL);
	}
	set->patterns[set->n++] = p;
}

static void
set_make(struct set *set)
{
	set->hits = calloc(set->n + 1, 1);
	set->stop = SIZE_MAX;
	CHECK(set->hits != NULL);
	CHECK(fm_tied_new(set->patterns, set->n, true, &set->tied) == 0);
}

static void
set_free(struct set *set)
{
	if (set->tied != NULL)
		fm_tied_free(&set->tied);
	while (set->n > 0)
		fm_pattern_free(&set->patterns[--set->n]);
	free(set->patterns);
	free(set->hits);
	memset(set, 0, sizeof *set);
}

static bool
note(void *priv, uint32_t number)
{
	struct set *set = priv;

	CHECK(number < set->n);
	CHECK(set->hits[number] == 0);
	set->hits[number] = 1;
	return (++set->nhits == set->stop);
}

static bool
twin_match(const struct fm_pattern *p, struct fm_text s)
{
	struct fm_text t = fm_pattern_text(p);
	enum fm_pattern_kind kind = fm_pattern_kind(p);

	if (kind > FM_PATTERN_SUFFIX || kind == FM_PATTERN_CONTAINS ||
	    t.len > s.len || (kind == FM_PATTERN_EXACT && t.len != s.len))
		return (false);
	return (twin_eq(kind == FM_PATTERN_SUFFIX ? s.b + s.len - t.len : s.b,
	    t.b, t.len, fm_pattern_nocase(p)));
}

/* Each that is in the table is told once if the twin says so, else never. */
static size_t
set_agrees(struct set *set, struct fm_text subject)
{
	struct fm_text s = unit_copy(subject);
	size_t i, hits = 0;
	bool want;

	memset(set->hits, 0, set->n);
	set->nhits = 0;
	if (set->tied != NULL)
		fm_tied_find(set->tied, s, note, set);
	for (i = 0; i < set->n; i++) {
		want = set->tied != NULL &&
		    fm_tied_has(set->tied, set->patterns[i]) &&
		    twin_match(set->patterns[i], s);
		if (want != set->hits[i])
			ck_abort_msg("pattern %zu \"%s\" kind %d nocase %d "
			    "over \"%.*s\": the twin says %s", i,
			    fm_pattern_text(set->patterns[i]).b,
			    (int)fm_pattern_kind(set->patterns[i]),
			    fm_pattern_nocase(set->patterns[i]), (int)s.len,
			    s.b, want ? "match" : "none");
		hits += want;
	}
	CHECK(hits == set->nhits);
	free((char *)(uintptr_t)s.b);
	return (hits);
}

/* Bytes that differ by the bit of case, letters or not; dots; NUL. */
static struct fm_text
random_text(char *buf, size_t len)
{
	static const char bytes[] = "aAzZ@`[{.../09\0\x80\xa0\xe1\xc1";
	unsigned some = 2 + unit_below(sizeof bytes - 3);
	size_t i;

	for (i = 0; i < len; i++)
		buf[i] = bytes[unit_below(some)];
	return (fm_text(buf, len));
}

static void
random_set(struct set *set, unsigned n, unsigned longest)
{
	static const enum fm_pattern_kind kinds[] = { FM_PATTERN_EXACT,
	    FM_PATTERN_PREFIX, FM_PATTERN_SUFFIX, FM_PATTERN_SUFFIX,
	    FM_PATTERN_CONTAINS };
	unsigned i, k = 1 + unit_below(5), nocase = unit_below(3);
	enum fm_pattern_kind kind;
	struct fm_text text;
	char buf[700];

	for (i = 0; i < n; i++) {
		kind = kinds[unit_below(k)];
		text = random_text(buf, kind == FM_PATTERN_EXACT ?
		    unit_below(longest) : 1 + unit_below(longest));
		set_add(set, kind, text, nocase == 0 ? unit_below(2) :
		    nocase == 1);
	}
	set_make(set);
}

/* Random, or of the set's texts one at either end; case may be spoilt. */
static struct fm_text
random_subject(const struct set *set, char *buf)
{
	struct fm_text t = random_text(buf, unit_below(20)), what;
	size_t at;

	if (set->n > 0 && unit_below(4) > 0) {
		what = fm_pattern_text(set->patterns[unit_below(
		    (unsigned)set->n)]);
		at = unit_below(2) ? 0 : t.len;
		if (unit_below(3) == 0)
			at = t.len = 0;
		memcpy(buf + at, what.b, what.len);
		t.len = t.len > at + what.len ? t.len : at + what.len;
	}
	for (; t.len > 0 && unit_below(4) == 0;)
		buf[unit_below((unsigned)t.len)] ^= 0x20;
	return (t);
}

START_TEST(random_texts_are_found_as_by_a_loop)
{
	unsigned round, k, subjects = 0, hits = 0;
	struct set set = { 0 };
	char buf[1500];

	unit_seed("tied");
	for (round = 0; round < 3000; round++) {
		random_set(&set, unit_below(round % 50 == 0 ? 800 : 40),
		    round % 10 == 0 ? 40 : 6);
		for (k = 0; k < 60; k++, subjects++)
			hits += set_agrees(&set,
			    random_subject(&set, buf)) > 0;
		set_free(&set);
	}
	printf("tied: %u of %u subjects with a match\n", hits, subjects);
	ck_assert_uint_gt(hits, subjects / 10);
}
END_TEST

START_TEST(more_lengths_than_there_is_room_for_are_left_out)
{
	unsigned round, k, i, in, out = 0, hits = 0;
	struct set set = { 0 };
	char buf[1500];

	unit_seed("tied lengths");
	for (round = 0; round < 60; round++) {
		random_set(&set, 600, 690);
		for (i = in = 0; i < set.n; i++)
			in += set.tied != NULL &&
			    fm_tied_has(set.tied, set.patterns[i]);
		out += (unsigned)set.n - in;
		for (k = 0; k < 60; k++)
			hits += set_agrees(&set,
			    random_subject(&set, buf)) > 0;
		set_free(&set);
	}
	ck_assert_uint_gt(hits, 100);
	ck_assert_uint_gt(out, 1000);
}
END_TEST

START_TEST(the_lengths_that_most_texts_have_are_taken)
{
	struct set set = { 0 };
	struct fm_text t;
	unsigned len, i;
	char buf[600];

	unit_seed("tied room");
	/* Two of each even length, one of each odd one, up to 128. */
	for (len = 1; len <= 2 * FM_TIED_LENGTHS; len++)
		for (i = len % 2; i < 2; i++) {
			t = random_text(buf, len);
			set_add(&set, FM_PATTERN_SUFFIX, t, false);
		}
	memset(buf, 'x', sizeof buf);
	set_add(&set, FM_PATTERN_PREFIX, fm_text(buf, FM_TIED_LONGEST),
	    false);
	set_add(&set, FM_PATTERN_PREFIX, fm_text(buf, FM_TIED_LONGEST + 1),
	    false);
	set_add(&set, FM_PATTERN_EXACT, fm_text(buf, FM_TIED_LONGEST + 1),
	    false);
	set_make(&set);
	for (i = 0; i < set.n - 3; i++)
		ck_assert(fm_tied_has(set.tied, set.patterns[i]) ==
		    (fm_pattern_text(set.patterns[i]).len % 2 == 0));
	ck_assert(fm_tied_has(set.tied, set.patterns[i]));
	ck_assert(!fm_tied_has(set.tied, set.patterns[i + 1]));
	ck_assert(fm_tied_has(set.tied, set.patterns[i + 2]));
	ck_assert_uint_eq(set_agrees(&set, fm_text(buf, sizeof buf)), 1);
	ck_assert_uint_eq(set_agrees(&set, fm_text(buf,
	    FM_TIED_LONGEST + 1)), 2);
	set_free(&set);
}
END_TEST

START_TEST(suffixes_of_suffixes_are_all_told)
{
	static const char host[] = "www.a.b.c.example.org";
	struct set set = { 0 };
	size_t i, len = sizeof host - 1;
	unsigned n = 0;

	for (i = 0; i < len; i++) {
		set_add(&set, FM_PATTERN_SUFFIX, fm_text(host + i, len - i),
		    i % 2);
		set_add(&set, FM_PATTERN_PREFIX, fm_text(host, len - i),
		    i % 2);
		n += 2;
	}
	set_add(&set, FM_PATTERN_EXACT, fm_text_of(host), false);
	set_add(&set, FM_PATTERN_EXACT, fm_text_of("WWW.A.B.C.example.ORG"),
	    true);
	set_add(&set, FM_PATTERN_EXACT, fm_text(host, len - 1), false);
	set_add(&set, FM_PATTERN_EXACT, fm_text("", 0), false);
	set_make(&set);
	ck_assert_uint_eq(set_agrees(&set, fm_text_of(host)), n + 2);
	ck_assert_uint_eq(set_agrees(&set, fm_text("", 0)), 1);
	/* Longer than the subject. */
	ck_assert_uint_gt(set_agrees(&set, fm_text(host + 4, len - 4)), 5);
	/* The caller may have enough at any of them. */
	memset(set.hits, 0, set.n);
	set.nhits = 0;
	set.stop = 3;
	fm_tied_find(set.tied, fm_text_of(host), note, &set);
	ck_assert_uint_eq(set.nhits, 3);
	set_free(&set);
}
END_TEST

/* Quadratic, this would take hours. */
START_TEST(equal_texts_by_the_hundred_thousand_share_a_slot)
{
	struct set set = { 0 };
	unsigned i;
	char buf[40];

	for (i = 0; i < 200000; i++)
		set_add(&set, FM_PATTERN_SUFFIX, fm_text_of(i % 2 ?
		    ".Example.org" : ".example.org"), true);
	for (i = 0; i < 200000; i++) {
		snprintf(buf, sizeof buf, ".site-%u.example.org", i);
		set_add(&set, FM_PATTERN_SUFFIX, fm_text_of(buf), i % 2);
	}
	set_make(&set);
	ck_assert_uint_eq(set_agrees(&set, fm_text_of("www.EXAMPLE.org")),
	    200000);
	ck_assert_uint_eq(set_agrees(&set, fm_text_of(
	    "www.SITE-77777.example.org")), 200001);
	ck_assert_uint_eq(set_agrees(&set, fm_text_of(
	    "www.site-77778.example.org")), 200001);
	ck_assert_uint_eq(set_agrees(&set, fm_text_of("www.example.net")), 0);
	ck_assert_uint_lt(fm_tied_bytes(set.tied), 400000 * 64);
	set_free(&set);
}
END_TEST

START_TEST(only_what_is_asked_for_is_in_it)
{
	struct set set = { 0 };
	struct fm_tied *exact;

	set_add(&set, FM_PATTERN_CONTAINS, fm_text_of("a"), false);
	ck_assert_int_eq(fm_tied_new(set.patterns, set.n, true, &exact), 0);
	ck_assert_ptr_null(exact);
	set_add(&set, FM_PATTERN_SUFFIX, fm_text_of("a"), false);
	ck_assert_int_eq(fm_tied_new(set.patterns, set.n, false, &exact), 0);
	ck_assert_ptr_null(exact);
	set_add(&set, FM_PATTERN_EXACT, fm_text_of("a"), false);
	ck_assert_int_eq(fm_tied_new(set.patterns, set.n, false, &exact), 0);
	ck_assert_ptr_nonnull(exact);
	ck_assert(!fm_tied_has(exact, set.patterns[0]));
	ck_assert(!fm_tied_has(exact, set.patterns[1]));
	ck_assert(fm_tied_has(exact, set.patterns[2]));
	fm_tied_free(&exact);
	ck_assert_ptr_null(exact);
	set_make(&set);
	ck_assert(!fm_tied_has(set.tied, set.patterns[0]));
	ck_assert(fm_tied_has(set.tied, set.patterns[1]));
	ck_assert_uint_eq(set_agrees(&set, fm_text_of("a")), 2);
	ck_assert_uint_eq(set_agrees(&set, fm_text_of("ba")), 1);
	set_free(&set);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("tied");

	tcase_set_timeout(tc, 600);
	tcase_add_test(tc, random_texts_are_found_as_by_a_loop);
	tcase_add_test(tc, more_lengths_than_there_is_room_for_are_left_out);
	tcase_add_test(tc, the_lengths_that_most_texts_have_are_taken);
	tcase_add_test(tc, suffixes_of_suffixes_are_all_told);
	tcase_add_test(tc, equal_texts_by_the_hundred_thousand_share_a_slot);
	tcase_add_test(tc, only_what_is_asked_for_is_in_it);
	return (unit_run("tied", tc));
}
