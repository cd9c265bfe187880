/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes the JSON of .report(), in which the object `rules` describes itself.
 * The code needs no Varnish.
 */

#ifndef FM_RULES_REPORT_H
#define FM_RULES_REPORT_H

#include "hits.h"
#include "live.h"
#include "program.h"
#include "shadow.h"

/* The file `next`, whose rules a share of the clients get. */
struct fm_next_told {
	const char			*path;
	double				share;		/* percent */
	bool				serves;
	const struct fm_live_state	*state;
	const struct fm_diag		*diag;		/* why the file is not
							 * used; NULL: it is */
};

/* The parts of a report that are not in the state of the live. */
struct fm_rules_reported {
	const char			*name;		/* of the object */
	const char			*vcl;
	const char			*path;
	double				clock;		/* now, for
							 * fm_hits_read() */

	/* These are of the state's version; NULL if there is none. */
	const struct fm_program		*program;
	const struct fm_hits		*hits;		/* NULL: not counted */

	const struct fm_shadow_told	*shadow;	/* NULL: no shadow */
	const struct fm_next_told	*next;		/* NULL: no `next` */
};

/*
 * Returns a JSON object, malloc'ed, that ends in a newline and a NUL; NULL if
 * there is no memory.  The object always has the same keys in the same order;
 * every rule, host, file and message has a line.  Numbers that are not known
 * are null, and so is never_hit if nothing is counted.  Time and memory are
 * linear in the report's length.
 */
char *fm_rules_report(const struct fm_rules_reported *,
    const struct fm_live_state *);

#endif
