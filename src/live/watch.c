/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Watching: when the files of a feed are looked at, and what is read when.
 *
 * What looks different is looked at again until it looks the same twice in a
 * row: an editor that writes in pieces, or a tool that copies ten files, is
 * waited for.  Not for ever: each text is checked whole anyway.
 */

#include "live_priv.h"

#define WATCH_SETTLE_LEAST	0.02	/* seconds between two such looks */
#define WATCH_SETTLE_MOST	1.0
#define WATCH_SETTLES		10	/* at most */
#define WATCH_BUSY		0.02	/* until somebody else is done */

/* The least of those that are warm; 0: nobody watches. */
static double
watch_least(const struct fm_feed *feed)
{
	const struct fm_live *live;
	double watch = 0;

	for (live = feed->lives; live != NULL; live = live->next)
		if (live->warm && live->watch > 0 &&
		    (watch <= 0 || live->watch < watch))
			watch = live->watch;
	return (watch);
}

static double
watch_settle(double watch)
{
	watch /= 2;
	if (watch < WATCH_SETTLE_LEAST)
		return (WATCH_SETTLE_LEAST);
	return (watch > WATCH_SETTLE_MOST ? WATCH_SETTLE_MOST : watch);
}

/* It looks as it did. */
static void
watch_same(struct fm_feed *feed)
{
	feed->settles = 0;
	if (feed->backoff > 0 && fm_live_clock() >= feed->retry)
		(void)fm_feed_refresh(feed, FM_WHY_WATCH);
	else if (feed->young)
		(void)fm_feed_refresh(feed, FM_WHY_YOUNG);
}

/* It looks different.  true: and it is not known yet what comes of it. */
static bool
watch_other(struct fm_feed *feed, uint64_t look)
{
	if (feed->settles > 0 && (look == feed->settling ||
	    feed->settles >= WATCH_SETTLES) &&
	    fm_feed_refresh(feed, FM_WHY_WATCH) != FM_RELOAD_NEVER) {
		feed->settles = 0;
		return (false);
	}
	feed->settles++;
	feed->settling = look;
	return (true);
}

static void
watch_look(struct fm_feed *feed, double watch)
{
	const struct fm_sources *sources;
	bool unsettled = false;
	uint64_t look = 0;

	fm_feed_busy(feed);
	sources = fm_feed_sources(feed);
	fm_live_unlock();
	if (sources != NULL)
		look = fm_sources_look(sources);
	fm_live_lock();
	if (look == feed->handled)
		watch_same(feed);
	else
		unsettled = watch_other(feed, look);
	feed->due = fm_live_clock() +
	    (unsettled ? watch_settle(watch) : watch);
	fm_feed_idle(feed);
}

/* When this feed is due; 0: never. */
static double
watch_due(struct fm_feed *feed, double now, double watch)
{
	if (watch <= 0 || feed->recipe == NULL) {
		feed->due = 0;
		feed->settles = 0;
		return (0);
	}
	/* the first time, or somebody came who wants it sooner */
	if (feed->due <= 0 || feed->due > now + WATCH_SETTLE_MOST + watch)
		feed->due = now + watch;
	else if (feed->settles == 0 && feed->due > now + watch)
		feed->due = now + watch;
	return (feed->busy ? now + WATCH_BUSY : feed->due);
}

/* The one that has waited longest has its turn, so that none waits for ever. */
bool
fm_watch_round(double now, double *next)
{
	struct fm_feed *feed, *first = NULL;
	double due, watch, first_due = 0, first_watch = 0;

	for (feed = fm_feeds; feed != NULL; feed = feed->next) {
		FM_OBJ_CHECK(feed, FM_FEED_MAGIC);
		watch = watch_least(feed);
		due = watch_due(feed, now, watch);
		if (due <= 0 || (first != NULL && due >= first_due))
			continue;
		first = feed;
		first_due = due;
		first_watch = watch;
	}
	if (first == NULL)
		return (false);
	if (first_due <= now) {
		watch_look(first, first_watch);
		return (true);
	}
	if (first_due < *next)
		*next = first_due;
	return (false);
}
