/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between scan.c and scan_selftest.c.
 */

#ifndef FM_SCAN_PRIV_H
#define FM_SCAN_PRIV_H

#include "scan.h"

/* fm_scan_build() without asking for the engine's health. */
struct fm_scan *scan_compile(const struct fm_scan_builder *,
    fm_scan_refused_f *, void *priv);

/*
 * Is every hit found?  Scans inputs of 2 to 299 bytes with the hit at every
 * offset.  -1: no memory, so not known.
 */
int scan_selftest(void);

#endif
