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

/*--------------------------------------------------------------------
 * The simulated cache
 */

/* Returns counts of the log, or of a simulation; null for NULL. */
static json_t *
of_counts(const struct fm_sim_counts *counts)
{
	if (counts == NULL)
		return (json_null());
	return (fm_json_of(
	    "hits", fm_json_number(counts->hits),
	    "stale", fm_json_number(counts->stale),
	    "misses", fm_json_number(counts->misses),
	    "hits_for_miss", fm_json_number(counts->hits_for_miss),
	    "hits_for_pass", fm_json_number(counts->hits_for_pass),
	    "passes", fm_json_number(counts->passes),
	    "purges", fm_json_number(counts->purges),
	    "waited", fm_json_number(counts->waited),
	    "backend", fm_json_number(counts->backend),
	    "refreshed", fm_json_number(counts->refreshed),
	    "hit_rate", json_real(fm_sim_hit_rate(counts)), NULL));
}

/* Returns the worst case and the best one, which may be the same. */
static json_t *
of_side(const struct fm_cache *cache, const struct fm_cache_side *side,
    size_t host)
{
	json_t *object;

	if (side->program == NULL)
		return (json_null());
	object = fm_json_of("hit_rate", cache->complete ?
	    json_real(fm_sim_hit_rate(&side->low[host])) : json_null(),
	    "worst", of_counts(&side->low[host]),
	    "best", of_counts(&side->high[host]), NULL);
	return (object);
}

static void
set_simulated(json_t *object, const struct fm_cache *cache, size_t host)
{
	fm_json_set(object, "log", of_counts(cache->has_logged ?
	    &cache->logged[host] : NULL),
	    "old", of_side(cache, &cache->sides[FM_OLD], host),
	    "new", of_side(cache, &cache->sides[FM_NEW], host), NULL);
}

static json_t *
of_simulation(const struct fm_replay *replay)
{
	const struct fm_cache *cache = replay->count->cache;
	const struct fm_replay_host *host = replay->count->hosts;
	json_t *object, *hosts = fm_json_array(), *one;
	size_t i, n = replay->count->nhosts;

	if (!fm_replay_simulates(replay))
		return (json_null());
	object = fm_json_of("complete", json_boolean(cache->complete),
	    "why", cache->complete ? json_null() :
	    fm_json_string(cache->why), NULL);
	set_simulated(object, cache, n);
	for (i = 0; i < n; i++) {
		one = fm_json_of("host", fm_json_text(host[i].name), NULL);
		set_simulated(one, cache, host[i].number);
		fm_json_add(hosts, one);
	}
	fm_json_set(object, "hosts", hosts, NULL);
	return (object);
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
	    "old", fm_json_string(replay->old),
	    "simulation", of_simulation(replay),
	    "hosts", of_hosts(replay->count->hosts, replay->count->nhosts),
	    "untold_rules", of_untold(replay), "unused_rules", of_idle(replay),
	    "unused_hosts", of_strings(replay->idle_hosts, replay->nidle_hosts),
	    "examples", of_examples(replay), NULL);
	fm_json_print(object);
}
