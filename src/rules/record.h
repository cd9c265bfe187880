/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A record keeps what a run has told its trace (trace.h), as an array of events
 * that can be shown later.  Some fields are filled in from the model.
 */

#ifndef FM_RECORD_H
#define FM_RECORD_H

#include "arena.h"
#include "model.h"
#include "trace.h"

enum fm_event_kind {
	FM_EVENT_BLOCK,		/* what: its name */
	FM_EVENT_BACK,		/* behind a `use` */
	FM_EVENT_TEST,		/* rule, outcome, what: the subject */
	FM_EVENT_WHEN,		/* rule, outcome; its tests come before it */
	FM_EVENT_STMT		/* rule, effect, what, before, after */
};

/*
 * One thing that the trace was told.  `when path is /a { pass; }` gives two
 * events before the block: TEST (rule "path is /a", TRUE, what "/a") and WHEN
 * (rule "when path is /a", TRUE); and in the block STMT (rule "pass", VERDICT).
 */
struct fm_event {
	enum fm_event_kind	kind;
	const struct fm_rule	*rule;
	enum fm_outcome		outcome;
	enum fm_effect		effect;
	struct fm_text		what, before, after;

	const struct fm_block	*block;		/* BLOCK: that of the model */
	bool			used;		/* BLOCK: by a `use` */
	unsigned		depth;		/* WHEN, STMT: whens and uses
						 * around the rule */
};

struct fm_scan_event {
	const char		*subject;
	size_t			patterns;
};

struct fm_record {
	struct fm_trace		trace;		/* for fm_run() */
	struct fm_arena		arena;
	struct fm_event		*events;
	size_t			nevents, events_room;
	struct fm_scan_event	*scans;
	size_t			nscans, scans_room;

	/* The Host header, its canonical form, and what was found for it. */
	struct fm_text		raw, canon;
	enum fm_hosttab_how	how;
	uint32_t		entry;
	uint32_t		pattern;	/* of fm_program_host();
						 * UINT32_MAX: none */
	struct fm_text		wild;

	struct fm_text		last;		/* copied last */

	/* If memory runs out, no later event is kept. */
	bool			no_memory;
	struct fm_event		lost;
};

void fm_record_init(struct fm_record *);
void fm_record_fini(struct fm_record *);

#endif
