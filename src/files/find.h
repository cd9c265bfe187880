/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the paths that a pattern fits, as glob() does, but tells a folder that
 * can't be read from one that has nothing, and looks at no more entries than it
 * may.  glob() of some systems can't do either.
 *
 *	d/?.rules	d/a.rules, d/b.rules
 *	d/[ab]/x\*	d/a/x*, d/b/x*
 */

#ifndef FM_FIND_H
#define FM_FIND_H

#include "grow.h"

/*
 * Returns 0, and the paths in `found`, each with its NUL, in no order; or an
 * errno: ENAMETOOLONG for a pattern that is longer than a path or has too many
 * folders (sources.h), E2BIG if more than *left entries would be looked at,
 * else that of a folder that can't be read.  Takes what is looked at from
 * *left.  The caller frees `found`.
 */
int fm_find(const char *pattern, size_t *left, struct fm_grow *found);

#endif
