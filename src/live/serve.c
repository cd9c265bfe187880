/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Gives readers a version, for a call or for a task (version.c says when it is
 * freed).
 */

#include "live_priv.h"
#include "serve.h"
#include "shard.h"

/* Liburcu's part is long: fm_live_pin() calls these two. */
const struct fm_version * __attribute__((noinline))
fm_live_get(const struct fm_live *live)
{
	return (fm_serve_get(live));
}

void __attribute__((noinline))
fm_live_put(const struct fm_version *version)
{
	fm_serve_put(version);
}

/* Returns the pins to count in; they change in a version that is const. */
static uint32_t *
version_shard(const struct fm_version *v)
{
	struct fm_version *w = (struct fm_version *)(uintptr_t)v;

	return (&w->pins[fm_shard()].n);
}

/* Counts relaxed: leaving the section puts the count before any free. */
const struct fm_version *
fm_live_pin(const struct fm_live *live)
{
	const struct fm_version *version;

	version = fm_live_get(live);
	if (version == NULL)
		return (NULL);
	(void)__atomic_fetch_add(version_shard(version), 1, __ATOMIC_RELAXED);
	fm_live_put(version);
	return (version);
}

void
fm_version_unpin(const struct fm_version *version)
{
	if (version == NULL)
		return;
	assert(version->magic == FM_VERSION_MAGIC);
	(void)__atomic_fetch_sub(version_shard(version), 1, __ATOMIC_RELEASE);
}
