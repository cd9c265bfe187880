/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tells shells (completions/) how a command line may go on.  The answers come
 * from the table of subcommands and options, so that no shell has a list of its
 * own.  A line of the answer is one of
 *
 *	WORD			a word that may stand there
 *	WORD <tab> HELP		such a word, and what it does
 *	:files			files
 *	:files rules		files that end in .rules, and folders
 *	:folders		folders
 *	:any			anything: the shell offers nothing
 */

#include <string.h>

#include "options.h"

/* An argument's name, and the lines to offer for it, with '|' between them. */
struct kind {
	const char		*name;		/* as the table has it */
	const char		*offer;
};

static const struct kind of_options[] = {
	{ "ADDRESS", ":any" },
	{ "COMMIT", ":any" },
	{ "FIELD|-", "Cache-Control:|Set-Cookie:|Vary:|Age:|Content-Type:|"
	    "Expires:|-" },
	{ "FILE", ":files" },
	{ "FOLDER", ":folders" },
	{ "FOLDERS", ":folders" },
	{ "FORMAT", ":any" },
	{ "HEADER", "Host:|Cookie:|User-Agent:|Accept:|Accept-Encoding:|"
	    "Accept-Language:" },
	{ "HOST", ":any" },
	{ "LIST", ":files" },
	{ "LOG", ":files" },
	{ "LOG|N", ":files" },
	{ "METHOD", "GET|HEAD|POST|PUT|DELETE|OPTIONS|PURGE" },
	{ "N", ":any" },
	{ "NAME", ":any" },
	{ "NAME=VALUE", "default_ttl=|default_grace=|default_keep=|clock_skew="
	    "|uncacheable_ttl=|max_retries=" },
	{ "REST", ":files vcl" },
	{ "RULES", ":files rules" },
	{ "STATUS", "200|301|302|304|404|500|503" },
	{ "TEXT", ":any" },
	{ "TIME", ":any" },
	{ "URL", ":any" },
	{ "WHEN", "auto|always|never" },
	{ "WORKDIR", ":folders" },
	{ "github|lsp", "github|lsp" },
	{ NULL, NULL }
};

/* The arguments of commands; those above are the arguments of options. */
static const struct kind of_commands[] = {
	{ "FILE", ":files rules" },
	{ "FILE.test", ":files test" },
	{ "FILE.vcl", ":files vcl" },
	{ "FROM", ":files" },
	{ "LIST", ":files" },
	{ "LOG", ":files" },
	{ "NEW", ":files rules" },
	{ "OLD", ":files rules" },
	{ "URL", ":any" },
	{ NULL, NULL }
};

static void
put_words(const char *words, FILE *to)
{
	for (; *words != '\0'; words++)
		(void)fputc(*words == '|' ? '\n' : *words, to);
	(void)fputc('\n', to);
}

/* Prints the offer for a name; a name without an offer is a word ("update"). */
static void
put_kind(const struct kind *kinds, const char *name, size_t len, FILE *to)
{
	for (; kinds->name != NULL; kinds++)
		if (strlen(kinds->name) == len &&
		    strncmp(kinds->name, name, len) == 0) {
			put_words(kinds->offer, to);
			return;
		}
	fprintf(to, "%.*s\n", (int)len, name);
}

static void
put_commands(bool help, FILE *to)
{
	const struct fm_command *command;

	for (command = fm_commands; command->name != NULL; command++)
		fprintf(to, "%s\t%s\n", command->name, command->summary);
	if (help)
		fprintf(to, "help\tsays what the options of a command are\n");
}

/* Prints the options, each with the first sentence of its help. */
static void
put_options(const struct fm_command *command, FILE *to)
{
	const struct fm_option *option;
	const char *end;

	for (option = command->options; option->id != 0; option++) {
		end = strstr(option->help, ". ");
		if (end == NULL)
			end = option->help + strlen(option->help) - 1;
		fprintf(to, "--%s\t%.*s\n", option->name,
		    (int)(end - option->help), option->help);
	}
}

/* Returns the option that a word like "--top=3" names, or NULL. */
static const struct fm_option *
option_find(const struct fm_command *command, const char *word)
{
	const struct fm_option *option;
	size_t len = strcspn(word, "=");

	for (option = command->options; option->id != 0; option++) {
		if (word[1] != '-' && word[1] == option->id && word[2] == '\0')
			return (option);
		if (strncmp(word, "--", 2) == 0 &&
		    strlen(option->name) == len - 2 &&
		    strncmp(word + 2, option->name, len - 2) == 0)
			return (option);
	}
	return (NULL);
}

/* Prints the offer for the n-th argument; the last may be repeated. */
static void
put_argument(const struct fm_command *command, unsigned n, FILE *to)
{
	const char *word = command->arguments;
	bool repeated = false;
	size_t len;

	for (;; word += len) {
		word += strspn(word, " []");
		len = strcspn(word, " ]");
		if (len == 0)
			return;
		if (word[0] == '-')
			continue;
		repeated = len > 3 && strncmp(word + len - 3, "...", 3) == 0;
		if (n == 0 || repeated)
			break;
		n--;
	}
	len -= repeated ? 3 : 0;
	put_kind(of_commands, word, len, to);
}

/* Completes the last of the n words that follow the command's name. */
static void
put_for_command(const struct fm_command *command, char **words, unsigned n,
    FILE *to)
{
	const struct fm_option *option, *asks = NULL;
	bool recorded = false;		/* `test --record` was given,
					 * which takes a rule file */
	unsigned i, arguments = 0;

	/* Bash splits --color=never into three words. */
	for (i = 0; i + 1 < n; i++) {
		if (strcmp(words[i], "=") == 0)
			continue;
		option = words[i][0] == '-' ? option_find(command, words[i]) :
		    NULL;
		if (words[i][0] != '-' && asks == NULL)
			arguments++;
		recorded |= option != NULL && option->id == FM_OPTION_RECORD;
		asks = option != NULL && option->argument != NULL &&
		    strchr(words[i], '=') == NULL ? option : NULL;
	}
	if (asks == NULL && strncmp(words[i], "--", 2) == 0 &&
	    strchr(words[i], '=') != NULL)
		asks = option_find(command, words[i]);
	if (asks != NULL && asks->argument != NULL)
		put_kind(of_options, asks->argument, strlen(asks->argument),
		    to);
	else if (words[i][0] == '-')
		put_options(command, to);
	else if (recorded)
		put_kind(of_commands, "FILE", 4, to);
	else
		put_argument(command, arguments, to);
}

void
fm_options_complete(char **words, unsigned n, FILE *to)
{
	const struct fm_command *command;
	unsigned i;

	for (i = 0; i + 1 < n && words[i][0] == '-'; i++)
		continue;
	if (i + 1 >= n) {
		if (n > 0 && words[i][0] == '-')
			put_options(&fm_program_command, to);
		else
			put_commands(true, to);
		return;
	}
	if (strcmp(words[i], "help") == 0)
		put_commands(false, to);
	for (command = fm_commands; command->name != NULL; command++)
		if (strcmp(command->name, words[i]) == 0)
			put_for_command(command, words + i + 1, n - i - 1, to);
}
