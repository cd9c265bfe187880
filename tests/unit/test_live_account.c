/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The account of a VCL: all that its objects compile has the caps of one load.
 */

#include "toy.h"

#define SMALL	"size 100000\nend\n"
#define HALF	"size 250000\nend\n"
#define LARGE	"size 400000\nend\n"
#define ALONE	"size 500001\nend\n"
#define WATCH	0.02

static char boot[] = "boot", old[] = "old";	/* VCLs */

/* Opens a live in a VCL, with a backup copy or NULL; NULL: it is refused. */
static struct fm_live *
open_starting(const char *path, const void *vcl, double watch,
    const char *copy, bool starting, struct fm_diag *diag)
{
	struct fm_live_options options = toy_options(path, watch);
	struct fm_live *live;

	options.vcl = vcl;
	options.backup = copy;
	options.starting = starting;
	live = fm_live_open(&options, diag);
	return (live);
}

/* Opens a live that must be good, and makes it warm. */
static struct fm_live *
open_in(const char *path, const void *vcl, double watch)
{
	struct fm_live *live;

	live = open_starting(path, vcl, watch, NULL, false, NULL);
	ck_assert_ptr_nonnull(live);
	ck_assert_int_eq(fm_live_warm(live, NULL), 0);
	return (live);
}

static void
assert_refused(const char *path, const void *vcl, size_t sum)
{
	struct fm_diag *diag = fm_diag_new();
	char says[256];

	ck_assert_ptr_null(open_starting(path, vcl, 60, NULL, false, diag));
	ck_assert_uint_eq(fm_diag_errors(diag), 1);
	(void)snprintf(says, sizeof says, "%s:1: error: with this one, %s and "
	    "the other files of this VCL have %zu in size, ", path, path, sum);
	ck_assert_msg(strncmp(fm_diag_line(diag, 0), says, strlen(says)) == 0,
	    "%s", fm_diag_line(diag, 0));
	fm_diag_free(&diag);
}

UNIT_TEST(a_file_that_is_too_much_for_its_vcl_is_refused)
{
	const char *a = toy_path("a"), *b = toy_path("b"), *c = toy_path("c");
	struct fm_live *lives[3];
	int i;

	toy_write(a, HALF);
	toy_write(b, HALF);
	toy_write(c, SMALL);
	lives[0] = open_in(a, boot, 60);
	lives[1] = open_in(b, boot, 60);
	assert_refused(c, boot, 600000);
	/* Another VCL has room, and what is in none has its own. */
	lives[2] = open_in(c, old, 60);
	fm_live_close(&lives[2]);
	lives[2] = open_in(c, NULL, 60);
	for (i = 0; i < 3; i++)
		fm_live_close(&lives[i]);
	toy_nothing_left();
}

UNIT_TEST(a_set_that_two_objects_have_counts_once)
{
	const char *a = toy_path("a"), *b = toy_path("b");
	struct fm_live *lives[4];
	int i;

	toy_write(a, LARGE);
	toy_write(b, SMALL);
	/* With a watch they share a feed, without one only the set. */
	lives[0] = open_in(a, boot, 60);
	lives[1] = open_in(a, boot, 30);
	lives[2] = open_in(a, boot, 0);
	ck_assert_int_eq(TOY_COUNT(toy_made), 1);
	lives[3] = open_in(b, boot, 60);
	/* An object that keeps the older set counts for nothing. */
	toy_replace(a, "other\n" HALF);
	ck_assert_int_eq(fm_live_reload(lives[0]), FM_RELOAD_SWAPPED);
	ck_assert(toy_serves(lives[2], LARGE));
	toy_replace(b, HALF);
	ck_assert_int_eq(fm_live_reload(lives[3]), FM_RELOAD_SWAPPED);
	for (i = 0; i < 4; i++)
		fm_live_close(&lives[i]);
	toy_nothing_left();
}

UNIT_TEST(a_set_of_another_vcl_needs_room_too)
{
	const char *a = toy_path("a"), *b = toy_path("b");
	struct fm_live *lives[2];
	int i;

	toy_write(a, LARGE);
	toy_write(b, HALF);
	lives[0] = open_in(a, boot, 60);
	lives[1] = open_in(b, old, 60);
	assert_refused(a, old, 650000);
	ck_assert_int_eq(fm_live_reload(lives[0]), FM_RELOAD_UNCHANGED);
	for (i = 0; i < 2; i++)
		fm_live_close(&lives[i]);
	toy_nothing_left();
}

UNIT_TEST(a_reload_counts_in_place_of_the_set_that_serves)
{
	const char *a = toy_path("a"), *b = toy_path("b");
	struct fm_live *lives[2];
	int i;

	toy_write(a, LARGE);
	toy_write(b, SMALL);
	lives[0] = open_in(a, boot, 60);
	lives[1] = open_in(b, boot, 60);
	toy_replace(a, "other\n" LARGE);
	ck_assert_int_eq(fm_live_reload(lives[0]), FM_RELOAD_SWAPPED);
	toy_replace(b, HALF);
	ck_assert_int_eq(fm_live_reload(lives[1]), FM_RELOAD_REFUSED);
	ck_assert(toy_serves(lives[1], SMALL));
	ck_assert(toy_heard("E fastmatch: site: reload refused, generation 1 "
	    "still serves, 1 error: "));
	ck_assert(toy_heard("files of this VCL have 650000 in size"));
	for (i = 0; i < 2; i++)
		fm_live_close(&lives[i]);
	toy_nothing_left();
}

/* The file has room in one of two VCLs, and none in the other. */
UNIT_TEST(a_reload_needs_room_in_every_vcl_that_has_the_file)
{
	const char *a = toy_path("a"), *b = toy_path("b");
	struct fm_live *lives[3];

	toy_write(a, SMALL);
	toy_write(b, HALF);
	lives[0] = open_in(a, boot, 60);
	lives[1] = open_in(a, old, 60);
	lives[2] = open_in(b, old, 60);
	toy_replace(a, LARGE);
	ck_assert_int_eq(fm_live_reload(lives[0]), FM_RELOAD_REFUSED);
	ck_assert(toy_serves(lives[0], SMALL) && toy_serves(lives[1], SMALL));
	fm_live_close(&lives[2]);
	ck_assert_int_eq(fm_live_reload(lives[0]), FM_RELOAD_SWAPPED);
	ck_assert(toy_serves(lives[0], LARGE) && toy_serves(lives[1], LARGE));
	fm_live_close(&lives[0]);
	fm_live_close(&lives[1]);
	toy_nothing_left();
}

/* Another file is smaller; or is closed; or the file has no room alone. */
UNIT_LOOP(what_was_refused_is_read_again_when_there_is_room, 3)
{
	const char *a = toy_path("a"), *b = toy_path("b");
	struct fm_live *lives[2];
	int tried;

	ck_assert_int_eq(fm_watcher_hold(NULL), 0);
	toy_write(a, SMALL);
	toy_write(b, LARGE);
	lives[0] = open_in(a, boot, WATCH);
	lives[1] = open_in(b, boot, WATCH);
	toy_replace(a, _i == 2 ? ALONE : LARGE);
	TOY_UNTIL(toy_heard("reload refused"));
	/* It is read once more, as it was young. */
	TOY_UNTIL(TOY_COUNT(toy_tried) >= 4);
	(void)usleep(200000);
	tried = TOY_COUNT(toy_tried);
	ck_assert_int_le(tried, 4);
	ck_assert(toy_serves(lives[0], SMALL));
	if (_i == 0)
		fm_live_close(&lives[1]);
	else
		toy_replace(b, SMALL);
	if (_i == 2) {
		/* It has no room alone: nothing is new for it. */
		TOY_UNTIL(toy_serves(lives[1], SMALL));
		TOY_UNTIL(TOY_COUNT(toy_tried) >= tried + 1);
		(void)usleep(200000);
		ck_assert(toy_serves(lives[0], SMALL));
		ck_assert(!toy_heard("other files of this VCL"));
	} else
		TOY_UNTIL(toy_serves(lives[0], LARGE));
	fm_live_close(&lives[0]);
	if (_i != 0)
		fm_live_close(&lives[1]);
	fm_watcher_drop();
	toy_nothing_stays();
}

/*--------------------------------------------------------------------
 * A process that starts
 */

UNIT_TEST(the_copy_of_a_file_without_room_serves)
{
	const char *a = toy_path("a"), *b = toy_path("b");
	const char *copy = toy_path("copy");
	struct fm_live *lives[2];

	toy_leave_copy(b, SMALL, copy);
	toy_write(a, LARGE);
	toy_replace(b, HALF);
	lives[0] = open_in(a, boot, 60);
	ck_assert_ptr_null(open_starting(b, boot, 60, copy, false, NULL));
	lives[1] = open_starting(b, boot, 60, copy, true, NULL);
	ck_assert_ptr_nonnull(lives[1]);
	ck_assert_int_eq(fm_live_warm(lives[1], NULL), 0);
	ck_assert(toy_serves(lives[1], SMALL) && toy_is_backup(lives[1]));
	ck_assert(toy_heard("Z serves, the file has no room, 1 error: "));
	fm_live_close(&lives[0]);
	ck_assert_int_eq(fm_live_reload(lives[1]), FM_RELOAD_SWAPPED);
	ck_assert(toy_serves(lives[1], HALF) && !toy_is_backup(lives[1]));
	fm_live_close(&lives[1]);
	toy_nothing_left();
}

/*
 * A file that was refused in the process before is the first in this one; an
 * older VCL, where it has room, serves it even.
 */
UNIT_LOOP(a_file_that_comes_first_makes_room, 2)
{
	const char *a = toy_path("a"), *b = toy_path("b");
	const char *copies[] = { toy_path("copy.a"), toy_path("copy.b") };
	struct fm_live *lives[3] = { NULL };
	int tried;

	toy_leave_copy(a, SMALL, copies[0]);
	toy_leave_copy(b, HALF, copies[1]);
	toy_replace(a, LARGE);
	if (_i == 1) {
		lives[2] = open_starting(a, old, WATCH, copies[0], true, NULL);
		ck_assert_int_eq(fm_live_warm(lives[2], NULL), 0);
		ck_assert(toy_serves(lives[2], LARGE));
		/* The copy is what served last; here it was not kept. */
		toy_leave_copy(a, SMALL, copies[0]);
		toy_replace(a, LARGE);
	}
	lives[0] = open_starting(a, boot, WATCH, copies[0], true, NULL);
	lives[1] = open_starting(b, boot, WATCH, copies[1], true, NULL);
	ck_assert_ptr_nonnull(lives[0]);
	ck_assert_ptr_nonnull(lives[1]);
	ck_assert_int_eq(fm_live_warm(lives[0], NULL), 0);
	ck_assert_int_eq(fm_live_warm(lives[1], NULL), 0);
	ck_assert(toy_serves(lives[0], SMALL) && toy_is_backup(lives[0]));
	ck_assert(toy_serves(lives[1], HALF) && !toy_is_backup(lives[1]));
	ck_assert(lives[2] == NULL || toy_serves(lives[2], SMALL));
	ck_assert(toy_heard("Z serves, the file has no room, "));
	/* The watcher reads it once the other one is smaller. */
	ck_assert_int_eq(fm_watcher_hold(NULL), 0);
	(void)usleep(200000);
	tried = TOY_COUNT(toy_tried);
	(void)usleep(200000);
	ck_assert_int_eq(TOY_COUNT(toy_tried), tried);
	toy_replace(b, SMALL);
	TOY_UNTIL(toy_serves(lives[0], LARGE));
	ck_assert(!toy_is_backup(lives[0]));
	fm_watcher_drop();
	fm_live_close(&lives[0]);
	fm_live_close(&lives[1]);
	if (lives[2] != NULL)
		fm_live_close(&lives[2]);
	toy_nothing_stays();
}

int
main(void)
{
	TCase *tc = unit_case("live_account", 60);

	tcase_add_checked_fixture(tc, toy_setup, toy_teardown);
	return (unit_run("live_account", tc));
}
