/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between names_build.c, which makes a set, and names.c, which matches.
 *
 * Exact names are in a hash with open addressing, at most half full.
 *
 * Globs are sorted by their literal prefix.  Those whose prefix begins a name
 * are found from one of them: the last that sorts not after the name.  Every
 * prefix of the name sorts between itself and the name, so it is a prefix of
 * that one's prefix, too.  Each glob knows the one before it whose prefix
 * begins its own; this chain visits all of them, and ends with the globs that
 * start with a wildcard, since their prefix is empty and begins everything.
 *
 *	sorted		its chain		tried for utm_id
 *	*_id		*_id			yes
 *	ut*		ut*, *_id		yes
 *	utm_*		utm_*, ut*, *_id	yes
 *	utm_s*e		utm_s*e, utm_*, ...	no: only "utm_" is common
 *	v*		v*, *_id
 *
 * A client may write names for which all globs of a chain are tried.  So where
 * there are many that are more than a prefix, they are not in a chain, but
 * patterns of a set: then of this table `*_id` and `utm_s*e` would be.
 */

#ifndef FM_NAMES_PRIV_H
#define FM_NAMES_PRIV_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdint.h>

#include "names.h"
#include "patset.h"

struct fm_names_slot {
	uint32_t	offset;		/* into the bytes */
	uint16_t	len;		/* 0: the slot is free */
	uint16_t	tag;		/* of the hash: saves looking there */
};

struct fm_names_glob {
	const char	*b;
	uint16_t	len;
	uint16_t	prefix;
	uint32_t	shorter;	/* the next in the chain, or NONE */
};

#define FM_NAMES_NONE	UINT32_MAX
#define FM_NAMES_FEW	8	/* globs that may be in a chain, besides those
				 * that are just a prefix */

struct fm_names {
	unsigned		magic;
#define FM_NAMES_MAGIC		0x51c4b8e9
	bool			nocase;		/* all in it is lower case */
	uint32_t		nexact;
	uint32_t		nglobs;
	uint32_t		wild;		/* chain if no prefix fits */
	uint64_t		lengths;	/* bit n: exact names of n + 1
						 * bytes; bit 63: and longer */
	uint64_t		first[4];	/* first bytes of prefixes */
	size_t			mask;		/* number of slots, less one */
	struct fm_names_slot	*slots;
	struct fm_names_glob	*globs;
	uint32_t		nmany;		/* behind these, in the array */
	struct fm_patset	*many;		/* of them; NULL: there are
						 * none */
	char			*bytes;
	size_t			nbytes;
};

static inline uint64_t
fm_names_length_bit(size_t len)
{
	return (1ULL << (len < 64 ? len - 1 : 63));
}

static inline uint64_t
fm_names_hash(struct fm_text name)
{
	return (XXH3_64bits(name.b, name.len));
}

/* The slot of this name, or the free one where it would be. */
static inline struct fm_names_slot *
fm_names_find(const struct fm_names *names, struct fm_text name, uint64_t hash)
{
	struct fm_names_slot *slot;
	size_t i;

	for (i = hash & names->mask; ; i = (i + 1) & names->mask) {
		slot = &names->slots[i];
		if (slot->len == 0)
			return (slot);
		if (slot->len == name.len && slot->tag == hash >> 48 &&
		    memcmp(names->bytes + slot->offset, name.b,
		    name.len) == 0)
			return (slot);
	}
}

#endif
