/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The subcommands and their options: one table (commands.c), from which come
 * how a command line is read, what --help says, and the manual page.
 */

#ifndef FM_OPTIONS_H
#define FM_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "cli.h"
#include "term.h"

/* An option is known by its letter, or by a number if it has none. */
enum fm_option_id {
	FM_OPTION_END = -1,	/* the options end here */
	FM_OPTION_BAD = -2,	/* it was said what is wrong */
	FM_OPTION_FORMAT = 'F',
	FM_OPTION_HEADER = 'H',
	FM_OPTION_HELP = 'h',
	FM_OPTION_NAME = 'n',
	FM_OPTION_OUTPUT = 'o',
	FM_OPTION_VERSION = 'V',
	FM_OPTION_QUIET = 'q',
	FM_OPTION_BACKEND = 256,
	FM_OPTION_CHECK,
	FM_OPTION_CLIENT,
	FM_OPTION_COLOR,
	FM_OPTION_COST,
	FM_OPTION_COVERAGE,
	FM_OPTION_ESI,
	FM_OPTION_FOLDER,
	FM_OPTION_FORCE,
	FM_OPTION_HOST,
	FM_OPTION_HTML,
	FM_OPTION_JSON,
	FM_OPTION_JUNIT,
	FM_OPTION_LOG,
	FM_OPTION_MATCH_LIMIT,
	FM_OPTION_METHOD,
	FM_OPTION_MIN_COVERAGE,
	FM_OPTION_MIN_HOSTS,
	FM_OPTION_ONCE,
	FM_OPTION_PROVE,
	FM_OPTION_RAW,
	FM_OPTION_RECORD,
	FM_OPTION_RULES,
	FM_OPTION_SECONDS,
	FM_OPTION_SEED,
	FM_OPTION_STRICT,
	FM_OPTION_TOP,
	FM_OPTION_URL,
	FM_OPTION_VCL,
	FM_OPTION_VCL_PATH,
	FM_OPTION_VMODS,
	FM_OPTION_WELL_FORMED
};

struct fm_option {
	int			id;	/* enum fm_option_id; 0: the last */
	const char		*name;
	const char		*argument;	/* NULL: takes none */
	bool			once;		/* else the last one counts */
	const char		*help;
};

struct fm_command {
	const char		*name;
	const char		*arguments;	/* other than options */
	const char		*summary;
	const struct fm_option	*options;
	int			(*run)(int argc, char **argv);
};

/* Ends with a command without a name. */
extern const struct fm_command fm_commands[];

/* The command that is run by this. */
const struct fm_command *fm_command_of(int (*run)(int argc, char **argv));

/* The program itself, which takes options too. */
extern const struct fm_command fm_program_command;

/*
 * The next option of the command, its argument in optarg; after the last one,
 * optind is the first other argument, which may stand between options too.
 * --help is answered here, and ends the process; --match-limit is seen to here.
 */
int fm_options_next(const struct fm_command *, int argc, char **argv);

/* The options that several commands have, as they were given. */
struct fm_shared {
	struct fm_backends	backends;	/* --backend, --vcl */
	enum fm_colour		colour;
	const char		*format;	/* or NULL */
	unsigned		top;		/* rows; 20 unless given */
	bool			json;
};

/* The same, but these options are taken, and the next one is returned. */
int fm_options_shared(const struct fm_command *, int argc, char **argv,
    struct fm_shared *);

/* Says what is wrong with the command line; returns the exit status. */
int fm_options_usage(const struct fm_command *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * The one file of rules that is left behind the options.  0, or what
 * fm_options_usage() says.
 */
int fm_options_file(const struct fm_command *, int argc, char **argv,
    const char **file);

/*
 * The number that an option was given, from 1 to max.  0, or the exit status
 * where it is none: it was said, and the number is as it was.
 */
int fm_options_number(const struct fm_command *, const char *option,
    unsigned max, unsigned *number);

void fm_options_help(const struct fm_command *, FILE *);

/*
 * Prints what the last of these words may be, for shells that complete it
 * (complete.c).  The words are those behind the program's name.
 */
void fm_options_complete(char **words, unsigned n, FILE *);

/* Prints the options of all commands in RST, for the manual page. */
void fm_options_rst(FILE *);

#endif
