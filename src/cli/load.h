/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A rule file as the subcommands have it: the model, the program, and what is
 * wrong.
 */

#ifndef FM_LOAD_H
#define FM_LOAD_H

#include "cli.h"
#include "compile.h"

struct fm_rules {
	struct fm_diag		*diag;
	struct fm_model		*model;		/* NULL: no memory */
	struct fm_program	*program;	/* NULL: there are errors */
};

/*
 * Loads a file as the module does.  Without backends nothing is said of them.
 * Returns true if there are no errors.  It must be closed in either case.
 */
bool fm_rules_open(struct fm_rules *, const char *path,
    const struct fm_backends *);
/* The same, with all files read through the sources; NULL: from the disk. */
bool fm_rules_open_from(struct fm_rules *, const char *path,
    const struct fm_backends *, struct fm_sources *);
void fm_rules_close(struct fm_rules *);

/*
 * Says on stderr what is wrong (with json on stdout, as an object of
 * "diagnostics"); returns the exit status.
 */
int fm_rules_complain(const struct fm_rules *, bool json);

/*
 * Returns all of the standard input, up to a byte more than a rule file may
 * have, for free().
 */
struct fm_text fm_rules_stdin(void);

#endif
