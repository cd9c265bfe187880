/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Helpers of the "twins".  A twin is a second implementation of some function,
 * for tests only: as simple as can be, however slow.  A test compares both on
 * random input.
 */

#ifndef TWIN_H
#define TWIN_H

#include "twin_text.h"
#include "unit.h"

#define COUNT(a)	((int)(sizeof(a) / sizeof(a)[0]))

/* Asserts: ck_assert() would note each assertion, too slow for a million. */
#define AGREE(is, ...)							\
	do {								\
		if (!(is))						\
			ck_abort_msg(__VA_ARGS__);			\
	} while (0)

/* Frees a text of unit_copy(). */
static inline void
twin_free(struct fm_text t)
{
	free((void *)(uintptr_t)t.b);
}

/* Makes a text of 0 to `longest` random bytes of an alphabet, in buf. */
static inline struct fm_text
twin_random(char *buf, unsigned longest, const char *alphabet)
{
	unsigned i, n = unit_below(longest + 1);

	for (i = 0; i < n; i++)
		buf[i] = alphabet[unit_below((unsigned)strlen(alphabet))];
	return (fm_text(buf, n));
}

#endif
