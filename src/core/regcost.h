/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a regex may cost PCRE2, which counts only some of it.
 */

#ifndef FM_REGCOST_H
#define FM_REGCOST_H

#include "text.h"

struct fm_regcost {
	bool		anchored;	/* one place to begin at */
	bool		refers;		/* to groups: \1, */
	bool		refers_far;	/* and to what callouts don't say */
	char		*text;		/* where PCRE2 has put the callouts; or
					 * NULL */
	unsigned	each;		/* what a callout takes: PCRE2 copies
					 * all groups for it; */
	unsigned	dear;		/* and a byte, of one */
	/* What an attempt to match here takes, if it doesn't go back: */
	size_t		steps;		/* through all there is, */
	size_t		times;		/* of which some counts so often, or */
	size_t		passes;		/* so many pass over bytes; */
	size_t		endless;	/* 1: and what has no end, until it is
					 * counted */
	size_t		refs;		/* to groups, which may be long */
	size_t		looped;		/* of the steps are in groups that are
					 * repeated, for each byte */
	bool		calls;		/* groups: any number */
};

struct fm_regcost_at {
	unsigned	number;		/* of the callout */
	size_t		item, item_len;	/* behind it, in text */
	size_t		from, to;	/* since the last one */
	size_t		subject_len;
	const size_t	*groups;	/* so many, with the whole match */
	unsigned	count;
};

/* Read without regard to what is quoted, so it may be too much. */
void fm_regcost_init(struct fm_regcost *, struct fm_text regex, bool unicode,
    unsigned groups, unsigned backref);

/* How much of PCRE2's limit is not too much; or 0. */
size_t fm_regcost_limit(const struct fm_regcost *, size_t len, size_t places);

size_t fm_regcost_callout(const struct fm_regcost *,
    const struct fm_regcost_at *);

#endif
