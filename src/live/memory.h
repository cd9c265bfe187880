/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory that goes back to the system.
 */

#ifndef FM_MEMORY_H
#define FM_MEMORY_H

#include <stdint.h>

/* After this many bytes were freed in one go. */
void fm_memory_freed(uint64_t bytes);

#endif
