/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What is scanned for, so that a pattern is never missed.
 */

#include "effort.h"
#include "glob.h"
#include "literals.h"
#include "obj.h"
#include "patset_priv.h"

/*
 * Hyperscan takes no expression of any length; the first bytes of a literal
 * are as good a candidate.
 */
#define LITERAL_MAX	128

/*
 * A hit costs Hyperscan as much as a hundred bytes, and that of a long text
 * half as much again.  A client can write `//` at each byte, `abab` at every
 * other one, `../../../` at every third; so a few of such are tried, which is
 * a pass over the subject, and where there are more, a trie finds them.
 */
#define DENSE_END	8	/* bytes, by which a long one is found */
#define DENSE_TURN(len)	((len) > DENSE_END ? 4U : 2U)
#define DENSE_MOST	8
#define DENSE_NOCASE	3	/* what a text without case is of these, */
#define DENSE_SEARCHED	4	/* and a glob or a regex */

#define COMMON_MOST	8	/* globs and regexes with the same literal */
#define COMMON_ROUNDS	4

/* What a scan must look for so that it never misses this glob or regex. */
static enum fm_literals_result
way_literals(const struct fm_pattern *p, const struct fm_common *common,
    struct fm_literals *lits)
{
	if (fm_pattern_kind(p) == FM_PATTERN_GLOB)
		return (fm_literals_of_glob(fm_pattern_text(p),
		    fm_pattern_nocase(p), common, lits));
	if (fm_pattern_may_be_empty(p))
		return (FM_LITERALS_UNKNOWN);
	return (fm_literals_of_regex(fm_pattern_text(p), fm_pattern_nocase(p),
	    common, lits));
}

/* One byte, or a few in turn, again and again. */
static bool
text_repeats(struct fm_text t, size_t most)
{
	size_t turn;

	for (turn = 1; turn <= most && turn < t.len; turn++)
		if (memcmp(t.b, t.b + turn, t.len - turn) == 0)
			return (true);
	return (false);
}

/* What is scanned for, or its end, by which it is found. */
static bool
text_is_dense(struct fm_text t, bool nocase)
{
	char lower[LITERAL_MAX];

	if (t.len > LITERAL_MAX)
		t.len = LITERAL_MAX;
	if (nocase) {
		fm_text_lower(lower, t);
		t.b = lower;
	}
	return (text_repeats(t, DENSE_TURN(t.len)) || (t.len > DENSE_END &&
	    text_repeats(fm_text(t.b + t.len - DENSE_END, DENSE_END), 2)));
}

static bool
search_is_dense(struct fm_patset_search *s, bool dense, unsigned cost)
{
	if (!dense || s->dense + cost > DENSE_MOST)
		return (false);
	s->dense += cost;
	return (true);
}

/* Where there are too many hits a pass for all globs may decide these. */
static int
search_literal(struct fm_patset_search *s, struct fm_text t, bool nocase,
    enum fm_patset_way way, uint32_t n)
{
	enum fm_alike_use use = FM_ALIKE_ANY;

	if (t.len > LITERAL_MAX)
		t.len = LITERAL_MAX;
	if (text_is_dense(t, nocase) || !fm_effort_take(FM_EFFORT_LITERAL))
		use = FM_ALIKE_DENSE;
	else if (s->globs != NULL && fm_globset_is_spread(s->globs) &&
	    fm_globset_has(s->globs, n))
		use = FM_ALIKE_SCAN;
	return (fm_alike_add(s->literals, t, nocase, use, way, n));
}

static bool
any_is_dense(const struct fm_literals *lits)
{
	unsigned i;

	for (i = 0; i < lits->n; i++)
		if (text_is_dense(lits->literals[i].text,
		    lits->literals[i].nocase))
			return (true);
	return (false);
}

static int
search_literals(struct fm_patset_search *s, const struct fm_literals *lits,
    enum fm_patset_way way, uint32_t n)
{
	unsigned i;
	int bad = 0;

	for (i = 0; i < lits->n; i++)
		bad |= search_literal(s, lits->literals[i].text,
		    lits->literals[i].nocase, way, n);
	return (bad);
}

/* Whether the scan finds all that it is. */
static bool
way_is_sure(const struct fm_pattern *p)
{
	struct fm_text t = fm_pattern_text(p);

	return ((fm_pattern_kind(p) == FM_PATTERN_CONTAINS ||
	    (fm_pattern_kind(p) == FM_PATTERN_GLOB &&
	    fm_glob_contains(t, &t))) && t.len <= LITERAL_MAX);
}

static int
search_whole(struct fm_patset_search *s, const struct fm_pattern *p,
    uint32_t n)
{
	const char *regex = fm_pattern_text(p).b;
	bool nocase = fm_pattern_nocase(p);

	return (fm_scan_build_prefilter(s->sb, regex, nocase, n) |
	    fm_scan_build_prefilter(s->whole, regex, nocase, n));
}

/* A glob or a regex. */
static int
way_searched(struct fm_patset_search *s, const struct fm_pattern *p, uint32_t n,
    unsigned char *way)
{
	struct fm_literals lits;
	int bad = 0;

	*way = way_is_sure(p) ? WAY_SCAN_SURE :
	    fm_pattern_kind(p) == FM_PATTERN_REGEX ? WAY_SCAN_REGEX : WAY_SCAN;
	switch (way_literals(p, s->common, &lits)) {
	case FM_LITERALS_FOUND:
		if (search_is_dense(s, any_is_dense(&lits), DENSE_SEARCHED))
			*way = WAY_TRIED;
		else
			bad = search_literals(s, &lits,
			    (enum fm_patset_way)*way, n);
		fm_literals_free(&lits);
		return (bad);
	case FM_LITERALS_NONE:
		if (fm_pattern_kind(p) == FM_PATTERN_REGEX)
			return (search_whole(s, p, n));
		/* FALLTHROUGH */
	case FM_LITERALS_UNKNOWN:
		*way = WAY_TRIED;
		return (0);
	case FM_LITERALS_NO_MEMORY:
		break;
	}
	return (-1);
}

int
fm_patset_way(struct fm_patset_search *s, const struct fm_pattern *p,
    uint32_t n, unsigned char *way)
{
	struct fm_text t = fm_pattern_text(p);
	bool nocase = fm_pattern_nocase(p);
	unsigned cost = 0;		/* where one knows where to look */

	switch (fm_pattern_kind(p)) {
	case FM_PATTERN_CONTAINS:
		cost = nocase && fm_text_has_letters(t) ? DENSE_NOCASE : 1;
		/* FALLTHROUGH */
	case FM_PATTERN_EXACT:
	case FM_PATTERN_PREFIX:
	case FM_PATTERN_SUFFIX:
		if (search_is_dense(s, text_is_dense(t, nocase), cost)) {
			*way = WAY_TRIED;
			return (0);
		}
		*way = way_is_sure(p) ? WAY_SCAN_SURE : WAY_SCAN;
		return (search_literal(s, t, nocase,
		    (enum fm_patset_way)*way, n));
	case FM_PATTERN_GLOB:
	case FM_PATTERN_REGEX:
		break;
	}
	return (way_searched(s, p, n, way));
}

static bool
kind_is_searched(enum fm_pattern_kind kind)
{
	return (kind == FM_PATTERN_GLOB || kind == FM_PATTERN_REGEX);
}

/* What the globs and the regexes have for their literals. */
static int
common_count(struct fm_common *common, const struct fm_patset *ps)
{
	struct fm_literals lits;
	uint32_t i;
	unsigned k;
	int bad = 0;

	for (i = 0; i < ps->n && bad == 0; i++) {
		if (!kind_is_searched(fm_pattern_kind(ps->patterns[i])) ||
		    way_literals(ps->patterns[i], common, &lits) !=
		    FM_LITERALS_FOUND)
			continue;
		for (k = 0; k < lits.n && bad == 0; k++)
			bad = fm_common_add(common, lits.literals[k].text);
		fm_literals_free(&lits);
	}
	return (bad);
}

/*
 * `Android.*SM-G9` and many like it are looked for by what isn't Android: else
 * a telephone's header had all of them for candidates.  What is looked for
 * instead may be common, too.
 */
int
fm_patset_common(struct fm_common *common, const struct fm_patset *ps)
{
	int round, more = 1;

	for (round = 0; round < COMMON_ROUNDS && more > 0; round++) {
		if (common_count(common, ps) != 0)
			return (-1);
		more = fm_common_mark(common, COMMON_MOST);
	}
	return (more < 0 ? -1 : 0);
}
