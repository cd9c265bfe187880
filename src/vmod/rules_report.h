/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the object `rules` tells of itself: the JSON of .report().  Knows no
 * Varnish.
 */

#ifndef FM_RULES_REPORT_H
#define FM_RULES_REPORT_H

#include "hits.h"
#include "live.h"
#include "program.h"
#include "shadow.h"

/* What there is beside the state of the live. */
struct fm_rules_reported {
	const char			*name;		/* of the object */
	const char			*vcl;
	const char			*path;

	/* Of the state's version; NULL where it has none. */
	const struct fm_program		*program;
	const struct fm_hits		*hits;		/* NULL: none are */

	const struct fm_shadow_told	*shadow;	/* NULL: none */
};

/*
 * A JSON object, malloc'ed, that ends in a newline and NUL; NULL: no memory.
 * Its keys always are the same ones in the same order; every rule, host, file
 * and message is on a line of its own.  Where nothing is counted the hits are
 * null, and so is never_hit.  In time and memory as long as the report is.
 */
char *fm_rules_report(const struct fm_rules_reported *,
    const struct fm_live_state *);

#endif
