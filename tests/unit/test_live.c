/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lives without a watcher: who shares what, what fails and leaves nothing,
 * backups, reload.
 */

#include "toy.h"

#define A	"a\nend\n"
#define B	"b\nend\n"
#define BAD	"half of"

UNIT_TEST(followers_share_one_feed_and_one_set)
{
	const char *path = toy_path("f");
	struct fm_live *live[10];
	struct fm_live_state state;
	int i;

	toy_write(path, A);
	for (i = 0; i < 10; i++)
		live[i] = toy_open(path, i == 0 ? 60 : 30);
	ck_assert_int_eq(TOY_COUNT(toy_made), 1);
	ck_assert_int_eq(TOY_COUNT(toy_recipes), 1);
	ck_assert_int_eq(fm_live_state(live[3], &state), 0);
	ck_assert_uint_eq(state.followers, 10);
	ck_assert_ptr_nonnull(state.version);
	fm_live_state_fini(&state);

	/* the recipe's owner goes first */
	toy_replace(path, B);
	fm_live_close(&live[0]);
	ck_assert_int_eq(fm_live_reload(live[9]), FM_RELOAD_SWAPPED);
	for (i = 1; i < 10; i++) {
		ck_assert(toy_serves(live[i], B));
		ck_assert_uint_eq(toy_generation(live[i]), 2);
	}
	ck_assert_int_eq(TOY_COUNT(toy_made), 2);
	ck_assert_int_eq(TOY_COUNT(toy_alive), 1);
	for (i = 1; i < 10; i++)
		fm_live_close(&live[i]);
	toy_nothing_left();
}

UNIT_TEST(without_a_watch_each_has_its_own_generation)
{
	const char *path = toy_path("f");
	struct fm_live *old, *new;

	toy_write(path, A);
	old = toy_open(path, 0);
	new = toy_open(path, 0);
	ck_assert_int_eq(TOY_COUNT(toy_made), 1);	/* the set is one */
	toy_replace(path, B);
	ck_assert_int_eq(fm_live_reload(new), FM_RELOAD_SWAPPED);
	ck_assert_uint_eq(toy_generation(new), 2);
	ck_assert(toy_serves(new, B));
	ck_assert(toy_serves(old, A));
	ck_assert_uint_eq(toy_generation(old), 1);
	ck_assert_int_eq(fm_live_reload(old), FM_RELOAD_SWAPPED);
	ck_assert_int_eq(TOY_COUNT(toy_made), 2);
	ck_assert_int_eq(fm_live_reload(old), FM_RELOAD_UNCHANGED);
	ck_assert_uint_eq(toy_generation(old), 2);
	fm_live_close(&old);
	ck_assert_int_eq(TOY_COUNT(toy_alive), 1);
	fm_live_close(&new);
	toy_nothing_left();
}

/* Three VCLs of one file: the last text is that of the first. */
UNIT_TEST(what_comes_back_is_in_memory_once)
{
	static const char *texts[] = { A, B, A };
	const char *path = toy_path("f");
	struct fm_live *live[3];
	int i;

	for (i = 0; i < 3; i++) {
		toy_write(path, texts[i]);
		live[i] = toy_open(path, 0);
		ck_assert(toy_serves(live[i], texts[i]));
	}
	ck_assert_int_eq(TOY_COUNT(toy_made), 2);
	for (i = 0; i < 3; i++)
		fm_live_close(&live[i]);
	toy_nothing_left();
}

/* The next `moves` texts are replaced while they are read. */
static int moves;

static void *
make_moving(const void *priv, const struct fm_set *before,
    struct fm_sources *sources, struct fm_set_facts *facts,
    struct fm_diag *diag)
{
	const struct toy_recipe *recipe = priv;
	void *made = toy_make(priv, before, sources, facts, diag);

	if (moves > 0)
		toy_replace(recipe->path, --moves == 0 ? B : BAD);
	return (made);
}

UNIT_TEST(what_changes_while_it_is_read_is_read_again)
{
	struct fm_set_type type = toy_type;
	struct fm_live_options options;
	const char *path = toy_path("f");
	struct fm_live *live;

	type.make = make_moving;
	toy_write(path, BAD);
	moves = 2;
	options = toy_options(path, 60);
	options.type = &type;
	live = fm_live_open(&options, NULL);
	ck_assert_ptr_nonnull(live);
	ck_assert_int_eq(fm_live_warm(live, NULL), 0);
	ck_assert(toy_serves(live, B));
	moves = 1;
	toy_replace(path, A);
	ck_assert_int_eq(fm_live_reload(live), FM_RELOAD_UNCHANGED);
	ck_assert_int_eq(TOY_COUNT(toy_alive), 1);
	fm_live_cold(live);
	moves = 2;
	toy_replace(path, BAD);
	ck_assert_int_eq(fm_live_warm(live, NULL), 0);
	ck_assert_int_eq(TOY_COUNT(toy_errors), 0);
	/* not for ever */
	moves = 100;
	toy_replace(path, BAD);
	ck_assert_int_eq(fm_live_reload(live), FM_RELOAD_REFUSED);
	ck_assert_int_eq(moves, 97);
	fm_live_close(&live);
	toy_nothing_left();
}

UNIT_TEST(without_a_key_nothing_is_shared)
{
	const char *path = toy_path("f");
	struct fm_live_options options;
	struct fm_live *live[2];
	int i;

	toy_write(path, A);
	for (i = 0; i < 2; i++) {
		options = toy_options(path, 60);
		options.key = NULL;
		live[i] = fm_live_open(&options, NULL);
		ck_assert_ptr_nonnull(live[i]);
		ck_assert_int_eq(fm_live_warm(live[i], NULL), 0);
	}
	ck_assert_int_eq(TOY_COUNT(toy_made), 2);
	fm_live_close(&live[0]);
	ck_assert(toy_serves(live[1], A));
	fm_live_close(&live[1]);
	toy_nothing_left();
}

UNIT_TEST(who_joins_brings_what_is_new_to_all)
{
	const char *path = toy_path("f");
	struct fm_live *one, *two;

	toy_write(path, A);
	one = toy_open(path, 60);
	toy_replace(path, B);
	two = toy_open(path, 60);
	ck_assert(toy_serves(one, B));
	ck_assert(toy_serves(two, B));
	ck_assert_uint_eq(toy_generation(one), 2);
	ck_assert_uint_eq(toy_generation(two), 2);
	ck_assert(toy_heard(
	    "generation 2: 2 hosts, 1 rule\n"));
	fm_live_close(&one);
	fm_live_close(&two);
	toy_nothing_left();
}

UNIT_TEST(a_broken_file_fails_who_joins_and_no_other)
{
	const char *path = toy_path("f"), *copy = toy_path("copy");
	struct fm_live_options options;
	struct fm_diag *diag = fm_diag_new();
	struct fm_live *one, *two;
	struct fm_live_facts facts;

	toy_write(path, A);
	options = toy_options(path, 60);
	options.backup = copy;
	one = fm_live_open(&options, diag);
	ck_assert_ptr_nonnull(one);
	ck_assert_int_eq(fm_live_warm(one, diag), 0);
	ck_assert_int_eq(access(copy, R_OK), 0);
	toy_replace(path, BAD);

	/* it was loaded in this process: the copy is not for a later load */
	options = toy_options(path, 60);
	options.backup = copy;
	two = fm_live_open(&options, diag);
	ck_assert_ptr_null(two);
	ck_assert_uint_eq(fm_diag_errors(diag), 2);
	ck_assert_ptr_nonnull(strstr(fm_diag_line(diag, 0), "doesn't end"));
	ck_assert(toy_serves(one, A));
	fm_live_facts(one, &facts);
	ck_assert_uint_eq(facts.reload_fails, 0);
	ck_assert_uint_eq(facts.generation, 1);
	ck_assert(!toy_heard("fastmatch"));
	fm_live_close(&one);
	toy_nothing_left();
	fm_diag_free(&diag);
}

UNIT_TEST(what_cannot_be_bound_does_not_serve)
{
	const char *path = toy_path("f");
	struct fm_live_options options;
	struct fm_live *wants_a, *any, *failed;
	struct fm_diag *diag = fm_diag_new();
	struct fm_live_state state;
	static char a[] = "a";

	toy_write(path, B);
	options = toy_options(path, 60);
	options.priv = a;
	failed = fm_live_open(&options, diag);
	ck_assert_ptr_nonnull(failed);
	ck_assert_int_eq(fm_live_warm(failed, diag), -1);
	ck_assert_uint_eq(fm_diag_errors(diag), 1);
	ck_assert_ptr_null(fm_live_get(failed));
	fm_live_close(&failed);

	toy_replace(path, A);
	options = toy_options(path, 60);
	options.priv = a;
	wants_a = fm_live_open(&options, diag);
	ck_assert_int_eq(fm_live_warm(wants_a, diag), 0);
	any = toy_open(path, 60);
	toy_replace(path, B);
	ck_assert_int_eq(fm_live_reload(wants_a), FM_RELOAD_REFUSED);
	ck_assert(toy_serves(wants_a, A));
	ck_assert(toy_serves(any, B));
	ck_assert_int_eq(TOY_COUNT(toy_errors), 1);
	ck_assert(toy_heard("generation 2 can't serve here, "
	    "generation 1 still serves, 1 error: error: there is no 'a' in "
	    "it\n"));
	ck_assert_int_eq(fm_live_reload(wants_a), FM_RELOAD_REFUSED);
	ck_assert_int_eq(TOY_COUNT(toy_errors), 1);
	ck_assert_int_eq(fm_live_state(wants_a, &state), 0);
	ck_assert_int_eq(state.last, FM_RELOAD_REFUSED);
	ck_assert_uint_eq(state.errors, 1);
	ck_assert_uint_eq(state.facts.generation, 1);
	ck_assert_uint_eq(state.facts.reload_fails, 1);
	fm_live_state_fini(&state);
	ck_assert_int_eq(fm_live_state(any, &state), 0);
	ck_assert_ptr_null(state.diag);
	fm_live_state_fini(&state);

	toy_replace(path, "b\na\nend\n");
	ck_assert_int_eq(fm_live_reload(any), FM_RELOAD_SWAPPED);
	ck_assert(toy_serves(wants_a, "b\na\nend\n"));
	ck_assert_uint_eq(toy_generation(wants_a), 3);
	fm_live_close(&wants_a);
	fm_live_close(&any);
	toy_nothing_left();
	fm_diag_free(&diag);
}

/* With a copy, while the process is starting, and warm. */
static struct fm_live *
open_with(const char *path, double watch, const char *copy)
{
	struct fm_live_options options = toy_options(path, watch);
	struct fm_live *live;

	options.backup = copy;
	options.starting = true;
	live = fm_live_open(&options, NULL);
	ck_assert_ptr_nonnull(live);
	ck_assert_int_eq(fm_live_warm(live, NULL), 0);
	return (live);
}

UNIT_LOOP(the_copy_serves_a_process_that_finds_a_broken_file, 2)
{
	const char *path = toy_path("f"), *copy = toy_path("copy");
	double watch = _i == 0 ? 60 : 0;
	int i, n = _i == 0 ? 3 : 1;
	struct fm_diag *diag = fm_diag_new();
	struct fm_live_options options;
	struct fm_live_facts facts;
	struct fm_live_state state;
	struct fm_live *live[3];

	toy_leave_copy(path, A, copy);
	toy_replace(path, BAD);
	for (i = 0; i < n; i++) {
		live[i] = open_with(path, watch, copy);
		ck_assert(toy_serves(live[i], A));
		fm_live_facts(live[i], &facts);
		ck_assert(facts.backup);
		ck_assert_uint_eq(facts.reload_fails, 1);
	}
	ck_assert_int_eq(TOY_COUNT(toy_made), 1);
	ck_assert(toy_heard("E fastmatch: site: the copy "));
	ck_assert(toy_heard("Z serves, the file is not valid, 2 errors: "));
	ck_assert(toy_heard(":1: error: it doesn't end\n"));
	ck_assert_int_eq(TOY_COUNT(toy_errors), 1);
	ck_assert_int_eq(fm_live_state(live[0], &state), 0);
	ck_assert_str_eq(state.backup, copy);
	ck_assert_int_eq(state.last, FM_RELOAD_REFUSED);
	ck_assert_uint_eq(state.errors, 2);
	ck_assert_uint_eq(state.facts.generation, 1);
	fm_live_state_fini(&state);
	ck_assert_int_eq(fm_live_reload(live[0]), FM_RELOAD_REFUSED);
	ck_assert_int_eq(TOY_COUNT(toy_errors), 1);

	/* once the process has started, a broken file is an error */
	options = toy_options(path, watch);
	options.backup = copy;
	ck_assert_ptr_null(fm_live_open(&options, diag));
	ck_assert_uint_eq(fm_diag_errors(diag), 2);
	fm_diag_free(&diag);

	/* the file is repaired to the text of the copy: nothing to swap */
	toy_replace(path, A);
	ck_assert_int_eq(fm_live_reload(live[0]), FM_RELOAD_UNCHANGED);
	ck_assert_int_eq(fm_live_state(live[0], &state), 0);
	ck_assert(!state.facts.backup);
	ck_assert_ptr_null(state.diag);
	ck_assert_uint_eq(state.facts.generation, 1);
	fm_live_state_fini(&state);
	ck_assert_int_eq(TOY_COUNT(toy_made), 1);
	ck_assert(toy_heard("it is valid again, generation 1 serves it\n"));

	/* a new text gets into the copy */
	toy_replace(path, B);
	ck_assert_int_eq(fm_live_reload(live[0]), FM_RELOAD_SWAPPED);
	for (i = 0; i < n; i++)
		fm_live_close(&live[i]);
	toy_nothing_left();
}

UNIT_TEST(a_copy_that_is_damaged_is_no_help)
{
	const char *path = toy_path("f"), *copy = toy_path("copy");
	struct fm_live_options options;
	struct fm_diag *diag = fm_diag_new();

	toy_write(path, BAD);
	options = toy_options(path, 60);
	options.backup = copy;
	ck_assert_ptr_null(fm_live_open(&options, diag));
	ck_assert_uint_eq(fm_diag_errors(diag), 2);	/* there is no copy */
	fm_diag_free(&diag);
	diag = fm_diag_new();
	toy_write(copy, "rubbish");
	options = toy_options(path, 60);
	options.backup = copy;
	options.starting = true;
	ck_assert_ptr_null(fm_live_open(&options, diag));
	ck_assert_uint_eq(fm_diag_errors(diag), 3);
	ck_assert_ptr_nonnull(strstr(fm_diag_line(diag, 2),
	    "can't serve instead"));
	fm_diag_free(&diag);
	toy_nothing_left();
}

UNIT_TEST(each_file_has_a_copy_of_its_own)
{
	const char *f = toy_path("f"), *g = toy_path("g");
	const char *copy = toy_path("copy");
	struct fm_live_options options;
	struct fm_diag *diag = fm_diag_new();
	struct fm_live *live;

	toy_write(f, A);
	toy_write(g, A);
	live = open_with(f, 0, copy);
	options = toy_options(g, 0);
	options.backup = copy;
	ck_assert_ptr_null(fm_live_open(&options, diag));
	ck_assert_ptr_nonnull(strstr(fm_diag_line(diag, 0), f));
	ck_assert_ptr_nonnull(strstr(fm_diag_line(diag, 0), g));
	fm_live_close(&live);
	live = open_with(g, 0, copy);
	fm_live_close(&live);
	toy_nothing_left();
	fm_diag_free(&diag);
}

UNIT_TEST(a_copy_that_cannot_be_written_is_told_once)
{
	const char *path = toy_path("f");
	const char *copy = toy_path("nowhere/copy");
	struct fm_live *live;

	toy_write(path, A);
	live = open_with(path, 0, copy);
	ck_assert_int_eq(TOY_COUNT(toy_errors), 1);
	ck_assert(toy_heard("can't keep a copy in "));
	ck_assert_int_eq(fm_live_reload(live), FM_RELOAD_UNCHANGED);
	ck_assert_int_eq(TOY_COUNT(toy_errors), 1);
	ck_assert_int_eq(mkdir(toy_path("nowhere"), 0755), 0);
	ck_assert_int_eq(fm_live_reload(live), FM_RELOAD_UNCHANGED);
	ck_assert_int_eq(access(copy, R_OK), 0);
	ck_assert_int_eq(unlink(copy), 0);
	fm_live_close(&live);
	toy_nothing_left();
}

UNIT_TEST(a_pin_keeps_its_version)
{
	const char *path = toy_path("f");
	const struct fm_version *version, *b;
	struct fm_live *live;

	toy_write(path, A);
	live = toy_open(path, 0);
	version = fm_live_pin(live);
	ck_assert_ptr_eq(fm_live_pin(live), version);
	toy_replace(path, B);
	ck_assert_int_eq(fm_live_reload(live), FM_RELOAD_SWAPPED);
	b = fm_live_pin(live);
	ck_assert_ptr_ne(version, b);
	ck_assert_int_eq(TOY_COUNT(toy_alive), 2);
	ck_assert_str_eq(((const struct toy *)version->payload)->text, A);
	fm_version_unpin(version);
	ck_assert_int_eq(fm_live_reload(live), FM_RELOAD_UNCHANGED);
	ck_assert_int_eq(TOY_COUNT(toy_alive), 2);
	fm_version_unpin(version);
	ck_assert_int_eq(TOY_COUNT(toy_alive), 2);	/* not looked at yet */
	ck_assert_int_eq(fm_live_reload(live), FM_RELOAD_UNCHANGED);
	ck_assert_int_eq(TOY_COUNT(toy_alive), 1);
	ck_assert_str_eq(((const struct toy *)b->payload)->text, B);
	fm_version_unpin(b);
	fm_live_close(&live);
	toy_nothing_left();
}

UNIT_TEST(cold_to_warm_looks_first)
{
	const char *path = toy_path("f");
	struct fm_live *live, *other;

	toy_write(path, A);
	live = toy_open(path, 60);
	other = toy_open(path, 0);
	fm_live_cold(live);
	fm_live_cold(other);
	toy_replace(path, BAD);
	ck_assert_int_eq(fm_live_warm(live, NULL), 0);
	ck_assert(toy_serves(live, A));
	ck_assert_int_eq(TOY_COUNT(toy_errors), 1);
	fm_live_cold(live);
	ck_assert_int_eq(fm_live_warm(live, NULL), 0);
	ck_assert_int_eq(TOY_COUNT(toy_errors), 1);
	fm_live_cold(live);
	toy_replace(path, B);
	ck_assert_int_eq(fm_live_warm(live, NULL), 0);
	ck_assert(toy_serves(live, B));
	ck_assert_int_eq(fm_live_warm(other, NULL), 0);
	ck_assert(toy_serves(other, A));	/* it never looks */
	fm_live_close(&live);
	fm_live_close(&other);
	toy_nothing_left();
}

UNIT_TEST(no_memory_refuses_and_says_so)
{
	const char *path = toy_path("f");
	struct fm_diag *diag = fm_diag_new();
	struct fm_live_options options;
	struct fm_live *live;

	toy_write(path, A);
	__atomic_store_n(&toy_no_memory, 1, __ATOMIC_SEQ_CST);
	options = toy_options(path, 0);
	ck_assert_ptr_null(fm_live_open(&options, diag));
	ck_assert_ptr_nonnull(strstr(fm_diag_line(diag, 0), "out of memory"));
	live = toy_open(path, 0);
	toy_replace(path, B);
	__atomic_store_n(&toy_no_memory, 1, __ATOMIC_SEQ_CST);
	ck_assert_int_eq(fm_live_reload(live), FM_RELOAD_REFUSED);
	ck_assert_int_eq(fm_live_reload(live), FM_RELOAD_SWAPPED);
	fm_live_close(&live);
	toy_nothing_left();
	fm_diag_free(&diag);
}

int
main(void)
{
	TCase *tc = unit_case("live", 60);

	tcase_add_checked_fixture(tc, toy_setup, toy_teardown);
	return (unit_run("live", tc));
}
