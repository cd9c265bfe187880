/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the lifetime that a header gives a response for caches of a certain
 * kind, in place of Cache-Control:
 *
 *	CDN-Cache-Control: max-age=60, stale-while-revalidate=30
 *	Surrogate-Control: max-age=60+30, content="ESI/1.0"
 *	X-Accel-Expires: 60
 *
 * All three are 60 seconds, the first two with 30 more in which it is stale.
 */

#ifndef FM_TARGETED_H
#define FM_TARGETED_H

#include <stdbool.h>

#include "text.h"

enum fm_targeted_kind {
	FM_TARGETED_STRUCTURED,	/* RFC 9213: a dictionary of RFC 8941 */
	FM_TARGETED_SURROGATE,	/* Edge Architecture; a directive with a target
				 * (`;cdn`) is for others */
	FM_TARGETED_SECONDS	/* a number of seconds alone */
};

struct fm_targeted {
	double			seconds;	/* below 0: none */
	double			stale;		/* likewise */
};

/* Returns the kind of a header, by its name. */
enum fm_targeted_kind fm_targeted_kind(struct fm_text name);

/*
 * Reads the value of a header, all of whose lines are joined by ", ".  Returns
 * false if it can't be read: then it says nothing.
 */
bool fm_targeted_read(enum fm_targeted_kind, struct fm_text value,
    struct fm_targeted *);

#endif
