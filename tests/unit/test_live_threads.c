/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Many readers while the watcher swaps as fast as it can: none ever sees what
 * is torn or freed.  tests/live/tsan runs it under ThreadSanitizer too.  For
 * FM_SECONDS, or a second.
 */

#include "toy.h"

#define READERS		4
#define PINS		8

static struct fm_live *live;
static int stop;
static uint64_t gets;

/* A text of one letter, and its end: neither mixed nor poisoned. */
static void
check_text(const struct fm_version *version)
{
	const struct toy *toy;
	const char *p;

	/* Check takes a note of each assertion, under a lock: not of these */
	FM_OBJ_CHECK(version, FM_VERSION_MAGIC);
	toy = version->payload;
	FM_OBJ_CHECK(toy, TOY_MAGIC);
	p = toy->text;
	while (*p != '\n' && *p == toy->text[0])
		p++;
	assert(strcmp(p, "\nend\n") == 0);
}

static void *
reader(void *priv)
{
	const struct fm_version *pins[PINS] = { NULL }, *v;
	unsigned i, n = 0;

	/* ends after a while, so that threads register all the time */
	for (i = 0; i < 20000 && !__atomic_load_n(&stop, __ATOMIC_RELAXED);
	    i++) {
		v = fm_live_get(live);
		check_text(v);
		fm_live_put(v);
		if (i % 16 != 0)
			continue;
		fm_version_unpin(pins[n % PINS]);
		pins[n % PINS] = fm_live_pin(live);
		n++;
		if (pins[n % PINS] != NULL)
			check_text(pins[n % PINS]);	/* the oldest */
	}
	for (n = 0; n < PINS; n++)
		fm_version_unpin(pins[n]);
	(void)__atomic_fetch_add((uint64_t *)priv, i, __ATOMIC_RELAXED);
	return (NULL);
}

/* Starts readers anew as they end. */
static void *
crowd(void *priv)
{
	pthread_t threads[READERS];
	int i, r;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		for (i = 0; i < READERS; i++) {
			r = pthread_create(&threads[i], NULL, reader, priv);
			ck_assert_int_eq(r, 0);
		}
		for (i = 0; i < READERS; i++)
			(void)pthread_join(threads[i], NULL);
	}
	return (NULL);
}

static double
now(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ((double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec);
}

UNIT_TEST(no_reader_sees_what_is_torn_or_freed)
{
	const char *path = toy_path("f");
	const char *s = getenv("FM_SECONDS");
	double end = now() + (s != NULL ? atof(s) : 1);
	char text[1024];
	unsigned n, swaps = 0;
	pthread_t thread;

	toy_write(path, "a\nend\n");
	ck_assert_int_eq(fm_watcher_hold(NULL), 0);
	live = toy_open(path, 0.01);
	ck_assert_int_eq(pthread_create(&thread, NULL, crowd, &gets), 0);
	for (n = 1; now() < end; n++) {
		memset(text, 'a' + (int)(n % 26), 1000);
		(void)strcpy(text + 1 + n % 900, "\nend\n");
		toy_replace(path, text);
		if (fm_live_reload(live) == FM_RELOAD_SWAPPED)
			swaps++;
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	(void)pthread_join(thread, NULL);
	ck_assert_uint_gt(swaps, 10);
	ck_assert_uint_gt(gets, 1000);
	printf("%u swaps, %llu gets\n", swaps, (unsigned long long)gets);
	fm_live_close(&live);
	fm_watcher_drop();
	toy_nothing_left();
}

int
main(void)
{
	TCase *tc = unit_case("threads", 300);

	tcase_add_checked_fixture(tc, toy_setup, toy_teardown);
	return (unit_run("live_threads", tc));
}
