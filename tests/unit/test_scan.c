/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An engine that misses matches, one that fails or refuses, and one without
 * memory: the linker wraps some of Hyperscan's functions.  Each test is a
 * process of its own, where the self-test is still to come.
 */

#include "engine.h"
#include "twin_set.h"
#include "unit.h"

static enum { HONEST, BLIND, FAILING } behaviour;
static unsigned scans;

typedef int scan_f(const void *, const char *, unsigned, unsigned, void *,
    void *, void *);
scan_f __real_hs_scan, __wrap_hs_scan;

int
__wrap_hs_scan(const void *db, const char *data, unsigned len,
    unsigned flags, void *scratch, void *hit, void *priv)
{
	scans++;
	if (behaviour == FAILING)
		return (-13);
	if (behaviour == BLIND && len > 64 && scans % 2 == 0)
		return (0);
	return (__real_hs_scan(db, data, len, flags, scratch, hit, priv));
}

static unsigned alloc_fails;	/* the n-th call from now; 0: none */
static unsigned grown;		/* how often a scratch grew */

typedef int scratch_f(const void *, void **);
scratch_f __real_hs_alloc_scratch, __wrap_hs_alloc_scratch;
int hs_free_scratch(void *);

/* As Hyperscan does it, the scratch is gone where it can't grow. */
int
__wrap_hs_alloc_scratch(const void *db, void **scratch)
{
	grown += *scratch != NULL;
	if (alloc_fails == 0 || --alloc_fails > 0)
		return (__real_hs_alloc_scratch(db, scratch));
	(void)hs_free_scratch(*scratch);
	*scratch = NULL;
	return (-2);	/* HS_NOMEM */
}

static unsigned compiled;	/* how many sets were tried */

typedef int compile_f(const void *, const void *, const void *, unsigned,
    unsigned, const void *, void **, void **);
compile_f __real_hs_compile_multi, __wrap_hs_compile_multi;

int
__wrap_hs_compile_multi(const void *texts, const void *flags, const void *ids,
    unsigned n, unsigned mode, const void *platform, void **db, void **error)
{
	compiled++;
	return (__real_hs_compile_multi(texts, flags, ids, n, mode, platform,
	    db, error));
}

static void
make(struct twin_set *set)
{
	static const char * const texts[] = { "Nokia", "Sagem", "MOT-",
	    "Android", "iPhone" };
	unsigned i;

	twin_set_init(set);
	for (i = 0; i < 5; i++)
		ck_assert(twin_set_add(set, FM_PATTERN_CONTAINS, false,
		    fm_text_of(texts[i])));
	twin_set_make(set);
}

/* The answers are right, by a scan for each or (fallbacks) without. */
static void
check(struct twin_set *set, unsigned scanned, unsigned fallbacks)
{
	char ua[200];
	unsigned i;

	memset(&set->tally, 0, sizeof set->tally);
	memset(ua, '.', sizeof ua);
	for (i = 0; i < 195; i++) {
		memcpy(ua + i, "Sagem", 5);
		ck_assert_uint_eq(twin_set_check(set, fm_text(ua, 200)), 1);
		memset(ua + i, '.', 5);
	}
	ck_assert_uint_eq(set->tally.scans, 195 * scanned);
	ck_assert_uint_eq(set->tally.fallbacks, 195 * fallbacks);
}

START_TEST(a_healthy_engine_scans_and_one_scan_may_fail)
{
	struct twin_set set;

	ck_assert(fm_scan_health() == FM_SCAN_UNTESTED);
	make(&set);
	ck_assert(fm_scan_health() == FM_SCAN_HEALTHY);
	check(&set, 1, 0);
	behaviour = FAILING;
	check(&set, 1, 1);
	twin_set_fini(&set);
}
END_TEST

START_TEST(an_engine_that_misses_matches_is_never_used)
{
	struct twin_set sets[2];

	behaviour = BLIND;
	make(&sets[0]);
	ck_assert(fm_scan_health() == FM_SCAN_FAILED);
	scans = 0;
	check(&sets[0], 0, 1);
	/* It is not asked again, even if it were well by now. */
	behaviour = HONEST;
	make(&sets[1]);
	check(&sets[1], 0, 1);
	ck_assert_uint_eq(scans, 0);
	twin_set_fini(&sets[0]);
	twin_set_fini(&sets[1]);
}
END_TEST

/* _i: 0: in the self-test; 1: for a set. */
START_TEST(a_set_without_memory_for_its_scratch_harms_no_other)
{
	struct twin_set sets[3];
	int i;

	for (i = 0; i < 3; i++) {
		alloc_fails = i != _i ? 0 : i == 0 ? 2 : 1;
		make(&sets[i]);
		ck_assert_uint_eq(alloc_fails, 0);
		ck_assert(fm_scan_health() == (i == 0 && _i == 0 ?
		    FM_SCAN_UNTESTED : FM_SCAN_HEALTHY));
	}
	for (i = 0; i < 3; i++) {
		check(&sets[i], i != _i, i == _i);
		twin_set_fini(&sets[i]);
	}
}
END_TEST

struct hits {
	unsigned	n, stop;
	uint32_t	bits;
};

static bool
count_hit(void *priv, uint32_t id)
{
	struct hits *h = priv;

	h->bits |= 1U << id;
	return (++h->n == h->stop);
}

static void
count_refused(void *priv, uint32_t id)
{
	(void)count_hit(priv, id);
}

/* Hyperscan fails x{32767} without a word about whose fault it is. */
START_TEST(expressions_that_the_engine_refuses_are_told)
{
	static const char * const refused[] = { "a^b", "a{0}", "x{32768}",
	    "x{32767}", "long" };
	static char text[FM_SCAN_LONGEST + 2];
	struct hits told = { 0, 0, 0 }, found = { 0, 0, 0 };
	struct fm_scan_builder *b = fm_scan_build_new();
	struct fm_text s = fm_text_of("a lIT lIT");
	struct fm_scan *scan;
	int bad;

	memset(text, 'x', sizeof text - 1);
	bad = fm_scan_build_add(b, FM_PATTERN_CONTAINS,
	    fm_text_of("lit"), true, false, 1);
	bad |= fm_scan_build_add(b, FM_PATTERN_REGEX,
	    fm_text_of(_i < 4 ? refused[_i] : text), false, false, 2);
	bad |= fm_scan_build_add(b, FM_PATTERN_GLOB,
	    fm_text_of("a*l?T"), false, false, 3);
	bad |= fm_scan_build_add(b, FM_PATTERN_REGEX,
	    fm_text_of("T(?!x)"), false, true, 4);
	bad |= fm_scan_build_add(b, FM_PATTERN_REGEX,
	    fm_text_of("l+I"), false, false, 5);
	ck_assert_int_eq(bad, 0);
	scan = fm_scan_build(b, count_refused, &told);
	ck_assert_ptr_nonnull(scan);
	ck_assert_uint_eq(told.n, 1);
	ck_assert_uint_eq(told.bits, 1U << 2);
	ck_assert_int_eq(fm_scan_ready(scan), 0);
	ck_assert(fm_scan_run(scan, s, count_hit, &found));
	ck_assert_uint_eq(found.n, 4);
	ck_assert_uint_eq(found.bits, 1U << 1 | 1U << 3 | 1U << 4 | 1U << 5);
	/* One stops it. */
	found = (struct hits){ 0, 1, 0 };
	(void)fm_scan_run(scan, s, count_hit, &found);
	ck_assert_uint_eq(found.n, 1);
	fm_scan_build_free(&b);
	fm_scan_free(&scan);
}
END_TEST

/* A set that was compiled anew for each took 25 s for 100 of 1,000. */
START_TEST(many_refusals_are_found_in_one_go)
{
	struct hits told = { 0, 0, 0 };
	struct fm_scan_builder *b = fm_scan_build_new();
	struct fm_scan *scan;
	static char texts[200][8];
	uint32_t i;

	(void)unit_engine_health();
	compiled = 0;
	for (i = 0; i < 200; i++) {
		snprintf(texts[i], sizeof texts[i], i % 2 ? "w%u^b" : "w%u",
		    i);
		ck_assert_int_eq(fm_scan_build_add(b, FM_PATTERN_REGEX,
		    fm_text_of(texts[i]), false, false, i % 2), 0);
	}
	scan = fm_scan_build(b, count_refused, &told);
	ck_assert_ptr_nonnull(scan);
	ck_assert_uint_eq(told.n, 100);
	ck_assert_uint_eq(told.bits, 1U << 1);
	ck_assert_uint_eq(compiled, 1);
	fm_scan_build_free(&b);
	fm_scan_free(&scan);
}
END_TEST

/* Which is too large the engine says one at a time. */
START_TEST(what_is_too_large_is_found_without_trying_each)
{
	static const char large[] = "; {0,2}(?:(?:HTC|htc)(?:_blocked|)[ _/])"
	    "{1,100}([^ _/]{1,100})(?:[ _/]([^ _/]{1,100})"
	    "(?:[ _/]([^ _/]{1,100})(?:[ _/]([^ /;]{1,100})|)|)|)"
	    "(?: {0,2}Build|[;\\)]| - )";
	struct hits told = { 0, 0, 0 }, found = { 0, 0, 0 };
	struct fm_scan_builder *b = fm_scan_build_new();
	struct fm_scan *scan;
	static char texts[30][8];
	const char *text;
	uint32_t i;

	(void)unit_engine_health();
	compiled = 0;
	for (i = 0; i < 30; i++) {
		snprintf(texts[i], sizeof texts[i], "w%u[ab]", i);
		text = i == 5 || i == 29 ? large : texts[i];
		ck_assert_int_eq(fm_scan_build_add(b, FM_PATTERN_REGEX,
		    fm_text_of(text), false, false, i), 0);
	}
	scan = fm_scan_build(b, count_refused, &told);
	ck_assert_ptr_nonnull(scan);
	ck_assert_uint_eq(told.n, 2);
	ck_assert_uint_eq(told.bits, 1U << 5 | 1U << 29);
	/* Both fail, all behind the first, and then all. */
	ck_assert_uint_le(compiled, 4);
	ck_assert_int_eq(fm_scan_ready(scan), 0);
	ck_assert_int_eq(fm_scan_run(scan, fm_text_of("w0a w28b w5a w29a"),
	    count_hit, &found), true);
	ck_assert_uint_eq(found.bits, 1U << 0 | 1U << 28);
	fm_scan_build_free(&b);
	fm_scan_free(&scan);
}
END_TEST

static struct fm_scan *
scan_of(const char *regex)
{
	struct fm_scan_builder *b = fm_scan_build_new();
	struct fm_scan *scan;

	ck_assert_int_eq(fm_scan_build_add(b, FM_PATTERN_REGEX,
	    fm_text_of(regex), false, false, 0), 0);
	scan = fm_scan_build(b, NULL, NULL);
	ck_assert_ptr_nonnull(scan);
	fm_scan_build_free(&b);
	return (scan);
}

START_TEST(a_scan_that_is_too_large_costs_no_thread_anything)
{
	struct fm_scan *small = scan_of("lit"), *large, *again;

	ck_assert_int_eq(fm_scan_ready(small), 0);
	grown = 0;
	large = scan_of("([a-f].{1,300}){20}[b-z]+c");
	ck_assert_uint_gt(fm_scan_scratch_bytes(large),
	    fm_scan_scratch_bytes(small));
	ck_assert_uint_gt(fm_scan_bytes(large), fm_scan_bytes(small));
	ck_assert_uint_eq(grown, 0);
	ck_assert_int_eq(fm_scan_ready(large), 0);
	ck_assert_uint_eq(grown, 1);
	/* What is measured is for this one alone. */
	again = scan_of("lit");
	ck_assert_uint_eq(fm_scan_scratch_bytes(again),
	    fm_scan_scratch_bytes(small));
	fm_scan_free(&small);
	fm_scan_free(&large);
	fm_scan_free(&again);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("scan");

	unit_add_scanning(tc, a_healthy_engine_scans_and_one_scan_may_fail);
	tcase_add_test(tc, an_engine_that_misses_matches_is_never_used);
	unit_add_scanning_loop(tc,
	    a_set_without_memory_for_its_scratch_harms_no_other, 0, 2);
	unit_add_scanning_loop(tc,
	    expressions_that_the_engine_refuses_are_told, 0, 5);
	unit_add_scanning(tc, many_refusals_are_found_in_one_go);
	unit_add_scanning(tc, what_is_too_large_is_found_without_trying_each);
	unit_add_scanning(tc,
	    a_scan_that_is_too_large_costs_no_thread_anything);
	tcase_set_timeout(tc, 60);
	return (unit_run("scan", tc));
}
