/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Counts requests and responses in the arrays of a set (hits_priv.h).
 */

#include <stdbool.h>

#include "hits_priv.h"
#include "shard.h"

static void *
array_of(const struct hits_arrays *arrays, void *first, unsigned n)
{
	return ((char *)first + n * arrays->bytes);
}

uint64_t *
fm_hits_shard(const struct fm_hits *hits, unsigned shard, bool *own)
{
	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	assert(shard <= fm_shards);
	*own = !hits->arrays.shared && fm_shard_is_own(shard);
	if (hits->arrays.shared)
		shard %= hits->arrays.n;
	return (array_of(&hits->arrays, hits->counters, shard));
}

void
fm_hits_unknown(const struct fm_hits *hits, uint64_t *shard, bool own)
{
	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	fm_shard_add(own, &shard[hits->ncounters], 1);
}

void
fm_hits_refused(const struct fm_hits *hits, uint32_t host)
{
	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	assert(host < hits->nhosts || host == UINT32_MAX);
	(void)__atomic_fetch_add(&hits->refused[host == UINT32_MAX ?
	    hits->nhosts : host], 1, __ATOMIC_RELAXED);
}

static void
cell_count(bool own, uint32_t *cell)
{
	if (__builtin_expect(own, 1))
		__atomic_store_n(cell, __atomic_load_n(cell, __ATOMIC_RELAXED) +
		    1, __ATOMIC_RELAXED);
	else
		(void)__atomic_fetch_add(cell, 1, __ATOMIC_RELAXED);
}

static void __attribute__((noinline))
cell_count_error(bool own, uint32_t *cells, unsigned status)
{
	switch (status % 1000 / 100) {
	case 4:
		cell_count(own, &cells[FM_HITS_4XX]);
		break;
	case 5:
		cell_count(own, &cells[FM_HITS_5XX]);
		break;
	default:
		break;
	}
}

void
fm_hits_count(const struct fm_hits *hits, unsigned shard, uint32_t host,
    enum fm_hits_response from, unsigned status)
{
	uint32_t *cells;
	bool own;

	FM_OBJ_CHECK(hits, FM_HITS_MAGIC);
	cells = __atomic_load_n(&hits->cells, __ATOMIC_ACQUIRE);
	if (cells == NULL)
		return;
	if (__builtin_expect(host >= hits->nhosts, 0)) {
		assert(host == UINT32_MAX);
		host = (uint32_t)hits->nhosts;
	}
	own = fm_shard_is_own(shard);
	if (__builtin_expect(hits->cell_arrays.shared, 0)) {
		shard %= hits->cell_arrays.n;
		own = false;
	}
	cells = array_of(&hits->cell_arrays, cells, shard);
	cells += (size_t)host * FM_HITS_RESPONSES;
	cell_count(own, &cells[from]);
	if (status >= 400)
		cell_count_error(own, cells, status);
}
