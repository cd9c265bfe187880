/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Feeds: who follows which, and the paths that were ever read.
 */

#include <string.h>

#include "live_priv.h"

struct fm_feed *fm_feeds;

/* For the life of the process: a later load of a broken file must fail. */
struct feed_path {
	struct feed_path	*next;
	enum fm_path_past	past;
	char			name[];
};

static struct feed_path *feed_paths;

static struct feed_path *
feed_path_find(const char *path)
{
	struct feed_path *p;

	for (p = feed_paths; p != NULL; p = p->next)
		if (strcmp(p->name, path) == 0)
			break;
	return (p);
}

enum fm_path_past
fm_feed_path_past(const char *path)
{
	const struct feed_path *p = feed_path_find(path);

	return (p == NULL ? FM_PATH_NEW : p->past);
}

void
fm_feed_path_note(const char *path, enum fm_path_past past)
{
	struct feed_path *p = feed_path_find(path);

	if (p == NULL) {
		/* no memory: the copy may serve once more */
		p = calloc(1, sizeof *p + strlen(path) + 1);
		if (p == NULL)
			return;
		strcpy(p->name, path);
		p->next = feed_paths;
		feed_paths = p;
	}
	if (p->past < past)
		p->past = past;
}

static bool
feed_same(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a == b);
	return (strcmp(a, b) == 0);
}

static const char *
feed_backup(const struct fm_live_options *options)
{
	return (options->backup == NULL || *options->backup == '\0' ?
	    NULL : options->backup);
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

/* A copy, if there is something to copy.  false: no memory. */
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
	const char *backup = feed_backup(options);
	struct fm_feed *feed = NULL;

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
	else
		feed->users++;
	return (feed);
}

struct fm_feed *
fm_feed_quit(struct fm_feed *feed)
{
	struct fm_feed **p;

	FM_OBJ_CHECK(feed, FM_FEED_MAGIC);
	assert(feed->users > 0);
	if (--feed->users > 0)
		return (NULL);
	assert(!feed->busy);
	assert(feed->lives == NULL);
	for (p = &fm_feeds; *p != feed; p = &(*p)->next)
		assert(*p != NULL);
	*p = feed->next;
	return (feed);
}

void
fm_feed_free(struct fm_feed *feed)
{
	FM_OBJ_CHECK(feed, FM_FEED_MAGIC);
	if (feed->recipe != NULL)
		feed->type->free_recipe(feed->recipe);
	if (feed->latest != NULL)
		fm_set_drop(&feed->latest);
	if (feed->sources != NULL)
		fm_sources_free(&feed->sources);
	if (feed->diag != NULL)
		fm_diag_free(&feed->diag);
	free(feed->told);
	free(feed->key);
	free(feed->path);
	free(feed->backup);
	FM_OBJ_FREE(feed);
}

void
fm_feed_busy(struct fm_feed *feed)
{
	FM_OBJ_CHECK(feed, FM_FEED_MAGIC);
	assert(feed->users > 0);
	while (feed->busy)
		fm_live_wait();
	feed->busy = true;
	feed->users++;
}

void
fm_feed_idle(struct fm_feed *feed)
{
	FM_OBJ_CHECK(feed, FM_FEED_MAGIC);
	assert(feed->busy);
	feed->busy = false;
	fm_live_wake();
	feed = fm_feed_quit(feed);
	if (feed == NULL)
		return;
	fm_live_unlock();
	fm_feed_free(feed);
	fm_live_lock();
}

const struct fm_sources *
fm_feed_sources(const struct fm_feed *feed)
{
	if (feed->sources != NULL)
		return (feed->sources);
	return (feed->latest == NULL ? NULL : feed->latest->sources);
}
