/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the requests of logs, one after the other.  A log is what varnishncsa
 * writes, plain or compressed, or what varnishlog -w does.
 */

#ifndef FM_LOGS_H
#define FM_LOGS_H

#include <stdint.h>

#include "access.h"

#define FM_LOGS_UNREADABLE	10	/* so many such lines are remembered */

/* A line of a log, from 1 on; of varnishlog's, a request. */
struct fm_where {
	unsigned		log;		/* of the paths */
	uint64_t		line;
};

/* The counts and what follows them are there after fm_logs_run(). */
struct fm_logs {
	const char		*command;	/* which messages begin with */
	const char * const	*paths;
	size_t			npaths;
	struct fm_access	*access;
	uint64_t		requests;
	uint64_t		unreadable;	/* lines, and the first ones: */
	struct fm_where		first[FM_LOGS_UNREADABLE];
	unsigned		nfirst;
	uint32_t		formats;	/* a bit for each that a line
						 * had */
	char			**troubles;	/* one for each log that could
						 * not be read to its end */
	size_t			ntroubles, troubles_room;
};

/*
 * "-" is the standard input.  The format is that of fm_access_new().  Returns
 * NULL where something is wrong, which the command of this name has said then.
 */
struct fm_logs *fm_logs_open(const char *command, const char * const *paths,
    size_t npaths, const char *format);
void fm_logs_close(struct fm_logs **);

/*
 * Is called for each request; it may take what the message has for itself, and
 * leaves one that was initialised.
 */
typedef void fm_logs_request_f(void *priv, struct fm_message *,
    struct fm_where);

/* Reads everything.  Returns true if all could be read; else it says why. */
bool fm_logs_run(struct fm_logs *, fm_logs_request_f *, void *priv);

/*
 * Returns true if all requests came with it: a log of varnishncsa has what its
 * format has, one of varnishlog everything.  header: its name, if it is
 * HEADER; missing: any there is.
 */
bool fm_logs_has(const struct fm_logs *, enum fm_access_part,
    struct fm_text header);

#endif
