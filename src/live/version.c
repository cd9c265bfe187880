/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Versions: how they are swapped, and when they are freed.
 *
 * A version that was swapped out is retired.  It is freed when both is true:
 *
 * 1. A grace period began after the swap and is over.  So no thread is between
 *    get and put with this version, and none is between loading it and counting
 *    its pin (fm_live_pin() does both in one section).
 * 2. The sum of its pins is 0.
 *
 * Each thread counts in the place of its shard, so a pin may be added in one
 * place and dropped in another.  One place may be below 0; only the sum means
 * something.  The places are read one after the other, while other threads
 * unpin.  The sum is right all the same: by 1 no pin is added any more, and all
 * that were added are seen.  So each place can only go down.  The sum as read
 * is therefore no less than the true sum at the end of reading, which is no
 * less than 0.  If the sum as read is 0, no pin is left.
 */

#include <stdio.h>
#include <string.h>

#include "live_priv.h"
#include "rcu.h"
#include "shard.h"

static struct fm_version *version_retired;

static uint32_t
version_pins(const struct fm_version *version)
{
	uint32_t sum = 0;
	unsigned i;

	for (i = 0; i < fm_shards; i++)
		sum += __atomic_load_n(&version->pins[i].n, __ATOMIC_ACQUIRE);
	return (sum);
}

static struct fm_version *
version_new(const struct fm_live *live, void *binding)
{
	const struct fm_feed *feed = live->feed;
	struct fm_version *version;
	size_t bytes = sizeof *version + fm_shards * sizeof version->pins[0];

	version = aligned_alloc(__alignof__(struct fm_version), bytes);
	if (version == NULL)
		return (NULL);
	memset(version, 0, bytes);
	version->magic = FM_VERSION_MAGIC;
	version->generation = feed->generation;
	version->words_len = (unsigned)snprintf(version->words,
	    sizeof version->words, " generation %u%s%s", version->generation,
	    live->side == NULL ? "" : " of ",
	    live->side == NULL ? "" : live->side);
	assert(version->words_len < sizeof version->words);
	version->set = fm_set_hold(feed->now.set);
	version->payload = version->set->payload;
	version->binding = binding;
	version->since = feed->loaded_at;
	return (version);
}

static void
version_free(struct fm_version *version)
{
	free(version->binding);
	fm_set_drop(&version->set);
	FM_OBJ_FREE(version);
}

static void
version_swap(struct fm_live *live, struct fm_version *version)
{
	struct fm_version *old = fm_rcu_swap(&live->current, version);

	if (old == NULL)
		return;
	FM_OBJ_CHECK(old, FM_VERSION_MAGIC);
	old->next = version_retired;
	version_retired = old;
}

int
fm_version_install(struct fm_live *live, struct fm_diag *diag)
{
	struct fm_version *version;
	void *binding = NULL;

	FM_OBJ_CHECK(live, FM_LIVE_MAGIC);
	if (live->bind != NULL && live->bind(live->priv, live->feed->now.set,
	    &binding, diag) != 0) {
		free(binding);
		return (-1);
	}
	version = version_new(live, binding);
	if (version == NULL) {
		free(binding);
		fm_diag_error(diag, NULL, "out of memory");
		return (-1);
	}
	version_swap(live, version);
	return (0);
}

void
fm_version_remove(struct fm_live *live)
{
	assert(live->current == NULL || version_pins(live->current) == 0);
	version_swap(live, NULL);
}

/* Takes the whole list first: all on it are retired before the grace period. */
bool
fm_version_reap(void)
{
	struct fm_version *version, *next;
	bool left = false;

	fm_live_lock();
	next = version_retired;
	version_retired = NULL;
	fm_live_unlock();
	if (next != NULL)
		fm_rcu_wait();
	while ((version = next) != NULL) {
		FM_OBJ_CHECK(version, FM_VERSION_MAGIC);
		next = version->next;
		if (version_pins(version) == 0) {
			version_free(version);
			continue;
		}
		left = true;
		fm_live_lock();
		version->next = version_retired;
		version_retired = version;
		fm_live_unlock();
	}
	return (left);
}
