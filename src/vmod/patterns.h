/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The object `patterns`: filling it (patterns.c) and asking it
 * (patterns_match.c).
 */

#ifndef FM_PATTERNS_H
#define FM_PATTERNS_H

#include "object.h"
#include "patset.h"
#include "value.h"

/*
 * Pattern n of the set has entry n of the values.  In vcl_init, what is added
 * waits in the builder; the set is made when it is needed, and taken apart
 * again by a later .add().  After the first WARM there is always a set, and
 * nothing changes any more.
 */
struct vmod_fastmatch_patterns {
	unsigned			magic;
#define FM_PATTERNS_MAGIC		0x0a7be4d1
	bool				nocase;
	struct fm_object		object;
	struct fm_values		values;
	struct fm_patset_builder	*builder;	/* NULL: no change */
	struct fm_patset		*set;		/* NULL: not yet */
};

/* Makes the set if there is none.  0, or -1 with the reason in the diag. */
int fm_patterns_compile(struct vmod_fastmatch_patterns *, struct fm_diag *);

/* This task's last .match() is none any more. */
void fm_patterns_forget(VRT_CTX, const struct vmod_fastmatch_patterns *);

#endif
