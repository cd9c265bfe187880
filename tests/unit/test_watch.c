/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lives with a watcher: each way in which a file may change, what is told of
 * it, and a naive twin over random changes.
 */

#include "toy.h"

#define A	"a\nend\n"
#define B	"b\nend\n"
#define BAD	"half of"
#define WATCH	0.02

/*
 * A clock of files that ticks seldom, as that of most kernels: what changes
 * between two ticks has the same times.  Linked with --wrap.
 */
#define TICK	50000000L		/* ns */

int __real_stat(const char *, struct stat *);
int __real_fstat(int, struct stat *);
int __wrap_stat(const char *, struct stat *);
int __wrap_fstat(int, struct stat *);

static bool coarse;

static int
tick(int r, struct stat *st)
{
	if (r == 0 && __atomic_load_n(&coarse, __ATOMIC_SEQ_CST)) {
		st->st_mtim.tv_nsec -= st->st_mtim.tv_nsec % TICK;
		st->st_ctim.tv_nsec -= st->st_ctim.tv_nsec % TICK;
	}
	return (r);
}

int
__wrap_stat(const char *path, struct stat *st)
{
	return (tick(__real_stat(path, st), st));
}

int
__wrap_fstat(int fd, struct stat *st)
{
	return (tick(__real_fstat(fd, st), st));
}

static int seconds;

static void
second(void)
{
	(void)__atomic_fetch_add(&seconds, 1, __ATOMIC_SEQ_CST);
}

static void
setup(void)
{
	toy_setup();
	ck_assert_int_eq(fm_watcher_hold(second), 0);
}

static void
teardown(void)
{
	fm_watcher_drop();
	toy_teardown();
}

static unsigned
fails(const struct fm_live *live)
{
	struct fm_live_facts facts;

	fm_live_facts(live, &facts);
	return ((unsigned)facts.reload_fails);
}

/* Returns the outcome of the last time that files were read again. */
static enum fm_reload
last_reload(const struct fm_live *live)
{
	struct fm_live_state state;
	enum fm_reload r;

	ck_assert_int_eq(fm_live_state(live, &state), 0);
	r = state.last;
	fm_live_state_fini(&state);
	return (r);
}

/* Waits until the watcher has looked once more, and more. */
static void
looked(void)
{
	(void)usleep(200000);
}

UNIT_TEST(renamed_over_is_seen)
{
	const char *path = toy_path("f");
	struct fm_live *live;

	toy_write(path, A);
	live = toy_open(path, WATCH);
	toy_replace(path, B);
	TOY_UNTIL(toy_serves(live, B));
	ck_assert_uint_eq(toy_generation(live), 2);
	ck_assert_int_eq(last_reload(live), FM_RELOAD_SWAPPED);
	ck_assert(toy_heard(": generation 2: 2 hosts, 1 rule\n"));
	fm_live_close(&live);
	toy_nothing_stays();
}

UNIT_TEST(a_version_names_its_side)
{
	const char *path = toy_path("next");
	const struct fm_version *version;
	struct fm_live_options options;
	struct fm_live *next;

	toy_write(path, A);
	options = toy_options(path, WATCH);
	options.side = "next";
	next = fm_live_open(&options, NULL);
	ck_assert_ptr_nonnull(next);
	ck_assert_int_eq(fm_live_warm(next, NULL), 0);
	toy_replace(path, B);
	TOY_UNTIL(toy_serves(next, B));
	version = fm_live_get(next);
	ck_assert_str_eq(version->words, " generation 2 of next");
	ck_assert_uint_eq(version->words_len, strlen(version->words));
	fm_live_put(version);
	fm_live_close(&next);
	toy_nothing_stays();
}

UNIT_TEST(written_in_place_and_in_the_same_moment_is_seen)
{
	const char *path = toy_path("f");
	struct fm_live *live;
	int i;

	/* of the same length, and mostly with the same times */
	__atomic_store_n(&coarse, true, __ATOMIC_SEQ_CST);
	for (i = 0; i < 2; i++) {
		toy_write(path, A);
		live = toy_open(path, WATCH);
		toy_write(path, B);
		TOY_UNTIL(toy_serves(live, B));
		fm_live_close(&live);
	}
	toy_nothing_stays();
}

static double
clock_now(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec);
}

/*
 * Writes a file in pieces, 20 ms apart.  Returns how long the longest pause was
 * in seconds: on a busy machine it may be longer than files take to settle.
 */
static double
write_in_pieces(const char *path)
{
	double began, most = 0;
	int fd = open(path, O_WRONLY | O_TRUNC), i;

	for (i = 0; i < 75; i++) {
		began = clock_now();
		(void)usleep(20000);
		ck_assert_int_eq(write(fd, "part\n", 5), 5);
		if (clock_now() - began > most)
			most = clock_now() - began;
	}
	ck_assert_int_eq(write(fd, "end\n", 4), 4);
	(void)close(fd);
	return (most);
}

UNIT_TEST(what_is_still_being_written_is_waited_for)
{
	const char *path = toy_path("f");
	struct fm_live *live;
	double pause = 1;
	int tries;

	for (tries = 0; tries < 10 && pause > 0.4; tries++) {
		toy_write(path, A);
		live = toy_open(path, 1);	/* settles in half of that */
		pause = write_in_pieces(path);
		TOY_UNTIL(!toy_serves(live, A));
		if (pause <= 0.4) {
			ck_assert_uint_eq(toy_generation(live), 2);
			ck_assert(!toy_heard("E "));
		}
		fm_live_close(&live);
		toy_nothing_stays();
		*toy_said = '\0';
	}
}

UNIT_TEST(what_is_written_for_ever_is_read_all_the_same)
{
	const char *path = toy_path("f");
	struct fm_live *live;
	char text[32];
	int i;

	toy_write(path, A);
	live = toy_open(path, WATCH);
	for (i = 0; i < 4000 && toy_serves(live, A); i++) {
		(void)snprintf(text, sizeof text, "%d\nend\n", 100000 + i);
		toy_replace(path, text);
		(void)usleep(2000);
	}
	ck_assert(!toy_serves(live, A));
	fm_live_close(&live);
	toy_nothing_stays();
}

UNIT_TEST(a_broken_file_is_told_once_and_changes_nothing)
{
	const char *path = toy_path("f");
	struct fm_live_state state;
	struct fm_live *live, *other;

	toy_write(path, A);
	live = toy_open(path, WATCH);
	other = toy_open(path, WATCH);
	toy_replace(path, BAD);
	TOY_UNTIL(fails(live) == 1);
	looked();
	ck_assert(toy_serves(live, A));
	ck_assert_uint_eq(fails(live), 1);
	ck_assert_uint_eq(fails(other), 1);
	ck_assert_int_eq(TOY_COUNT(toy_errors), 1);
	ck_assert(toy_heard("E fastmatch: site: reload refused, "
	    "generation 1 still serves, 2 errors: "));
	ck_assert(toy_heard("/f:1: error: it doesn't end\n"));
	ck_assert_int_eq(fm_live_state(live, &state), 0);
	ck_assert_int_eq(state.last, FM_RELOAD_REFUSED);
	ck_assert_uint_eq(state.errors, 2);
	ck_assert_ptr_nonnull(fm_diag_line(state.diag, 1));
	ck_assert_uint_eq(state.followers, 2);
	fm_live_state_fini(&state);

	/* the same text, touched, is none */
	toy_replace(path, BAD);
	looked();
	looked();
	ck_assert_uint_eq(fails(live), 1);
	ck_assert_int_eq(TOY_COUNT(toy_errors), 1);

	/* another bad text is logged again */
	toy_replace(path, "is bad too");
	TOY_UNTIL(fails(live) == 2);
	ck_assert_int_eq(TOY_COUNT(toy_errors), 2);
	toy_replace(path, A);
	TOY_UNTIL(toy_heard("it is valid again, generation 1"));
	ck_assert_int_eq(last_reload(live), FM_RELOAD_UNCHANGED);
	ck_assert_uint_eq(toy_generation(live), 1);
	ck_assert_int_eq(TOY_COUNT(toy_made), 1);
	fm_live_close(&live);
	fm_live_close(&other);
	toy_nothing_stays();
}

UNIT_TEST(a_file_that_is_gone_is_told_once)
{
	const char *path = toy_path("f");
	struct fm_live *live;

	toy_write(path, A);
	live = toy_open(path, WATCH);
	ck_assert_int_eq(unlink(path), 0);
	TOY_UNTIL(fails(live) == 1);
	ck_assert(toy_heard("No such file"));
	(void)usleep(2300000);			/* past the second reading */
	ck_assert_uint_eq(fails(live), 1);
	ck_assert_int_eq(TOY_COUNT(toy_errors), 1);
	ck_assert(toy_serves(live, A));
	ck_assert_int_eq(mkdir(path, 0755), 0);
	TOY_UNTIL(fails(live) == 2);
	ck_assert(toy_heard("directory"));
	ck_assert_int_eq(rmdir(path), 0);
	TOY_UNTIL(fails(live) == 3);
	toy_replace(path, B);
	TOY_UNTIL(toy_serves(live, B));
	ck_assert_int_eq(TOY_COUNT(toy_errors), 3);
	fm_live_close(&live);
	toy_nothing_stays();
}

UNIT_TEST(want_of_memory_is_tried_again)
{
	const char *path = toy_path("f");
	struct fm_live *live;

	toy_write(path, A);
	live = toy_open(path, WATCH);
	looked();
	__atomic_store_n(&toy_no_memory, 1, __ATOMIC_SEQ_CST);
	toy_replace(path, B);
	TOY_UNTIL(fails(live) == 1);
	ck_assert(toy_serves(live, A));
	TOY_UNTIL(toy_serves(live, B));		/* by itself */
	ck_assert_int_eq(TOY_COUNT(toy_errors), 1);
	fm_live_close(&live);
	toy_nothing_stays();
}

/* Only a file that may change again and look the same is read twice. */
UNIT_TEST(a_broken_file_that_is_old_is_read_once)
{
	const char *path = toy_path("f");
	const char *a = toy_path("a"), *bad = toy_path("bad");
	const char *aside = toy_path("aside");
	struct fm_live *live;

	toy_write(a, A);
	toy_write(bad, BAD);
	ck_assert_int_eq(symlink(a, path), 0);
	ck_assert_int_eq(symlink(bad, aside), 0);
	(void)usleep(2100000);
	live = toy_open(path, WATCH);
	ck_assert_int_eq(rename(aside, path), 0);
	TOY_UNTIL(fails(live) == 1);
	looked();
	ck_assert_int_eq(TOY_COUNT(toy_tried), 2);
	toy_replace(bad, "is bad too");
	TOY_UNTIL(TOY_COUNT(toy_tried) == 4);
	looked();
	ck_assert_int_eq(TOY_COUNT(toy_tried), 4);
	fm_live_close(&live);
	toy_nothing_stays();
}

UNIT_TEST(a_touch_changes_nothing)
{
	const char *path = toy_path("f");
	struct fm_live *live;

	toy_write(path, A);
	live = toy_open(path, WATCH);
	looked();
	toy_replace(path, A);
	looked();
	ck_assert_int_eq(last_reload(live), FM_RELOAD_NEVER);
	ck_assert_uint_eq(toy_generation(live), 1);
	ck_assert_int_eq(TOY_COUNT(toy_made), 1);
	ck_assert(!toy_heard("fastmatch"));
	fm_live_close(&live);
	toy_nothing_stays();
}

UNIT_TEST(each_file_that_was_read_is_watched)
{
	const char *path = toy_path("f"), *other = toy_path("g");
	struct fm_live *live;
	char text[256], whole[512];

	(void)snprintf(text, sizeof text, "with %s\n", other);
	toy_write(path, text);
	toy_write(other, A);
	live = toy_open(path, WATCH);
	toy_replace(other, B);
	(void)snprintf(whole, sizeof whole, "%s%s", text, B);
	TOY_UNTIL(toy_serves(live, whole));
	/* the second file is missing now: the reload fails */
	ck_assert_int_eq(unlink(other), 0);
	TOY_UNTIL(fails(live) == 1);
	ck_assert(toy_serves(live, whole));
	toy_replace(other, A);
	(void)snprintf(whole, sizeof whole, "%s%s", text, A);
	TOY_UNTIL(toy_serves(live, whole));
	fm_live_close(&live);
	toy_nothing_stays();
}

UNIT_TEST(who_is_cold_follows_but_does_not_watch)
{
	const char *path = toy_path("f");
	struct fm_live *live, *cold, *private;

	toy_write(path, A);
	live = toy_open(path, WATCH);
	cold = toy_open(path, WATCH);
	private = toy_open(path, 0);
	fm_live_cold(cold);
	toy_replace(path, B);
	TOY_UNTIL(toy_serves(live, B));
	ck_assert(toy_serves(cold, B));
	ck_assert(toy_serves(private, A));
	fm_live_cold(live);
	toy_replace(path, A);
	looked();
	ck_assert(toy_serves(live, B));
	ck_assert_int_eq(fm_live_warm(cold, NULL), 0);
	ck_assert(toy_serves(live, A));
	ck_assert_int_eq(TOY_COUNT(toy_made), 2);	/* one had it still */
	fm_live_close(&live);
	fm_live_close(&cold);
	fm_live_close(&private);
	toy_nothing_stays();
}

UNIT_TEST(the_shortest_watch_is_kept_and_bounded)
{
	const char *path = toy_path("f");
	struct fm_live_state state;
	struct fm_live *slow, *fast;

	toy_write(path, A);
	slow = toy_open(path, 3600);
	looked();
	fast = toy_open(path, 1e-9);
	toy_replace(path, B);
	TOY_UNTIL(toy_serves(slow, B));
	ck_assert_int_eq(fm_live_state(fast, &state), 0);
	ck_assert(state.watch > 0.009 && state.watch < 0.011);
	fm_live_state_fini(&state);
	fm_live_close(&fast);
	fm_live_close(&slow);
	toy_nothing_stays();
}

static void *
reloader(void *priv)
{
	struct fm_live *live = priv;
	int i;

	for (i = 0; i < 20; i++)
		ck_assert_int_ne(fm_live_reload(live), FM_RELOAD_REFUSED);
	return (NULL);
}

UNIT_LOOP(many_may_ask_for_a_reload, 2)
{
	const char *path = toy_path("f");
	struct fm_live *live;
	pthread_t threads[4];
	char text[32];
	int i;

	toy_write(path, A);
	toy_slow = 1000;
	live = toy_open(path, _i == 0 ? 0 : WATCH);
	for (i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, reloader,
		    live), 0);
	for (i = 0; i < 50; i++) {
		(void)snprintf(text, sizeof text, "%d\nend\n", i);
		toy_replace(path, text);
	}
	for (i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
	ck_assert_int_ne(fm_live_reload(live), FM_RELOAD_REFUSED);
	ck_assert(toy_serves(live, "49\nend\n"));
	TOY_UNTIL(TOY_COUNT(toy_alive) == 1);
	fm_live_close(&live);
	toy_nothing_stays();
}

static void
count_job(void *priv)
{
	(*(int *)priv)++;
}

UNIT_TEST(the_watcher_comes_and_goes)
{
	int n = 0;

	ck_assert_int_eq(fm_watcher_hold(second), 0);
	fm_watcher_drop();
	ck_assert(fm_watcher_do(count_job, &n));
	TOY_UNTIL(__atomic_load_n(&seconds, __ATOMIC_SEQ_CST) >= 2);
	fm_watcher_drop();
	ck_assert(!fm_watcher_do(count_job, &n));
	ck_assert_int_eq(n, 1);
	ck_assert_int_eq(fm_watcher_hold(second), 0);
	ck_assert(fm_watcher_do(count_job, &n));
	ck_assert_int_eq(n, 2);
}

/* Lets one of six things happen to a file; true: the text is there. */
static bool
happen(const char *path, const char *text)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
		ck_assert_int_eq(rmdir(path), 0);
	switch (unit_below(6)) {
	case 0:
		(void)unlink(path);
		return (false);
	case 1:
		(void)unlink(path);
		ck_assert_int_eq(mkdir(path, 0755), 0);
		return (false);
	case 2:
		toy_replace(path, BAD);
		return (false);
	case 3:
		toy_write(path, "");
		return (false);
	case 4:
		toy_write(path, text);
		return (true);
	default:
		toy_replace(path, text);
		return (true);
	}
}

/* The letter of the text that serves, as a bit. */
static unsigned
served(const struct fm_live *live)
{
	const struct fm_version *version = fm_live_get(live);
	unsigned bit;

	bit = 1U << (((const struct toy *)version->payload)->text[0] - 'a');
	fm_live_put(version);
	return (bit);
}

/*
 * The twin keeps a set of texts that may serve: all that were valid since the
 * last time when only one could serve.
 */
UNIT_TEST(what_serves_is_the_last_that_was_valid)
{
	const char *path = toy_path("f");
	struct fm_live *live, *follower;
	unsigned i, letter, may = 1;
	char text[] = A;
	bool valid;

	toy_write(path, A);
	live = toy_open(path, 0.01);
	follower = toy_open(path, 0.01);
	for (i = 0; i < 100; i++) {
		letter = unit_below(3);
		*text = (char)('a' + letter);
		valid = happen(path, text);
		if (valid)
			may |= 1U << letter;
		if (unit_below(4) == 0)
			continue;		/* no time to see this one */
		/* a reload tells what is there now, a watch by and by */
		if (unit_below(2) == 0)
			ck_assert_int_eq(fm_live_reload(live) !=
			    FM_RELOAD_REFUSED, valid);
		if (valid) {
			may = 1U << letter;
			TOY_UNTIL(served(live) == may);
		}
		(void)usleep(unit_below(60000));
		ck_assert(served(live) & may);
		ck_assert(served(follower) & may);
		/* after a refusal the text that serves stays */
		if (!valid && fm_live_reload(live) == FM_RELOAD_REFUSED)
			may = served(live);
	}
	ck_assert_int_le(TOY_COUNT(toy_alive), 2);
	fm_live_close(&live);
	fm_live_close(&follower);
	toy_nothing_stays();
}

int
main(void)
{
	TCase *tc = unit_case("watch", 60);

	unit_seed("watch");
	tcase_add_checked_fixture(tc, setup, teardown);
	return (unit_run("watch", tc));
}
