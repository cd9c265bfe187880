/*
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * xxHash, compiled once, in xxh.c: in line it takes 1 to 4 KB in each file.
 */

#ifndef FM_XXH_H
#define FM_XXH_H

/*
 * Its reads are copies.  By default xxHash reads what it hashes as
 * another type, and gcc 14 leaves out the writes to a number that is only
 * hashed: with -Os the same number had another hash at each call.
 */
#define XXH_FORCE_MEMORY_ACCESS	0
/* The names of the functions begin otherwise than those of libxxhash. */
#define XXH_NAMESPACE		fm_
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#endif
