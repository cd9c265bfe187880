/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Shows the line that a message is about, with a caret below:
 *
 *	    when path starts /shop {
 *	              ^
 */

#ifndef FM_CARET_H
#define FM_CARET_H

#include "diag.h"

#define FM_CARET_ROOM	600	/* bytes: 100 characters, and the caret */

/*
 * Writes the line of a place, from the text of its file, and the line with the
 * caret, with a NUL.  Returns their length; 0 if the text has no such place, or
 * the diag hides the file.
 */
size_t fm_caret_print(struct fm_text text, const struct fm_diag *,
    const struct fm_place *, char buf[FM_CARET_ROOM]);

/* Returns true if the file holds no rules: it may be a secret. */
bool fm_caret_is_secret(const struct fm_diag_message *);

/*
 * Adds their lines to the first errors of the diag (fm_diag_excerpt()), for a
 * page that is shown later, when the file may have changed.  Reads the files
 * again.
 */
void fm_caret_attach(struct fm_diag *);

#endif
