/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A regex with callouts, by which PCRE2 can be stopped.
 */

#ifndef FM_CALLOUTS_H
#define FM_CALLOUTS_H

#include "text.h"

/*
 * What it may become: a byte is an item at least, "(" becomes "(?C)(?:(" and
 * "?" of "a?" has "(?C)" behind; \1 has "(?C255)" in front.
 */
#define FM_CALLOUTS_LEN(n)	(9 * (n) + 8)

/* A callout's number is what it takes more than others, or, in front of a
 * reference, by how much that is repeated. */
#define FM_CALLOUTS_MOST	126
#define FM_CALLOUTS_REF		128
/* A place behind what is counted that was passed over costs less than one. */
#define FM_CALLOUTS_COUNTED	16
#define FM_CALLOUTS_REPEATED	8	/* \1{5} */

/*
 * Writes a regex that PCRE2 accepts with a callout at its start, behind each
 * repeat and behind each time that a group is taken; in front of a repeat that
 * is counted, of a reference and of a call; and so many that, whatever
 * fails where, there are few steps between two of them, or no more than the
 * first one's number is for.  As many bytes as it
 * had: there is none, it is a plain text.  Where it has what this doesn't
 * read, PCRE2 won't accept the outcome, or it is 0.
 */
size_t fm_callouts(struct fm_text regex, char *out);

#endif
