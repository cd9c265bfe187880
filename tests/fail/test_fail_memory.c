/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lets every allocation of each scenario (fail.h) fail, one after the other:
 * alone, and with all that follow it.  A run that is not whole (unit.h) tries
 * some of the allocations.
 *
 * A scenario must refuse with "out of memory", or give the right answer; must
 * leave nothing over; and must work again with memory, in the same thread
 * (which is not tried after each failure, if the scenario is slow or the run is
 * not whole).  Each run has a thread of its own, since much memory belongs to a
 * thread.
 */

#include <pthread.h>
#include <unistd.h>

#include "../unit/engine.h"
#include "fail.h"
#include "memory.h"
#include "scan.h"
#include "unit.h"

/* How many allocations of a scenario fail, evenly spread, if not all do. */
#define SOME		200U
#define SHARE		24U	/* a run that is not whole: SOME / SHARE */

/*
 * True in test_fail_swap, which has the slow scenario; other programs have the
 * rest.
 */
#ifndef FAIL_SLOW
#define FAIL_SLOW	false
#endif
#define AGAIN		8	/* one of 8 runs of the slow scenario */
#define AGAIN_SHORT	3	/* one of 3, if the run is not whole */

/* A run of a scenario, in which the n-th allocation fails. */
struct run {
	const struct fail_scenario	*scenario;
	unsigned long			n;
	bool				on, once;
	unsigned long			asked, failed;
	enum fail_outcome		outcome, again;
	char				wrong[400];
};

static _Thread_local struct run *running;

/* Goes on counting allocations where the run's last part has ended. */
void
fail_begin(void)
{
	unsigned long gone = running->asked, n = running->n;

	if (n > gone)
		n -= gone;
	else if (n > 0)
		n = running->on ? 1 : 0;
	memory_start(n, running->on);
}

bool
fail_end(void)
{
	unsigned long failed;

	running->asked += memory_stop(&failed);
	running->failed += failed;
	return (failed > 0);
}

const char *
fail_reason(void)
{
	return ("out of memory");
}

const char *
fail_file(void)
{
	return (NULL);
}

/* Tries a scenario in its thread, with the failure, then with memory. */
static void *
run_thread(void *priv)
{
	struct run *run = priv;
	unsigned long asked;

	running = run;
	fail_wrong = NULL;
	run->outcome = run->scenario->try();
	asked = run->asked;
	run->n = 0;
	run->again = run->outcome;
	if (run->outcome != FAIL_WRONG && !run->once)
		run->again = run->scenario->try();
	(void)snprintf(run->wrong, sizeof run->wrong, "%s",
	    fail_wrong != NULL ? fail_wrong : "refused");
	run->asked = asked;
	return (NULL);
}

static void
run_one(struct run *run)
{
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, run_thread, run), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
}

static void
run_check(const struct run *run)
{
	const char *name = run->scenario->name;

	ck_assert_msg(run->outcome != FAIL_WRONG, "%s: %lu%s: %s", name,
	    run->n, run->on ? " and on" : "", run->wrong);
	ck_assert_msg(run->outcome == FAIL_DONE || run->failed > 0,
	    "%s: refused for no reason", name);
	ck_assert_msg(run->once || run->again == FAIL_DONE,
	    "%s: not with memory either: %s", name, run->wrong);
}

/*
 * Runs without failures, to allocate what stays; returns how many allocations.
 */
static unsigned long
run_clean(const struct fail_scenario *scenario)
{
	struct run run;
	int i;

	for (i = 0; i < 3; i++) {
		run = (struct run){ .scenario = scenario, .once = true };
		run_one(&run);
		ck_assert_msg(run.outcome == FAIL_DONE, "%s: clean: %s",
		    scenario->name, run.wrong);
	}
	return (run.asked);
}

/*
 * Returns how many runs to make; fewer of the slow scenario, which makes 4
 * sets.
 */
static unsigned long
runs_of(const struct fail_scenario *scenario)
{
	unsigned long some = unit_rounds(SOME, scenario->slow ? SHARE / 2 :
	    SHARE);

	return (scenario->slow ? some / 4 : unit_whole() ? ~0UL : some);
}

static void
run_all(const struct fail_scenario *scenario)
{
	unsigned long asked = run_clean(scenario), n, runs = 0;
	unsigned long max = runs_of(scenario);
	unsigned long step = 2 * asked > max ? 2 * asked / max + 1 : 1;
	unsigned long refused = 0;
	unsigned again = scenario->slow ? AGAIN : unit_step(AGAIN_SHORT);
	struct run run;
	int on;

	ck_assert_msg(asked > 0, "%s: allocates nothing", scenario->name);
	for (on = 0; on < 2; on++)
		for (n = 1 + (step > 1 ? unit_below((unsigned)step) : 0);
		    n <= asked; n += step, runs++) {
			run = (struct run){ .scenario = scenario, .n = n,
			    .on = on == 1, .once = runs % again != 0 };
			run_one(&run);
			run.n = n;
			run_check(&run);
			refused += run.outcome == FAIL_REFUSED;
		}
	printf("memory: %s: %lu allocations, %lu runs, %lu refused\n",
	    scenario->name, asked, runs, refused);
	fflush(stdout);
	/* A swap tries again some of what has failed. */
	ck_assert_msg(refused > 0 || (scenario->slow && !unit_whole()),
	    "%s: nothing was refused", scenario->name);
}

/*--------------------------------------------------------------------
 * The tests
 */

START_TEST(an_allocation_of_ours_fails)
{
	unit_seed("memory");
	run_all(&fail_scenarios[_i]);
}
END_TEST

static void *
make_scan(void *priv)
{
	const struct fm_place here = { .name = "x" };
	unsigned char way = FM_MATCHER_SCAN;
	struct run *run = priv;
	struct fm_pattern *pattern;
	struct fm_scan *scan;

	pattern = fm_pattern_new(FM_PATTERN_CONTAINS, fm_text_of("x"), false,
	    &here, NULL);
	running = run;
	fail_begin();
	scan = fm_scan_new(&pattern, &way, 1, NULL, NULL);
	(void)fail_end();
	if (scan != NULL)
		fm_scan_free(&scan);
	fm_pattern_free(&pattern);
	return (NULL);
}

/*
 * Lets the engine's self-test fail, which is repeated until it was made once.
 * The self-test has some 550 allocations of ours.
 */
START_TEST(the_self_test_has_no_memory)
{
	unsigned apart = unit_whole() ? 8 : 130;
	unsigned long n, runs = 0;
	struct run run;
	pthread_t thread;

	unit_seed("memory");
	for (n = 1; fm_scan_health() != FM_SCAN_HEALTHY; runs++) {
		run = (struct run){ .n = n, .on = _i == 1 };
		ck_assert_int_eq(pthread_create(&thread, NULL, make_scan,
		    &run), 0);
		ck_assert_int_eq(pthread_join(thread, NULL), 0);
		ck_assert(fm_scan_health() != FM_SCAN_FAILED);
		ck_assert_uint_lt(runs, 5000);
		n += 1 + unit_below(apart);
	}
	printf("memory: the self-test: %lu runs\n", runs);
	ck_assert_uint_gt(runs, 3);
}
END_TEST

/* Runs the test of the self-test, before anything else makes the self-test. */
static int
run_self_test(void)
{
	TCase *tc = tcase_create("self-test");

	tcase_set_timeout(tc, 600);
	if (unit_may_scan("the_self_test_has_no_memory"))
		tcase_add_loop_test(tc, the_self_test_has_no_memory, 0, 2);
	return (unit_run("memory of the self-test", tc));
}

/* Runs all scenarios, or the one whose number is given. */
int
main(int argc, char **argv)
{
	TCase *tc = tcase_create("memory");
	int first = 0, n, failed;

	while (fail_scenarios[first].slow != FAIL_SLOW)
		first++;
	for (n = first; fail_scenarios[n].name != NULL &&
	    fail_scenarios[n].slow == FAIL_SLOW; n++)
		continue;
	if (argc > 1) {
		first = atoi(argv[1]);
		n = first + 1;
	}
	tcase_set_timeout(tc, 600);
	tcase_add_unchecked_fixture(tc, fail_setup, fail_teardown);
	tcase_add_loop_test(tc, an_allocation_of_ours_fails, first, n);
	fflush(stdout);
	failed = FAIL_SLOW ? 0 : run_self_test();
	return (unit_run("memory", tc) + failed > 0);
}
