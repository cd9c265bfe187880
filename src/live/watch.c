/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Decides when the keeper looks at the files of a feed, and when it reads them.
 *
 * Files that look different are looked at again, until two looks in a row are
 * the same.  So an editor that writes in pieces, or a tool that copies ten
 * files, has time to finish.  After SETTLES looks the files are read anyway:
 * what is read is checked as a whole.
 */

#include "live_priv.h"

#define SETTLES		10	/* looks */
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

static void
watch_look(struct fm_feed *feed, double watch)
{
	uint64_t last = feed->look;
	bool read;

	fm_feed_busy(feed);
	fm_live_unlock();
	feed->look = fm_sources_look(fm_feed_sources(feed));
	fm_live_lock();
	if (feed->look == feed->handled) {
		feed->settles = 0;
		read = feed->again > 0 && fm_live_clock() >= feed->again;
	} else {
		read = feed->settles > 0 && (feed->look == last ||
		    feed->settles >= SETTLES);
		feed->settles++;
	}
	if (read) {
		(void)fm_feed_refresh(feed, false);
		feed->settles = 0;
	} else if (feed->settles > 0)
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
