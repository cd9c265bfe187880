/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The host table: one piece of memory that holds the head, the buckets of
 * both indexes, and the names.  A lookup touches the first cache line of the
 * head, for each probe mostly one bucket, and the name that it finds.
 */

#include <stddef.h>

#include "hosttab_priv.h"

struct fm_hosttab {
	/* The first cache line is all that most lookups need. */
	unsigned			magic;
#define FM_HOSTTAB_MAGIC	0x1f6ab2e9
	uint32_t			any;
	struct fm_hosttab_index		names;
	const char			*arena;
	uint64_t			seed;
	struct fm_hosttab_depths	below_depths;
	uint32_t			any_pattern;
	uint16_t			has_below;
	uint16_t			has_prefixes;
	/* The second. */
	struct fm_hosttab_index		prefixes;
	struct fm_hosttab_depths	prefix_depths;
	size_t				count;
	size_t				bytes;
};

_Static_assert(offsetof(struct fm_hosttab, prefixes) == FM_HOSTTAB_LINE,
    "what most lookups need is a cache line");

struct hosttab_layout {
	uint32_t	names;		/* buckets */
	uint32_t	prefixes;
	size_t		buckets_at;
	size_t		arena_at;
	size_t		bytes;
};

/* Half of the slots are free: a bucket that overflows is rare. */
static uint32_t
index_buckets(const struct fm_hosttab_index *index)
{
	return ((uint32_t)((index->count * 2ULL + FM_HOSTTAB_SLOTS - 1) /
	    FM_HOSTTAB_SLOTS));
}

static uint32_t
record_entry(const struct fm_hosttab_record *records, uint32_t number)
{
	return (number == FM_HOSTTAB_NO_ENTRY ? FM_HOSTTAB_NO_ENTRY :
	    records[number].entry);
}

/* Copies the names, with entries where the builder has records. */
static void
index_copy(struct fm_hosttab_index *to, const struct fm_hosttab_builder *from,
    const struct fm_hosttab_index *index)
{
	const struct fm_hosttab_bucket *bucket;
	uint32_t n, i;

	for (n = 0; n < index->nbuckets; n++) {
		bucket = &index->buckets[n];
		for (i = 0; i < FM_HOSTTAB_SLOTS; i++) {
			if (bucket->name[i] == FM_HOSTTAB_FREE)
				break;
			(void)fm_hosttab_put(to, bucket->hash[i],
			    bucket->name[i],
			    record_entry(from->records, bucket->entry[0][i]),
			    record_entry(from->records, bucket->entry[1][i]));
		}
	}
}

/* How big each part is; false: no memory could hold it. */
static bool
layout_of(struct hosttab_layout *layout,
    const struct fm_hosttab_builder *builder)
{
	uint64_t bytes;

	layout->names = index_buckets(&builder->names);
	layout->prefixes = index_buckets(&builder->prefixes);
	layout->buckets_at = (sizeof(struct fm_hosttab) + FM_HOSTTAB_LINE - 1) /
	    FM_HOSTTAB_LINE * FM_HOSTTAB_LINE;
	bytes = layout->buckets_at + FM_HOSTTAB_LINE *
	    ((uint64_t)layout->names + layout->prefixes);
	layout->arena_at = (size_t)bytes;
	bytes += builder->arena_len;
	bytes = (bytes + FM_HOSTTAB_LINE - 1) / FM_HOSTTAB_LINE *
	    FM_HOSTTAB_LINE;
	layout->bytes = (size_t)bytes;
	return (layout->bytes == bytes);
}

struct fm_hosttab *
fm_hosttab_build(const struct fm_hosttab_builder *builder)
{
	struct hosttab_layout layout;
	struct fm_hosttab *tab;
	char *block;

	FM_OBJ_CHECK(builder, FM_HOSTTAB_BUILDER_MAGIC);
	if (!layout_of(&layout, builder))
		return (NULL);
	block = aligned_alloc(FM_HOSTTAB_LINE, layout.bytes);
	if (block == NULL)
		return (NULL);
	memset(block, 0, layout.buckets_at);
	memset(block + layout.buckets_at, 0xff,
	    layout.arena_at - layout.buckets_at);
	tab = (void *)block;
	tab->magic = FM_HOSTTAB_MAGIC;
	tab->any = record_entry(builder->records, builder->any);
	tab->any_pattern = builder->any;
	tab->seed = builder->seed;
	tab->count = builder->nrecords;
	tab->bytes = layout.bytes;

	tab->names.buckets = (void *)(block + layout.buckets_at);
	tab->names.nbuckets = layout.names;
	index_copy(&tab->names, builder, &builder->names);
	tab->below_depths = builder->below_depths;
	tab->has_below = (tab->below_depths.bits[0] |
	    tab->below_depths.bits[1]) != 0;

	tab->prefixes.buckets = tab->names.buckets + layout.names;
	tab->prefixes.nbuckets = layout.prefixes;
	index_copy(&tab->prefixes, builder, &builder->prefixes);
	tab->prefix_depths = builder->prefix_depths;
	tab->has_prefixes = layout.prefixes > 0;

	if (builder->arena_len > 0)
		memcpy(block + layout.arena_at, builder->arena,
		    builder->arena_len);
	tab->arena = block + layout.arena_at;
	return (tab);
}

void
fm_hosttab_free(struct fm_hosttab **tabp)
{
	struct fm_hosttab *tab;

	FM_OBJ_TAKE(tab, tabp, FM_HOSTTAB_MAGIC);
	FM_OBJ_FREE(tab);
}

/* Where the dots are: bit i for the i-th byte from the end. */
struct hosttab_dots {
	uint64_t	bits[4];
	unsigned	nwords;
	unsigned	count;
};

static inline void
dots_find(struct hosttab_dots *dots, const struct fm_hosttab_words *words,
    size_t len)
{
	uint64_t x;
	size_t k;

	memset(dots->bits, 0, sizeof dots->bits);
	for (k = 0; k <= len / 8; k++) {
		/* A byte's highest bit: it is a dot.  Names are ASCII. */
		x = words->word[k] ^ 0x2e2e2e2e2e2e2e2eULL;
		x = ~(x + 0x7f7f7f7f7f7f7f7fULL) & 0x8080808080808080ULL;
		/* Gathers the eight bits, the lowest byte's lowest. */
		x = (x >> 7) * 0x0102040810204080ULL >> 56;
		dots->bits[k / 8] |= x << 8 * (k % 8);
	}
	dots->nwords = (unsigned)(len / 64 + 1);
	dots->count = 0;
	for (k = 0; k < dots->nwords; k++)
		dots->count += (unsigned)__builtin_popcountll(dots->bits[k]);
	assert(dots->count < FM_HOSTTAB_DEPTHS);
}

static inline bool
depth_is_there(const struct fm_hosttab_depths *depths, unsigned depth)
{
	return ((depths->bits[depth / 64] >> depth % 64 & 1) != 0);
}

static inline void
hit_slot(const struct fm_hosttab *tab, struct fm_hosttab_slot slot,
    enum fm_hosttab_column column, struct fm_hosttab_hit *hit)
{
	hit->entry = fm_hosttab_entry(slot, column);
	hit->pattern = fm_hosttab_number(tab->arena, slot, column);
}

/* The longest `*.name` that the host ends in. */
static bool
lookup_below(const struct fm_hosttab *tab,
    const struct fm_hosttab_words *words, const struct hosttab_dots *dots,
    struct fm_text canon, struct fm_hosttab_hit *hit)
{
	struct fm_hosttab_slot slot;
	unsigned depth = dots->count, w, i;
	struct fm_text name;
	uint64_t bits;

	for (w = dots->nwords; w-- > 0;)
		for (bits = dots->bits[w]; bits != 0;
		    bits ^= 1ULL << i, depth--) {
			i = 63 - (unsigned)__builtin_clzll(bits);
			if (!depth_is_there(&tab->below_depths, depth))
				continue;
			name.len = w * 64 + i;
			name.b = canon.b + (canon.len - name.len);
			slot = fm_hosttab_find(&tab->names, tab->arena, name,
			    fm_hosttab_hash(words, name.len),
			    FM_HOSTTAB_COLUMN_BELOW);
			if (slot.bucket == NULL)
				continue;
			hit->how = FM_HOSTTAB_SUFFIX;
			hit_slot(tab, slot, FM_HOSTTAB_COLUMN_BELOW, hit);
			hit->wild = fm_text_span(canon.b, name.b - 1);
			return (true);
		}
	return (false);
}

/*
 * The longest `name.*` that the host starts with.  These are rare, and of one
 * length mostly: each name is read anew.
 */
static bool
lookup_prefix(const struct fm_hosttab *tab, const struct hosttab_dots *dots,
    struct fm_text canon, struct fm_hosttab_hit *hit)
{
	struct fm_hosttab_slot slot;
	struct fm_hosttab_words words;
	unsigned depth = dots->count, w, i;
	struct fm_text name;
	uint64_t bits;

	for (w = 0; w < dots->nwords; w++)
		for (bits = dots->bits[w]; bits != 0;
		    bits &= bits - 1, depth--) {
			i = (unsigned)__builtin_ctzll(bits);
			if (!depth_is_there(&tab->prefix_depths, depth))
				continue;
			name = fm_text(canon.b, canon.len - 1 - (w * 64 + i));
			fm_hosttab_read(&words, name, tab->seed);
			slot = fm_hosttab_find(&tab->prefixes, tab->arena, name,
			    fm_hosttab_hash(&words, name.len),
			    FM_HOSTTAB_COLUMN_NAME);
			if (slot.bucket == NULL)
				continue;
			hit->how = FM_HOSTTAB_PREFIX;
			hit_slot(tab, slot, FM_HOSTTAB_COLUMN_NAME, hit);
			hit->wild = fm_text_span(canon.b + name.len + 1,
			    canon.b + canon.len);
			return (true);
		}
	return (false);
}

bool
fm_hosttab_lookup(const struct fm_hosttab *tab, struct fm_text canon,
    struct fm_hosttab_hit *hit)
{
	struct fm_hosttab_slot slot;
	struct fm_hosttab_words words;
	struct hosttab_dots dots;

	FM_OBJ_CHECK(tab, FM_HOSTTAB_MAGIC);
	assert(canon.len > 0 && canon.len <= FM_HOSTNAME_MAX);
	assert(hit != NULL);
	hit->wild = fm_text(NULL, 0);
	fm_hosttab_read(&words, canon, tab->seed);
	slot = fm_hosttab_find(&tab->names, tab->arena, canon,
	    fm_hosttab_hash(&words, canon.len), FM_HOSTTAB_COLUMN_NAME);
	if (slot.bucket != NULL) {
		hit->how = FM_HOSTTAB_EXACT;
		hit_slot(tab, slot, FM_HOSTTAB_COLUMN_NAME, hit);
		return (true);
	}
	/* The dots in an IPv6 literal are none between labels. */
	if ((tab->has_below || tab->has_prefixes) && canon.b[0] != '[') {
		dots_find(&dots, &words, canon.len);
		if (tab->has_below &&
		    lookup_below(tab, &words, &dots, canon, hit))
			return (true);
		if (tab->has_prefixes && lookup_prefix(tab, &dots, canon, hit))
			return (true);
	}
	hit->entry = tab->any;
	hit->pattern = tab->any_pattern;
	if (tab->any == FM_HOSTTAB_NO_ENTRY) {
		hit->how = FM_HOSTTAB_NONE;
		return (false);
	}
	hit->how = FM_HOSTTAB_ANY;
	hit->wild = canon;
	return (true);
}

size_t
fm_hosttab_count(const struct fm_hosttab *tab)
{
	FM_OBJ_CHECK(tab, FM_HOSTTAB_MAGIC);
	return (tab->count);
}

size_t
fm_hosttab_bytes(const struct fm_hosttab *tab)
{
	FM_OBJ_CHECK(tab, FM_HOSTTAB_MAGIC);
	return (tab->bytes);
}
