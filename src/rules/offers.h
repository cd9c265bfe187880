/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the offer of a `normalize` that a header likes best: by negotiate.h, or
 * with `named`, for which an offer counts only if the header has its name.
 */

#ifndef FM_OFFERS_H
#define FM_OFFERS_H

#include <stdbool.h>

#include "text.h"

/*
 * Returns the best offer, or the missing text.  A blank is between two offers.
 * With `named`, the answer is in buf, which has as many bytes as the offers.
 */
struct fm_text fm_offers_best(struct fm_text offers, bool named,
    struct fm_text header, char *buf);

#endif
