/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lives: opened, warm, cold, closed; and reading again when asked.
 */

#include <string.h>

#include "keeper.h"
#include "live_priv.h"

#define LIVE_WATCH	0.01	/* seconds, at least */

static void
live_free(struct fm_live *live)
{
	if (live->first != NULL)
		fm_set_drop(&live->first);
	if (live->diag != NULL)
		fm_diag_free(&live->diag);
	free(live->name);
	FM_OBJ_FREE(live);
}

static struct fm_live *
live_new(const struct fm_live_options *options)
{
	struct fm_live *live;

	FM_OBJ_NEW(live, FM_LIVE_MAGIC);
	if (live == NULL)
		return (NULL);
	live->name = strdup(options->name);
	if (live->name == NULL) {
		FM_OBJ_FREE(live);
		return (NULL);
	}
	if (options->watch > 0)
		live->watch = options->watch < LIVE_WATCH ? LIVE_WATCH :
		    options->watch;
	live->starting = options->starting;
	live->bind = options->bind;
	live->tell = options->tell;
	live->priv = options->priv;
	return (live);
}

/*
 * Takes the live out of its feed; unlocks, and frees it.  Who made the feed
 * busy goes on without it, and needn't be waited for.
 */
static void
live_leave(struct fm_live *live)
{
	struct fm_feed *feed = live->feed;
	struct fm_version *versions;
	struct fm_live **p;

	for (p = &feed->lives; *p != live; p = &(*p)->next)
		assert(*p != NULL);
	*p = live->next;
	versions = fm_version_take(live);
	feed = fm_feed_quit(feed);
	fm_live_unlock();
	fm_version_free_list(versions);
	live_free(live);
	if (feed != NULL)
		fm_feed_free(feed);
}

/* The first to come brings the recipe for all. */
static void
live_recipe(struct fm_feed *feed, void **recipe)
{
	if (feed->recipe != NULL)
		return;
	feed->recipe = *recipe;
	*recipe = NULL;
}

/* Of what was taken. */
static struct fm_live *
live_open(const struct fm_live_options *options, void **recipe,
    struct fm_set **first, struct fm_diag *diag)
{
	struct fm_set *given = *first;
	struct fm_live *live;

	live = live_new(options);
	if (live == NULL) {
		fm_diag_error(diag, NULL, "out of memory");
		return (NULL);
	}
	fm_live_lock();
	live->feed = fm_feed_join(options, diag);
	if (live->feed == NULL) {
		fm_live_unlock();
		live_free(live);
		return (NULL);
	}
	fm_feed_busy(live->feed);
	live_recipe(live->feed, recipe);
	live->next = live->feed->lives;
	live->feed->lives = live;
	*first = NULL;
	if (fm_feed_first(live, given, diag) != 0) {
		fm_feed_idle(live->feed);
		live_leave(live);
		return (NULL);
	}
	fm_feed_idle(live->feed);
	fm_live_unlock();
	return (live);
}

struct fm_live *
fm_live_open(const struct fm_live_options *options, struct fm_diag *diag)
{
	struct fm_set *first = options->first;
	void *recipe = options->recipe;
	struct fm_live *live;

	assert(options->type != NULL);
	assert(options->name != NULL);
	assert(recipe != NULL || first != NULL);
	live = live_open(options, &recipe, &first, diag);
	if (recipe != NULL)
		options->type->free_recipe(recipe);
	if (first != NULL)
		fm_set_drop(&first);
	return (live);
}

const struct fm_set *
fm_live_first(const struct fm_live *live)
{
	FM_OBJ_CHECK(live, FM_LIVE_MAGIC);
	return (live->first);
}

/* Binds what the feed has by now, or its copy.  0, or -1. */
static int
live_begin(struct fm_live *live, struct fm_set **first, struct fm_diag *diag)
{
	struct fm_diag *why = fm_diag_new();
	int r;

	r = fm_version_install(live, why);
	if (r == -1 && fm_feed_fall_back(live, &why))
		r = fm_version_install(live, diag);
	if (why != NULL) {
		fm_say_copy(diag, why);
		fm_diag_free(&why);
	}
	if (r != 0)
		return (-1);
	*first = live->first;
	live->first = NULL;
	return (0);
}

/*
 * Do the files look as when they were last read?  A VCL may have been cold for
 * hours, from its start on too.
 */
static void
live_recheck(struct fm_live *live)
{
	struct fm_feed *feed = live->feed;
	const struct fm_sources *sources = fm_feed_sources(feed);
	uint64_t look;

	if (live->watch > 0 && sources != NULL) {
		fm_live_unlock();
		look = fm_sources_look(sources);
		fm_live_lock();
		if (look != feed->handled ||
		    (feed->young && live->current != NULL))
			(void)fm_feed_refresh(feed, FM_WHY_WARM);
	}
}

/*
 * The keeper reads the files just now, which may take long: it serves what the
 * feed has, and is told of what comes of that as all others.  false: it can't
 * be bound, perhaps what comes can.
 */
static bool
live_warm_meanwhile(struct fm_live *live, struct fm_set **first)
{
	while (live->feed->busy && !live->feed->reading)
		fm_live_wait();
	if (!live->feed->reading)
		return (false);
	if (live->current != NULL) {
		(void)fm_feed_catch_up(live);
	} else {
		if (fm_version_install(live, NULL) != 0)
			return (false);
		*first = live->first;
		live->first = NULL;
	}
	live->warm = true;
	return (true);
}

int
fm_live_warm(struct fm_live *live, struct fm_diag *diag)
{
	struct fm_set *first = NULL;
	int r = 0;

	FM_OBJ_CHECK(live, FM_LIVE_MAGIC);
	fm_live_lock();
	if (live_warm_meanwhile(live, &first)) {
		fm_live_unlock();
		if (first != NULL)
			fm_set_drop(&first);
		return (0);
	}
	fm_feed_busy(live->feed);
	live_recheck(live);
	if (live->current == NULL)
		r = live_begin(live, &first, diag);
	else
		(void)fm_feed_catch_up(live);
	if (r == 0)
		live->warm = true;
	fm_live_unlock();
	if (r == 0)
		fm_feed_save(live->feed, NULL);
	fm_live_lock();
	fm_feed_idle(live->feed);
	fm_live_unlock();
	if (first != NULL)
		fm_set_drop(&first);
	fm_version_reap();
	return (r);
}

void
fm_live_cold(struct fm_live *live)
{
	FM_OBJ_CHECK(live, FM_LIVE_MAGIC);
	fm_live_lock();
	live->warm = false;
	fm_live_unlock();
}

void
fm_live_close(struct fm_live **livep)
{
	struct fm_live *live;

	FM_OBJ_TAKE(live, livep, FM_LIVE_MAGIC);
	fm_live_lock();
	while (live->feed->busy && !live->feed->reading)
		fm_live_wait();
	live_leave(live);
}

/*--------------------------------------------------------------------
 * Reading again
 */

struct live_reload {
	struct fm_live		*live;
	enum fm_reload		result;
};

/* What it comes to for this live, whatever it is for others. */
static void
live_reload(void *priv)
{
	struct live_reload *job = priv;
	struct fm_live *live = job->live;
	uint64_t swaps;

	fm_live_lock();
	fm_feed_busy(live->feed);
	swaps = live->reloads;
	job->result = fm_feed_refresh(live->feed, FM_WHY_RELOAD);
	if (job->result != FM_RELOAD_REFUSED) {
		if (!fm_feed_catch_up(live))
			job->result = FM_RELOAD_REFUSED;
		else if (live->reloads != swaps)
			job->result = FM_RELOAD_SWAPPED;
	}
	fm_feed_idle(live->feed);
	fm_live_unlock();
	fm_version_reap();
}

enum fm_reload
fm_live_reload(struct fm_live *live)
{
	struct live_reload job = { .live = live };

	FM_OBJ_CHECK(live, FM_LIVE_MAGIC);
	if (!fm_keeper_do(live_reload, &job))
		live_reload(&job);
	return (job.result);
}
