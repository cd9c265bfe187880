/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Caps on what a load may compile, so that none takes more than 30 s, half of
 * varnishd's cli_timeout, or 500 MB.  They are counted, never timed: what is
 * loaded on one machine is loaded on all.  The manual shows them.
 */

#ifndef FM_CAPS_H
#define FM_CAPS_H

#include "diag.h"
#include "text.h"

/* Hyperscan takes 20 KB for an ordinary regex, and 0.5 ms. */
#define FM_LIMIT_REGEXES	20000	/* regexes, all together */
/* PCRE2 takes up to 25 ms for a megabyte. */
#define FM_LIMIT_CODE_MB	64	/* megabytes of all regexes, as PCRE2
					 * compiles them */
/* Hyperscan takes 12 to 20 s for all of them. */
#define FM_LIMIT_REPEATS	300000	/* bytes and classes that bounded
					 * repeats such as {1,100} add to all
					 * regexes, written out */
/* Hyperscan takes 5 to 25 s for the size of syntax.h, and up to 450 MB. */
#define FM_LIMIT_SIZE		500000	/* the size of all that Hyperscan
					 * compiles (see below) */
/* A cache of the processor is as large: what is beyond it scans slowly. */
#define FM_LIMIT_DATABASES_MB	32	/* megabytes of Hyperscan's databases */
/* Each thread keeps as much while it lives: 1,000 of them take 2 GB. */
#define FM_LIMIT_SCRATCH_MB	2	/* megabytes that each thread needs to
					 * scan for one set */


enum fm_cap {
	FM_CAP_REGEXES,
	FM_CAP_CODE,
	FM_CAP_REPEATS,
	FM_CAP_SIZE,
	FM_CAP_DATABASES,
	FM_CAP_SCRATCH
};
#define FM_CAP__COUNT	6

/* The account of one load: all zero before. */
struct fm_caps {
	size_t			used[FM_CAP__COUNT];
	bool			over;
};

/*
 * From begin to end this thread counts into the account; a load inside another
 * counts into the outer one's.  Outside of them nothing is capped.
 */
void fm_caps_begin(struct fm_caps *);
void fm_caps_end(void);

/*
 * Returns false if this is more than a load may take, and so is all that comes
 * behind it.  The first time that is an error at the place, which may be NULL.
 */
bool fm_caps_take(enum fm_cap, size_t, const struct fm_place *,
    struct fm_diag *);
/* Likewise for a regex, which PCRE2 has compiled to so many bytes. */
bool fm_caps_take_regex(struct fm_text regex, size_t code,
    const struct fm_place *, struct fm_diag *);
/* PCRE2 refused a regex, and somebody has said so. */
void fm_caps_refused(void);
bool fm_caps_are_over(void);

#endif
