/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The housekeeping thread.  Its own state is under the lock of live_priv.h.
 */

#include <pthread.h>
#include <signal.h>

#include "keeper.h"
#include "live_priv.h"

#define KEEPER_STACK	(8UL << 20)	/* the compiler of patterns is deep */
#define KEEPER_REAP	0.2		/* seconds, while there is a pin */

struct keeper_job {
	void			(*function)(void *);
	void			*priv;
	bool			done;
	struct keeper_job	*next;
};

static struct {
	unsigned		holds;
	bool			running;
	bool			ending;
	pthread_t		thread;
	struct keeper_job	*jobs;		/* in their order */
	fm_keeper_second_f	*second;
} keeper;

/* What others wait for.  false: nothing. */
static bool
keeper_job(void)
{
	struct keeper_job *job = keeper.jobs;

	if (job == NULL)
		return (false);
	keeper.jobs = job->next;
	fm_live_unlock();
	job->function(job->priv);
	fm_live_lock();
	job->done = true;
	fm_live_wake();
	return (true);
}

static void
keeper_second(double now, double *when)
{
	if (now < *when)
		return;
	/* not to be caught up with: what is counted is there the next time */
	*when += 1;
	if (*when <= now)
		*when = now + 1;
	if (keeper.second == NULL)
		return;
	fm_live_unlock();
	keeper.second();
	fm_live_lock();
}

static void
keeper_reap(double now, double *when)
{
	if (!fm_version_waiting() || now < *when)
		return;
	*when = now + KEEPER_REAP;
	fm_live_unlock();
	fm_version_reap();
	fm_live_lock();
}

/* One of each kind at a time, so that none keeps the others waiting long. */
static void *
keeper_main(void *priv)
{
	double now, next, second, reap = 0;
	bool worked;

	(void)priv;
	(void)pthread_setname_np(pthread_self(), "fm-keeper");
	fm_live_lock();
	second = fm_live_clock() + 1;
	for (;;) {
		worked = keeper_job();
		if (!worked && keeper.ending)
			break;
		now = fm_live_clock();
		keeper_second(now, &second);
		keeper_reap(now, &reap);
		next = second;
		if (!keeper.ending && fm_watch_round(now, &next))
			worked = true;
		if (worked || keeper.jobs != NULL || keeper.ending)
			continue;
		if (fm_version_waiting() && reap < next)
			next = reap;
		fm_live_wait_until(next);
	}
	fm_live_unlock();
	return (NULL);
}

/* Signals are varnishd's.  0, or an errno. */
static int
keeper_start(void)
{
	pthread_attr_t attr;
	sigset_t all, old;
	int i, r;

	i = pthread_attr_init(&attr);
	assert(i == 0);
	i = pthread_attr_setstacksize(&attr, KEEPER_STACK);
	assert(i == 0);
	(void)sigfillset(&all);
	i = pthread_sigmask(SIG_SETMASK, &all, &old);
	assert(i == 0);
	r = pthread_create(&keeper.thread, &attr, keeper_main, NULL);
	i = pthread_sigmask(SIG_SETMASK, &old, NULL);
	assert(i == 0);
	(void)pthread_attr_destroy(&attr);
	return (r);
}

int
fm_keeper_hold(fm_keeper_second_f *second)
{
	int r = 0;

	fm_live_lock();
	assert(!keeper.ending);
	if (keeper.holds == 0) {
		keeper.second = second;
		r = keeper_start();
		keeper.running = r == 0;
	}
	assert(r != 0 || keeper.second == second);
	if (r == 0)
		keeper.holds++;
	fm_live_unlock();
	return (r == 0 ? 0 : -1);
}

/* Jobs that were given to it are done before it ends. */
void
fm_keeper_drop(void)
{
	bool last;
	int i;

	fm_live_lock();
	assert(keeper.holds > 0);
	last = --keeper.holds == 0;
	keeper.ending = last;
	fm_live_wake();
	fm_live_unlock();
	if (!last)
		return;
	i = pthread_join(keeper.thread, NULL);
	assert(i == 0);
	fm_live_lock();
	assert(keeper.jobs == NULL);
	keeper.running = false;
	keeper.ending = false;
	fm_live_unlock();
	fm_version_reap();
}

bool
fm_keeper_do(void (*function)(void *), void *priv)
{
	struct keeper_job job = { .function = function, .priv = priv };
	struct keeper_job **p;

	assert(function != NULL);
	fm_live_lock();
	if (!keeper.running || keeper.ending) {
		fm_live_unlock();
		return (false);
	}
	/* it may ask itself */
	if (pthread_equal(keeper.thread, pthread_self())) {
		fm_live_unlock();
		function(priv);
		return (true);
	}
	for (p = &keeper.jobs; *p != NULL; p = &(*p)->next)
		continue;
	*p = &job;
	fm_live_wake();
	while (!job.done)
		fm_live_wait();
	fm_live_unlock();
	return (true);
}
