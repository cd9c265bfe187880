/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A regex with callouts, by which PCRE2 can be stopped.
 */

#ifndef FM_CALLOUTS_H
#define FM_CALLOUTS_H

#include "text.h"

/* What it may become: "(?:(x)(?C))" of "(x)". */
#define FM_CALLOUTS_LEN(n)	(6 * (n) + 8)

/*
 * Writes a regex that PCRE2 accepts with a callout at its start, behind each
 * repeat and behind each time that a group is taken; and one in front of a
 * repeat that is counted, whose number is what it takes more than others.  As
 * many bytes as it had: there is none, it is a plain text.  Where it has what
 * this doesn't read, PCRE2 won't accept the outcome, or it is 0.
 */
size_t fm_callouts(struct fm_text regex, char *out);

/*
 * How many bytes one attempt to match here may look at, if it doesn't go back;
 * SIZE_MAX: any number.
 */
size_t fm_callouts_width(struct fm_text regex);

/*
 * Whether it may have an escape by which PCRE2 takes several times as long for
 * a byte: of characters, their properties, or kinds of blanks.
 */
bool fm_callouts_is_dear(struct fm_text regex);

#endif
