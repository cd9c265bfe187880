/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Counts how often each rule runs and each host is asked for.
 *
 * A program has numbered counters; an `fm_hits` has an array of them for each
 * shard that fm_shard_take() may give (shard.h).  A set with many counters has
 * fewer arrays, which threads share.  Pages of unused counters take no memory.
 *
 * The counts belong to the path of the rules.  All sets of a path share one
 * registry, which finds a rule or host by its identity (a hash of what is
 * counted, not of where it stands).  So a rule whose text did not change goes
 * on counting over reloads, and over a vcl.load while another set of that path
 * is there.  The registry forgets a thing with the last set that has it.
 *
 *	registry "/etc/site.rules"
 *	  thing		past	refs		  set 1		  set 2
 *	  rule 4711	  100	   2	<-	things[0]	things[1]
 *	  rule 0815	   20	   1	<-			things[0]
 *	  host 1234	    3	   1	<-	things[1]
 */

#ifndef FM_HITS_H
#define FM_HITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_hits;

enum fm_hits_kind {
	FM_HITS_RULE,
	FM_HITS_HOST,
	FM_HITS_KINDS
};

/*
 * Makes the counters of a set that was compiled from this path.  The set counts
 * n = nrules + nhosts things: thing i has the identity ids[i] and is counted by
 * counter_of[i].  Things may share a counter, but not an identity.  Returns
 * NULL if there is no memory.  To be freed when no thread counts any more.
 */
struct fm_hits *fm_hits_new(const char *path, const uint64_t *ids,
    const uint32_t *counter_of, size_t nrules, size_t nhosts,
    uint32_t ncounters);
void fm_hits_free(struct fm_hits **);

/*
 * Returns the counters for a thread that has taken this shard.  Sets *own to
 * true if no other thread counts there now, for fm_shard_add().
 */
uint64_t *fm_hits_shard(const struct fm_hits *, unsigned shard, bool *own);

/* Sets totals[n]: how often the sets of the path have counted each thing. */
void fm_hits_totals(const struct fm_hits *, uint64_t *totals);

/*
 * Sets counts[n] to how often each thing is shown to have been counted, where
 * of each kind at most `limit` things are shown by themselves.  The others have
 * FM_HITS_OTHER, and the sum of their hits is in others[].
 *
 * A thing that is shown has a seat, as long as a set has it.  A free seat goes
 * to the busiest thing without one, and to one that was never hit only if there
 * is a seat for all.  Hits that an answer may have had in others[] stay there:
 * so no number of an answer is less than in an earlier one of the same path and
 * limit, as long as some set has the thing.
 */
#define FM_HITS_OTHER	UINT64_MAX
#define FM_HITS_TOP	1000U		/* seats of a kind, at most: no reader
					 * looks at more */
void fm_hits_top(const struct fm_hits *, uint32_t limit, uint64_t *counts,
    uint64_t others[FM_HITS_KINDS]);

/* Returns the bytes of memory, as if every counter had been used. */
size_t fm_hits_bytes(const struct fm_hits *);

#endif
