/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * fm_live_get() and fm_live_put() (live.h) in line, for what each request does.
 */

#ifndef FM_SERVE_H
#define FM_SERVE_H

#include "live_priv.h"
#include "rcu.h"

static inline const struct fm_version *
fm_serve_get(const struct fm_live *live)
{
	const struct fm_version *version;

	FM_OBJ_CHECK(live, FM_LIVE_MAGIC);
	fm_rcu_enter();
	version = fm_rcu_load(&live->current);
	if (version == NULL)
		fm_rcu_leave_nothing();
	return (version);
}

static inline void
fm_serve_put(const struct fm_version *version)
{
	if (version == NULL)
		return;
	assert(version->magic == FM_VERSION_MAGIC);
	fm_rcu_leave();
}

#endif
