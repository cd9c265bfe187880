/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which engine may be asked about a regex.
 *
 * PCRE2 says what a regex means.  Hyperscan reads the same syntax, but not all
 * of it in the same way: so it decides only what is written in the syntax that
 * both read alike, which is a whitelist here.  What nobody put on the list is
 * PCRE2's.
 */

#ifndef FM_SYNTAX_H
#define FM_SYNTAX_H

#include "text.h"

enum fm_syntax_engine {
	FM_SYNTAX_ALIKE,	/* both engines read it alike */
	FM_SYNTAX_GATE,		/* likewise, but for looks, back references
				 * and what never gives back: a prefilter of
				 * Hyperscan's finds all matches, and more */
	FM_SYNTAX_PCRE2		/* only PCRE2 is asked */
};

/* Why Hyperscan does not decide a regex: the first reason there is. */
enum fm_syntax_why {
	FM_SYNTAX_DECIDED,	/* it does */
	FM_SYNTAX_LOOK,		/* a look-ahead or look-behind */
	FM_SYNTAX_BACK,		/* a back reference */
	FM_SYNTAX_KEEPS,	/* an atomic group, a possessive repeat */
	FM_SYNTAX_UNLIKE,	/* syntax that is not read alike */
	FM_SYNTAX_REPEATS,	/* more than FM_SYNTAX_REPEATS_MAX, or repeats
				 * of what may be empty */
	FM_SYNTAX_LARGE		/* longer than FM_SCAN_LONGEST, or larger than
				 * FM_SYNTAX_SIZE_MAX */
};

/*
 * A regex that adds more by bounded repeats is PCRE2's alone: 10,000 bytes and
 * classes take Hyperscan 0.2 to 0.8 s, and a gate takes no less.
 */
#define FM_SYNTAX_REPEATS_MAX	10000
/* Likewise one of a larger size, which may take it 10 s. */
#define FM_SYNTAX_SIZE_MAX	150000

struct fm_syntax {
	enum fm_syntax_engine	engine;
	enum fm_syntax_why	why;
	/*
	 * What bounded repeats add when they are written out: the bytes and
	 * classes inside, times the upper bound; nested ones multiply.
	 * `(ab{1,3}){4}` adds 4 * (1 + 3).
	 */
	size_t			repeats;
	/*
	 * A measure of what Hyperscan takes to compile it: up to 100 us for
	 * each, and 1 KB.  `foo\b` has 26, `foo.*bar` 17; the square of the
	 * length counts, too (syntax.c).
	 */
	size_t			size;
	/*
	 * There is no word to look for: no two bytes beside each other that
	 * each match has.  The time that Hyperscan takes for such regexes
	 * grows with the square of their number.
	 */
	bool			wordless;
};

/* Reads a regex that PCRE2 accepts; and a glob, which both engines decide. */
struct fm_syntax fm_syntax_read(struct fm_text regex);
struct fm_syntax fm_syntax_read_glob(struct fm_text glob);

#endif
