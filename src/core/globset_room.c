/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a thread has for its passes over globs.
 */

#include "globset_priv.h"
#include "obj.h"
#include "thread.h"

static void
room_free(void *priv)
{
	struct globset_room *r;

	FM_OBJ_CAST(r, priv, GLOBSET_ROOM_MAGIC);
	free(r->lists);
	free(r->chains);
	free(r->over);
	free(r->waiting);
	FM_OBJ_FREE(r);
}

static bool
room_grow(struct globset_room *r, uint32_t lists, uint32_t waiting)
{
	struct waiting *w;
	struct globset_chain *c;
	struct globset_list *l;
	uint32_t *over;

	if (lists > r->nlists) {
		l = calloc(lists, sizeof *l);
		c = calloc(lists, sizeof *c);
		over = calloc(lists, sizeof *over);
		if (l == NULL || c == NULL || over == NULL) {
			free(l);
			free(c);
			free(over);
			return (false);
		}
		free(r->lists);
		free(r->chains);
		free(r->over);
		r->lists = l;
		r->chains = c;
		r->over = over;
		r->nlists = lists;
		r->passes = r->states = 0;
	}
	if (waiting > r->cap) {
		w = calloc(waiting, sizeof *w);
		if (w == NULL)
			return (false);
		free(r->waiting);
		r->waiting = w;
		r->cap = waiting;
	}
	return (true);
}

struct globset_room *
fm_globset_room(const struct fm_globset *set, uint32_t globs)
{
	struct globset_room *r;

	r = fm_thread_get(FM_THREAD_GLOBSET);
	if (r == NULL) {
		FM_OBJ_NEW(r, GLOBSET_ROOM_MAGIC);
		if (r == NULL)
			return (NULL);
		if (fm_thread_keep(FM_THREAD_GLOBSET, r, room_free)) {
			room_free(r);
			return (NULL);
		}
	}
	FM_OBJ_CHECK(r, GLOBSET_ROOM_MAGIC);
	return (room_grow(r, set->nneeds, globs) ? r : NULL);
}

uint32_t
fm_globset_pass(struct globset_room *r)
{
	if (r->passes == UINT32_MAX) {
		memset(r->lists, 0, r->nlists * sizeof *r->lists);
		memset(r->chains, 0, r->nlists * sizeof *r->chains);
		r->passes = 0;
	}
	return (++r->passes);
}

uint32_t
fm_globset_state(struct globset_room *r)
{
	if (r->states == UINT32_MAX) {
		memset(r->chains, 0, r->nlists * sizeof *r->chains);
		memset(r->over, 0, r->nlists * sizeof *r->over);
		r->states = 0;
	}
	return (++r->states);
}
