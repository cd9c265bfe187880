/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A regex with callouts, by which PCRE2 can be stopped.
 */

#ifndef FM_CALLOUTS_H
#define FM_CALLOUTS_H

#include "text.h"

/* What it may become: "(?C)" behind each byte. */
#define FM_CALLOUTS_LEN(n)	(5 * (n) + 1)

/*
 * Writes a regex that PCRE2 accepts with a callout behind each repeat and each
 * group; as many bytes as it had: there are none.  Where it has what this
 * doesn't read, PCRE2 won't accept the outcome, or it is 0.
 */
size_t fm_callouts(struct fm_text regex, char *out);

#endif
