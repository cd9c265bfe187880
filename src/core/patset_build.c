/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes a set of patterns, and chooses a way for each:
 *
 *	exact				by hash
 *	prefix, suffix			by hash; or, where there are few of
 *					them, with the others: a scan for the
 *					text, then memcmp
 *	contains, `*text*`		a scan decides (up to LITERAL_MAX bytes)
 *	glob, regex with literals	a scan for these, then the pattern
 *	regex without			a scan for all of it as a prefilter,
 *					then PCRE2
 *	any other			tried each time
 *
 * A single pattern is tried, there is nothing to win by a scan; and so are a
 * few texts, for which a scan would touch more memory than it saves time.
 * Of several literals one is taken that few others have (common.h).  Literals
 * that end alike have a trie, for subjects with that end, and so have many that
 * are a byte or a few again and again (alike.h).
 * Where there are many globs, they have a set of their own (globset.h), for
 * subjects of which many are candidates.
 */

#include "effort.h"
#include "grow.h"
#include "obj.h"
#include "patset_priv.h"

#define SCAN_COST	12

struct fm_patset_builder {
	unsigned		magic;
#define FM_PATSET_BUILDER_MAGIC	0x0d4b7716
	struct fm_pattern	**patterns;
	size_t			n, cap;
};

struct fm_patset_builder *
fm_patset_build_new(void)
{
	struct fm_patset_builder *b;

	FM_OBJ_NEW(b, FM_PATSET_BUILDER_MAGIC);
	return (b);
}

void
fm_patset_build_free(struct fm_patset_builder **bp)
{
	struct fm_patset_builder *b;

	FM_OBJ_TAKE(b, bp, FM_PATSET_BUILDER_MAGIC);
	while (b->n > 0)
		fm_pattern_free(&b->patterns[--b->n]);
	free(b->patterns);
	FM_OBJ_FREE(b);
}

int
fm_patset_build_add(struct fm_patset_builder *b, struct fm_pattern **pp)
{
	struct fm_pattern **patterns = NULL;

	FM_OBJ_CHECK(b, FM_PATSET_BUILDER_MAGIC);
	assert(pp != NULL && *pp != NULL);
	if (b->n < FM_PATSET_NONE)
		patterns = fm_grow_room(b->patterns, &b->cap, b->n, 1,
		    sizeof *patterns);
	if (patterns == NULL) {
		fm_pattern_free(pp);
		return (-1);
	}
	b->patterns = patterns;
	b->patterns[b->n++] = *pp;
	*pp = NULL;
	return (0);
}

size_t
fm_patset_build_count(const struct fm_patset_builder *b)
{
	FM_OBJ_CHECK(b, FM_PATSET_BUILDER_MAGIC);
	return (b->n);
}

static void
patset_refused(void *priv, uint32_t n)
{
	struct fm_patset *ps = priv;

	ps->ways[n] = WAY_TRIED;
}

static bool
way_is_scan(enum fm_patset_way way)
{
	return (way == WAY_SCAN || way == WAY_SCAN_SURE ||
	    way == WAY_SCAN_REGEX);
}

/* What it takes to try a pattern, of SCAN_COST that a scan takes. */
static uint32_t
way_cost(const struct fm_pattern *p)
{
	switch (fm_pattern_kind(p)) {
	case FM_PATTERN_PREFIX:
	case FM_PATTERN_SUFFIX:
		return (1);
	case FM_PATTERN_CONTAINS:
		return (fm_pattern_nocase(p) ? SCAN_COST : 3);
	case FM_PATTERN_EXACT:
	case FM_PATTERN_GLOB:
		return (SCAN_COST);
	case FM_PATTERN_REGEX:
		break;
	}
	/* It may be over its limit, so its set is never small. */
	return (SCAN_COST + 1);
}

/* A few texts, none of them exact. */
static bool
patset_is_small(const struct fm_patset *ps)
{
	uint32_t i, cost = 0;

	for (i = 0; i < ps->n && cost <= SCAN_COST; i++) {
		if (fm_pattern_kind(ps->patterns[i]) == FM_PATTERN_EXACT)
			return (false);
		cost += way_cost(ps->patterns[i]);
	}
	return (cost <= SCAN_COST);
}

/* Whether a scan pays. */
static bool
patset_is_large(const struct fm_patset *ps)
{
	uint32_t i, scanned = 0, cost = 0;

	for (i = 0; i < ps->n && (scanned < 2 || cost <= SCAN_COST); i++)
		if (way_is_scan(ps->ways[i])) {
			scanned++;
			cost += way_cost(ps->patterns[i]);
		}
	return (scanned > 1 && cost > SCAN_COST);
}

struct flood {
	struct fm_patset	*ps;
	size_t			left;		/* that are not refused */
};

static void
flood_refused(void *priv, uint32_t n)
{
	struct flood *f = priv;

	patset_refused(f->ps, n);
	f->left--;
}

/*
 * What takes the place of the scan where there are too many hits: tries have
 * its literals, and another scan has what is without.
 */
static void
patset_flood(struct fm_patset *ps, const struct fm_scan_builder *whole)
{
	struct flood f = { ps, fm_scan_build_count(whole) };

	if (f.left == 0)
		return;
	ps->whole = fm_scan_build(whole, flood_refused, &f);
	ps->flood = ps->whole != NULL || f.left == 0;
}

/* The scan, unless all is dense; false: none. */
static bool
patset_scan_large(struct fm_patset *ps, struct fm_patset_search *s, int *bad)
{
	bool left = false;

	*bad = fm_alike_scan(s->literals, s->sb, ps->n, &left);
	if (*bad != 0)
		return (false);
	ps->flood = true;
	if (fm_scan_build_count(s->sb) > 0) {
		ps->scan = fm_scan_build(s->sb, patset_refused, ps);
		if (ps->scan == NULL)
			return (false);
	}
	if (left) {
		ps->alike = s->literals;
		ps->dense = fm_alike_is_dense(ps->alike);
		s->literals = NULL;
	}
	patset_flood(ps, s->whole);
	return (true);
}

/* Without a scan each pattern that it was for is tried. */
static int
patset_scan(struct fm_patset *ps, struct fm_patset_search *s)
{
	bool large = patset_is_large(ps);
	uint32_t i;
	int bad = 0;

	if (large && patset_scan_large(ps, s, &bad))
		return (0);
	for (i = 0; i < ps->n; i++) {
		if (!way_is_scan(ps->ways[i]))
			continue;
		ps->ways[i] = WAY_TRIED;
		ps->scan_missing = large;
	}
	return (bad);
}

/*
 * What goes by hash, of those that may.  To look up a few prefixes and suffixes
 * touches more memory than to scan for them with what is scanned for anyway.
 */
static int
patset_tied(struct fm_patset *ps, uint32_t ends)
{
	return (fm_tied_new(ps->patterns, ps->n, !ps->small &&
	    (ends > SCAN_COST || !patset_is_large(ps)), &ps->tied));
}

static bool
kind_is_tied(enum fm_pattern_kind kind)
{
	return (kind == FM_PATTERN_EXACT || kind == FM_PATTERN_PREFIX ||
	    kind == FM_PATTERN_SUFFIX);
}

static int
patset_ways(struct fm_patset *ps, struct fm_patset_search *s)
{
	enum fm_pattern_kind kind;
	uint32_t i, ends = 0;
	int bad = 0;

	for (i = 0; i < ps->n && bad == 0; i++) {
		kind = fm_pattern_kind(ps->patterns[i]);
		ps->ways[i] = WAY_TIED;
		if (!kind_is_tied(kind))
			bad = fm_patset_way(s, ps->patterns[i], i,
			    &ps->ways[i]);
		else
			ends += kind != FM_PATTERN_EXACT;
	}
	if (bad == 0)
		bad = patset_tied(ps, ends);
	for (i = 0; i < ps->n && bad == 0; i++)
		if (ps->ways[i] == WAY_TIED && (ps->tied == NULL ||
		    !fm_tied_has(ps->tied, ps->patterns[i])))
			bad = fm_patset_way(s, ps->patterns[i], i,
			    &ps->ways[i]);
	return (bad);
}

/* Whether a pass for all globs decides all that is scanned for. */
static bool
patset_scans_globs(const struct fm_patset *ps)
{
	uint32_t i;

	for (i = 0; i < ps->n && ps->globs_all; i++)
		if (way_is_scan(ps->ways[i]) && !fm_globset_has(ps->globs, i))
			return (false);
	return (ps->globs_all);
}

/* One more.  0, or -1. */
static int
kind_add(const struct fm_patset *ps, struct fm_patset_kind *kind, uint32_t i)
{
	if (kind->bits == NULL)
		kind->bits = calloc(FM_PATSET_WORDS(ps->n), sizeof *kind->bits);
	if (kind->bits == NULL)
		return (-1);
	kind->bits[i / 64] |= 1ULL << i % 64;
	kind->n++;
	kind->told += ps->ways[i] != WAY_TRIED &&
	    !(ps->globs_all && fm_globset_has(ps->globs, i));
	return (0);
}

/* A pass for globs may leave it undecided: it is scanned for, or is tried. */
static bool
patset_may_miss(const struct fm_patset *ps, uint32_t i)
{
	return (ps->ways[i] == WAY_SCAN || (ps->globs != NULL &&
	    fm_globset_cost(ps->globs, i) > 0));
}

/* Which are scanned for, by what may be left out.  0, or -1. */
static int
patset_kinds(struct fm_patset *ps)
{
	uint32_t i;
	int bad = 0;

	for (i = 0; i < ps->n && bad == 0; i++)
		if (ps->ways[i] == WAY_SCAN_REGEX)
			bad = kind_add(ps, &ps->regexes, i);
		else if (patset_may_miss(ps, i))
			bad = kind_add(ps, &ps->others, i);
		else if (ps->ways[i] == WAY_SCAN_SURE)
			ps->sure += !(ps->globs_all &&
			    fm_globset_has(ps->globs, i));
		else if (fm_pattern_kind(ps->patterns[i]) == FM_PATTERN_REGEX)
			ps->tries_regexes = true;
	return (bad);
}

static int
patset_engines(struct fm_patset *ps)
{
	struct fm_patset_search s = { fm_scan_build_new(), fm_alike_new(),
	    fm_common_new(), NULL, fm_scan_build_new(), 0 };
	uint32_t i;
	int bad = -1;

	fm_effort_begin();
	ps->small = patset_is_small(ps);
	if (!ps->small)
		(void)fm_effort_take(FM_EFFORT_DATABASE);
	if (s.sb != NULL && s.literals != NULL && s.common != NULL &&
	    s.whole != NULL)
		bad = fm_patset_common(s.common, ps);
	if (bad == 0)
		bad = fm_globset_new(ps->patterns, ps->n, &ps->globs);
	s.globs = ps->globs;
	ps->globs_all = ps->globs != NULL && fm_globset_is_spread(ps->globs);
	if (bad == 0)
		bad = patset_ways(ps, &s);
	if (bad == 0)
		bad = patset_scan(ps, &s);
	if (bad == 0)
		bad = patset_kinds(ps);
	ps->scan_globs = patset_scans_globs(ps);
	if (s.sb != NULL)
		fm_scan_build_free(&s.sb);
	if (s.whole != NULL)
		fm_scan_build_free(&s.whole);
	if (s.literals != NULL)
		fm_alike_free(&s.literals);
	if (s.common != NULL)
		fm_common_free(&s.common);
	fm_effort_end();
	for (i = 0; i < ps->n && bad == 0; i++)
		if (ps->ways[i] == WAY_TRIED)
			ps->tried[ps->ntried++] = i;
	assert(bad != 0 || !ps->small || ps->ntried == ps->n);
	return (bad);
}

struct fm_patset *
fm_patset_build(struct fm_patset_builder **bp, struct fm_diag *diag)
{
	struct fm_patset_builder *b;
	struct fm_patset *ps;

	FM_OBJ_TAKE(b, bp, FM_PATSET_BUILDER_MAGIC);
	FM_OBJ_NEW(ps, FM_PATSET_MAGIC);
	if (ps != NULL) {
		ps->n = (uint32_t)b->n;
		ps->patterns = b->patterns;
		b->patterns = NULL;
		b->n = 0;
		ps->ways = calloc(ps->n + 1, sizeof *ps->ways);
		ps->tried = calloc(ps->n + 1, sizeof *ps->tried);
		if (ps->ways == NULL || ps->tried == NULL ||
		    patset_engines(ps) != 0)
			fm_patset_free(&ps);
	}
	if (ps == NULL)
		fm_diag_error(diag, NULL, "out of memory");
	fm_patset_build_free(&b);
	return (ps);
}

void
fm_patset_free(struct fm_patset **psp)
{
	struct fm_patset *ps;

	FM_OBJ_TAKE(ps, psp, FM_PATSET_MAGIC);
	if (ps->tied != NULL)
		fm_tied_free(&ps->tied);
	if (ps->scan != NULL)
		fm_scan_free(&ps->scan);
	if (ps->whole != NULL)
		fm_scan_free(&ps->whole);
	if (ps->alike != NULL)
		fm_alike_free(&ps->alike);
	if (ps->globs != NULL)
		fm_globset_free(&ps->globs);
	while (ps->n > 0)
		fm_pattern_free(&ps->patterns[--ps->n]);
	free(ps->patterns);
	free(ps->ways);
	free(ps->tried);
	free(ps->regexes.bits);
	free(ps->others.bits);
	FM_OBJ_FREE(ps);
}

size_t
fm_patset_count(const struct fm_patset *ps)
{
	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	return (ps->n);
}

const struct fm_pattern *
fm_patset_pattern(const struct fm_patset *ps, uint32_t n)
{
	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	assert(n < ps->n);
	return (ps->patterns[n]);
}

size_t
fm_patset_bytes(const struct fm_patset *ps)
{
	size_t bytes;
	uint32_t i;

	FM_OBJ_CHECK(ps, FM_PATSET_MAGIC);
	bytes = sizeof *ps + ps->n * (sizeof *ps->patterns +
	    sizeof *ps->ways + sizeof *ps->tried);
	for (i = 0; i < ps->n; i++)
		bytes += fm_pattern_bytes(ps->patterns[i]);
	if (ps->tied != NULL)
		bytes += fm_tied_bytes(ps->tied);
	if (ps->scan != NULL)
		bytes += fm_scan_bytes(ps->scan);
	if (ps->whole != NULL)
		bytes += fm_scan_bytes(ps->whole);
	if (ps->regexes.n > 0)
		bytes += FM_PATSET_WORDS(ps->n) * sizeof *ps->regexes.bits;
	if (ps->others.n > 0)
		bytes += FM_PATSET_WORDS(ps->n) * sizeof *ps->others.bits;
	if (ps->alike != NULL)
		bytes += fm_alike_bytes(ps->alike);
	if (ps->globs != NULL)
		bytes += fm_globset_bytes(ps->globs);
	return (bytes);
}
