/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sets: counts references to what was compiled, and frees it.
 */

#include <malloc.h>

#include "live_priv.h"

#define SET_LARGE	(1UL << 20)	/* bytes: only larger sets are worth a
					 * trim of all memory */

/* Controls jemalloc, which most packages link varnishd with; else NULL. */
int mallctl(const char *, void *, size_t *, void *, size_t)
    __attribute__((weak));

/*
 * Has the allocator give freed memory back to the system.  A set may have had a
 * hundred megabytes, in small pieces.  The allocator would keep them, and
 * perhaps as much is never asked for again.
 */
static void
set_give_back(void)
{
	if (mallctl != NULL) {
		/* 4096 is MALLCTL_ARENAS_ALL of jemalloc 5. */
		(void)mallctl("thread.tcache.flush", NULL, NULL, NULL, 0);
		(void)mallctl("arena.4096.purge", NULL, NULL, NULL, 0);
		return;
	}
	(void)malloc_trim(0);
}

static void
set_free(struct fm_set *set)
{
	uint64_t bytes = set->facts.bytes;

	set->type->free(set->payload);
	fm_sources_free(&set->sources);
	fm_diag_free(&set->diag);
	FM_OBJ_FREE(set);
	if (bytes >= SET_LARGE)
		set_give_back();
}

struct fm_set *
fm_set_hold(struct fm_set *set)
{
	FM_OBJ_CHECK(set, FM_SET_MAGIC);
	assert(set->refs > 0);
	set->refs++;
	return (set);
}

void
fm_set_drop(struct fm_set **setp)
{
	struct fm_set *set;
	bool last;

	FM_OBJ_TAKE(set, setp, FM_SET_MAGIC);
	fm_live_lock();
	assert(set->refs > 0);
	last = --set->refs == 0;
	fm_live_unlock();
	if (last)
		set_free(set);
}
