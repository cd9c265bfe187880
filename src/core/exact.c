/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A closed hash table of pattern numbers.  The hash ignores case, so that
 * both sorts live in one table; the patterns themselves decide.
 */

#include "exact.h"
#include "obj.h"

struct exact_slot {
	uint32_t	tag;
	uint32_t	number;		/* plus one; 0: free */
};

struct fm_exact {
	unsigned			magic;
#define FM_EXACT_MAGIC			0x4fd21c68
	uint32_t			mask;
	struct fm_pattern * const	*patterns;
	struct exact_slot		slots[];
};

/* Eight bytes at a time, bit 5 set in all: `A` and `a` hash alike. */
static uint32_t
exact_hash(struct fm_text t)
{
	const uint64_t fold = 0x2020202020202020ULL;
	const uint64_t prime = 0x9e3779b97f4a7c15ULL;
	uint64_t h = t.len * 0x100000001b3ULL, w;

	for (; t.len >= sizeof w; t.b += sizeof w, t.len -= sizeof w) {
		memcpy(&w, t.b, sizeof w);
		h = (h ^ (w | fold)) * prime;
		h ^= h >> 29;
	}
	w = 0;
	if (t.len > 0)
		memcpy(&w, t.b, t.len);
	h = (h ^ (w | fold)) * prime;
	return ((uint32_t)(h >> 32));
}

int
fm_exact_new(struct fm_pattern * const *patterns, size_t n,
    struct fm_exact **table)
{
	struct fm_exact *x;
	size_t i, count = 0, size;
	uint32_t at, tag;

	*table = NULL;
	for (i = 0; i < n; i++)
		count += fm_pattern_kind(patterns[i]) == FM_PATTERN_EXACT;
	if (count == 0)
		return (0);
	for (size = 4; size < 2 * count; size *= 2)
		continue;
	x = calloc(1, sizeof *x + size * sizeof *x->slots);
	if (x == NULL)
		return (-1);
	x->magic = FM_EXACT_MAGIC;
	x->mask = (uint32_t)size - 1;
	x->patterns = patterns;
	for (i = 0; i < n; i++) {
		if (fm_pattern_kind(patterns[i]) != FM_PATTERN_EXACT)
			continue;
		tag = exact_hash(fm_pattern_text(patterns[i]));
		for (at = tag; x->slots[at & x->mask].number != 0; at++)
			continue;
		x->slots[at & x->mask] =
		    (struct exact_slot){ tag, (uint32_t)i + 1 };
	}
	*table = x;
	return (0);
}

void
fm_exact_free(struct fm_exact **xp)
{
	struct fm_exact *x;

	FM_OBJ_TAKE(x, xp, FM_EXACT_MAGIC);
	FM_OBJ_FREE(x);
}

size_t
fm_exact_bytes(const struct fm_exact *x)
{
	FM_OBJ_CHECK(x, FM_EXACT_MAGIC);
	return (sizeof *x + ((size_t)x->mask + 1) * sizeof *x->slots);
}

static bool
exact_is(const struct fm_pattern *p, struct fm_text subject)
{
	return (fm_pattern_nocase(p) ?
	    fm_text_eq_nocase(fm_pattern_text(p), subject) :
	    fm_text_eq(fm_pattern_text(p), subject));
}

bool
fm_exact_next(const struct fm_exact *x, struct fm_text subject,
    uint32_t *cursor, uint32_t *number)
{
	const struct exact_slot *slot;
	uint32_t tag;

	FM_OBJ_CHECK(x, FM_EXACT_MAGIC);
	tag = exact_hash(subject);
	for (;;) {
		slot = &x->slots[(tag + *cursor) & x->mask];
		if (slot->number == 0)
			return (false);
		++*cursor;
		if (slot->tag == tag &&
		    exact_is(x->patterns[slot->number - 1], subject)) {
			*number = slot->number - 1;
			return (true);
		}
	}
}
