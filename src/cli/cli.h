/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The subcommands, and what they share: memory, exit statuses, backends.
 */

#ifndef FM_CLI_H
#define FM_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fm_cli_exit {
	FM_EXIT_OK,
	FM_EXIT_ERRORS,		/* of a file, or the machine's */
	FM_EXIT_USAGE		/* of the command line */
};

int fm_cli_check(int argc, char **argv);
int fm_cli_explain(int argc, char **argv);
int fm_cli_replay(int argc, char **argv);
int fm_cli_diff(int argc, char **argv);
int fm_cli_lists(int argc, char **argv);
int fm_cli_import(int argc, char **argv);
int fm_cli_test(int argc, char **argv);
int fm_cli_fmt(int argc, char **argv);
int fm_cli_top(int argc, char **argv);
int fm_cli_lsp(int argc, char **argv);

/*
 * Memory for as long as the process lives or the caller wants; where there is
 * none it says so and ends the process: a command has nothing to go on with.
 */
void *fm_cli_alloc(size_t bytes);		/* zeroed */
char *fm_cli_copy(const char *, size_t len);	/* ends in NUL */

/*
 * Room for one more element after n in an array at *vp (NULL: none yet), of
 * which *room are allocated.  Returns the element, zeroed.
 */
void *fm_cli_grow(void *vp, size_t n, size_t *room, size_t size);

/*
 * The exit status of what is nobody's doing: no memory, a full disk.  1, unless
 * a command has other uses for that.
 */
extern int fm_cli_trouble;

/* Says that there is no memory, and ends the process. */
void fm_cli_no_memory(void) __attribute__((noreturn));

/* The view of a message that is whole: else there was no memory for it. */
struct fm_message;
struct fm_view;
void fm_cli_view(const struct fm_message *, struct fm_view *);

/* Names of backends, as --backend gives them, and the file of --vcl. */
struct fm_backends {
	const char		**v;
	size_t			n, room;
	const char		*vcl;		/* or NULL */
};

void fm_backends_add(struct fm_backends *, const char *name);

#endif
