/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Keeps objects for each thread: Hyperscan's scratch, PCRE2's match data,
 * buffers and caches.  An object is made when its thread first needs it, and is
 * freed when the thread ends.  The process needs one pthread key for all of
 * them.
 *
 * Also locks mutexes, which can't fail.
 */

#ifndef FM_THREAD_H
#define FM_THREAD_H

#include <pthread.h>
#include <stddef.h>

#include "obj.h"

enum fm_thread_key {
	FM_THREAD_SCAN,
	FM_THREAD_REGEX,
	FM_THREAD_PATSET,
	FM_THREAD_NEGOTIATE,
	FM_THREAD_RCU,
	FM_THREAD__KEYS
};

typedef void fm_thread_free_f(void *);

struct fm_thread {
	unsigned		magic;
#define FM_THREAD_MAGIC		0x7c1f0e27
	unsigned		shard;		/* for shard.h */
	unsigned		shard_stays;
	struct {
		void			*priv;
		fm_thread_free_f	*free;
	}			objects[FM_THREAD__KEYS];
};

/*
 * The objects of the calling thread; NULL until it first keeps one.  This is
 * one pointer, so that a module which is loaded late finds room for it in the
 * static block of thread-local storage.  Reading it there is one instruction.
 */
extern __thread struct fm_thread *fm_thread_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Returns what the calling thread keeps for this key; NULL: nothing yet. */
static inline void *
fm_thread_get(enum fm_thread_key key)
{
	return (fm_thread_self == NULL ? NULL :
	    fm_thread_self->objects[key].priv);
}

/*
 * Makes an object for this key, of these bytes, and keeps it until the thread
 * ends, when free_priv() is called with it.  The object is zero except for the
 * magic at its start.  Returns NULL if there is no memory, or no pthread key.
 */
void *fm_thread_new(enum fm_thread_key, size_t bytes, unsigned magic,
    fm_thread_free_f *free_priv);

/*
 * Returns the object that the calling thread keeps for this key, which
 * fm_thread_new() makes when there is none yet; NULL if there is no memory.
 */
static inline void *
fm_thread_make(enum fm_thread_key key, size_t bytes, unsigned magic,
    fm_thread_free_f *free_priv)
{
	void *priv = fm_thread_get(key);

	return (priv != NULL ? priv :
	    fm_thread_new(key, bytes, magic, free_priv));
}

static inline void
fm_mutex_lock(pthread_mutex_t *mtx)
{
	int error = pthread_mutex_lock(mtx);

	assert(error == 0);
}

static inline void
fm_mutex_unlock(pthread_mutex_t *mtx)
{
	int error = pthread_mutex_unlock(mtx);

	assert(error == 0);
}

#endif
