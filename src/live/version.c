/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Versions: how they get to readers, and how they are got rid of.
 *
 * A version that was swapped out is retired.  It is freed when both is true:
 *
 * 1. A grace period began after the swap and is over.  So nobody is between
 *    get and put with it, and nobody is between loading it and counting a pin
 *    (fm_live_pin() does both in one section).
 * 2. The sum of its pins is 0.
 *
 * Threads count in a place of their own, and unpin where they happen to be:
 * one place may be below 0, only the sum says something, and the places are
 * read one by one while others go on.  It is right all the same: by 1 no pin
 * is added any more, and all that were are seen.  So each place only goes
 * down from here; the sum as it was read is no less than the sum at the end
 * of reading, and that is no less than 0.  If it is 0 there is no pin.
 */

#include <string.h>

#include "live_priv.h"
#include "rcu.h"
#include "shard.h"

/* Retired ones, the newest first. */
static struct fm_version *version_retired;
static uint64_t version_era;		/* of the last that was retired */
static uint64_t version_safe;		/* up to here 1 is true */

static struct fm_version *
version_new(struct fm_live *live, void *binding)
{
	const struct fm_feed *feed = live->feed;
	struct fm_version *v;

	v = aligned_alloc(__alignof__(struct fm_version), sizeof *v);
	if (v == NULL)
		return (NULL);
	memset(v, 0, sizeof *v);
	v->magic = FM_VERSION_MAGIC;
	v->generation = feed->generation;
	v->set = fm_set_hold(feed->latest);
	v->payload = v->set->payload;
	v->binding = binding;
	v->live = live;
	v->since = feed->loaded_at;
	v->copied = feed->from_backup;
	return (v);
}

int
fm_version_install(struct fm_live *live, struct fm_diag *diag)
{
	struct fm_version *v, *old;
	void *binding = NULL;

	FM_OBJ_CHECK(live, FM_LIVE_MAGIC);
	if (live->bind != NULL && live->bind(live->priv, live->feed->latest,
	    &binding, diag) != 0) {
		free(binding);
		return (-1);
	}
	v = version_new(live, binding);
	if (v == NULL) {
		free(binding);
		fm_diag_error(diag, NULL, "out of memory");
		return (-2);
	}
	old = fm_rcu_swap(&live->current, v);
	if (old != NULL) {
		FM_OBJ_CHECK(old, FM_VERSION_MAGIC);
		old->era = ++version_era;
		old->next = version_retired;
		version_retired = old;
	}
	return (0);
}

static uint32_t
version_pins(const struct fm_version *v)
{
	uint32_t sum = 0;
	unsigned i;

	for (i = 0; i < FM_PINS; i++)
		sum += __atomic_load_n(&v->pins[i].n, __ATOMIC_ACQUIRE);
	return (sum);
}

void
fm_version_free_list(struct fm_version *v)
{
	struct fm_version *next;

	for (; v != NULL; v = next) {
		FM_OBJ_CHECK(v, FM_VERSION_MAGIC);
		next = v->next;
		free(v->binding);
		fm_set_drop(&v->set);
		FM_OBJ_FREE(v);
	}
}

bool
fm_version_waiting(void)
{
	return (version_retired != NULL);
}

/* Takes those off the list that nobody can have. */
static struct fm_version *
version_unused(void)
{
	struct fm_version *v, **p = &version_retired, *unused = NULL;

	while ((v = *p) != NULL) {
		FM_OBJ_CHECK(v, FM_VERSION_MAGIC);
		if (v->era > version_safe || version_pins(v) != 0) {
			p = &v->next;
			continue;
		}
		*p = v->next;
		v->next = unused;
		unused = v;
	}
	return (unused);
}

/*
 * They stay in the list while readers are waited for, where their live finds
 * them if it is closed meanwhile.
 */
void
fm_version_reap(void)
{
	struct fm_version *unused;
	uint64_t era;

	fm_live_lock();
	era = version_era;
	if (version_retired != NULL && era > version_safe) {
		fm_live_unlock();
		fm_rcu_wait();
		fm_live_lock();
		if (version_safe < era)
			version_safe = era;
	}
	unused = version_unused();
	fm_live_unlock();
	fm_version_free_list(unused);
}

struct fm_version *
fm_version_take(struct fm_live *live)
{
	struct fm_version *v, **p = &version_retired, *taken;

	taken = fm_rcu_swap(&live->current, NULL);
	assert(taken == NULL || taken->next == NULL);
	while ((v = *p) != NULL) {
		if (v->live != live) {
			p = &v->next;
			continue;
		}
		*p = v->next;
		v->next = taken;
		taken = v;
	}
	for (v = taken; v != NULL; v = v->next)
		assert(version_pins(v) == 0);
	return (taken);
}

/*--------------------------------------------------------------------
 * Readers
 */

const struct fm_version *
fm_live_get(const struct fm_live *live)
{
	const struct fm_version *v;

	FM_OBJ_CHECK(live, FM_LIVE_MAGIC);
	fm_rcu_enter();
	v = fm_rcu_load(&live->current);
	if (v == NULL)
		fm_rcu_leave();
	return (v);
}

void
fm_live_put(const struct fm_version *v)
{
	if (v == NULL)
		return;
	assert(v->magic == FM_VERSION_MAGIC);
	fm_rcu_leave();
}

/* Counting is for whoever has a version that is const for him. */
static uint32_t *
version_shard(const struct fm_version *v)
{
	struct fm_version *w = (struct fm_version *)(uintptr_t)v;

	_Static_assert(FM_PINS == FM_SHARDS, "one for each shard");
	return (&w->pins[fm_shard()].n);
}

/* Relaxed: the end of the section is what frees wait for. */
const struct fm_version *
fm_live_pin(const struct fm_live *live)
{
	const struct fm_version *v;

	v = fm_live_get(live);
	if (v == NULL)
		return (NULL);
	(void)__atomic_fetch_add(version_shard(v), 1, __ATOMIC_RELAXED);
	fm_live_put(v);
	return (v);
}

void
fm_version_unpin(const struct fm_version *v)
{
	if (v == NULL)
		return;
	assert(v->magic == FM_VERSION_MAGIC);
	(void)__atomic_fetch_sub(version_shard(v), 1, __ATOMIC_RELEASE);
}
