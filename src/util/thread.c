/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Keeps objects for each thread, and frees them when the thread ends.
 */

#include <pthread.h>
#include <stdbool.h>

#include "obj.h"
#include "thread.h"

__thread struct fm_thread *fm_thread_self;
static pthread_key_t thread_key;
static bool thread_key_made;
static pthread_once_t thread_once = PTHREAD_ONCE_INIT;

static void
thread_free(void *priv)
{
	struct fm_thread *t;
	unsigned i;

	FM_OBJ_CAST(t, priv, FM_THREAD_MAGIC);
	fm_thread_self = NULL;
	for (i = 0; i < FM_THREAD__KEYS; i++)
		if (t->objects[i].priv != NULL)
			t->objects[i].free(t->objects[i].priv);
	FM_OBJ_FREE(t);
}

static void
thread_init(void)
{
	thread_key_made = pthread_key_create(&thread_key, thread_free) == 0;
}

static struct fm_thread *
thread_make(void)
{
	struct fm_thread *t;
	int i;

	i = pthread_once(&thread_once, thread_init);
	assert(i == 0);
	if (!thread_key_made)
		return (NULL);
	FM_OBJ_NEW(t, FM_THREAD_MAGIC);
	if (t != NULL && pthread_setspecific(thread_key, t) != 0)
		FM_OBJ_FREE(t);
	return (t);
}

void *
fm_thread_new(enum fm_thread_key key, size_t bytes, unsigned magic,
    fm_thread_free_f *free_priv)
{
	void *priv;

	assert(key < FM_THREAD__KEYS);
	if (fm_thread_self == NULL)
		fm_thread_self = thread_make();
	if (fm_thread_self == NULL)
		return (NULL);
	FM_OBJ_CHECK(fm_thread_self, FM_THREAD_MAGIC);
	assert(fm_thread_self->objects[key].priv == NULL);
	priv = calloc(1, bytes);
	if (priv != NULL) {
		*(unsigned *)priv = magic;
		fm_thread_self->objects[key].priv = priv;
		fm_thread_self->objects[key].free = free_priv;
	}
	return (priv);
}
