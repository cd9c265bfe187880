/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Counters and log lines about what should not happen: varnishstat's
 * FASTMATCH.<vcl>.<object> and SLT_Error.  One for each object, and one for
 * the module's functions.  Nothing here is called in the normal course of a
 * request, but for a look at a tally.
 */

#ifndef FM_COUNTERS_H
#define FM_COUNTERS_H

#include "tally.h"

struct VSC_fastmatch;
struct vsc_seg;

struct fm_counters {
	unsigned		magic;
#define FM_COUNTERS_MAGIC	0x6c3e8a15
	const char		*name;		/* object, or NULL: functions */
	struct VSC_fastmatch	*vsc;
	struct vsc_seg		*seg;
};

/* In the CLI thread.  The name must outlive the counters. */
void fm_counters_init(VRT_CTX, struct fm_counters *, const char *name);
void fm_counters_fini(struct fm_counters *);

/*
 * No room in the workspace: counts, and logs which method it was and what
 * comes of it.
 */
void fm_counters_overflow(VRT_CTX, const struct fm_counters *,
    const char *method, const char *outcome);

void fm_counters_trouble(VRT_CTX, const struct fm_counters *,
    const char *method, const struct fm_tally *);

/* To be called after every match, with what it took. */
static inline void
fm_counters_tally(VRT_CTX, const struct fm_counters *counters,
    const char *method, const struct fm_tally *tally)
{
	if (tally->over_limit != 0 || tally->fallbacks != 0)
		fm_counters_trouble(ctx, counters, method, tally);
}

/* The same where it is another kind of room that is missing. */
void fm_counters_no_room(VRT_CTX, const struct fm_counters *,
    const char *method, const char *missing, const char *outcome);

/* No memory; and a method that was called where it has nothing to do. */
void fm_counters_no_memory(VRT_CTX, const struct fm_counters *,
    const char *method, const char *outcome);
void fm_counters_misplaced(VRT_CTX, const struct fm_counters *,
    const char *method, const char *where);

void fm_counters_rules(VRT_CTX, const struct fm_counters *,
    const char *method, const struct fm_tally *, unsigned undecided,
    unsigned ignored);

/*
 * To be called after every run of rules: with what it took, how much of it
 * was undecided, and how many verdicts an ESI sub-request ignored.
 */
static inline void
fm_counters_run(VRT_CTX, const struct fm_counters *counters,
    const char *method, const struct fm_tally *tally, unsigned undecided,
    unsigned ignored)
{
	if (tally->over_limit != 0 || tally->unasked != 0 ||
	    tally->fallbacks != 0 || undecided != 0 || ignored != 0)
		fm_counters_rules(ctx, counters, method, tally, undecided,
		    ignored);
}

/* A line of SLT_Error, of the task or, where there is none, of nobody. */
void fm_log_error(VRT_CTX, const char *fmt, ...)
    v_printflike_(2, 3);

#endif
