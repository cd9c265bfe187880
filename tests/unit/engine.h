/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tests of what is scanned, and of when, need an engine that this machine can
 * trust.  Where it fails its self-test, and in a build without it, there are no
 * scans: the answers are those of PCRE2, and only the tests of these remain.
 */

#ifndef UNIT_ENGINE_H
#define UNIT_ENGINE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scan.h"

/* Has the engine make its self-test in this process, unless it has. */
static inline enum fm_scan_health
unit_engine_health(void)
{
	const struct fm_place place = { .name = "x" };
	unsigned char way = FM_WAY_SCAN;
	struct fm_scan *s = NULL;
	struct fm_pattern *p;

	p = fm_pattern_new(FM_PATTERN_CONTAINS, fm_text("x", 1), false, &place,
	    NULL);
	if (p != NULL)
		s = fm_scan_new(&p, &way, 1);
	if (s != NULL)
		fm_scan_free(&s);
	if (p != NULL)
		fm_pattern_free(&p);
	return (fm_scan_health());
}

/* Asked in a child, so that this process has not scanned yet. */
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

/* At once: tests are children, and would say it again. */
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

/* Adds a test that means nothing without scans, or says why not. */
#define unit_add_scanning(tc, test)					\
	unit_add_scanning_loop(tc, test, 0, 1)

#define unit_add_scanning_loop(tc, test, from, to)			\
	do {								\
		if (unit_engine_works())				\
			tcase_add_loop_test(tc, test, from, to);	\
		else							\
			unit_skip(#test);				\
	} while (0)

#endif
