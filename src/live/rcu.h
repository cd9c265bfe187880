/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Readers that never wait, by liburcu (its flavour "memb"); the only file
 * that includes it.  What a reader got between fm_rcu_enter() and
 * fm_rcu_leave() is not freed before it left: who frees takes it away first
 * (fm_rcu_swap()), then waits for all who may have it (fm_rcu_wait()).
 *
 * A thread is registered when it first enters and is taken off the list when
 * it ends.  Where there is no memory for that, entering takes a lock instead.
 * Sections may be nested.
 */

#ifndef FM_RCU_H
#define FM_RCU_H

/*
 * ThreadSanitizer should not see into liburcu, whose accesses it takes for
 * races; it is told what a grace period means instead: that all who have left
 * come before the end of the wait.
 */
#if defined(__has_feature)
#  if __has_feature(thread_sanitizer)
#    define FM_RCU_TSAN	1
#  endif
#endif
#if defined(__SANITIZE_THREAD__) && !defined(FM_RCU_TSAN)
#  define FM_RCU_TSAN	1
#endif

#ifdef FM_RCU_TSAN
void __tsan_acquire(void *);
void __tsan_release(void *);
extern char fm_rcu_tag;
#  define FM_RCU_LEFT()		__tsan_release(&fm_rcu_tag)
#  define FM_RCU_WAITED()	__tsan_acquire(&fm_rcu_tag)
#else
#  define FM_RCU_LEFT()		((void)0)
#  define FM_RCU_WAITED()	((void)0)
/*
 * Readers inline: liburcu's licence lets anybody take functions of ten lines
 * or less from its headers, and this is how one asks for them.
 */
#  ifndef _LGPL_SOURCE
#    define _LGPL_SOURCE
#  endif
#endif
#include <urcu/urcu-memb.h>
#include <urcu/static/urcu-memb.h>	/* is a thread registered? */

#include "thread.h"

/* For a thread that is not registered: the first time, or without memory. */
void fm_rcu_enter_first(void);
void fm_rcu_leave_locked(void);

static inline void
fm_rcu_enter(void)
{
	if (fm_thread_get(FM_THREAD_RCU) != NULL)
		urcu_memb_read_lock();
	else
		fm_rcu_enter_first();
}

static inline void
fm_rcu_leave(void)
{
	FM_RCU_LEFT();
	if (fm_thread_get(FM_THREAD_RCU) != NULL)
		urcu_memb_read_unlock();
	else
		fm_rcu_leave_locked();
}

/* Reads *place, in a section; puts another there, and returns what was. */
#define fm_rcu_load(place)	__atomic_load_n((place), __ATOMIC_ACQUIRE)
#define fm_rcu_swap(place, p)						\
	__atomic_exchange_n((place), (p), __ATOMIC_ACQ_REL)

/*
 * Waits until all who were in a section when this was called have left it.  Not
 * in a section.
 */
void fm_rcu_wait(void);

#endif
