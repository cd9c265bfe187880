/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An allocator keeps what was freed, for the next who asks.  A set may be a
 * hundred megabytes, in small pieces between those of others, and after it
 * nobody may ask for as much again: so after a large one we say that it is
 * over, and "it comes back" is true for whoever looks at the process.
 */

#include <malloc.h>
#include <stddef.h>

#include "memory.h"

#define MEMORY_LARGE	(1UL << 20)

/* varnishd is linked with jemalloc in most packages, and libc knows nothing. */
int mallctl(const char *, void *, size_t *, void *, size_t)
    __attribute__((weak));

void
fm_memory_freed(uint64_t bytes)
{
	if (bytes < MEMORY_LARGE)
		return;
	if (mallctl != NULL) {
		/* 4096: all arenas, MALLCTL_ARENAS_ALL of jemalloc 5 */
		(void)mallctl("thread.tcache.flush", NULL, NULL, NULL, 0);
		(void)mallctl("arena.4096.purge", NULL, NULL, NULL, 0);
		return;
	}
	(void)malloc_trim(0);
}
