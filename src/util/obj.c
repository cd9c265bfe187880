/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "config.h"

#include <stdio.h>

#include "obj.h"

void
fm_assert_failed(const char *condition, const char *file, int line)
{

	(void)fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line,
	    condition);
	abort();
}
