/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A record keeps what a run has told its trace (trace.h), as an array of events
 * that can be shown later; scans are an array of their own.
 */

#ifndef FM_RECORD_H
#define FM_RECORD_H

#include "arena.h"
#include "trace.h"

struct fm_record {
	struct fm_trace		trace;		/* for fm_run() */
	struct fm_arena		arena;
	struct fm_event		*events;
	size_t			nevents, events_room;
	struct fm_event		*scans;
	size_t			nscans, scans_room;

	/* The Host header, its canonical form, and what was found for it. */
	struct fm_text		raw, canon;
	enum fm_hosttab_how	how;
	uint32_t		pattern;	/* of fm_program_host();
						 * UINT32_MAX: none */
	struct fm_text		wild;

	struct fm_text		last;		/* copied last */

	bool			no_memory;	/* no later event is kept */
};

void fm_record_init(struct fm_record *);
/* Keeps an event, with its texts. */
void fm_record_tell(void *record, const struct fm_event *);
void fm_record_fini(struct fm_record *);

#endif
