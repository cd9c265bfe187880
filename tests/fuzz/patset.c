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
#include "sets.h"

const bool fuzz_has_parts = true;

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
