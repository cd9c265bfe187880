/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <string.h>

#include "candidates.h"
#include "thread.h"

static void
candidates_free(void *priv)
{
	struct candidates *c;

	FM_OBJ_CAST(c, priv, CANDIDATES_MAGIC);
	free(c->words);
	FM_OBJ_FREE(c);
}

static bool
candidates_grow(struct candidates *c, size_t cap)
{
	uint64_t *words;

	words = calloc(cap, sizeof *words);
	if (words == NULL)
		return (false);
	free(c->words);
	c->words = words;
	c->cap = cap;
	return (true);
}

struct candidates *
fm_candidates_get(size_t n)
{
	struct candidates *c;
	size_t cap = (n + 63) / 64;

	c = fm_thread_get(FM_THREAD_PATSET);
	if (c == NULL) {
		FM_OBJ_NEW(c, CANDIDATES_MAGIC);
		if (c == NULL)
			return (NULL);
		if (fm_thread_keep(FM_THREAD_PATSET, c, candidates_free)) {
			candidates_free(c);
			return (NULL);
		}
	}
	FM_OBJ_CHECK(c, CANDIDATES_MAGIC);
	if (c->cap < cap && !candidates_grow(c, cap))
		return (NULL);
	c->first = SIZE_MAX;
	c->last = 0;
	return (c);
}

void
fm_candidates_clear(struct candidates *c)
{
	if (c->first <= c->last)
		memset(c->words + c->first, 0,
		    (c->last - c->first + 1) * sizeof *c->words);
}
