/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A text that is looked for in others in either case, as find.h does where case
 * counts: by its rarest byte, and where that leads astray too often, steadily.
 * It takes time as memmem() does, whatever the texts are.
 */

#ifndef FM_FOLDED_H
#define FM_FOLDED_H

#include "text.h"

struct fm_folded;

/* Of a text that is not empty.  NULL: no memory. */
struct fm_folded *fm_folded_new(struct fm_text what);
void fm_folded_free(struct fm_folded **);

/* Its leftmost place in the text; NULL: none. */
const char *fm_folded_find(const struct fm_folded *, struct fm_text);

size_t fm_folded_bytes(const struct fm_folded *);

#endif
