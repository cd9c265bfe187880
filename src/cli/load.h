/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Loads a rule file for the subcommands that run it: explain, replay, diff,
 * test.  The file goes through the same parser, check and compiler as in the
 * module.
 *
 *	fm_rules_open()
 *	true:  rules.program can be run
 *	false: fm_rules_complain() tells the errors of rules.diag
 *	fm_rules_close()
 */

#ifndef FM_LOAD_H
#define FM_LOAD_H

#include <stdio.h>

#include "cli.h"
#include "rules_load.h"

struct fm_rules {
	const char		*path;
	struct fm_diag		*diag;
	struct fm_model		*model;		/* NULL: no memory */
	struct fm_program	*program;	/* NULL: there are errors */
};

/*
 * Loads a file.  The names of its backends are checked only if --backend or
 * --vcl gives some.  All files are read through the sources; NULL: from the
 * disk.  Returns true if there are no errors.  The caller closes the rules in
 * either case.
 */
bool fm_rules_open(struct fm_rules *, const char *path, struct fm_sources *);
void fm_rules_close(struct fm_rules *);

/*
 * Writes the errors of a diag, and the warnings if asked for, each with its
 * line and a caret; then "FILE: and 3 more" for those that the diag has counted
 * but not kept.  `input` is the text of "-".
 */
void fm_cli_say(struct fm_diag *, bool warnings, const char *file,
    struct fm_text input, FILE *to);

/*
 * Tells the messages of the rules' diag: on stderr, or with `json` on stdout as
 * an object with "diagnostics".  Returns the exit status.
 */
int fm_rules_complain(const struct fm_rules *, bool json);

/*
 * Reads a stream to its end, but not much more than a rule file may have: the
 * parser sees that it is too long.
 */
struct fm_file *fm_cli_read_all(FILE *);

/* Reads a file as fm_file_read() does; "-" is the standard input. */
struct fm_file *fm_cli_read(const char *name, size_t max, struct fm_diag *);

#endif
