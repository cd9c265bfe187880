/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lives where there is no memory: each allocation fails once, then all from
 * it on.  Nothing is left behind, and what serves goes on.
 */

#include "toy.h"

#define A	"a\nwarn\nend\n"
#define B	"b\nend\n"

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

/* From open to close; true: something failed on the way. */
static bool
life(const char *path, const char *copy, long n)
{
	struct fm_live_options options;
	struct fm_live_state state;
	struct fm_live *live;
	enum fm_reload r;
	bool failed;

	toy_replace(path, A);
	options = options_with(path, copy);
	memory_after(n);
	live = fm_live_open(&options, NULL);
	failed = memory_failed > 0;
	if (live == NULL) {
		memory_left = -1;
		ck_assert(failed);
		toy_nothing_left();
		return (true);
	}
	if (fm_live_warm(live, NULL) != 0) {
		memory_left = -1;
		ck_assert_uint_gt(memory_failed, 0);
		ck_assert_int_eq(fm_live_warm(live, NULL), 0);
	}
	failed |= memory_failed > 0;
	memory_left = -1;
	ck_assert(toy_serves(live, A));

	toy_replace(path, B);
	memory_after(n);
	r = fm_live_reload(live);
	if (fm_live_state(live, &state) == 0)
		fm_live_state_fini(&state);
	failed |= memory_failed > 0;
	memory_left = -1;
	if (r == FM_RELOAD_REFUSED) {
		ck_assert(failed);
		ck_assert(toy_serves(live, A));
		ck_assert_int_eq(fm_live_state(live, &state), 0);
		ck_assert_int_eq(state.last, FM_RELOAD_REFUSED);
		fm_live_state_fini(&state);
		/* UNCHANGED: the set was made, only the live lacked memory. */
		ck_assert_int_ne(fm_live_reload(live), FM_RELOAD_REFUSED);
	}
	ck_assert(toy_serves(live, B));
	/* so that the copy has it, for the next */
	toy_replace(path, A);
	ck_assert_int_eq(fm_live_reload(live), FM_RELOAD_SWAPPED);
	fm_live_close(&live);
	toy_nothing_left();
	return (failed);
}

/* The same by way of the copy. */
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

UNIT_LOOP(without_memory_nothing_is_left_behind, 2)
{
	const char *path = toy_path("f"), *copy = toy_path("copy");
	long n;

	memory_once = _i == 0;
	for (n = 0; life(path, copy, n); n++)
		ck_assert_int_lt(n, 5000);
	ck_assert_int_gt(n, 15);
}

UNIT_LOOP(without_memory_the_copy_fails_too, 2)
{
	const char *path = toy_path("f"), *copy = toy_path("copy");
	struct fm_sources *sources = fm_sources_new(true);
	struct fm_file *file;
	long n;

	toy_write(path, A);
	file = fm_sources_read(sources, path, 1000, NULL, NULL);
	fm_file_free(&file);
	ck_assert_int_eq(fm_sources_save(sources, copy, NULL), 0);
	fm_sources_free(&sources);
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
