/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Counters, varnishstat's FASTMATCH.<vcl>.<object>, and log lines about what
 * should not happen (SLT_Error).  One set for each object, and one for the
 * module's functions.
 *
 * Workers count in shards that they take (util/shard.h), so that no cache line
 * is written by all of them; the keeper sums them up into varnishstat once a
 * second, and so does a VCL that gets warm or cold.
 */

#ifndef FM_COUNTERS_H
#define FM_COUNTERS_H

#include <stdint.h>

#include "rules_refuse.h"
#include "shard.h"
#include "tally.h"

struct VSC_fastmatch;
struct fm_counters_home;
struct fm_live;
struct fm_vsc;
struct vsc_seg;

/*
 * By the names of fastmatch.vsc.in.  What the call for a request writes again
 * and again comes first and is one cache line; what only some do, the next;
 * then what is rare.
 */
#define FM_COUNTERS(X)							\
	X(lookups) X(hits) X(exact_hits) X(wildcard_hits)		\
	X(url_rewrites) X(header_edits) X(scans) X(confirms)		\
									\
	X(default_hits)							\
	X(verdict_pass) X(verdict_pipe) X(verdict_hash)			\
	X(verdict_purge) X(verdict_synth) X(verdict_redirect)		\
	X(verdict_answer)						\
									\
	X(regex_limit) X(engine_fallback) X(workspace_overflow)		\
	X(undecided) X(esi_ignored) X(misplaced) X(unfinished)		\
	X(out_of_memory)						\
	X(refused_slots) X(refused_workspace) X(refused_size)		\
	X(refused_memory) X(refused_undecided)				\
	X(shadow_runs) X(shadow_differs)

enum fm_counter {
#define FM_COUNTER_ENUM(name)	FM_COUNT_##name,
	FM_COUNTERS(FM_COUNTER_ENUM)
#undef FM_COUNTER_ENUM
	FM_COUNT__N
};

struct fm_counter_shard {
	uint64_t		n[FM_COUNT__N];
} __attribute__((aligned(64)));

struct fm_counters {
	unsigned		magic;
#define FM_COUNTERS_MAGIC	0x6c3e8a15
	const char		*name;		/* object, or NULL: functions */
	char			*ident;		/* as in VCL */
	char			*shown;		/* as in varnishstat */
	struct VSC_fastmatch	*vsc;		/* NULL: no memory */
	struct vsc_seg		*seg;
	struct fm_counter_shard	*shards;	/* NULL: no memory */
	const struct fm_live	*live;		/* of the gauges; or NULL */
	struct fm_counters_home	*home;		/* or NULL */
	double			since;		/* VTIM_mono() */
	VTAILQ_ENTRY(fm_counters) list;		/* of all */
};

/* In the CLI thread.  The name must outlive the counters. */
void fm_counters_init(VRT_CTX, struct fm_counters *, const char *name);
void fm_counters_fini(struct fm_counters *);

/*
 * From here on the gauges, reload and reload_fail are this live's; NULL: of
 * none any more, to be called before the live is closed.
 */
void fm_counters_live(struct fm_counters *, const struct fm_live *);

/*
 * Into varnishstat: of all (once a second), or of one (WARM, COLD).  They
 * ask lives for their facts, so not from what is called under a live's lock.
 */
void fm_counters_sum_all(void);
void fm_counters_sum(struct fm_counters *);

/*
 * From here on what it counts belongs to this path as well: the path has what
 * all of its objects have counted, those that are gone included, as long as
 * there is one.  To be called before it has a live.  0, or -1: no memory.
 */
int fm_counters_at(struct fm_counters *, const char *path);

/* Counters of the path, and gauges of this live. */
void fm_counters_path(const struct fm_counters *, struct fm_vsc *);

/* Gives what the counters are now; returns the seconds since they were 0. */
double fm_counters_read(const struct fm_counters *,
    uint64_t sums[FM_COUNT__N]);

/* Counts in a shard that was taken. */
static inline void
fm_counters_in(const struct fm_counters *counters, unsigned shard,
    enum fm_counter what, uint64_t n)
{
	if (counters->shards != NULL && n != 0)
		fm_shard_count(shard, &counters->shards[shard].n[what], n);
}

/* Counts one thing. */
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
 * No room in the workspace: counts, and logs which method it was and what
 * comes of it.
 */
void fm_counters_overflow(VRT_CTX, const struct fm_counters *,
    const char *method, const char *outcome);

/* The same where it is another kind of room that is missing. */
void fm_counters_no_room(VRT_CTX, const struct fm_counters *,
    const char *method, const char *missing, const char *outcome);

/* A request that is refused: counts, and logs what there was no room for. */
void fm_counters_refused(VRT_CTX, const struct fm_counters *,
    const char *method, enum fm_refusal);

/* A synth of the rules that is given without its edits: logs why. */
void fm_counters_unedited(VRT_CTX, const struct fm_counters *,
    const char *method, enum fm_refusal);

/* No memory; and a method that was called where it has nothing to do. */
void fm_counters_no_memory(VRT_CTX, const struct fm_counters *,
    const char *method, const char *outcome);
void fm_counters_misplaced(VRT_CTX, const struct fm_counters *,
    const char *method, const char *where);

/*
 * A redirect or an answer of rules that vcl_synth has not finished: counts,
 * and logs what came of it unless the object's first one was told.
 */
void fm_counters_unfinished(VRT_CTX, const struct fm_counters *,
    const char *outcome, bool told);

/* Returns true if a regex reached the match limit, or the engine failed. */
static inline bool
fm_counters_has_trouble(const struct fm_tally *tally)
{
	return (tally->over_limit != 0 || tally->fallbacks != 0);
}

/* Counts, and logs, such trouble of a match. */
void fm_counters_trouble(VRT_CTX, const struct fm_counters *,
    const char *method, const struct fm_tally *);

/*
 * Counts, and logs, the trouble of a run of rules: with how much of it was
 * undecided, the place of the first of that or NULL, and how many verdicts an
 * ESI sub-request ignored.
 */
void fm_counters_rules(VRT_CTX, const struct fm_counters *,
    const char *method, const struct fm_tally *, unsigned undecided,
    const char *at, unsigned ignored);

/* What an answer took in the normal course; in a shard that was taken. */
static inline void
fm_counters_work(const struct fm_counters *counters, unsigned shard,
    const struct fm_tally *tally)
{
	fm_counters_in(counters, shard, FM_COUNT_scans, tally->scans);
	fm_counters_in(counters, shard, FM_COUNT_confirms, tally->confirms);
}

/* Counts all that a match took. */
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
 * That the scan engine fails its self-test, if it does: in the log and syslog,
 * once per process.  In any thread; it may have become known in any, too.
 */
void fm_log_engine(void);

#endif
