/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Shows the report of a replay as text.
 */

#include "replay.h"
#include "term.h"

#define NAME		32	/* columns of a host's name */
#define VALUE		100	/* columns of a URL */

static void
put_number(FILE *to, const char *label, uint64_t n)
{
	char buf[32];

	fprintf(to, "  %-28s%14s", label, fm_grouped(n, buf));
}

static void
put_share(FILE *to, const char *label, uint64_t n, uint64_t all)
{
	put_number(to, label, n);
	fprintf(to, "  %5.1f %%\n", fm_percent(n, all));
}

static void
put_more(FILE *to, size_t n, size_t shown)
{
	char buf[32];

	if (n > shown)
		fprintf(to, "  and %s more\n", fm_grouped(n - shown, buf));
}

/*--------------------------------------------------------------------
 * All hosts
 */

static void
put_summary(const struct fm_replay *replay, FILE *to)
{
	char requests[32], unreadable[32];

	fm_put_clean(to, fm_text_of(replay->file), 0);
	fprintf(to, ": %s request%s, %.1f s", fm_grouped(replay->sum.requests,
	    requests), replay->sum.requests == 1 ? "" : "s", replay->seconds);
	if (replay->logs->unreadable > 0)
		fprintf(to, " (unreadable lines: %s)",
		    fm_grouped(replay->logs->unreadable, unreadable));
	fprintf(to, "\n");
}

static void
put_verdicts(const struct fm_replay *replay, FILE *to)
{
	unsigned i;

	fprintf(to, "\nVerdicts\n");
	for (i = 0; i < FM_REPLAY_VERDICTS; i++)
		if (fm_verdict_name(i) != NULL)
			put_share(to, fm_verdict_name(i),
			    replay->sum.verdicts[i], replay->sum.requests);
}

static void
put_urls(const struct fm_replay *replay, FILE *to)
{
	const struct fm_replay_host *sum = &replay->sum;
	const struct fm_replay_count *count = replay->count;

	fprintf(to, "\nURLs\n");
	put_share(to, "changed", sum->changed, sum->requests);
	if (count->fragments > 0) {
		put_share(to, "with a raw #", count->fragments, sum->requests);
		put_share(to, "refused, as rules need them",
		    count->fragments_refused, sum->requests);
	}
	put_number(to, "different ones before", sum->urls.before);
	fputc('\n', to);
	put_number(to, "different ones after", sum->urls.after);
	fputc('\n', to);

	fprintf(to, "\nCache\n");
	put_share(to, "requests that look there", sum->lookups,
	    sum->requests);
	put_number(to, "objects before", sum->objects.before);
	fprintf(to, "  at most %.2f %% hits\n",
	    fm_hit_rate(sum->lookups, sum->objects.before));
	put_number(to, "objects after", sum->objects.after);
	fprintf(to, "  at most %.2f %% hits\n",
	    fm_hit_rate(sum->lookups, sum->objects.after));
	if (sum->objects.before >= sum->objects.after)
		put_share(to, "objects saved", sum->objects.before -
		    sum->objects.after, sum->objects.before);
}

/*--------------------------------------------------------------------
 * The simulated cache
 */

/* Writes "83.1 %", or a range "83.1 to 91.2 %". */
static void
put_range(FILE *to, double low, double high, const char *unit)
{
	if (high - low < .05)
		fprintf(to, "%.1f%s", low, unit);
	else
		fprintf(to, "%.1f to %.1f%s", low, high, unit);
}

struct cache_row {
	const struct fm_sim_counts *low[2], *high[2];	/* FM_OLD: before; it
							 * may be NULL */
};

/* Finds the numbers of a host before and after; nhosts: those of all. */
static struct cache_row
cache_row(const struct fm_replay *replay, size_t host)
{
	const struct fm_cache *cache = replay->count->cache;
	const struct fm_cache_side *old = &cache->sides[FM_OLD];
	const struct fm_cache_side *new = &cache->sides[FM_NEW];
	struct cache_row row;

	row.low[FM_NEW] = &new->low[host];
	row.high[FM_NEW] = &new->high[host];
	row.low[FM_OLD] = row.high[FM_OLD] = NULL;
	if (old->program != NULL) {
		row.low[FM_OLD] = &old->low[host];
		row.high[FM_OLD] = &old->high[host];
	} else if (cache->has_logged) {
		row.low[FM_OLD] = row.high[FM_OLD] = &cache->logged[host];
	}
	return (row);
}

static uint64_t
lookups_of(const struct fm_sim_counts *counts)
{
	return (counts->hits + counts->misses + counts->hits_for_pass);
}

/* Writes "83.1 % -> 91.2 %, backend 1,234 -> 567", with the old if known. */
static void
put_change(FILE *to, const struct cache_row *row)
{
	char low[32], high[32];
	unsigned i, first = row->low[FM_OLD] == NULL ? FM_NEW : FM_OLD;

	for (i = first; i < 2; i++) {
		put_range(to, fm_sim_hit_rate(row->low[i]),
		    fm_sim_hit_rate(row->high[i]), " %");
		fprintf(to, i == FM_OLD ? " -> " : ", backend requests ");
	}
	for (i = first; i < 2; i++) {
		fprintf(to, "%s", fm_grouped(row->high[i]->backend, low));
		if (row->low[i]->backend != row->high[i]->backend)
			fprintf(to, " to %s",
			    fm_grouped(row->low[i]->backend, high));
		fprintf(to, i == FM_OLD ? " -> " : "\n");
	}
}

static void
put_cache_counts(FILE *to, const char *label,
    const struct fm_sim_counts *counts)
{
	char buf[32];

	if (counts == NULL)
		return;
	fprintf(to, "  %-24s", label);
	fprintf(to, "%11s", fm_grouped(lookups_of(counts), buf));
	fprintf(to, "%11s", fm_grouped(counts->hits, buf));
	fprintf(to, "%10s", fm_grouped(counts->stale, buf));
	fprintf(to, "%10s", fm_grouped(counts->misses, buf));
	fprintf(to, "%14s", fm_grouped(counts->hits_for_miss, buf));
	fprintf(to, "%10s", fm_grouped(counts->passes +
	    counts->hits_for_pass, buf));
	fprintf(to, "%10s\n", fm_grouped(counts->backend, buf));
}

static void
put_cache_table(const struct fm_replay *replay, FILE *to)
{
	const struct fm_cache *cache = replay->count->cache;
	size_t all = replay->count->nhosts;
	const struct fm_cache_side *old = &cache->sides[FM_OLD];
	const struct fm_cache_side *new = &cache->sides[FM_NEW];

	fprintf(to, "  %-24s%11s%11s%10s%10s%14s%10s%10s\n", "", "lookups",
	    "hits", "in grace", "misses", "hit-for-miss", "passes", "backend");
	if (cache->has_logged)
		put_cache_counts(to, "in the log", &cache->logged[all]);
	if (old->program != NULL) {
		put_cache_counts(to, cache->complete ? "--old" :
		    "--old, at worst", &old->low[all]);
		if (!cache->complete)
			put_cache_counts(to, "--old, at best",
			    &old->high[all]);
	}
	put_cache_counts(to, cache->complete ? "simulated" :
	    "simulated, at worst", &new->low[all]);
	if (!cache->complete)
		put_cache_counts(to, "simulated, at best",
		    &new->high[all]);
}

static void
put_simulation(const struct fm_replay *replay, FILE *to)
{
	const struct fm_cache *cache = replay->count->cache;
	const struct fm_replay_host *host = replay->count->hosts;
	struct cache_row row;
	size_t i, n = replay->count->nhosts;

	if (!fm_replay_simulates(replay)) {
		fprintf(to, "\nThe cache can't be simulated: the log has no "
		    "times\n");
		return;
	}
	row = cache_row(replay, n);
	fprintf(to, "\nSimulated cache: hit rate ");
	put_change(to, &row);
	put_cache_table(replay, to);
	if (!cache->complete)
		fprintf(to, "  It is a range, as %s.\n", cache->why);
	fprintf(to, "  Bans and evictions are not simulated.\n");
	for (i = 0; i < n && i < replay->top; i++, host++) {
		row = cache_row(replay, host->number);
		fm_put_host(to, host->name, NAME);
		fprintf(to, "  ");
		put_change(to, &row);
	}
	put_more(to, n, replay->top);
}

/*--------------------------------------------------------------------
 * Costs
 */

static void
put_costs(const struct fm_replay *replay, FILE *to)
{
	fprintf(to, "\nCosts\n");
	put_number(to, "scans", replay->sum.scans);
	fprintf(to, "  %.2f a request\n", replay->sum.requests == 0 ? 0 :
	    (double)replay->sum.scans / (double)replay->sum.requests);
	fprintf(to, "  %-28s%14.0f  a request\n", "nanoseconds in the rules",
	    fm_replay_ns(replay));
	if (replay->count->undecided > 0) {
		put_number(to, "undecided", replay->count->undecided);
		fprintf(to, "  a regex was over its match limit\n");
	}
}

/*--------------------------------------------------------------------
 * Lists
 */

static void
put_hosts(const struct fm_replay *replay, FILE *to)
{
	const struct fm_replay_host *host;
	unsigned v;
	size_t i;

	if (replay->count->nhosts == 0)
		return;
	fprintf(to, "\n%-*s%12s", NAME + 2, "Hosts", "requests");
	for (v = 0; v < FM_REPLAY_VERDICTS; v++)
		if (replay->sum.verdicts[v] > 0)
			fprintf(to, "%10s", fm_verdict_name(v));
	fprintf(to, "%12s%10s\n", "URLs before", "after");
	for (i = 0; i < replay->count->nhosts && i < replay->top; i++) {
		host = &replay->count->hosts[i];
		fm_put_host(to, host->name, NAME);
		fprintf(to, "%12llu", (unsigned long long)host->requests);
		for (v = 0; v < FM_REPLAY_VERDICTS; v++)
			if (replay->sum.verdicts[v] > 0)
				fprintf(to, "%10llu",
				    (unsigned long long)host->verdicts[v]);
		fprintf(to, "%12llu%10llu\n",
		    (unsigned long long)host->urls.before,
		    (unsigned long long)host->urls.after);
	}
	put_more(to, replay->count->nhosts, replay->top);
}

static void
put_unknown(const struct fm_replay *replay, FILE *to)
{
	const struct fm_replay_host *host = replay->count->hosts;
	size_t i;

	if (replay->nunknown == 0)
		return;
	fprintf(to, "\n%-*s%12s\n", NAME + 2, "Hosts without an entry",
	    "requests");
	for (i = 0; i < replay->nunknown && i < replay->top; host++) {
		if (host->entry)
			continue;
		fm_put_host(to, host->name, NAME);
		fprintf(to, "%12llu\n", (unsigned long long)host->requests);
		i++;
	}
	put_more(to, replay->nunknown, replay->top);
}

static void
put_untold(const struct fm_replay *replay, FILE *to)
{
	if (replay->nuntold == 0)
		return;
	fputc('\n', to);
	fm_unseen_say(to, &replay->unseen, replay->untold, replay->nuntold);
}

static void
put_idle(const struct fm_replay *replay, FILE *to)
{
	size_t i;

	if (replay->nidle > 0)
		fprintf(to, "\nRules never hit, %zu of %zu\n", replay->nidle,
		    fm_program_nrules(replay->program));
	for (i = 0; i < replay->nidle && i < replay->top; i++) {
		fprintf(to, "  ");
		fm_put_rule(to, replay->idle[i]);
		fputc('\n', to);
	}
	put_more(to, replay->nidle, replay->top);
	if (replay->nidle_hosts > 0)
		fprintf(to, "\nHosts of the rules that no request asked for, "
		    "%zu of %zu\n", replay->nidle_hosts,
		    fm_program_hosts(replay->program));
	for (i = 0; i < replay->nidle_hosts && i < replay->top; i++) {
		fprintf(to, "  ");
		fm_put_clean(to, fm_text_of(replay->idle_hosts[i]), VALUE);
		fputc('\n', to);
	}
	put_more(to, replay->nidle_hosts, replay->top);
}

static void
put_place(const struct fm_replay *replay, struct fm_where where, FILE *to)
{
	fprintf(to, "  ");
	fm_put_clean(to, fm_text_of(replay->logs->paths[where.log]), 0);
	fprintf(to, ":%ju", (uintmax_t)where.line);
}

static void
put_lines(const struct fm_replay *replay, FILE *to)
{
	const struct fm_replay_example *example;
	unsigned i;

	if (replay->count->nexamples > 0)
		fprintf(to, "\nURLs that are changed, the first ones\n");
	for (i = 0; i < replay->count->nexamples; i++) {
		example = &replay->count->examples[i];
		put_place(replay, example->where, to);
		fprintf(to, "  ");
		fm_put_clean(to, fm_text_of(example->host), VALUE);
		fprintf(to, "\n    - ");
		fm_put_clean(to, fm_text_of(example->before), VALUE);
		fprintf(to, "\n    + ");
		fm_put_clean(to, fm_text_of(example->after), VALUE);
		fputc('\n', to);
	}
	if (replay->logs->unreadable > 0)
		fprintf(to, "\nLines that could not be read, the first "
		    "ones\n");
	for (i = 0; i < replay->logs->nfirst; i++) {
		put_place(replay, replay->logs->first[i], to);
		fputc('\n', to);
	}
}

void
fm_replay_text(const struct fm_replay *replay, FILE *to)
{
	put_summary(replay, to);
	/* Tables of zeros would hide the reason. */
	if (replay->sum.requests > 0) {
		put_verdicts(replay, to);
		put_urls(replay, to);
		put_simulation(replay, to);
		put_costs(replay, to);
		put_hosts(replay, to);
		put_unknown(replay, to);
		put_untold(replay, to);
		put_idle(replay, to);
	}
	put_lines(replay, to);
}
