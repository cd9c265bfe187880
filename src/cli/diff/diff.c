/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * fastmatch diff: which requests of logs other rules would decide otherwise.
 * Its exit status is that of diff(1), and one more.
 */

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "diff.h"
#include "fold.h"
#include "options.h"

#define TOP		20
#define TOP_MAX		1000000
#define THREADS_MAX	256

enum diff_exit {
	EXIT_SAME,
	EXIT_CHANGED,
	EXIT_TROUBLE,
	EXIT_UNTOLD		/* the same, as far as the log tells */
};

static const struct fm_command *command;

struct arguments {
	const char		*files[2];
	const char		**logs;
	size_t			nlogs, logs_room;
	const char		*format;
	unsigned		top;
	unsigned		threads;
	struct fm_backends	backends;
	bool			json;
};

static int
compare(const struct arguments *a, const struct fm_rules rules[2],
    struct fm_logs *logs)
{
	struct fm_diff diff = { .files = { a->files[0], a->files[1] },
	    .logs = logs, .top = a->top };
	struct fm_diff_untold untold;
	struct fm_diff_count *counts;
	void **states;
	uint64_t seed;
	int status;
	unsigned i;
	bool fine;

	counts = fm_cli_alloc(a->threads * sizeof *counts);
	states = fm_cli_alloc(a->threads * sizeof *states);
	seed = fm_fold_seed(counts);
	for (i = 0; i < a->threads; i++) {
		counts[i].programs[FM_OLD] = rules[FM_OLD].program;
		counts[i].programs[FM_NEW] = rules[FM_NEW].program;
		counts[i].seed = seed;
		states[i] = &counts[i];
	}
	fine = fm_logs_run(logs, states, a->threads, fm_diff_request);
	for (i = 1; i < a->threads; i++)
		fm_diff_count_merge(&counts[0], &counts[i]);
	diff.count = &counts[0];
	fm_diff_untold_find(&untold, rules, logs);
	diff.untold = &untold;
	fm_diff_report(&diff, a->json);
	status = counts[0].changed > 0 ? EXIT_CHANGED :
	    untold.n > 0 ? EXIT_UNTOLD : EXIT_SAME;
	fm_diff_untold_fini(&untold);
	if (fm_logs_requests(logs) == 0) {
		/* Nothing was compared: that must not pass a review. */
		fprintf(stderr, "fastmatch diff: no request could be read; "
		    "fastmatch(1) says how a line must look\n");
		fine = false;
	}
	for (i = 0; i < a->threads; i++)
		fm_diff_count_fini(&counts[i]);
	free(counts);
	free(states);
	return (fine ? status : EXIT_TROUBLE);
}

static int
run(const struct arguments *a)
{
	struct fm_rules rules[2];
	struct fm_logs *logs;
	int status = EXIT_TROUBLE;
	unsigned i, opened;
	bool fine = true;

	for (opened = 0; fine && opened < 2; opened++) {
		fine = fm_rules_open(&rules[opened], a->files[opened],
		    &a->backends);
		if (!fine)
			(void)fm_rules_complain(&rules[opened], a->json);
	}
	if (fine) {
		logs = fm_logs_open("diff", a->logs, a->nlogs, a->format);
		if (logs != NULL) {
			status = compare(a, rules, logs);
			fm_logs_close(&logs);
		}
	}
	for (i = 0; i < opened; i++)
		fm_rules_close(&rules[i]);
	return (status);
}

/*--------------------------------------------------------------------
 * The command
 */

static void
add_log(struct arguments *a, const char *path)
{
	const char **log = fm_cli_grow(&a->logs, a->nlogs, &a->logs_room,
	    sizeof *log);

	*log = path;
	a->nlogs++;
}

static int
take_option(struct arguments *a, int id)
{
	switch (id) {
	case FM_OPTION_LOG:
		add_log(a, optarg);
		return (0);
	case FM_OPTION_FORMAT:
		a->format = optarg;
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
		return (fm_options_usage(command,
		    "two files of rules, not one: '%s'", argv[optind]));
	a->files[FM_OLD] = argv[optind];
	a->files[FM_NEW] = argv[optind + 1];
	for (i = optind + 2; i < argc; i++)
		add_log(a, argv[i]);
	if (a->nlogs == 0)
		return (fm_options_usage(command, "no log is given"));
	return (0);
}

int
fm_cli_diff(int argc, char **argv)
{
	struct arguments a = { .top = TOP };
	int status;

	fm_cli_trouble = EXIT_TROUBLE;
	command = fm_command_of(fm_cli_diff);
	a.threads = fm_logs_threads();
	status = take_arguments(&a, argc, argv);
	if (status == 0)
		status = run(&a);
	free(a.logs);
	free(a.backends.v);
	return (status);
}
