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

/* Returns a new event; without memory, one that nobody looks at. */
static struct fm_event *
event_new(struct fm_record *record, enum fm_event_kind kind,
    const struct fm_rule *rule)
{
	struct fm_event *events = record->no_memory ? NULL :
	    fm_grow_room(record->events, &record->events_room,
	    record->nevents, 1, sizeof *events);
	struct fm_event *event = &record->lost;

	if (events != NULL) {
		record->events = events;
		event = &events[record->nevents++];
	} else
		record->no_memory = true;
	*event = (struct fm_event){ .kind = kind, .rule = rule };
	return (event);
}

static void
on_site(void *priv, struct fm_text raw, struct fm_text canon,
    const struct fm_hosttab_hit *hit)
{
	struct fm_record *record = priv;

	record->raw = keep(record, raw);
	record->canon = keep(record, canon);
	record->how = hit->how;
	record->entry = hit->entry;
	record->pattern = hit->pattern;
	record->wild = keep(record, hit->wild);
}

static void
on_block(void *priv, const char *name)
{
	struct fm_record *record = priv;

	event_new(record, FM_EVENT_BLOCK, NULL)->what =
	    keep(record, fm_text_of(name));
}

static void
on_back(void *priv)
{
	(void)event_new(priv, FM_EVENT_BACK, NULL);
}

static void
on_test(void *priv, const struct fm_rule *rule, enum fm_outcome outcome,
    struct fm_text subject)
{
	struct fm_record *record = priv;
	struct fm_event *event = event_new(record, FM_EVENT_TEST, rule);

	event->outcome = outcome;
	event->what = keep(record, subject);
}

static void
on_when(void *priv, const struct fm_rule *rule, enum fm_outcome outcome)
{
	event_new(priv, FM_EVENT_WHEN, rule)->outcome = outcome;
}

static void
on_stmt(void *priv, const struct fm_rule *rule, enum fm_effect effect,
    struct fm_text what, struct fm_text before, struct fm_text after)
{
	struct fm_record *record = priv;
	struct fm_event *event = event_new(record, FM_EVENT_STMT, rule);

	event->effect = effect;
	event->what = keep(record, what);
	event->before = keep(record, before);
	event->after = keep(record, after);
}

static void
on_scan(void *priv, const char *subject, size_t patterns)
{
	struct fm_record *record = priv;
	const char *name = fm_arena_add(&record->arena, fm_text_of(subject));
	struct fm_scan_event *scans = fm_grow_room(record->scans,
	    &record->scans_room, record->nscans, 1, sizeof *scans);

	if (scans != NULL)
		record->scans = scans;
	if (scans == NULL || name == NULL) {
		record->no_memory = true;
		return;
	}
	scans[record->nscans++] = (struct fm_scan_event){ name, patterns };
}

void
fm_record_init(struct fm_record *record)
{
	memset(record, 0, sizeof *record);
	record->entry = record->pattern = UINT32_MAX;
	record->trace = (struct fm_trace){
		.priv = record,
		.site = on_site,
		.block = on_block,
		.back = on_back,
		.test = on_test,
		.when = on_when,
		.stmt = on_stmt,
		.scan = on_scan
	};
}

void
fm_record_fini(struct fm_record *record)
{
	fm_arena_fini(&record->arena);
	free(record->events);
	free(record->scans);
	memset(record, 0, sizeof *record);
}
