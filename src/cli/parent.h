/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the rule file that includes another one, for the language server, for
 * `fastmatch check` and for `fastmatch diff --git`.  The names that an included
 * file uses are in the file that includes it, so that both are right or wrong
 * together.  The root is the file of them that no other file includes:
 *
 *	site.rules			include "sites.d/[a-z].rules";
 *	sites.d/wiki.rules		its root is site.rules
 */

#ifndef FM_PARENT_H
#define FM_PARENT_H

#include <glob.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct fm_sources;

/* Returns new sources, through which one possible parent is read. */
typedef struct fm_sources *fm_parent_sources_f(const void *priv);

/*
 * Returns true if a rule file includes a path, by itself or by a file that it
 * includes.  Without a function for sources, files are read from the disk.
 */
bool fm_parent_includes(const char *parent, const char *path,
    fm_parent_sources_f *, const void *priv);

/*
 * Returns the root of a path, for free(); the path itself if no file includes
 * it.  Only files *.rules are looked at, in the folder of the path and in two
 * above it, since an include can't name a file above its own.
 */
char *fm_parent_root(const char *path, fm_parent_sources_f *,
    const void *priv);

/* Prints a line that a file is "checked", say, as a part of its root. */
void fm_parent_put(FILE *, const char *path, const char *done,
    const char *root);

/*
 * Finds the files that fit one of some patterns in the folder that `len`
 * bytes of a path name; for globfree().
 */
void fm_pattern_files(glob_t *, const char *path, size_t len,
    const char * const *pattern);

#endif
