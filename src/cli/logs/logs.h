/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the requests of logs, one after the other, for replay, diff, test and
 * import.  A log is a file of varnishncsa, plain or compressed, or a file of
 * `varnishlog -w`.
 *
 *	if (fm_logs_open(&logs, "replay", paths, npaths))
 *		good = fm_logs_run(&logs, on_request, priv);
 */

#ifndef FM_LOGS_H
#define FM_LOGS_H

#include <stdint.h>

#include "access.h"

#define FM_LOGS_UNREADABLE	10	/* lines whose places are kept */

/*
 * The place of a request: a line, or the n-th request of varnishlog's; and what
 * the log has of it beside the request.
 */
struct fm_where {
	unsigned		log;		/* index of paths */
	uint64_t		line;		/* from 1 on */
	uint64_t		vxid;		/* 0: in a log of lines */
	struct fm_access_also	also;		/* of a line */
};

/*
 * Some logs; fm_logs_run() fills in `requests` and what follows.  They have
 * memory to the end of the process.
 */
struct fm_logs {
	const char		*command;	/* its name begins messages */
	const char * const	*paths;
	size_t			npaths;
	struct fm_access	*access;
	uint64_t		requests;
	uint64_t		unreadable;	/* lines that fit no format */
	struct fm_where		first[FM_LOGS_UNREADABLE];
	unsigned		nfirst;		/* how many are in `first` */
	uint32_t		formats;	/* a bit for each format that
						 * some line had */
	char			**troubles;	/* texts about logs that could
						 * not be read to their end */
	size_t			ntroubles, troubles_room;
	bool			responses;	/* set by the caller: the logs
						 * have those of backends */
};

/*
 * Opens logs, in the format of --format; the path "-" is the standard input.
 * Returns false if a path can't be read or the format can't be used; stderr
 * then says why, in the name of the command.
 */
bool fm_logs_open(struct fm_logs *, const char *command,
    const char * const *paths, size_t npaths);

/*
 * Is called for each request.  The function may move the request's contents
 * away, and must leave a request that is initialised.
 */
typedef void fm_logs_request_f(void *priv, struct fm_made_request *,
    struct fm_where);

/* Returns true if a file is a log of varnishlog. */
bool fm_logs_is_vsl(const char *path);

/* Reads all logs.  Returns true if all could be read; else stderr says why. */
bool fm_logs_run(struct fm_logs *, fm_logs_request_f *, void *priv);

/*
 * Returns true if the logs have a part of all requests.  A log of varnishncsa
 * has the parts of its format, a log of varnishlog has all.  `header` is the
 * name for HEADER; the missing text stands for all headers.
 */
bool fm_logs_has(const struct fm_logs *, enum fm_access_part,
    struct fm_text header);

#endif
