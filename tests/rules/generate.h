/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Random rule files, valid by construction, and random requests that are
 * likely to meet them.
 */

#ifndef GENERATE_H
#define GENERATE_H

#include <stdint.h>

#include "view.h"

/*
 * The same rules in two spellings: the first is plain, the second has other
 * quotes, blanks, comments and parentheses that change nothing.  What stands
 * in a line of one stands in the same line of the other.
 */
struct generate_rules {
	char			*text[2];	/* malloc'ed, end in NUL */
	size_t			len[2];
	bool			costly;	/* some of its regexes may give up */
};

void generate_rules(struct generate_rules *, uint64_t seed);
void generate_rules_free(struct generate_rules *);

#define GENERATE_FIELDS	128

/* Every text of the view is malloc'ed, and as long as it is. */
struct generate_request {
	struct fm_view		view;
	struct fm_field		fields[GENERATE_FIELDS];
};

/* costly: such regexes are met more often. */
void generate_request(struct generate_request *, uint64_t seed, bool costly);
void generate_request_free(struct generate_request *);

#endif
