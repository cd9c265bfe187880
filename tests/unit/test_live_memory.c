/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lives of a copy where there is no memory: each allocation fails once, then
 * all from it on.  Nothing is left behind.  (tests/fail does so with files.)
 */

#include "toy.h"

#define A	"a\nwarn\nend\n"

void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void *__real_aligned_alloc(size_t, size_t);
char *__real_strdup(const char *);
void *__wrap_malloc(size_t);
void *__wrap_calloc(size_t, size_t);
void *__wrap_realloc(void *, size_t);
void *__wrap_aligned_alloc(size_t, size_t);
char *__wrap_strdup(const char *);

/* How many more succeed (-1: all), and whether only one fails then. */
static long memory_left = -1;
static bool memory_once;
static unsigned memory_failed;

static bool
memory_fails(void)
{
	if (memory_left < 0)
		return (false);
	if (memory_left > 0) {
		memory_left--;
		return (false);
	}
	memory_failed++;
	if (memory_once)
		memory_left = -1;
	return (true);
}

void *
__wrap_malloc(size_t n)
{
	return (memory_fails() ? NULL : __real_malloc(n));
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return (memory_fails() ? NULL : __real_calloc(n, size));
}

void *
__wrap_realloc(void *p, size_t n)
{
	return (memory_fails() ? NULL : __real_realloc(p, n));
}

void *
__wrap_aligned_alloc(size_t align, size_t n)
{
	return (memory_fails() ? NULL : __real_aligned_alloc(align, n));
}

char *
__wrap_strdup(const char *s)
{
	return (memory_fails() ? NULL : __real_strdup(s));
}

static void
memory_after(long n)
{
	memory_failed = 0;
	memory_left = n;
}

static struct fm_live_options
options_with(const char *path, const char *copy)
{
	struct fm_live_options options = toy_options(path, 60);

	options.backup = copy;
	options.starting = true;
	return (options);
}

/* From open to close, by way of the copy; true: something failed. */
static bool
life_of_copy(const char *path, const char *copy, long n)
{
	struct fm_live_options options;
	struct fm_live *live;
	bool failed;

	options = options_with(path, copy);
	memory_after(n);
	live = fm_live_open(&options, NULL);
	failed = memory_failed > 0;
	memory_left = -1;
	if (live == NULL) {
		ck_assert(failed);
	} else {
		ck_assert_int_eq(fm_live_warm(live, NULL), 0);
		ck_assert(toy_serves(live, A));
		fm_live_close(&live);
	}
	toy_nothing_left();
	return (failed);
}

UNIT_LOOP(without_memory_the_copy_fails_too, 2)
{
	const char *path = toy_path("f"), *copy = toy_path("copy");
	long n;

	toy_leave_copy(path, A, copy);
	toy_replace(path, "half of");
	memory_once = _i == 0;
	for (n = 0; life_of_copy(path, copy, n); n++)
		ck_assert_int_lt(n, 5000);
	ck_assert_int_gt(n, 20);
}

int
main(void)
{
	TCase *tc = unit_case("live_memory", 120);

	tcase_add_checked_fixture(tc, toy_setup, toy_teardown);
	return (unit_run("live_memory", tc));
}
