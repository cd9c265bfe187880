/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch diff`: compares what two rule files do to the requests of logs
 * (diff.h).  The exit status is as that of diff(1): 0 for the same, 1 for
 * changes, 2 for trouble; and 3 if the logs show no change, but can't tell for
 * all rules.
 */

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

static int
compare(const struct fm_rules rules[2], struct fm_logs *logs)
{
	struct fm_diff diff = { .files = { rules[0].path, rules[1].path },
	    .logs = logs, .top = fm_given.top };
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
	fm_diff_report(&diff);
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
run(char **files, const char **paths, size_t npaths)
{
	struct fm_rules rules[2];
	struct fm_logs *logs;
	int status = EXIT_TROUBLE;
	unsigned i, opened;
	bool fine = true;

	for (opened = 0; fine && opened < 2; opened++) {
		fine = fm_rules_open(&rules[opened], files[opened], NULL);
		if (!fine)
			(void)fm_rules_complain(&rules[opened],
			    fm_given.json);
	}
	if (fine) {
		logs = fm_logs_open("diff", paths, npaths);
		if (logs != NULL) {
			status = compare(rules, logs);
			fm_logs_close(&logs);
		}
	}
	for (i = 0; i < opened; i++)
		fm_rules_close(&rules[i]);
	return (status);
}

int
fm_cli_diff(int argc, char **argv)
{
	const char **logs, **given;
	size_t n;
	int i, status;

	fm_cli_trouble = EXIT_TROUBLE;
	if (argc == 0)
		return (fm_options_usage("no file of rules is given"));
	if (argc == 1)
		return (fm_options_usage("two files of rules, not one: '%s'",
		    argv[0]));
	given = fm_option_all(FM_OPTION_LOG, &n);
	logs = fm_cli_alloc((n + (size_t)argc) * sizeof *logs);
	for (i = 0; i < (int)n; i++)
		logs[i] = given[i];
	for (i = 2; i < argc; i++)
		logs[n++] = argv[i];
	status = n == 0 ? fm_options_usage("no log is given") :
	    run(argv, logs, n);
	free(logs);
	return (status);
}
