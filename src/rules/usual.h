/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Values of Accept, Accept-Encoding and Accept-Language that browsers usually
 * send.  What `normalize` makes of them is known when rules are compiled, so
 * that most requests are not negotiated.
 */

#ifndef FM_USUAL_H
#define FM_USUAL_H

#include "text.h"

struct fm_usual {
	const char		*header;
	const struct fm_text	*values;
	unsigned		count;
};

/* Returns what is usual for the header of this name, or NULL. */
const struct fm_usual *fm_usual_of(struct fm_text name);

/* Returns the number of a value, byte by byte; count: it is not usual. */
static inline unsigned
fm_usual_find(const struct fm_usual *usual, struct fm_text value)
{
	unsigned n;

	for (n = 0; n < usual->count; n++)
		if (usual->values[n].len == value.len &&
		    fm_bytes_eq(usual->values[n].b, value.b, value.len))
			break;
	return (n);
}

#endif
