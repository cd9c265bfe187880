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
	static struct fm_diff_count count;
	static struct fm_diff_untold untold;
	const struct fm_diff diff = { .files = { rules[FM_OLD].path,
	    rules[FM_NEW].path }, .logs = logs, .top = fm_given.top,
	    .count = &count, .untold = &untold };
	bool fine;

	count.programs[FM_OLD] = rules[FM_OLD].program;
	count.programs[FM_NEW] = rules[FM_NEW].program;
	count.seed = fm_fold_seed(&count);
	fine = fm_logs_run(logs, fm_diff_request, &count);
	fm_diff_untold_find(&untold, rules, logs);
	fm_diff_report(&diff);
	if (logs->requests == 0) {
		/* A comparison of nothing must not pass a review. */
		fprintf(stderr, "fastmatch diff: no request could be read; "
		    "fastmatch(1) says how a line must look\n");
		fine = false;
	}
	return (!fine ? EXIT_TROUBLE : count.changed > 0 ? EXIT_CHANGED :
	    untold.n > 0 ? EXIT_UNTOLD : EXIT_SAME);
}

/* Returns how often "-" is among the two files and the logs. */
static unsigned
stdin_uses(char **files, const char * const *logs, size_t nlogs)
{
	unsigned uses = 0;
	size_t i;

	for (i = 0; i < 2; i++)
		uses += strcmp(files[i], "-") == 0;
	for (i = 0; i < nlogs; i++)
		uses += strcmp(logs[i], "-") == 0;
	return (uses);
}

int
fm_cli_diff(int argc, char **argv)
{
	static struct fm_rules rules[2];
	static struct fm_logs logs;
	static const char **paths;
	const char **given;
	size_t n;
	int i;

	fm_cli_trouble = EXIT_TROUBLE;
	if (argc == 0)
		return (fm_options_usage("no file of rules is given"));
	if (argc == 1)
		return (fm_options_usage("two files of rules, not one: '%s'",
		    argv[0]));
	given = fm_option_all(FM_OPTION_LOG, &n);
	paths = fm_cli_alloc((n + (size_t)argc) * sizeof *paths);
	for (i = 0; i < (int)n; i++)
		paths[i] = given[i];
	for (i = 2; i < argc; i++)
		paths[n++] = argv[i];
	if (n == 0)
		return (fm_options_usage("no log is given"));
	if (stdin_uses(argv, paths, n) > 1)
		return (fm_options_usage("'-' is given twice: the standard "
		    "input is one file or one log"));
	for (i = 0; i < 2; i++)
		if (!fm_diff_open(&rules[i], argv[i], argv[!i]))
			return (EXIT_TROUBLE);
	if (!fm_logs_open(&logs, "diff", paths, n))
		return (EXIT_TROUBLE);
	return (compare(rules, &logs));
}
