/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Edits the request in place for methods and functions, where others return a
 * string that VCL sets.
 *
 *	if (fm_inplace_find(&it, ctx, counters, "unset", header))
 *		(void)fm_inplace_set(&it, fm_text(NULL, 0));
 */

#ifndef FM_INPLACE_H
#define FM_INPLACE_H

#include <stdbool.h>

#include "counters.h"
#include "text.h"

/*
 * Ends a request that can't be edited, so that it goes no further unedited.  In
 * vcl_recv it is refused as .apply() refuses requests; in other subs it fails,
 * as it does when VCL has no room for a string.
 */
void fm_inplace_refuse(VRT_CTX, const struct fm_counters *,
    const char *method, enum fm_refusal) __attribute__((cold));

/*
 * Returns true if the request may be edited.  Returns false if it was refused
 * before a restart, and refuses it again.
 */
bool fm_inplace_begin(VRT_CTX, const struct fm_counters *,
    const char *method);

/* A header, and who edits it. */
struct fm_inplace {
	VRT_CTX;
	const struct fm_counters	*counters;
	const char			*method;	/* "unset" */
	struct http			*hp;
	struct fm_text			name;		/* "Cookie" */
	unsigned			n;		/* its first field, or
							 * hp->nhd: none */
};

/*
 * Look for a header of req or bereq.  Return false if it may not be edited: if
 * it is one of resp, say (which is logged), or if the request was refused
 * before.  fm_inplace_find() also returns false if the header is not there.
 */
bool fm_inplace_look(struct fm_inplace *, VRT_CTX, const struct fm_counters *,
    const char *method, VCL_HEADER);

static inline bool
fm_inplace_find(struct fm_inplace *it, VRT_CTX,
    const struct fm_counters *counters, const char *method, VCL_HEADER header)
{
	return (fm_inplace_look(it, ctx, counters, method, header) &&
	    it->n < it->hp->nhd);
}

/*
 * Makes this value the only one of a header, which is added if it is not there;
 * or removes the header if the value is empty.  Logs as VCL does.  If there is
 * no room, refuses the request, changes nothing and returns false.
 */
bool fm_inplace_set(const struct fm_inplace *, struct fm_text value);

/* Removes a header, and logs that as VCL does. */
void fm_inplace_unset(const struct fm_inplace *);

#endif
