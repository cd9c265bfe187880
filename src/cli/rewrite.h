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
#include <sys/types.h>

/*
 * Replaces the file at a path, which is no link, by what `put` writes.  Returns
 * 0, or an errno.
 */
int fm_rewrite(const char *path, mode_t mode, void (*put)(void *priv, FILE *),
    void *priv);

#endif
