/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Replaces a file as a whole: the new text is written into a temporary file
 * beside it, which is then renamed.  Where anything fails the old file stays.
 */

#ifndef FM_REWRITE_H
#define FM_REWRITE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "text.h"

/*
 * Replaces the file at a path by a text; the path must not be a link.  `was` is
 * the file's stat() from when it was read; NULL: there was no file.  The new
 * file gets the owner, group and mode of the old one.  Returns NULL, or why the
 * file was left alone.
 */
const char *fm_rewrite(const char *path, const struct stat *was,
    struct fm_text);

/*
 * Returns true if a report may be written to a path: nothing is there, or an
 * older report, which begins with `start`; or it is empty, or no regular file.
 */
bool fm_may_write(const char *path, const char *start);

#endif
