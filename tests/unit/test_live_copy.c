/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lives, copies, and what can be read but not bound.
 */

#define ALLOC_MALLOC
#include "alloc.h"
#include "toy.h"

#define A	"a\nend\n"
#define B	"b\nend\n"

static char toy_a[] = "a";		/* what must be in it */

/* Opens a live with a backup copy. */
static struct fm_live *
open_with(const char *path, const char *copy, bool starting)
{
	struct fm_live_options options = toy_options(path, 60);
	struct fm_live *live;

	options.backup = copy;
	options.starting = starting;
	options.priv = toy_a;
	live = fm_live_open(&options, NULL);
	ck_assert_ptr_nonnull(live);
	return (live);
}

/* Leaves a copy of A, and replaces the file by B. */
static void
leave_copy_of_a(const char *path, const char *copy)
{
	struct fm_live *live;

	toy_write(path, A);
	live = open_with(path, copy, true);
	ck_assert_int_ne(access(copy, F_OK), 0);
	ck_assert_int_eq(fm_live_warm(live, NULL), 0);
	ck_assert_int_eq(access(copy, F_OK), 0);
	toy_replace(path, B);
	ck_assert_int_eq(fm_live_reload(live), FM_RELOAD_REFUSED);
	ck_assert(toy_serves(live, A));
	fm_live_close(&live);
}

static void
copy_is(const char *copy, const char *path, const char *text)
{
	struct fm_sources *sources = fm_sources_restore(copy, path, NULL);
	struct fm_file *file;

	ck_assert_ptr_nonnull(sources);
	file = fm_sources_read(sources, path, 1000, NULL, NULL);
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(file->len, strlen(text));
	ck_assert_mem_eq(file->bytes, text, strlen(text));
	fm_file_free(&file);
	fm_sources_free(&sources);
}

UNIT_TEST(what_can_not_be_bound_is_not_copied)
{
	const char *path = toy_path("f"), *copy = toy_path("copy");

	leave_copy_of_a(path, copy);
	copy_is(copy, path, A);
	toy_nothing_left();
}

/* bind_and_break() changes this file after it was read. */
static const char *broken;

static int
bind_and_break(void *priv, const struct fm_set *set, void **binding,
    struct fm_diag *diag)
{
	(void)priv;
	(void)set;
	(void)diag;
	*binding = NULL;
	toy_replace(broken, "half of");
	return (0);
}

UNIT_TEST(what_serves_is_copied_though_the_file_has_changed)
{
	const char *path = toy_path("f"), *copy = toy_path("copy");
	struct fm_live_options options = toy_options(path, 60);
	struct fm_live *live;

	toy_write(path, A);
	broken = path;
	options.backup = copy;
	options.bind = bind_and_break;
	live = fm_live_open(&options, NULL);
	ck_assert_ptr_nonnull(live);
	ck_assert_int_eq(fm_live_warm(live, NULL), 0);
	copy_is(copy, path, A);
	fm_live_close(&live);
	toy_nothing_left();
}

UNIT_TEST(the_copy_serves_where_the_file_cannot_be_bound)
{
	const char *path = toy_path("f"), *copy = toy_path("copy");
	struct fm_diag *diag = fm_diag_new();
	struct fm_live_state state;
	struct fm_live *live[2];
	int i;

	leave_copy_of_a(path, copy);
	for (i = 0; i < 2; i++) {
		live[i] = open_with(path, copy, true);
		ck_assert_int_eq(fm_live_warm(live[i], diag), 0);
		ck_assert_uint_eq(fm_diag_errors(diag), 0);
		ck_assert(toy_serves(live[i], A));
		ck_assert(toy_is_backup(live[i]));
	}
	ck_assert(toy_heard("Z serves, the file is not valid, 1 error: "));
	ck_assert_int_eq(fm_live_state(live[0], &state), 0);
	ck_assert_int_eq(state.last, FM_RELOAD_REFUSED);
	ck_assert_uint_eq(state.errors, 1);
	ck_assert_uint_eq(state.facts.reload_fails, 1);
	fm_live_state_fini(&state);

	/* it is the copy that serves, also after the file was read again */
	ck_assert_int_eq(fm_live_reload(live[0]), FM_RELOAD_REFUSED);
	ck_assert(toy_serves(live[0], A));
	ck_assert(toy_is_backup(live[0]));
	toy_replace(path, "a\nand more\nend\n");
	ck_assert_int_eq(fm_live_reload(live[0]), FM_RELOAD_SWAPPED);
	for (i = 0; i < 2; i++) {
		ck_assert(toy_serves(live[i], "a\nand more\nend\n"));
		ck_assert(!toy_is_backup(live[i]));
		fm_live_close(&live[i]);
	}
	fm_diag_free(&diag);
	toy_nothing_left();
}

UNIT_LOOP(once_started_what_cannot_be_bound_fails, 2)
{
	const char *path = toy_path("f"), *copy = toy_path("copy");
	struct fm_diag *diag = fm_diag_new();
	struct fm_live *live;

	leave_copy_of_a(path, copy);
	live = open_with(path, copy, _i == 0);
	if (_i == 0)
		toy_write(copy, "rubbish");
	ck_assert_int_eq(fm_live_warm(live, diag), -1);
	ck_assert_uint_eq(fm_diag_errors(diag), _i == 0 ? 2 : 1);
	ck_assert_ptr_null(fm_live_get(live));
	fm_live_close(&live);
	fm_diag_free(&diag);
	toy_nothing_left();
}

/* Two VCLs whose files no watcher watches have made a set each of the copy. */
UNIT_TEST(a_repaired_file_is_the_set_that_serves)
{
	const char *path = toy_path("f"), *copy = toy_path("copy");
	struct fm_live_options options;
	struct fm_live *lives[2];
	struct fm_live_facts facts;
	int i;

	toy_leave_copy(path, A, copy);
	toy_replace(path, "half of");
	for (i = 0; i < 2; i++) {
		options = toy_options(path, 0);
		options.backup = copy;
		options.starting = true;
		lives[i] = fm_live_open(&options, NULL);
		ck_assert_ptr_nonnull(lives[i]);
		ck_assert_int_eq(fm_live_warm(lives[i], NULL), 0);
	}
	toy_replace(path, A);
	ck_assert_int_eq(fm_live_reload(lives[0]), FM_RELOAD_UNCHANGED);
	ck_assert(toy_heard(": it is valid again, generation 1 serves it\n"));
	for (i = 0; i < 2; i++) {
		fm_live_facts(lives[i], &facts);
		ck_assert_uint_eq(facts.generation, 1);
		ck_assert(facts.backup == (i == 1));
		fm_live_close(&lives[i]);
	}
	toy_nothing_left();
}

UNIT_TEST(without_memory_the_copy_fails_too)
{
	const char *path = toy_path("f"), *copy = toy_path("copy");
	struct fm_live_options options;
	struct fm_live *live;
	bool failed = true;
	long n;

	toy_leave_copy(path, A, copy);
	toy_replace(path, "half of");
	for (n = 0; failed; n++) {
		options = toy_options(path, 60);
		options.backup = copy;
		options.starting = true;
		alloc_left = n;
		live = fm_live_open(&options, NULL);
		failed = alloc_left == 0;
		alloc_left = -1;
		ck_assert(live != NULL || failed);
		if (live != NULL) {
			ck_assert_int_eq(fm_live_warm(live, NULL), 0);
			ck_assert(toy_serves(live, A));
			fm_live_close(&live);
		}
		toy_nothing_left();
	}
	ck_assert_int_gt(n, 20);
}

int
main(void)
{
	TCase *tc = unit_case("live_copy", 60);

	tcase_add_checked_fixture(tc, toy_setup, toy_teardown);
	return (unit_run("live_copy", tc));
}
