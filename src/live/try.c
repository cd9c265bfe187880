/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One attempt to make a set of a feed's files as they are now.
 */

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "live_priv.h"

/*
 * Files that change while they are read are read again, so often, after so
 * long.
 */
#define TRY_TIMES	3
#define TRY_PAUSE	20000		/* us */

/*
 * A file's times go with the clock's tick (10 ms at most): one that was
 * written this many seconds ago or less may be written again and look the
 * same.
 */
#define TRY_YOUNG	0.1

static uint64_t
try_look(const struct fm_sources *sources)
{
	return (sources == NULL ? 0 : fm_sources_look(sources));
}

static double
try_seconds(const struct timespec *ts)
{
	return ((double)ts->tv_sec + 1e-9 * (double)ts->tv_nsec);
}

static bool
try_young(const struct fm_sources *sources, double began)
{
	const struct fm_source *source;
	double age;

	for (source = fm_sources_first(sources); source != NULL;
	    source = source->next) {
		if (source->glob || source->error != 0)
			continue;
		age = began - try_seconds(&source->st.st_ctim);
		if (age < TRY_YOUNG && age > -TRY_YOUNG)
			return (true);
	}
	return (false);
}

static void
try_no_memory(const struct fm_feed *feed, struct fm_try *t)
{
	const struct fm_place place = { .name = feed->path };

	if (t->diag == NULL)
		t->diag = fm_diag_new();
	fm_diag_error(t->diag, feed->path == NULL ? NULL : &place,
	    "out of memory");
	t->again = true;
}

/*
 * Makes a set of these sources, which it takes.  A set doesn't need the bytes
 * any more: they go aside, for the copy.
 */
static void
try_make(const struct fm_feed *feed, const struct fm_set *before,
    struct fm_sources *sources, bool kept, struct fm_try *t)
{
	struct fm_set_facts facts = { 0, 0, 0, 0 };
	struct fm_sources *slim = NULL;
	void *payload;

	t->diag = fm_diag_new();
	/* who has nowhere to say what is wrong would find nothing wrong */
	payload = t->diag == NULL ? NULL :
	    feed->type->make(feed->recipe, before, sources, &facts, t->diag);
	if (payload == NULL) {
		if (fm_diag_errors(t->diag) == 0)
			try_no_memory(feed, t);
		t->sources = sources;
		return;
	}
	if (kept)
		slim = fm_sources_slim(sources);
	if (slim != NULL) {
		t->kept = sources;
		sources = slim;
	}
	if (fm_diag_warnings(t->diag) == 0)
		fm_diag_free(&t->diag);
	t->set = fm_set_new(feed->type, feed->key, payload, sources, &facts,
	    t->diag);
	t->diag = NULL;
	if (t->set == NULL)
		try_no_memory(feed, t);
}

/* The cheapest first: what serves already, what others have, a new one. */
static void
try_once(const struct fm_feed *feed, const struct fm_set *before,
    struct fm_try *t)
{
	struct fm_sources *sources;

	if (feed->latest != NULL && feed->latest->sources != NULL) {
		t->sources = fm_sources_again(feed->latest->sources, false);
		if (t->sources != NULL) {
			fm_live_lock();
			t->set = fm_set_hold(feed->latest);
			fm_live_unlock();
			return;
		}
	}
	if (feed->key != NULL) {
		t->set = fm_set_find_now(feed->type, feed->key, feed->latest,
		    &t->sources);
		if (t->set != NULL)
			return;
	}
	sources = fm_sources_new(feed->backup != NULL);
	if (sources == NULL)
		try_no_memory(feed, t);
	else
		try_make(feed, before, sources, feed->backup != NULL, t);
}

/* What was read, or at least what is looked at. */
static const struct fm_sources *
try_sources(const struct fm_feed *feed, const struct fm_try *t)
{
	if (t->sources != NULL)
		return (t->sources);
	return (t->set != NULL ? t->set->sources : fm_feed_sources(feed));
}

void
fm_try_read(const struct fm_feed *feed, const struct fm_set *before,
    struct fm_try *t)
{
	const struct fm_sources *sources;
	struct timespec now;
	double began;
	int i, n;

	assert(feed->busy);
	for (n = 1;; n++) {
		*t = (struct fm_try){ .set = NULL };
		i = clock_gettime(CLOCK_REALTIME, &now);
		assert(i == 0);
		began = try_seconds(&now);
		try_once(feed, before, t);
		sources = try_sources(feed, t);
		if (sources == NULL)
			return;
		t->seen = fm_sources_seen(sources);
		t->moved = try_look(sources) != t->seen;
		t->young = try_young(sources, began);
		if (t->set == NULL && fm_sources_failed(sources))
			t->again = true;
		if (!t->moved || n == TRY_TIMES)
			return;
		fm_try_fini(t);
		(void)usleep(TRY_PAUSE);
	}
}

void
fm_try_given(struct fm_set *set, struct fm_try *t)
{
	FM_OBJ_CHECK(set, FM_SET_MAGIC);
	*t = (struct fm_try){ .set = set };
	if (set->sources != NULL)
		t->seen = fm_sources_seen(set->sources);
	/* it may be long ago that it was read */
	t->young = set->sources != NULL;
}

void
fm_try_backup(const struct fm_feed *feed, struct fm_try *t)
{
	struct fm_sources *sources;
	struct fm_diag *diag;

	assert(feed->busy);
	*t = (struct fm_try){ .set = NULL };
	diag = fm_diag_new();
	sources = fm_sources_restore(feed->backup, feed->path, diag);
	if (sources == NULL) {
		t->diag = diag;
		return;
	}
	if (diag != NULL)
		fm_diag_free(&diag);
	try_make(feed, NULL, sources, false, t);
}

void
fm_try_fini(struct fm_try *t)
{
	if (t->set != NULL)
		fm_set_drop(&t->set);
	if (t->sources != NULL)
		fm_sources_free(&t->sources);
	if (t->kept != NULL)
		fm_sources_free(&t->kept);
	if (t->diag != NULL)
		fm_diag_free(&t->diag);
}
