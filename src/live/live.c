/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lives: what an object calls at open, WARM, COLD and close, to reload, and to
 * show its state.
 */

#include <stdio.h>
#include <string.h>

#include "live_priv.h"

#define LIVE_WATCH	0.01	/* seconds, the least watch: the times of files
				 * are from a clock that ticks no faster */

static void
live_free(struct fm_live *live)
{
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
	live->vcl = options->vcl;
	live->side = options->side;
	live->bind = options->bind;
	live->tell = options->tell;
	live->priv = options->priv;
	return (live);
}

/* Gives the feed of a live its set.  Returns 0, or -1 with the reason. */
static int
live_join(struct fm_live *live, struct fm_diag *diag)
{
	const struct fm_set *latest = live->feed->now.set;

	if (latest != NULL && latest->copied && live->starting &&
	    fm_account_has_room(live->feed, latest))
		/* Another VCL has found that the file can't serve. */
		live->reload_fails++;
	else if (fm_feed_first(live, diag) != 0)
		return (-1);
	fm_diag_copy(diag, live->feed->now.set->diag);
	return (0);
}

struct fm_live *
fm_live_open(const struct fm_live_options *options, struct fm_diag *diag)
{
	struct fm_feed *feed = NULL;
	struct fm_live *live = live_new(options);
	bool taken = false;
	int failed = -1;

	assert(options->recipe != NULL);
	fm_live_lock();
	if (live != NULL)
		feed = fm_feed_join(live, options, diag);
	if (feed != NULL) {
		taken = feed->recipe == options->recipe;
		fm_feed_busy(feed);
		failed = live_join(live, diag);
		if (failed)
			fm_feed_quit(live);
		fm_feed_idle(feed);
	}
	fm_live_unlock();
	if (failed && live != NULL)
		live_free(live);
	if (failed && fm_diag_errors(diag) == 0)
		fm_diag_no_memory(diag);
	if (!taken)
		options->type->free_recipe(options->recipe);
	return (failed ? NULL : live);
}

const struct fm_set *
fm_live_first(const struct fm_live *live)
{
	FM_OBJ_CHECK(live, FM_LIVE_MAGIC);
	return (live->current == NULL ? live->feed->now.set : NULL);
}

/*
 * Binds the feed's set.  Returns 0, or -1 with the reason in *why, if nothing
 * serves yet; else what serves goes on.
 */
static int
live_bind(struct fm_live *live, struct fm_diag **why)
{
	fm_diag_free(why);
	if (live->current != NULL) {
		(void)fm_feed_catch_up(live);
		return (0);
	}
	*why = fm_diag_new();
	return (fm_version_install(live, *why));
}

/*
 * Reads the files again if they look different from when they were last read,
 * as the VCL may have been cold for hours, even since its load.  Binds what is
 * there, or the copy.
 */
static int
live_look(struct fm_live *live, struct fm_diag **why)
{
	struct fm_feed *feed = live->feed;
	int failed;

	fm_feed_busy(feed);
	if (live->watch > 0 && fm_feed_fingerprint(feed) != feed->now.seen)
		(void)fm_feed_refresh(feed, false);
	failed = live_bind(live, why);
	if (failed && fm_feed_fall_back(live, why) == 0)
		failed = live_bind(live, why);
	if (failed == 0) {
		live->warm = true;
		fm_feed_save(feed);
	}
	fm_feed_idle(feed);
	return (failed);
}

int
fm_live_warm(struct fm_live *live, struct fm_diag *diag)
{
	const struct fm_feed *feed;
	struct fm_diag *why = NULL;
	int failed = 0;

	FM_OBJ_CHECK(live, FM_LIVE_MAGIC);
	fm_live_lock();
	feed = live->feed;
	while (feed->busy && !feed->reading)
		fm_live_wait();
	/* A new set takes long: what can be bound serves until it is there. */
	if (feed->busy && live_bind(live, &why) == 0)
		live->warm = true;
	else
		failed = live_look(live, &why);
	fm_live_unlock();
	fm_diag_copy(diag, why);
	fm_diag_free(&why);
	if (failed && fm_diag_errors(diag) == 0)
		fm_diag_no_memory(diag);
	(void)fm_version_reap();
	return (failed);
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
	fm_version_remove(live);
	fm_feed_quit(live);
	fm_live_unlock();
	live_free(live);
	(void)fm_version_reap();
}

/*--------------------------------------------------------------------
 * Reading again
 */

struct live_reload {
	struct fm_live		*live;
	enum fm_reload		result;
};

/* Reloads a live, as a job of the watcher; the result is for this live only. */
static void
live_reload(void *priv)
{
	struct live_reload *job = priv;
	struct fm_live *live = job->live;

	fm_live_lock();
	fm_feed_busy(live->feed);
	job->result = fm_feed_refresh(live->feed, true);
	if (!fm_feed_catch_up(live))
		job->result = FM_RELOAD_REFUSED;
	fm_feed_idle(live->feed);
	fm_live_unlock();
	(void)fm_version_reap();
}

enum fm_reload
fm_live_reload(struct fm_live *live)
{
	struct live_reload job = { .live = live };

	FM_OBJ_CHECK(live, FM_LIVE_MAGIC);
	if (!fm_watcher_do(live_reload, &job))
		live_reload(&job);
	return (job.result);
}

/*--------------------------------------------------------------------
 * Facts and states
 */

static void
live_facts(const struct fm_live *live, const struct fm_version *version,
    struct fm_live_facts *facts)
{
	const struct fm_feed *feed = live->feed;
	const struct fm_set *set = version != NULL ? version->set :
	    feed->now.set;
	char digits[13];

	/* The counter in varnishstat is a number of 12 digits. */
	(void)snprintf(digits, sizeof digits, "%.12s", set->digest);
	*facts = (struct fm_live_facts){
		.set = set->facts,
		.generation = version != NULL ? version->generation :
		    feed->generation,
		.reloads = live->reloads,
		.reload_fails = live->reload_fails,
		.loaded_at = (uint64_t)(version != NULL ? version->since :
		    feed->loaded_at),
		.digest = strtoull(digits, NULL, 16),
		.backup = set->copied
	};
}

void
fm_live_facts(const struct fm_live *live, struct fm_live_facts *facts)
{
	FM_OBJ_CHECK(live, FM_LIVE_MAGIC);
	fm_live_lock();
	live_facts(live, live->current, facts);
	fm_live_unlock();
}

/* Fills in a refusal: of the feed's files, or of binding this live. */
static void
state_refused(struct fm_live_state *state, const struct fm_diag *diag)
{
	state->last = FM_RELOAD_REFUSED;
	state->diag = fm_diag_new();
	fm_diag_copy(state->diag, diag);
	/* There may have been no memory to keep any message. */
	if (fm_diag_errors(diag) == 0)
		fm_diag_no_memory(state->diag);
	state->errors = fm_diag_errors(state->diag);
}

int
fm_live_state(const struct fm_live *live, struct fm_live_state *state)
{
	const struct fm_live *other;
	const struct fm_feed *feed;

	FM_OBJ_CHECK(live, FM_LIVE_MAGIC);
	memset(state, 0, sizeof *state);
	fm_live_lock();
	feed = live->feed;
	state->version = fm_live_pin(live);
	live_facts(live, state->version, &state->facts);
	state->watch = live->watch;
	state->backup = feed->backup;
	for (other = feed->lives; other != NULL; other = other->next)
		state->followers++;
	state->last = feed->last;
	state->last_at = feed->last_at;
	if (feed->last == FM_RELOAD_REFUSED)
		state_refused(state, feed->now.diag);
	else if (live->unbound != 0)
		state_refused(state, live->diag);
	fm_live_unlock();
	if (state->last != FM_RELOAD_REFUSED || state->diag != NULL)
		return (0);
	fm_live_state_fini(state);
	return (-1);
}

void
fm_live_state_fini(struct fm_live_state *state)
{
	fm_version_unpin(state->version);
	state->version = NULL;
	fm_diag_free(&state->diag);
}
