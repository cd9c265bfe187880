/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Prints a part of a file's text for a message.
 */

#ifndef FM_SHOWN_H
#define FM_SHOWN_H

#include "text.h"

#define FM_SHOWN_LEN	64

/* Cut short, with quotes around it; what nobody sees by its number. */
const char *fm_text_shown(struct fm_text, const char *quote,
    char buf[FM_SHOWN_LEN]);

#endif
