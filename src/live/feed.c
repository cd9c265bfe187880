/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Feeds.  Lives that ask for the same files join one feed.  A feed reads its
 * files when they have changed (try_*), and then
 *
 *	accepts the new set: each live is bound to it and swapped,
 *	finds that the content is the same, or
 *	refuses the files: the set serves as before, and the log has the errors.
 *
 * A feed with a backup writes a copy of what serves.  The copy serves if a
 * process starts while the files are broken.
 */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "live_priv.h"

/*
 * Seconds until files that look the same are read again: if they may have
 * changed twice in a tick of the clock, and if reading failed.
 */
#define AGAIN_YOUNG	2.0
#define AGAIN_FAILED	10.0

/*
 * Files that change while they are read are read up to TRY_TIMES times, with a
 * pause of TRY_PAUSE between two tries.
 */
#define TRY_TIMES	3
#define TRY_PAUSE	20000		/* us */

struct fm_feed *fm_feeds;

/*--------------------------------------------------------------------
 * Lines that log and syslog get
 */

#define SAY_LEN		3000	/* bytes: a record of Varnish's log has room
				 * for 4,084 */

/* "N errors: the first of them".  A diag without any counts as one error. */
#define ERRORS		"%u error%s: %s"
#define ERRORS_OF(diag)							\
	fm_diag_errors(diag) == 0 ? 1 : fm_diag_errors(diag),		\
	fm_diag_errors(diag) < 2 ? "" : "s", fm_diag_first_error(diag)

/* Returns the live that tells of its feed: the newest warm one, or newest. */
static const struct fm_live *
feed_speaker(const struct fm_feed *feed)
{
	const struct fm_live *live;

	for (live = feed->lives; live != NULL; live = live->next)
		if (live->warm)
			return (live);
	return (feed->lives);
}

/*
 * Tells one line.  Varnishd cuts a line at the parameter vsl_reclen, by default
 * 255 bytes, so a line begins with what has happened.  The path of a file is
 * in the first error.
 */
__attribute__((format(printf, 3, 4)))
static void
say(const struct fm_live *live, bool error, const char *fmt, ...)
{
	char line[SAY_LEN];
	va_list ap;
	int n;

	if (live == NULL)
		return;
	n = snprintf(line, sizeof line, "fastmatch: %.500s: ", live->name);
	assert(n > 0);
	va_start(ap, fmt);
	(void)vsnprintf(line + n, sizeof line - (size_t)n, fmt, ap);
	va_end(ap);
	live->tell(live->priv, error, line);
}

/*--------------------------------------------------------------------
 * Lives join and leave feeds
 */

bool
fm_feed_reads(const struct fm_feed *feed, const struct fm_set_type *type,
    const char *key)
{
	return (key != NULL && feed->key != NULL && feed->type == type &&
	    strcmp(feed->key, key) == 0);
}

/* Returns 0, or -1 with an error: one copy can't keep two files. */
static int
feed_check_backup(const struct fm_live_options *options, struct fm_diag *diag)
{
	const struct fm_feed *feed;

	if (options->backup == NULL)
		return (0);
	assert(options->path != NULL);
	for (feed = fm_feeds; feed != NULL; feed = feed->next) {
		if (feed->lives == NULL || feed->backup == NULL ||
		    strcmp(feed->backup, options->backup) != 0 ||
		    strcmp(feed->path, options->path) == 0)
			continue;
		fm_diag_error(diag, NULL, "the backup %s is that of %s "
		    "already, and can't be that of %s too: give each file "
		    "one of its own", feed->backup, feed->path,
		    options->path);
		return (-1);
	}
	return (0);
}

static void
reading_fini(struct fm_reading *reading)
{
	if (reading->set != NULL)
		fm_set_drop(&reading->set);
	if (reading->sources != NULL)
		fm_sources_free(&reading->sources);
	fm_diag_free(&reading->diag);
}

static void
feed_free(struct fm_feed *feed)
{
	FM_OBJ_CHECK(feed, FM_FEED_MAGIC);
	feed->type->free_recipe(feed->recipe);
	reading_fini(&feed->now);
	FM_OBJ_FREE(feed);
}

static struct fm_feed *
feed_new(const struct fm_live_options *options)
{
	struct fm_feed *feed;

	FM_OBJ_NEW(feed, FM_FEED_MAGIC);
	if (feed == NULL)
		return (NULL);
	feed->type = options->type;
	feed->shared = options->key != NULL && options->watch > 0;
	feed->recipe = options->recipe;
	feed->key = options->key;
	feed->path = options->path;
	feed->backup = options->backup;
	feed->next = fm_feeds;
	fm_feeds = feed;
	return (feed);
}

struct fm_feed *
fm_feed_join(struct fm_live *live, const struct fm_live_options *options,
    struct fm_diag *diag)
{
	struct fm_feed *feed = NULL;

	if (feed_check_backup(options, diag) != 0)
		return (NULL);
	if (options->watch > 0)
		for (feed = fm_feeds; feed != NULL; feed = feed->next)
			if (feed->shared && fm_feed_reads(feed, options->type,
			    options->key))
				break;
	if (feed == NULL)
		feed = feed_new(options);
	if (feed == NULL)
		return (NULL);
	live->feed = feed;
	live->next = feed->lives;
	feed->lives = live;
	return (feed);
}

/* Frees a feed if it has no lives; gives up the lock meanwhile. */
static void
feed_end(struct fm_feed *feed)
{
	struct fm_feed **p;

	if (feed->lives != NULL || feed->busy)
		return;
	for (p = &fm_feeds; *p != feed; p = &(*p)->next)
		assert(*p != NULL);
	*p = feed->next;
	fm_live_unlock();
	feed_free(feed);
	fm_live_lock();
}

void
fm_feed_quit(struct fm_live *live)
{
	struct fm_live **p;

	for (p = &live->feed->lives; *p != live; p = &(*p)->next)
		assert(*p != NULL);
	*p = live->next;
	feed_end(live->feed);
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
	feed_end(feed);
}

/* Returns the sources to look at; NULL before anything was read. */
static const struct fm_sources *
feed_sources(const struct fm_feed *feed)
{
	if (feed->now.sources != NULL)
		return (feed->now.sources);
	return (feed->now.set == NULL ? NULL : feed->now.set->sources);
}

uint64_t
fm_feed_fingerprint(const struct fm_feed *feed)
{
	const struct fm_sources *sources = feed_sources(feed);
	uint64_t fingerprint;

	fm_live_unlock();
	fingerprint = fm_sources_fingerprint(sources);
	fm_live_lock();
	return (fingerprint);
}

/*--------------------------------------------------------------------
 * One attempt to make a set of a feed's files, without the lock
 */

/* Makes a set of these sources, which the attempt takes; NULL: no memory. */
static void
try_make(const struct fm_feed *feed, const struct fm_set *before,
    struct fm_sources *sources, struct fm_reading *reading)
{
	static uint64_t sets;
	const struct fm_place place = { .name = feed->path };
	struct fm_caps *caps = &reading->caps;
	struct fm_set *set;

	FM_OBJ_NEW(set, FM_SET_MAGIC);
	reading->diag = fm_diag_new();
	*caps = (struct fm_caps){ .file = feed->path };
	fm_live_lock();
	fm_account_others(feed, caps);
	fm_live_unlock();
	fm_caps_begin(caps);
	/* Without a diag no error would be seen. */
	if (set != NULL && sources != NULL && reading->diag != NULL)
		set->payload = feed->type->make(feed->recipe, before, sources,
		    &set->facts, reading->diag);
	fm_caps_end(true);
	if (set != NULL && set->payload != NULL) {
		if (fm_diag_warnings(reading->diag) == 0)
			fm_diag_free(&reading->diag);
		set->refs = 1;
		set->number = __atomic_add_fetch(&sets, 1, __ATOMIC_RELAXED);
		set->type = feed->type;
		set->sources = sources;
		set->diag = reading->diag;
		set->crowded = fm_caps_are_crowded(caps);
		if (!caps->over)
			memcpy(set->took, caps->used, sizeof set->took);
		(void)fm_sources_digest(sources, set->digest);
		reading->diag = NULL;
		reading->set = set;
		return;
	}
	free(set);
	reading->sources = sources;
	if (fm_diag_errors(reading->diag) > 0)
		return;
	fm_diag_error(reading->diag, feed->path == NULL ? NULL : &place,
	    "out of memory");
	reading->again = fm_live_clock() + AGAIN_FAILED;
}

/* Returns true if the VCLs of a feed have room for a set, as it is. */
static bool
set_suits(const struct fm_feed *feed, const struct fm_set *set)
{
	return (!set->crowded && fm_account_has_room(feed, set));
}

/*
 * Returns a set that may have what a feed reads: its own first, then those of
 * feeds with its key, each once, the newest first.  *number is that of the last
 * one, UINT64_MAX at first.  NULL: there are no more.
 */
static struct fm_set *
set_like(const struct fm_feed *feed, uint64_t *number)
{
	struct fm_set *own = feed->now.set, *set = NULL;
	const struct fm_feed *other;

	fm_live_lock();
	if (*number == UINT64_MAX && own != NULL) {
		*number = UINT64_MAX - 1;
		if (set_suits(feed, own))
			set = own;
	}
	for (other = set == NULL ? fm_feeds : NULL; other != NULL;
	    other = other->next)
		if (fm_feed_reads(other, feed->type, feed->key) &&
		    other->now.set != NULL && other->now.set != own &&
		    other->now.set->number < *number && (set == NULL ||
		    other->now.set->number > set->number) &&
		    set_suits(feed, other->now.set))
			set = other->now.set;
	if (set != NULL)
		(void)fm_set_hold(set);
	if (set != NULL && set != own)
		*number = set->number;
	fm_live_unlock();
	return (set);
}

/* Takes a set with the same content, or makes one. */
static void
try_any(const struct fm_feed *feed, struct fm_reading *reading)
{
	uint64_t number = UINT64_MAX;

	while ((reading->set = set_like(feed, &number)) != NULL) {
		reading->sources = fm_sources_again(reading->set->sources);
		if (reading->sources != NULL)
			return;
		fm_set_drop(&reading->set);
	}
	try_make(feed, feed->now.set, fm_sources_new(feed->backup != NULL),
	    reading);
}

/*
 * Returns true if a file has changed in this second, or the one before.  The
 * clock of files may be a little ahead of time(); a time more than a second
 * ahead is that of another machine.
 */
static bool
try_is_young(const struct fm_sources *sources, time_t began)
{
	const struct fm_source *source = fm_sources_first(sources);

	while (source != NULL && (source->glob || source->error != 0 ||
	    source->st.st_ctime < began - 1 ||
	    source->st.st_ctime > time(NULL) + 1))
		source = source->next;
	return (source != NULL);
}

/* Tries once.  Returns true if files have changed meanwhile. */
static bool
try_once(const struct fm_feed *feed, struct fm_reading *reading)
{
	const struct fm_sources *sources;
	time_t began = time(NULL);

	*reading = (struct fm_reading){ .set = NULL };
	try_any(feed, reading);
	sources = reading->sources;
	if (sources == NULL)
		sources = reading->set != NULL ? reading->set->sources :
		    feed_sources(feed);
	if (sources == NULL)
		return (false);
	reading->seen = fm_sources_seen(sources);
	if (reading->set == NULL && fm_sources_failed(sources))
		reading->again = fm_live_clock() + AGAIN_FAILED;
	if (try_is_young(sources, began))
		reading->again = fm_live_clock() + AGAIN_YOUNG;
	return (fm_sources_fingerprint(sources) != reading->seen);
}

/* Frees an attempt, and what it swapped out; gives up the lock meanwhile. */
static void
try_end(struct fm_reading *reading)
{
	fm_live_unlock();
	reading_fini(reading);
	(void)fm_version_reap();
	fm_live_lock();
}

/*
 * Reads the files; gives up the lock meanwhile.  Where another file took the
 * room of the new set meanwhile, the next try says so.
 */
static void
feed_read(struct fm_feed *feed, struct fm_reading *reading)
{
	bool again;
	int n;

	FM_OBJ_CHECK(feed, FM_FEED_MAGIC);
	assert(feed->busy);
	feed->reading = true;
	fm_live_wake();
	for (n = 1;; n++) {
		fm_live_unlock();
		again = try_once(feed, reading);
		fm_live_lock();
		if (reading->set != NULL)
			again |= !fm_account_has_room(feed, reading->set);
		if (!again || n == TRY_TIMES)
			break;
		fm_live_unlock();
		reading_fini(reading);
		(void)usleep(TRY_PAUSE);
		fm_live_lock();
	}
	feed->reading = false;
}

/*--------------------------------------------------------------------
 * Accepting or refusing what was read, under the lock
 */

bool
fm_feed_catch_up(struct fm_live *live)
{
	const struct fm_feed *feed = live->feed;
	struct fm_diag *diag;

	if (live->current == NULL ||
	    live->current->generation == feed->generation)
		return (true);
	diag = fm_diag_new();
	fm_diag_free(&live->diag);
	if (fm_version_install(live, diag) == 0) {
		fm_diag_free(&diag);
		live->unbound = 0;
		live->reloads++;
		return (true);
	}
	live->diag = diag;
	if (live->unbound != feed->generation) {
		live->unbound = feed->generation;
		live->reload_fails++;
		say(live, true, "generation %u can't serve here, "
		    "generation %u still serves, " ERRORS, feed->generation,
		    live->current->generation, ERRORS_OF(diag));
	}
	return (false);
}

/* Notes what was read.  The attempt takes what was noted before. */
static void
feed_note(struct fm_feed *feed, struct fm_reading *reading)
{
	struct fm_reading was = feed->now;

	feed->now = *reading;
	*reading = was;
	if (feed->now.set == was.set)
		return;
	feed->loaded_at = time(NULL);
	feed->saved = feed->unsaved = false;
}

#define COUNTS_LEN	128	/* bytes: two numbers, with their words */

static void
add_count(char counts[COUNTS_LEN], uint64_t n, const char *what)
{
	size_t len = strlen(counts);

	(void)snprintf(counts + len, COUNTS_LEN - len, "%s%ju %s%s",
	    len > 0 ? ", " : "", (uintmax_t)n, what, n == 1 ? "" : "s");
}

static void
say_swapped(const struct fm_feed *feed)
{
	const struct fm_set_facts *facts = &feed->now.set->facts;
	char counts[COUNTS_LEN] = "";

	if (facts->hosts > 0)
		add_count(counts, facts->hosts, "host");
	if (facts->rules > 0)
		add_count(counts, facts->rules, "rule");
	if (*counts == '\0')
		add_count(counts, facts->patterns, "pattern");
	say(feed_speaker(feed), false, "%s: generation %u: %s", feed->path,
	    feed->generation, counts);
}

static enum fm_reload
feed_accept(struct fm_feed *feed, bool asked, struct fm_reading *reading)
{
	bool was_bad = feed->last == FM_RELOAD_REFUSED;
	bool first = feed->now.set == NULL;
	enum fm_reload r = FM_RELOAD_UNCHANGED;
	struct fm_live *live;

	feed_note(feed, reading);
	feed->now.set->copied = false;
	if (feed->now.set != reading->set) {
		if (++feed->generation > 1)
			say_swapped(feed);
		for (live = feed->lives; live != NULL; live = live->next)
			(void)fm_feed_catch_up(live);
		r = FM_RELOAD_SWAPPED;
	} else if (was_bad)
		say(feed_speaker(feed), false, "%s: it is valid again, "
		    "generation %u serves it", feed->path, feed->generation);
	if (!first && (r == FM_RELOAD_SWAPPED || was_bad || asked)) {
		feed->last = r;
		feed->last_at = time(NULL);
	}
	return (r);
}

/* Returns true if the log does not have this refusal yet. */
static bool
refusal_is_news(const struct fm_feed *feed, const struct fm_reading *reading)
{
	char was[FM_DIGEST_LEN], is[FM_DIGEST_LEN];
	const struct fm_sources *sources = feed_sources(feed);

	if (feed->last != FM_RELOAD_REFUSED ||
	    strcmp(fm_diag_first_error(feed->now.diag),
	    fm_diag_first_error(reading->diag)) != 0)
		return (true);
	return (reading->sources != NULL && (sources == NULL ||
	    strcmp(fm_sources_digest(sources, was),
	    fm_sources_digest(reading->sources, is)) != 0));
}

/*
 * Keeps what serves, or serves the set that is there instead.  Returns true if
 * the log does not have this yet.
 */
static bool
feed_refuse(struct fm_feed *feed, bool asked, struct fm_reading *t)
{
	bool news = refusal_is_news(feed, t);
	struct fm_live *live;

	if (t->set == NULL)
		t->set = fm_set_hold(feed->now.set);
	if (t->sources == NULL) {
		/* Without memory the former sources are watched on. */
		t->sources = feed->now.sources;
		feed->now.sources = NULL;
	}
	feed_note(feed, t);
	feed->last = FM_RELOAD_REFUSED;
	feed->last_at = time(NULL);
	if (news || asked)
		for (live = feed->lives; live != NULL; live = live->next)
			live->reload_fails++;
	return (news);
}

enum fm_reload
fm_feed_refresh(struct fm_feed *feed, bool asked)
{
	enum fm_reload r = FM_RELOAD_REFUSED;
	struct fm_reading reading;

	assert(feed->now.set != NULL);
	feed_read(feed, &reading);
	if (reading.set != NULL)
		r = feed_accept(feed, asked, &reading);
	else if (feed_refuse(feed, asked, &reading))
		say(feed_speaker(feed), true, "reload refused, "
		    "generation %u still serves, " ERRORS, feed->generation,
		    ERRORS_OF(feed->now.diag));
	fm_feed_save(feed);
	try_end(&reading);
	return (r);
}

/*--------------------------------------------------------------------
 * The copy
 */

void
fm_feed_save(struct fm_feed *feed)
{
	const struct fm_live *live = feed->lives;
	struct fm_diag *diag;
	bool saved;

	assert(feed->busy);
	while (live != NULL && (live->current == NULL ||
	    live->current->set != feed->now.set))
		live = live->next;
	if (live == NULL || feed->backup == NULL || feed->saved ||
	    feed->now.set->copied)
		return;
	fm_live_unlock();
	diag = fm_diag_new();
	saved = fm_sources_save(feed->now.set->sources, feed->backup,
	    diag) == 0;
	fm_live_lock();
	feed->saved = saved;
	if (!saved && !feed->unsaved) {
		feed->unsaved = true;
		say(feed_speaker(feed), true, "can't keep a copy in %s, "
		    "so what serves has no backup: %s", feed->backup,
		    fm_diag_first_error(diag));
	}
	fm_diag_free(&diag);
}

/* Makes a set of the copy, without the lock. */
static void
try_copy(const struct fm_feed *feed, struct fm_reading *reading)
{
	struct fm_sources *sources;
	struct fm_diag *diag = fm_diag_new();

	sources = fm_sources_restore(feed->backup, feed->path, diag);
	if (sources == NULL) {
		reading->diag = diag;
		return;
	}
	fm_diag_free(&diag);
	try_make(feed, NULL, sources, reading);
}

static void
say_copy_serves(const struct fm_live *live)
{
	const struct fm_feed *feed = live->feed;
	char when[32] = "an unknown time";
	struct stat st;
	struct tm tm;

	if (stat(feed->backup, &st) == 0 &&
	    gmtime_r(&st.st_mtime, &tm) != NULL)
		(void)strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &tm);
	say(live, true, "the copy %s of %s serves, the file %s, " ERRORS,
	    feed->backup, when, fm_caps_are_crowded(&feed->now.caps) ?
	    "has no room" : "is not valid", ERRORS_OF(feed->now.diag));
}

/*
 * Returns true if the copy may serve instead of the file.  A new process must
 * load all VCLs that it is given, or it doesn't start.  Once it takes requests,
 * a vcl.load of a broken file fails.
 */
static bool
copy_may_serve(const struct fm_live *live)
{
	const struct fm_feed *feed = live->feed;
	const struct fm_live *other = feed->lives;

	while (other != NULL && other->current == NULL)
		other = other->next;
	return (live->starting && feed->backup != NULL && other == NULL &&
	    (feed->now.set == NULL || !feed->now.set->copied));
}

/*
 * Makes the set of the copy the latest one, and refuses the file.  Takes both
 * readings; the file's then has what was noted before.
 */
static void
feed_serve_copy(struct fm_feed *feed, struct fm_reading *copy,
    struct fm_reading *file)
{
	const struct fm_live *speaker = feed_speaker(feed);
	struct fm_live *live = feed->lives;

	copy->set->copied = true;
	file->set = copy->set;
	copy->set = NULL;
	(void)feed_refuse(feed, false, file);
	while (live != NULL && live->current == NULL)
		live = live->next;
	if (feed->generation == 0 || live != NULL)
		feed->generation++;
	for (live = feed->lives; live != NULL; live = live->next)
		(void)fm_feed_catch_up(live);
	say_copy_serves(speaker);
}

/*
 * Makes the copy the latest set, and refuses the file.  Returns 0; or -1, and
 * adds what is wrong with the copy to what is wrong with the file.
 */
static int
feed_use_copy(struct fm_live *live, struct fm_reading *file)
{
	struct fm_feed *feed = live->feed;
	struct fm_reading copy = { .set = NULL };
	struct stat st;
	int failed = 0;

	if (!copy_may_serve(live))
		return (-1);
	fm_live_unlock();
	try_copy(feed, &copy);
	fm_live_lock();
	if (copy.set != NULL) {
		feed_serve_copy(feed, &copy, file);
	} else {
		failed = -1;
		if (stat(feed->backup, &st) == 0)
			fm_diag_error(file->diag, NULL, "the copy %s can't "
			    "serve instead: %s", feed->backup,
			    fm_diag_first_error(copy.diag));
	}
	try_end(&copy);
	return (failed);
}

int
fm_feed_fall_back(struct fm_live *live, struct fm_diag **why)
{
	struct fm_reading file = { .diag = *why };
	int failed;

	assert(live->feed->busy);
	*why = NULL;
	file.again = fm_live_clock() + AGAIN_YOUNG;
	fm_live_unlock();
	file.sources = fm_sources_again(live->feed->now.set->sources);
	fm_live_lock();
	if (file.sources != NULL)
		file.seen = fm_sources_seen(file.sources);
	failed = feed_use_copy(live, &file);
	if (failed) {
		*why = file.diag;
		file.diag = NULL;
	}
	try_end(&file);
	return (failed);
}

/*
 * Lets the copy of a file serve, if it has other content, so that files which
 * come later have room.  Returns true if it does.
 */
static bool
feed_yield(struct fm_feed *feed, const struct fm_diag *why)
{
	struct fm_reading copy = { .set = NULL }, file = { .set = NULL };
	char digest[FM_DIGEST_LEN];
	bool yields;

	fm_feed_busy(feed);
	fm_live_unlock();
	copy.sources = fm_sources_restore(feed->backup, feed->path, NULL);
	if (copy.sources != NULL && strcmp(fm_sources_digest(copy.sources,
	    digest), feed->now.set->digest) != 0)
		try_copy(feed, &copy);
	file.sources = fm_sources_again(feed->now.set->sources);
	file.diag = fm_diag_new();
	fm_diag_copy(file.diag, why);
	fm_live_lock();
	yields = copy.set != NULL && file.sources != NULL;
	if (yields) {
		file.seen = fm_sources_seen(file.sources);
		memcpy(file.caps.used, feed->now.set->took,
		    sizeof file.caps.used);
		file.caps.over = true;
		feed_serve_copy(feed, &copy, &file);
	}
	try_end(&copy);
	try_end(&file);
	fm_feed_idle(feed);
	return (yields);
}

/*
 * Makes room in the VCL of a live as the process starts.  A file that had no
 * room in the process before may have come first in this one, and fill the
 * account: then its copy serves, as it did before.  Returns true if the account
 * has more room now.
 */
static bool
feed_make_room(const struct fm_live *live, const struct fm_diag *why)
{
	struct fm_feed *feed;

	for (feed = fm_feeds; feed != NULL; feed = feed->next)
		if (live->starting && live->vcl != NULL &&
		    feed != live->feed && feed->backup != NULL &&
		    feed->now.set != NULL && !feed->now.set->copied &&
		    fm_account_has(feed, live->vcl) && feed_yield(feed, why))
			return (true);
	return (false);
}

int
fm_feed_first(struct fm_live *live, struct fm_diag *diag)
{
	struct fm_reading reading;
	bool again, served;

	do {
		feed_read(live->feed, &reading);
		served = reading.set != NULL;
		if (served)
			(void)feed_accept(live->feed, false, &reading);
		else
			served = feed_use_copy(live, &reading) == 0;
		again = !served && fm_caps_are_crowded(&reading.caps) &&
		    feed_make_room(live, reading.diag);
		if (!served && !again)
			fm_diag_copy(diag, reading.diag);
		try_end(&reading);
	} while (again);
	return (served ? 0 : -1);
}
