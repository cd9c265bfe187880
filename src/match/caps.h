/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Caps limit what one load of rules may compile, so that no load takes more
 * than 30 s (half of varnishd's cli_timeout) or 500 MB.  We count what is
 * compiled, and measure no time: what loads on one machine loads on all.  The
 * manual shows the caps.
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
					 * repeats, written out, add to all
					 * regexes */
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

/* The account of one load; all zeros at the start. */
struct fm_caps {
	size_t			used[FM_CAP__COUNT];
	bool			over;	/* a cap was exceeded */
};

/*
 * Between begin and end, what this thread compiles counts in the account.  If a
 * load runs inside another, both count in the outer one's account.  Outside of
 * a load nothing is capped.
 */
void fm_caps_begin(struct fm_caps *);
void fm_caps_end(void);

/*
 * Adds an amount to the account.  Returns false if the load exceeds the cap, or
 * has exceeded any cap before.  Reports the first time as an error at the
 * place, which may be NULL.
 */
bool fm_caps_take(enum fm_cap, size_t, const struct fm_place *,
    struct fm_diag *);
/* Does the same for a regex, which PCRE2 has compiled to `code` bytes. */
bool fm_caps_take_regex(struct fm_text regex, size_t code,
    const struct fm_place *, struct fm_diag *);
/* Counts a regex that PCRE2 has refused, which the caller has reported. */
void fm_caps_refused(void);
bool fm_caps_are_over(void);

#endif
