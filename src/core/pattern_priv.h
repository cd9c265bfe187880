/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between pattern.c, which makes a pattern and matches, and pattern_sub.c,
 * which replaces what matches.
 */

#ifndef FM_PATTERN_PRIV_H
#define FM_PATTERN_PRIV_H

#include "byterow.h"
#include "folded.h"
#include "pattern.h"
#include "regular.h"

struct fm_pattern {
	unsigned		magic;
#define FM_PATTERN_MAGIC	0x1e6bd70f
	enum fm_pattern_kind	kind;
	bool			nocase;
	struct fm_text		text;	/* of bytes */
	size_t			rare;	/* contains: where its byte is that
					 * texts have least */
	struct fm_folded	*folded;	/* of a contains, where case
					 * doesn't count */
	struct fm_regex		*regex;	/* of a regex */
	struct fm_regular	*regular;	/* of a regex that is */
	struct fm_byterow	*row;	/* of a regex that is one */
	char			bytes[];	/* ends in NUL */
};

/*
 * The leftmost match from the offset on, as the nth of this subject, from 0:
 * behind another one it is not empty.  As fm_regex_find().
 */
bool fm_pattern_find(const struct fm_pattern *, struct fm_text subject,
    size_t offset, unsigned nth, struct fm_text groups[FM_REGEX_GROUPS],
    struct fm_tally *);

#endif
