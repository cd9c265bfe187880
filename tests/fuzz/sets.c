/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What is done to sets of patterns.
 */

#include "fuzz.h"
#include "sets.h"

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

void
sets_check(struct twin_set *set, struct fm_text subject)
{
	size_t i, all = twin_set_check(set, subject);

	for (i = 0; i < all; i++)
		check_sub(fm_patset_pattern(set->ps, set->numbers[i]),
		    subject);
}
