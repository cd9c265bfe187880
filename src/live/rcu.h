/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lets readers use what another thread may swap and free, without waiting: by
 * liburcu, in its flavour "memb".  Only this file includes liburcu.
 *
 *	reader				writer
 *	fm_rcu_enter();			old = fm_rcu_swap(&place, new);
 *	p = fm_rcu_load(&place);	fm_rcu_wait();
 *	... uses p ...			free(old);
 *	fm_rcu_leave();
 *
 * A section is what a reader does between enter and leave.  Sections may be
 * nested.  A thread is registered when it first enters one, until it ends.
 * Without memory for that, the thread holds a lock in its sections instead.
 */

#ifndef FM_RCU_H
#define FM_RCU_H

/*
 * ThreadSanitizer takes liburcu's accesses for races, so liburcu is not inlined
 * for it.  These two macros tell it what a grace period means: whatever readers
 * did before they left happens before the end of the wait.
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
 * Asks liburcu to inline its functions for readers.  Its licence lets anybody
 * take functions of ten lines or less from its headers.
 */
#  ifndef _LGPL_SOURCE
#    define _LGPL_SOURCE
#  endif
#endif
#include <urcu/urcu-memb.h>
#include <urcu/static/urcu-memb.h>	/* is a thread registered? */

#include "obj.h"
#include "thread.h"

/* Enter and leave for a thread that is not registered (yet). */
void fm_rcu_enter_first(void) __attribute__((cold));
void fm_rcu_leave_locked(void) __attribute__((cold));

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

/* Leaves a section that found nothing: rare, so it is not inlined. */
void fm_rcu_leave_nothing(void) __attribute__((cold));

/* Load reads *place, in a section.  Swap sets *place, and returns the old. */
#define fm_rcu_load(place)	__atomic_load_n((place), __ATOMIC_ACQUIRE)
#define fm_rcu_swap(place, p)						\
	__atomic_exchange_n((place), (p), __ATOMIC_ACQ_REL)

/*
 * Waits until all threads that are in a section now have left it.  Must not be
 * called in a section.
 */
void fm_rcu_wait(void);

#endif
