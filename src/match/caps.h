/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Caps limit what one load of rules may compile, so that no load takes more
 * than 30 s (half of varnishd's cli_timeout) or 500 MB.  We count what is
 * compiled, and measure no time: what loads on one machine loads on all.  The
 * manual shows the caps.
 *
 * A VCL loads many files one after the other, and varnishd waits for all of
 * them.  So the caps that bound the time of a load hold for the sum of all sets
 * of a VCL (src/live adds it up): the other half of cli_timeout is for a slow
 * machine.  Those of databases and scratch bound what a scan takes, and hold
 * for each load.
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

/*
 * The account of one load; all zeros at the start, but for the last two.
 *
 *	used SIZE 120000, others SIZE 390000, over
 *			with this load the VCL would have a size of 510,000
 */
struct fm_caps {
	size_t			used[FM_CAP__COUNT];
	bool			over;	/* a cap was exceeded; `used` has what
					 * would have exceeded it */
	bool			counts;	/* Hyperscan compiles nothing: this is
					 * only counted */
	struct fm_caps		*outer;	/* for begin and end */
	size_t			others[FM_CAP__COUNT];
					/* what the other sets of the VCL took;
					 * 0 for databases and scratch */
	const char		*file;	/* which is loaded, for messages; or
					 * NULL */
};

/*
 * Between begin and end, what this thread compiles counts in the account.  If a
 * load runs inside another, it goes on from the outer one's account.  At its
 * end that has what the inner one took, if it was `kept`, or exceeded a cap.
 * Outside of a load nothing is capped.
 */
void fm_caps_begin(struct fm_caps *);
void fm_caps_end(bool kept);

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
bool fm_caps_only_count(void);
/* Returns true if this thread's load has to share the caps with others. */
bool fm_caps_are_shared(void);

/* Adds what a load took to the sum of a VCL: all that counts for that. */
void fm_caps_add(size_t sum[FM_CAP__COUNT], const size_t took[FM_CAP__COUNT]);
/* Returns the words for a cap, and what a VCL may have; NULL: no sum counts. */
const char *fm_caps_sum_of(enum fm_cap, size_t *most);
/* Returns true if a load that took `used` has room beside the others. */
bool fm_caps_have_room(const struct fm_caps *);
/* Returns true if a load was over only because of the others. */
bool fm_caps_are_crowded(const struct fm_caps *);

#endif
