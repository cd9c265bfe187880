/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The lock around everything that is not for readers, and the clock.
 */

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "live_priv.h"

static pthread_mutex_t lock_mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t lock_cond;
static pthread_once_t lock_once = PTHREAD_ONCE_INIT;

/* Sleeps are by a clock that is never set. */
static void
lock_init(void)
{
	pthread_condattr_t attr;
	int i;

	i = pthread_condattr_init(&attr);
	assert(i == 0);
	i = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	assert(i == 0);
	i = pthread_cond_init(&lock_cond, &attr);
	assert(i == 0);
	(void)pthread_condattr_destroy(&attr);
}

void
fm_live_lock(void)
{
	int i;

	i = pthread_once(&lock_once, lock_init);
	assert(i == 0);
	i = pthread_mutex_lock(&lock_mtx);
	assert(i == 0);
}

void
fm_live_unlock(void)
{
	int i = pthread_mutex_unlock(&lock_mtx);

	assert(i == 0);
}

void
fm_live_wait(void)
{
	int i = pthread_cond_wait(&lock_cond, &lock_mtx);

	assert(i == 0);
}

void
fm_live_wait_until(double when)
{
	struct timespec ts;
	int i;

	ts.tv_sec = (time_t)when;
	ts.tv_nsec = (long)(1e9 * (when - (double)ts.tv_sec));
	i = pthread_cond_timedwait(&lock_cond, &lock_mtx, &ts);
	assert(i == 0 || i == ETIMEDOUT);
}

/* Of everybody: they are few, and each looks whether it is meant. */
void
fm_live_wake(void)
{
	int i = pthread_cond_broadcast(&lock_cond);

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
