/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A build --without-hyperscan has this instead of scan.c: a builder takes
 * everything and keeps nothing, so no scan is made, and nobody calls the
 * functions that want one.
 */

#include "obj.h"
#include "scan.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

struct fm_scan_builder {
	char	nothing;
};

static struct fm_scan_builder scan_builder;

struct fm_scan_builder *
fm_scan_build_new(void)
{
	return (&scan_builder);
}

void
fm_scan_build_free(struct fm_scan_builder **bp)
{
	*bp = NULL;
}

int
fm_scan_build_add(struct fm_scan_builder *b, enum fm_pattern_kind kind,
    struct fm_text text, bool nocase, bool gate, uint32_t id)
{
	return (0);
}

struct fm_scan *
fm_scan_build(struct fm_scan_builder *b, fm_scan_refused_f *refused,
    void *priv)
{
	return (NULL);
}

void
fm_scan_free(struct fm_scan **sp)
{
	abort();
}

size_t
fm_scan_bytes(const struct fm_scan *s)
{
	abort();
}

size_t
fm_scan_scratch_bytes(const struct fm_scan *s)
{
	abort();
}

int
fm_scan_ready(struct fm_scan *s)
{
	abort();
}

bool
fm_scan_run(const struct fm_scan *s, struct fm_text subject,
    fm_scan_hit_f *hit, void *priv)
{
	abort();
}

enum fm_scan_health
fm_scan_health(void)
{
	return (FM_SCAN_NONE);
}

const char *
fm_scan_engine(void)
{
	return ("none");
}
