/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch diff`: compares what two rule files do to the requests of logs
 * (diff.h).  The exit status is as that of diff(1): 0 for the same, 1 for
 * changes, 2 for trouble; and 3 if the logs show no change, but can't tell for
 * all rules.
 */

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "diff.h"
#include "fold.h"
#include "options.h"

enum diff_exit {
	EXIT_SAME,
	EXIT_CHANGED,
	EXIT_TROUBLE,
	EXIT_UNTOLD		/* same, as far as the log tells */
};

static const struct fm_command *command;

struct arguments {
	const char		*files[2];
	const char		**logs;
	size_t			nlogs, logs_room;
	struct fm_shared	shared;
};

static int
compare(const struct arguments *a, const struct fm_rules rules[2],
    struct fm_logs *logs)
{
	struct fm_diff diff = { .files = { a->files[0], a->files[1] },
	    .logs = logs, .top = a->shared.top };
	struct fm_diff_count count = { .programs = {
	    rules[FM_OLD].program, rules[FM_NEW].program } };
	struct fm_diff_untold untold;
	int status;
	bool fine;

	count.seed = fm_fold_seed(&count);
	fine = fm_logs_run(logs, fm_diff_request, &count);
	diff.count = &count;
	fm_diff_untold_find(&untold, rules, logs);
	diff.untold = &untold;
	fm_diff_report(&diff, a->shared.json);
	status = count.changed > 0 ? EXIT_CHANGED :
	    untold.n > 0 ? EXIT_UNTOLD : EXIT_SAME;
	fm_diff_untold_fini(&untold);
	if (logs->requests == 0) {
		/* A comparison of nothing must not pass a review. */
		fprintf(stderr, "fastmatch diff: no request could be read; "
		    "fastmatch(1) says how a line must look\n");
		fine = false;
	}
	fm_diff_count_fini(&count);
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
		    &a->shared.backends, NULL);
		if (!fine)
			(void)fm_rules_complain(&rules[opened], a->shared.json);
	}
	if (fine) {
		logs = fm_logs_open("diff", a->logs, a->nlogs,
		    a->shared.format);
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
take_arguments(struct arguments *a, int argc, char **argv)
{
	int id, i;

	while ((id = fm_options_shared(command, argc, argv, &a->shared)) !=
	    FM_OPTION_END) {
		if (id != FM_OPTION_LOG)
			return (FM_EXIT_USAGE);
		add_log(a, optarg);
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
	struct arguments a = { .nlogs = 0 };
	int status;

	fm_cli_trouble = EXIT_TROUBLE;
	command = fm_command_of(fm_cli_diff);
	status = take_arguments(&a, argc, argv);
	if (status == 0)
		status = run(&a);
	free(a.logs);
	free(a.shared.backends.v);
	return (status);
}
