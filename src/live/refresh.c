/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What comes of reading a feed's files: a swap, nothing, or bad news.
 */

#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "live_priv.h"

/* Seconds after which reading is tried again by itself, doubled each time. */
#define REFRESH_FIRST	1.0
#define REFRESH_LAST	60.0

/* So often a file that keeps changing is looked at before it is refused. */
#define REFRESH_PATIENCE	20

static time_t
refresh_now(void)
{
	struct timespec ts;
	int i = clock_gettime(CLOCK_REALTIME, &ts);

	assert(i == 0);
	return (ts.tv_sec);
}

bool
fm_feed_catch_up(struct fm_live *live)
{
	const struct fm_feed *feed = live->feed;
	struct fm_diag *diag;

	if (live->current == NULL ||
	    live->current->generation == feed->generation)
		return (true);
	diag = fm_diag_new();
	if (fm_version_install(live, diag) == 0) {
		if (diag != NULL)
			fm_diag_free(&diag);
		if (live->diag != NULL)
			fm_diag_free(&live->diag);
		live->unbound = 0;
		live->reloads++;
		return (true);
	}
	if (live->diag != NULL)
		fm_diag_free(&live->diag);
	live->diag = diag;
	live->unbound_at = refresh_now();
	if (live->unbound != feed->generation) {
		live->unbound = feed->generation;
		live->reload_fails++;
		fm_say_unbound(live);
	}
	return (false);
}

/* What both outcomes have in common.  What it was goes with the attempt. */
static void
refresh_note(struct fm_feed *feed, struct fm_try *t)
{
	struct fm_sources *sources = feed->sources;

	feed->handled = t->seen;
	feed->young = t->young;
	feed->sources = t->sources;
	t->sources = sources;
}

static void
refresh_publish(struct fm_feed *feed, struct fm_try *t)
{
	struct fm_set *old = feed->latest;
	struct fm_live *live;

	feed->latest = t->set;
	t->set = old;
	feed->generation++;
	feed->loaded_at = refresh_now();
	if (feed->generation > 1)
		fm_say_swapped(feed);
	for (live = feed->lives; live != NULL; live = live->next)
		(void)fm_feed_catch_up(live);
}

static enum fm_reload
refresh_accept(struct fm_feed *feed, enum fm_why why, struct fm_try *t)
{
	bool was_bad = feed->last == FM_RELOAD_REFUSED;
	bool first = feed->latest == NULL;
	enum fm_reload r = FM_RELOAD_UNCHANGED;

	refresh_note(feed, t);
	if (feed->diag != NULL)
		fm_diag_free(&feed->diag);
	free(feed->told);
	feed->told = NULL;
	feed->backoff = 0;
	feed->from_backup = false;
	if (feed->path != NULL)
		fm_feed_path_note(feed->path, FM_PATH_LOADED);
	if (t->set != feed->latest) {
		refresh_publish(feed, t);
		r = FM_RELOAD_SWAPPED;
	} else if (was_bad)
		fm_say_again(feed);
	if (!first && (r == FM_RELOAD_SWAPPED || was_bad ||
	    why == FM_WHY_WATCH || why == FM_WHY_RELOAD)) {
		feed->last = r;
		feed->last_at = refresh_now();
	}
	return (r);
}

/* Is it news, and not what was told before? */
static bool
refresh_is_news(struct fm_feed *feed, const struct fm_try *t)
{
	const char *first = fm_say_first_error(t->diag);
	char digest[FM_DIGEST_LEN] = "";

	if (t->sources != NULL)
		(void)fm_sources_digest(t->sources, digest);
	if (feed->told != NULL && strcmp(feed->told_digest, digest) == 0 &&
	    strcmp(feed->told, first) == 0)
		return (false);
	free(feed->told);
	feed->told = strdup(first);
	strcpy(feed->told_digest, digest);
	return (true);
}

static void
refresh_refuse(struct fm_feed *feed, enum fm_why why, struct fm_try *t)
{
	struct fm_diag *diag = feed->diag;
	bool same = t->seen == feed->handled && feed->backoff > 0;
	bool news = refresh_is_news(feed, t);
	struct fm_live *live;

	if (t->sources == NULL) {
		/* no memory: what is looked at stays as it was */
		t->sources = feed->sources;
		feed->sources = NULL;
	}
	refresh_note(feed, t);
	feed->diag = t->diag;
	t->diag = diag;
	feed->last = FM_RELOAD_REFUSED;
	feed->last_at = refresh_now();
	if (!t->again)
		feed->backoff = 0;
	else
		feed->backoff = same ? 2 * feed->backoff : REFRESH_FIRST;
	if (feed->backoff > REFRESH_LAST)
		feed->backoff = REFRESH_LAST;
	if (feed->backoff > 0)
		feed->retry = fm_live_clock() + feed->backoff;
	if (news || why == FM_WHY_RELOAD)
		for (live = feed->lives; live != NULL; live = live->next)
			live->reload_fails++;
	if (news && why != FM_WHY_OPEN)
		fm_say_refused(feed);
}

enum fm_reload
fm_feed_refresh(struct fm_feed *feed, enum fm_why why)
{
	enum fm_reload r;
	struct fm_try t;

	FM_OBJ_CHECK(feed, FM_FEED_MAGIC);
	assert(feed->busy);
	assert(feed->latest != NULL);
	if (feed->recipe == NULL)
		return (FM_RELOAD_UNCHANGED);
	feed->reading = true;
	fm_live_wake();
	fm_live_unlock();
	fm_try_read(feed, feed->latest, &t);
	fm_live_lock();
	feed->reading = false;
	if (why == FM_WHY_WATCH && t.moved && feed->settles < REFRESH_PATIENCE)
		r = FM_RELOAD_NEVER;	/* may be parts of two texts */
	else if (t.set != NULL)
		r = refresh_accept(feed, why, &t);
	else {
		refresh_refuse(feed, why, &t);
		r = FM_RELOAD_REFUSED;
	}
	fm_live_unlock();
	if (r == FM_RELOAD_SWAPPED || r == FM_RELOAD_UNCHANGED)
		fm_feed_save(feed, &t);
	fm_try_fini(&t);
	fm_version_reap();
	fm_live_lock();
	return (r);
}

/*--------------------------------------------------------------------
 * The first time
 */

/* What another feed has of this copy; it can't have changed since. */
static struct fm_set *
refresh_backup_of_others(const struct fm_feed *feed)
{
	const struct fm_feed *f;

	for (f = fm_feeds; f != NULL; f = f->next)
		if (f != feed && f->from_backup && f->type == feed->type &&
		    feed->key != NULL && f->key != NULL &&
		    strcmp(f->key, feed->key) == 0 &&
		    strcmp(f->backup, feed->backup) == 0)
			return (fm_set_hold(f->latest));
	return (NULL);
}

/* Neither the file nor its copy. */
static void
refresh_fault(const struct fm_feed *feed, const struct fm_try *file,
    const struct fm_try *copy, struct fm_diag *diag)
{
	struct stat st;

	fm_say_copy(diag, file->diag);
	if (fm_diag_errors(file->diag) == 0)
		fm_diag_error(diag, NULL, "out of memory");
	if (copy != NULL && stat(feed->backup, &st) == 0)
		fm_diag_error(diag, NULL, "the copy %s can't serve instead: "
		    "%s", feed->backup, fm_say_first_error(copy->diag));
}

/*
 * All VCLs that a new process is given must load, or it doesn't start; once it
 * takes requests, a vcl.load of a file that is known to be broken fails.
 */
static bool
refresh_may_copy(const struct fm_live *live)
{
	enum fm_path_past past = fm_feed_path_past(live->feed->path);

	return (past == FM_PATH_NEW ||
	    (past == FM_PATH_COPIED && live->starting));
}

/* The copy serves instead of this file.  0, or -1. */
static int
refresh_copy(struct fm_live *live, struct fm_try *file, struct fm_diag *diag)
{
	struct fm_feed *feed = live->feed;
	struct fm_try copy = { .set = NULL };
	struct fm_set *old = feed->latest;
	struct stat st;

	copy.set = refresh_backup_of_others(feed);
	if (copy.set == NULL) {
		fm_live_unlock();
		fm_try_backup(feed, &copy);
		fm_live_lock();
	}
	if (copy.set == NULL) {
		refresh_fault(feed, file, &copy, diag);
	} else {
		feed->latest = copy.set;
		copy.set = old;
		if (feed->generation == 0)
			feed->generation = 1;
		feed->loaded_at = refresh_now();
		feed->from_backup = true;
		fm_feed_path_note(feed->path, FM_PATH_COPIED);
		refresh_refuse(feed, FM_WHY_OPEN, file);
		fm_say_backup(live, feed->diag,
		    stat(feed->backup, &st) == 0 ? st.st_mtime : 0);
	}
	fm_live_unlock();
	fm_try_fini(&copy);
	fm_live_lock();
	return (feed->from_backup ? 0 : -1);
}

/*
 * The file of a process that has never read it: its copy serves, so that a
 * broken file doesn't keep a cache down that was restarted.  0, or -1.
 */
static int
refresh_backup(struct fm_live *live, struct fm_try *file,
    struct fm_diag *diag)
{
	struct fm_feed *feed = live->feed;

	if (feed->backup == NULL || !refresh_may_copy(live)) {
		refresh_fault(feed, file, NULL, diag);
		return (-1);
	}
	if (feed->from_backup) {
		live->reload_fails++;
		return (0);
	}
	assert(feed->latest == NULL);
	return (refresh_copy(live, file, diag));
}

/*
 * What the file came to is looked at from here on; the old set, of which that
 * was a part, goes.
 */
bool
fm_feed_fall_back(struct fm_live *live, struct fm_diag **why)
{
	struct fm_feed *feed = live->feed;
	struct fm_try file = { .diag = *why };
	const struct fm_live *other;
	bool done;

	assert(feed->busy);
	for (other = feed->lives; other != NULL; other = other->next)
		if (other->current != NULL)
			return (false);
	if (feed->backup == NULL || feed->from_backup || !live->starting)
		return (false);
	*why = fm_diag_new();
	fm_live_unlock();
	if (feed->latest->sources != NULL)
		file.sources = fm_sources_again(feed->latest->sources, false);
	fm_live_lock();
	if (file.sources != NULL)
		file.seen = fm_sources_seen(file.sources);
	done = refresh_copy(live, &file, *why) == 0;
	if (done && *why != NULL)
		fm_diag_free(why);
	fm_live_unlock();
	fm_try_fini(&file);
	fm_live_lock();
	return (done);
}

/*
 * In a process that starts another VCL has found out already that the file
 * can't serve.  Without the lock.
 */
static bool
first_has_copy(const struct fm_live *live)
{
	const struct fm_feed *feed = live->feed;
	const struct fm_sources *sources;

	if (!feed->from_backup || !live->starting)
		return (false);
	sources = fm_feed_sources(feed);
	return (sources != NULL &&
	    fm_sources_look(sources) == feed->handled);
}

int
fm_feed_first(struct fm_live *live, struct fm_set *given,
    struct fm_diag *diag)
{
	struct fm_feed *feed = live->feed;
	bool accepted;
	struct fm_try t;
	int r = 0;

	assert(feed->busy);
	fm_live_unlock();
	if (given == NULL && first_has_copy(live)) {
		fm_live_lock();
		live->reload_fails++;
		live->first = fm_set_hold(feed->latest);
		return (0);
	}
	/* others may be ahead of what was read in vcl_init */
	if (given != NULL && feed->latest != NULL &&
	    given != feed->latest && fm_set_is_stale(given))
		fm_set_drop(&given);
	if (given != NULL)
		fm_try_given(given, &t);
	else
		fm_try_read(feed, feed->latest, &t);
	fm_live_lock();
	accepted = t.set != NULL;
	if (accepted)
		(void)refresh_accept(feed, FM_WHY_OPEN, &t);
	else
		r = refresh_backup(live, &t, diag);
	if (r == 0)
		live->first = fm_set_hold(feed->latest);
	fm_live_unlock();
	if (accepted)
		fm_feed_save(feed, &t);
	fm_try_fini(&t);
	fm_version_reap();
	fm_live_lock();
	return (r);
}
