/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Decodes percent-encoding one byte at a time, so that encoded names can be
 * compared without a decoded copy.  `%` and two hexadecimal digits are one
 * byte, even NUL.  Any other `%` stands for itself, and so does `+`.  The
 * result is not decoded again: `%2541` becomes `%41`.
 */

#ifndef FM_PERCENT_H
#define FM_PERCENT_H

#include "text.h"

/* Returns the decoded byte at *p, which is before e, and moves *p past it. */
static inline unsigned char
fm_percent_next(const char **p, const char *e)
{
	int high, low;

	if (**p == '%' && e - *p >= 3) {
		high = fm_hex_digit((*p)[1]);
		low = fm_hex_digit((*p)[2]);
		if (high >= 0 && low >= 0) {
			*p += 3;
			return ((unsigned char)(high << 4 | low));
		}
	}
	return ((unsigned char)*(*p)++);
}

/* Compares two texts as fm_text_compare() would compare them decoded. */
static inline int
fm_percent_compare(struct fm_text a, struct fm_text b)
{
	const char *pa = a.b, *ea = a.b + a.len;
	const char *pb = b.b, *eb = b.b + b.len;
	unsigned char ca, cb;

	while (pa < ea && pb < eb) {
		ca = fm_percent_next(&pa, ea);
		cb = fm_percent_next(&pb, eb);
		if (ca != cb)
			return (ca < cb ? -1 : 1);
	}
	return ((pa < ea) - (pb < eb));
}

#endif
