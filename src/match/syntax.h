/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads a regex, and says which engine may decide it, for patset.c.
 *
 * A regex means what PCRE2 says it means.  Hyperscan reads some syntax in
 * another way.  So there is a whitelist (syntax.c) of syntax that both engines
 * read alike: Hyperscan decides a regex only if all of it is on the list.
 *
 *	regex		engine
 *	foo.*bar	ALIKE		Hyperscan decides
 *	foo(?=bar)	PREFILTER	Hyperscan finds candidates, and PCRE2
 *					decides
 *	\Qfoo\E		PCRE2		PCRE2 decides, and no scan comes first
 */

#ifndef FM_SYNTAX_H
#define FM_SYNTAX_H

#include "text.h"

enum fm_syntax_engine {
	FM_SYNTAX_ALIKE,	/* both engines read it alike */
	FM_SYNTAX_PREFILTER,	/* both read it alike, but for look-arounds,
				 * back references, atomic groups and possessive
				 * repeats: a prefilter of Hyperscan finds all
				 * matches, and some texts that don't match */
	FM_SYNTAX_PCRE2		/* only PCRE2 may be asked */
};

/* Why does Hyperscan not decide a regex?  The first reason that was found. */
enum fm_syntax_why {
	FM_SYNTAX_DECIDED,	/* Hyperscan decides it */
	FM_SYNTAX_LOOK,		/* a look-ahead or look-behind */
	FM_SYNTAX_BACK,		/* a back reference */
	FM_SYNTAX_KEEPS,	/* an atomic group, a possessive repeat */
	FM_SYNTAX_UNLIKE,	/* syntax that is not on the whitelist */
	FM_SYNTAX_REPEATS,	/* `repeats` above FM_SYNTAX_REPEATS_MAX, or
				 * many repeats of what may be empty */
	FM_SYNTAX_LARGE		/* longer than FM_SCAN_LONGEST, or `size` above
				 * FM_SYNTAX_SIZE_MAX */
};

/*
 * A regex with more `repeats` than this is PCRE2's alone: Hyperscan takes 0.2
 * to 0.8 s to compile 10,000 of them, and no less for a prefilter.
 */
#define FM_SYNTAX_REPEATS_MAX	10000
/*
 * A regex with a larger `size` than this is PCRE2's alone: Hyperscan may take
 * 10 s to compile it.
 */
#define FM_SYNTAX_SIZE_MAX	150000

struct fm_syntax {
	enum fm_syntax_engine	engine;
	enum fm_syntax_why	why;
	/*
	 * The bytes and classes that bounded repeats become when they are
	 * written out: those inside, times the upper bound.  Nested bounds
	 * multiply: `(ab{1,3}){4}` has 4 * (1 + 3).
	 */
	size_t			repeats;
	/*
	 * An estimate of the cost of compiling the regex with Hyperscan.  One
	 * unit is up to 100 us, and 1 KB of database.  `foo\b` has 26 units,
	 * `foo.*bar` has 17; syntax.c says how units are counted.
	 */
	size_t			size;
	/*
	 * The regex has no word: no two bytes that stand beside each other in
	 * every match.  The time that Hyperscan takes to compile such regexes
	 * grows with the square of their number.
	 */
	bool			wordless;
	/* The anchors at an end that the pattern has: FM_SYNTAX_* bits. */
	unsigned		ends;
};

/* `\z`, and the end of a glob that ends in no star. */
#define FM_SYNTAX_TEXT_END	1U
/* `$`, with `(?m)` and without it. */
#define FM_SYNTAX_LINE_END	2U

/*
 * Read a regex that PCRE2 accepts (one that is PCRE2's for its syntax, not to
 * the end); and a glob, which is ALIKE unless it is too
 * large.
 */
struct fm_syntax fm_syntax_read(struct fm_text regex);
struct fm_syntax fm_syntax_read_glob(struct fm_text glob);

#endif
