/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A file that is replaced as a whole, or stays as it is: it is written aside
 * and renamed.
 */

#ifndef FM_REWRITE_H
#define FM_REWRITE_H

#include <stdio.h>
#include <sys/stat.h>

/*
 * Replaces the file at a path, which is no link, by what `put` writes.  `was`
 * is how the file looked when it was read, or NULL: there was none.  The new
 * one has the same owner, group and mode.  Returns NULL, or why the file is as
 * it was.
 */
const char *fm_rewrite(const char *path, const struct stat *was,
    void (*put)(void *priv, FILE *), void *priv);

#endif
