/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Adds what the threads of a replay have counted.
 */

#include <stdlib.h>

#include "replay.h"

static void
add_host(struct fm_replay_host *to, const struct fm_replay_host *from)
{
	unsigned i;

	to->entry = from->entry;
	to->requests += from->requests;
	for (i = 0; i < FM_REPLAY_VERDICTS; i++)
		to->verdicts[i] += from->verdicts[i];
	to->changed += from->changed;
	to->scans += from->scans;
	to->lookups += from->lookups;
}

static void
merge_urls(struct fm_replay_count *count, const struct fm_replay_count *from,
    const uint32_t *owners)
{
	struct fm_distinct_entry entry;
	size_t i;

	for (i = 0; i < from->urls.room; i++) {
		entry = from->urls.v[i];
		if (entry.flags == 0)
			continue;
		entry.owner = owners[entry.owner];
		fm_distinct_add(&count->urls, &entry);
	}
}

static const char *
copy(struct fm_replay_count *count, const char *s)
{
	return (fm_replay_keep(count, fm_text_of(s)));
}

/* The first ones of both. */
static void
merge_examples(struct fm_replay_count *count,
    const struct fm_replay_count *from)
{
	struct fm_replay_example *v = count->examples, example;
	unsigned i, j;

	for (i = 0; i < from->nexamples; i++) {
		example = from->examples[i];
		if (count->nexamples == FM_REPLAY_EXAMPLES) {
			if (!fm_where_before(example.where,
			    v[count->nexamples - 1].where))
				return;
			count->nexamples--;
		}
		example.host = copy(count, example.host);
		example.before = copy(count, example.before);
		example.after = copy(count, example.after);
		for (j = count->nexamples++; j > 0 &&
		    fm_where_before(example.where, v[j - 1].where); j--)
			v[j] = v[j - 1];
		v[j] = example;
	}
}

void
fm_replay_count_merge(struct fm_replay_count *count,
    const struct fm_replay_count *from)
{
	struct fm_replay_host *host;
	uint32_t *owners;
	size_t i;

	owners = fm_cli_alloc(from->nhosts * sizeof *owners);
	for (i = 0; i < from->nhosts; i++) {
		host = fm_replay_host(count, from->hosts[i].name);
		add_host(host, &from->hosts[i]);
		owners[i] = (uint32_t)(host - count->hosts);
	}
	merge_urls(count, from, owners);
	free(owners);
	merge_examples(count, from);
	for (i = 0; i < fm_program_ncounters(count->program); i++)
		count->counters[i] += from->counters[i];
	for (i = 0; i < FM_REPLAY_SCANS; i++)
		count->scans[i] += from->scans[i];
	for (i = 0; i < FM_TIMES; i++)
		count->times[i] += from->times[i];
	count->undecided += from->undecided;
	count->over_limit += from->over_limit;
	count->ns += from->ns;
}

static void
add_flags(uint32_t flags, struct fm_pair *urls, struct fm_pair *objects)
{
	urls->before += (flags & FM_URL_BEFORE) != 0;
	urls->after += (flags & FM_URL_AFTER) != 0;
	flags /= FM_URL_LOOKED_UP;
	objects->before += (flags & FM_URL_BEFORE) != 0;
	objects->after += (flags & FM_URL_AFTER) != 0;
}

void
fm_replay_count_end(struct fm_replay_count *count, struct fm_pair *urls,
    struct fm_pair *objects)
{
	struct fm_distinct all = { .n = 0 };
	struct fm_distinct_entry entry;
	size_t i;

	for (i = 0; i < count->urls.room; i++) {
		entry = count->urls.v[i];
		if (entry.flags == 0)
			continue;
		add_flags(entry.flags, &count->hosts[entry.owner].urls,
		    &count->hosts[entry.owner].objects);
		entry.hash = entry.other;
		fm_distinct_add(&all, &entry);
	}
	for (i = 0; i < all.room; i++)
		add_flags(all.v[i].flags, urls, objects);
	fm_distinct_fini(&all);
}

double
fm_replay_quantile(const struct fm_replay_count *count, double share)
{
	uint64_t all = 0, sum = 0;
	unsigned i;

	for (i = 0; i < FM_TIMES; i++)
		all += count->times[i];
	for (i = 0; i < FM_TIMES; i++) {
		sum += count->times[i];
		if (sum > 0 && (double)sum >= share * (double)all)
			break;
	}
	return (fm_replay_time(i < FM_TIMES ? i : 0));
}
