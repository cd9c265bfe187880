/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the options of command lines by the table of commands.c, with getopt,
 * and prints the table as --help.
 */

#include "config.h"

#include <ctype.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "beside.h"
#include "bounds.h"
#include "obj.h"
#include "options.h"
#include "regex.h"
#include "shipped.h"
#include "term.h"

#define OPTIONS_MAX	64	/* of a command: more than any has */
#define TOP		20	/* rows of a table without --top */
#define HELP_INDENT	8	/* columns */
#define HELP_WIDTH	79	/* columns: a terminal has 80 */

/* True for an option with a letter, which is its number. */
#define IS_LETTER(id)	((id) < 256)

/* Options that take a number, the smallest one and the largest. */
static const struct {
	int			id;
	unsigned		min, max;
} numbers[] = {
	{ FM_OPTION_MATCH_LIMIT, 1, 1000000000 },	/* takes PCRE2 hours */
	{ FM_OPTION_MIN_COVERAGE, 1, 100 },
	{ FM_OPTION_MIN_HOSTS, 1, FM_LIMIT_HOSTS },
	{ FM_OPTION_RESTARTS, 0, 1000 },
	{ FM_OPTION_SECONDS, 1, 86400 },		/* a day */
	{ FM_OPTION_SEED, 1, 1U << 31 },
	{ FM_OPTION_STATUS, 1, 999 },
	{ FM_OPTION_TOP, 1, 1000000 }
};

/* The command whose options were read last, and the arguments of each. */
static const struct fm_command *command = &fm_program_command;
static struct arguments {
	const char		**v;
	size_t			n, room;
} values[256 + OPTIONS_MAX];

struct fm_given fm_given;

/*--------------------------------------------------------------------
 * Reading
 */

/* The options of a command, as getopt wants them. */
struct getopt_tables {
	char			letters[2 * OPTIONS_MAX + 3];
	struct option		names[OPTIONS_MAX + 1];
};

static void
tables_fill(struct getopt_tables *tables)
{
	const struct fm_option *o = command->options;
	char *letter = tables->letters;
	unsigned n;

	memset(tables, 0, sizeof *tables);
	/* '+': stop at the subcommand, which reads its options itself. */
	if (command->name == NULL)
		*letter++ = '+';
	/* ':': a missing argument is not a '?'. */
	*letter++ = ':';
	for (n = 0; o[n].id != 0; n++) {
		assert(n < OPTIONS_MAX);
		tables->names[n] = (struct option){ o[n].name,
		    o[n].argument == NULL ? no_argument : required_argument,
		    NULL, o[n].id };
		if (IS_LETTER(o[n].id)) {
			*letter++ = (char)o[n].id;
			if (o[n].argument != NULL)
				*letter++ = ':';
		}
	}
}

static const struct fm_option *
option_of(int id)
{
	const struct fm_option *o;

	for (o = command->options; o->id != 0; o++)
		if (o->id == id)
			return (o);
	return (NULL);
}

/* Says what is wrong with an option, as getopt would; but in clean text. */
static int
refuse(int id, const char *word)
{
	if (id == ':')
		return (fm_options_usage("option '%s' requires an argument",
		    word));
	if (optopt == 0)
		return (fm_options_usage("unrecognized option '%s'", word));
	if (option_of(optopt) != NULL)
		return (fm_options_usage("option '%s' doesn't allow an "
		    "argument", word));
	return (fm_options_usage("invalid option -- '%c'", optopt));
}

/* Takes an option that getopt has found; returns 0, or the exit status. */
static int
take(int id, const char *word)
{
	const struct fm_option *o = option_of(id);
	struct arguments *a;
	size_t i;

	if (o == NULL)
		return (refuse(id, word));
	if (id == FM_OPTION_HELP || id == FM_OPTION_VERSION) {
		if (id == FM_OPTION_HELP)
			fm_options_help(command, stdout);
		else
			printf("fastmatch %s\n", PACKAGE_VERSION);
		exit(fm_cli_finish(FM_EXIT_OK));
	}
	assert((size_t)id < sizeof values / sizeof values[0]);
	a = &values[id];
	if (a->n > 0 && o->once)
		return (fm_options_usage("--%s is given twice", o->name));
	*(const char **)fm_cli_grow(&a->v, a->n++, &a->room, sizeof *a->v) =
	    o->argument == NULL ? "" : optarg;
	for (i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		if (id == numbers[i].id)
			return (fm_options_check(id, numbers[i].min,
			    numbers[i].max));
	if (id == FM_OPTION_COLOR && !fm_colour_parse(optarg, &fm_given.colour))
		return (fm_options_usage("--color takes auto, always or never, "
		    "not '%s'", optarg));
	return (0);
}

int
fm_options_read(const struct fm_command *of, int *argc, char ***argv)
{
	struct getopt_tables tables;
	struct fm_backends *backends = &fm_given.backends;
	static unsigned limit;
	int id, status;

	command = of;
	tables_fill(&tables);
	/* 0 (not 1) resets getopt, which has read the program's options. */
	optind = 0;
	while ((id = getopt_long(*argc, *argv, tables.letters, tables.names,
	    NULL)) != -1)
		if ((status = take(id, (*argv)[optind - 1])) != 0)
			return (status);
	*argc -= optind;
	*argv += optind;
	backends->v = fm_option_all(FM_OPTION_BACKEND, &backends->n);
	backends->vcl = fm_option(FM_OPTION_VCL);
	fm_shipped_anywhere = true;
	fm_shipped_folder = fm_beside("lists", fm_shipped_folder);
	if (fm_option(FM_OPTION_LISTS) != NULL)
		fm_shipped_folder = fm_option(FM_OPTION_LISTS);
	fm_given.format = fm_option(FM_OPTION_FORMAT);
	fm_given.top = fm_option_number(FM_OPTION_TOP, TOP);
	fm_given.json = fm_option(FM_OPTION_JSON) != NULL;
	limit = fm_option_number(FM_OPTION_MATCH_LIMIT, 0);
	if (limit > 0)
		fm_regex_follow_limit(&limit);
	return (0);
}

const char *
fm_option(int id)
{
	return (values[id].n == 0 ? NULL : values[id].v[values[id].n - 1]);
}

const char **
fm_option_all(int id, size_t *n)
{
	*n = values[id].n;
	return (values[id].v);
}

unsigned
fm_option_number(int id, unsigned otherwise)
{
	const char *value = fm_option(id);

	return (value == NULL ? otherwise : (unsigned)strtoul(value, NULL, 10));
}

static const char *
name_of(const struct fm_command *c)
{
	return (c->name == NULL ? "" : c->name);
}

int
fm_options_usage(const char *fmt, ...)
{
	const char *name = name_of(command);
	const char *blank = *name == '\0' ? "" : " ";
	va_list ap;

	fprintf(stderr, "fastmatch%s%s: ", blank, name);
	va_start(ap, fmt);
	fm_complain_list(fmt, ap);
	va_end(ap);
	fprintf(stderr, "Try 'fastmatch%s%s --help'.\n", blank, name);
	return (FM_EXIT_USAGE);
}

int
fm_cli_lacks(enum fm_cli_need need)
{
	static const char * const what[] = {
		[FM_CLI_LOG] = "without libvarnishapi, which reads Varnish's "
		    "log: use one that was built where Varnish is installed",
		[FM_CLI_MODULE] = "without the module, which --prove loads: "
		    "use one that was built where Varnish is installed",
		[FM_CLI_PROCESSES] = "as WebAssembly, which can't do this: "
		    "use one that was built for your system"
	};

	fm_complain("fastmatch %s: this fastmatch was built %s",
	    name_of(command), what[need]);
	return (FM_EXIT_USAGE);
}

int
fm_options_file(int argc, char **argv, const char **file)
{
	if (argc == 0)
		return (fm_options_usage("no file of rules is given"));
	if (argc > 1)
		return (fm_options_usage("one file of rules, not two: '%s'",
		    argv[1]));
	*file = argv[0];
	return (0);
}

int
fm_options_check(int id, unsigned min, unsigned max)
{
	const struct fm_option *option = option_of(id);
	const char *value = fm_option(id);
	unsigned long n;
	char *end;

	assert(option != NULL && value != NULL);	/* it was given */
	if (isdigit((unsigned char)*value)) {
		n = strtoul(value, &end, 10);
		if (*end == '\0' && n >= min && n <= max)
			return (0);
	}
	return (fm_options_usage("--%s takes a number from %u to %u, not '%s'",
	    option->name, min, max, value));
}

/*--------------------------------------------------------------------
 * Listing
 */

/* Prints a text in lines of at most HELP_WIDTH columns. */
static void
put_wrapped(const char *text, size_t indent, FILE *to)
{
	size_t column = 0, len;

	while (*text != '\0') {
		len = strcspn(text, " ");
		if (column == 0 || column + 1 + len > HELP_WIDTH) {
			fprintf(to, "%s%*s", column == 0 ? "" : "\n",
			    (int)indent, "");
			column = indent;
		} else {
			fputc(' ', to);
			column++;
		}
		fprintf(to, "%.*s", (int)len, text);
		column += len;
		text += len + strspn(text + len, " ");
	}
	fputc('\n', to);
}

static void
put_usage(const struct fm_command *of, FILE *to)
{
	if (of->name == NULL)
		fprintf(to, "usage: fastmatch %s\n", of->arguments);
	else
		fprintf(to, "usage: fastmatch %s [OPTION]...%s%s\n", of->name,
		    *of->arguments == '\0' ? "" : " ", of->arguments);
}

void
fm_options_help(const struct fm_command *of, FILE *to)
{
	const struct fm_option *o;
	const struct fm_command *c;

	put_usage(of, to);
	fprintf(to, "%c%s.\n", toupper((unsigned char)of->summary[0]),
	    of->summary + 1);
	if (of->name == NULL) {
		fprintf(to, "\nCommands:\n");
		for (c = fm_commands; c->name != NULL; c++)
			fprintf(to, "  %-10s%s\n", c->name, c->summary);
	}
	fprintf(to, "\nOptions:\n");
	for (o = of->options; o->id != 0; o++) {
		fprintf(to, "  ");
		if (IS_LETTER(o->id))
			fprintf(to, "-%c, ", o->id);
		fprintf(to, "--%s%s%s\n", o->name,
		    o->argument == NULL ? "" : " ",
		    o->argument == NULL ? "" : o->argument);
		put_wrapped(o->help, HELP_INDENT, to);
	}
	if (of->name == NULL)
		fprintf(to, "\n'fastmatch COMMAND --help' says more of a "
		    "command; see also fastmatch(1)\nand "
		    "fastmatch.rules(5).\n");
}
