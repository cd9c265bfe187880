/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The line that a message is about, with a caret below.
 */

#ifndef FM_EXCERPT_H
#define FM_EXCERPT_H

#include <stdio.h>

#include "diag.h"

/* The file that was read last; {0} at the beginning. */
struct fm_excerpt {
	char			*name;
	char			*text;
	size_t			len;
	struct fm_text		input;	/* of "-", the standard input */
};

/*
 * Writes the line and the caret; nothing where the file can't be read, or
 * where the diag hides what is in it.
 */
void fm_excerpt_put(struct fm_excerpt *, const struct fm_diag *,
    const struct fm_place *, FILE *);
void fm_excerpt_fini(struct fm_excerpt *);

/*
 * Writes each message of a diag, or each error, with its line and caret;
 * input: what "-" is, or no text.  Returns how many messages were written.
 */
unsigned fm_excerpt_errors(const struct fm_diag *, FILE *to);
unsigned fm_excerpt_messages(const struct fm_diag *, struct fm_text input,
    FILE *to);

#endif
