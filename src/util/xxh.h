/*
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * xxHash, compiled into the file that includes this.
 */

#ifndef FM_XXH_H
#define FM_XXH_H

/*
 * Its reads are copies.  By default xxHash reads what it hashes as
 * another type, and gcc 14 leaves out the writes to a number that is only
 * hashed: with -Os the same number had another hash at each call.
 */
#define XXH_FORCE_MEMORY_ACCESS	0
#define XXH_INLINE_ALL
#include <xxhash.h>

#endif
