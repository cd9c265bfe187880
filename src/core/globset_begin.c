/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * How a pass for all globs of a set begins: each waits for its first piece.
 */

#include "globset_priv.h"
#include "obj.h"

#define SPREAD		16	/* globs that begin with the same piece */

static bool
globset_spreads(const struct fm_globset *set)
{
	uint32_t i, n, count;

	for (i = 0; i < set->nneeds; i++) {
		count = 0;
		for (n = set->lists[i]; n != GLOBSET_NONE;
		    n = set->waiting[n].next)
			count++;
		if (count > SPREAD)
			return (false);
	}
	return (true);
}

/* Those that have texts, and those before them in a chain. */
static void
needs_tell(const struct fm_globset *set)
{
	struct need *needs = set->needs;
	uint32_t i, n;

	for (i = 0; i < set->nneeds && set->has_texts; i++) {
		for (n = i; n != GLOBSET_NONE && !needs[n].tells &&
		    needs[n].texts == GLOBSET_NONE; n = needs[n].next)
			continue;
		if (n == GLOBSET_NONE)
			continue;
		needs[n].tells = true;
		for (n = i; !needs[n].tells; n = needs[n].next)
			needs[n].tells = true;
	}
}

bool
fm_globset_begin(struct fm_globset *set)
{
	const struct glob *g;
	struct waiting *w;
	uint32_t i, need, *list;

	set->waiting = calloc(set->nglobs, sizeof *set->waiting);
	set->bits = calloc((size_t)set->n / 64 + 1, sizeof *set->bits);
	set->all = calloc((size_t)set->n / 64 + 1, sizeof *set->all);
	set->lists = calloc((size_t)set->nneeds + 1, sizeof *set->lists);
	if (set->waiting == NULL || set->bits == NULL || set->all == NULL ||
	    set->lists == NULL)
		return (false);
	memset(set->lists, 0xff, set->nneeds * sizeof *set->lists);
	for (i = 0; i < set->nglobs; i++) {
		g = &set->globs[i];
		w = &set->waiting[i];
		globset_wait(set, w, i);
		need = set->pieces[w->piece].need;
		set->all[g->number / 64] |= 1ULL << g->number % 64;
		list = g->is_text ? &set->needs[need].texts : &set->lists[need];
		w->next = *list;
		*list = i;
		if (g->is_text) {
			w->piece = g->number;
			set->has_texts = true;
			continue;
		}
		set->ncase[g->nocase]++;
		set->bits[g->number / 64] |= 1ULL << g->number % 64;
	}
	needs_tell(set);
	set->is_spread = globset_spreads(set);
	return (true);
}
