/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parses a rule file, and the files that it names, into a model.
 *
 * The parser reports every mistake of syntax, and every file that can't be
 * read, and goes on.  So a text with errors gives a model, too, with the parts
 * that the parser understood, for the check to look at.  The path of a file is
 * relative to the file that names it; places show the path so made.
 */

#ifndef FM_PARSE_H
#define FM_PARSE_H

#include "model.h"
#include "sources.h"

/*
 * Parses a file, and all files that it names, which are read through the
 * sources (NULL: sources of the parse's own).  Returns NULL only if there is no
 * memory, which is reported; other errors are in the diag.
 */
struct fm_model *fm_parse_file(const char *path, struct fm_sources *,
    struct fm_diag *);

/*
 * Parses a text in memory.  Places show `name`, which need not outlive the
 * call.  Without sources the names of files are passed over.  If `following` is
 * not NULL, and the text ends in the middle of a statement, it gets a bit for
 * each kind of token (tokens.h) that may follow.
 */
struct fm_model *fm_parse_text(const char *name, struct fm_text,
    struct fm_sources *, uint64_t following[2], struct fm_diag *);

#endif
