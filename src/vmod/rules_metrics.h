/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the object `rules` tells Prometheus: the text of .metrics().  Knows no
 * Varnish.
 */

#ifndef FM_RULES_METRICS_H
#define FM_RULES_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "hits.h"
#include "program.h"
#include "vsc_table.h"

/* The numbers of varnishstat, by their names there. */
struct fm_vsc {
#define FM_VSC_FIELD(name, type, help)	uint64_t name;
	FM_VSC(FM_VSC_FIELD)
#undef FM_VSC_FIELD
};

struct fm_rules_metrics {
	const char			*name;		/* of the object */
	const char			*version;	/* of the module */
	const char			*engine;	/* that scans */
	bool				open;		/* OpenMetrics */
	uint32_t			top;		/* hosts, and rules */
	const struct fm_vsc		*vsc;
	bool				refused;	/* the last reload */

	/* Of what serves; NULL where nothing does, or nothing is counted. */
	const struct fm_program		*program;
	const struct fm_hits		*hits;
};

/*
 * The text, malloc'ed, that ends in a newline and NUL; NULL: no memory.  Of the
 * families of hosts and rules each has at most top + 1 series, whatever was
 * asked for.
 */
char *fm_rules_metrics(const struct fm_rules_metrics *);

#endif
