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

/* What is so of a need is so of those before it in a chain. */
enum so { NOT_KNOWN, SO, NOT_SO };

static void
needs_before(const struct fm_globset *set, enum so *is)
{
	enum so of_all;
	uint32_t i, n;

	for (i = 0; i < set->nneeds; i++) {
		for (n = i; n != GLOBSET_NONE && is[n] == NOT_KNOWN;
		    n = set->needs[n].next)
			continue;
		of_all = n == GLOBSET_NONE ? NOT_SO : is[n];
		for (n = i; n != GLOBSET_NONE && is[n] == NOT_KNOWN;
		    n = set->needs[n].next)
			is[n] = of_all;
	}
}

/* Those that have texts. */
static void
needs_tell(const struct fm_globset *set, enum so *is)
{
	uint32_t i;

	for (i = 0; i < set->nneeds; i++)
		is[i] = set->needs[i].texts == GLOBSET_NONE ? NOT_KNOWN : SO;
	needs_before(set, is);
	for (i = 0; i < set->nneeds; i++)
		set->needs[i].tells = is[i] == SO;
}

/* Those that are pieces of globs that are no texts. */
static void
needs_wait(const struct fm_globset *set, enum so *is)
{
	uint32_t i, piece;

	for (i = 0; i < set->nneeds; i++)
		is[i] = NOT_KNOWN;
	for (i = 0; i < set->nglobs; i++) {
		if (set->globs[i].is_text)
			continue;
		for (piece = set->globs[i].first;; piece++) {
			is[set->pieces[piece].need] = SO;
			if (set->pieces[piece].is_last)
				break;
		}
	}
	needs_before(set, is);
	for (i = 0; i < set->nneeds; i++)
		set->needs[i].waits = is[i] == SO;
}

static bool
globset_chains(const struct fm_globset *set)
{
	enum so *is;

	is = calloc((size_t)set->nneeds + 1, sizeof *is);
	if (is == NULL)
		return (false);
	needs_tell(set, is);
	needs_wait(set, is);
	free(is);
	return (true);
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
	set->is_spread = globset_spreads(set);
	return (globset_chains(set));
}
