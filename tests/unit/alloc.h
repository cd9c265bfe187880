/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes allocations fail in a unit test.  The test is linked with
 * $(alloc_ldflags); or, if it defines ALLOC_MALLOC, with
 * $(alloc_malloc_ldflags): then malloc and strdup fail, too, which the
 * assertions of Check call.
 *
 *	alloc_left = 3;		(three allocations succeed, all others fail)
 *	...
 *	alloc_left = -1;	(all succeed)
 */

#ifndef UNIT_ALLOC_H
#define UNIT_ALLOC_H

#include <stdbool.h>
#include <stdlib.h>

void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void *__real_reallocarray(void *, size_t, size_t);
void *__real_aligned_alloc(size_t, size_t);
char *__real_strdup(const char *);
void *__wrap_malloc(size_t);
void *__wrap_calloc(size_t, size_t);
void *__wrap_realloc(void *, size_t);
void *__wrap_reallocarray(void *, size_t, size_t);
void *__wrap_aligned_alloc(size_t, size_t);
char *__wrap_strdup(const char *);

static __thread long alloc_left = -1;

static bool
alloc_fails(void)
{
	if (alloc_left > 0)
		alloc_left--;
	else if (alloc_left == 0)
		return (true);
	return (false);
}

#ifdef ALLOC_MALLOC
void *
__wrap_malloc(size_t size)
{
	return (alloc_fails() ? NULL : __real_malloc(size));
}

char *
__wrap_strdup(const char *s)
{
	return (alloc_fails() ? NULL : __real_strdup(s));
}
#endif

void *
__wrap_calloc(size_t n, size_t size)
{
	return (alloc_fails() ? NULL : __real_calloc(n, size));
}

void *
__wrap_realloc(void *p, size_t size)
{
	return (alloc_fails() ? NULL : __real_realloc(p, size));
}

void *
__wrap_reallocarray(void *p, size_t n, size_t size)
{
	return (alloc_fails() ? NULL : __real_reallocarray(p, n, size));
}

void *
__wrap_aligned_alloc(size_t align, size_t size)
{
	return (alloc_fails() ? NULL : __real_aligned_alloc(align, size));
}

#endif
