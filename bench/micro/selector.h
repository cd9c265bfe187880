/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The method of vmod_selector 2.6.0, a perfect hash, out of the module as
 * Debian has it.
 */

#ifndef SELECTOR_H
#define SELECTOR_H

#include <stdbool.h>

struct fm_selector {
	void			*hash;
	char			**strings;
	double			build_ms;
};

/* Loads the module.  NULL, or why not. */
const char *fm_selector_open(const char *path);

/* Takes n strings in an array with elements of that size; they stay there. */
bool fm_selector_init(struct fm_selector *, char *strings, unsigned n,
    unsigned size);
void fm_selector_fini(struct fm_selector *);

/* UINT_MAX: it is not there. */
unsigned fm_selector_lookup(const struct fm_selector *, const char *);

#endif
