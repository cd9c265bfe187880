/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Logs and chunks, as those who read them have them.
 */

#ifndef FM_LOGS_PRIV_H
#define FM_LOGS_PRIV_H

#include <pthread.h>

#include "logs.h"
#include "unpack.h"

#define FM_CHUNK	((size_t)1 << 20)	/* a longer line is not read */

struct fm_vsl;

/* What a thread has taken. */
struct fm_chunk {
	char			*b;		/* FM_CHUNK bytes */
	size_t			len;
	uint32_t		number;
	bool			records;	/* of fm_vsl_fill(); or lines */
	bool			cut;		/* the start of a line that is
						 * too long */

	/* What came of it. */
	uint32_t		lines, requests, unreadable;
	uint32_t		first[FM_LOGS_UNREADABLE];
	uint32_t		formats;	/* a bit for each that a line
						 * had */
};

/* Where a chunk was. */
struct fm_chunk_origin {
	uint32_t		log;
	uint32_t		lines, requests;
};

struct fm_logs {
	const char		*command;
	const char * const	*paths;
	size_t			npaths;
	struct fm_access	*access;

	pthread_mutex_t		reading;	/* of what is below: held
						 * while a pipe has nothing */
	size_t			current;	/* the log that is being read */
	struct fm_unpack	*unpack;	/* one of these, or none: not */
	struct fm_vsl		*vsl;		/* opened yet */
	char			*rest;		/* what no chunk has had yet */
	size_t			rest_len;
	bool			skipping;	/* to the end of a line */
	bool			begun, ended;
	char			**troubles;
	size_t			ntroubles, troubles_room;
	double			before;		/* bytes of what was read */

	pthread_mutex_t		lock;		/* of what is below */
	struct fm_chunk_origin	*origins;
	size_t			norigins, origins_room;
	uint64_t		requests, unreadable;
	uint32_t		formats;
	struct fm_where		first[FM_LOGS_UNREADABLE];
	unsigned		nfirst;
	double			size, taken;	/* bytes of all, and of what
						 * was taken; -1: who knows */
};

/* false: there is no more.  Give what was taken. */
bool fm_logs_take(struct fm_logs *, struct fm_chunk *);
void fm_logs_give(struct fm_logs *, const struct fm_chunk *);

/* Among the troubles: a log of which no line could be read. */
void fm_logs_note_others(struct fm_logs *);

/* How much of all was taken, from 0 to 1; less than 0: who knows. */
double fm_logs_progress(struct fm_logs *, uint64_t *requests);

/*--------------------------------------------------------------------
 * What varnishlog -w writes
 */

/* Whether a file begins so. */
bool fm_vsl_is(const char *path);

/* NULL: *wrong says why, in words of malloc(). */
struct fm_vsl *fm_vsl_open(const char *path, char **wrong);
void fm_vsl_close(struct fm_vsl **);

/* Requests, as many as there is room for; 0: no more, or what *wrong says. */
size_t fm_vsl_fill(struct fm_vsl *, char *b, size_t room, char **wrong);

/* The next of these, which is always one; returns where it ends. */
const char *fm_vsl_read(const char *b, const char *end, struct fm_message *);

#endif
