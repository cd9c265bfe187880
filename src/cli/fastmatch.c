/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The command fastmatch: finds the subcommand and runs it.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "distance.h"
#include "options.h"

double
fm_cli_seconds(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ((double)ts.tv_sec + (double)ts.tv_nsec / 1e9);
}

/* Complains of a name that no command has. */
static int
command_unknown(const char *name)
{
	const struct fm_command *command, *near = NULL;
	size_t d, max = fm_distance_max(fm_text_of(name)) + 1;

	for (command = fm_commands; command->name != NULL; command++) {
		d = fm_distance(fm_text_of(name), fm_text_of(command->name),
		    max);
		if (d < max) {
			near = command;
			max = d;
		}
	}
	return (near == NULL ?
	    fm_options_usage("there is no command '%s'", name) :
	    fm_options_usage("there is no command '%s': did you mean '%s'?",
	    name, near->name));
}

static const struct fm_command *
command_find(const char *name)
{
	const struct fm_command *command;

	for (command = fm_commands; command->name != NULL; command++)
		if (strcmp(command->name, name) == 0)
			return (command);
	return (NULL);
}

int
fm_cli_finish(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return (status);
	fprintf(stderr, "fastmatch: can't write: %s\n", strerror(errno));
	return (fm_cli_trouble);
}

static int
run_command(const struct fm_command *command, int argc, char **argv)
{
	int status;

	status = fm_options_read(command, &argc, &argv);
	return (status != 0 ? status : command->run(argc, argv));
}

/* Runs `fastmatch help [COMMAND]`. */
static int
help(int argc, char **argv)
{
	const struct fm_command *command = &fm_program_command;

	if (argc > 1) {
		command = command_find(argv[1]);
		if (command == NULL)
			return (command_unknown(argv[1]));
	}
	fm_options_help(command, stdout);
	return (FM_EXIT_OK);
}

int
main(int argc, char **argv)
{
	const struct fm_command *command;
	int status;

	/* The completions of shells call this. */
	if (argc > 1 && strcmp(argv[1], "--help=complete") == 0) {
		fm_options_complete(argv + 2, (unsigned)argc - 2, stdout);
		return (fm_cli_finish(FM_EXIT_OK));
	}
	if (argc == 0)
		return (fm_options_usage("no command"));
	status = fm_options_read(&fm_program_command, &argc, &argv);
	if (status != 0)
		return (status);
	if (argc == 0)
		return (fm_options_usage("no command is given"));
	if (strcmp(argv[0], "help") == 0)
		return (fm_cli_finish(help(argc, argv)));
	command = command_find(argv[0]);
	if (command == NULL)
		return (command_unknown(argv[0]));
	return (fm_cli_finish(run_command(command, argc, argv)));
}
