/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a regex consists of, one item after the other: enough of PCRE2's
 * language to know between which bytes a callout may stand.
 */

#ifndef FM_REGITEM_H
#define FM_REGITEM_H

#include "text.h"

enum fm_regitem_kind {
	FM_REGITEM_BYTE,	/* a, \. and \x41 */
	FM_REGITEM_PLACE,	/* a class, a border */
	FM_REGITEM_REF,		/* \1, \k<name> */
	FM_REGITEM_OPEN,	/* "(?<name>" */
	FM_REGITEM_OPEN_REF,	/* "(?P=name", and the `)` is the next */
	FM_REGITEM_OPEN_CALL,	/* "(?1", "(?&name" */
	FM_REGITEM_BAR,
	FM_REGITEM_CLOSE,
	FM_REGITEM_OPTIONS	/* "(?i)", no group */
};

struct fm_regitem {
	enum fm_regitem_kind	kind;
	struct fm_text		text;
	struct fm_text		quantifier;	/* or empty */
	unsigned		count;		/* the most of {2,5}, the least
						 * of {5,}; or 1 */
	unsigned		steps;		/* to see whether it is there
						 * once: half an instruction
						 * or so each */
};

/* The next one; false: there is what this doesn't read. */
bool fm_regitem_next(struct fm_text *regex, struct fm_regitem *);

/* Of what begins so: `*`, `+`, `?` or `{1,2}` with its `?` or `+`. */
struct fm_text fm_regitem_quantifier(struct fm_text);
unsigned fm_regitem_count(struct fm_text quantifier);
bool fm_regitem_is_endless(struct fm_text quantifier);

#endif
