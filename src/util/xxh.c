/*
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The functions of xxHash (xxh.h).
 */

#define XXH_IMPLEMENTATION
#include "xxh.h"
