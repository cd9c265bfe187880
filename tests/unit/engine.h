/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Skips tests of scans where there are none: in a build without Hyperscan, and
 * on a machine where Hyperscan fails its self-test.  PCRE2 then gives all
 * answers, and the tests of the answers still run.
 */

#ifndef UNIT_ENGINE_H
#define UNIT_ENGINE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scan.h"

/* Makes the self-test, unless this process has made it; returns the result. */
static inline enum fm_scan_health
unit_engine_health(void)
{
	const struct fm_place place = { .name = "x" };
	unsigned char matcher = FM_MATCHER_SCAN;
	struct fm_scan *scan = NULL;
	struct fm_pattern *pattern;

	pattern = fm_pattern_new(FM_PATTERN_CONTAINS, fm_text("x", 1), false,
	    &place, NULL);
	if (pattern != NULL)
		scan = fm_scan_new(&pattern, &matcher, 1, NULL, NULL);
	if (scan != NULL)
		fm_scan_free(&scan);
	if (pattern != NULL)
		fm_pattern_free(&pattern);
	return (fm_scan_health());
}

/*
 * Returns true if scans work; asks a child, as no scan may come before the
 * tests.
 */
static inline bool
unit_engine_works(void)
{
	static int works = -1;
	int status;
	pid_t pid;

	if (fm_scan_health() == FM_SCAN_NONE)
		return (false);
	if (works >= 0)
		return (works);
	pid = fork();
	if (pid == 0)
		_exit(unit_engine_health() == FM_SCAN_FAILED);
	works = pid < 0 || waitpid(pid, &status, 0) != pid || status == 0;
	return (works);
}

/*
 * Prints why a test is skipped, once (tests are children that would repeat it).
 */
static inline void
unit_skip(const char *test)
{
	if (fm_scan_health() == FM_SCAN_NONE)
		printf("SKIP %s: built without Hyperscan\n", test);
	else
		printf("SKIP %s: %s fails its self-test here\n", test,
		    fm_scan_engine());
	fflush(stdout);
}

/* Returns whether scans work; if not, prints that a test is skipped. */
static inline bool
unit_may_scan(const char *test)
{
	if (unit_engine_works())
		return (true);
	unit_skip(test);
	return (false);
}

/* A test that needs scans (see UNIT_TEST() of unit.h). */
#define UNIT_SCANNING(name)		UNIT_ADD(name, 1, unit_may_scan)
#define UNIT_SCANNING_LOOP(name, n)	UNIT_ADD(name, n, unit_may_scan)

#endif
