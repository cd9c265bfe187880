/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The object `patterns`: filling it (patterns.c), and asking it
 * (patterns_match.c).
 */

#ifndef FM_PATTERNS_H
#define FM_PATTERNS_H

#include "caps.h"
#include "filling.h"
#include "patset.h"

/* Pattern n of the set has entry n of the values. */
struct fm_patterns_set {
	unsigned			magic;
#define FM_PATTERNS_SET_MAGIC		0x18f5d32b
	bool				nocase;
	struct fm_values		values;
	struct fm_place			first;		/* entry's */
	struct fm_caps			caps;
	struct fm_patset		*patset;	/* NULL: it can't be
							 * made */
};

/* The option of the recipe. */
#define FM_PATTERNS_NOCASE		1U

extern const struct fm_recipe_type fm_patterns_type;

struct vmod_fastmatch_patterns {
	unsigned			magic;
#define FM_PATTERNS_MAGIC		0x0a7be4d1
	struct fm_object		object;
	struct fm_filling		filling;
};

/* This task's last .match() is none any more. */
void fm_patterns_forget(VRT_CTX, const struct vmod_fastmatch_patterns *);

#endif
