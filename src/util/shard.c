/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The number and the locks of all shards (shard.h).
 */

#include <sched.h>

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

unsigned
fm_shard_look(void)
{
	struct fm_thread *self = fm_thread_self;
	unsigned shard = 0;
#ifdef __linux__
	int cpu = sched_getcpu();

	if (cpu >= 0)
		shard = (unsigned)cpu & (fm_shards - 1);
#endif
	if (self != NULL) {
		self->shard = shard;
		self->shard_stays = FM_SHARD_STAYS - 1;
	}
	return (shard);
}
