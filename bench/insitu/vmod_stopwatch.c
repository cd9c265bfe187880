/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The stopwatch of bench/insitu: two clock readings around a policy, and one
 * raw sample for each request, in a file that the driver has made and reads.
 *
 * Varnish runs vcl_hash for whatever vcl_recv has decided, so there the clock
 * stops. For an answer made in VCL it runs on while vcl_synth makes the
 * Location; what Varnish does between the two is not the policy's. Or the clock
 * runs in vcl_deliver alone.
 */

#include "config.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "cache/cache.h"
#include "vcl.h"

#include "vcc_stopwatch_if.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

#define WATCH_MAGIC	0x77a7c401u
#define HEAD_SIZE	4096

enum watch_clock {
	CLOCK_IS_NS = 0,
	CLOCK_IS_TSC = 1,
};

/* The last place where a request was seen. */
enum watch_where {
	AT_HASH = 1,		/* a lookup whose end we have not seen */
	AT_HIT,
	AT_MISS,
	AT_PASS,
	AT_PIPE,
	AT_SYNTH,
	AT_DELIVER,		/* its time is that of vcl_deliver alone */
};

struct watch_mark {
	uint64_t		ticks;
	uint64_t		ns;
};

/* harness.py reads these two, in the byte order of this machine. */
struct watch_head {
	uint32_t		magic;
	uint32_t		clock;
	_Atomic uint64_t	used;		/* may be more than there are */
	struct watch_mark	marks[2];
};

struct watch_sample {
	uint16_t		variant;
	uint16_t		where;
	uint32_t		ticks;
};

_Static_assert(sizeof(struct watch_head) == 48, "harness.py unpacks it");
_Static_assert(sizeof(struct watch_sample) == 8, "harness.py unpacks it");

static struct watch_head *head;
static struct watch_sample *samples;
static uint64_t capacity;

/* A thread keeps the times of the request that it works for. */
static __thread struct watch_thread {
	uint64_t		t0;
	int			running;
	struct watch_sample	now;
	struct watch_sample	*kept;
} thread;

static uint64_t
clock_ns(void)
{
	struct timespec ts;

	AZ(clock_gettime(CLOCK_MONOTONIC, &ts));
	return ((uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec);
}

/*
 * Returns 1 if the TSC runs at one speed for ever. Read in order (rdtscp,
 * lfence) the TSC costs what clock_gettime() does, 25 ns where this was
 * written, and a plain rdtsc 10 ns less. The TSC reads no memory: the pages
 * of the vDSO would be cold or warm by what the policy did before. Plain rdtsc
 * is out, for it moves among the instructions of what it should measure.
 */
static int
clock_is_tsc(void)
{
#if defined(__x86_64__)
	unsigned a, b, c, d;

	if (__get_cpuid(0x80000007, &a, &b, &c, &d) == 0 ||
	    (d & (1u << 8)) == 0)
		return (0);
	return (__get_cpuid(0x80000001, &a, &b, &c, &d) != 0 &&
	    (d & (1u << 27)) != 0);
#else
	return (0);
#endif
}

static inline uint64_t
clock_read(void)
{
#if defined(__x86_64__)
	unsigned cpu;
	uint64_t t;

	if (__builtin_expect(head->clock == CLOCK_IS_TSC, 1)) {
		t = __rdtscp(&cpu);
		_mm_lfence();
		return (t);
	}
#endif
	return (clock_ns());
}

/* The pair of readings that were closest to each other, of some. */
static void
mark_clocks(struct watch_mark *mark)
{
	uint64_t before, ns, after, best = UINT64_MAX;
	int i;

	for (i = 0; i < 100; i++) {
		before = clock_read();
		ns = clock_ns();
		after = clock_read();
		if (after - before < best) {
			best = after - before;
			mark->ticks = before + best / 2;
			mark->ns = ns;
		}
	}
}

VCL_VOID
vmod_open(VRT_CTX, VCL_STRING file)
{
	struct stat st;
	void *map;
	int fd;

	if (head != NULL) {
		VRT_fail(ctx, "stopwatch.open(): open already");
		return;
	}
	fd = open(file == NULL ? "" : file, O_RDWR | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0 || st.st_size <= HEAD_SIZE) {
		VRT_fail(ctx, "stopwatch.open(): can't use %s",
		    file == NULL ? "" : file);
		if (fd >= 0)
			(void)close(fd);
		return;
	}
	/* Populated, so that no page fault falls into a later request. */
	map = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_POPULATE, fd, 0);
	(void)close(fd);
	if (map == MAP_FAILED || *(uint32_t *)map != WATCH_MAGIC) {
		VRT_fail(ctx, "stopwatch.open(): %s is not a file of samples",
		    file);
		if (map != MAP_FAILED)
			(void)munmap(map, (size_t)st.st_size);
		return;
	}
	head = map;
	samples = (void *)((char *)map + HEAD_SIZE);
	capacity = ((uint64_t)st.st_size - HEAD_SIZE) / sizeof *samples;
	head->clock = clock_is_tsc() ? CLOCK_IS_TSC : CLOCK_IS_NS;
	mark_clocks(&head->marks[0]);
}

VCL_VOID
vmod_mark(VRT_CTX)
{

	CHECK_OBJ_NOTNULL(ctx, VRT_CTX_MAGIC);
	if (head != NULL)
		mark_clocks(&head->marks[1]);
}

VCL_VOID
vmod_start(VRT_CTX)
{
	struct watch_thread *th = &thread;

	if (head == NULL)
		return;
	if (ctx->method == VCL_MET_RECV || ctx->method == VCL_MET_DELIVER) {
		th->kept = NULL;
		th->now.ticks = 0;
	}
	th->running = 1;
	/* The last thing here, as it is the first in stop(). */
	th->t0 = clock_read();
}

static unsigned
where_is(unsigned method)
{

	switch (method) {
	case VCL_MET_HASH:
		return (AT_HASH);
	case VCL_MET_HIT:
		return (AT_HIT);
	case VCL_MET_MISS:
		return (AT_MISS);
	case VCL_MET_PASS:
		return (AT_PASS);
	case VCL_MET_PIPE:
		return (AT_PIPE);
	case VCL_MET_DELIVER:
		return (AT_DELIVER);
	default:
		return (AT_SYNTH);
	}
}

VCL_VOID
vmod_stop(VRT_CTX, VCL_INT variant)
{
	struct watch_thread *th;
	uint64_t t1, n;

	if (head == NULL)
		return;
	t1 = clock_read();
	th = &thread;
	/*
	 * A lookup that waited for another's fetch goes on in any thread: what
	 * that one has seen before is another request.
	 */
	if (!th->running &&
	    (th->kept == NULL || th->now.variant != (uint16_t)variant))
		return;
	if (th->running) {
		th->running = 0;
		t1 = t1 - th->t0 + th->now.ticks;
		th->now.ticks = t1 < UINT32_MAX ? (uint32_t)t1 : UINT32_MAX;
	}
	th->now.variant = (uint16_t)variant;
	th->now.where = (uint16_t)where_is(ctx->method);
	if (th->kept == NULL) {
		n = atomic_fetch_add_explicit(&head->used, 1,
		    memory_order_relaxed);
		if (n >= capacity)
			return;
		th->kept = samples + n;
	}
	*th->kept = th->now;
}
