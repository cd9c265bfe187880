/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Says whether this machine's engine passes its self-test, for the tests that
 * are scripts: "works", "fails" or (for want of memory) "untested", and its
 * version; or "none", in a build without one.  An engine that lacks anchors
 * "works in part".
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
	enum fm_scan_health health = unit_engine_health();

	printf("%s%s %s\n", words[health], fm_scan_lacks() == 0 ? "" :
	    " in part", fm_scan_engine());
	return (0);
}
