/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory that fails on demand, in two depths:
 *
 *	our own		each call of ours that allocates: malloc() and the
 *			like, and what asks a library for something (a regex
 *			compiled, scratch, a glob).  The linker brings them
 *			here (--wrap), so it works under AddressSanitizer too,
 *			which then sees what leaks.
 *	all		each malloc() in the process, those inside the
 *			libraries too, but for those that crash then
 *			(Hyperscan's compiler, glob()): this file defines
 *			malloc() itself, and counts what is not given back.
 *			Not under a sanitizer, which has a malloc() of its
 *			own.
 */

#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>

enum memory_depth {
	MEMORY_OURS,
	MEMORY_ALL
};

/* Whether MEMORY_ALL is possible here. */
bool memory_has_all(void);

/*
 * From here on, in this thread: the n-th allocation fails (from 1; 0: none),
 * and with `on` all that follow.
 */
void memory_start(enum memory_depth, unsigned long n, bool on);

/* None fails any more.  How many were asked for; failed (or NULL): how many
 * of them in vain. */
unsigned long memory_stop(unsigned long *failed);

/* What the process has and did not free: in blocks, 0 where unknown. */
long memory_blocks(void);

#endif
