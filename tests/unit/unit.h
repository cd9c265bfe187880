/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Helpers of all unit tests: tests that add themselves to a suite, a random
 * source that prints its seed, and copies in memory of their exact size.
 */

#ifndef UNIT_H
#define UNIT_H

#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "text.h"

/*
 * AddressSanitizer keeps freed memory (256 MB by default) to detect its use.
 * Each test is a child, which looks for leaks in all of that; 16 MB save a
 * third of the time.  ASAN_OPTIONS in the environment override this.
 */
const char *__asan_default_options(void);

__attribute__((weak, visibility("default"))) const char *
__asan_default_options(void)
{
	return ("quarantine_size_mb=16");
}

/*
 * xorshift64*: a seed gives the same numbers everywhere; without it, all are 0.
 */
static uint64_t unit_state;

static inline uint64_t
unit_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (*state * 0x2545f4914f6cdd1dULL);
}

static inline uint64_t
unit_random(void)
{
	if (unit_state == 0)
		ck_abort_msg("unit_seed() was not called");
	return (unit_next(&unit_state));
}

/* Returns a random number from 0 to n - 1. */
static inline unsigned
unit_below(unsigned n)
{
	return ((unsigned)((unit_random() >> 33) % n));
}

/*
 * Returns true if FM_WHOLE in the environment asks for all rounds; it does
 * unless it is empty or 0.
 */
static inline bool
unit_whole(void)
{
	const char *s = getenv("FM_WHOLE");

	return (s != NULL && *s != '\0' && strcmp(s, "0") != 0);
}

/*
 * FM_SEED; without it a seed that is always the same, or one from the clock if
 * the run is whole.
 */
static uint64_t unit_first;

__attribute__((constructor)) static void
unit_choose(void)
{
	const char *s = getenv("FM_SEED");
	struct timespec instant = { .tv_nsec = 1 };

	if (unit_whole())
		(void)clock_gettime(CLOCK_REALTIME, &instant);
	unit_first = s != NULL ? strtoull(s, NULL, 0) :
	    (uint64_t)(instant.tv_sec + instant.tv_nsec) *
	    0x9e3779b97f4a7c15ULL;
	if (unit_first == 0)
		unit_first = 1;
}

/*
 * Starts the random source, and prints its seed: set FM_SEED to it and the run
 * repeats itself.
 */
static inline void
unit_seed(const char *what)
{
	unit_state = unit_first;
	printf("%s: FM_SEED=0x%llx\n", what, (unsigned long long)unit_state);
	fflush(stdout);
}

/*
 * Replaces the system's function, so that the seeds of hash tables repeat
 * themselves, too.  Each call returns other bytes.
 */
__attribute__((weak, visibility("default"))) int
getentropy(void *buffer, size_t length)
{
	static uint64_t given;
	uint64_t source = unit_first ^
	    __atomic_add_fetch(&given, 1, __ATOMIC_RELAXED) << 32;
	size_t i;

	for (i = 0; i < length; i++)
		((unsigned char *)buffer)[i] =
		    (unsigned char)(unit_next(&source) >> 56);
	return (0);
}

/*
 * Returns how many rounds of a random test to run: all of them if the run is
 * whole, otherwise one of `share`, which takes a second or so.
 */
static inline unsigned
unit_rounds(unsigned whole, unsigned share)
{
	return (unit_whole() ? whole : whole / share);
}

/*
 * Returns how far apart the points are at which a test lets something fail: 1
 * if the run is whole, which is all of them.  The first one is at
 * unit_below(unit_step(share)).
 */
static inline unsigned
unit_step(unsigned share)
{
	return (unit_whole() ? 1 : share);
}

/*
 * Returns a malloc'ed copy of exact size: AddressSanitizer sees a byte too
 * many.
 */
static inline struct fm_text
unit_copy(struct fm_text t)
{
	char *p = malloc(t.len > 0 ? t.len : 1);

	ck_assert_ptr_nonnull(p);
	if (t.len > 0)
		memcpy(p, t.b, t.len);
	return (fm_text(p, t.len));
}

#define UNIT_COUNT(a)	((int)(sizeof(a) / sizeof(a)[0]))

#define unit_assert_text(t, str)					\
	do {								\
		struct fm_text t_ = (t);				\
		const char *s_ = (str);					\
		ck_assert_msg(t_.len == strlen(s_) &&			\
		    memcmp(t_.b, s_, t_.len) == 0,			\
		    "\"%.*s\" is not \"%s\"", (int)t_.len, t_.b, s_);	\
	} while (0)

/*
 * A test, which adds itself to the suite in the order of the file:
 *
 *	UNIT_TEST(test_that_says_what_is_broken)
 *	{
 *		...
 *	}
 *
 * UNIT_LOOP(name, n) runs n times, with _i from 0 to n - 1.  The macros of
 * engine.h leave a test out where no scans work.
 */
#define UNIT_TEST(name)		UNIT_ADD(name, 1, NULL)
#define UNIT_LOOP(name, n)	UNIT_ADD(name, n, NULL)

#define UNIT_ADD(name, n, may_run)					\
	static void name(int);						\
	static const TTest name##_test = { #name, name, __FILE__, __LINE__ }; \
	__attribute__((constructor)) static void			\
	name##_add(void)						\
	{								\
		unit_add(&name##_test, (int)(n), may_run);		\
	}								\
	static void							\
	name(int _i __attribute__((unused)))

#define UNIT_MAX	100

static struct unit_test {
	const TTest	*test;
	int		n;
	bool		(*may_run)(const char *);	/* NULL: always */
} unit_tests[UNIT_MAX];
static unsigned unit_ntests;

static inline void
unit_add(const TTest *test, int n, bool (*may_run)(const char *))
{
	if (unit_ntests == UNIT_MAX)
		abort();
	unit_tests[unit_ntests++] = (struct unit_test){ test, n, may_run };
}

/* Returns a test case of all tests that have added themselves. */
static inline TCase *
unit_case(const char *name, double timeout)
{
	TCase *tc = tcase_create(name);
	const struct unit_test *t;

	tcase_set_timeout(tc, timeout);
	for (t = unit_tests; t < unit_tests + unit_ntests; t++)
		if (t->may_run == NULL || t->may_run(t->test->name))
			tcase_add_loop_test(tc, t->test, 0, t->n);
	return (tc);
}

/* Runs a suite with one test case; returns the exit status for main(). */
static inline int
unit_run(const char *name, TCase *tc)
{
	Suite *s = suite_create(name);
	SRunner *sr;
	int failed;

	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return (failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* Runs all tests that have added themselves, each for `timeout` seconds. */
static inline int
unit_main(const char *name, double timeout)
{
	return (unit_run(name, unit_case(name, timeout)));
}

#endif
