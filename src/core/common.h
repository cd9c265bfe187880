/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Texts that many of a set have: to find one of these says little about which
 * it is.
 */

#ifndef FM_COMMON_H
#define FM_COMMON_H

#include "text.h"

struct fm_common;

/* NULL: no memory. */
struct fm_common *fm_common_new(void);
void fm_common_free(struct fm_common **);

/* One more has this text, in whatever case.  0, or -1: no memory. */
int fm_common_add(struct fm_common *, struct fm_text);

/*
 * Texts that more than `most` have, of those that were added since the last
 * time, are common from now on.  Returns how many that are, or -1: no memory.
 */
int fm_common_mark(struct fm_common *, unsigned most);

bool fm_common_is(const struct fm_common *, struct fm_text);

#endif
