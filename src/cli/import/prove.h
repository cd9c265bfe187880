/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * import --prove: both VCLs in a varnishd, by another program.
 */

#ifndef FM_IMPORT_PROVE_H
#define FM_IMPORT_PROVE_H

#include <stdbool.h>

struct fm_prove {
	const char		*what;		/* a log, or a number */
	const char		*format;	/* of the log; or NULL */
	const char		*seed;		/* or NULL */
	const char		*vmods;		/* or NULL */
	const char		*folders;	/* of includes; or NULL */
	bool			usual;		/* requests of clients only */
	const char		*vcl, *rest;	/* the old one, the new */
	char			*folder;	/* goes at the end */
};

/* Makes the folder; false: it was said why not. */
bool fm_prove_start(struct fm_prove *);
/*
 * Returns 0 where there is no difference, 1 where there is one, 2 where they
 * could not be compared, 3 where there is none, but few branches were taken.
 */
int fm_prove_run(const struct fm_prove *);
void fm_prove_end(struct fm_prove *);

#endif
