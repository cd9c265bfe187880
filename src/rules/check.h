/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a human wants to be told of a model: every error and every warning.
 * And what the names in it stand for.
 */

#ifndef FM_CHECK_H
#define FM_CHECK_H

#include "model.h"
#include "sources.h"

struct fm_check_options {
	/*
	 * The backends that there are.  NULL: unknown; then the check says
	 * nothing about backends (the VMOD does when the VCL gets warm).
	 */
	const char * const	*backends;
	size_t			nbackends;
	/* No fewer host patterns than this; 0: any number. */
	uint32_t		min_hosts;
	/* It is to serve: lists and the like are not enough. */
	bool			serving;
	/* That the files were read through, or NULL. */
	struct fm_sources	*sources;
};

/*
 * Reports to the diag and completes the model (all that is commented "check"
 * there).  true: no errors, and the model may be compiled.  options may be
 * NULL.
 */
bool fm_check(struct fm_model *, const struct fm_check_options *,
    struct fm_diag *);

#endif
