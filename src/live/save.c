/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Keeps a copy of what was accepted.
 */

#include <pthread.h>
#include <string.h>

#include "live_priv.h"

/* Several feeds may have the same copy, of the same file. */
static pthread_mutex_t save_mtx = PTHREAD_MUTEX_INITIALIZER;

/* 0, or -1 with what is wrong in the diag. */
static int
save_write(const struct fm_sources *sources, const char *copy,
    struct fm_diag *diag)
{
	int i, r;

	i = pthread_mutex_lock(&save_mtx);
	assert(i == 0);
	r = fm_sources_save(sources, copy, diag);
	i = pthread_mutex_unlock(&save_mtx);
	assert(i == 0);
	return (r);
}

static void
save_failed(struct fm_feed *feed, const struct fm_diag *diag)
{
	const char *digest = feed->latest->digest;

	if (strcmp(feed->unsaved, digest) == 0)
		return;
	strcpy(feed->unsaved, digest);
	fm_live_lock();
	fm_say_unsaved(feed, diag);
	fm_live_unlock();
}

static bool
save_serves(const struct fm_feed *feed)
{
	const struct fm_live *live;

	fm_live_lock();
	for (live = feed->lives; live != NULL; live = live->next)
		if (live->current != NULL &&
		    live->current->set == feed->latest)
			break;
	fm_live_unlock();
	return (live != NULL);
}

void
fm_feed_save(struct fm_feed *feed, const struct fm_try *t)
{
	const struct fm_set *set = feed->latest;
	struct fm_sources *again = NULL;
	struct fm_diag *diag;

	assert(feed->busy);
	if (feed->backup == NULL || feed->from_backup ||
	    set->sources == NULL || strcmp(feed->saved, set->digest) == 0 ||
	    !save_serves(feed))
		return;
	if (t == NULL || t->kept == NULL) {
		/* changed meanwhile: then the next has its turn */
		again = fm_sources_again(set->sources, true);
		if (again == NULL)
			return;
	}
	diag = fm_diag_new();
	if (save_write(again != NULL ? again : t->kept, feed->backup,
	    diag) == 0) {
		strcpy(feed->saved, set->digest);
		*feed->unsaved = '\0';
	} else
		save_failed(feed, diag);
	if (diag != NULL)
		fm_diag_free(&diag);
	if (again != NULL)
		fm_sources_free(&again);
}
