/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An engine that misses matches, one that fails or refuses, and one without
 * memory: the linker wraps some of Hyperscan's functions.  Each test is a
 * process of its own, where the self-test is still to come.
 */

#include "caps.h"
#include "engine.h"
#include "syntax.h"
#include "twin_set.h"
#include "unit.h"

static enum { HONEST, BLIND, FAILING, ENDLESS } behaviour;
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
	const char * const *are = texts;
	const char *others[200];
	unsigned i;

	compiled++;
	if (behaviour != ENDLESS || n == 1 || n > 200)
		return (__real_hs_compile_multi(texts, flags, ids, n, mode,
		    platform, db, error));
	for (i = 0; i < n; i++)
		others[i] = strlen(are[i]) < 2 || strcmp(are[i] +
		    strlen(are[i]) - 2, "\\z") != 0 ? are[i] :
		    "\\xff\\x00\\xff";
	return (__real_hs_compile_multi(others, flags, ids, n, mode, platform,
	    db, error));
}

static void
make(struct twin_set *set)
{
	static const char * const texts[] = { "Nokia", "Sagem", "MOT-",
	    "Android", "iPhone" };
	unsigned i;

	/* One without case needs the scan for all. */
	twin_set_init(set);
	for (i = 0; i < 5; i++)
		ck_assert(twin_set_add(set, FM_PATTERN_CONTAINS, i == 0,
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

UNIT_SCANNING(a_healthy_engine_scans_and_one_scan_may_fail)
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

UNIT_TEST(an_engine_that_misses_matches_is_never_used)
{
	struct twin_set sets[2];

	behaviour = BLIND;
	make(&sets[0]);
	ck_assert(fm_scan_health() == FM_SCAN_FAILED);
	scans = 0;
	check(&sets[0], 0, 1);
	/* The engine is not asked again, even if it were well by now. */
	behaviour = HONEST;
	make(&sets[1]);
	check(&sets[1], 0, 1);
	ck_assert_uint_eq(scans, 0);
	twin_set_fini(&sets[0]);
	twin_set_fini(&sets[1]);
}

/* The engine misses `\z`, and nothing else. */
UNIT_SCANNING(only_what_the_engine_lacks_is_left_to_pcre2)
{
	static const struct {
		enum fm_pattern_kind	kind;
		enum fm_matcher		matcher;
		const char		*text;
	} specs[] = {
		{ FM_PATTERN_CONTAINS, FM_MATCHER_SCAN, "Nokia" },
		{ FM_PATTERN_REGEX, FM_MATCHER_PLACE, "Sag[a-e]m\\z" },
		{ FM_PATTERN_REGEX, FM_MATCHER_PLACE, "(?:m|Sag|\\z)z(?!x)" },
		{ FM_PATTERN_REGEX, FM_MATCHER_SCAN, "Sag[a-e]m$" },
		{ FM_PATTERN_REGEX, FM_MATCHER_SCAN, "Sag\\\\z|m[\\\\z]" },
		{ FM_PATTERN_REGEX, FM_MATCHER_PREFILTER, "Sag(?=em$)" },
		{ FM_PATTERN_GLOB, FM_MATCHER_PREFILTER, "*Sag?m" },
		{ FM_PATTERN_GLOB, FM_MATCHER_SCAN, "*S?g*" },
	};
	static const char * const subjects[] = { "Sagem", "Sagem\n", "aSagem",
	    "Sagem-Nokia", "Sag\\z", "zzSagemz", "mz", "mzx", "Sagm", "m\\" };
	struct twin_set set;
	unsigned i;

	behaviour = ENDLESS;
	twin_set_init(&set);
	for (i = 0; i < (unsigned)UNIT_COUNT(specs); i++)
		ck_assert(twin_set_add(&set, specs[i].kind, false,
		    fm_text_of(specs[i].text)));
	twin_set_make(&set);
	ck_assert(fm_scan_health() == FM_SCAN_HEALTHY);
	if (fm_scan_lacks() != FM_SYNTAX_TEXT_END)
		ck_abort_msg("lacks %s", fm_scan_lacks_name());
	for (i = 0; i < (unsigned)UNIT_COUNT(specs); i++)
		ck_assert_msg(fm_patset_matcher(set.ps, i) == specs[i].matcher,
		    "%s has matcher %d", specs[i].text,
		    (int)fm_patset_matcher(set.ps, i));
	ck_assert_str_eq(fm_patset_why(set.ps, 1),
	    "this Hyperscan misses matches at the end");
	for (i = 0; i < UNIT_COUNT(subjects); i++)
		(void)twin_set_check(&set, fm_text_of(subjects[i]));
	ck_assert_uint_eq(set.tally.scans, UNIT_COUNT(subjects));
	ck_assert_uint_eq(set.tally.fallbacks, 0);
	ck_assert_uint_gt(set.hits, UNIT_COUNT(subjects));
	twin_set_fini(&set);
}

UNIT_SCANNING(a_set_of_what_the_engine_lacks_is_not_scanned)
{
	struct twin_set set;

	behaviour = ENDLESS;
	twin_set_init(&set);
	ck_assert(twin_set_add(&set, FM_PATTERN_REGEX, false,
	    fm_text_of("[ab]\\z")));
	ck_assert(twin_set_add(&set, FM_PATTERN_REGEX, false,
	    fm_text_of("[cd]\\z")));
	twin_set_make(&set);
	ck_assert(!fm_patset_scans(set.ps));
	ck_assert_uint_eq(twin_set_check(&set, fm_text_of("ab")), 1);
	ck_assert_uint_eq(set.tally.fallbacks, 0);
	twin_set_fini(&set);
}

/* _i: 0: in the self-test; 1: for a set. */
UNIT_SCANNING_LOOP(a_set_without_memory_for_its_scratch_harms_no_other, 2)
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

/* Up to 200 patterns, and the scan of them. */
struct made {
	size_t			n;
	struct fm_pattern	*patterns[200];
	unsigned char		matchers[200];
	struct fm_scan		*scan;
};

static void
made_add(struct made *m, enum fm_pattern_kind kind, const char *text,
    bool nocase, bool prefilter)
{
	const struct fm_place here = { .name = "scan" };

	m->matchers[m->n] = prefilter ? FM_MATCHER_PREFILTER : FM_MATCHER_SCAN;
	m->patterns[m->n] = fm_pattern_new(kind, fm_text_of(text), nocase,
	    &here, NULL);
	ck_assert_ptr_nonnull(m->patterns[m->n++]);
}

/* Returns a bit for each of the first patterns that were refused. */
static uint64_t
made_scan(struct made *m)
{
	uint64_t bits = 0;
	size_t i;

	m->scan = fm_scan_new(m->patterns, m->matchers, m->n, NULL, NULL);
	ck_assert_ptr_nonnull(m->scan);
	for (i = 0; i < m->n && i < 64; i++)
		if (m->matchers[i] == FM_MATCHER_PLACE)
			bits |= 1ULL << i;
	return (bits);
}

static void
made_free(struct made *m)
{
	fm_scan_free(&m->scan);
	while (m->n > 0)
		fm_pattern_free(&m->patterns[--m->n]);
}

static void
check_refused(const char *text)
{
	struct hits found = { 0, 0, 0 };
	struct fm_text s = fm_text_of("a lIT lIT");
	struct made m = { .n = 0 };

	made_add(&m, FM_PATTERN_CONTAINS, "lit", true, false);
	made_add(&m, FM_PATTERN_REGEX, text, false, false);
	made_add(&m, FM_PATTERN_GLOB, "a*l?T", false, false);
	made_add(&m, FM_PATTERN_REGEX, "T(?!x)", false, true);
	made_add(&m, FM_PATTERN_EXACT, "a lIT lIT", false, false);
	m.matchers[4] = FM_MATCHER_HASH;
	made_add(&m, FM_PATTERN_REGEX, "l+I", false, false);
	ck_assert_uint_eq(made_scan(&m), 1U << 1);
	ck_assert(fm_scan_run(m.scan, s, count_hit, &found));
	ck_assert_uint_eq(found.n, 4);
	ck_assert_uint_eq(found.bits, 1U << 0 | 1U << 2 | 1U << 3 | 1U << 5);
	/* The first hit stops the scan. */
	found = (struct hits){ 0, 1, 0 };
	(void)fm_scan_run(m.scan, s, count_hit, &found);
	ck_assert_uint_eq(found.n, 1);
	made_free(&m);
}

/* Hyperscan fails x{32767} without a word about whose fault it is. */
UNIT_SCANNING(expressions_that_the_engine_refuses_are_told)
{
	static const char * const refused[] = { "a^b", "a{0}", "x{32768}",
	    "x{32767}" };
	static char text[FM_SCAN_LONGEST + 2];
	unsigned i;

	for (i = 0; i < sizeof refused / sizeof refused[0]; i++)
		check_refused(refused[i]);
	memset(text, 'x', sizeof text - 1);
	check_refused(text);
}

/* A set that was compiled anew for each took 25 s for 100 of 1,000. */
UNIT_SCANNING(many_refusals_are_found_in_one_go)
{
	struct made m = { .n = 0 };
	char text[8];
	unsigned i;

	(void)unit_engine_health();
	compiled = 0;
	for (i = 0; i < 200; i++) {
		snprintf(text, sizeof text, i % 2 ? "w%u^b" : "w%u", i);
		made_add(&m, FM_PATTERN_REGEX, text, false, false);
	}
	ck_assert_uint_eq(made_scan(&m), 0xaaaaaaaaaaaaaaaaULL);
	ck_assert_uint_eq(compiled, 1);
	made_free(&m);
}

/* The engine finds out that these are too large when it compiles them. */
UNIT_SCANNING(what_is_too_large_harms_no_other)
{
	static const char large[] = "a(?:.b?){257}x";
	struct hits found = { 0, 0, 0 };
	struct made m = { .n = 0 };
	char text[8];
	unsigned i;

	(void)unit_engine_health();
	compiled = 0;
	for (i = 0; i < 30; i++) {
		snprintf(text, sizeof text, "w%u[ab]", i);
		made_add(&m, FM_PATTERN_REGEX, i == 5 || i == 29 ? large :
		    text, false, false);
	}
	ck_assert_uint_eq(made_scan(&m), 1ULL << 5 | 1ULL << 29);
	/* All, each alone, and those that are left. */
	ck_assert_uint_eq(compiled, 32);
	ck_assert(fm_scan_run(m.scan, fm_text_of("w0a w28b w5a w29a"),
	    count_hit, &found));
	ck_assert_uint_eq(found.bits, 1U << 0 | 1U << 28);
	made_free(&m);
}

static struct fm_scan *
scan_of(const char *regex)
{
	struct fm_pattern *pattern = fm_pattern_new(FM_PATTERN_REGEX,
	    fm_text_of(regex), false, &(struct fm_place){ .name = "" }, NULL);
	unsigned char matcher = FM_MATCHER_SCAN;
	struct fm_scan *scan = fm_scan_new(&pattern, &matcher, 1, NULL, NULL);

	fm_pattern_free(&pattern);
	return (scan);
}

UNIT_SCANNING(a_scan_that_is_too_large_costs_no_thread_anything)
{
	struct fm_scan *small = scan_of("lit"), *large, *again;
	struct fm_caps caps = { .used = {
	    [FM_CAP_DATABASES] = (size_t)FM_LIMIT_DATABASES_MB << 20 } };

	grown = 0;
	fm_caps_begin(&caps);
	ck_assert_ptr_null(scan_of("[a-f].{300}c"));
	ck_assert(fm_caps_are_over());
	fm_caps_end(true);
	ck_assert_uint_eq(grown, 0);
	large = scan_of("[a-f].{300}c");
	ck_assert_uint_eq(grown, 1);
	ck_assert_uint_gt(fm_scan_scratch_bytes(large),
	    fm_scan_scratch_bytes(small));
	ck_assert_uint_gt(fm_scan_bytes(large), fm_scan_bytes(small));
	/* The bytes that are measured are for this scan alone. */
	again = scan_of("lit");
	ck_assert_uint_eq(fm_scan_scratch_bytes(again),
	    fm_scan_scratch_bytes(small));
	fm_scan_free(&small);
	fm_scan_free(&large);
	fm_scan_free(&again);
}

int
main(void)
{
	return (unit_main("scan", 60));
}
