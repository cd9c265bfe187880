/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The watcher makes a set, and it takes long: until the test opens a gate.  Who
 * waits for it waits for ever.
 */

#include "toy.h"

#define WATCH	0.01
#define A	"a end\n"
#define B	"b end\n"

static pthread_mutex_t gate_mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_cond = PTHREAD_COND_INITIALIZER;
static bool gate_shut;
static int at_gate;

static void
gate_set(bool *which, bool shut)
{
	(void)pthread_mutex_lock(&gate_mtx);
	*which = shut;
	(void)pthread_cond_broadcast(&gate_cond);
	(void)pthread_mutex_unlock(&gate_mtx);
}

static void
gate(bool shut)
{
	gate_set(&gate_shut, shut);
}

/* Counts whoever gets to a gate that is shut, and waits until it opens. */
static void
pass_gate(const bool *shut)
{
	(void)pthread_mutex_lock(&gate_mtx);
	(void)__atomic_fetch_add(&at_gate, *shut, __ATOMIC_SEQ_CST);
	while (*shut)
		(void)pthread_cond_wait(&gate_cond, &gate_mtx);
	(void)pthread_mutex_unlock(&gate_mtx);
}

int __real_stat(const char *, struct stat *);
int __wrap_stat(const char *, struct stat *);

/* The watcher looks, for as long as the gate is shut.  Linked with --wrap. */
static bool look_shut;
static pthread_t tester;

int
__wrap_stat(const char *path, struct stat *st)
{
	int r = __real_stat(path, st);

	if (!pthread_equal(pthread_self(), tester))
		pass_gate(&look_shut);
	return (r);
}

static void *
make(const void *recipe, const struct fm_set *before,
    struct fm_sources *sources, struct fm_set_facts *facts,
    struct fm_diag *diag)
{
	void *made = toy_make(recipe, before, sources, facts, diag);

	pass_gate(&gate_shut);
	return (made);
}

static const struct fm_set_type slow_type = {
	.make = make,
	.free = toy_free,
	.free_recipe = toy_free_recipe
};

static void
second(void)
{
}

static void
setup(void)
{
	toy_setup();
	tester = pthread_self();
	ck_assert_int_eq(fm_watcher_hold(second), 0);
}

static void
teardown(void)
{
	fm_watcher_drop();
	toy_teardown();
}

static struct fm_live *
open_cold(const char *path)
{
	struct fm_live_options options = toy_options(path, WATCH);
	struct fm_live *live;

	options.type = &slow_type;
	live = fm_live_open(&options, NULL);
	ck_assert_ptr_nonnull(live);
	return (live);
}

static struct fm_live *
open_warm(const char *path)
{
	struct fm_live *live = open_cold(path);

	ck_assert_int_eq(fm_live_warm(live, NULL), 0);
	return (live);
}

/* The file has this text, of which the watcher is making a set. */
static void
begin(const char *path, const char *text)
{
	gate(true);
	toy_replace(path, text);
	TOY_UNTIL(TOY_COUNT(at_gate) == 1);
}

UNIT_TEST(who_gets_warm_serves_what_is_there_and_follows)
{
	const char *path = toy_path("f");
	struct fm_live *live, *new;

	toy_write(path, A);
	live = open_warm(path);
	new = open_cold(path);
	begin(path, B);
	fm_live_cold(live);
	ck_assert_int_eq(fm_live_warm(live, NULL), 0);
	ck_assert_int_eq(fm_live_warm(new, NULL), 0);
	ck_assert(toy_serves(live, A));
	ck_assert(toy_serves(new, A));
	gate(false);
	TOY_UNTIL(toy_serves(live, B));
	TOY_UNTIL(toy_serves(new, B));
	toy_replace(path, A);
	TOY_UNTIL(toy_serves(new, A));
	fm_live_close(&live);
	fm_live_close(&new);
	toy_nothing_left();
}

UNIT_TEST(who_is_closed_leaves_the_rest_to_the_watcher)
{
	const char *path = toy_path("f");
	struct fm_live *live, *other;

	toy_write(path, A);
	live = open_warm(path);
	other = open_warm(path);
	begin(path, B);
	fm_live_close(&live);
	ck_assert(toy_serves(other, A));
	fm_live_close(&other);
	ck_assert_int_eq(TOY_COUNT(toy_recipes), 1);
	gate(false);
	toy_nothing_stays();
}

/* A closed object whose load is left to the watcher has no copy any more. */
UNIT_TEST(who_is_closed_leaves_the_copy_to_others)
{
	const char *path = toy_path("f"), *other = toy_path("g");
	struct fm_live_options options = toy_options(path, WATCH);
	const char *copy = toy_path("copy");
	struct fm_live *live;

	toy_write(path, A);
	toy_write(other, A);
	options.type = &slow_type;
	options.backup = copy;
	live = fm_live_open(&options, NULL);
	ck_assert_ptr_nonnull(live);
	ck_assert_int_eq(fm_live_warm(live, NULL), 0);
	begin(path, B);
	fm_live_close(&live);
	options = toy_options(other, WATCH);
	options.backup = copy;
	live = fm_live_open(&options, NULL);
	gate(false);
	ck_assert_ptr_nonnull(live);
	fm_live_close(&live);
	toy_nothing_stays();
}

UNIT_TEST(who_comes_back_joins_what_is_being_made)
{
	const char *path = toy_path("f");
	struct fm_live *live;
	int i;

	for (i = 0; i < 20; i++) {
		toy_write(path, A);
		live = open_warm(path);
		at_gate = 0;
		begin(path, B);
		fm_live_close(&live);
		gate(false);
		live = open_warm(path);
		ck_assert(toy_serves(live, B));
		fm_live_close(&live);
	}
	toy_nothing_stays();
}

static void *
open_gate(void *priv)
{
	(void)usleep(100000);
	gate_set(priv, false);
	return (NULL);
}

/* A version that can't be bound fails, unless the one being made can be. */
UNIT_TEST(what_cannot_be_bound_waits_for_what_comes)
{
	const char *path = toy_path("f");
	struct fm_live_options options = toy_options(path, WATCH);
	struct fm_live *live, *other;
	char word[] = "b ";
	pthread_t thread;

	toy_write(path, A);
	other = open_warm(path);
	options.type = &slow_type;
	options.priv = word;
	live = fm_live_open(&options, NULL);
	ck_assert_ptr_nonnull(live);
	begin(path, B);
	ck_assert_int_eq(pthread_create(&thread, NULL, open_gate,
	    &gate_shut), 0);
	ck_assert_int_eq(fm_live_warm(live, NULL), 0);
	ck_assert(toy_serves(live, B));
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	fm_live_close(&live);
	fm_live_close(&other);
	toy_nothing_left();
}

/* Who gets warm waits for a look, and then looks. */
UNIT_TEST(who_gets_warm_while_the_watcher_looks_sees_what_is_new)
{
	const char *path = toy_path("f");
	struct fm_live *live, *new;
	pthread_t thread;

	toy_write(path, A);
	live = open_warm(path);
	new = open_cold(path);
	(void)usleep(200000);		/* it has been read once more */
	gate_set(&look_shut, true);
	TOY_UNTIL(TOY_COUNT(at_gate) == 1);
	toy_replace(path, B);
	ck_assert_int_eq(pthread_create(&thread, NULL, open_gate,
	    &look_shut), 0);
	ck_assert_int_eq(fm_live_warm(new, NULL), 0);
	ck_assert(toy_serves(new, B));
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	fm_live_close(&live);
	fm_live_close(&new);
	toy_nothing_stays();
}

static int
bind_and_warn(void *priv, const struct fm_set *set, void **binding,
    struct fm_diag *diag)
{
	(void)priv;
	(void)set;
	*binding = NULL;
	fm_diag_warning(diag, NULL, "nothing names it");
	return (0);
}

UNIT_TEST(who_serves_what_is_there_is_warned)
{
	const char *path = toy_path("f");
	struct fm_live_options options = toy_options(path, WATCH);
	struct fm_diag *diag = fm_diag_new();
	struct fm_live *live, *new;

	toy_write(path, A);
	live = open_warm(path);
	options.type = &slow_type;
	options.bind = bind_and_warn;
	new = fm_live_open(&options, diag);
	begin(path, B);
	ck_assert_int_eq(fm_live_warm(new, diag), 0);
	gate(false);
	ck_assert_uint_eq(fm_diag_warnings(diag), 1);
	fm_live_close(&live);
	fm_live_close(&new);
	fm_diag_free(&diag);
	toy_nothing_stays();
}

int
main(void)
{
	TCase *tc = unit_case("live_busy", 60);

	tcase_add_checked_fixture(tc, setup, teardown);
	return (unit_run("live_busy", tc));
}
