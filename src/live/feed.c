/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Feeds: made, found by those that may share one, freed.
 */

#include <string.h>

#include "live_priv.h"

struct fm_feed *fm_feeds;

static bool
feed_same(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a == b);
	return (strcmp(a, b) == 0);
}

/* Two files can't be kept in one copy.  0, or -1 with an error. */
static int
feed_check_backup(const struct fm_live_options *options, const char *backup,
    struct fm_diag *diag)
{
	const struct fm_feed *feed;

	if (backup == NULL)
		return (0);
	assert(options->path != NULL);
	for (feed = fm_feeds; feed != NULL; feed = feed->next) {
		if (!feed_same(feed->backup, backup) ||
		    feed_same(feed->path, options->path))
			continue;
		fm_diag_error(diag, NULL, "the backup %s is that of %s "
		    "already, and can't be that of %s too: give each file "
		    "one of its own", backup, feed->path, options->path);
		return (-1);
	}
	return (0);
}

/* Copies a string, if there is one.  false: no memory. */
static bool
feed_copy(char **to, const char *from)
{
	if (from == NULL)
		return (true);
	*to = strdup(from);
	return (*to != NULL);
}

static struct fm_feed *
feed_new(const struct fm_live_options *options, const char *backup)
{
	struct fm_feed *feed;

	FM_OBJ_NEW(feed, FM_FEED_MAGIC);
	if (feed == NULL)
		return (NULL);
	feed->type = options->type;
	feed->shared = options->key != NULL && options->watch > 0;
	if (!feed_copy(&feed->key, options->key) ||
	    !feed_copy(&feed->path, options->path) ||
	    !feed_copy(&feed->backup, backup)) {
		fm_feed_free(feed);
		return (NULL);
	}
	feed->next = fm_feeds;
	fm_feeds = feed;
	return (feed);
}

struct fm_feed *
fm_feed_join(const struct fm_live_options *options, struct fm_diag *diag)
{
	const char *backup = options->backup;
	struct fm_feed *feed = NULL;

	if (backup != NULL && *backup == '\0')
		backup = NULL;
	if (feed_check_backup(options, backup, diag) != 0)
		return (NULL);
	if (options->key != NULL && options->watch > 0)
		for (feed = fm_feeds; feed != NULL; feed = feed->next)
			if (feed->shared && feed->type == options->type &&
			    feed_same(feed->key, options->key) &&
			    feed_same(feed->backup, backup))
				break;
	if (feed == NULL)
		feed = feed_new(options, backup);
	if (feed == NULL)
		fm_diag_error(diag, NULL, "out of memory");
	return (feed);
}

void
fm_feed_free(struct fm_feed *feed)
{
	FM_OBJ_CHECK(feed, FM_FEED_MAGIC);
	assert(feed->lives == NULL);
	if (feed->recipe != NULL)
		feed->type->free_recipe(feed->recipe);
	if (feed->latest != NULL)
		fm_set_drop(&feed->latest);
	if (feed->sources != NULL)
		fm_sources_free(&feed->sources);
	fm_diag_free(&feed->diag);
	free(feed->key);
	free(feed->path);
	free(feed->backup);
	FM_OBJ_FREE(feed);
}

void
fm_feed_busy(struct fm_feed *feed)
{
	FM_OBJ_CHECK(feed, FM_FEED_MAGIC);
	while (feed->busy)
		fm_live_wait();
	feed->busy = true;
}

void
fm_feed_idle(struct fm_feed *feed)
{
	FM_OBJ_CHECK(feed, FM_FEED_MAGIC);
	assert(feed->busy);
	feed->busy = false;
	fm_live_wake();
}

const struct fm_sources *
fm_feed_sources(const struct fm_feed *feed)
{
	if (feed->sources != NULL)
		return (feed->sources);
	return (feed->latest == NULL ? NULL : feed->latest->sources);
}
