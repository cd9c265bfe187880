/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory that fails on demand: each call of ours that allocates, malloc() and
 * the like, and what asks a library for something (a regex compiled, scratch, a
 * glob).  The linker brings them here (--wrap), so AddressSanitizer sees what
 * leaks.
 */

#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>

/*
 * From here on, in this thread: the n-th allocation fails (from 1; 0: none),
 * and with `on` all that follow.
 */
void memory_start(unsigned long n, bool on);

/* None fails any more.  How many were asked for; failed (or NULL): how many
 * of them in vain. */
unsigned long memory_stop(unsigned long *failed);

#endif
