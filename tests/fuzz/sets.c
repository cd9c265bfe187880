/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A set of patterns against PCRE2 and loops.
 */

#include "fuzz.h"
#include "sets.h"

void
sets_init(struct sets *s)
{
	memset(s, 0, sizeof *s);
	s->builder = fm_patset_build_new();
	FUZZ_CHECK(s->builder != NULL, "no builder");
}

void
sets_fini(struct sets *s)
{
	while (s->count > 0)
		twin_pattern_fini(&s->twins[--s->count]);
	fm_patset_free(&s->patset);
}

bool
sets_kind(struct fm_text *line, enum fm_pattern_kind *kind)
{
	static const char * const kinds[] = {
		[FM_PATTERN_CONTAINS] = "contains ",
		[FM_PATTERN_EXACT] = "exact ",
		[FM_PATTERN_PREFIX] = "prefix ",
		[FM_PATTERN_SUFFIX] = "suffix ",
		[FM_PATTERN_GLOB] = "glob ",
		[FM_PATTERN_REGEX] = "regex ",
	};
	unsigned i;

	for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (fuzz_word(line, kinds[i])) {
			*kind = (enum fm_pattern_kind)i;
			return (true);
		}
	return (false);
}

void
sets_add(struct sets *s, enum fm_pattern_kind kind, bool nocase,
    struct fm_text text)
{
	static const struct fm_place place = { .name = "fuzz" };
	struct twin_pattern *twin = &s->twins[s->count];
	struct fm_diag *diag = fm_diag_new();
	struct fm_pattern *pattern;
	bool is;

	if (s->count < SETS_MAX) {
		twin->kind = kind;
		twin->nocase = nocase;
		twin->text = text;
		is = twin_pattern_init(twin);
		pattern = fm_pattern_new(kind, text, nocase, &place, diag);
		FUZZ_CHECK((pattern != NULL) == is, "\"%.*s\" is %s",
		    FUZZ_TEXT(text), is ? "refused" : "taken");
		FUZZ_CHECK(fm_diag_errors(diag) == !is, "%u errors",
		    fm_diag_errors(diag));
		if (is) {
			s->count++;
			FUZZ_CHECK(fm_patset_build_add(s->builder,
			    &pattern) == 0, "not added");
		}
	}
	fm_diag_free(&diag);
}

void
sets_make(struct sets *s)
{
	s->patset = fm_patset_build(&s->builder, NULL);
	FUZZ_CHECK(s->patset != NULL &&
	    fm_patset_count(s->patset) == s->count, "no set");
}

/* What a substitution would take it takes, and not a byte more. */
static void
check_sub(const struct fm_pattern *pattern, struct fm_text subject)
{
	const struct fm_text with = fm_text_of("<\\1\\0\\\\>");
	struct fm_tally tally = { 0 };
	size_t len, again;
	char *buf;
	int all;

	for (all = 0; all < 2; all++) {
		len = fm_pattern_sub(pattern, subject, with, all, NULL, 0,
		    &tally);
		/* It matches, and there may be nothing to replace. */
		if (len == FM_PATTERN_SAME || len > 1UL << 20)
			continue;
		buf = malloc(len > 0 ? len : 1);
		FUZZ_CHECK(buf != NULL, "no memory");
		again = fm_pattern_sub(pattern, subject, with, all, buf, len,
		    &tally);
		FUZZ_CHECK(again == len || tally.over_limit > 0,
		    "%zu bytes, then %zu", len, again);
		free(buf);
	}
}

static bool
is_bit(const uint64_t *bits, unsigned n)
{
	return ((bits[n / 64] & 1ULL << n % 64) != 0);
}

static void
check_steps(const struct sets *s, struct fm_text subject,
    const enum twin_answer *want, struct fm_tally *tally)
{
	uint64_t bits[FM_PATSET_WORDS(SETS_MAX)] = { 0 };
	unsigned i, known;
	bool hit;

	known = fm_patset_candidates(s->patset, subject, bits, tally);
	for (i = 0; i < s->count; i++) {
		hit = is_bit(bits, i) && fm_patset_decide(s->patset, i,
		    subject, known, tally);
		FUZZ_CHECK(hit == (want[i] == TWIN_YES) ||
		    (!hit && tally->over_limit + tally->unasked > 0),
		    "pattern %u \"%.*s\", in two steps: %s over \"%.*s\"", i,
		    FUZZ_TEXT(s->twins[i].text), hit ? "a match" : "none",
		    FUZZ_TEXT(subject));
	}
	for (; i < 64 * FM_PATSET_WORDS(s->count); i++)
		FUZZ_CHECK(!is_bit(bits, i), "candidate %u of %u", i,
		    s->count);
}

void
sets_check(const struct sets *s, struct fm_text subject)
{
	uint32_t numbers[SETS_MAX], first = FM_PATSET_NONE, got;
	enum twin_answer want[SETS_MAX];
	struct fm_tally tally = { 0 };
	unsigned i, count = 0;
	size_t all;
	bool any;

	for (i = 0; i < s->count; i++) {
		want[i] = twin_pattern_match(&s->twins[i], subject);
		if (want[i] == TWIN_UNKNOWN)
			return;
		if (want[i] == TWIN_YES && first == FM_PATSET_NONE)
			first = i;
	}
	all = fm_patset_all(s->patset, subject, numbers, SETS_MAX, &tally);
	any = fm_patset_match(s->patset, subject, &tally);
	got = fm_patset_first(s->patset, subject, &tally);
	check_steps(s, subject, want, &tally);
	/* A regex that gave up, or was not asked, is no match, and counted. */
	if (tally.over_limit + tally.unasked > 0)
		return;
	for (i = 0; i < s->count; i++) {
		FUZZ_CHECK((want[i] == TWIN_YES) ==
		    (count < all && numbers[count] == i),
		    "pattern %u \"%.*s\": not %s over \"%.*s\"", i,
		    FUZZ_TEXT(s->twins[i].text),
		    want[i] == TWIN_YES ? "a match" : "none",
		    FUZZ_TEXT(subject));
		if (want[i] == TWIN_NO)
			continue;
		count++;
		check_sub(fm_patset_pattern(s->patset, i), subject);
	}
	FUZZ_CHECK(all == count && got == first && any == (count > 0),
	    "%zu match, and %u of them; first %u, and not %u", all, count,
	    got, first);
}
