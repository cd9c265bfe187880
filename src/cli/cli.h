/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * All subcommands of `fastmatch` share this: their entry points, the exit
 * statuses, memory that can't fail, and the names of backends.
 */

#ifndef FM_CLI_H
#define FM_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"
#include "made_request.h"
#include "text.h"

enum fm_cli_exit {
	FM_EXIT_OK,
	FM_EXIT_ERRORS,		/* a file is wrong, or the machine fails */
	FM_EXIT_USAGE		/* the command line is wrong */
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
int fm_cli_why(int argc, char **argv);
int fm_cli_lsp(int argc, char **argv);

/* Commands and options need these, which not every build has. */
enum fm_cli_need {
	FM_CLI_LOG,		/* libvarnishapi */
	FM_CLI_MODULE,
	FM_CLI_PROCESSES	/* a browser starts no program */
};

/*
 * Says that this build lacks something that the command or its option needs;
 * returns the exit status.
 */
int fm_cli_lacks(enum fm_cli_need);

/* The address of a client of which nothing is told, in explain and test. */
#define FM_CLI_CLIENT	FM_MADE_CLIENT

/*
 * `fastmatch lists --acl`: prints a list of networks as an acl of VCL.  Returns
 * the exit status.
 */
int fm_lists_acl(const char *list);

/*
 * `fastmatch lists update`: writes the networks of the JSON file `from` ("-":
 * the standard input) into the list `file`, which is made if it isn't there.
 * Returns the exit status; unless it is 0, the user was told why, and the list
 * was left alone.
 */
int fm_lists_update(const char *file, const char *from, bool force);

/*
 * Returns the status of a command; where its output can't be written, says so
 * and returns fm_cli_trouble.
 */
int fm_cli_finish(int status);

/*
 * Return memory that the caller may free(), or leave to the end of the process.
 * Without memory a command can't go on, so the functions never return NULL:
 * they say so on stderr, and end the process.
 */
void *fm_cli_alloc(size_t bytes);		/* zeroed */
char *fm_cli_copy(const char *, size_t len);	/* ends in NUL */
struct fm_diag *fm_cli_diag(void);		/* empty */

/* Returns a copy that the arena owns; NULL for a missing text. */
struct fm_arena;
const char *fm_cli_keep(struct fm_arena *, struct fm_text);

/*
 * Returns a new element, zeroed, after the n elements of the array at *vp.
 * The array has room for *room elements, and is made larger where that is too
 * few; an array that was not allocated yet is NULL.
 */
void *fm_cli_grow(void *vp, size_t n, size_t *room, size_t size);

/*
 * The exit status for trouble of the machine: no memory, a full disk.  The
 * value is FM_EXIT_ERRORS, until a command sets another one (`test`: 2, since 1
 * means that cases have failed).
 */
extern int fm_cli_trouble;

/* Says that there is no memory, and ends the process. */
void fm_cli_no_memory(void) __attribute__((noreturn));

/* Makes a view of a request; ends the process if the request lacked memory. */
struct fm_made_request;
struct fm_view;
void fm_cli_view(const struct fm_made_request *, struct fm_view *);

/* Returns the seconds of a clock that never goes back. */
double fm_cli_seconds(void);

/* The names that --backend gives, and the file that --vcl gives. */
struct fm_backends {
	const char		**v;
	size_t			n, room;
	const char		*vcl;		/* a path; NULL: no --vcl */
};

#endif
