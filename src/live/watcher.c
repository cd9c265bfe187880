/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The lock of live, and the watcher: a thread that looks at files, frees what
 * is retired, runs jobs for other threads, and calls a function once a second.
 */

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "live_priv.h"
#include "thread.h"

#define WATCHER_STACK	(8UL << 20)	/* bytes: compiling patterns recurses
					 * deeply */
#define WATCHER_REAP	0.2		/* seconds until a version that was
					 * pinned is tried again */

static pthread_mutex_t live_mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t live_cond = PTHREAD_COND_INITIALIZER;

void
fm_live_lock(void)
{
	fm_mutex_lock(&live_mtx);
}

void
fm_live_unlock(void)
{
	fm_mutex_unlock(&live_mtx);
}

void
fm_live_wait(void)
{
	int i = pthread_cond_wait(&live_cond, &live_mtx);

	assert(i == 0);
}

/* Wakes all waiting threads; they are few, and each checks its condition. */
void
fm_live_wake(void)
{
	int i = pthread_cond_broadcast(&live_cond);

	assert(i == 0);
}

double
fm_live_clock(void)
{
	struct timespec ts;
	int i = clock_gettime(CLOCK_MONOTONIC, &ts);

	assert(i == 0);
	return ((double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec);
}

/*--------------------------------------------------------------------
 * Watching: when the files of a feed are looked at, and when they are read
 *
 * Files whose fingerprint has changed are looked at again, until two
 * fingerprints in a row are the same.  So an editor that writes in pieces, or a
 * tool that copies ten files, has time to finish.  After SETTLES looks the
 * files are read anyway:  what is read is checked as a whole.
 */

#define SETTLES		10	/* looks */
#define SETTLE_MOST	1.0	/* seconds between such looks, at most */
#define WATCH_NEVER	1e9	/* seconds: longer than a process lives */

/* Returns the least watch of the lives that are warm; 0: none watches. */
static double
watch_least(const struct fm_feed *feed)
{
	const struct fm_live *live;
	double watch = 0;

	for (live = feed->lives; live != NULL; live = live->next)
		if (live->warm && live->watch > 0 &&
		    (watch <= 0 || live->watch < watch))
			watch = live->watch;
	return (watch);
}

static void
watch_look(struct fm_feed *feed, double watch)
{
	const struct fm_reading *now = &feed->now;
	uint64_t last = feed->fingerprint;
	bool read;

	fm_feed_busy(feed);
	feed->fingerprint = fm_feed_fingerprint(feed);
	if (feed->fingerprint == now->seen) {
		feed->settles = 0;
		read = (now->again > 0 && fm_live_clock() >= now->again) ||
		    fm_account_grew(feed);
	} else {
		read = feed->settles > 0 && (feed->fingerprint == last ||
		    feed->settles >= SETTLES);
		feed->settles++;
	}
	if (read) {
		(void)fm_feed_refresh(feed, false);
		feed->settles = 0;
	} else if (feed->settles > 0)
		watch = watch / 2 < SETTLE_MOST ? watch / 2 : SETTLE_MOST;
	feed->due = fm_live_clock() + watch;
	fm_feed_idle(feed);
}

/*
 * Looks at the feed that is due first, so that each has its turn, if it is due.
 * Returns when the next look is.
 */
static double
watch_round(void)
{
	struct fm_feed *feed, *first = NULL;
	double now = fm_live_clock(), watch;

	for (feed = fm_feeds; feed != NULL; feed = feed->next) {
		FM_OBJ_CHECK(feed, FM_FEED_MAGIC);
		watch = watch_least(feed);
		if (watch <= 0) {
			feed->due = 0;
			feed->settles = 0;
			continue;
		}
		/* The feed is new, or a live with a smaller watch came. */
		if (feed->due <= 0 || feed->due > now + watch)
			feed->due = now + watch;
		/* A busy feed wakes the watcher when it is idle. */
		if (!feed->busy && (first == NULL || feed->due < first->due))
			first = feed;
	}
	if (first == NULL)
		return (WATCH_NEVER);
	if (first->due > now)
		return (first->due);
	watch_look(first, watch_least(first));
	return (now);
}

/*--------------------------------------------------------------------
 * The thread
 */

struct watcher_job {
	void			(*function)(void *);
	void			*priv;
	bool			done;
};

static struct {
	unsigned		holds;
	bool			ending;
	pthread_t		thread;
	struct watcher_job	*job;		/* a thread waits for it */
	fm_watcher_second_f	*second;
} watcher;

static void
watcher_wait_until(double when)
{
	struct timespec ts = { .tv_sec = (time_t)when };
	int i;

	ts.tv_nsec = (long)(1e9 * (when - (double)ts.tv_sec));
	i = pthread_cond_clockwait(&live_cond, &live_mtx, CLOCK_MONOTONIC,
	    &ts);
	assert(i == 0 || i == ETIMEDOUT);
}

static void
watcher_work(struct watcher_job *job)
{
	fm_live_unlock();
	job->function(job->priv);
	fm_live_lock();
	watcher.job = NULL;
	job->done = true;
	fm_live_wake();
}

/*
 * Calls the function of the watcher, without the lock, if a second has begun.
 * Returns when the next one begins; missed seconds are left out.
 */
static double
watcher_second(double when)
{
	double now = fm_live_clock();

	if (now < when)
		return (when);
	if (watcher.second != NULL)
		watcher.second();
	return (now + 1);
}

static void *
watcher_main(void *priv)
{
	double next, second, reap;
	bool left;

	(void)priv;
	(void)pthread_setname_np(pthread_self(), "fm-watcher");
	fm_live_lock();
	second = fm_live_clock() + 1;
	while (!watcher.ending || watcher.job != NULL) {
		if (watcher.job != NULL)
			watcher_work(watcher.job);
		fm_live_unlock();
		second = watcher_second(second);
		left = fm_version_reap();
		fm_live_lock();
		next = watch_round();
		if (next > second)
			next = second;
		reap = fm_live_clock() + WATCHER_REAP;
		if (left && reap < next)
			next = reap;
		if (watcher.job == NULL && !watcher.ending)
			watcher_wait_until(next);
	}
	fm_live_unlock();
	return (NULL);
}

/* Starts the thread, which takes no signals.  Returns 0, or an errno. */
static int
watcher_start(void)
{
	pthread_attr_t attr;
	sigset_t all, old;
	int i, r;

	i = pthread_attr_init(&attr);
	assert(i == 0);
	i = pthread_attr_setstacksize(&attr, WATCHER_STACK);
	assert(i == 0);
	(void)sigfillset(&all);
	i = pthread_sigmask(SIG_SETMASK, &all, &old);
	assert(i == 0);
	r = pthread_create(&watcher.thread, &attr, watcher_main, NULL);
	i = pthread_sigmask(SIG_SETMASK, &old, NULL);
	assert(i == 0);
	(void)pthread_attr_destroy(&attr);
	return (r);
}

int
fm_watcher_hold(fm_watcher_second_f *second)
{
	int r = 0;

	fm_live_lock();
	assert(!watcher.ending);
	if (watcher.holds == 0) {
		watcher.second = second;
		r = watcher_start();
	}
	assert(r != 0 || watcher.second == second);
	if (r == 0)
		watcher.holds++;
	fm_live_unlock();
	return (r == 0 ? 0 : -1);
}

void
fm_watcher_drop(void)
{
	bool last;
	int i;

	fm_live_lock();
	assert(watcher.holds > 0);
	last = --watcher.holds == 0;
	watcher.ending = last;
	fm_live_wake();
	fm_live_unlock();
	if (!last)
		return;
	i = pthread_join(watcher.thread, NULL);
	assert(i == 0);
	fm_live_lock();
	assert(watcher.job == NULL);
	watcher.ending = false;
	fm_live_unlock();
	(void)fm_version_reap();
}

bool
fm_watcher_do(void (*function)(void *), void *priv)
{
	struct watcher_job job = { .function = function, .priv = priv };
	bool may;

	fm_live_lock();
	while (watcher.holds > 0 && watcher.job != NULL)
		fm_live_wait();
	may = watcher.holds > 0;
	if (may) {
		watcher.job = &job;
		fm_live_wake();
		while (!job.done)
			fm_live_wait();
	}
	fm_live_unlock();
	return (may);
}
