/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What there is to be shown of a live.
 */

#include <string.h>

#include "live_priv.h"

/* The first 12 digits, which a counter shows as a number. */
static uint64_t
state_digest(const char *digest)
{
	char digits[13];

	memcpy(digits, digest, 12);
	digits[12] = '\0';
	return (strtoull(digits, NULL, 16));
}

static void
state_facts(const struct fm_live *live, const struct fm_version *v,
    struct fm_live_facts *facts)
{
	const struct fm_feed *feed = live->feed;
	const struct fm_set *set = v != NULL ? v->set : live->first;

	memset(facts, 0, sizeof *facts);
	facts->set = set->facts;
	facts->digest = state_digest(set->digest);
	facts->generation = v != NULL ? v->generation : feed->generation;
	facts->loaded_at = (uint64_t)(v != NULL ? v->since : feed->loaded_at);
	facts->reloads = live->reloads;
	facts->reload_fails = live->reload_fails;
	facts->backup = v != NULL && v->generation != feed->generation ?
	    v->copied : feed->from_backup;
}

void
fm_live_facts(const struct fm_live *live, struct fm_live_facts *facts)
{
	FM_OBJ_CHECK(live, FM_LIVE_MAGIC);
	fm_live_lock();
	state_facts(live, live->current, facts);
	fm_live_unlock();
}

/* A refusal, of the feed or of this live alone.  false: no memory. */
static bool
state_errors(const struct fm_diag *diag, struct fm_live_state *state)
{
	struct fm_diag_message first;

	state->errors = fm_diag_errors(diag);
	state->diag = fm_diag_new();
	if (state->diag == NULL)
		return (false);
	if (fm_diag_message(diag, 0, &first)) {
		fm_say_copy(state->diag, diag);
		return (true);
	}
	/* there was no memory to keep a word */
	fm_diag_error(state->diag, NULL, "out of memory");
	if (state->errors == 0)
		state->errors = 1;
	return (true);
}

static bool
state_last(const struct fm_live *live, struct fm_live_state *state)
{
	const struct fm_feed *feed = live->feed;

	state->last = feed->last;
	state->last_at = feed->last_at;
	if (feed->last == FM_RELOAD_REFUSED)
		return (state_errors(feed->diag, state));
	if (live->unbound == 0)
		return (true);
	state->last = FM_RELOAD_REFUSED;
	state->last_at = live->unbound_at;
	return (state_errors(live->diag, state));
}

int
fm_live_state(const struct fm_live *live, struct fm_live_state *state)
{
	const struct fm_live *other;
	bool done;

	FM_OBJ_CHECK(live, FM_LIVE_MAGIC);
	memset(state, 0, sizeof *state);
	fm_live_lock();
	state->version = fm_live_pin(live);
	state_facts(live, state->version, &state->facts);
	state->watch = live->watch;
	state->backup = live->feed->backup;
	for (other = live->feed->lives; other != NULL; other = other->next)
		state->followers++;
	done = state_last(live, state);
	fm_live_unlock();
	if (done)
		return (0);
	fm_live_state_fini(state);
	return (-1);
}

void
fm_live_state_fini(struct fm_live_state *state)
{
	fm_version_unpin(state->version);
	state->version = NULL;
	if (state->diag != NULL)
		fm_diag_free(&state->diag);
}
