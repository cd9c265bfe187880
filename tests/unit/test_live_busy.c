/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The keeper makes a set, and it takes long: until the test opens a gate.
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
gate(bool shut)
{
	(void)pthread_mutex_lock(&gate_mtx);
	gate_shut = shut;
	(void)pthread_cond_broadcast(&gate_cond);
	(void)pthread_mutex_unlock(&gate_mtx);
}

static void *
make(const void *recipe, const struct fm_set *before,
    struct fm_sources *sources, struct fm_set_facts *facts,
    struct fm_diag *diag)
{
	void *made = toy_make(recipe, before, sources, facts, diag);

	(void)pthread_mutex_lock(&gate_mtx);
	(void)__atomic_fetch_add(&at_gate, gate_shut, __ATOMIC_SEQ_CST);
	while (gate_shut)
		(void)pthread_cond_wait(&gate_cond, &gate_mtx);
	(void)pthread_mutex_unlock(&gate_mtx);
	return (made);
}

static const struct fm_set_type slow_type = {
	.name = "slow",
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
	ck_assert_int_eq(fm_keeper_hold(second), 0);
}

static void
teardown(void)
{
	fm_keeper_drop();
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

/* The file has this text, of which the keeper is making a set. */
static void
begin(const char *path, const char *text)
{
	gate(true);
	toy_replace(path, text);
	TOY_UNTIL(TOY_COUNT(at_gate) == 1);
}

static void *
open_gate(void *priv)
{
	(void)priv;
	(void)usleep(100000);
	gate(false);
	return (NULL);
}

/* What is being made serves whoever gets warm meanwhile, and joins. */
START_TEST(who_gets_warm_misses_what_is_being_made)
{
	const char *path = toy_path("f");
	struct fm_live *live, *new;
	pthread_t thread;

	toy_write(path, A);
	live = open_warm(path);
	new = open_cold(path);
	begin(path, B);
	fm_live_cold(live);
	ck_assert(toy_serves(live, A));
	ck_assert_int_eq(pthread_create(&thread, NULL, open_gate, NULL), 0);
	ck_assert_int_eq(fm_live_warm(live, NULL), 0);
	ck_assert_int_eq(fm_live_warm(new, NULL), 0);
	ck_assert(toy_serves(live, B));
	ck_assert(toy_serves(new, B));
	ck_assert_int_eq(TOY_COUNT(toy_made), 2);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	fm_live_close(&live);
	fm_live_close(&new);
	toy_nothing_stays();
}
END_TEST

START_TEST(who_is_closed_takes_away_what_is_being_made)
{
	const char *path = toy_path("f");
	struct fm_live *live, *other;
	pthread_t thread;

	toy_write(path, A);
	live = open_warm(path);
	other = open_warm(path);
	begin(path, B);
	ck_assert_int_eq(pthread_create(&thread, NULL, open_gate, NULL), 0);
	fm_live_close(&live);
	ck_assert_int_eq(TOY_COUNT(toy_recipes), 1);
	ck_assert(toy_serves(other, B));
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	fm_live_close(&other);
	toy_nothing_stays();
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("live_busy");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, who_gets_warm_misses_what_is_being_made);
	tcase_add_test(tc, who_is_closed_takes_away_what_is_being_made);
	return (unit_run("live_busy", tc));
}
