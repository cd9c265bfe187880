/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Shows the line of a file that a message is about, with a caret below:
 *
 *	site.rules:3:5: error: unknown statement
 *	    pas;
 *	    ^
 */

#ifndef FM_EXCERPT_H
#define FM_EXCERPT_H

#include <stdio.h>

#include "diag.h"

/* Keeps the file that was shown last, for the next message; {0}: none yet. */
struct fm_excerpt {
	char			*name;
	char			*text;
	size_t			len;
	struct fm_text		input;	/* what "-" (stdin) has */
};

/*
 * Writes the line at a place, and the caret.  Writes nothing if the file can't
 * be read, or if the diag hides its text.
 */
void fm_excerpt_put(struct fm_excerpt *, const struct fm_diag *,
    const struct fm_place *, FILE *);
void fm_excerpt_fini(struct fm_excerpt *);

/*
 * Write the errors (or all messages) of a diag, each with its line and caret,
 * and return how many they wrote.  `input` is the text of the file "-";
 * missing: "-" is no file here.
 */
unsigned fm_excerpt_errors(const struct fm_diag *, FILE *to);
unsigned fm_excerpt_messages(const struct fm_diag *, struct fm_text input,
    FILE *to);

#endif
