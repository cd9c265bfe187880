/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Decides when the keeper looks at the files of a feed, and when it reads them.
 *
 * Files that look different are looked at again, until two looks in a row are
 * the same.  So an editor that writes in pieces, or a tool that copies ten
 * files, has time to finish.  After FM_SETTLES looks the files are read anyway:
 * what is read is checked as a whole.
 */

#include "live_priv.h"

#define SETTLE_MOST	1.0	/* seconds between such looks, at most */
#define WATCH_NEVER	1e9	/* seconds: longer than a process lives */

/* Returns the least watch of the lives that are warm; 0: nobody watches. */
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

/* Deals with files that look as they did when they were last read. */
static void
watch_same(struct fm_feed *feed)
{
	feed->settles = 0;
	if (feed->backoff > 0 && fm_live_clock() >= feed->retry)
		(void)fm_feed_refresh(feed, FM_WHY_WATCH);
	else if (feed->once_more)
		(void)fm_feed_refresh(feed, FM_WHY_ONCE_MORE);
}

/* Deals with files that look different.  Returns true: look again soon. */
static bool
watch_other(struct fm_feed *feed, bool rests)
{
	if (feed->settles > 0 && (rests || feed->settles >= FM_SETTLES) &&
	    fm_feed_refresh(feed, FM_WHY_WATCH) != FM_RELOAD_NEVER) {
		feed->settles = 0;
		return (false);
	}
	feed->settles++;
	return (true);
}

static void
watch_look(struct fm_feed *feed, double watch)
{
	uint64_t last = feed->look;

	fm_feed_busy(feed);
	fm_live_unlock();
	feed->look = fm_sources_look(fm_feed_sources(feed));
	fm_live_lock();
	if (feed->look == feed->handled)
		watch_same(feed);
	else if (watch_other(feed, feed->look == last))
		watch = watch / 2 < SETTLE_MOST ? watch / 2 : SETTLE_MOST;
	feed->due = fm_live_clock() + watch;
	fm_feed_idle(feed);
}

/* Looks at the feed that is due first, so that each has its turn. */
double
fm_watch_round(void)
{
	struct fm_feed *feed, *first = NULL;
	double now = fm_live_clock(), watch;

	for (feed = fm_feeds; feed != NULL; feed = feed->next) {
		FM_OBJ_CHECK(feed, FM_FEED_MAGIC);
		watch = watch_least(feed);
		if (watch <= 0) {
			feed->due = 0;
			feed->settles = 0;
			continue;
		}
		/* The feed is new, or a live with a smaller watch came. */
		if (feed->due <= 0 || feed->due > now + watch)
			feed->due = now + watch;
		/* A busy feed wakes the keeper when it is idle. */
		if (!feed->busy && (first == NULL || feed->due < first->due))
			first = feed;
	}
	if (first == NULL)
		return (WATCH_NEVER);
	if (first->due > now)
		return (first->due);
	watch_look(first, watch_least(first));
	return (now);
}
