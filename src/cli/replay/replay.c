/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch replay`: reads the options, runs the rules over the logs, and
 * sorts the counts for the report (replay.h).
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "options.h"
#include "replay.h"
#include "rewrite.h"
#include "term.h"

/*--------------------------------------------------------------------
 * Numbers of the report
 */

double
fm_replay_ns(const struct fm_replay *replay)
{
	return (replay->sum.requests == 0 ? 0 :
	    replay->count->ns / (double)replay->sum.requests);
}

double
fm_percent(uint64_t part, uint64_t all)
{
	return (all == 0 ? 0 : 100. * (double)part / (double)all);
}

double
fm_hit_rate(uint64_t lookups, uint64_t objects)
{
	return (lookups == 0 ? 0 : fm_percent(lookups - objects, lookups));
}

bool
fm_replay_simulates(const struct fm_replay *replay)
{
	const struct fm_cache *cache = replay->count->cache;

	return (cache->timeless < replay->logs->requests);
}

const char *
fm_verdict_name(unsigned verdict)
{
	unsigned kind;

	if (verdict == FM_VERDICT_NONE)
		return ("none");
	for (kind = 0; kind < FM_STMT__KINDS; kind++)
		if (fm_stmts[kind].verdict == verdict &&
		    fm_phase_has(fm_stmts[kind].phases, FM_PHASE_REQUEST))
			break;
	return (kind == FM_STMT__KINDS && verdict != FM_VERDICT_REFUSE ?
	    NULL : fm_verdict_word((enum fm_verdict)verdict));
}

/*--------------------------------------------------------------------
 * The report
 */

static int
by_requests(const void *a, const void *b)
{
	const struct fm_replay_host *x = a, *y = b;

	if (x->requests != y->requests)
		return (x->requests > y->requests ? -1 : 1);
	return (fm_text_compare(x->name, y->name));
}

static void
sum_host(struct fm_replay_host *sum, const struct fm_replay_host *host)
{
	unsigned i;

	sum->requests += host->requests;
	for (i = 0; i < FM_REPLAY_VERDICTS; i++)
		sum->verdicts[i] += host->verdicts[i];
	sum->changed += host->changed;
	sum->scans += host->scans;
	sum->lookups += host->lookups;
}

static void
report_hosts(struct fm_replay *replay)
{
	struct fm_replay_host *host = replay->count->hosts;
	size_t n = replay->count->nhosts;

	if (n > 0)
		qsort(host, n, sizeof *host, by_requests);
	for (; n > 0; n--, host++) {
		sum_host(&replay->sum, host);
		replay->nunknown += !host->entry;
	}
}

static void
report_rules(struct fm_replay *replay)
{
	const struct fm_unseen_rule *rule;
	bool hit;
	size_t i;

	replay->idle = fm_cli_alloc(replay->unseen.n * sizeof *replay->idle);
	replay->untold =
	    fm_cli_alloc(replay->unseen.n * sizeof *replay->untold);
	for (i = 0; i < replay->unseen.n; i++) {
		rule = &replay->unseen.rules[i];
		hit = replay->count->counters[rule->counter] > 0 ||
		    fm_replay_refused(replay->count, rule->rule);
		if (rule->looks != 0 || (!hit && rule->touches != 0))
			replay->untold[replay->nuntold++] = rule;
		else if (!hit)
			replay->idle[replay->nidle++] = rule->rule;
	}
}

static void
report_idle_hosts(struct fm_replay *replay)
{
	const char *host;
	uint32_t n, counter;

	replay->idle_hosts = fm_cli_alloc(fm_program_hosts(replay->program) *
	    sizeof *replay->idle_hosts);
	for (n = 0;
	    (host = fm_program_host(replay->program, n, &counter)) != NULL;
	    n++)
		if (replay->count->counters[counter] == 0)
			replay->idle_hosts[replay->nidle_hosts++] = host;
}

static bool
write_html(const struct fm_replay *replay, const char *path)
{
	FILE *file = fopen(path, "we");
	bool fine = file != NULL;

	if (fine) {
		fm_replay_html(replay, file);
		fine = !ferror(file);
		fine &= fclose(file) == 0;
	}
	if (!fine)
		fm_complain("fastmatch replay: can't write %s: %s", path,
		    strerror(errno));
	return (fine);
}

static int
report(struct fm_replay *replay)
{
	const char *html = fm_option(FM_OPTION_HTML);
	int status = FM_EXIT_OK;

	report_hosts(replay);
	report_rules(replay);
	report_idle_hosts(replay);
	if (replay->sum.requests == 0 && replay->logs->unreadable > 0) {
		fprintf(stderr, "fastmatch replay: no line could be read; "
		    "fastmatch(1) says how a line must look, and --format "
		    "takes the format that varnishncsa was given\n");
		status = FM_EXIT_ERRORS;
	}
	if (fm_given.json)
		fm_replay_json(replay);
	else
		fm_replay_text(replay, stdout);
	if (html != NULL && !write_html(replay, html))
		status = FM_EXIT_ERRORS;
	if (replay->count->nhosts == 1 &&
	    replay->count->hosts[0].name.b == NULL)
		fprintf(stderr, "fastmatch replay: no request has a valid "
		    "host: where the log has it --format says by %%{Host}i, "
		    "see fastmatch(1)\n");
	return (status);
}

/*--------------------------------------------------------------------
 * The command
 */

static int
replay(const struct fm_rules *rules, const struct fm_rules *old,
    struct fm_logs *logs)
{
	static struct fm_cache cache;
	static struct fm_replay r;
	static struct fm_replay_count count;
	double start = fm_cli_seconds();
	int status;
	bool fine;

	r = (struct fm_replay){ .file = rules->path, .top = fm_given.top,
	    .logs = logs, .program = rules->program, .count = &count,
	    .old = old->path };
	fm_replay_count_init(&count, rules->program);
	fm_cache_init(&cache, logs, old->program, rules->program);
	cache.sides[FM_NEW].counters = count.counters;
	count.cache = &cache;
	count.old = old->program;
	fine = fm_logs_run(logs, fm_replay_request, &count);
	fm_replay_count_end(&count, &r.sum.urls, &r.sum.objects);
	fm_cache_run(&cache, count.nhosts);
	r.seconds = fm_cli_seconds() - start;
	logs->responses = fm_recorded_is_whole(&cache.recorded, logs);
	fm_unseen_find(&r.unseen, rules, logs, NULL);
	status = report(&r);
	return (fine ? status : FM_EXIT_ERRORS);
}

int
fm_cli_replay(int argc, char **argv)
{
	const char *html = fm_option(FM_OPTION_HTML);
	const char *before = fm_option(FM_OPTION_OLD);
	static struct fm_rules rules, old;
	static struct fm_logs logs;

	if (argc == 0)
		return (fm_options_usage("no file of rules is given"));
	if (argc == 1)
		return (fm_options_usage("no log is given"));
	if (html != NULL && !fm_may_write(html, "<!DOCTYPE"))
		return (fm_options_usage("--html would overwrite %s, which is "
		    "not a page: name one, as in '--html report.html'", html));
	if (!fm_rules_open(&rules, argv[0], NULL))
		return (fm_rules_complain(&rules, fm_given.json));
	if (before != NULL && !fm_rules_open(&old, before, NULL))
		return (fm_rules_complain(&old, fm_given.json));
	if (!fm_logs_open(&logs, "replay", (const char * const *)&argv[1],
	    (size_t)argc - 1))
		return (FM_EXIT_ERRORS);
	return (replay(&rules, &old, &logs));
}
