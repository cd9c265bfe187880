/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Shows the report of a replay as JSON, with all hosts and rules (no --top).
 */

#include "json.h"
#include "replay.h"

static json_t *
of_verdicts(const struct fm_replay_host *host)
{
	json_t *object = fm_json_object();
	unsigned i;

	for (i = 0; i < FM_REPLAY_VERDICTS; i++)
		if (fm_verdict_name(i) != NULL)
			fm_json_set(object, fm_verdict_name(i),
			    fm_json_number(host->verdicts[i]), NULL);
	return (object);
}

/* Sets the counts of a host, or of all hosts together. */
static void
set_host(json_t *object, const struct fm_replay_host *host)
{
	json_t *urls = fm_json_of("changed", fm_json_number(host->changed),
	    "before", fm_json_number(host->urls.before),
	    "after", fm_json_number(host->urls.after), NULL);
	json_t *objects = fm_json_of(
	    "lookups", fm_json_number(host->lookups),
	    "before", fm_json_number(host->objects.before),
	    "after", fm_json_number(host->objects.after), "hit_rate_before",
	    json_real(fm_hit_rate(host->lookups, host->objects.before)),
	    "hit_rate_after",
	    json_real(fm_hit_rate(host->lookups, host->objects.after)), NULL);

	fm_json_set(object, "requests", fm_json_number(host->requests),
	    "verdicts", of_verdicts(host), "urls", urls, "objects", objects,
	    "scans", fm_json_number(host->scans), NULL);
}

static json_t *
of_hosts(const struct fm_replay_host *host, size_t n)
{
	json_t *array = fm_json_array(), *object;

	for (; n > 0; n--, host++) {
		object = fm_json_of("host", fm_json_text(host->name),
		    "entry", json_boolean(host->entry), NULL);
		set_host(object, host);
		fm_json_add(array, object);
	}
	return (array);
}

static json_t *
of_idle(const struct fm_replay *replay)
{
	json_t *array = fm_json_array();
	size_t i;

	for (i = 0; i < replay->nidle; i++)
		fm_json_add(array, fm_json_rule(replay->idle[i]));
	return (array);
}

static json_t *
of_untold(const struct fm_replay *replay)
{
	json_t *array = fm_json_array();
	size_t i;

	for (i = 0; i < replay->nuntold; i++)
		fm_json_add(array,
		    fm_unseen_json(&replay->unseen, replay->untold[i]));
	return (array);
}

static json_t *
of_strings(const char * const *v, size_t n)
{
	json_t *array = fm_json_array();
	size_t i;

	for (i = 0; i < n; i++)
		fm_json_add(array, fm_json_string(v[i]));
	return (array);
}

static json_t *
of_place(const struct fm_replay *replay, struct fm_where where)
{
	return (fm_json_of("log",
	    fm_json_string(replay->logs->paths[where.log]),
	    "line", fm_json_number(where.line), NULL));
}

static json_t *
of_unreadable(const struct fm_replay *replay)
{
	json_t *array = fm_json_array();
	unsigned i;

	for (i = 0; i < replay->logs->nfirst; i++)
		fm_json_add(array, of_place(replay, replay->logs->first[i]));
	return (array);
}

static json_t *
of_examples(const struct fm_replay *replay)
{
	const struct fm_replay_example *example;
	json_t *array = fm_json_array(), *object;
	unsigned i;

	for (i = 0; i < replay->count->nexamples; i++) {
		example = &replay->count->examples[i];
		object = of_place(replay, example->where);
		fm_json_set(object, "host", fm_json_string(example->host),
		    "before", fm_json_string(example->before),
		    "after", fm_json_string(example->after), NULL);
		fm_json_add(array, object);
	}
	return (array);
}

void
fm_replay_json(const struct fm_replay *replay)
{
	json_t *object = fm_json_of("file", fm_json_string(replay->file),
	    "logs", of_strings(replay->logs->paths, replay->logs->npaths),
	    "unreadable", fm_json_number(replay->logs->unreadable),
	    "unreadable_lines", of_unreadable(replay),
	    "trouble", of_strings((const char * const *)replay->logs->troubles,
	    replay->logs->ntroubles), "seconds", json_real(replay->seconds),
	    NULL);

	set_host(object, &replay->sum);
	fm_json_set(object, "ns", json_real(fm_replay_ns(replay)),
	    "undecided", fm_json_number(replay->count->undecided),
	    "over_limit", fm_json_number(replay->count->over_limit),
	    "fragments", fm_json_of("requests",
	    fm_json_number(replay->count->fragments), "refused",
	    fm_json_number(replay->count->fragments_refused), NULL),
	    "hosts", of_hosts(replay->count->hosts, replay->count->nhosts),
	    "untold_rules", of_untold(replay), "unused_rules", of_idle(replay),
	    "unused_hosts", of_strings(replay->idle_hosts, replay->nidle_hosts),
	    "examples", of_examples(replay), NULL);
	fm_json_print(object);
}
