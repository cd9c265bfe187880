/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A clock for single calls, and caches without what they held.
 *
 * The walk is over small pages, so that it takes the TLB's entries too.  Where
 * the L2 cache does not hold what the L1 cache for code does, code would
 * survive it; so a block of code is walked as well, which also leaves the
 * branch predictor something else to remember, as a server's other code does.
 */

#include <sys/mman.h>
#include <time.h>

#include "bench.h"

#define LINE		64
#define CODE_BYTES	(256UL << 10)
#define WALK_FACTOR	2

static double
clock_now(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ((double)ts.tv_sec * 1e9 + (double)ts.tv_nsec);
}

#if defined(__x86_64__)
#include <x86intrin.h>

static double ns_per_tick;

uint64_t
fm_clock_ticks(void)
{
	uint64_t t;

	_mm_lfence();
	t = __rdtsc();
	_mm_lfence();
	return (t);
}

static void
clock_calibrate(void)
{
	double start, end;
	uint64_t ticks;

	start = clock_now();
	ticks = fm_clock_ticks();
	do {
		end = clock_now();
	} while (end - start < 50e6);
	ns_per_tick = (end - start) / (double)(fm_clock_ticks() - ticks);
}

double
fm_clock_ns(uint64_t ticks)
{
	if (ns_per_tick == 0)
		clock_calibrate();
	return ((double)ticks * ns_per_tick);
}
#else
uint64_t
fm_clock_ticks(void)
{
	return ((uint64_t)clock_now());
}

double
fm_clock_ns(uint64_t ticks)
{
	return ((double)ticks);
}
#endif

double
fm_clock_step(void)
{
	static uint64_t least = UINT64_MAX;
	uint64_t a, b;
	unsigned i;

	for (i = 0; least == UINT64_MAX || i < 1000; i++) {
		a = fm_clock_ticks();
		b = fm_clock_ticks();
		if (b > a && b - a < least)
			least = b - a;
	}
	return (fm_clock_ns(least));
}

/* Asks Linux; sysconf() can be wrong about L3 in virtual machines. */
static size_t
cache_size(enum fm_mode mode)
{
	char path[80];
	unsigned long kb;
	size_t size = 0;
	FILE *f;
	int i;

	if (mode == FM_MODE_WARM)
		return (0);
	i = mode == FM_MODE_L2 ? 2 : 3;
	(void)snprintf(path, sizeof path,
	    "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
	f = fopen(path, "r");
	if (f != NULL) {
		if (fscanf(f, "%luK", &kb) == 1)
			size = kb << 10;
		(void)fclose(f);
	}
	return (size);
}

bool
fm_cache_known(enum fm_mode mode)
{
	return (mode == FM_MODE_WARM || cache_size(mode) > 0);
}

size_t
fm_cache_walk(enum fm_mode mode)
{
	return (WALK_FACTOR * cache_size(mode));
}

static unsigned char *
cache_map(size_t bytes, int protection)
{
	void *p;

	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		fm_bench_die("no memory");
	(void)madvise(p, bytes, MADV_NOHUGEPAGE);
	memset(p, 1, bytes);
	if (protection == PROT_READ)
		return (p);
#if defined(__x86_64__)
	memset(p, 0xc3, bytes);			/* ret */
#elif defined(__aarch64__)
	{
		uint32_t *code = p;
		size_t i;

		for (i = 0; i < bytes / sizeof *code; i++)
			code[i] = 0xd65f03c0;	/* ret */
	}
#else
	(void)munmap(p, bytes);
	return (NULL);
#endif
	/* Code may be forbidden here: then only the data is walked. */
	if (mprotect(p, bytes, PROT_READ | PROT_EXEC) != 0)
		return (NULL);
	__builtin___clear_cache(p, (char *)p + bytes);
	return (p);
}

static void
cache_walk_code(const unsigned char *code)
{
	size_t i;
	union {
		const unsigned char	*b;
		void			(*f)(void);
	} u;

	for (i = 0; i < CODE_BYTES; i += LINE) {
		u.b = code + i;
		u.f();
	}
}

void
fm_cache_evict(enum fm_mode mode)
{
	static unsigned char *data[FM_MODE__ALL], *code;
	static size_t size[FM_MODE__ALL];
	volatile unsigned char *p;
	size_t i;

	if (data[mode] == NULL) {
		size[mode] = fm_cache_walk(mode);
		data[mode] = cache_map(size[mode], PROT_READ);
		if (code == NULL)
			code = cache_map(CODE_BYTES, PROT_EXEC);
	}
	p = data[mode];
	for (i = 0; i < size[mode]; i += LINE)
		(void)p[i];
	if (code != NULL)
		cache_walk_code(code);
}

void
fm_cache_touch(struct fm_text t)
{
	const volatile char *p = t.b;
	size_t i;

	for (i = 0; i < t.len; i++)
		(void)p[i];
}
