/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Fuzz target: a set of patterns, of all kinds mixed.
 *
 *	[nocase] KIND text	any number of these; KIND is contains, exact,
 *				prefix, suffix, glob or regex
 *	scan			some others, so that the engine scans
 *	many			more others, which are hashed
 *	===
 *	a subject		each line is one, and all of them are
 *
 * Each question about each subject has the answer of PCRE2 and of loops.
 */

#include "fuzz.h"
#include "twin_set.h"

const bool fuzz_has_parts = true;

#define SETS_MAX	300		/* patterns; others are left out */

static bool
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

static void
sets_add(struct twin_set *set, enum fm_pattern_kind kind, bool nocase,
    struct fm_text text)
{
	if (set->n < SETS_MAX)
		(void)twin_set_add(set, kind, nocase, text);
}

/* A substitution takes as many bytes as it says. */
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
		/* The pattern matches, and there may be nothing to replace. */
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

static void
sets_check(struct twin_set *set, struct fm_text subject)
{
	size_t i, all = twin_set_check(set, subject);

	for (i = 0; i < all; i++)
		check_sub(fm_patset_pattern(set->ps, set->numbers[i]),
		    subject);
}

static void
add_others(struct twin_set *set, enum fm_pattern_kind kind, unsigned n)
{
	static const char * const others[] = { "~one", "~two", "~three",
	    "~four", "~five" };
	unsigned i;

	for (i = 0; i < n; i++)
		sets_add(set, kind, false, fm_text_of(others[i % 5]));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct twin_set set;
	struct fm_text subjects = fm_text((const char *)data, size), part;
	struct fm_text line, subject;
	enum fm_pattern_kind kind;
	bool nocase;
	char *copy;

	(void)fuzz_part(&subjects, &part);
	twin_set_init(&set);
	while (fuzz_line(&part, &line)) {
		if (fm_text_eq(line, fm_text_of("scan")))
			add_others(&set, FM_PATTERN_CONTAINS, 5);
		else if (fm_text_eq(line, fm_text_of("many")))
			add_others(&set, FM_PATTERN_EXACT, 64);
		nocase = fuzz_word(&line, "nocase ");
		if (sets_kind(&line, &kind))
			sets_add(&set, kind, nocase, line);
	}
	twin_set_make(&set);
	sets_check(&set, subjects);
	while (fuzz_line(&subjects, &line)) {
		copy = fuzz_copy(line);
		subject = fm_text(copy, line.len);
		sets_check(&set, subject);
		free(copy);
	}
	twin_set_fini(&set);
	return (0);
}
