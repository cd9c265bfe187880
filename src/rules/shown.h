/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Prints a part of a file's text for a message, as 'pass' or 'pa\u{200B}ss'.
 */

#ifndef FM_SHOWN_H
#define FM_SHOWN_H

#include "text.h"

#define FM_SHOWN_LEN	64

/*
 * Writes a text with quotes around it, cut to the buffer.  A character that
 * nobody sees, as a blank of no width, becomes \u{200B}.  Returns buf.
 */
const char *fm_text_shown(struct fm_text, const char *quote,
    char buf[FM_SHOWN_LEN]);

#endif
