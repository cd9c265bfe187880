/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A library for LD_PRELOAD that makes allocations fail on demand, in a varnishd
 * with the module as it is shipped.  It counts the allocations of the module's
 * own code and lets only these fail; it knows the caller by its return address.
 *
 * FM_FAIL_MEMORY names a file of four 64-bit numbers, which the test reads and
 * writes while varnishd runs:
 *
 *	0	not 0: count allocations
 *	1	the number of the allocation that fails; 0: none
 *	2	not 0: all later allocations fail, too
 *	3	how many allocations there were
 */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
	uint64_t	counts;
	uint64_t	n;
	uint64_t	on;
	uint64_t	asked;
} *demand;

static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static int (*next_posix_memalign)(void **, size_t, size_t);
static void *(*next_aligned_alloc)(size_t, size_t);

/*
 * Sets next_f to the real function.  Only POSIX lets dlsym() return functions.
 */
#define NEXT(f)	(*(void **)&next_##f = dlsym(RTLD_NEXT, #f))

/* Maps the file; varnishd's child process inherits the map. */
static void __attribute__((constructor))
demand_open(void)
{
	const char *path = getenv("FM_FAIL_MEMORY");
	void *p;
	int fd;

	if (path == NULL)
		return;
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	p = mmap(NULL, sizeof *demand, PROT_READ | PROT_WRITE, MAP_SHARED,
	    fd, 0);
	(void)close(fd);
	if (p != MAP_FAILED)
		demand = p;
}

static bool
fails(const void *caller)
{
	uint64_t asked, n;
	Dl_info info;

	if (demand == NULL || !__atomic_load_n(&demand->counts,
	    __ATOMIC_SEQ_CST) || dladdr(caller, &info) == 0 ||
	    strstr(info.dli_fname, "vmod_fastmatch") == NULL)
		return (false);
	asked = __atomic_add_fetch(&demand->asked, 1, __ATOMIC_SEQ_CST);
	n = demand->n;
	if (n == 0 || asked < n || (asked > n && !demand->on))
		return (false);
	errno = ENOMEM;
	return (true);
}
#define FAILS()	fails(__builtin_return_address(0))

void *
malloc(size_t size)
{
	if (next_malloc == NULL)
		NEXT(malloc);
	return (FAILS() ? NULL : next_malloc(size));
}

void *
calloc(size_t n, size_t size)
{
	if (next_calloc == NULL)
		NEXT(calloc);
	return (FAILS() ? NULL : next_calloc(n, size));
}

static void *
resized(void *p, size_t size)
{
	if (next_realloc == NULL)
		NEXT(realloc);
	return (next_realloc(p, size));
}

void *
realloc(void *p, size_t size)
{
	return (FAILS() ? NULL : resized(p, size));
}

void *
reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return (NULL);
	}
	return (FAILS() ? NULL : resized(p, bytes));
}

int
posix_memalign(void **p, size_t align, size_t size)
{
	if (next_posix_memalign == NULL)
		NEXT(posix_memalign);
	return (FAILS() ? ENOMEM : next_posix_memalign(p, align, size));
}

void *
aligned_alloc(size_t align, size_t size)
{
	if (next_aligned_alloc == NULL)
		NEXT(aligned_alloc);
	return (FAILS() ? NULL : next_aligned_alloc(align, size));
}

static char *
copy(const char *s, size_t len)
{
	char *p;

	if (next_malloc == NULL)
		NEXT(malloc);
	p = next_malloc(len + 1);
	if (p == NULL)
		return (NULL);
	memcpy(p, s, len);
	p[len] = '\0';
	return (p);
}

/* Some libcs have these as macros. */
#undef strdup
#undef strndup

char *
strdup(const char *s)
{
	return (FAILS() ? NULL : copy(s, strlen(s)));
}

char *
strndup(const char *s, size_t max)
{
	return (FAILS() ? NULL : copy(s, strnlen(s, max)));
}

/* _FORTIFY_SOURCE makes __asprintf_chk() of asprintf(): both can fail. */
int
asprintf(char **p, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (FAILS())
		return (-1);
	va_start(ap, fmt);
	n = vasprintf(p, fmt, ap);
	va_end(ap);
	return (n);
}

int __asprintf_chk(char **, int, const char *, ...);

int
__asprintf_chk(char **p, int flag, const char *fmt, ...)
{
	va_list ap;
	int n;

	(void)flag;
	if (FAILS())
		return (-1);
	va_start(ap, fmt);
	n = vasprintf(p, fmt, ap);
	va_end(ap);
	return (n);
}
