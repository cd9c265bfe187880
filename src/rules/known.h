/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What is known of a host before anybody asks for it: what the maps of the
 * host give for each that stands in the rules by its own name.  So for these
 * a map takes no lookup.
 */

#ifndef FM_KNOWN_H
#define FM_KNOWN_H

struct fm_program;

/* Fills in known[], by asking the maps themselves.  0, or -1: no memory. */
int fm_known_make(struct fm_program *);

#endif
