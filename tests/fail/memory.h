/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes allocations of the tested code fail on demand: malloc() and the like,
 * and calls of libraries that allocate (to compile a regex, for scratch).
 * The linker sends these calls here (--wrap), so AddressSanitizer
 * still sees leaks.
 *
 *	memory_start(3, false);		(the third allocation fails)
 *	...
 *	asked = memory_stop(&failed);
 */

#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>

/*
 * Lets the n-th allocation of this thread fail, counted from 1 (0: none fails);
 * with `on`, all that follow fail, too.
 */
void memory_start(unsigned long n, bool on);

/*
 * Lets no more allocations fail.  Returns how many there were; *failed is how
 * many of them have failed (`failed` may be NULL).
 */
unsigned long memory_stop(unsigned long *failed);

#endif
