/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Replaces scan.c in a build --without-hyperscan.  fm_scan_new() never makes a
 * scan, so nothing calls the functions that take one.
 */

#include "obj.h"
#include "scan.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

struct fm_scan *
fm_scan_new(struct fm_pattern * const *patterns, unsigned char *matchers,
    size_t n, const struct fm_place *place, struct fm_diag *diag)
{
	return (NULL);
}

void
fm_scan_free(struct fm_scan **sp)
{
	abort();
}

size_t
fm_scan_bytes(const struct fm_scan *scan)
{
	abort();
}

size_t
fm_scan_scratch_bytes(const struct fm_scan *scan)
{
	abort();
}

bool
fm_scan_run(const struct fm_scan *scan, struct fm_text subject,
    fm_scan_hit_f *hit, void *priv)
{
	abort();
}

enum fm_scan_health
fm_scan_health(void)
{
	return (FM_SCAN_NONE);
}

unsigned
fm_scan_lacks(void)
{
	return (0);
}

const char *
fm_scan_lacks_name(void)
{
	return (NULL);
}

const char *
fm_scan_engine(void)
{
	return ("none");
}
