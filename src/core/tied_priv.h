/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between tied_build.c, which makes the table, and tied.c, which looks up.
 *
 * Texts are of six families, by the end that they are tied to, and by whether
 * case counts.  Each family has its own seed, so that all live in one hash
 * table with open addressing, half of whose slots are free.  Equal texts of a
 * family share a slot: their records are a chain, all of which match or none.
 * Others can't be made to collide by who doesn't know the seed.
 */

#ifndef FM_TIED_PRIV_H
#define FM_TIED_PRIV_H

#include <endian.h>

#include "fold.h"
#include "obj.h"
#include "tied.h"

/* An odd one ignores case. */
enum fm_tied_family {
	FM_TIED_SUFFIX,
	FM_TIED_SUFFIX_NOCASE,
	FM_TIED_PREFIX,
	FM_TIED_PREFIX_NOCASE,
	FM_TIED_EXACT,
	FM_TIED_EXACT_NOCASE,
	FM_TIED__FAMILIES,
	FM_TIED__ENDS = FM_TIED_EXACT	/* those before have lengths */
};

/* A length that texts of a family have. */
struct fm_tied_length {
	uint64_t	edges;		/* a bit for each byte, of those in
					 * which they meet the rest of the
					 * subject */
	uint32_t	len;
	uint32_t	unused;
};

struct fm_tied_slot {
	uint32_t	hash;
	uint32_t	record;		/* offset; 0: the slot is free */
};

struct fm_tied_record {
	uint32_t	number;
	uint32_t	next;		/* of the same text; 0: none */
	uint32_t	len;
	unsigned char	family;
	char		text[];
};

struct fm_tied {
	unsigned		magic;
#define FM_TIED_MAGIC		0x3e9a70c5
	uint32_t		nslots;
	uint64_t		seed;
	uint64_t		exact[2];	/* lengths, without and with
						 * nocase */
	struct fm_tied_slot	*slots;
	char			*records;
	/* Those of family f are before lengths_end[f]. */
	uint16_t		lengths_end[FM_TIED__ENDS];
	size_t			bytes;
	struct fm_tied_length	lengths[];	/* ascending in a family */
};

static inline bool
fm_tied_nocase(enum fm_tied_family family)
{
	return ((family & 1) != 0);
}

static inline bool
fm_tied_from_right(enum fm_tied_family family)
{
	return (family <= FM_TIED_SUFFIX_NOCASE);
}

static inline unsigned
fm_tied_lengths_begin(const struct fm_tied *tied, enum fm_tied_family family)
{
	return (family == 0 ? 0 : tied->lengths_end[family - 1]);
}

/* Of fm_tied.exact. */
static inline uint64_t
fm_tied_exact_bit(size_t len)
{
	return (1ULL << (len < 63 ? len : 63));
}

/* Of fm_tied_length.edges: `A` and `a` are the same, as all of ASCII's. */
static inline uint64_t
fm_tied_edge_bit(struct fm_text subject, enum fm_tied_family family,
    size_t len)
{
	unsigned char c;

	c = (unsigned char)subject.b[fm_tied_from_right(family) ?
	    subject.len - len : len - 1];
	return (1ULL << ((c & 0x1f) | (c & 0x40) >> 1));
}

static inline struct fm_tied_record *
fm_tied_record(const struct fm_tied *tied, uint32_t at)
{
	return ((struct fm_tied_record *)(void *)(tied->records + at));
}

/* fm_lower() of eight bytes. */
static inline uint64_t
fm_tied_lower(uint64_t w)
{
	const uint64_t ones = 0x0101010101010101ULL;
	uint64_t low = w & 0x7f * ones;
	uint64_t from_a = low + (0x80 - 'A') * ones;
	uint64_t past_z = low + (0x7f - 'Z') * ones;

	return (w | ((from_a ^ past_z) & ~w & 0x80 * ones) >> 2);
}

/* Up to seven bytes. */
static inline uint64_t
fm_tied_few(const char *b, size_t n)
{
	const unsigned char *u = (const unsigned char *)b;
	uint32_t low, high;

	if (n >= sizeof low) {
		memcpy(&low, b, sizeof low);
		memcpy(&high, b + n - sizeof high, sizeof high);
		return (le32toh(low) |
		    (uint64_t)le32toh(high) << 8 * (n - sizeof high));
	}
	if (n == 0)
		return (0);
	return (u[0] | (uint64_t)u[n / 2] << 8 * (n / 2) |
	    (uint64_t)u[n - 1] << 8 * (n - 1));
}

/*
 * The hash of a text from its end on, eight bytes at a time, as far as `done`:
 * so that the next longer one needs no more than the bytes that it has more.
 */
struct fm_tied_hash {
	uint64_t	chain;
	size_t		done;
};

static inline struct fm_tied_hash
fm_tied_hash_start(const struct fm_tied *tied, enum fm_tied_family family)
{
	return ((struct fm_tied_hash){ tied->seed + family, 0 });
}

/* The hash of the first, or the last, len bytes; len never gets less. */
static inline uint32_t
fm_tied_hash_to(struct fm_tied_hash *hash, enum fm_tied_family family,
    struct fm_text subject, size_t len)
{
	bool right = fm_tied_from_right(family);
	const char *end = subject.b + subject.len;
	uint64_t w;

	for (; len - hash->done >= sizeof w; hash->done += sizeof w) {
		memcpy(&w, right ? end - hash->done - sizeof w :
		    subject.b + hash->done, sizeof w);
		if (fm_tied_nocase(family))
			w = fm_tied_lower(w);
		hash->chain = fm_fold(hash->chain ^ w, 0x243f6a8885a308d3ULL);
	}
	w = fm_tied_few(right ? end - len : subject.b + hash->done,
	    len - hash->done);
	if (fm_tied_nocase(family))
		w = fm_tied_lower(w);
	return ((uint32_t)fm_fold(hash->chain ^ w, 0x452821e638d01377ULL));
}

static inline bool
fm_tied_record_is(const struct fm_tied_record *record,
    enum fm_tied_family family, struct fm_text text)
{
	struct fm_text mine = fm_text(record->text, record->len);

	return (record->family == family && (fm_tied_nocase(family) ?
	    fm_text_eq_nocase(mine, text) : fm_text_eq(mine, text)));
}

/* The slot of a text, or the free one where it would be. */
static inline struct fm_tied_slot *
fm_tied_slot(const struct fm_tied *tied, enum fm_tied_family family,
    struct fm_text text, uint32_t hash)
{
	uint32_t at = (uint32_t)((uint64_t)hash * tied->nslots >> 32);
	struct fm_tied_slot *slot;

	for (;;) {
		slot = &tied->slots[at];
		if (slot->record == 0 || (slot->hash == hash &&
		    fm_tied_record_is(fm_tied_record(tied, slot->record),
		    family, text)))
			return (slot);
		if (++at == tied->nslots)
			at = 0;
	}
}

#endif
