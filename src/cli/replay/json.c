/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Shows the report of a replay as JSON, with all hosts and rules (no --top).
 */

#include "json.h"
#include "replay.h"

static json_t *
real(double x)
{
	json_t *json = json_real(x);

	if (json == NULL)
		fm_cli_no_memory();
	return (json);
}

static json_t *
of_verdicts(const struct fm_replay_host *host)
{
	json_t *object = fm_json_object();
	unsigned i;

	for (i = 0; i < FM_REPLAY_VERDICTS; i++)
		fm_json_set(object, fm_verdict_name(i),
		    fm_json_number(host->verdicts[i]));
	return (object);
}

/* Sets the counts of a host, or of all hosts together. */
static void
set_host(json_t *object, const struct fm_replay_host *host)
{
	json_t *urls = fm_json_object(), *objects = fm_json_object();

	fm_json_set(object, "requests", fm_json_number(host->requests));
	fm_json_set(object, "verdicts", of_verdicts(host));
	fm_json_set(urls, "changed", fm_json_number(host->changed));
	fm_json_set(urls, "before", fm_json_number(host->urls.before));
	fm_json_set(urls, "after", fm_json_number(host->urls.after));
	fm_json_set(object, "urls", urls);
	fm_json_set(objects, "lookups", fm_json_number(host->lookups));
	fm_json_set(objects, "before", fm_json_number(host->objects.before));
	fm_json_set(objects, "after", fm_json_number(host->objects.after));
	fm_json_set(objects, "hit_rate_before",
	    real(fm_hit_rate(host->lookups, host->objects.before)));
	fm_json_set(objects, "hit_rate_after",
	    real(fm_hit_rate(host->lookups, host->objects.after)));
	fm_json_set(object, "objects", objects);
	fm_json_set(object, "scans", fm_json_number(host->scans));
}

static json_t *
of_hosts(const struct fm_replay_host **hosts, size_t n)
{
	json_t *array = fm_json_array(), *object;
	size_t i;

	for (i = 0; i < n; i++) {
		object = fm_json_object();
		fm_json_set(object, "host", fm_json_text(hosts[i]->name));
		fm_json_set(object, "entry", json_boolean(hosts[i]->entry));
		set_host(object, hosts[i]);
		fm_json_add(array, object);
	}
	return (array);
}

static json_t *
of_idle(const struct fm_replay *r)
{
	json_t *array = fm_json_array();
	size_t i;

	for (i = 0; i < r->nidle; i++)
		fm_json_add(array, fm_json_rule(r->idle[i]));
	return (array);
}

static json_t *
of_untold(const struct fm_replay *r)
{
	json_t *array = fm_json_array();
	size_t i;

	for (i = 0; i < r->nuntold; i++)
		fm_json_add(array, fm_unseen_json(&r->unseen, r->untold[i]));
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
of_place(const struct fm_replay *r, struct fm_where where)
{
	json_t *object = fm_json_object();

	fm_json_set(object, "log",
	    fm_json_string(r->logs->paths[where.log]));
	fm_json_set(object, "line", fm_json_number(where.line));
	return (object);
}

static json_t *
of_unreadable(const struct fm_replay *r)
{
	json_t *array = fm_json_array();
	unsigned i;

	for (i = 0; i < r->logs->nfirst; i++)
		fm_json_add(array, of_place(r, r->logs->first[i]));
	return (array);
}

static json_t *
of_examples(const struct fm_replay *r)
{
	const struct fm_replay_example *example;
	json_t *array = fm_json_array(), *object;
	unsigned i;

	for (i = 0; i < r->count->nexamples; i++) {
		example = &r->count->examples[i];
		object = of_place(r, example->where);
		fm_json_set(object, "host", fm_json_string(example->host));
		fm_json_set(object, "before",
		    fm_json_string(example->before));
		fm_json_set(object, "after", fm_json_string(example->after));
		fm_json_add(array, object);
	}
	return (array);
}

void
fm_replay_json(const struct fm_replay *r)
{
	json_t *object = fm_json_object();

	fm_json_set(object, "file", fm_json_string(r->file));
	fm_json_set(object, "logs", of_strings(r->logs->paths,
	    r->logs->npaths));
	fm_json_set(object, "unreadable",
	    fm_json_number(r->logs->unreadable));
	fm_json_set(object, "unreadable_lines", of_unreadable(r));
	fm_json_set(object, "trouble", of_strings(
	    (const char * const *)r->logs->troubles, r->logs->ntroubles));
	fm_json_set(object, "seconds", real(r->seconds));
	set_host(object, &r->sum);
	fm_json_set(object, "ns", real(fm_replay_ns(r)));
	fm_json_set(object, "undecided",
	    fm_json_number(r->count->undecided));
	fm_json_set(object, "over_limit",
	    fm_json_number(r->count->over_limit));
	fm_json_set(object, "hosts", of_hosts(r->hosts, r->count->nhosts));
	fm_json_set(object, "untold_rules", of_untold(r));
	fm_json_set(object, "unused_rules", of_idle(r));
	fm_json_set(object, "unused_hosts",
	    of_strings(r->idle_hosts, r->nidle_hosts));
	fm_json_set(object, "examples", of_examples(r));
	fm_json_print(object);
}
