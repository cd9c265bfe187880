/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A set of networks (networks.h).  Two networks never overlap in part, so a
 * sorted row of borders is enough: from each border up to the next one, all
 * addresses have the same value.
 *
 *	10.0.0.0/8 -> a, 10.1.0.0/16 -> b
 *
 *	10.0.0.0 a | 10.1.0.0 b | 10.2.0.0 a | 11.0.0.0 none
 *
 * IPv4 and IPv6 have a row each.  An index over the first bits in which borders
 * differ tells where a search begins.
 */

#include <string.h>

#include "networks.h"
#include "obj.h"

#define INDEX_BITS_MAX	16		/* 256 KB at most */

struct border {
	struct fm_addr_key	key;
	uint32_t	value;
};

/*
 * The borders of one family, IPv4 or IPv6.  In the drawing above, all borders
 * agree in the first 7 bits, which is `shared`; with bits 2, addresses that
 * agree in the next two bits have one bucket.
 */
struct family {
	struct border	*borders;
	uint32_t	*index;		/* first border of each bucket, and n
					 * after the last bucket */
	uint32_t	n;
	uint8_t		shared;		/* bits of hi that are the same in all
					 * borders */
	uint8_t		bits;		/* of a bucket's number */
};

struct fm_networks {
	unsigned	magic;
#define FM_NETWORKS_MAGIC	0x0a97d3be
	struct family	families[2];	/* IPv4, IPv6 */
};

static inline bool
key_less(struct fm_addr_key a, struct fm_addr_key b)
{
	return (a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo));
}

/* Finds the first address after a network; false: it is the last one. */
static bool
network_end(const struct fm_network *net, struct fm_addr_key *end)
{
	uint64_t step = 1ULL << (128U - net->bits) % 64;

	*end = net->first;
	if (net->bits == 0)
		return (false);
	if (net->bits <= 64)
		return ((end->hi += step) != 0);
	end->lo += step;
	return (end->lo != 0 || ++end->hi != 0);
}

/* Lets a value begin; the border before may be at the same place. */
static void
border_add(struct family *family, struct fm_addr_key key, uint32_t value)
{
	struct border *last = &family->borders[family->n];

	if (family->n > 0 && !key_less(last[-1].key, key)) {
		last--;
		family->n--;
	}
	if (family->n > 0 && last[-1].value == value)
		return;
	last->key = key;
	last->value = value;
	family->n++;
}

/* Lets the value of a network end, and that of the one around it go on. */
static void
border_end(struct family *family, const struct fm_networks_item *const *around,
    unsigned depth)
{
	struct fm_addr_key end;

	if (network_end(&around[depth]->network, &end))
		border_add(family, end, depth == 0 ? FM_NETWORKS_NONE :
		    around[depth - 1]->value);
}

/* Makes the borders of sorted items.  There is room for two of each item. */
static void
borders_make(struct family *family, const struct fm_networks_item *items,
    size_t n)
{
	const struct fm_networks_item *around[129];
	unsigned depth = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		while (depth > 0 && !fm_network_inside(&items[i].network,
		    &around[depth - 1]->network))
			border_end(family, around, --depth);
		border_add(family, items[i].network.first, items[i].value);
		if (depth == 0 || items[i].network.bits >
		    around[depth - 1]->network.bits)
			around[depth++] = &items[i];
	}
	while (depth > 0)
		border_end(family, around, --depth);
}

static inline uint32_t
bucket_of(const struct family *family, struct fm_addr_key key)
{
	return (family->bits == 0 ? 0 :
	    (uint32_t)(key.hi << family->shared >> (64 - family->bits)));
}

static bool
index_make(struct family *family)
{
	uint64_t differ =
	    family->borders[0].key.hi ^ family->borders[family->n - 1].key.hi;
	uint32_t i, bucket = 0, buckets;

	while (family->bits < INDEX_BITS_MAX && family->n >> family->bits > 1)
		family->bits++;
	if (differ == 0)
		family->bits = 0;
	else
		family->shared = (uint8_t)__builtin_clzll(differ);
	buckets = 1U << family->bits;
	family->index = calloc((size_t)buckets + 1, sizeof *family->index);
	if (family->index == NULL)
		return (false);
	for (i = 0; i < family->n; i++)
		while (bucket < bucket_of(family, family->borders[i].key))
			family->index[++bucket] = i;
	while (bucket < buckets)
		family->index[++bucket] = family->n;
	return (true);
}

static bool
family_make(struct family *family, const struct fm_networks_item *items,
    size_t n)
{
	struct border *fit;

	if (n == 0)
		return (true);
	family->borders = calloc(2 * n, sizeof *family->borders);
	if (family->borders == NULL)
		return (false);
	borders_make(family, items, n);
	fit = realloc(family->borders, family->n * sizeof *fit);
	if (fit != NULL)
		family->borders = fit;
	return (index_make(family));
}

struct fm_networks *
fm_networks_new(const struct fm_networks_item *items, size_t n)
{
	struct fm_networks *nets;
	size_t n4 = 0;

	FM_OBJ_NEW(nets, FM_NETWORKS_MAGIC);
	if (nets == NULL || n == 0)
		return (nets);
	assert(n <= UINT32_MAX / 2);
	while (n4 < n && items[n4].network.len == 4)
		n4++;
	if (!family_make(&nets->families[0], items, n4) ||
	    !family_make(&nets->families[1], items + n4, n - n4))
		fm_networks_free(&nets);
	return (nets);
}

void
fm_networks_free(struct fm_networks **netsp)
{
	struct fm_networks *nets;
	unsigned i;

	FM_OBJ_TAKE(nets, netsp, FM_NETWORKS_MAGIC);
	for (i = 0; i < 2; i++) {
		free(nets->families[i].borders);
		free(nets->families[i].index);
	}
	FM_OBJ_FREE(nets);
}

uint32_t
fm_networks_find(const struct fm_networks *nets, const struct fm_addr *addr)
{
	const struct family *family;
	uint32_t bucket, low, high, middle;
	struct fm_addr_key key;

	FM_OBJ_CHECK(nets, FM_NETWORKS_MAGIC);
	family = &nets->families[addr->len == 16];
	if (addr->len == 0 || family->n == 0)
		return (FM_NETWORKS_NONE);
	key = fm_addr_key(addr);
	if (key_less(key, family->borders[0].key))
		return (FM_NETWORKS_NONE);
	if (!key_less(key, family->borders[family->n - 1].key))
		return (family->borders[family->n - 1].value);
	bucket = bucket_of(family, key);
	low = family->index[bucket];
	high = family->index[bucket + 1];
	while (low < high) {
		middle = low + (high - low) / 2;
		if (key_less(key, family->borders[middle].key))
			high = middle;
		else
			low = middle + 1;
	}
	return (family->borders[low - 1].value);
}

size_t
fm_networks_bytes(const struct fm_networks *nets)
{
	const struct family *family;
	size_t bytes = sizeof *nets;

	FM_OBJ_CHECK(nets, FM_NETWORKS_MAGIC);
	for (family = nets->families; family < &nets->families[2]; family++)
		if (family->n > 0)
			bytes += family->n * sizeof *family->borders +
			    ((1UL << family->bits) + 1) * sizeof *family->index;
	return (bytes);
}
