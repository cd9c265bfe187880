/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between scan.c and scan_selftest.c.
 */

#ifndef FM_SCAN_PRIV_H
#define FM_SCAN_PRIV_H

#include "scan.h"

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
