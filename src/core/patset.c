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

#include "obj.h"
#include "patset_priv.h"
#include "thread.h"

/*
 * The candidates of one call, a bit each, and the words in use.  Per thread;
 * all bits are clear between calls.
 */
struct candidates {
	unsigned	magic;
#define CANDIDATES_MAGIC	0x25e7908d
	uint64_t	*words;
	size_t		cap;		/* in words */
	size_t		first, last;	/* in use, if first <= last */
};

static void
candidates_free(void *priv)
{
	struct candidates *c;

	FM_OBJ_CAST(c, priv, CANDIDATES_MAGIC);
	free(c->words);
	FM_OBJ_FREE(c);
}

static bool
candidates_grow(struct candidates *c, size_t cap)
{
	uint64_t *words;

	words = calloc(cap, sizeof *words);
	if (words == NULL)
		return (false);
	free(c->words);
	c->words = words;
	c->cap = cap;
	return (true);
}

/* With room for n patterns, and empty; NULL: no memory. */
static struct candidates *
candidates_get(size_t n)
{
	struct candidates *c;
	size_t cap = (n + 63) / 64;

	c = fm_thread_get(FM_THREAD_PATSET);
	if (c == NULL) {
		FM_OBJ_NEW(c, CANDIDATES_MAGIC);
		if (c == NULL)
			return (NULL);
		if (fm_thread_keep(FM_THREAD_PATSET, c, candidates_free)) {
			candidates_free(c);
			return (NULL);
		}
	}
	FM_OBJ_CHECK(c, CANDIDATES_MAGIC);
	if (c->cap < cap && !candidates_grow(c, cap))
		return (NULL);
	c->first = SIZE_MAX;
	c->last = 0;
	return (c);
}

static void
candidates_add(struct candidates *c, uint32_t n)
{
	size_t w = n / 64;

	c->words[w] |= 1ULL << (n % 64);
	if (w < c->first)
		c->first = w;
	if (w > c->last)
		c->last = w;
}

/* The lowest, which is taken out; FM_PATSET_NONE where there are no more. */
static uint32_t
candidates_take(struct candidates *c)
{
	unsigned bit;

	while (c->first <= c->last) {
		if (c->words[c->first] != 0) {
			bit = (unsigned)__builtin_ctzll(c->words[c->first]);
			c->words[c->first] &= c->words[c->first] - 1;
			return ((uint32_t)(c->first * 64 + bit));
		}
		c->first++;
	}
	return (FM_PATSET_NONE);
}

static void
candidates_clear(struct candidates *c)
{
	if (c->first <= c->last)
		memset(c->words + c->first, 0,
		    (c->last - c->first + 1) * sizeof *c->words);
}

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
	bool			one_by_one;	/* no memory for candidates */
};

/*
 * A pass over all globs costs less than to be told of each that is a candidate
 * where they are one in so many, or so many.
 */
#define CROWD		8
#define CROWD_MANY	32

static bool __attribute__((noinline))
lookup_room(struct lookup *l)
{
	if (l->one_by_one)
		return (false);
	l->candidates = candidates_get(l->ps->n);
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
	if (l->ps->globs != NULL)
		l->globs += fm_globset_cost(l->ps->globs, n);
}

/* Of the trie, or of the scan. */
static inline bool
lookup_hit(struct lookup *l, uint32_t n)
{
	if (l->any && l->ps->ways[n] == WAY_SCAN_SURE) {
		l->hit = true;
		return (true);
	}
	lookup_add(l, n);
	return (l->one_by_one);
}

static bool
lookup_trie_hit(void *priv, uint32_t n)
{
	return (lookup_hit(priv, n));
}

static bool
lookup_scan_hit(void *priv, uint32_t n)
{
	struct lookup *l = priv;
	unsigned i;

	if (n == l->ps->n) {
		l->alike = true;
		return (false);
	}
	if (lookup_hit(l, n))
		return (true);
	if (l->ps->scan_globs) {
		l->crowded = l->globs >= FM_GLOBSET_PASS &&
		    (l->globs > l->ps->n / CROWD || l->globs > CROWD_MANY);
		l->alike &= !l->crowded;
		return (l->crowded);
	}
	if (!l->ps->flood || ++l->hits < FM_PATSET_FLOOD)
		return (false);
	l->crowded = l->ps->globs_all;
	l->alike = true;
	for (i = 0; i < l->ps->nwhole; i++)
		lookup_add(l, l->ps->whole[i]);
	return (true);
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

	for (n = 0; n < l->ps->n; n++)
		if (l->ps->ways[n] == WAY_SCAN ||
		    l->ps->ways[n] == WAY_SCAN_SURE)
			lookup_add(l, n);
}

static void
lookup_scan(struct lookup *l)
{
	enum fm_scan_result result = FM_SCAN_DONE;

	if (l->ps->scan != NULL) {
		l->tally->scans++;
		result = fm_scan_run(l->ps->scan, l->subject, lookup_scan_hit,
		    l);
	}
	if (result == FM_SCAN_DONE && l->alike && !l->hit && !l->one_by_one)
		fm_alike_find(l->ps->alike, l->subject, lookup_trie_hit, l);
	if (result != FM_SCAN_DONE) {
		l->tally->fallbacks++;
		l->known = 0;
		lookup_add_scanned(l);
	}
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
		for (n = 0; n < l->ps->n && l->crowded; n++)
			if (fm_globset_cost(l->ps->globs, n) > 0)
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
	if (l->ps->scan_missing && !l->hit)
		l->tally->fallbacks++;
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
	if (l->ps->ways[n] == WAY_SCAN && scanned &&
	    fm_pattern_kind(l->ps->patterns[n]) == FM_PATTERN_REGEX &&
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
		candidates_clear(l->candidates);
}

unsigned
fm_patset_candidates(const struct fm_patset *ps, struct fm_text subject,
    uint64_t *bits, struct fm_tally *tally)
{
	struct candidates c = {
		.magic = CANDIDATES_MAGIC,
		.words = bits,
		.first = SIZE_MAX
	};
	struct lookup l = { .ps = ps, .subject = subject, .tally = tally,
	    .candidates = &c };

	assert(bits != NULL);
	lookup_start(&l);
	return (l.known);
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
