/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Registers the threads that read, and waits for them.
 */

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#include "rcu.h"

#ifdef FM_RCU_TSAN
char fm_rcu_tag;
#endif

/* Held in sections of threads that could not be registered. */
static pthread_mutex_t rcu_mtx = PTHREAD_MUTEX_INITIALIZER;

/* How deep this thread is in such sections. */
static __thread unsigned rcu_depth
    __attribute__((tls_model("initial-exec")));

/* Stands for a thread that is registered: nothing else is kept of it. */
static char rcu_registered;

/*
 * Called when the thread ends.  Nothing else that a thread keeps enters a
 * section when it is freed, so the order of these doesn't matter.
 */
static void
rcu_unregister(void *priv)
{
	assert(priv == &rcu_registered);
	urcu_memb_unregister_thread();
}

void
fm_rcu_enter_first(void)
{
	int i;

	/*
	 * A thread may be registered though not by us: another module uses
	 * liburcu too, and may take it off the list any time.
	 */
	if (rcu_depth == 0 && !URCU_TLS(urcu_memb_reader).registered &&
	    fm_thread_keep(FM_THREAD_RCU, &rcu_registered,
	    rcu_unregister) == 0) {
		urcu_memb_register_thread();
		urcu_memb_read_lock();
		return;
	}
	if (rcu_depth++ == 0) {
		i = pthread_mutex_lock(&rcu_mtx);
		assert(i == 0);
	}
}

void
fm_rcu_leave_locked(void)
{
	int i;

	assert(rcu_depth > 0);
	if (--rcu_depth == 0) {
		i = pthread_mutex_unlock(&rcu_mtx);
		assert(i == 0);
	}
}

void
fm_rcu_wait(void)
{
	int i;

	assert(rcu_depth == 0);
	i = pthread_mutex_lock(&rcu_mtx);
	assert(i == 0);
	i = pthread_mutex_unlock(&rcu_mtx);
	assert(i == 0);
	urcu_memb_synchronize_rcu();
	FM_RCU_WAITED();
}
