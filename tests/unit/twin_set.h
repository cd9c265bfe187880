/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compares a set of patterns with its twin (twin.h), which tries one pattern
 * after the other: asks both every question about a subject.  The unit tests
 * and the fuzzers use this.
 */

#ifndef TWIN_SET_H
#define TWIN_SET_H

#include <stdio.h>

#include "patset.h"
#include "twin_pattern.h"

/* Prints a difference, and aborts. */
#define TWIN_CHECK(is, ...)						\
	do {								\
		if (!(is)) {						\
			fprintf(stderr, __VA_ARGS__);			\
			fputc('\n', stderr);				\
			abort();					\
		}							\
	} while (0)

/* Returns a text in printable form, cut if it is long. */
static inline const char *
twin_show(struct fm_text t, char buf[1000])
{
	char *p = buf;
	size_t i;

	*p = '\0';
	for (i = 0; i < t.len && p < buf + 990; i++)
		p += sprintf(p, t.b[i] >= ' ' && t.b[i] < 0x7f ? "%c" :
		    "\\x%02x", (unsigned char)t.b[i]);
	return (buf);
}

struct twin_set {
	struct fm_patset	*ps;
	struct twin_pattern	*twins;
	enum twin_answer	*want;		/* the twin's answers */
	uint32_t		*numbers;	/* the set's matches */
	uint64_t		*bits;
	unsigned		n;
	/* Sums over all subjects: */
	unsigned long		pairs, hits;
	unsigned long		open;	/* pairs without an answer */
	struct fm_tally		tally;	/* for all matches of a subject */
};

static inline void
twin_set_init(struct twin_set *set)
{
	memset(set, 0, sizeof *set);
	set->ps = fm_patset_new();
	TWIN_CHECK(set->ps != NULL, "no memory");
}

static inline void
twin_set_fini(struct twin_set *set)
{
	while (set->n > 0)
		twin_pattern_fini(&set->twins[--set->n]);
	fm_patset_free(&set->ps);
	free(set->twins);
	free(set->want);
	free(set->numbers);
	free(set->bits);
}

/*
 * Adds a pattern, whose text must outlive the set.  Returns false if there is
 * no such pattern; the twin and fm_pattern_new() agree about that.
 */
static inline bool
twin_set_add(struct twin_set *set, enum fm_pattern_kind kind, bool nocase,
    struct fm_text text)
{
	static const struct fm_place place = { .name = "twin" };
	struct twin_pattern twin = { .kind = kind, .nocase = nocase,
	    .text = text };
	struct fm_diag *diag = fm_diag_new();
	struct fm_pattern *pattern;
	bool is = twin_pattern_init(&twin);

	pattern = fm_pattern_new(kind, text, nocase, &place, diag);
	TWIN_CHECK((pattern != NULL) == is && fm_diag_errors(diag) == !is,
	    "\"%.*s\" is %s", (int)text.len, text.b,
	    is ? "refused" : "taken");
	fm_diag_free(&diag);
	if (!is)
		return (false);
	TWIN_CHECK(fm_patset_add(set->ps, &pattern) == 0 && pattern == NULL,
	    "not added");
	set->twins = reallocarray(set->twins, set->n + 1, sizeof twin);
	TWIN_CHECK(set->twins != NULL, "no memory");
	set->twins[set->n++] = twin;
	return (true);
}

static inline void
twin_set_make(struct twin_set *set)
{
	TWIN_CHECK(fm_patset_make(set->ps, NULL, NULL) == 0 &&
	    fm_patset_count(set->ps) == set->n, "no set");
	set->want = calloc(set->n + 1, sizeof *set->want);
	set->numbers = calloc(set->n + 1, sizeof *set->numbers);
	set->bits = calloc(FM_PATSET_WORDS(set->n) + 1, sizeof *set->bits);
	TWIN_CHECK(set->want != NULL && set->numbers != NULL &&
	    set->bits != NULL, "no memory");
}

static inline bool
twin_set_bit(const struct twin_set *set, unsigned i)
{
	return ((set->bits[i / 64] & 1ULL << i % 64) != 0);
}

/*
 * Compares one answer.  A match that the set doesn't tell must be one that
 * PCRE2 gave up on; returns true for it.
 */
static inline bool
twin_set_compare(const struct twin_set *set, unsigned i, struct fm_text s,
    bool hit, const char *how)
{
	const struct twin_pattern *twin = &set->twins[i];
	enum twin_answer want = set->want[i];
	bool open = want == TWIN_YES && !hit;
	char text[1000], subject[1000];

	TWIN_CHECK((!open || twin->kind == FM_PATTERN_REGEX) &&
	    (!hit || want != TWIN_NO), "pattern %u, kind %d%s \"%s\" over "
	    "\"%s\": %s by %s", i, (int)twin->kind,
	    twin->nocase ? ", nocase" : "", twin_show(twin->text, text),
	    twin_show(s, subject), hit ? "a match" : "none", how);
	return (open);
}

/* Asks for all matches, the first, and yes or no; returns how many match. */
static inline size_t
twin_set_ask(struct twin_set *set, struct fm_text s)
{
	struct fm_tally tally = { 0 }, again = { 0 };
	unsigned i, open = 0;
	size_t all, at = 0;
	uint32_t first;
	bool any, hit;

	all = fm_patset_all(set->ps, s, set->numbers, set->n, &tally);
	for (i = 0; i < set->n; i++) {
		hit = at < all && set->numbers[at] == i;
		open += twin_set_compare(set, i, s, hit, "all");
		at += hit;
	}
	TWIN_CHECK(at == all, "%zu match, and %zu were told", all, at);
	TWIN_CHECK(open <= tally.over_limit, "%u missing, %u over the limit",
	    open, tally.over_limit);
	first = fm_patset_first(set->ps, s, &again);
	any = fm_patset_match(set->ps, s, &again);
	TWIN_CHECK(any == (all > 0) && first == (all > 0 ? set->numbers[0] :
	    FM_PATSET_NONE), "%zu match, first %u, any %d", all, first, any);
	set->open += tally.over_limit;
	set->tally.scans += tally.scans;
	set->tally.confirms += tally.confirms;
	set->tally.fallbacks += tally.fallbacks;
	set->tally.over_limit += tally.over_limit;
	return (all);
}

/* Asks for the candidates, and decides each; returns how many match. */
static inline size_t
twin_set_ask_steps(struct twin_set *set, struct fm_text s)
{
	struct fm_tally tally = { 0 };
	unsigned i, known, open = 0;
	size_t all = 0;
	bool hit;

	memset(set->bits, 0, FM_PATSET_WORDS(set->n) * sizeof *set->bits);
	known = fm_patset_candidates(set->ps, s, set->bits, &tally);
	TWIN_CHECK(tally.confirms == 0 && tally.scans <= 1,
	    "%u scans, %u tried", tally.scans, tally.confirms);
	for (i = 0; i < set->n; i++) {
		hit = twin_set_bit(set, i) && fm_patset_decide(set->ps, i, s,
		    known, &tally);
		open += twin_set_compare(set, i, s, hit, "steps");
		all += hit;
	}
	for (; i < 64 * FM_PATSET_WORDS(set->n); i++)
		TWIN_CHECK(!twin_set_bit(set, i), "candidate %u of %u", i,
		    set->n);
	TWIN_CHECK(open <= tally.over_limit, "%u missing, %u over the limit",
	    open, tally.over_limit);
	return (all);
}

/* Asks all questions about a subject; returns how many patterns match. */
static inline size_t
twin_set_check(struct twin_set *set, struct fm_text s)
{
	size_t all, steps;
	unsigned i;

	for (i = 0; i < set->n; i++) {
		set->want[i] = twin_pattern_match(&set->twins[i], s);
		set->open += set->want[i] == TWIN_UNKNOWN;
	}
	all = twin_set_ask(set, s);
	steps = twin_set_ask_steps(set, s);
	TWIN_CHECK(all == steps, "%zu match, in steps %zu", all, steps);
	set->pairs += set->n;
	set->hits += all;
	return (all);
}

#endif
