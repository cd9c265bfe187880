/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * fastmatch bench: what a request costs, and how much of it each kind of
 * statement.
 *
 * What a kind costs is the difference between the rules and the same rules
 * compiled without it.  All of these take turns, so that what disturbs the
 * machine disturbs all; the medians of the rounds count.  Every run in a
 * round must end as it did before the timing began.
 */

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "report.h"
#include "load.h"
#include "options.h"
#include "run.h"

#define REQUESTS	2000
#define REQUESTS_MAX	1000000
#define ROUNDS		31
#define ROUNDS_MAX	10001

static const struct fm_command *command;

struct arguments {
	const char		*file;
	const char		*log;
	const char		*http;
	unsigned		requests;
	unsigned		rounds;
	unsigned		seed;
	struct fm_backends	backends;
	bool			json;
};

/*--------------------------------------------------------------------
 * Runs
 */

/* FNV-1a, of what one run decided. */
static uint64_t
digest_add(uint64_t digest, const struct fm_result *result)
{
	const unsigned parts[] = { (unsigned)result->verdict, result->status,
	    result->nedits, result->url_changed };
	size_t i;

	for (i = 0; i < sizeof parts / sizeof parts[0]; i++)
		digest = (digest ^ parts[i]) * 0x100000001b3ULL;
	return (digest);
}

static uint64_t
run_all(const struct fm_program *program, const struct fm_view *views,
    size_t n, const struct fm_trace *trace, size_t *verdicts)
{
	const struct fm_result *result;
	uint64_t digest = 0xcbf29ce484222325ULL;
	struct fm_run run;
	size_t i;

	for (i = 0; i < n; i++) {
		result = fm_run(&run, program, &views[i], trace);
		if (result->no_memory)
			fm_cli_no_memory();
		digest = digest_add(digest, result);
		if (verdicts != NULL)
			verdicts[result->verdict]++;
		fm_run_end(&run);
	}
	return (digest);
}

/*
 * The answers before the timing: those of the full rules must be the same
 * when somebody listens, and a verdict whose statements were left out must
 * not be given.
 */
static bool
variant_answers(struct fm_variant *v, const struct fm_bench *b)
{
	static const struct {
		enum fm_stmt_kind	kind;
		enum fm_verdict		verdict;
	} pairs[] = {
		{ FM_STMT_PASS, FM_VERDICT_PASS },
		{ FM_STMT_PIPE, FM_VERDICT_PIPE },
		{ FM_STMT_HASH, FM_VERDICT_HASH },
		{ FM_STMT_PURGE, FM_VERDICT_PURGE },
		{ FM_STMT_SYNTH, FM_VERDICT_SYNTH },
		{ FM_STMT_REDIRECT, FM_VERDICT_REDIRECT },
		{ FM_STMT_ANSWER, FM_VERDICT_ANSWER }
	};
	const struct fm_trace deaf = { .priv = NULL };
	size_t i;

	v->digest = run_all(v->program, b->views, b->requests.n, NULL,
	    v->verdicts);
	if (run_all(v->program, b->views, b->requests.n, &deaf, NULL) !=
	    v->digest)
		return (false);
	for (i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
		/* `undecided synth` is no statement. */
		if (pairs[i].kind == FM_STMT_SYNTH &&
		    b->model->undecided_mode == FM_UNDECIDED_SYNTH)
			continue;
		/* `builtin` gives any other but these two. */
		if (pairs[i].kind != FM_STMT_REDIRECT &&
		    pairs[i].kind != FM_STMT_ANSWER &&
		    ((b->kinds & ~v->without) >> FM_STMT_BUILTIN & 1) != 0)
			continue;
		if ((v->without >> pairs[i].kind & 1) != 0 &&
		    v->verdicts[pairs[i].verdict] > 0)
			return (false);
	}
	return (true);
}

static bool
time_round(struct fm_bench *b, unsigned round)
{
	struct fm_moment start, end;
	struct fm_variant *v;
	double n = (double)b->requests.n;
	unsigned i;

	for (i = 0; i < b->nvariants; i++) {
		v = &b->variants[(i + round) % b->nvariants];
		start = fm_clock_read(&b->clock);
		if (run_all(v->program, b->views, b->requests.n, NULL, NULL) !=
		    v->digest)
			return (false);
		end = fm_clock_read(&b->clock);
		v->ns[round] = (end.ns - start.ns) / n;
		v->instructions[round] =
		    (end.instructions - start.instructions) / n;
	}
	return (true);
}

static int
by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x < *y ? -1 : *x > *y);
}

static double
median(double *v, unsigned n)
{
	qsort(v, n, sizeof *v, by_value);
	return (v[n / 2]);
}

static bool
time_all(struct fm_bench *b)
{
	struct fm_variant *v;
	unsigned i;

	for (i = 0; i < b->nvariants; i++) {
		v = &b->variants[i];
		v->ns = fm_cli_alloc(b->rounds * sizeof *v->ns);
		v->instructions = fm_cli_alloc(b->rounds *
		    sizeof *v->instructions);
		if (!variant_answers(v, b))
			return (false);
	}
	for (i = 0; i < b->rounds; i++)
		if (!time_round(b, i))
			return (false);
	for (i = 0; i < b->nvariants; i++) {
		v = &b->variants[i];
		v->median.ns = median(v->ns, b->rounds);
		v->median.instructions = median(v->instructions, b->rounds);
	}
	return (true);
}

/*--------------------------------------------------------------------
 * Variants
 */

static uint32_t
kinds_of(const struct fm_block *block)
{
	const struct fm_stmt *s;
	uint32_t kinds = 0;

	if (block == NULL)
		return (0);
	for (s = block->first; s != NULL; s = s->next) {
		kinds |= (uint32_t)1 << s->kind;
		if (s->kind == FM_STMT_WHEN)
			kinds |= kinds_of(s->when.then) |
			    kinds_of(s->when.otherwise);
	}
	return (kinds);
}

static uint32_t
kinds_of_model(const struct fm_model *model)
{
	uint32_t kinds = kinds_of(model->always) | kinds_of(model->finally);
	const struct fm_ruleset_def *r;
	const struct fm_site *s;

	for (r = model->rulesets; r != NULL; r = r->next)
		kinds |= kinds_of(r->block);
	for (s = model->sites; s != NULL; s = s->next)
		kinds |= kinds_of(s->block);
	return (kinds);
}

static void
variant_add(struct fm_bench *b, uint32_t without, struct fm_diag *diag)
{
	struct fm_variant *v = &b->variants[b->nvariants++];
	struct fm_compile_options options = { .without = without };

	v->without = without;
	v->program = fm_compile(b->model, &options, diag);
	if (v->program == NULL)
		fm_cli_no_memory();
}

/* All of it, without each kind that there is, and without all of them. */
static void
make_variants(struct fm_bench *b, struct fm_diag *diag)
{
	uint32_t kinds = kinds_of_model(b->model);
	unsigned k;

	b->kinds = kinds;
	variant_add(b, 0, diag);
	for (k = 0; k < FM_STMT__KINDS; k++)
		if ((kinds >> k & 1) != 0)
			variant_add(b, (uint32_t)1 << k, diag);
	variant_add(b, kinds, diag);
}

/*--------------------------------------------------------------------
 * The command
 */

static int
take_option(struct arguments *a, int id)
{
	switch (id) {
	case FM_OPTION_LOG:
		a->log = optarg;
		return (0);
	case FM_OPTION_HTTP:
		a->http = optarg;
		return (0);
	case FM_OPTION_REQUESTS:
		return (fm_options_number(command, "requests", REQUESTS_MAX,
		    &a->requests));
	case FM_OPTION_ROUNDS:
		return (fm_options_number(command, "rounds", ROUNDS_MAX,
		    &a->rounds));
	case FM_OPTION_SEED:
		return (fm_options_number(command, "seed", 1000000000,
		    &a->seed));
	case FM_OPTION_BACKEND:
		fm_backends_add(&a->backends, optarg);
		return (0);
	case FM_OPTION_JSON:
		a->json = true;
		return (0);
	default:
		return (FM_EXIT_USAGE);
	}
}

static int
take_arguments(struct arguments *a, int argc, char **argv)
{
	int id, status;

	while ((id = fm_options_next(command, argc, argv)) != FM_OPTION_END) {
		status = take_option(a, id);
		if (status != 0)
			return (status);
	}
	if (a->http != NULL && a->log != NULL)
		return (fm_options_usage(command,
		    "--http or --log, not both"));
	return (fm_options_file(command, argc, argv, &a->file));
}

static int
get_requests(const struct arguments *a, struct fm_bench *b)
{
	size_t i;

	if (a->http != NULL) {
		if (!fm_requests_http(&b->requests, a->http))
			return (FM_EXIT_ERRORS);
	} else if (a->log == NULL) {
		fm_requests_make_up(&b->requests, b->model, a->requests,
		    a->seed);
	} else if (!fm_requests_read(&b->requests, a->log, a->requests,
	    &b->skipped)) {
		return (FM_EXIT_ERRORS);
	} else if (b->requests.n == 0) {
		fprintf(stderr, "fastmatch bench: %s has no request that can "
		    "be read; fastmatch(1) says how a line must look\n",
		    a->log);
		return (FM_EXIT_ERRORS);
	}
	b->views = fm_cli_alloc(b->requests.n * sizeof *b->views);
	for (i = 0; i < b->requests.n; i++)
		fm_cli_view(&b->requests.v[i], &b->views[i]);
	return (FM_EXIT_OK);
}

static void
bench_fini(struct fm_bench *b)
{
	unsigned i;

	for (i = 0; i < b->nvariants; i++) {
		fm_program_free(&b->variants[i].program);
		free(b->variants[i].ns);
		free(b->variants[i].instructions);
	}
	free(b->views);
	fm_requests_fini(&b->requests);
}

static int
measure(struct fm_bench *b, struct fm_diag *diag, bool json)
{
	int status = FM_EXIT_OK;

	make_variants(b, diag);
	fm_clock_init(&b->clock);
	if (!time_all(b)) {
		fprintf(stderr, "fastmatch bench: an answer is not what it "
		    "must be; no times are given\n");
		status = FM_EXIT_ERRORS;
	} else if (json) {
		fm_bench_json(b);
	} else {
		fm_bench_text(b);
	}
	fm_clock_fini(&b->clock);
	return (status);
}

static int
bench(const struct arguments *a, const struct fm_rules *rules)
{
	struct fm_bench b;
	int status;

	memset(&b, 0, sizeof b);
	b.file = a->file;
	b.log = a->http != NULL ? a->http : a->log;
	b.seed = a->seed;
	b.rounds = a->rounds;
	b.model = rules->model;
	status = get_requests(a, &b);
	if (status == FM_EXIT_OK)
		status = measure(&b, rules->diag, a->json);
	bench_fini(&b);
	return (status);
}

int
fm_cli_bench(int argc, char **argv)
{
	struct arguments a = { .requests = REQUESTS, .rounds = ROUNDS,
	    .seed = 1 };
	struct fm_rules rules;
	int status;

	command = fm_command_of(fm_cli_bench);
	status = take_arguments(&a, argc, argv);
	if (status == 0) {
		status = fm_rules_open(&rules, a.file, &a.backends) ?
		    bench(&a, &rules) : fm_rules_complain(&rules, a.json);
		fm_rules_close(&rules);
	}
	free(a.backends.v);
	return (status);
}
