/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs the rules over requests, and counts for each host what the rules do.
 *
 * Two URLs are the same if Varnish's built-in VCL would hash them to the same
 * object, which takes the Host header in lower case and the URL.  Both are
 * counted twice: as the client has sent them, and as the rules have left them.
 */

#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "fold.h"
#include "replay.h"
#include "respond.h"
#include "xxh.h"

/* Flags of fm_distinct: a URL was seen before the rules, or after them. */
#define URL_BEFORE	1U
#define URL_AFTER	2U
#define URL_LOOKED_UP	4U	/* a factor: URL_LOOKED_UP * URL_AFTER */

void
fm_replay_count_init(struct fm_replay_count *count,
    const struct fm_program *program)
{
	memset(count, 0, sizeof *count);
	count->program = program;
	count->seed = fm_fold_seed(count);
	count->counters = fm_cli_alloc((fm_program_ncounters(program) + 1) *
	    sizeof *count->counters);
}

/*--------------------------------------------------------------------
 * Hosts
 */

static struct fm_replay_host *
host_of(struct fm_replay_count *count, struct fm_text name)
{
	uint64_t hash = XXH3_64bits_withSeed(name.b, name.len,
	    count->seed + (name.b == NULL));
	uint32_t n = fm_distinct_number(&count->names, hash);
	struct fm_replay_host *host;

	if (n < count->nhosts)
		return (&count->hosts[n]);
	host = fm_cli_grow(&count->hosts, count->nhosts++, &count->hosts_room,
	    sizeof *host);
	host->hash = hash;
	host->number = n;
	host->name = fm_text(fm_cli_keep(&count->arena, name), name.len);
	return (host);
}

/*--------------------------------------------------------------------
 * URLs
 */

static struct fm_text
host_after(const struct fm_result *result, struct fm_text before)
{
	struct fm_edit edit;

	return (fm_edit_of(result, fm_text_of("Host"), &edit) ? edit.value :
	    before);
}

static uint64_t
hash_object(const struct fm_replay_count *count, struct fm_text host,
    struct fm_text url)
{
	uint64_t hash = count->seed;
	size_t i;

	for (i = 0; i < host.len; i++)
		hash = fm_fold(hash ^ fm_lower((unsigned char)host.b[i]),
		    0x9e3779b97f4a7c15ULL);
	return (XXH3_64bits_withSeed(url.b, url.len, hash));
}

/*
 * Counts an object for the host that the client asked for: rules may give
 * several hosts the same object.
 */
static void
add_url(struct fm_replay_count *count, const struct fm_replay_host *host,
    uint64_t object, uint32_t flags)
{
	const uint64_t both[] = { object, host->hash };
	struct fm_distinct_entry *entry = fm_distinct_at(&count->urls,
	    XXH3_64bits_withSeed(both, sizeof both, count->seed));

	if (entry->flags == 0) {
		entry->other = object;
		entry->owner = (uint32_t)(host - count->hosts);
	}
	entry->flags |= flags;
}

/*
 * Returns true if a request reaches the cache: because the rules say so, or,
 * where they have no verdict, because the built-in VCL looks up GET and HEAD.
 */
static bool
looks_up(const struct fm_made_request *made, const struct fm_result *result)
{
	return (result->verdict == FM_VERDICT_HASH ||
	    (result->verdict == FM_VERDICT_NONE &&
	    (fm_text_eq(made->method, fm_text_of("GET")) ||
	    fm_text_eq(made->method, fm_text_of("HEAD")))));
}

/* Returns the hash of the object that a request is for, after the rules. */
static uint64_t
object_after(const struct fm_replay_count *count,
    const struct fm_made_request *made, const struct fm_result *result,
    struct fm_text key)
{
	uint64_t object = hash_object(count, host_after(result,
	    fm_made_value(made, fm_text_of("Host"))), result->url);

	return (key.len == 0 ? object :
	    XXH3_64bits_withSeed(key.b, key.len, object));
}

static void
count_url(struct fm_replay_count *count, struct fm_replay_host *host,
    const struct fm_made_request *made, const struct fm_result *result,
    uint64_t after)
{
	uint64_t before = hash_object(count, fm_made_value(made,
	    fm_text_of("Host")), made->url);
	uint32_t seen = 1;

	if (looks_up(made, result)) {
		host->lookups++;
		seen += URL_LOOKED_UP;
	}
	add_url(count, host, before, seen * URL_BEFORE);
	add_url(count, host, after, seen * URL_AFTER);
}

static void
add_example(struct fm_replay_count *count, const struct fm_made_request *made,
    const struct fm_result *result, struct fm_where where)
{
	struct fm_replay_example *example;
	struct fm_text host = fm_made_value(made, fm_text_of("Host"));

	if (count->nexamples == FM_REPLAY_EXAMPLES)
		return;
	example = &count->examples[count->nexamples++];
	example->where = where;
	example->host = fm_cli_keep(&count->arena, fm_text_or_empty(host));
	example->before = fm_cli_keep(&count->arena, made->url);
	example->after = fm_cli_keep(&count->arena, result->url);
}

/*--------------------------------------------------------------------
 * Requests
 */

static struct fm_distinct_entry *
refused_at(struct fm_replay_count *count, const struct fm_rule *rule)
{
	uint32_t n = fm_program_rule_number(count->program, rule);

	return (fm_distinct_at(&count->refused,
	    XXH3_64bits_withSeed(&n, sizeof n, count->seed)));
}

bool
fm_replay_refused(struct fm_replay_count *count, const struct fm_rule *rule)
{

	return (refused_at(count, rule)->flags != 0);
}

static void
count_result(struct fm_replay_count *count, const struct fm_made_request *made,
    const struct fm_result *result, uint64_t object, struct fm_where where)
{
	struct fm_replay_host *host = host_of(count, result->host);

	host->entry = result->how != FM_HOSTTAB_NONE;
	host->requests++;
	host->verdicts[result->verdict]++;
	host->scans += result->tally.scans;
	count->undecided += result->undecided;
	count->over_limit += result->tally.over_limit;
	count->fragments += fm_text_has(made->url, "#");
	count->fragments_refused += result->verdict == FM_VERDICT_REFUSE &&
	    result->refuse == FM_REFUSE_FRAGMENT;
	if (result->verdict == FM_VERDICT_REFUSE && result->rule != NULL)
		refused_at(count, result->rule)->flags = 1;
	if (result->url_changed) {
		host->changed++;
		add_example(count, made, result, where);
	}
	count_url(count, host, made, result, object);
}

/* Returns the hash of the object that a request is for, with its key. */
static uint64_t
find_object(const struct fm_replay_count *count,
    const struct fm_program *program, const struct fm_made_request *made,
    const struct fm_view *view, const struct fm_result *result)
{
	struct fm_respond_run key = { .result = NULL };
	struct fm_respond respond;
	uint64_t object;

	if (fm_program_phase(program, FM_PHASE_KEY) == NULL)
		return (object_after(count, made, result, fm_text(NULL, 0)));
	fm_respond_init(&respond, program, view, result);
	(void)fm_respond_key(&respond, &key, NULL);
	object = object_after(count, made, result, fm_text(key.run.key.b,
	    key.result == NULL || key.run.key.b == NULL ? 0 :
	    key.run.key.len));
	fm_respond_run_end(&key);
	fm_respond_fini(&respond);
	return (object);
}

/* Runs the old rules, too, and lets the cache have the request. */
static void
give_cache(struct fm_replay_count *count, struct fm_cache_request *request)
{
	struct fm_view view = *request->view;
	struct fm_run run;

	if (count->old != NULL) {
		view.counters = NULL;
		request->results[FM_OLD] = fm_run(&run, count->old, &view,
		    NULL);
		if (request->results[FM_OLD]->no_memory)
			fm_cli_no_memory();
		request->objects[FM_OLD] = find_object(count, count->old,
		    request->made, &view, request->results[FM_OLD]);
	}
	fm_cache_request(count->cache, request);
	if (count->old != NULL)
		fm_run_end(&run);
}

void
fm_replay_request(void *priv, struct fm_made_request *made,
    struct fm_where where)
{
	struct fm_replay_count *count = priv;
	const struct fm_result *result;
	struct fm_cache_request request;
	struct fm_view view;
	struct fm_run run;
	uint64_t object;
	double start;

	fm_cli_view(made, &view);
	view.counters = count->counters;
	start = fm_cli_seconds();
	result = fm_run(&run, count->program, &view, NULL);
	count->ns += (fm_cli_seconds() - start) * 1e9;
	if (result->no_memory)
		fm_cli_no_memory();
	object = find_object(count, count->program, made, &view, result);
	count_result(count, made, result, object, where);
	request = (struct fm_cache_request){ .made = made, .view = &view,
	    .where = where, .host = host_of(count, result->host)->number,
	    .results = { [FM_NEW] = result },
	    .objects = { [FM_NEW] = object } };
	give_cache(count, &request);
	fm_run_end(&run);
}

/*--------------------------------------------------------------------
 * At the end
 */

static void
add_flags(uint32_t flags, struct fm_pair *urls, struct fm_pair *objects)
{
	urls->before += (flags & URL_BEFORE) != 0;
	urls->after += (flags & URL_AFTER) != 0;
	flags /= URL_LOOKED_UP;
	objects->before += (flags & URL_BEFORE) != 0;
	objects->after += (flags & URL_AFTER) != 0;
}

void
fm_replay_count_end(struct fm_replay_count *count, struct fm_pair *urls,
    struct fm_pair *objects)
{
	struct fm_distinct all = { .n = 0 };
	const struct fm_distinct_entry *entry;
	size_t i;

	for (i = 0; i < count->urls.room; i++) {
		entry = &count->urls.v[i];
		if (entry->flags == 0)
			continue;
		add_flags(entry->flags, &count->hosts[entry->owner].urls,
		    &count->hosts[entry->owner].objects);
		fm_distinct_at(&all, entry->other)->flags |= entry->flags;
	}
	for (i = 0; i < all.room; i++)
		add_flags(all.v[i].flags, urls, objects);
	fm_distinct_fini(&all);
}
