/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An engine that misses matches, one that fails or refuses, and one without
 * memory: the linker wraps hs_scan() and others (--wrap), so that they do so on
 * demand.  Each case runs in a process of its own, where the self-test is still
 * to come.
 */

#include "engine.h"
#include "patset.h"
#include "scan.h"
#include "unit.h"

static enum { HONEST, BLIND, FAILING } behaviour;
static unsigned scans;

int __real_hs_scan(const void *, const char *, unsigned, unsigned, void *,
    void *, void *);
int __wrap_hs_scan(const void *, const char *, unsigned, unsigned, void *,
    void *, void *);

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
static int scratch_error = -2;	/* HS_NOMEM */

int __real_hs_alloc_scratch(const void *, void **);
int __wrap_hs_alloc_scratch(const void *, void **);
int hs_free_scratch(void *);

/* As Hyperscan does it, the scratch is gone where it can't grow. */
int
__wrap_hs_alloc_scratch(const void *db, void **scratch)
{
	if (alloc_fails == 0 || --alloc_fails > 0)
		return (__real_hs_alloc_scratch(db, scratch));
	(void)hs_free_scratch(*scratch);
	*scratch = NULL;
	return (scratch_error);
}

static unsigned clone_fails;	/* likewise */

int __real_hs_clone_scratch(const void *, void **);
int __wrap_hs_clone_scratch(const void *, void **);

int
__wrap_hs_clone_scratch(const void *from, void **to)
{
	*to = NULL;
	if (clone_fails == 0 || --clone_fails > 0)
		return (__real_hs_clone_scratch(from, to));
	return (scratch_error);
}

static bool refuses;		/* prefilters */

int __real_hs_compile(const char *, unsigned, unsigned, const void *, void **,
    void **);
int __wrap_hs_compile(const char *, unsigned, unsigned, const void *, void **,
    void **);

int
__wrap_hs_compile(const char *text, unsigned flags, unsigned mode,
    const void *platform, void **db, void **error)
{
	return (__real_hs_compile(refuses ? "(" : text, flags, mode, platform,
	    db, error));
}

static struct fm_patset *
brands(void)
{
	static const struct fm_place here = { .name = "test" };
	static const char * const texts[] = { "Nokia", "Sagem", "MOT-",
	    "Android", "iPhone" };
	struct fm_patset_builder *b;
	struct fm_patset *ps;
	struct fm_pattern *p;
	unsigned i;

	b = fm_patset_build_new();
	for (i = 0; i < 5; i++) {
		p = fm_pattern_new(FM_PATTERN_CONTAINS, fm_text_of(texts[i]),
		    false, &here, NULL);
		ck_assert_int_eq(fm_patset_build_add(b, &p), 0);
	}
	ps = fm_patset_build(&b, NULL);
	ck_assert_ptr_nonnull(ps);
	return (ps);
}

static void
check_brands(const struct fm_patset *ps, struct fm_tally *tally)
{
	char ua[200];
	uint32_t numbers[5];
	unsigned i;

	memset(ua, '.', sizeof ua);
	for (i = 0; i + 5 < sizeof ua; i++) {
		memcpy(ua + i, "Sagem", 5);
		ck_assert(fm_patset_match(ps, fm_text(ua, sizeof ua),
		    tally));
		ck_assert_uint_eq(fm_patset_all(ps, fm_text(ua, sizeof ua),
		    numbers, 5, tally), 1);
		ck_assert_uint_eq(numbers[0], 1);
		memset(ua + i, '.', 5);
		ck_assert(!fm_patset_match(ps, fm_text(ua, sizeof ua),
		    tally));
	}
}

START_TEST(a_healthy_engine_scans)
{
	struct fm_tally tally = { 0 };
	struct fm_patset *ps;

	ck_assert(fm_scan_health() == FM_SCAN_UNTESTED);
	ps = brands();
	ck_assert(fm_scan_health() == FM_SCAN_HEALTHY);
	check_brands(ps, &tally);
	ck_assert_uint_eq(tally.scans, 3 * 195);
	ck_assert_uint_eq(tally.fallbacks, 0);
	ck_assert_uint_gt(strlen(fm_scan_engine()), 0);
	fm_patset_free(&ps);
}
END_TEST

START_TEST(an_engine_that_misses_matches_is_never_used)
{
	struct fm_tally tally = { 0 };
	struct fm_patset *ps;
	unsigned before;

	behaviour = BLIND;
	ps = brands();
	ck_assert(fm_scan_health() == FM_SCAN_FAILED);
	before = scans;
	check_brands(ps, &tally);
	ck_assert_uint_eq(scans, before);
	ck_assert_uint_eq(tally.scans, 0);
	ck_assert_uint_eq(tally.fallbacks, 3 * 195);
	fm_patset_free(&ps);
	/* It is not asked again, even if it were well by now. */
	behaviour = HONEST;
	ps = brands();
	ck_assert_uint_eq(scans, before);
	fm_patset_free(&ps);
}
END_TEST

START_TEST(a_scan_that_fails_is_decided_without_it)
{
	struct fm_tally tally = { 0 };
	struct fm_patset *ps;

	ps = brands();
	ck_assert(fm_scan_health() == FM_SCAN_HEALTHY);
	behaviour = FAILING;
	check_brands(ps, &tally);
	ck_assert_uint_eq(tally.fallbacks, 3 * 195);
	fm_patset_free(&ps);
}
END_TEST

/* Regexes that need a scratch larger than a few literals do. */
static struct fm_patset *
regexes(void)
{
	static const struct fm_place here = { .name = "test" };
	struct fm_patset_builder *b;
	struct fm_patset *ps;
	struct fm_pattern *p;
	char text[32];
	unsigned i;

	b = fm_patset_build_new();
	for (i = 0; i < 60; i++) {
		snprintf(text, sizeof text, "[a-f]+[%u-9]{2,}[x-z]", i % 9);
		p = fm_pattern_new(FM_PATTERN_REGEX, fm_text_of(text), false,
		    &here, NULL);
		ck_assert_int_eq(fm_patset_build_add(b, &p), 0);
	}
	ps = fm_patset_build(&b, NULL);
	ck_assert_ptr_nonnull(ps);
	return (ps);
}

START_TEST(a_set_without_memory_for_its_scratch_harms_no_other)
{
	struct fm_tally tally = { 0 };
	struct fm_patset *large, *failed, *small;

	large = regexes();
	ck_assert(fm_patset_match(large, fm_text_of("abc99x"), &tally));
	alloc_fails = 1;
	failed = brands();
	ck_assert_uint_eq(alloc_fails, 0);
	check_brands(failed, &tally);
	ck_assert_uint_eq(tally.fallbacks, 3 * 195);
	tally.fallbacks = 0;
	small = brands();
	check_brands(small, &tally);
	ck_assert(fm_patset_match(large, fm_text_of("abc99x"), &tally));
	ck_assert(!fm_patset_match(large, fm_text_of("abc99"), &tally));
	check_brands(small, &tally);
	ck_assert_uint_eq(tally.fallbacks, 0);
	fm_patset_free(&large);
	fm_patset_free(&failed);
	fm_patset_free(&small);
}
END_TEST

START_TEST(a_self_test_without_memory_is_made_again)
{
	struct fm_tally tally = { 0 };
	struct fm_patset *ps;

	alloc_fails = 2;
	ps = brands();
	ck_assert_uint_eq(alloc_fails, 0);
	ck_assert(fm_scan_health() == FM_SCAN_UNTESTED);
	check_brands(ps, &tally);
	fm_patset_free(&ps);
	ps = brands();
	ck_assert(fm_scan_health() == FM_SCAN_HEALTHY);
	fm_patset_free(&ps);
}
END_TEST

/* By the n-th call, of which there are some for each set of the self-test. */
static void
check_failed(unsigned *calls, unsigned n)
{
	struct fm_tally tally = { 0 };
	struct fm_patset *ps;

	scratch_error = -6;	/* HS_DB_PLATFORM_ERROR */
	*calls = n;
	ps = brands();
	ck_assert_uint_eq(*calls, 0);
	ck_assert(fm_scan_health() == FM_SCAN_FAILED);
	check_brands(ps, &tally);
	ck_assert_uint_eq(tally.scans, 0);
	ck_assert_uint_eq(tally.fallbacks, 3 * 195);
	fm_patset_free(&ps);
}

START_TEST(an_engine_that_gives_no_scratch_has_failed)
{
	check_failed(&alloc_fails, 1 + (unsigned)_i);
}
END_TEST

START_TEST(an_engine_that_copies_no_scratch_has_failed)
{
	check_failed(&clone_fails, 1 + (unsigned)_i);
}
END_TEST

START_TEST(an_engine_that_takes_no_prefilter_has_failed)
{
	struct fm_patset *ps;

	refuses = true;
	ps = brands();
	ck_assert(fm_scan_health() == FM_SCAN_FAILED);
	fm_patset_free(&ps);
}
END_TEST

START_TEST(a_set_of_refused_expressions_is_no_fallback)
{
	static const struct fm_place here = { .name = "test" };
	struct fm_tally tally = { 0 };
	struct fm_patset_builder *b;
	struct fm_patset *ps;
	struct fm_pattern *p;
	unsigned i;

	b = fm_patset_build_new();
	for (i = 0; i < 2; i++) {
		p = fm_pattern_new(FM_PATTERN_REGEX,
		    fm_text_of("[0-9]\\b^[a-z]"), false, &here, NULL);
		ck_assert_int_eq(fm_patset_build_add(b, &p), 0);
	}
	ps = fm_patset_build(&b, NULL);
	ck_assert(!fm_patset_match(ps, fm_text_of("0a"), &tally));
	ck_assert_uint_eq(tally.fallbacks, 0);
	ck_assert_uint_eq(tally.scans, 0);
	fm_patset_free(&ps);
}
END_TEST

struct hits {
	unsigned	n;
	uint32_t	last;
};

static bool
count_hit(void *priv, uint32_t id)
{
	struct hits *h = priv;

	h->n++;
	h->last = id;
	return (false);
}

static void
count_refused(void *priv, uint32_t id)
{
	(void)count_hit(priv, id);
}

START_TEST(expressions_that_the_engine_refuses_are_told)
{
	struct fm_scan_builder *b;
	struct fm_scan *s;
	struct hits refused = { 0, 0 }, found = { 0, 0 };

	b = fm_scan_build_new();
	ck_assert_int_eq(fm_scan_build_prefilter(b, "a{30000}", false, 7), 0);
	ck_assert_int_eq(fm_scan_build_literal(b, fm_text_of("lit"), true,
	    8), 0);
	s = fm_scan_build(b, count_refused, &refused);
	ck_assert_ptr_nonnull(s);
	ck_assert_uint_eq(refused.n, 1);
	ck_assert_uint_eq(refused.last, 7);
	ck_assert(fm_scan_run(s, fm_text_of("a LIT"), count_hit, &found) ==
	    FM_SCAN_DONE);
	ck_assert_uint_eq(found.n, 1);
	ck_assert_uint_eq(found.last, 8);
	fm_scan_build_free(&b);
	fm_scan_free(&s);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("scan");

	tcase_set_timeout(tc, 60);
	unit_add_scanning(tc, a_healthy_engine_scans);
	tcase_add_test(tc, an_engine_that_misses_matches_is_never_used);
	unit_add_scanning(tc, a_scan_that_fails_is_decided_without_it);
	unit_add_scanning(tc,
	    a_set_without_memory_for_its_scratch_harms_no_other);
	unit_add_scanning(tc, a_self_test_without_memory_is_made_again);
	unit_add_scanning_loop(tc, an_engine_that_gives_no_scratch_has_failed,
	    0, 3);
	unit_add_scanning_loop(tc, an_engine_that_copies_no_scratch_has_failed,
	    0, 3);
	unit_add_scanning(tc, an_engine_that_takes_no_prefilter_has_failed);
	unit_add_scanning(tc, a_set_of_refused_expressions_is_no_fallback);
	unit_add_scanning(tc, expressions_that_the_engine_refuses_are_told);
	return (unit_run("scan", tc));
}
