/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The counters that varnishstat shows as FASTMATCH.<vcl>.<object>, and the log
 * lines (SLT_Error) about things that should not happen.  Each object has one
 * set of counters, and the module's functions have one for each VCL.
 *
 * A worker takes a shard (util/shard.h) and counts there, so that workers do
 * not all write to the same cache line.  The watcher adds the shards up into
 * varnishstat once a second; a VCL that gets warm or cold does so, too.
 */

#ifndef FM_COUNTERS_H
#define FM_COUNTERS_H

#include <stdint.h>

#include "counters_shown.h"
#include "rules_refuse.h"
#include "shard.h"
#include "tally.h"
#include "words.h"

struct VSC_fastmatch;
struct fm_live;
struct fm_vsc;
struct vsc_seg;

/*
 * The counters have the names of fastmatch.vsc.in, and those of the verdicts
 * the names of words.h.  The first cache line (eight counters) has those that
 * nearly every request writes to.  The next have those that some requests write
 * to, and the last the rare ones.
 */
#define FM_COUNTERS(X, V)						\
	X(lookups) X(hits) X(exact_hits) X(wildcard_hits)		\
	X(url_rewrites) X(header_edits) X(scans) X(confirms)		\
									\
	X(default_hits) FM_VERDICTS(V)					\
									\
	X(regex_limit) X(engine_fallback) X(workspace_overflow)		\
	X(undecided) X(esi_ignored) X(misplaced) X(unfinished)		\
	X(out_of_memory)						\
	X(refused_slots) X(refused_workspace) X(refused_size)		\
	X(refused_memory) X(refused_undecided) X(refused_fragment)	\
	X(refused_client) X(refused_fetch) X(refused_response)		\
	X(refused_delivery) X(bans) X(bans_failed)			\
	X(shadow_runs) X(shadow_differs)				\
	X(shadow_key_runs) X(shadow_key_differs)			\
	X(shadow_fetch_runs) X(shadow_fetch_differs)			\
	X(shadow_response_runs) X(shadow_response_differs)		\
	X(shadow_delivery_runs) X(shadow_delivery_differs)		\
	X(next_runs)

enum fm_counter {
#define X(name)	FM_COUNT_##name,
#define V(name, word, class, manual, phases, ends, counter, ...) X(counter)
	FM_COUNTERS(X, V)
#undef X
#undef V
	FM_COUNT__N
};

struct fm_counter_shard {
	uint64_t		n[FM_COUNT__N];
} __attribute__((aligned(64)));

/* Sums over the objects of a path. */
struct fm_counters_total {
	uint64_t		sums[FM_COUNT__N];
	uint64_t		reloads;
	uint64_t		reload_fails;
};

struct fm_counters {
	unsigned		magic;
#define FM_COUNTERS_MAGIC	0x6c3e8a15
	struct fm_counter_shard	*shards;	/* NULL: no memory */
	const char		*name;		/* of the object; NULL: these
						 * are the functions' */
	char			*ident;		/* "vcl.object", as in VCL */
	char			*shown;		/* ident for varnishstat */
	struct VSC_fastmatch	*vsc;		/* NULL: not shown, or no
						 * memory */
	struct vsc_seg		*seg;
	const struct fm_live	*live;		/* has the gauges; or NULL */
	const char		*path;		/* of the rules; or NULL */
	struct fm_counters_total past;	/* of objects of the path that are
					 * gone, and of closed lives */
	double			since;		/* VTIM_mono(), seconds: when
						 * all counters were 0 */
	VTAILQ_ENTRY(fm_counters) list;		/* all fm_counters */
};

/*
 * Make and free counters, in the CLI thread.  The name must outlive the
 * counters.  varnishstat has them if they are `shown`.
 */
void fm_counters_init(VRT_CTX, struct fm_counters *, const char *name,
    enum fm_counters_kind, bool shown);
void fm_counters_fini(struct fm_counters *);

/*
 * Takes the gauges, reload and reload_fail from this live from now on; with
 * NULL, from none.  To be called with NULL before the live is closed.
 */
void fm_counters_live(struct fm_counters *, const struct fm_live *);

/*
 * Writes all counters into varnishstat: once a second, and at WARM and COLD.
 * It asks lives for their facts, so a function that is called under the lock of
 * live must not call it.
 */
void fm_counters_sum(void);

/*
 * Adds whatever these counters count to the totals of a path as well.  The
 * totals of a path include the objects that are gone, as long as one object
 * with that path is left: an object that goes leaves its counts to another one.
 * To be called before the object has a live; the path must outlive the
 * counters.
 */
void fm_counters_at(struct fm_counters *, const char *path);

/* Fills in the totals of the object's path, and the gauges of its live. */
void fm_counters_path(const struct fm_counters *, struct fm_vsc *);

/* Fills in the present sums; returns the seconds since they were 0. */
double fm_counters_read(const struct fm_counters *,
    uint64_t sums[FM_COUNT__N]);

/* Adds n to a counter, in a shard that the caller has taken. */
static inline void
fm_counters_in(const struct fm_counters *counters, unsigned shard,
    enum fm_counter what, uint64_t n)
{
	if (counters->shards != NULL && n != 0)
		fm_shard_count(shard, &counters->shards[shard].n[what], n);
}

/* Adds n to a counter, and takes a shard for that. */
static inline void
fm_counters_add(const struct fm_counters *counters, enum fm_counter what,
    uint64_t n)
{
	unsigned shard;

	if (n == 0)
		return;
	shard = fm_shard_take();
	fm_counters_in(counters, shard, what, n);
	fm_shard_give(shard);
}

/*
 * Counts and logs what is missing for a method, or why the method does nothing,
 * and the outcome.  FM_COUNT__N counts nothing.
 */
void fm_counters_log(VRT_CTX, const struct fm_counters *, enum fm_counter,
    const char *method, const char *missing, const char *outcome);

/* Counts and logs a workspace without room. */
void fm_counters_overflow(VRT_CTX, const struct fm_counters *,
    const char *method, const char *outcome);

/* Counts a refused request, and logs what there was no room for. */
void fm_counters_refused(VRT_CTX, const struct fm_counters *,
    const char *method, enum fm_refusal);

/* Returns true if a regex reached the match limit, or the engine failed. */
static inline bool
fm_counters_has_trouble(const struct fm_tally *tally)
{
	return ((tally->over_limit | tally->fallbacks) != 0);
}

/* Counts and logs regexes at the match limit, and failures of the engine. */
void fm_counters_trouble(VRT_CTX, const struct fm_counters *,
    const char *method, const struct fm_tally *);

/*
 * Counts and logs the trouble of a run of rules.  `undecided` is the number of
 * undecided values, `at` the place of the first of them or NULL, and `ignored`
 * the number of verdicts that were ignored in an ESI sub-request.
 */
void fm_counters_rules(VRT_CTX, const struct fm_counters *,
    const char *method, const struct fm_tally *, unsigned undecided,
    const char *at, unsigned ignored);

/* Counts scans and confirms, in a shard that the caller has taken. */
static inline void
fm_counters_work(const struct fm_counters *counters, unsigned shard,
    const struct fm_tally *tally)
{
	fm_counters_in(counters, shard, FM_COUNT_scans, tally->scans);
	fm_counters_in(counters, shard, FM_COUNT_confirms, tally->confirms);
}

/* Counts all the work of a match, and its trouble if there was any. */
static inline void
fm_counters_tally(VRT_CTX, const struct fm_counters *counters,
    const char *method, const struct fm_tally *tally)
{
	unsigned shard;

	if (tally->scans != 0 || tally->confirms != 0) {
		shard = fm_shard_take();
		fm_counters_work(counters, shard, tally);
		fm_shard_give(shard);
	}
	if (fm_counters_has_trouble(tally))
		fm_counters_trouble(ctx, counters, method, tally);
}

/*
 * Logs, once per process and to syslog as well, that the scan engine failed its
 * self-test, or a part of it; does nothing if all of the test passed.  Any
 * thread may call this.
 */
void fm_log_engine(void);

#endif
