/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What `fastmatch bench` is made of: requests, and a clock.
 */

#ifndef FM_BENCH_H
#define FM_BENCH_H

#include "message.h"
#include "model.h"

/*--------------------------------------------------------------------
 * Requests
 */

struct fm_requests {
	struct fm_message	*v;
	size_t			n, room;
};

struct fm_message *fm_requests_add(struct fm_requests *);
void fm_requests_fini(struct fm_requests *);

/*
 * Made up of what the rules speak of: their hosts, the operands of their
 * tests, the names of their parameters, cookies and headers.  The same seed
 * gives the same requests.
 */
void fm_requests_make_up(struct fm_requests *, const struct fm_model *,
    size_t n, unsigned seed);

/*
 * Of a log (logs.h), at most max.  *skipped is how many lines could not be
 * read as requests.  false: it was said what is wrong.
 */
bool fm_requests_read(struct fm_requests *, const char *path, size_t max,
    size_t *skipped);

/*
 * Of a file of requests as HTTP/1 has them (fastmatch(1)).  false: it says what
 * is wrong.
 */
bool fm_requests_http(struct fm_requests *, const char *path);

/*--------------------------------------------------------------------
 * Words that rules speak of
 */

struct fm_bench_word {
	enum fm_pattern_kind	mode;
	struct fm_text		text;		/* the model's */
};

struct fm_bag {
	struct fm_bench_word	*v;
	size_t			n, room;
};

struct fm_bench_header {
	struct fm_text		name;
	struct fm_bag		values;
};

struct fm_vocabulary {
	struct fm_bag		paths, agents, methods;
	struct fm_bag		params, cookies;	/* names */
	struct fm_bag		nets;
	struct fm_bench_header	*headers;		/* other ones */
	size_t			nheaders, headers_room;
};

void fm_vocabulary_init(struct fm_vocabulary *, const struct fm_model *);
void fm_vocabulary_fini(struct fm_vocabulary *);

/*--------------------------------------------------------------------
 * Time and instructions
 */

struct fm_clock {
	int			fd;		/* -1: no instructions, */
	const char		*why;		/* and why */
};

struct fm_moment {
	double			ns;
	double			instructions;	/* 0 without */
};

void fm_clock_init(struct fm_clock *);
void fm_clock_fini(struct fm_clock *);
struct fm_moment fm_clock_read(const struct fm_clock *);

#endif
