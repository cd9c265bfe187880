/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What is done while something fails: scenarios, each of which can be tried as
 * often as one likes.  Shared by test_fail_memory.c and test_fail_system.c,
 * which have things fail between fail_begin() and fail_end().
 */

#ifndef FAIL_H
#define FAIL_H

#include <stdbool.h>

/* Whether this is built with a sanitizer, which is slow, and has a malloc(). */
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif

enum fail_outcome {
	FAIL_DONE,		/* with the right answers */
	FAIL_REFUSED,		/* and says why */
	FAIL_WRONG		/* see fail_wrong */
};

struct fail_scenario {
	const char		*name;
	enum fail_outcome	(*try)(void);
	bool			slow;
};

/* The last one has no name. */
extern const struct fail_scenario fail_scenarios[];

/* What is wrong, of this thread. */
extern _Thread_local const char *fail_wrong;

/*
 * Of the test: things may fail, and may not any more.  True: something has
 * failed in between.
 */
void fail_begin(void);
bool fail_end(void);

/* What a refusal to read a file has to say in this run. */
const char *fail_reason(void);
/* And which file it has to name; NULL: any. */
const char *fail_file(void);

/* What they need, in a folder of its own; and its end. */
void fail_setup(void);
void fail_teardown(void);

#endif
