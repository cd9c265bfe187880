/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Keeps a request as an example of how a shadow differs.  Any value that a
 * client sends may be a secret.  So an example has the path and all names, and
 * values only of headers that the differing rules tested; never the values of
 * Cookie, Set-Cookie, Authorization or the query.  An example of a request has
 * nothing that rules made of it, as that may contain a value; later phases see
 * the path as the rules have left it.
 */

#ifndef FM_SHADOW_EXAMPLE_H
#define FM_SHADOW_EXAMPLE_H

#include "shadow.h"

#define FM_EXAMPLE_TESTED	8	/* headers with their values */

/* The names of the headers whose values an example keeps. */
struct fm_example_asked {
	struct fm_text		names[FM_EXAMPLE_TESTED];
	unsigned		n;
};

/* Adds the headers that a rule tests, in the whens around the rule. */
void fm_example_ask(struct fm_example_asked *, const struct fm_program *,
    const struct fm_rule *);

/*
 * Copies a request into one piece of memory, of less than 12 KB.  Returns an
 * example with one reference; NULL if there is no memory.
 */
struct fm_example *fm_example_new(enum fm_phase, const struct fm_view *,
    struct fm_text host, const struct fm_example_asked *);

/* Fills in all but the cells, and references the example. */
void fm_example_show(struct fm_example *, struct fm_shadow_example *);

/* Drops a reference, in any thread; does nothing for NULL. */
void fm_example_drop(struct fm_example *);

#endif
