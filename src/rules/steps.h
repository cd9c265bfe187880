/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The way from the headers before the rules to those after them, in steps.  An
 * edited header is removed and added at the place of the first of its name; a
 * new header comes last:
 *
 *	KEPT	Host: example.com
 *	REMOVED	Cookie: a=1; b=2
 *	ADDED	Cookie: b=2
 */

#ifndef FM_STEPS_H
#define FM_STEPS_H

#include "run.h"

enum fm_step_kind {
	FM_STEP_KEPT,
	FM_STEP_REMOVED,
	FM_STEP_ADDED
};

struct fm_step {
	enum fm_step_kind	kind;
	struct fm_text		name, value;
};

/*
 * Returns the n steps of a run, for free(); NULL if there is no memory.  Those
 * of a response are about its own headers.
 */
struct fm_step *fm_steps(const struct fm_view *, const struct fm_result *,
    size_t *n);

#endif
