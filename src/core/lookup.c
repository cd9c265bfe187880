/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the candidates of a set in a subject, and of how many it is told at
 * most: a client may have the words of all.
 */

#include "lookup.h"
#include "obj.h"

/*
 * A pass over all globs costs less than to be told of each that is a candidate
 * where they are one in so many.
 */
#define CROWD		8

/* What a pass over a flood takes, of one of a regex. */
#define FLOOD_ALIKE	1
#define FLOOD_GLOBS	3

/* Bytes of these, that a hit takes which is one again. */
#define FLOOD_AGAIN	2

static bool __attribute__((noinline))
lookup_room(struct lookup *l)
{
	if (l->one_by_one)
		return (false);
	l->candidates = fm_candidates_get(l->ps->n);
	if (l->candidates == NULL) {
		l->one_by_one = true;
		l->tally->fallbacks++;
	}
	return (!l->one_by_one);
}

static inline void
lookup_add(struct lookup *l, uint32_t n)
{
	if (l->candidates == NULL && !lookup_room(l))
		return;
	if (candidates_has(l->candidates, n))
		return;
	candidates_add(l->candidates, n);
	if (l->ps->globs != NULL && !l->crowded)
		l->globs += fm_globset_cost(l->ps->globs, n);
}

/* How many it is told of. */
static void
lookup_most(struct lookup *l)
{
	l->regexes_most = fm_tally_most(l->tally, l->subject.len);
	if (l->regexes_most < FM_PATSET_REGEXES)
		l->regexes_most = FM_PATSET_REGEXES;
	l->others_most = FM_PATSET_OTHERS;
}

/* Whether one more of its kind is to be told of. */
static inline bool
lookup_more(struct lookup *l, uint32_t n, size_t *told, size_t most,
    unsigned missing)
{
	if (l->candidates != NULL && candidates_has(l->candidates, n))
		return (true);
	if (*told < most) {
		++*told;
		return (true);
	}
	l->known |= missing;
	return (false);
}

/* No more is to be told, of all that there is. */
static inline bool
lookup_is_over(const struct lookup *l)
{
	return (l->flooded && l->ps->sure == 0 &&
	    (l->ps->regexes.told == 0 || (l->known & FM_PATSET_SPENT) != 0) &&
	    (l->ps->others.told == 0 || (l->known & FM_PATSET_CROWDED) != 0));
}

/* Of the trie, or of the scan. */
static inline bool
lookup_hit(struct lookup *l, uint32_t n)
{
	switch (l->ps->ways[n]) {
	case WAY_SCAN_SURE:
		if (!l->any)
			break;
		l->hit = true;
		return (true);
	case WAY_SCAN_REGEX:
		if (!lookup_more(l, n, &l->regexes, l->regexes_most,
		    FM_PATSET_SPENT))
			return (lookup_is_over(l));
		break;
	default:
		if (!lookup_more(l, n, &l->others, l->others_most,
		    FM_PATSET_CROWDED))
			return (lookup_is_over(l));
		break;
	}
	lookup_add(l, n);
	return (l->one_by_one);
}

static bool
lookup_each_hit(void *priv, uint32_t n)
{
	return (lookup_hit(priv, n));
}

/* Of a trie; after some of one way, no more of it are told. */
static bool __attribute__((noinline))
lookup_hits(void *priv, const uint32_t *ids, uint32_t n)
{
	struct lookup *l = priv;
	const unsigned char *ways = l->ps->ways;
	uint32_t i;

	for (i = 0; i < n; i++) {
		while (i < n && (l->known & FM_PATSET_SPENT) != 0 &&
		    ways[ids[i]] == WAY_SCAN_REGEX)
			i++;
		if (i == n || ((l->known & FM_PATSET_CROWDED) != 0 &&
		    ways[ids[i]] == WAY_SCAN))
			break;
		if (lookup_hit(l, ids[i]))
			return (true);
	}
	return (lookup_is_over(l));
}

/* Those that are sure come first, and are many where a client writes a list. */
static bool
lookup_hits_sure(void *priv, const uint32_t *ids, uint32_t n)
{
	struct lookup *l = priv;
	const uint32_t *end = ids + n;

	for (; l->ps->ways[*ids] == WAY_SCAN_SURE; ids++) {
		candidates_set(l->candidates, *ids);
		if (ids + 1 == end)
			return (false);
	}
	return (lookup_hits(l, ids, (uint32_t)(end - ids)));
}

static bool
lookup_scan_hit(void *priv, uint32_t n)
{
	struct lookup *l = priv;

	if (n == l->ps->n)
		l->alike = true;
	else if (lookup_hit(l, n))
		return (true);
	if (l->ps->scan_globs && l->globs >= FM_GLOBSET_PASS &&
	    l->globs > l->ps->n / CROWD) {
		l->crowded = true;
		return (true);
	}
	l->flooded = l->ps->flood && ++l->hits >= FM_PATSET_FLOOD;
	return (l->flooded);
}

static bool
lookup_tied_hit(void *priv, uint32_t n)
{
	struct lookup *l = priv;

	if (l->any) {
		l->hit = true;
		return (true);
	}
	lookup_add(l, n);
	return (l->one_by_one);
}

/* All that there is to scan for may match. */
static void
lookup_add_scanned(struct lookup *l)
{
	uint32_t n;

	l->known = 0;
	for (n = 0; n < l->ps->n; n++)
		if (l->ps->ways[n] == WAY_SCAN ||
		    l->ps->ways[n] == WAY_SCAN_SURE ||
		    l->ps->ways[n] == WAY_SCAN_REGEX)
			lookup_add(l, n);
}

static enum fm_scan_result
lookup_run(struct lookup *l, const struct fm_scan *scan, fm_scan_hit_f *hit)
{
	l->tally->scans++;
	return (fm_scan_run(scan, l->subject, hit, l));
}

/*
 * A scan was given up for what takes more; where no regex may be tried after
 * that they are not looked for.
 */
static void
lookup_flood(struct lookup *l)
{
	size_t passes = 0;

	l->crowded = l->ps->globs_all;
	if (l->crowded)
		passes += FLOOD_GLOBS;
	if (!l->ps->scan_globs)
		passes += FLOOD_ALIKE;
	l->tally->scanned += passes * l->subject.len;
	if (l->ps->regexes.n > 0 && fm_tally_scanned_out(l->tally))
		l->known |= FM_PATSET_SPENT;
}

/* What a scan doesn't know, or was given up for. */
static enum fm_scan_result
lookup_beside(struct lookup *l)
{
	bool sure = l->flooded && l->ps->sure > 0 && !l->any &&
	    l->candidates != NULL;
	enum fm_scan_result result = FM_SCAN_DONE;
	size_t again;

	if (l->flooded)
		lookup_flood(l);
	if ((l->ps->scan_globs && l->crowded) || lookup_is_over(l))
		return (result);
	if (sure)
		candidates_all(l->candidates, l->ps->n);
	if (l->alike || (l->flooded && l->ps->alike != NULL)) {
		if (fm_alike_find(l->ps->alike, l->subject, sure ?
		    lookup_hits_sure : lookup_hits, l, &again) != 0)
			return (FM_SCAN_NO_MEMORY);
		l->tally->scanned += FLOOD_AGAIN * again;
	}
	if (l->flooded && l->ps->whole != NULL && !l->hit && !l->one_by_one &&
	    (l->known & FM_PATSET_SPENT) == 0)
		result = lookup_run(l, l->ps->whole, lookup_each_hit);
	return (result);
}

static void
lookup_scan(struct lookup *l)
{
	enum fm_scan_result result = FM_SCAN_DONE;

	if (l->ps->regexes.n > 0)
		fm_tally_earn(l->tally, l->subject.len);
	lookup_most(l);
	if (l->ps->scan != NULL)
		result = lookup_run(l, l->ps->scan, lookup_scan_hit);
	if (result == FM_SCAN_DONE && !l->hit && !l->one_by_one)
		result = lookup_beside(l);
	if (result != FM_SCAN_DONE) {
		l->tally->fallbacks++;
		lookup_add_scanned(l);
	}
}

/* How many are set; without an instruction for it. */
static unsigned
bits_count(uint64_t bits)
{
	bits -= bits >> 1 & 0x5555555555555555;
	bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
	bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return ((unsigned)(bits * 0x0101010101010101 >> 56));
}

/* Those of a kind that are not among the candidates. */
static unsigned
lookup_missing(const struct lookup *l, const struct fm_patset_kind *kind)
{
	uint64_t bits;
	unsigned n = 0;
	size_t w;

	if (l->candidates == NULL)
		return (kind->n);
	for (w = 0; kind->n > 0 && w < FM_PATSET_WORDS(l->ps->n); w++) {
		bits = kind->bits[w] & ~l->candidates->words[w];
		n += bits == ~0ULL ? 64 : bits_count(bits);
	}
	return (n);
}

/*
 * One pass for many globs; without memory for it each is tried.  Where there
 * was no scan for them it may take what it does.
 */
static void
lookup_globs(struct lookup *l)
{
	uint32_t work = FM_GLOBSET_WORK, n;
	int found;

	if (l->ps->scan_missing || (l->known & FM_PATSET_SCANNED) == 0)
		work = UINT32_MAX;
	found = fm_globset_decide(l->ps->globs, l->subject,
	    l->candidates->words, l->crowded ? FM_GLOBSET_ALL : l->globs,
	    l->any, &work);
	if (found < 0) {
		l->tally->fallbacks++;
		l->known &= l->crowded ? ~FM_PATSET_SCANNED : ~0U;
		for (n = 0; n < l->ps->n && l->crowded; n++)
			if (fm_globset_has(l->ps->globs, n))
				lookup_add(l, n);
		return;
	}
	if (l->crowded)
		candidates_all(l->candidates, l->ps->n);
	l->known |= FM_PATSET_GLOBS | (work == 0 ? FM_PATSET_CROWDED : 0);
	l->hit = l->any && found > 0;
}

void
fm_lookup_start(struct lookup *l)
{
	size_t i;

	FM_OBJ_CHECK(l->ps, FM_PATSET_MAGIC);
	assert(l->tally != NULL);
	l->subject = fm_text_or_empty(l->subject);
	l->known = FM_PATSET_SCANNED;
	if (l->ps->tied != NULL)
		fm_tied_find(l->ps->tied, l->subject, lookup_tied_hit, l);
	l->alike = l->ps->dense;
	if (fm_patset_scans(l->ps) && !l->hit)
		lookup_scan(l);
	for (i = 0; i < l->ps->ntried && !l->hit; i++)
		lookup_add(l, l->ps->tried[i]);
	if (l->ps->scan_missing && !l->hit) {
		l->tally->fallbacks++;
		l->crowded = l->ps->globs_all && l->globs > l->ps->n / CROWD;
	}
	if ((l->crowded || l->globs >= FM_GLOBSET_PASS) && !l->hit &&
	    (l->candidates != NULL || lookup_room(l)))
		lookup_globs(l);
	if (l->hit || l->one_by_one)
		return;
	if ((l->known & FM_PATSET_SPENT) != 0)
		l->tally->unasked += lookup_missing(l, &l->ps->regexes);
	if ((l->known & FM_PATSET_CROWDED) != 0)
		l->tally->unasked += lookup_missing(l, &l->ps->others);
}
