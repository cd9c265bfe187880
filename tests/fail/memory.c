/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes allocations fail (memory.h): wraps malloc() and the like, and the
 * functions of libraries that allocate.
 */

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "config.h"

#ifdef HAVE_HYPERSCAN
#  include <hs.h>
#endif
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "fail.h"
#include "memory.h"

static _Thread_local struct {
	bool			started;
	unsigned long		n;
	bool			on;
	unsigned long		asked;
	unsigned long		failed;
} memory;

void
memory_start(unsigned long n, bool on)
{
	memory.n = n;
	memory.on = on;
	memory.asked = memory.failed = 0;
	memory.started = true;
}

unsigned long
memory_stop(unsigned long *failed)
{
	memory.started = false;
	if (failed != NULL)
		*failed = memory.failed;
	return (memory.asked);
}

static bool
fails(void)
{
	if (!memory.started)
		return (false);
	memory.asked++;
	if (memory.n == 0 || memory.asked < memory.n ||
	    (memory.asked > memory.n && !memory.on))
		return (false);
	memory.failed++;
	errno = ENOMEM;
	return (true);
}

#define WRAPPED(type, name, args)					\
	type __real_##name args;					\
	type __wrap_##name args;					\
	type __wrap_##name args

WRAPPED(void *, malloc, (size_t n))
{
	return (fails() ? NULL : __real_malloc(n));
}

WRAPPED(void *, calloc, (size_t n, size_t size))
{
	return (fails() ? NULL : __real_calloc(n, size));
}

WRAPPED(void *, realloc, (void *p, size_t n))
{
	return (fails() ? NULL : __real_realloc(p, n));
}

WRAPPED(void *, reallocarray, (void *p, size_t n, size_t size))
{
	return (fails() ? NULL : __real_reallocarray(p, n, size));
}

WRAPPED(void *, aligned_alloc, (size_t align, size_t n))
{
	return (fails() ? NULL : __real_aligned_alloc(align, n));
}

WRAPPED(char *, strdup, (const char *s))
{
	return (fails() ? NULL : __real_strdup(s));
}

WRAPPED(char *, strndup, (const char *s, size_t n))
{
	return (fails() ? NULL : __real_strndup(s, n));
}

int __wrap_asprintf(char **, const char *, ...)
    __attribute__((format(printf, 2, 3)));

int
__wrap_asprintf(char **p, const char *fmt, ...)
{
	va_list ap;
	int n;

	*p = NULL;
	if (fails())
		return (-1);
	va_start(ap, fmt);
	n = vasprintf(p, fmt, ap);
	va_end(ap);
	return (n);
}

WRAPPED(void *, mmap, (void *at, size_t len, int prot, int flags, int fd,
    off_t offset))
{
	return (fails() ? MAP_FAILED :
	    __real_mmap(at, len, prot, flags, fd, offset));
}

/* Does nothing: waiting for the disk would take most of a test's time. */
WRAPPED(int, fsync, (int fd))
{
	(void)fd;
	(void)__real_fsync;
	return (0);
}

WRAPPED(int, pthread_setspecific, (pthread_key_t key, const void *p))
{
	return (fails() ? ENOMEM :
	    __real_pthread_setspecific(key, p));
}

WRAPPED(int, usleep, (useconds_t us))
{
	(void)us;
	(void)__real_usleep;
	return (0);
}

/* Hyperscan: fails as it does itself without memory. */
#ifdef HAVE_HYPERSCAN
static char hs_no_memory_text[] = "Unable to allocate memory.";
static hs_compile_error_t hs_no_memory = { hs_no_memory_text, -1 };

WRAPPED(hs_error_t, hs_free_compile_error, (hs_compile_error_t *error))
{
	return (error == &hs_no_memory ? HS_SUCCESS :
	    __real_hs_free_compile_error(error));
}

static hs_error_t
hs_fails(hs_compile_error_t **error)
{
	*error = &hs_no_memory;
	return (HS_COMPILER_ERROR);
}

WRAPPED(hs_error_t, hs_compile_multi, (const char *const *texts,
    const unsigned *flags, const unsigned *ids, unsigned n, unsigned mode,
    const hs_platform_info_t *platform, hs_database_t **db,
    hs_compile_error_t **error))
{
	*db = NULL;
	*error = NULL;
	return (fails() ? hs_fails(error) : __real_hs_compile_multi(texts,
	    flags, ids, n, mode, platform, db, error));
}

WRAPPED(hs_error_t, hs_expression_info, (const char *text, unsigned flags,
    hs_expr_info_t **info, hs_compile_error_t **error))
{
	return (fails() ? hs_fails(error) :
	    __real_hs_expression_info(text, flags, info, error));
}

WRAPPED(hs_error_t, hs_alloc_scratch, (const hs_database_t *db,
    hs_scratch_t **scratch))
{
	if (!fails())
		return (__real_hs_alloc_scratch(db, scratch));
	(void)hs_free_scratch(*scratch);
	*scratch = NULL;
	return (HS_NOMEM);
}

WRAPPED(hs_error_t, hs_clone_scratch, (const hs_scratch_t *from,
    hs_scratch_t **to))
{
	*to = NULL;
	return (fails() ? HS_NOMEM :
	    __real_hs_clone_scratch(from, to));
}
#endif

/* PCRE2 */
WRAPPED(pcre2_code *, pcre2_compile_8, (PCRE2_SPTR text, PCRE2_SIZE len,
    uint32_t options, int *error, PCRE2_SIZE *at,
    pcre2_compile_context *context))
{
	if (!fails())
		return (__real_pcre2_compile_8(text, len, options, error, at,
		    context));
	*error = PCRE2_ERROR_HEAP_FAILED;
	*at = 0;
	return (NULL);
}

WRAPPED(int, pcre2_jit_compile_8, (pcre2_code *code, uint32_t options))
{
	return (fails() ? PCRE2_ERROR_NOMEMORY :
	    __real_pcre2_jit_compile_8(code, options));
}

WRAPPED(pcre2_match_data *, pcre2_match_data_create_8, (uint32_t groups,
    pcre2_general_context *context))
{
	return (fails() ? NULL :
	    __real_pcre2_match_data_create_8(groups, context));
}

WRAPPED(pcre2_match_context *, pcre2_match_context_create_8,
    (pcre2_general_context *context))
{
	return (fails() ? NULL :
	    __real_pcre2_match_context_create_8(context));
}

WRAPPED(pcre2_jit_stack *, pcre2_jit_stack_create_8, (PCRE2_SIZE min,
    PCRE2_SIZE max, pcre2_general_context *context))
{
	return (fails() ? NULL :
	    __real_pcre2_jit_stack_create_8(min, max, context));
}
