/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Where a short text is in another one: as memmem(), which has to make a table
 * first, but by one byte of it, for as long as that doesn't lead astray too
 * often.  It takes time as memmem() does, whatever the texts are.
 */

#ifndef FM_FIND_H
#define FM_FIND_H

#include "text.h"

/* The place in a text of the byte that others have least; in either case. */
size_t fm_find_rare(struct fm_text, bool nocase);

/*
 * The leftmost place of `what`, which is not empty; its byte at `rare` leads
 * there.  NULL: none.
 */
const char *fm_find(struct fm_text t, struct fm_text what, size_t rare);

/* Whether there are so few of the byte in a text, which are taken off. */
bool fm_find_few(struct fm_text t, int byte, size_t *few);

#endif
