/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Says which files rules may read: those in the folder of the first file, and
 * below it.
 */

#ifndef FM_CONFINE_H
#define FM_CONFINE_H

#include <stdbool.h>
#include <sys/stat.h>

/*
 * Returns true if the path is in the folder of a file, or below that folder.
 * Links are not followed.  Returns false without a working directory.
 */
bool fm_is_confined(const char *file, const char *path);

/*
 * Returns true if the file that was opened at the path is in the folder of
 * another file, or below that folder, with all links followed.  Returns false
 * without /proc.
 */
bool fm_is_linked_inside(const char *file, const char *path,
    const struct stat *opened);

#endif
