/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Time by the monotonic clock, instructions by perf_event_open(2), where the
 * machine has such a counter and lets us read it.
 */

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

static const char *
why_not(int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return ("not allowed: see kernel.perf_event_paranoid");
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return ("this machine has no such counter, as many virtual "
		    "ones");
	case ENOSYS:
		return ("this kernel has no perf events");
	default:
		return (strerror(error));
	}
}

void
fm_clock_init(struct fm_clock *clock)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.type = PERF_TYPE_HARDWARE;
	attr.size = sizeof attr;
	attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	clock->fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
	    PERF_FLAG_FD_CLOEXEC);
	clock->why = clock->fd < 0 ? why_not(errno) : NULL;
}

void
fm_clock_fini(struct fm_clock *clock)
{
	if (clock->fd >= 0)
		(void)close(clock->fd);
	clock->fd = -1;
}

struct fm_moment
fm_clock_read(const struct fm_clock *clock)
{
	struct fm_moment now = { 0, 0 };
	struct timespec ts;
	uint64_t count;

	if (clock->fd >= 0 &&
	    read(clock->fd, &count, sizeof count) == sizeof count)
		now.instructions = (double)count;
	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	now.ns = (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
	return (now);
}
