/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A naive twin of rules for responses, for tests only: walks the model as it is
 * written, and edits a list of headers.  It knows the words that only responses
 * have; of all others those, and the modes, that test_response_random.c writes.
 */

#ifndef NAIVE_RESPONSE_H
#define NAIVE_RESPONSE_H

#include "arena.h"
#include "model.h"
#include "run.h"

#define NAIVE_HEADERS	250

struct naive_header {
	struct fm_text		name, value;
	bool			gone;
};

struct naive_response {
	const struct fm_model	*model;
	const struct fm_view	*view;
	enum fm_phase		phase;
	struct fm_arena		arena;

	struct fm_response	is;		/* `rule` is missing */
	struct naive_header	headers[NAIVE_HEADERS];
	unsigned		nheaders;
	const struct fm_no_vary	*no_vary;	/* of this host */
	struct fm_text		told;		/* by the last cache-status, */
	struct fm_text		before;		/* of Cache-Status before it */
	enum fm_verdict		verdict;
	unsigned		status;		/* of the verdict */
	unsigned		line;		/* of the verdict; 0: none */
	unsigned		by;		/* line that gave the lifetime;
						 * 0: none */
	struct fm_text		calls[FM_LIMIT_CALLS]; /* subs, in order */
	unsigned		ncalls;
};

/* Runs a response; the host is a.example if its block is to run. */
void naive_respond(struct naive_response *, const struct fm_model *,
    enum fm_phase, const struct fm_view *, struct fm_text host);
void naive_response_fini(struct naive_response *);

#endif
