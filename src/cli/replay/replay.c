/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * fastmatch replay: what the rules would have done to the requests of logs.
 */

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "fold.h"
#include "options.h"
#include "replay.h"

#define TOP		20
#define TOP_MAX		1000000
#define THREADS_MAX	256

static const struct fm_command *command;

struct arguments {
	const char		*file;
	const char		*format;
	const char		*html;
	unsigned		top;
	unsigned		threads;
	struct fm_backends	backends;
	bool			json;
};

/*--------------------------------------------------------------------
 * Numbers of the report
 */

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

const char *
fm_verdict_name(unsigned verdict)
{
	const char *word = fm_verdict_word((enum fm_verdict)verdict);

	return (word == NULL ? "none" : word);
}

/*--------------------------------------------------------------------
 * The report
 */

static int
by_requests(const void *a, const void *b)
{
	const struct fm_replay_host *x, *y;

	x = *(const struct fm_replay_host * const *)a;
	y = *(const struct fm_replay_host * const *)b;
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
report_hosts(struct fm_replay *r)
{
	size_t i, n = r->count->nhosts;

	r->hosts = fm_cli_alloc(n * sizeof *r->hosts);
	r->unknown = fm_cli_alloc(n * sizeof *r->unknown);
	for (i = 0; i < n; i++) {
		r->hosts[i] = &r->count->hosts[i];
		sum_host(&r->sum, r->hosts[i]);
	}
	qsort(r->hosts, n, sizeof *r->hosts, by_requests);
	for (i = 0; i < n; i++)
		if (!r->hosts[i]->entry)
			r->unknown[r->nunknown++] = r->hosts[i];
}

static void
report_rules(struct fm_replay *r)
{
	const struct fm_unseen_rule *rule;
	bool hit;
	size_t i;

	r->idle = fm_cli_alloc(r->unseen.n * sizeof *r->idle);
	r->untold = fm_cli_alloc(r->unseen.n * sizeof *r->untold);
	for (i = 0; i < r->unseen.n; i++) {
		rule = &r->unseen.rules[i];
		hit = r->count->counters[rule->counter] > 0;
		if (rule->looks != 0 || (!hit && rule->touches != 0))
			r->untold[r->nuntold++] = rule;
		else if (!hit)
			r->idle[r->nidle++] = rule->rule;
	}
}

static void
report_idle_hosts(struct fm_replay *r)
{
	const char *host;
	uint32_t n, counter;

	r->idle_hosts = fm_cli_alloc(fm_program_hosts(r->program) *
	    sizeof *r->idle_hosts);
	for (n = 0; (host = fm_program_host(r->program, n, &counter)) != NULL;
	    n++)
		if (r->count->counters[counter] == 0)
			r->idle_hosts[r->nidle_hosts++] = host;
}

static bool
write_html(const struct fm_replay *r, const char *path)
{
	FILE *file = fopen(path, "we");
	bool fine = file != NULL;

	if (fine) {
		fm_replay_html(r, file);
		fine = !ferror(file);
		fine &= fclose(file) == 0;
	}
	if (!fine)
		fprintf(stderr, "fastmatch replay: can't write %s: %s\n", path,
		    strerror(errno));
	return (fine);
}

static int
report(struct fm_replay *r, const struct arguments *a)
{
	int status = FM_EXIT_OK;

	report_hosts(r);
	report_rules(r);
	report_idle_hosts(r);
	if (a->json)
		fm_replay_json(r);
	else
		fm_replay_text(r, stdout);
	if (a->html != NULL && !write_html(r, a->html))
		status = FM_EXIT_ERRORS;
	if (r->sum.requests == 0 && fm_logs_unreadable(r->logs) > 0) {
		fprintf(stderr, "fastmatch replay: no line could be read; "
		    "fastmatch(1) says how a line must look, and --format "
		    "takes the format that varnishncsa was given\n");
		status = FM_EXIT_ERRORS;
	}
	if (r->count->nhosts == 1 && r->hosts[0]->name.b == NULL)
		fprintf(stderr, "fastmatch replay: no request has a valid "
		    "host: where the log has it --format says by %%{Host}i, "
		    "see fastmatch(1)\n");
	free(r->hosts);
	free(r->unknown);
	free(r->idle);
	free(r->untold);
	free(r->idle_hosts);
	return (status);
}

/*--------------------------------------------------------------------
 * The command
 */

static double
seconds(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ((double)ts.tv_sec + (double)ts.tv_nsec / 1e9);
}

static int
replay(const struct arguments *a, const struct fm_rules *rules,
    struct fm_logs *logs, struct fm_replay *r)
{
	struct fm_replay_count *counts;
	void **states;
	uint64_t seed;
	double start = seconds();
	int status;
	unsigned i;
	bool fine;

	counts = fm_cli_alloc(a->threads * sizeof *counts);
	states = fm_cli_alloc(a->threads * sizeof *states);
	seed = fm_fold_seed(counts);
	for (i = 0; i < a->threads; i++) {
		fm_replay_count_init(&counts[i], rules->program, seed);
		states[i] = &counts[i];
	}
	fine = fm_logs_run(logs, states, a->threads, fm_replay_request);
	for (i = 1; i < a->threads; i++)
		fm_replay_count_merge(&counts[0], &counts[i]);
	fm_replay_count_end(&counts[0], &r->sum.urls, &r->sum.objects);
	r->seconds = seconds() - start;
	r->logs = logs;
	r->program = rules->program;
	r->count = &counts[0];
	fm_unseen_find(&r->unseen, rules, logs);
	status = report(r, a);
	fm_unseen_fini(&r->unseen);
	for (i = 0; i < a->threads; i++)
		fm_replay_count_fini(&counts[i]);
	free(counts);
	free(states);
	return (fine ? status : FM_EXIT_ERRORS);
}

static int
take_option(struct arguments *a, int id)
{
	switch (id) {
	case FM_OPTION_FORMAT:
		a->format = optarg;
		return (0);
	case FM_OPTION_HTML:
		a->html = optarg;
		return (0);
	case FM_OPTION_TOP:
		return (fm_options_number(command, "top", TOP_MAX, &a->top));
	case FM_OPTION_THREADS:
		return (fm_options_number(command, "threads", THREADS_MAX,
		    &a->threads));
	case FM_OPTION_BACKEND:
		fm_backends_add(&a->backends, optarg);
		return (0);
	case FM_OPTION_VCL:
		a->backends.vcl = optarg;
		return (0);
	case FM_OPTION_JSON:
		a->json = true;
		return (0);
	default:
		return (FM_EXIT_USAGE);
	}
}

static bool
same_file(const char *a, const char *b)
{
	struct stat at, bt;

	return (stat(a, &at) == 0 && stat(b, &bt) == 0 &&
	    at.st_dev == bt.st_dev && at.st_ino == bt.st_ino &&
	    S_ISREG(at.st_mode));
}

static int
take_arguments(struct arguments *a, int argc, char **argv)
{
	int id, status, i;

	while ((id = fm_options_next(command, argc, argv)) != FM_OPTION_END) {
		status = take_option(a, id);
		if (status != 0)
			return (status);
	}
	if (optind == argc)
		return (fm_options_usage(command, "no file of rules is given"));
	if (argc - optind == 1)
		return (fm_options_usage(command, "no log is given"));
	for (i = optind; a->html != NULL && i < argc; i++)
		if (same_file(a->html, argv[i]))
			return (fm_options_usage(command, "the page would "
			    "take the place of a file that is read"));
	a->file = argv[optind];
	return (0);
}

static int
run(const struct arguments *a, const char * const *paths, size_t npaths)
{
	struct fm_replay r = { .file = a->file, .paths = paths,
	    .npaths = npaths, .nthreads = a->threads, .top = a->top };
	struct fm_rules rules;
	struct fm_logs *logs;
	int status = FM_EXIT_ERRORS;

	if (!fm_rules_open(&rules, a->file, &a->backends)) {
		status = fm_rules_complain(&rules, a->json);
	} else {
		logs = fm_logs_open("replay", paths, npaths, a->format);
		if (logs != NULL) {
			status = replay(a, &rules, logs, &r);
			fm_logs_close(&logs);
		}
	}
	fm_rules_close(&rules);
	return (status);
}

int
fm_cli_replay(int argc, char **argv)
{
	struct arguments a = { .top = TOP };
	int status;

	command = fm_command_of(fm_cli_replay);
	a.threads = fm_logs_threads();
	status = take_arguments(&a, argc, argv);
	if (status == 0)
		status = run(&a, (const char * const *)&argv[optind + 1],
		    (size_t)(argc - optind - 1));
	free(a.backends.v);
	return (status);
}
