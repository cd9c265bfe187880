/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the offer of a `normalize` that a header likes best: by negotiate.h, or
 * with `named`, for which an offer counts only if the header has its name.
 */

#ifndef FM_OFFERS_H
#define FM_OFFERS_H

#include <stdbool.h>

#include "text.h"

/*
 * Returns the best offer, or the missing text.  A blank is between two offers.
 * With `named`, the answer is in buf, which has as many bytes as the offers.
 */
struct fm_text fm_offers_best(struct fm_text offers, bool named,
    struct fm_text header, char *buf);

/*
 * Values of Accept, Accept-Encoding and Accept-Language that browsers usually
 * send.  The compiler finds out which offer each likes best, so that most
 * requests are not negotiated.
 */
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
