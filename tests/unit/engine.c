/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Says whether this machine's engine passes its self-test, for the tests that
 * are scripts: "works", "fails" or (for want of memory) "untested", and its
 * version; or "none", in a build without one.
 */

#include <stdio.h>

#include "engine.h"

int
main(void)
{
	static const char * const words[] = {
		[FM_SCAN_UNTESTED] = "untested",
		[FM_SCAN_HEALTHY] = "works",
		[FM_SCAN_FAILED] = "fails",
		[FM_SCAN_NONE] = "none:"
	};

	printf("%s %s\n", words[unit_engine_health()], fm_scan_engine());
	return (0);
}
