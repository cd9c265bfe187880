/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Records what a run tells its trace (record.h).
 */

#include <stdlib.h>

#include "grow.h"
#include "record.h"

/*
 * The texts that a trace shows may be gone or reused when the run goes on.
 * Many tests in a row have the same subject: it is kept once.
 */
static struct fm_text
keep(struct fm_record *record, struct fm_text text)
{
	if (text.b == NULL)
		return (text);
	if (record->last.b == NULL || !fm_text_eq(record->last, text)) {
		record->last = fm_text(fm_arena_add(&record->arena, text),
		    text.len);
		if (record->last.b == NULL) {
			record->no_memory = true;
			return (fm_text(NULL, 0));
		}
	}
	return (record->last);
}

static void
keep_event(struct fm_record *record, struct fm_event **events, size_t *n,
    size_t *room, const struct fm_event *told)
{
	struct fm_event *grown = record->no_memory ? NULL :
	    fm_grow_room(*events, room, *n, 1, sizeof *grown), *event;

	if (grown == NULL) {
		record->no_memory = true;
		return;
	}
	*events = grown;
	event = &grown[(*n)++];
	*event = *told;
	event->what = keep(record, told->what);
	event->before = keep(record, told->before);
	event->after = keep(record, told->after);
}

void
fm_record_tell(void *priv, const struct fm_event *event)
{
	struct fm_record *record = priv;

	if (event->kind == FM_EVENT_SITE) {
		record->raw = keep(record, event->what);
		record->canon = keep(record, event->after);
		record->how = event->hit->how;
		record->pattern = event->hit->pattern;
		record->wild = keep(record, event->hit->wild);
	} else if (event->kind == FM_EVENT_SCAN) {
		keep_event(record, &record->scans, &record->nscans,
		    &record->scans_room, event);
	} else {
		keep_event(record, &record->events, &record->nevents,
		    &record->events_room, event);
	}
}

void
fm_record_init(struct fm_record *record)
{
	memset(record, 0, sizeof *record);
	record->pattern = UINT32_MAX;
	record->trace = (struct fm_trace){ .priv = record,
	    .tell = fm_record_tell, .tests = true };
}

void
fm_record_fini(struct fm_record *record)
{
	fm_arena_fini(&record->arena);
	free(record->events);
	free(record->scans);
	memset(record, 0, sizeof *record);
}
