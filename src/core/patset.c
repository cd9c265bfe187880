/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which patterns of a set match: candidates first, then the patterns decide.
 *
 * A pattern has one of three ways to become a candidate:
 *
 *	tied	by hash: exact texts, and what a subject begins or ends with;
 *		a hit there needs no second opinion
 *	scan	Hyperscan looks for its literals, or for all of it; a trie for
 *		what is dense, and for all where there are too many hits
 *	tried	always a candidate: no engine knows better
 *
 * Every candidate is then tried alone, but for hits by hash, for a `contains`
 * of which a scan found all, and for globs where there are many: these are
 * decided in one pass, as soon as the candidates are known.  Where a scan comes
 * to no end, all that it covers are candidates.
 */

#include "lookup.h"
#include "obj.h"

static bool
lookup_decide(struct lookup *l, uint32_t n)
{
	bool scanned = (l->known & FM_PATSET_SCANNED) != 0;

	if (l->ps->ways[n] == WAY_TIED ||
	    (l->ps->ways[n] == WAY_SCAN_SURE && scanned))
		return (true);
	if ((l->known & FM_PATSET_GLOBS) != 0 &&
	    fm_globset_cost(l->ps->globs, n) > 0)
		return (true);
	if (l->ps->ways[n] == WAY_SCAN_REGEX && scanned &&
	    !fm_tally_scanned(l->tally, l->subject.len))
		return (false);
	return (fm_pattern_match(l->ps->patterns[n], l->subject, l->tally));
}

/* The next hit, not below `from`. */
static uint32_t
lookup_next(struct lookup *l, uint32_t from)
{
	uint32_t n = from;

	if (l->one_by_one) {
		while (n < l->ps->n && !fm_pattern_match(l->ps->patterns[n],
		    l->subject, l->tally))
			n++;
		return (n < l->ps->n ? n : FM_PATSET_NONE);
	}
	if (l->candidates == NULL)
		return (FM_PATSET_NONE);
	do {
		n = candidates_take(l->candidates);
	} while (n != FM_PATSET_NONE && !lookup_decide(l, n));
	return (n);
}

static void
lookup_end(struct lookup *l)
{
	if (l->candidates != NULL)
		fm_candidates_clear(l->candidates);
}

unsigned
fm_patset_candidates(const struct fm_patset *ps, struct fm_text subject,
    uint64_t *bits, struct fm_tally *tally)
{
	struct candidates c = CANDIDATES(bits);
	struct lookup l = { .ps = ps, .subject = subject, .tally = tally,
	    .candidates = &c };

	assert(bits != NULL);
	fm_lookup_start(&l);
	return (l.known);
}

void
fm_patset_missing(const struct fm_patset *ps, unsigned known,
    const uint64_t *bits, uint64_t *missing)
{
	const uint64_t *regexes, *others;
	size_t w;

	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	regexes = (known & FM_PATSET_SPENT) != 0 ? ps->regexes.bits : NULL;
	others = (known & FM_PATSET_CROWDED) != 0 ? ps->others.bits : NULL;
	for (w = 0; w < FM_PATSET_WORDS(ps->n); w++) {
		if (regexes != NULL)
			missing[w] |= regexes[w] & ~bits[w];
		if (others != NULL)
			missing[w] |= others[w] & ~bits[w];
	}
}

bool
fm_patset_is_much(const struct fm_patset *ps)
{
	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	return (ps->others.n > FM_PATSET_OTHERS ||
	    (ps->globs != NULL && fm_globset_is_much(ps->globs)));
}

bool
fm_patset_gives_up(const struct fm_patset *ps)
{
	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	return (ps->regexes.n > 0 || ps->tries_regexes ||
	    fm_patset_is_much(ps));
}

bool
fm_patset_is_found(const struct fm_patset *ps, uint32_t n, unsigned known)
{
	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	assert(n < ps->n);
	return (ps->ways[n] != WAY_TRIED && !ps->scan_missing &&
	    (known & FM_PATSET_SCANNED) != 0);
}

bool
fm_patset_tries(const struct fm_patset *ps, unsigned known)
{
	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	return (ps->ntried > 0 || ps->scan_missing ||
	    (known & FM_PATSET_SCANNED) == 0);
}

bool
fm_patset_decide(const struct fm_patset *ps, uint32_t n,
    struct fm_text subject, unsigned known, struct fm_tally *tally)
{
	struct lookup l = { .ps = ps, .subject = subject, .tally = tally,
	    .known = known };

	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	assert(n < ps->n);
	l.subject = fm_text_or_empty(l.subject);
	return (lookup_decide(&l, n));
}

bool
fm_patset_is_small(const struct fm_patset *ps)
{
	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	return (ps->small);
}

bool
fm_patset_scans(const struct fm_patset *ps)
{
	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	return (ps->scan != NULL || ps->dense);
}

/* The same, of a set that is small. */
static uint32_t
small_first(const struct fm_patset *ps, struct fm_text subject,
    struct fm_tally *tally)
{
	uint32_t n;

	for (n = 0; n < ps->n; n++)
		if (fm_pattern_match(ps->patterns[n], subject, tally))
			return (n);
	return (FM_PATSET_NONE);
}

bool
fm_patset_match(const struct fm_patset *ps, struct fm_text subject,
    struct fm_tally *tally)
{
	struct lookup l = { .ps = ps, .subject = subject, .tally = tally,
	    .any = true };

	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	if (ps->small)
		return (small_first(ps, subject, tally) != FM_PATSET_NONE);
	fm_lookup_start(&l);
	if (!l.hit)
		l.hit = lookup_next(&l, 0) != FM_PATSET_NONE;
	lookup_end(&l);
	return (l.hit);
}

static bool
tied_least(void *priv, uint32_t n)
{
	uint32_t *least = priv;

	if (n < *least)
		*least = n;
	return (false);
}

/* The same, of a set that has nothing else. */
static uint32_t
tied_first(const struct fm_patset *ps, struct fm_text subject)
{
	uint32_t least = FM_PATSET_NONE;

	fm_tied_find(ps->tied, fm_text_or_empty(subject), tied_least, &least);
	return (least);
}

uint32_t
fm_patset_first(const struct fm_patset *ps, struct fm_text subject,
    struct fm_tally *tally)
{
	struct lookup l = { .ps = ps, .subject = subject, .tally = tally };
	uint32_t n;

	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	if (ps->small)
		return (small_first(ps, subject, tally));
	if (ps->tied != NULL && !fm_patset_scans(ps) && ps->ntried == 0)
		return (tied_first(ps, subject));
	fm_lookup_start(&l);
	n = lookup_next(&l, 0);
	lookup_end(&l);
	return (n);
}

size_t
fm_patset_all(const struct fm_patset *ps, struct fm_text subject,
    uint32_t *numbers, size_t cap, struct fm_tally *tally)
{
	struct lookup l = { .ps = ps, .subject = subject, .tally = tally };
	size_t count = 0;
	uint32_t n;

	fm_lookup_start(&l);
	for (n = lookup_next(&l, 0); n != FM_PATSET_NONE;
	    n = lookup_next(&l, n + 1)) {
		if (count < cap)
			numbers[count] = n;
		count++;
	}
	lookup_end(&l);
	return (count);
}
