/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the files of the host table share: patterns, the builder, the index,
 * and the hash of a name.  For hosttab*.c (and their test) only.
 */

#ifndef FM_HOSTTAB_PRIV_H
#define FM_HOSTTAB_PRIV_H

#include <endian.h>

#include "fold.h"
#include "hostname.h"
#include "hosttab.h"
#include "obj.h"

#define FM_HOSTTAB_NO_ENTRY	UINT32_MAX

enum fm_hosttab_form {
	FM_HOSTTAB_FORM_NAME,		/* name */
	FM_HOSTTAB_FORM_BELOW,		/* *.name */
	FM_HOSTTAB_FORM_BOTH,		/* .name */
	FM_HOSTTAB_FORM_PREFIX,		/* name.* */
	FM_HOSTTAB_FORM_ANY		/* * */
};

struct fm_hosttab_pattern {
	struct fm_text		raw;	/* as it is written */
	struct fm_text		name;	/* canonical; a part of raw, or buf */
	enum fm_hosttab_form	form;
	char			buf[FM_HOSTNAME_MAX];
};

/* 0, or -1 with what is wrong in the diag. */
int fm_hosttab_pattern_parse(struct fm_hosttab_pattern *, struct fm_text raw,
    const struct fm_place *, struct fm_diag *);

/* A pattern in a message: not all of it where it is longer than any host. */
#define FM_HOSTTAB_QUOTE_MAX	(FM_HOSTNAME_MAX + 3)
#define FM_HOSTTAB_QUOTED	"'%.*s%s'"
#define FM_HOSTTAB_QUOTE(t)						\
	(int)((t).len > FM_HOSTTAB_QUOTE_MAX ? FM_HOSTTAB_QUOTE_MAX :	\
	(t).len), (t).b, (t).len > FM_HOSTTAB_QUOTE_MAX ? "..." : ""

/*
 * An index finds a name.  It is an open-addressing hash table whose slots
 * come in buckets of one cache line each; a bucket is filled from its first
 * slot, and overflows into the next one.  To find a name, or that it is not
 * there, mostly takes one line, and no branch that depends on which slot it
 * is.
 *
 * The bucket is the hash scaled to their number, so that names are in the
 * order of their hashes, and copying them into a larger index walks through
 * both from the start to the end.
 *
 * A slot that is free has ones in all its bits.
 */
enum fm_hosttab_column {
	FM_HOSTTAB_COLUMN_NAME,		/* the name itself; or name.* */
	FM_HOSTTAB_COLUMN_BELOW		/* *.name */
};

#define FM_HOSTTAB_COLUMNS	2
#define FM_HOSTTAB_SLOTS	4
#define FM_HOSTTAB_FREE		UINT32_MAX

struct fm_hosttab_bucket {
	uint32_t	hash[FM_HOSTTAB_SLOTS];
	uint32_t	name[FM_HOSTTAB_SLOTS];		/* in the arena */
	uint32_t	entry[FM_HOSTTAB_COLUMNS][FM_HOSTTAB_SLOTS];
};

#define FM_HOSTTAB_LINE		64

_Static_assert(sizeof(struct fm_hosttab_bucket) == FM_HOSTTAB_LINE,
    "a bucket is a cache line");

struct fm_hosttab_index {
	struct fm_hosttab_bucket	*buckets;
	uint32_t			nbuckets;
	uint32_t			count;		/* of names */
};

struct fm_hosttab_slot {
	struct fm_hosttab_bucket	*bucket;	/* or NULL: none */
	unsigned			at;
};

/* The lengths, in labels, of the names in a kind of wildcards. */
struct fm_hosttab_depths {
	uint64_t	bits[2];
};

#define FM_HOSTTAB_DEPTHS	128	/* 253 bytes are 127 labels at most */

/* One for each pattern. */
struct fm_hosttab_record {
	struct fm_place		place;
	uint32_t		entry;
	enum fm_hosttab_form	form;
};

struct fm_hosttab_builder {
	unsigned			magic;
#define FM_HOSTTAB_BUILDER_MAGIC	0x70c3e15d
	uint32_t			any;	/* a record, as in the index */
	uint64_t			seed;
	struct fm_hosttab_index		names;
	struct fm_hosttab_index		prefixes;
	struct fm_hosttab_depths	below_depths;
	struct fm_hosttab_depths	prefix_depths;
	char				*arena;	/* numbers, length byte, name,
						 * ... */
	size_t				arena_len;
	size_t				arena_cap;
	size_t				arena_max;
	struct fm_hosttab_record	*records;
	size_t				nrecords;
	size_t				records_cap;
};

/*
 * A name as words of eight bytes, from its end: word[0] is the last eight,
 * the last byte of them the lowest.  The bytes of the first, incomplete word
 * have zeros above them.  chain[k] is the hash of the words before word[k].
 *
 * So the hash of every name that this one ends in is at most one step away:
 * word len / 8 without the bytes in front, on the chain there.  Labels of
 * any length cost no branch.
 */
#define FM_HOSTTAB_WORDS	(FM_HOSTNAME_MAX / 8 + 1)

struct fm_hosttab_words {
	uint64_t	word[FM_HOSTTAB_WORDS];
	uint64_t	chain[FM_HOSTTAB_WORDS];
};

static inline uint64_t
fm_hosttab_word(const char *b)
{
	uint64_t x;

	memcpy(&x, b, sizeof x);
	return (be64toh(x));
}

/* The first bytes of a name, those before its whole words: 0 to 7. */
static inline uint64_t
fm_hosttab_head(struct fm_text name)
{
	size_t i, n = name.len % 8;
	uint64_t x = 0;

	if (n > 0 && name.len >= 8)
		return (fm_hosttab_word(name.b) >> 8 * (8 - n));
	for (i = 0; i < n; i++)
		x = x << 8 | (unsigned char)name.b[i];
	return (x);
}

static inline void
fm_hosttab_read(struct fm_hosttab_words *words, struct fm_text name,
    uint64_t seed)
{
	size_t k, n = name.len / 8;
	const char *b = name.b + name.len;

	assert(name.len <= FM_HOSTNAME_MAX);
	words->chain[0] = seed;
	for (k = 0; k < n; k++) {
		b -= 8;
		words->word[k] = fm_hosttab_word(b);
		words->chain[k + 1] = fm_fold(
		    words->chain[k] ^ words->word[k], 0x243f6a8885a308d3ULL);
	}
	words->word[n] = fm_hosttab_head(name);
}

/* The hash of the last len bytes. */
static inline uint32_t
fm_hosttab_hash(const struct fm_hosttab_words *words, size_t len)
{
	uint64_t front = (1ULL << 8 * (len % 8)) - 1;

	return ((uint32_t)fm_fold(
	    words->chain[len / 8] ^ (words->word[len / 8] & front),
	    0x452821e638d01377ULL));
}

static inline uint32_t
fm_hosttab_entry(struct fm_hosttab_slot slot, enum fm_hosttab_column column)
{
	return (slot.bucket->entry[column][slot.at]);
}

/* In front of each name: of each column the number of its pattern. */
#define FM_HOSTTAB_NUMBERS	(FM_HOSTTAB_COLUMNS * sizeof(uint32_t))

static inline size_t
fm_hosttab_number_at(struct fm_hosttab_slot slot,
    enum fm_hosttab_column column)
{
	return (slot.bucket->name[slot.at] - FM_HOSTTAB_NUMBERS +
	    column * sizeof(uint32_t));
}

/* That of an entry that is there; the name has just been read. */
static inline uint32_t
fm_hosttab_number(const char *arena, struct fm_hosttab_slot slot,
    enum fm_hosttab_column column)
{
	uint32_t number;

	memcpy(&number, arena + fm_hosttab_number_at(slot, column),
	    sizeof number);
	return (number);
}

/* Where a name goes, unless that bucket is full. */
static inline struct fm_hosttab_bucket *
fm_hosttab_home(const struct fm_hosttab_index *index, uint32_t hash)
{
	return (index->buckets + ((uint64_t)hash * index->nbuckets >> 32));
}

static inline struct fm_hosttab_bucket *
fm_hosttab_next(const struct fm_hosttab_index *index,
    struct fm_hosttab_bucket *bucket)
{
	bucket++;
	return (bucket == index->buckets + index->nbuckets ? index->buckets :
	    bucket);
}

/* Bit i for the i-th slot: it has this hash, and an entry in this column. */
static inline unsigned
fm_hosttab_match(const struct fm_hosttab_bucket *bucket, uint32_t hash,
    enum fm_hosttab_column column)
{
	const uint32_t *h = bucket->hash, *e = bucket->entry[column];
	const uint32_t none = FM_HOSTTAB_NO_ENTRY;

	return ((unsigned)((h[0] == hash) & (e[0] != none)) |
	    (unsigned)((h[1] == hash) & (e[1] != none)) << 1 |
	    (unsigned)((h[2] == hash) & (e[2] != none)) << 2 |
	    (unsigned)((h[3] == hash) & (e[3] != none)) << 3);
}

/*
 * The slot of a name with an entry in this column.  A name without one is not
 * even looked at: it is in another cache line.
 */
static inline struct fm_hosttab_slot
fm_hosttab_find(const struct fm_hosttab_index *index, const char *arena,
    struct fm_text name, uint32_t hash, enum fm_hosttab_column column)
{
	struct fm_hosttab_slot slot = { NULL, 0 };
	struct fm_hosttab_bucket *bucket;
	unsigned match;
	const char *have;

	if (index->nbuckets == 0)
		return (slot);
	for (bucket = fm_hosttab_home(index, hash);;
	    bucket = fm_hosttab_next(index, bucket)) {
		match = fm_hosttab_match(bucket, hash, column);
		for (; match != 0; match &= match - 1) {
			slot.at = (unsigned)__builtin_ctz(match);
			have = arena + bucket->name[slot.at];
			if ((unsigned char)*have != name.len ||
			    memcmp(have + 1, name.b, name.len) != 0)
				continue;
			slot.bucket = bucket;
			return (slot);
		}
		if (bucket->name[FM_HOSTTAB_SLOTS - 1] == FM_HOSTTAB_FREE)
			return (slot);
	}
}

/* One more name, for which the index must have room. */
static inline struct fm_hosttab_slot
fm_hosttab_put(struct fm_hosttab_index *index, uint32_t hash, uint32_t name,
    uint32_t entry, uint32_t entry_below)
{
	struct fm_hosttab_bucket *bucket = fm_hosttab_home(index, hash);
	unsigned at = 0;

	while (bucket->name[at] != FM_HOSTTAB_FREE)
		if (++at == FM_HOSTTAB_SLOTS) {
			at = 0;
			bucket = fm_hosttab_next(index, bucket);
		}
	bucket->hash[at] = hash;
	bucket->name[at] = name;
	bucket->entry[FM_HOSTTAB_COLUMN_NAME][at] = entry;
	bucket->entry[FM_HOSTTAB_COLUMN_BELOW][at] = entry_below;
	index->count++;
	return ((struct fm_hosttab_slot){ bucket, at });
}

#endif
