/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The readings of a path: all paths that a backend may take it for.
 *
 *	/a%2Fb/../c		as the client wrote it
 *	/a/b/../c		decoded once
 *	/a/b  /a/  /a/c		held by a walk over the decoded path, which
 *				splits at each `/`
 *	/a/b  /  /c		held by a walk over the path as it is, which
 *				splits at each `/` and then decodes each segment
 *
 * A walk drops empty segments and `.`, and takes one away for `..`.  What it
 * holds after a segment is a reading, unless the next segment is added to that.
 * Where a `/` follows, a reading may have it at its end or not.
 *
 * No reading is stored.  A walk looks for all operands of a program together,
 * so the time for a path grows with its length alone.
 */

#ifndef FM_READINGS_H
#define FM_READINGS_H

#include <stdint.h>

#include "pattern.h"
#include "text.h"

/* An operand of `any path`: of `below /a`, "/a/", PREFIX, below. */
struct fm_readings_operand {
	struct fm_text		text;		/* of nocase: in lower case */
	uint32_t		number;		/* the bit of its hit */
	uint8_t			mode;		/* EXACT or PREFIX */
	bool			below;		/* the path without the last `/`
						 * fits, too */
};

struct fm_readings {
	const struct fm_readings_operand *operands;	/* sorted by text */
	uint32_t		count;
	uint32_t		depth;		/* most `/` of any operand */
	bool			nocase;
};

/* Compares two operands, for qsort(). */
int fm_readings_compare(const void *, const void *);

/* Returns true if a path is its only reading; most are. */
bool fm_readings_one(struct fm_text path);

/* Returns how many bytes of memory a search in this path needs. */
size_t fm_readings_room(const struct fm_readings *, struct fm_text path);

/*
 * Sets the bit of each operand that fits what one of the walks holds.  The
 * memory has fm_readings_room() bytes, and is aligned for any type.
 */
void fm_readings_search(const struct fm_readings *, struct fm_text path,
    uint64_t *hits, void *memory);

/*
 * Returns how many bytes of the decoded path each reading begins with, but for
 * the path as it is; FM_READINGS_ALL: both walks hold the decoded path alone.
 */
#define FM_READINGS_ALL	SIZE_MAX

size_t fm_readings_common(struct fm_text path);

/* Returns true if the operand fits the decoded path. */
bool fm_readings_decoded(const struct fm_readings_operand *, bool nocase,
    struct fm_text path);

#endif
