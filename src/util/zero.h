/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Zeroes structures.
 */

#ifndef FM_ZERO_H
#define FM_ZERO_H

#include <stddef.h>
#include <string.h>

/*
 * Zeroes the start of a structure.  In line, gcc would write `rep stos`, which
 * takes long to start.
 */
static inline void
fm_zero(void *start, size_t len)
{
	__asm__("" : "+r"(len));
	memset(start, 0, len);
}

#endif
