/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The subcommands and their options.  One table (commands.c) serves two ends:
 * command lines are read with it, and --help prints it, of which doc/assemble
 * makes parts of the manual page.  All options are read before a subcommand
 * runs, which asks for them:
 *
 *	strict = fm_option(FM_OPTION_STRICT) != NULL;
 */

#ifndef FM_OPTIONS_H
#define FM_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "cli.h"
#include "term.h"

/* An option is known by its letter, or by a number if it has none. */
enum fm_option_id {
	FM_OPTION_FORMAT = 'F',
	FM_OPTION_HEADER = 'H',
	FM_OPTION_HELP = 'h',
	FM_OPTION_NAME = 'n',
	FM_OPTION_OUTPUT = 'o',
	FM_OPTION_VERSION = 'V',
	FM_OPTION_QUIET = 'q',
	FM_OPTION_ACL = 256,
	FM_OPTION_AT,
	FM_OPTION_BACKEND,
	FM_OPTION_BACKGROUND,
	FM_OPTION_CHECK,
	FM_OPTION_CLIENT,
	FM_OPTION_COLOR,
	FM_OPTION_COST,
	FM_OPTION_COVERAGE,
	FM_OPTION_ESI,
	FM_OPTION_FILTER,
	FM_OPTION_FOLDER,
	FM_OPTION_FORCE,
	FM_OPTION_GIT,
	FM_OPTION_HOST,
	FM_OPTION_HTML,
	FM_OPTION_JSON,
	FM_OPTION_JUNIT,
	FM_OPTION_LISTS,
	FM_OPTION_LOG,
	FM_OPTION_MATCH_LIMIT,
	FM_OPTION_MEMORY,
	FM_OPTION_METHOD,
	FM_OPTION_MIN_COVERAGE,
	FM_OPTION_MIN_HOSTS,
	FM_OPTION_OLD,
	FM_OPTION_ONCE,
	FM_OPTION_PARAM,
	FM_OPTION_PARAMS,
	FM_OPTION_PARENT,
	FM_OPTION_PROVE,
	FM_OPTION_RAW,
	FM_OPTION_RECORD,
	FM_OPTION_RESPONSE,
	FM_OPTION_RESTARTS,
	FM_OPTION_RULES,
	FM_OPTION_SECONDS,
	FM_OPTION_SEED,
	FM_OPTION_STATUS,
	FM_OPTION_STRICT,
	FM_OPTION_TOP,
	FM_OPTION_URL,
	FM_OPTION_VARNISHD_OLD,
	FM_OPTION_VCL,
	FM_OPTION_VCL_PATH,
	FM_OPTION_VMODS,
	FM_OPTION_VXID,
	FM_OPTION_WELL_FORMED
};

struct fm_option {
	int			id;	/* enum fm_option_id; 0 ends a list */
	const char		*name;
	const char		*argument;	/* NULL: takes none */
	bool			once;		/* an error if given twice; else
						 * the last one counts */
	const char		*help;
};

struct fm_command {
	const char		*name;
	const char		*arguments;	/* those that are not options */
	const char		*summary;
	const struct fm_option	*options;
	/* Gets the arguments that are not options. */
	int			(*run)(int argc, char **argv);
};

/* All commands; the last element has no name. */
extern const struct fm_command fm_commands[];

/* `fastmatch` without a subcommand, which has options of its own. */
extern const struct fm_command fm_program_command;

/*
 * Reads the options of a command line, and leaves the other arguments, which
 * the user may mix with them.  --help, --version and --match-limit are carried
 * out here; the first two end the process.  Returns 0; or tells the user what
 * is wrong, and returns the exit status.
 */
int fm_options_read(const struct fm_command *, int *argc, char ***argv);

/*
 * Returns the argument of an option, the last one if it was given again, and ""
 * if it takes none; NULL: it was not given.
 */
const char *fm_option(int id);

/* Returns all n arguments of an option that counts each time. */
const char **fm_option_all(int id, size_t *n);

/* Returns the number that an option gives; `otherwise`: it was not given. */
unsigned fm_option_number(int id, unsigned otherwise);

/* The options that several commands have. */
extern struct fm_given {
	struct fm_backends	backends;	/* --backend, --vcl */
	enum fm_colour		colour;
	const char		*format;	/* or NULL */
	unsigned		top;		/* rows; 20 unless given */
	bool			json;
} fm_given;

/*
 * Prints what is wrong with the command line of the command whose options were
 * read last; returns FM_EXIT_USAGE.
 */
int fm_options_usage(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));

/*
 * Finds the one rule file that must be among the arguments.  Returns 0, or the
 * exit status if there is not exactly one.
 */
int fm_options_file(int argc, char **argv, const char **file);

/*
 * Returns 0 if the last argument of an option is a number from min to max; else
 * tells the user, and returns the exit status.
 */
int fm_options_check(int id, unsigned min, unsigned max);

/* Prints the help of a command. */
void fm_options_help(const struct fm_command *, FILE *);

/*
 * Prints how the last of the words may go on, for shells that complete it
 * (complete.c).  The words are those after the program's name.
 */
void fm_options_complete(char **words, unsigned n, FILE *);

#endif
