/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The number and the locks of all shards (shard.h).
 */

#include "shard.h"

unsigned fm_shards = 1;
struct fm_shard_lock fm_shard_locks[FM_SHARDS_MAX];

void
fm_shard_begin(int cpus)
{
	static bool begun;

	if (begun)
		return;
	begun = true;
	while ((int)fm_shards < cpus && fm_shards < FM_SHARDS_MAX)
		fm_shards *= 2;
}
