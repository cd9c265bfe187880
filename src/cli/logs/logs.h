/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Logs, read by many threads: a thread takes a chunk of whole lines, and reads
 * the requests in it.  A log is what varnishncsa writes, plain or compressed
 * with gzip or zstd, or what varnishlog -w does.
 */

#ifndef FM_LOGS_H
#define FM_LOGS_H

#include <stdint.h>

#include "access.h"

#define FM_LOGS_UNREADABLE	10	/* so many such lines are remembered */

struct fm_logs;

/* A line of a log (of varnishlog's: a request); both are from 0 on. */
struct fm_where {
	uint32_t		chunk;
	uint32_t		line;		/* of the chunk */
};

static inline bool
fm_where_before(struct fm_where a, struct fm_where b)
{
	return (a.chunk != b.chunk ? a.chunk < b.chunk : a.line < b.line);
}

/*
 * "-" is the standard input.  The format is that of fm_access_new().  NULL: it
 * was said what is wrong, by the command of this name.
 */
struct fm_logs *fm_logs_open(const char *command, const char * const *paths,
    size_t npaths, const char *format);
void fm_logs_close(struct fm_logs **);

/*
 * Called for each request, by the thread whose state that is; it may take
 * what the message has for itself, and leaves one that was initialised.
 * false: this thread has enough.
 */
typedef bool fm_logs_request_f(void *state, struct fm_message *,
    struct fm_where);

/*
 * Reads everything, with so many threads, of which each has a state.  Shows
 * how far it is where stderr is a terminal.  Whether all could be read; if not,
 * it was said.
 */
bool fm_logs_run(struct fm_logs *, void * const *states, unsigned nthreads,
    fm_logs_request_f *);

/* As many as there are CPUs to run on. */
unsigned fm_logs_threads(void);

/*--------------------------------------------------------------------
 * After it
 */

uint64_t fm_logs_requests(const struct fm_logs *);
uint64_t fm_logs_unreadable(const struct fm_logs *);	/* lines */

/*
 * Returns true if all requests came with it: a log of varnishncsa has what its
 * format has, one of varnishlog everything.  header: its name, if it is
 * HEADER; missing: any there is.
 */
bool fm_logs_has(const struct fm_logs *, enum fm_access_part,
    struct fm_text header);

/* The n-th line that could not be read; false past the last that is known. */
bool fm_logs_unreadable_at(const struct fm_logs *, unsigned n,
    struct fm_where *);

/* The file, and the line in it, from 1. */
const char *fm_logs_place(const struct fm_logs *, struct fm_where,
    uint64_t *line);

/* What was wrong with a log; NULL past the last. */
const char *fm_logs_trouble(const struct fm_logs *, unsigned n);

#endif
