/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Counts how often each rule runs and each host is asked for, and the responses
 * of each host; keeps the last hour of that as curves (history.h).
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
 *	  thing		hits	refs		  set 1		  set 2
 *	  rule 4711	  100	   2	<-	things[0]	things[1]
 *	  rule 0815	   20	   1	<-			things[0]
 *	  host 1234	    3	   1	<-	things[1]
 */

#ifndef FM_HITS_H
#define FM_HITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "history.h"

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

/*
 * Counts a request whose host is none of the set, in a shard that
 * fm_hits_shard() has returned.
 */
void fm_hits_unknown(const struct fm_hits *, uint64_t *shard, bool own);

/*
 * Counts that a request was refused.  `host` is the number of its host in this
 * very set, from 0; or UINT32_MAX: none.
 */
void fm_hits_refused(const struct fm_hits *, uint32_t host);

/*
 * The responses of a host that were delivered: each is counted by where it came
 * from, and if it is an error, by its status, too.
 */
enum fm_hits_response {
	FM_HITS_HIT,		/* from the cache */
	FM_HITS_MISS,		/* fetched, to be stored */
	FM_HITS_PASS,		/* fetched, not to be stored */
	FM_HITS_OWN,		/* made by Varnish */
	FM_HITS_4XX,
	FM_HITS_5XX,
	FM_HITS_RESPONSES
};

struct fm_hits_responses {
	uint64_t	n[FM_HITS_RESPONSES];
};

/*
 * Has the sets of the path count responses from now on, those that are there
 * and those that come; until the path's last set is freed.  Without this call
 * the responses of the path are not known.  Threads may count meanwhile.
 * Returns 0, or -1 if there is no memory; then they are not known.
 */
int fm_hits_want_responses(const struct fm_hits *);

/*
 * Counts a response in a shard that the thread has taken; does nothing if
 * responses are not wanted.  `host` is as for fm_hits_refused(): a request that
 * found its host by another set has to look it up again.  A response without a
 * host is in the history only.  A status of 600 or more is that of its last
 * three digits, as it is sent.
 */
void fm_hits_count(const struct fm_hits *, unsigned shard, uint32_t host,
    enum fm_hits_response from, unsigned status);

/*
 * Gathers what the sets of all paths have counted, into the numbers below and
 * into the histories.  Counters are read in 32 bits, and what was counted since
 * the last call is the difference.  So it is to be called before a rule or host
 * can have 2^32 more hits or responses of a kind: once a second.  `now` is the
 * time in seconds of a clock that is not set.  No thread waits for all of it:
 * it holds the lock for half a millisecond at a time.
 *
 * The functions below gather the sets of their path, too.
 */
void fm_hits_sum(double now);

/*
 * The history of a path.  The owners of seats are NULL or not; hosts[] has
 * their numbers in the set, or UINT32_MAX if it has no such host.
 */
struct fm_hits_history {
	struct fm_history	history;
	uint32_t		hosts[FM_HISTORY_SEATS];
	bool			responding;	/* responses are known */
};

/*
 * The numbers of a path at one moment, as its sets have counted them.  A
 * pointer that is NULL is not asked for.
 */
struct fm_hits_numbers {
	uint64_t		*totals;	/* of n things */
	double			*rates;		/* of n things: a second, over
						 * the last 30 to 60 seconds, or
						 * over less while the path is
						 * younger */
	bool			rated;		/* false: no rate is known yet,
						 * as nothing was counted for a
						 * second; rates[] is not set */
	struct fm_hits_responses *responses;	/* of nhosts */
	bool			responding;	/* false: not known;
						 * responses[] is not set */
	struct fm_hits_history	*history;
};

/* Sets the numbers at the time `now`, as fm_hits_sum() gets it. */
void fm_hits_read(const struct fm_hits *, double now,
    struct fm_hits_numbers *);

/*
 * Sets counts[n] to how often each thing is shown to have been counted, where
 * of each kind at most `limit` things are shown by themselves.  The others have
 * FM_HITS_OTHER, and the sum of their hits is in others[].
 *
 * Also sets responses[nhosts + 1], for hosts that are shown, and in the last
 * one for the others together.  Returns false, and sets none of them, if
 * responses are not known.
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
bool fm_hits_top(const struct fm_hits *, uint32_t limit, uint64_t *counts,
    uint64_t others[FM_HITS_KINDS], struct fm_hits_responses *responses);

/*
 * Return the bytes of memory, as if every counter had been used, with the
 * history of the path: of a set, and of one that would be made so.
 */
size_t fm_hits_bytes(const struct fm_hits *);
size_t fm_hits_room(size_t nrules, size_t nhosts, uint32_t ncounters,
    bool responses);

#endif
