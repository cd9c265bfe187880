/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The account of a VCL.  varnishd waits while a VCL compiles its files, one
 * after the other, and kills a worker that takes too long.  So the sum of what
 * all sets of a VCL took has the caps of one load.
 *
 *	VCL boot	a.rules 300,000, b.rules 150,000
 *	VCL old		a.rules 300,000
 *
 * There a.rules may grow by 50,000, as boot has no more.  Objects with the same
 * files and options (the same key) share a set, which is compiled once, and
 * counts once; if some of them keep an older set, the newest counts.
 */

#include <string.h>

#include "live_priv.h"

bool
fm_account_has(const struct fm_feed *feed, const void *vcl)
{
	const struct fm_live *live = feed->lives;

	assert(vcl != NULL);
	while (live != NULL && live->vcl != vcl)
		live = live->next;
	return (live != NULL);
}

/* Returns true if a feed of this VCL has a newer set of the same files. */
static bool
is_older(const struct fm_feed *feed, const void *vcl)
{
	const struct fm_feed *other;
	uint64_t number;

	for (other = fm_feeds; other != NULL; other = other->next) {
		if (other == feed || other->now.set == NULL ||
		    !fm_feed_reads(other, feed->type, feed->key) ||
		    !fm_account_has(other, vcl))
			continue;
		number = other->now.set->number;
		if (number > feed->now.set->number ||
		    (number == feed->now.set->number && other < feed))
			return (true);
	}
	return (false);
}

/* Adds what a VCL has but for the files of one feed. */
static void
account_sum(const void *vcl, const struct fm_feed *except,
    size_t sum[FM_CAP__COUNT])
{
	const struct fm_feed *feed;

	for (feed = fm_feeds; feed != NULL; feed = feed->next)
		if (feed != except && feed->now.set != NULL &&
		    fm_account_has(feed, vcl) &&
		    !fm_feed_reads(except, feed->type, feed->key) &&
		    !is_older(feed, vcl))
			fm_caps_add(sum, feed->now.set->took);
}

void
fm_account_others(const struct fm_feed *feed, struct fm_caps *caps)
{
	size_t sum[FM_CAP__COUNT];
	const struct fm_live *live;
	unsigned i;

	memset(caps->others, 0, sizeof caps->others);
	for (live = feed->lives; live != NULL; live = live->next) {
		if (live->vcl == NULL)
			continue;
		memset(sum, 0, sizeof sum);
		account_sum(live->vcl, feed, sum);
		for (i = 0; i < FM_CAP__COUNT; i++)
			if (caps->others[i] < sum[i])
				caps->others[i] = sum[i];
	}
}

bool
fm_account_has_room(const struct fm_feed *feed, const struct fm_set *set)
{
	struct fm_caps caps = { .over = false };

	memcpy(caps.used, set->took, sizeof caps.used);
	fm_account_others(feed, &caps);
	return (fm_caps_have_room(&caps));
}

bool
fm_account_grew(const struct fm_feed *feed)
{
	struct fm_caps caps = feed->now.caps;

	if (!fm_caps_are_crowded(&caps))
		return (false);
	fm_account_others(feed, &caps);
	return (fm_caps_have_room(&caps));
}
