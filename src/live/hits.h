/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * How often each rule ran and each host was asked for.
 *
 * A program has numbered counters; an `fm_hits` has an array of them for each
 * shard that fm_shard_take() may give (shard.h).  Pages of counters that nobody
 * uses take no memory.
 *
 * What was counted belongs to the path of the rules: a home, found by the
 * path, remembers by identity (a hash of what is counted, not of where it
 * stands) what sets that are gone had counted, and knows the sets that count
 * now.  So a rule whose text did not change goes on counting over reloads,
 * and over a vcl.load while a set of that path is there: with the last of
 * them, or with the last that has the rule, it is forgotten.
 */

#ifndef FM_HITS_H
#define FM_HITS_H

#include <stddef.h>
#include <stdint.h>

struct fm_hits;

enum fm_hits_kind {
	FM_HITS_RULE,
	FM_HITS_HOST,
	FM_HITS_KINDS
};

/*
 * So many counters, and n things that are counted, rules, then hosts: thing i
 * has the identity ids[i], and is counted by counter_of[i]; several may have
 * the same counter, none the same identity.  Both are copied.  NULL: no memory.
 * Freed by the set that counts with it, when nobody counts any more: what it
 * counted goes home.
 */
struct fm_hits *fm_hits_new(const char *path, const uint64_t *ids,
    const uint32_t *counter_of, size_t nrules, size_t nhosts,
    uint32_t ncounters);
void fm_hits_free(struct fm_hits **);

/* The counters of a shard that was taken: ncounters, for fm_shard_count(). */
uint64_t *fm_hits_shard(const struct fm_hits *, unsigned shard);

/*
 * How often each of the n things was counted in all, by this and by other sets
 * of the path: totals[n].  0, or -1: no memory.
 */
int fm_hits_totals(const struct fm_hits *, uint64_t *totals);

/*
 * How often each of the n things is shown to have been counted: counts[n].  Of
 * each kind at most `limit` are shown by themselves, the busiest ones (seats.h
 * says how long they stay); the others have FM_HITS_OTHER, and their sum is in
 * others[].  As long as there is a set of the path, no number of an answer is
 * less in a later one, whichever set is asked; unless ten times `limit` things
 * are remembered already, and its own was gone from the rules meanwhile.  0, or
 * -1: no memory.
 */
#define FM_HITS_OTHER	UINT64_MAX
int fm_hits_top(const struct fm_hits *, uint32_t limit, uint64_t *counts,
    uint64_t others[FM_HITS_KINDS]);

/* Of memory, as if every counter had been used. */
size_t fm_hits_bytes(const struct fm_hits *);

#endif
