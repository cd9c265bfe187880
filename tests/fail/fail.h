/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Scenarios: things that the code does while something fails (loading rules,
 * say).  Each can be tried any number of times. test_fail_memory.c and
 * test_fail_system.c define fail_begin() and fail_end(); a scenario calls both
 * around the code that may fail:
 *
 *	fail_begin();
 *	program = fm_rules_load(...);
 *	failed = fail_end();
 */

#ifndef FAIL_H
#define FAIL_H

#include <stdbool.h>

/*
 * SANITIZED: built with a sanitizer, which is slow, and has its own malloc().
 */
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif

enum fail_outcome {
	FAIL_DONE,		/* it worked, with the right answers */
	FAIL_REFUSED,		/* it failed, and said why */
	FAIL_WRONG		/* see fail_wrong */
};

struct fail_scenario {
	const char		*name;
	enum fail_outcome	(*try)(void);
	bool			slow;
};

/* All scenarios; the last element has no name. */
extern const struct fail_scenario fail_scenarios[];

/* Why the last scenario of this thread was FAIL_WRONG. */
extern _Thread_local const char *fail_wrong;

/*
 * The test defines these: things may fail between both calls. fail_end()
 * returns true if something has failed.
 */
void fail_begin(void);
bool fail_end(void);

/* Returns what a message must say that refuses a file in this run. */
const char *fail_reason(void);
/* Returns which file such a message must name; NULL: any. */
const char *fail_file(void);

/* Make the files of the scenarios in a temporary folder; and remove it. */
void fail_setup(void);
void fail_teardown(void);

#endif
