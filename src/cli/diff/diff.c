/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `fastmatch diff`: compares what two rule files do to the requests of logs
 * (diff.h).  The exit status is as that of diff(1): 0 for the same, 1 for
 * changes, 2 for trouble; and 3 if the logs show no change, but can't tell for
 * all rules.
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "diff.h"
#include "fold.h"
#include "options.h"
#include "parent.h"

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
	fm_recorded_read(&count.recorded, logs);
	fine = fm_logs_run(logs, fm_diff_request, &count);
	logs->responses = fm_recorded_is_whole(&count.recorded, logs);
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

/* Returns how often "-" is among some paths. */
static unsigned
stdin_uses(const char * const *paths, size_t n)
{
	unsigned uses = 0;

	for (; n > 0; n--, paths++)
		uses += strcmp(*paths, "-") == 0;
	return (uses);
}

/*
 * Opens the one file with --git, or the two; returns false after an error.  In
 * place of a file that others include, the one that includes it is opened, as
 * it is now.
 */
static bool
open_sides(struct fm_rules rules[2], char **files, const char *commit)
{
	struct fm_backends *backends = &fm_given.backends;
	char *root;

	if (commit == NULL)
		return (fm_diff_open(&rules[FM_OLD], files[FM_OLD],
		    files[FM_NEW]) && fm_diff_open(&rules[FM_NEW],
		    files[FM_NEW], files[FM_OLD]));
	/* The report has the name to the end of the process. */
	root = fm_parent_root(*files, NULL, NULL);
	if (strcmp(root, *files) != 0 && !fm_given.json)
		fm_parent_put(stderr, *files, "compared", root);
	if (!fm_diff_open(&rules[FM_NEW], root, root))
		return (false);
	/* The rules of a commit are loaded in another folder. */
	if (backends->vcl != NULL)
		backends->vcl = realpath(backends->vcl, NULL);
	return (fm_diff_open_commit(&rules[FM_OLD], root, commit));
}

/* Returns 0, or the exit status if the files and logs don't suit. */
static int
take_paths(int nfiles, int argc, char **argv, const char ***logs, size_t *nlogs)
{
	const char **given;
	size_t n;

	if (argc == 0)
		return (fm_options_usage("no file of rules is given"));
	if (argc < nfiles)
		return (fm_options_usage("two files of rules, not one: '%s'",
		    argv[0]));
	given = fm_option_all(FM_OPTION_LOG, &n);
	*logs = fm_cli_alloc((n + (size_t)argc) * sizeof **logs);
	if (n > 0)
		memcpy(*logs, given, n * sizeof *given);
	for (; nfiles < argc; nfiles++)
		(*logs)[n++] = argv[nfiles];
	*nlogs = n;
	if (n == 0)
		return (fm_options_usage("no log is given"));
	return (0);
}

int
fm_cli_diff(int argc, char **argv)
{
	static struct fm_rules rules[2];
	static struct fm_logs logs;
	const char *commit = fm_option(FM_OPTION_GIT), **paths = NULL;
	int status, nfiles = commit == NULL ? 2 : 1;
	size_t n = 0;

	fm_cli_trouble = EXIT_TROUBLE;
	if (commit != NULL && !HAVE_PROCESSES)
		return (fm_cli_lacks(FM_CLI_PROCESSES));
	if (commit != NULL && (*commit == '-' || *commit == '\0'))
		return (fm_options_usage("--git takes a commit, as HEAD~1, "
		    "not '%s'", commit));
	status = take_paths(nfiles, argc, argv, &paths, &n);
	if (status != 0)
		return (status);
	if (commit != NULL && fm_diff_is_pipe(argv[0]))
		return (fm_options_usage("--git takes a file, not a pipe: "
		    "'%s'", argv[0]));
	if (stdin_uses((const char * const *)argv, (size_t)nfiles) +
	    stdin_uses(paths, n) > 1)
		return (fm_options_usage("'-' is given twice: the standard "
		    "input is one file or one log"));
	if (!open_sides(rules, argv, commit) ||
	    !fm_logs_open(&logs, "diff", paths, n))
		return (EXIT_TROUBLE);
	return (compare(rules, &logs));
}
