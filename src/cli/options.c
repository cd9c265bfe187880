/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the options of command lines by the table of commands.c, with getopt,
 * and prints the table as --help and in RST for the manual page.
 */

#include <assert.h>
#include <ctype.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "regex.h"

#define OPTIONS_MAX	64	/* of a command: more than any has */
#define TOP		20	/* rows of a table without --top */
#define TOP_MAX		1000000
#define MATCH_LIMIT_MAX	1000000000	/* steps of PCRE2, which take hours */
#define HELP_INDENT	8	/* columns */
#define HELP_WIDTH	79	/* columns: a terminal has 80 */

/* True for an option with a letter, which is its number. */
#define IS_LETTER(id)	((id) < 256)

/* The last argument of each option; NULL: the option was not given. */
static const char *values[256 + OPTIONS_MAX];

/*--------------------------------------------------------------------
 * Reading
 */

/* The options of a command, as getopt wants them. */
struct getopt_tables {
	char			letters[2 * OPTIONS_MAX + 1];
	struct option		names[OPTIONS_MAX + 1];
};

static void
tables_fill(struct getopt_tables *tables, const struct fm_command *command)
{
	const struct fm_option *o = command->options;
	char *letter = tables->letters;
	unsigned n;

	memset(tables, 0, sizeof *tables);
	/* '+': stop at the subcommand, which reads its options itself. */
	if (command->name == NULL)
		*letter++ = '+';
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
option_of(const struct fm_command *command, int id)
{
	const struct fm_option *o;

	for (o = command->options; o->id != 0; o++)
		if (o->id == id)
			return (o);
	return (NULL);
}

int
fm_options_next(const struct fm_command *command, int argc, char **argv)
{
	struct getopt_tables tables;
	const struct fm_option *o;
	static unsigned limit;
	int id;

	tables_fill(&tables, command);
	id = getopt_long(argc, argv, tables.letters, tables.names, NULL);
	if (id == -1)
		return (FM_OPTION_END);
	o = option_of(command, id);
	if (o == NULL) {
		(void)fm_options_usage(command, NULL);
		return (FM_OPTION_BAD);
	}
	if (id == FM_OPTION_HELP) {
		fm_options_help(command, stdout);
		exit(fflush(stdout) == 0 ? FM_EXIT_OK : FM_EXIT_ERRORS);
	}
	assert((size_t)id < sizeof values / sizeof values[0]);
	if (values[id] != NULL && o->once) {
		(void)fm_options_usage(command, "--%s is given twice",
		    o->name);
		return (FM_OPTION_BAD);
	}
	values[id] = o->argument == NULL ? "" : optarg;
	if (id != FM_OPTION_MATCH_LIMIT)
		return (id);
	if (fm_options_number(command, id, MATCH_LIMIT_MAX, &limit) != 0)
		return (FM_OPTION_BAD);
	fm_regex_follow_limit(&limit);
	return (fm_options_next(command, argc, argv));
}

const char *
fm_option(int id)
{
	return (values[id]);
}

/*
 * Stores a shared option.  Returns 0, or the id where the caller needs each
 * argument.
 */
static int
take_shared(const struct fm_command *command, struct fm_shared *shared, int id)
{
	switch (id) {
	case FM_OPTION_BACKEND:
		fm_backends_add(&shared->backends, optarg);
		return (0);
	case FM_OPTION_VCL:
		shared->backends.vcl = optarg;
		return (0);
	case FM_OPTION_COLOR:
		if (fm_colour_parse(optarg, &shared->colour))
			return (0);
		(void)fm_options_usage(command, "--color takes auto, always "
		    "or never, not '%s'", optarg);
		return (FM_OPTION_BAD);
	case FM_OPTION_FORMAT:
		shared->format = optarg;
		return (0);
	case FM_OPTION_JSON:
		shared->json = true;
		return (0);
	case FM_OPTION_TOP:
		return (fm_options_number(command, id, TOP_MAX,
		    &shared->top) == 0 ? 0 : FM_OPTION_BAD);
	case FM_OPTION_BAD:
	case FM_OPTION_END:
	case FM_OPTION_HEADER:
	case FM_OPTION_LOG:
		return (id);
	default:
		return (0);
	}
}

int
fm_options_shared(const struct fm_command *command, int argc, char **argv,
    struct fm_shared *shared)
{
	int id;

	if (shared->top == 0)
		shared->top = TOP;
	do
		id = take_shared(command, shared,
		    fm_options_next(command, argc, argv));
	while (id == 0);
	return (id);
}

const struct fm_command *
fm_command_of(int (*run)(int argc, char **argv))
{
	const struct fm_command *c;

	for (c = fm_commands; c->run != run; c++)
		assert(c->name != NULL);
	return (c);
}

static const char *
command_name(const struct fm_command *command)
{
	return (command->name == NULL ? "" : command->name);
}

int
fm_options_usage(const struct fm_command *command, const char *fmt, ...)
{
	const char *name = command_name(command);
	const char *blank = *name == '\0' ? "" : " ";
	va_list ap;

	if (fmt != NULL) {
		fprintf(stderr, "fastmatch%s%s: ", blank, name);
		va_start(ap, fmt);
		vfprintf(stderr, fmt, ap);
		va_end(ap);
		fputc('\n', stderr);
	}
	fprintf(stderr, "Try 'fastmatch%s%s --help'.\n", blank, name);
	return (FM_EXIT_USAGE);
}

int
fm_options_file(const struct fm_command *command, int argc, char **argv,
    const char **file)
{
	if (optind == argc)
		return (fm_options_usage(command, "no file of rules is given"));
	if (argc - optind > 1)
		return (fm_options_usage(command,
		    "one file of rules, not two: '%s'", argv[optind + 1]));
	*file = argv[optind];
	return (0);
}

int
fm_options_number(const struct fm_command *command, int id, unsigned max,
    unsigned *number)
{
	const char *value = values[id];
	unsigned long n;
	char *end;

	if (value == NULL)
		return (0);
	if (isdigit((unsigned char)*value)) {
		n = strtoul(value, &end, 10);
		if (*end == '\0' && n >= 1 && n <= max) {
			*number = (unsigned)n;
			return (0);
		}
	}
	return (fm_options_usage(command,
	    "--%s takes a number from 1 to %u, not '%s'",
	    option_of(command, id)->name, max, value));
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
put_usage(const struct fm_command *command, FILE *to)
{
	if (command->name == NULL)
		fprintf(to, "usage: fastmatch %s\n", command->arguments);
	else
		fprintf(to, "usage: fastmatch %s [OPTION]...%s%s\n",
		    command->name, *command->arguments == '\0' ? "" : " ",
		    command->arguments);
}

void
fm_options_help(const struct fm_command *command, FILE *to)
{
	const struct fm_option *o;
	const struct fm_command *c;

	put_usage(command, to);
	fprintf(to, "%c%s.\n", toupper((unsigned char)command->summary[0]),
	    command->summary + 1);
	if (command->name == NULL) {
		fprintf(to, "\nCommands:\n");
		for (c = fm_commands; c->name != NULL; c++)
			fprintf(to, "  %-10s%s\n", c->name, c->summary);
	}
	fprintf(to, "\nOptions:\n");
	for (o = command->options; o->id != 0; o++) {
		fprintf(to, "  ");
		if (IS_LETTER(o->id))
			fprintf(to, "-%c, ", o->id);
		fprintf(to, "--%s%s%s\n", o->name,
		    o->argument == NULL ? "" : " ",
		    o->argument == NULL ? "" : o->argument);
		put_wrapped(o->help, HELP_INDENT, to);
	}
	if (command->name == NULL)
		fprintf(to, "\n'fastmatch COMMAND --help' says more of a "
		    "command; see also fastmatch(1)\nand "
		    "fastmatch.rules(5).\n");
}

/* Prints a text with the markup of RST escaped. */
static void
put_rst(const char *text, FILE *to)
{
	for (; *text != '\0'; text++) {
		if (strchr("*`|_\\", *text) != NULL)
			fputc('\\', to);
		/* Bold keeps RST from making -- a dash. */
		if (text[0] == '-' && text[1] == '-') {
			size_t len = 2 + strcspn(text + 2, " '.,:;)");

			fprintf(to, "**%.*s**", (int)len, text);
			text += len - 1;
			continue;
		}
		fputc(*text, to);
	}
}

static void
put_rst_options(const struct fm_command *command, FILE *to)
{
	const struct fm_option *o;

	fprintf(to, ".. begin options %s\n\n", command_name(command));
	for (o = command->options; o->id != 0; o++) {
		if (IS_LETTER(o->id))
			fprintf(to, "**-%c**, ", o->id);
		fprintf(to, "**--%s**", o->name);
		if (o->argument != NULL)
			fprintf(to, " *%s*", o->argument);
		fprintf(to, "\n    ");
		put_rst(o->help, to);
		fputc('\n', to);
	}
	fprintf(to, "\n.. end\n");
}

void
fm_options_rst(FILE *to)
{
	const struct fm_command *c;

	fprintf(to, ".. begin synopsis\n\n");
	for (c = fm_commands; c->name != NULL; c++)
		fprintf(to, "| **fastmatch %s** [*OPTION*]...%s%s\n", c->name,
		    *c->arguments == '\0' ? "" : " ", c->arguments);
	fprintf(to, "| **fastmatch** **--help** | **--version**\n\n.. end\n");
	put_rst_options(&fm_program_command, to);
	for (c = fm_commands; c->name != NULL; c++) {
		fprintf(to, ".. begin summary %s\n\n**fastmatch %s** %s.\n\n"
		    ".. end\n", c->name, c->name, c->summary);
		put_rst_options(c, to);
	}
}
