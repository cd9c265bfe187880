/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Texts by hash that are anchored to an end: against a naive twin, which
 * compares byte by byte.
 */

#include "anchored.h"
#include "twin.h"

#define MANY		200000		/* patterns of a set */

static struct set {
	struct fm_pattern	*patterns[MANY + 1];
	unsigned char		matchers[MANY + 1];
	unsigned char		hits[MANY + 1];	/* how often each was told */
	unsigned		n;
	struct fm_anchored		*anchored;
	unsigned		nhits;
	unsigned		stop;		/* after hits; 0: never */
} set;

static void
add(enum fm_pattern_kind kind, struct fm_text text, bool nocase)
{
	const struct fm_place here = { .name = "test" };
	struct fm_pattern *pattern = fm_pattern_new(kind, text, nocase, &here,
	    NULL);

	AGREE(pattern != NULL && set.n <= MANY,
	    "no pattern, or no room for it");
	set.patterns[set.n++] = pattern;
}

/* One pattern in `out` stays out of the table; 0: none. */
static void
make(unsigned out)
{
	unsigned i;

	for (i = 0; i < set.n; i++)
		set.matchers[i] = out > 0 && unit_below(out) == 0 ?
		    FM_MATCHER_PLACE : FM_MATCHER_HASH;
	AGREE(fm_anchored_new(set.patterns, set.matchers, set.n, &set.anchored)
	    == 0, "no memory");
}

static void
clear(void)
{
	if (set.anchored != NULL)
		fm_anchored_free(&set.anchored);
	while (set.n > 0)
		fm_pattern_free(&set.patterns[--set.n]);
}

static bool
note(void *priv, uint32_t number)
{
	AGREE(priv == &set && number < set.n, "no pattern %u", number);
	set.hits[number]++;
	return (++set.nhits == set.stop);
}

static bool
twin_match(const struct fm_pattern *pattern, struct fm_text s)
{
	enum fm_pattern_kind kind = fm_pattern_kind(pattern);
	struct fm_text t = fm_pattern_text(pattern);

	if (t.len > s.len || (kind == FM_PATTERN_EXACT && t.len != s.len))
		return (false);
	return (twin_eq(kind == FM_PATTERN_SUFFIX ? s.b + s.len - t.len : s.b,
	    t.b, t.len, fm_pattern_nocase(pattern)));
}

/*
 * Each that is in the table is told once if the twin says so, else never.
 * Returns how many were told.
 */
static unsigned
agrees(struct fm_text subject)
{
	struct fm_text s = unit_copy(subject);
	const struct fm_pattern *pattern;
	unsigned i;
	bool want;

	memset(set.hits, 0, set.n);
	set.nhits = set.stop = 0;
	if (set.anchored != NULL)
		fm_anchored_find(set.anchored, s, note, &set);
	for (i = 0; i < set.n; i++) {
		pattern = set.patterns[i];
		want = set.matchers[i] == FM_MATCHER_HASH && twin_match(pattern,
		    s);
		AGREE(want == set.hits[i], "pattern \"%s\" kind %d nocase %d "
		    "over \"%.*s\": the twin says %d",
		    fm_pattern_text(pattern).b, (int)fm_pattern_kind(pattern),
		    fm_pattern_nocase(pattern), (int)s.len, s.b, want);
	}
	twin_free(s);
	return (set.nhits);
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

/* Random bytes, often with a text of the set at one end. */
static struct fm_text
extended(char *buf, size_t len)
{
	struct fm_text t = random_text(buf, len), what;
	size_t at = unit_below(2) ? 0 : len;

	if (set.n == 0 || unit_below(3) == 0)
		return (t);
	what = fm_pattern_text(set.patterns[unit_below(set.n)]);
	if (what.len > 300)
		return (t);
	memcpy(buf + at, what.b, what.len);
	return (fm_text(buf, t.len > at + what.len ? t.len : at + what.len));
}

UNIT_TEST(random_texts_are_found_as_by_a_loop)
{
	static const unsigned lengths[] = { 6, 6, 6, 40, 100 };
	unsigned round, k, n, kinds, hits = 0, rounds = unit_rounds(3000, 4);
	struct fm_text s;
	char buf[500];

	unit_seed("anchored");
	for (round = 0; round < rounds; round++) {
		n = unit_below(round % 50 == 0 ? 800 : 40);
		for (kinds = 1 + unit_below(3); n > 0; n--) {
			s = extended(buf, 1 + unit_below(lengths[round % 5]));
			add(FM_PATTERN_EXACT + unit_below(kinds), s,
			    unit_below(2));
		}
		make(unit_below(8) > 0 ? 0 : 3);
		for (k = 0; k < 60; k++) {
			s = extended(buf, unit_below(20));
			while (s.len > 0 && unit_below(4) == 0)
				buf[unit_below((unsigned)s.len)] ^= 0x20;
			hits += agrees(s) > 0;
		}
		clear();
	}
	ck_assert_uint_gt(hits, rounds * 60 / 10);
}

UNIT_TEST(suffixes_of_suffixes_are_all_told)
{
	static const char host[] = "www.a.b.c.example.org";
	unsigned i, len = sizeof host - 1;

	for (i = 0; i < len; i++) {
		add(FM_PATTERN_SUFFIX, fm_text(host + i, len - i), i % 2);
		add(FM_PATTERN_PREFIX, fm_text(host, len - i), i % 2);
	}
	add(FM_PATTERN_EXACT, fm_text_of(host), false);
	add(FM_PATTERN_EXACT, fm_text_of("WWW.A.B.C.example.ORG"), true);
	add(FM_PATTERN_EXACT, fm_text("", 0), false);
	make(0);
	ck_assert_uint_eq(agrees(fm_text_of(host)), 2 * len + 2);
	ck_assert_uint_eq(agrees(fm_text("", 0)), 1);
	/* The caller may have enough at any of them. */
	set.nhits = 0;
	set.stop = 3;
	fm_anchored_find(set.anchored, fm_text_of(host), note, &set);
	ck_assert_uint_eq(set.nhits, 3);
	clear();
}

/* Quadratic, this would take hours. */
UNIT_TEST(equal_texts_by_the_hundred_thousand_share_a_slot)
{
	while (set.n < MANY)
		add(FM_PATTERN_SUFFIX, fm_text_of(set.n % 2 ?
		    ".Example.org" : ".example.org"), true);
	add(FM_PATTERN_EXACT, fm_text_of("www.example.org"), false);
	make(0);
	ck_assert_uint_eq(agrees(fm_text_of("www.EXAMPLE.org")), MANY);
	ck_assert_uint_eq(agrees(fm_text_of("www.example.org")), MANY + 1);
	ck_assert_uint_eq(agrees(fm_text_of("www.example.net")), 0);
	ck_assert_uint_lt(fm_anchored_bytes(set.anchored), MANY * 64);
	clear();
}

int
main(void)
{
	return (unit_main("anchored", 60));
}
