/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the tests of globs, names and parameters share: their definitions,
 * each written as the simplest thing that can be right.
 */

#ifndef TWIN_H
#define TWIN_H

#include "twin_text.h"
#include "unit.h"

#define COUNT(a)	((int)(sizeof(a) / sizeof(a)[0]))

/* Check takes a note of each assertion: too slow for a million of them. */
#define AGREE(is, ...)							\
	do {								\
		if (!(is))						\
			ck_abort_msg(__VA_ARGS__);			\
	} while (0)

/* Of unit_copy(). */
static inline void
twin_free(struct fm_text t)
{
	free((void *)(uintptr_t)t.b);
}

/* 0 to `longest` bytes of an alphabet, in buf. */
static inline struct fm_text
twin_random(char *buf, unsigned longest, const char *alphabet)
{
	unsigned i, n = unit_below(longest + 1);

	for (i = 0; i < n; i++)
		buf[i] = alphabet[unit_below((unsigned)strlen(alphabet))];
	return (fm_text(buf, n));
}

#endif
