/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which of the offers of a `normalize` a header likes best: negotiate.h, and
 * `named`, where an offer counts only if the header has its name.
 */

#ifndef FM_OFFERS_H
#define FM_OFFERS_H

#include <stdbool.h>

#include "text.h"

/*
 * The offers have blanks between them.  With named, buf has room for so many
 * bytes as the offers have, and the answer is in it; it must outlive that.
 */
struct fm_text fm_offers_best(struct fm_text offers, bool named,
    struct fm_text header, char *buf);

#endif
