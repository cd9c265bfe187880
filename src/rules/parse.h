/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * From the text of a rule file, and of the files that it names, to a model.
 *
 * The parser reports every mistake of syntax that it can tell apart, and
 * every file that can't be read, and goes on after each; so a model is made
 * even of a text with errors, of what was understood, for the check to look
 * at.  Files are named relative to the file that names them; a place's name
 * is the path so made.
 */

#ifndef FM_PARSE_H
#define FM_PARSE_H

#include "model.h"
#include "sources.h"

/*
 * NULL only where there is no memory (which is in the diag as well).  Whether
 * there were errors, the diag knows.  All files are read through the sources;
 * NULL: through some of its own.
 */
struct fm_model *fm_parse_file(const char *path, struct fm_sources *,
    struct fm_diag *);

/*
 * Of a text in memory; `name` is for places and need not outlive the call.
 * files: whether include and `from` may read files; without, they are errors.
 */
struct fm_model *fm_parse_text(const char *name, struct fm_text, bool files,
    struct fm_diag *);

/*
 * Parses a text by itself: the files that it names are not read.  following:
 * NULL, or a bit for each kind of token that may follow where the text ends in
 * the middle of a statement (tokens.h).
 */
struct fm_model *fm_parse_alone(const char *name, struct fm_text,
    uint64_t following[2], struct fm_diag *);

#endif
