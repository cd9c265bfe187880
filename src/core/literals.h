/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The literals that a match of a regex must contain: what a scan can look for
 * before PCRE2 is asked.
 *
 * A small parser with a whitelist.  It reads the syntax that people write;
 * whatever it does not know makes it give up, never guess.
 */

#ifndef FM_LITERALS_H
#define FM_LITERALS_H

#include "common.h"

#define FM_LITERALS_MAX	32

struct fm_literals {
	unsigned	n;
	struct {
		struct fm_text	text;
		bool		nocase;
	}		literals[FM_LITERALS_MAX];
	char		*bytes;		/* owned; the texts point into it */
};

enum fm_literals_result {
	FM_LITERALS_FOUND,	/* every match contains one of the literals */
	FM_LITERALS_NONE,	/* understood, and fit for
				 * fm_scan_build_prefilter() as it is */
	FM_LITERALS_UNKNOWN,	/* only PCRE2 can tell */
	FM_LITERALS_NO_MEMORY
};

/*
 * What is common tells little: another literal, if it is no shorter than this,
 * is as good for one pattern, and better for all.
 */
#define FM_LITERALS_TELLING	3

/*
 * Of a regex that PCRE2 accepts; common may be NULL.  On FM_LITERALS_FOUND the
 * caller frees with fm_literals_free(); otherwise there is nothing to free.
 */
enum fm_literals_result fm_literals_of_regex(struct fm_text regex, bool nocase,
    const struct fm_common *, struct fm_literals *);

/* Of a glob: its longest part without a wildcard.  Never UNKNOWN. */
enum fm_literals_result fm_literals_of_glob(struct fm_text glob, bool nocase,
    const struct fm_common *, struct fm_literals *);

void fm_literals_free(struct fm_literals *);

#endif
