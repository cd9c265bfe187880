/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The locks of all shards (shard.h).
 */

#include "shard.h"

struct fm_shard_lock fm_shard_locks[FM_SHARDS];
