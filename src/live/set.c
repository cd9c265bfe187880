/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sets: counts references to what was compiled, and finds sets by key.
 */

#include <malloc.h>
#include <string.h>

#include "live_priv.h"

#define SET_LARGE	(1UL << 20)	/* bytes: only larger sets are worth a
					 * trim of all memory */

/* All sets, the newest first. */
static struct fm_set *set_list;

/* Controls jemalloc, which most packages link varnishd with; else NULL. */
int mallctl(const char *, void *, size_t *, void *, size_t)
    __attribute__((weak));

/*
 * Has the allocator give freed memory back to the system.  A set may have had a
 * hundred megabytes, in small pieces.  The allocator would keep them, and
 * perhaps nobody asks for as much again.
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
	free(set->key);
	FM_OBJ_FREE(set);
	if (bytes >= SET_LARGE)
		set_give_back();
}

struct fm_set *
fm_set_new(const struct fm_set_type *type, const char *key, void *payload,
    struct fm_sources *sources, const struct fm_set_facts *facts,
    struct fm_diag *diag)
{
	struct fm_set *set;

	assert(type != NULL);
	assert(payload != NULL);
	FM_OBJ_NEW(set, FM_SET_MAGIC);
	if (set != NULL)
		set->key = strdup(key);
	if (set == NULL || set->key == NULL) {
		type->free(payload);
		fm_sources_free(&sources);
		fm_diag_free(&diag);
		free(set);
		return (NULL);
	}
	set->refs = 1;
	set->type = type;
	set->payload = payload;
	set->sources = sources;
	set->diag = diag;
	set->facts = *facts;
	(void)fm_sources_digest(sources, set->digest);
	fm_live_lock();
	set->next = set_list;
	set_list = set;
	fm_live_unlock();
	return (set);
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
	struct fm_set *set, **p;
	bool last;

	FM_OBJ_TAKE(set, setp, FM_SET_MAGIC);
	fm_live_lock();
	assert(set->refs > 0);
	last = --set->refs == 0;
	if (last) {
		for (p = &set_list; *p != set; p = &(*p)->next)
			assert(*p != NULL);
		*p = set->next;
	}
	fm_live_unlock();
	if (last)
		set_free(set);
}

/* The newest first: older ones are those of VCLs that don't watch. */
struct fm_set *
fm_set_find(const struct fm_set_type *type, const char *key,
    struct fm_sources **now)
{
	struct fm_set *set = NULL, *past;

	do {
		past = set;
		fm_live_lock();
		set = past == NULL ? set_list : past->next;
		while (set != NULL && (set->type != type ||
		    strcmp(set->key, key) != 0))
			set = set->next;
		if (set != NULL)
			(void)fm_set_hold(set);
		fm_live_unlock();
		if (past != NULL)
			fm_set_drop(&past);
		if (set != NULL)
			*now = fm_sources_again(set->sources);
	} while (set != NULL && *now == NULL);
	return (set);
}
