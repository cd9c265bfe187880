/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Looks up a host in a host table, for tests that don't need its canonical
 * form.
 */

#ifndef HOST_FIND_H
#define HOST_FIND_H

#include "hosttab.h"

static inline bool
host_find(const struct fm_hosttab *tab, struct fm_text host,
    struct fm_hosttab_hit *hit)
{
	char buf[FM_HOSTNAME_MAX];
	struct fm_text canon;

	return (fm_hosttab_lookup(tab, host, buf, &canon, hit));
}

#endif
