/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The line that a message is about, with a caret below:
 *
 *	    when path starts /shop {
 *	              ^
 */

#ifndef FM_CARET_H
#define FM_CARET_H

#include "diag.h"

#define FM_CARET_ROOM	600	/* bytes: 100 characters, and the caret */

/*
 * Writes both lines of that place in the text of its file, with a NUL, and
 * returns their length; 0 where the place is none, or the diag hides what is
 * in the file.
 */
size_t fm_caret_print(struct fm_text text, const struct fm_diag *,
    const struct fm_place *, char buf[FM_CARET_ROOM]);

/* Returns true if the file holds no rules: it may be a secret. */
bool fm_caret_is_secret(const struct fm_diag_message *);

/*
 * Gives the first errors of the diag their lines (fm_diag_excerpt()), for who
 * shows them later, when the file may be another one.  Reads the files again.
 */
void fm_caret_attach(struct fm_diag *);

#endif
