/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What of a request is kept as an example.  Values are secrets, as far as
 * anybody can tell, so there are names, the path, and of values only those of
 * headers that differing rules tested; never those of Cookie, Authorization or
 * the query.  Nothing that rules made of the request is kept: a value may be
 * a part of it.
 */

#ifndef FM_SHADOW_EXAMPLE_H
#define FM_SHADOW_EXAMPLE_H

#include "shadow.h"

#define FM_EXAMPLE_TESTED	8	/* headers with their values */

/* The headers whose values are shown. */
struct fm_example_asked {
	struct fm_text		names[FM_EXAMPLE_TESTED];
	unsigned		n;
};

/* Adds those that a rule tests, by the whens around it. */
void fm_example_ask(struct fm_example_asked *, const struct fm_program *,
    const struct fm_rule *);

/*
 * A request, all of it copied into one piece of memory: about as many bytes as
 * its names have, 12 KB at most.  NULL: no memory.
 */
struct fm_example;

struct fm_example *fm_example_new(const struct fm_view *, struct fm_text host,
    const struct fm_example_asked *);

/* Fills in what is shown, out of the arena.  0, or -1: no memory. */
int fm_example_show(const struct fm_example *, struct fm_arena *,
    struct fm_shadow_example *);

#endif
