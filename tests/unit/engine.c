/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Says whether this machine's engine passes its self-test, for the tests that
 * are scripts: "works" or "fails", and its version.
 */

#include <stdio.h>

#include "engine.h"

int
main(void)
{
	bool works = unit_engine_health() == FM_SCAN_HEALTHY;

	printf("%s %s\n", works ? "works" : "fails", fm_scan_engine());
	return (0);
}
