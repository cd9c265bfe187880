/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Registers the threads that read with liburcu, and waits for readers.  A
 * thread that can't be registered holds a mutex while it reads, and waiting
 * takes that mutex as well.
 */

#include <stddef.h>

#include "obj.h"
#include "rcu.h"

#ifdef FM_RCU_TSAN
char fm_rcu_tag;
#endif

/* Held in sections of threads that could not be registered. */
static pthread_mutex_t rcu_mtx = PTHREAD_MUTEX_INITIALIZER;

/* The number of nested sections in which this thread holds the mutex. */
static __thread unsigned rcu_depth
    __attribute__((tls_model("initial-exec")));

/* A registered thread keeps one of these (thread.h). */
struct rcu_thread {
	unsigned		magic;
#define RCU_THREAD_MAGIC	0x3fa81c6d
};

/*
 * Unregisters the thread when it ends.  The other things that a thread keeps
 * enter no section when they are freed, so the order does not matter.
 */
static void
rcu_unregister(void *priv)
{
	struct rcu_thread *rt;

	FM_OBJ_CAST(rt, priv, RCU_THREAD_MAGIC);
	urcu_memb_unregister_thread();
	FM_OBJ_FREE(rt);
}

void
fm_rcu_enter_first(void)
{
	/*
	 * Another module may use liburcu too, and have registered the thread.
	 * It may unregister the thread any time, so we take the mutex then.
	 */
	if (rcu_depth == 0 && !URCU_TLS(urcu_memb_reader).registered &&
	    fm_thread_new(FM_THREAD_RCU, sizeof(struct rcu_thread),
	    RCU_THREAD_MAGIC, rcu_unregister) != NULL) {
		urcu_memb_register_thread();
		urcu_memb_read_lock();
		return;
	}
	if (rcu_depth++ == 0)
		fm_mutex_lock(&rcu_mtx);
}

void
fm_rcu_leave_locked(void)
{
	assert(rcu_depth > 0);
	if (--rcu_depth == 0)
		fm_mutex_unlock(&rcu_mtx);
}

void
fm_rcu_leave_nothing(void)
{
	fm_rcu_leave();
}

void
fm_rcu_wait(void)
{
	assert(rcu_depth == 0);
	fm_mutex_lock(&rcu_mtx);
	fm_mutex_unlock(&rcu_mtx);
	urcu_memb_synchronize_rcu();
	FM_RCU_WAITED();
}
