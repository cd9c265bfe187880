/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Fuzz target: a set of patterns, of all kinds mixed.
 *
 *	[nocase] KIND text	any number of these; KIND is contains, exact,
 *				prefix, suffix, glob or regex
 *	scan			some others, so that the engine scans
 *	many			more others, for which it need not
 *	globs			globs enough for a pass of their own
 *	alike			texts that end alike, for which there is a trie
 *	===
 *	a subject		each line is one, and all of them are
 *
 * Each question about each subject has the answer of PCRE2 and of loops.
 */

#include "fuzz.h"
#include "sets.h"

const bool fuzz_has_parts = true;

static void
add_others(struct sets *sets, enum fm_pattern_kind kind, unsigned n)
{
	static const char * const others[] = { "~one", "~two", "~three",
	    "~four", "~five" };
	unsigned i;

	for (i = 0; i < n; i++)
		sets_add(sets, kind, false, fm_text_of(others[i % 5]));
}

/* Pieces that overlap, nest, and have wildcards. */
static void
add_globs(struct sets *sets)
{
	static const char * const globs[] = { "*a*b*", "*ab*ab*", "a*?a?*b",
	    "*aa*aa**", "*b*?*a*b", "*ba?b*a*", "*a?*?b*a" };
	unsigned i;

	for (i = 0; i < 14; i++)
		sets_add(sets, FM_PATTERN_GLOB, i >= 7,
		    fm_text_of(globs[i % 7]));
}

static void
add_alike(struct sets *sets)
{
	static const char * const ends[] = { "aaaaaaaa", "baaaaaaaa",
	    "abababab", "bbabababab", "aabababab", "ABABABAB", "aaaaaaaaa",
	    "xaaaaaaaa" };
	unsigned i;

	for (i = 0; i < 24; i++)
		sets_add(sets, FM_PATTERN_CONTAINS, i >= 16,
		    fm_text_of(ends[i % 8]));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sets sets;
	struct fm_text subjects = fm_text((const char *)data, size), part;
	struct fm_text line, subject;
	enum fm_pattern_kind kind;
	bool nocase;
	char *copy;

	(void)fuzz_part(&subjects, &part);
	sets_init(&sets);
	while (fuzz_line(&part, &line)) {
		if (fm_text_eq(line, fm_text_of("scan")))
			add_others(&sets, FM_PATTERN_CONTAINS, 5);
		else if (fm_text_eq(line, fm_text_of("many")))
			add_others(&sets, FM_PATTERN_EXACT, 64);
		else if (fm_text_eq(line, fm_text_of("globs")))
			add_globs(&sets);
		else if (fm_text_eq(line, fm_text_of("alike")))
			add_alike(&sets);
		nocase = fuzz_word(&line, "nocase ");
		if (sets_kind(&line, &kind))
			sets_add(&sets, kind, nocase, line);
	}
	sets_make(&sets);
	sets_check(&sets, subjects);
	while (fuzz_line(&subjects, &line)) {
		copy = fuzz_copy(line);
		subject = fm_text(copy, line.len);
		sets_check(&sets, subject);
		free(copy);
	}
	sets_fini(&sets);
	return (0);
}
