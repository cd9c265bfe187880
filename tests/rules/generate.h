/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes random rule files, which have no errors by construction, and random
 * requests that rules are likely to match.
 */

#ifndef GENERATE_H
#define GENERATE_H

#include <stdint.h>

#include "view.h"

/*
 * The same rules in two spellings.  The first is plain; the second has other
 * quotes, blanks, comments and parentheses, which change nothing.  Each line
 * has the same statements in both.
 */
struct generate_rules {
	char			*text[2];	/* malloc'ed, end in NUL */
	size_t			len[2];
	bool			costly;	/* PCRE2 may give up on some regexes */
};

void generate_rules(struct generate_rules *, uint64_t seed);
void generate_rules_free(struct generate_rules *);

#define GENERATE_FIELDS	128

/* A request; each of its texts is malloc'ed in its exact size. */
struct generate_request {
	struct fm_view		view;
	struct fm_field		fields[GENERATE_FIELDS];
	unsigned char		marks[GENERATE_FIELDS];
};

/* Makes a request; `costly`: with more texts that regexes may give up on. */
void generate_request(struct generate_request *, uint64_t seed, bool costly);
void generate_request_free(struct generate_request *);

#endif
