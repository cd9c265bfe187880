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

#include "candidates.h"
#include "obj.h"
#include "patset_priv.h"

/* One call of match, first or all. */
struct lookup {
	const struct fm_patset	*ps;
	struct fm_text		subject;
	struct fm_tally		*tally;
	struct candidates	*candidates;	/* NULL: none so far */
	bool			any;	/* one sure hit is enough */
	bool			hit;	/* and here it is */
	unsigned		known;		/* FM_PATSET_* */
	uint32_t		globs;		/* what it takes to try the
						 * candidates in ps->globs */
	bool			crowded;	/* so many that all may be */
	bool			alike;		/* the trie knows more */
	unsigned		hits;		/* of the scan */
	bool			flooded;	/* too many: given up */
	size_t			regexes;	/* candidates of the scan, */
	size_t			most;		/* of so many */
	bool			one_by_one;	/* no memory for candidates */
};

/*
 * A pass over all globs costs less than to be told of each that is a candidate
 * where they are one in so many.
 */
#define CROWD		8

/* What a pass over a flood takes, of one of a regex. */
#define FLOOD_ALIKE	1
#define FLOOD_GLOBS	3

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
	candidates_add(l->candidates, n);
	if (l->ps->globs != NULL && !l->crowded)
		l->globs += fm_globset_cost(l->ps->globs, n);
}

/* How many regexes it is told of. */
static size_t
lookup_most(const struct lookup *l)
{
	size_t most = fm_tally_most(l->tally, l->subject.len);

	return (most > FM_PATSET_REGEXES ? most : FM_PATSET_REGEXES);
}

/* Whether one more regex is to be told of. */
static bool
lookup_regex(struct lookup *l, uint32_t n)
{
	if (l->candidates != NULL && candidates_has(l->candidates, n))
		return (true);
	if (l->regexes < l->most) {
		l->regexes++;
		return (true);
	}
	l->known |= FM_PATSET_SPENT;
	return (false);
}

/* Of regexes no more is to be told, and there is nothing else. */
static inline bool
lookup_is_spent(const struct lookup *l)
{
	return (l->flooded && l->ps->only_regexes &&
	    (l->known & FM_PATSET_SPENT) != 0);
}

/* Of the trie, or of the scan. */
static inline bool
lookup_hit(struct lookup *l, uint32_t n)
{
	if (l->any && l->ps->ways[n] == WAY_SCAN_SURE) {
		l->hit = true;
		return (true);
	}
	if (l->ps->ways[n] == WAY_SCAN_REGEX && !lookup_regex(l, n))
		return (lookup_is_spent(l));
	lookup_add(l, n);
	return (l->one_by_one);
}

static bool
lookup_each_hit(void *priv, uint32_t n)
{
	return (lookup_hit(priv, n));
}

static bool
lookup_scan_hit(void *priv, uint32_t n)
{
	struct lookup *l = priv;

	if (n == l->ps->n) {
		l->alike = true;
		return (false);
	}
	if (lookup_hit(l, n))
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
	if (l->ps->regexes != NULL &&
	    fm_tally_scanned_out(l->tally))
		l->known |= FM_PATSET_SPENT;
}

/* What a scan doesn't know, or was given up for. */
static enum fm_scan_result
lookup_beside(struct lookup *l)
{
	enum fm_scan_result result = FM_SCAN_DONE;

	if (l->flooded)
		lookup_flood(l);
	if ((l->ps->scan_globs && l->crowded) || lookup_is_spent(l))
		return (result);
	if (l->alike || (l->flooded && l->ps->alike != NULL))
		fm_alike_find(l->ps->alike, l->subject, lookup_each_hit, l);
	if (l->flooded && l->ps->whole != NULL && !l->hit && !l->one_by_one &&
	    !lookup_is_spent(l))
		result = lookup_run(l, l->ps->whole, lookup_each_hit);
	return (result);
}

static void
lookup_scan(struct lookup *l)
{
	enum fm_scan_result result = FM_SCAN_DONE;

	if (l->ps->regexes != NULL) {
		fm_tally_earn(l->tally, l->subject.len);
		l->most = lookup_most(l);
	}
	if (l->ps->scan != NULL)
		result = lookup_run(l, l->ps->scan, lookup_scan_hit);
	if (result == FM_SCAN_DONE && !l->hit && !l->one_by_one)
		result = lookup_beside(l);
	if (result != FM_SCAN_DONE) {
		l->tally->fallbacks++;
		lookup_add_scanned(l);
	}
	if ((l->known & FM_PATSET_SPENT) != 0 && !l->hit)
		l->tally->unasked += l->ps->nregexes - (unsigned)l->regexes;
}

/* One pass for many globs; without memory for it each is tried. */
static void
lookup_globs(struct lookup *l)
{
	uint32_t n;
	int found;

	found = fm_globset_decide(l->ps->globs, l->subject,
	    l->candidates->words, l->crowded ? FM_GLOBSET_ALL : l->globs,
	    l->any);
	if (found < 0) {
		l->tally->fallbacks++;
		l->known &= l->crowded ? ~FM_PATSET_SCANNED : ~0U;
		for (n = 0; n < l->ps->n && l->crowded; n++)
			if (fm_globset_has(l->ps->globs, n))
				lookup_add(l, n);
		return;
	}
	if (l->crowded) {
		l->candidates->first = 0;
		l->candidates->last = (l->ps->n - 1) / 64;
	}
	l->known |= FM_PATSET_GLOBS;
	l->hit = l->any && found > 0;
}

/* Finds the candidates; with `any` it may find a sure hit before that. */
static void
lookup_start(struct lookup *l)
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
	    !l->one_by_one)
		lookup_globs(l);
}

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
	lookup_start(&l);
	return (l.known);
}

void
fm_patset_missing(const struct fm_patset *ps, const uint64_t *bits,
    uint64_t *missing)
{
	size_t w;

	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	for (w = 0; ps->regexes != NULL && w < FM_PATSET_WORDS(ps->n); w++)
		missing[w] |= ps->regexes[w] & ~bits[w];
}

bool
fm_patset_has_regexes(const struct fm_patset *ps)
{
	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	return (ps->regexes != NULL || ps->tries_regexes);
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
	lookup_start(&l);
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
	lookup_start(&l);
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

	lookup_start(&l);
	for (n = lookup_next(&l, 0); n != FM_PATSET_NONE;
	    n = lookup_next(&l, n + 1)) {
		if (count < cap)
			numbers[count] = n;
		count++;
	}
	lookup_end(&l);
	return (count);
}
