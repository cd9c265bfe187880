/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes the text of .metrics(), in which the object `rules` gives its counters
 * to Prometheus.  The code needs no Varnish.
 */

#ifndef FM_RULES_METRICS_H
#define FM_RULES_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "hits.h"
#include "program.h"
#include "vsc_table.h"

/* The numbers that varnishstat shows, under the names that it shows. */
struct fm_vsc {
#define FM_VSC_FIELD(name, type, help)	uint64_t name;
	FM_VSC(FM_VSC_FIELD)
#undef FM_VSC_FIELD
};

struct fm_rules_metrics {
	const char			*name;		/* of the object */
	const char			*version;	/* of the module */
	const char			*engine;	/* that scans */
	bool				open;		/* OpenMetrics, not the
							 * older text format */
	uint32_t			top;		/* most series of hosts,
							 * and of rules */
	const struct fm_vsc		*vsc;
	bool				refused;	/* last reload */

	/* The version that serves; NULL: none does, or nothing is counted. */
	const struct fm_program		*program;
	const struct fm_hits		*hits;
};

/*
 * Returns the text, malloc'ed, with a newline and a NUL at its end; NULL if
 * there is no memory.  The families of hosts and of rules show at most top + 1
 * hosts or rules each: one is for all others together.
 */
char *fm_rules_metrics(const struct fm_rules_metrics *);

#endif
