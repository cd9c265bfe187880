/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between scan.c, scan_list.c and scan_selftest.c.
 */

#ifndef FM_SCAN_PRIV_H
#define FM_SCAN_PRIV_H

#include "scan.h"

struct scan_expr {
	char		*text;
	unsigned	flags;
	uint32_t	id;
};

struct fm_scan_builder {
	unsigned		magic;
#define FM_SCAN_BUILDER_MAGIC	0x0be5a1c3
	struct scan_expr	*exprs;
	size_t			n, cap;
};

/* Takes the text, which may be NULL for want of memory.  0, or -1: likewise. */
int fm_scan_build_add(struct fm_scan_builder *, char *text, unsigned flags,
    uint32_t id);

/* The expressions as hs_compile_multi() takes them, without the refused. */
struct scan_arrays {
	const char	**texts;
	unsigned	*flags;
	unsigned	*ids;
	unsigned	n;
	bool		no_memory;	/* for something of it */
};

bool fm_scan_arrays_fill(struct scan_arrays *, const struct fm_scan_builder *);
void fm_scan_arrays_free(struct scan_arrays *);
void fm_scan_arrays_drop(struct scan_arrays *, unsigned i);
void fm_scan_arrays_swap(struct scan_arrays *, unsigned i, unsigned k);

/*
 * fm_scan_build() without asking for the engine's health.  *no_memory: that is
 * why it is NULL, or why something was refused.
 */
struct fm_scan *fm_scan_compile(const struct fm_scan_builder *b,
    fm_scan_refused_f *refused, void *priv, bool *no_memory);

/*
 * Is every hit found?  Scans inputs of 2 to 299 bytes with the hit at every
 * offset.  1: yes; 0: no, or it doesn't compile the test's sets; -1: not
 * known, for want of memory.
 */
int fm_scan_selftest(void);

#endif
