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

#include "file.h"
#include "secrets.h"

#define FM_CARET_ROOM	600	/* bytes: 100 characters, and the caret */

/* Keeps the file that was shown last, for the next place; {0}: none yet. */
struct fm_caret {
	const char		*name;
	struct fm_file		*file;	/* NULL: it can't be read */
	struct fm_text		input;	/* text of "-", the standard input */
	struct fm_secrets	secrets; /* of that file */
	bool			searched; /* secrets are known */
};

/*
 * Writes the line of a place and the line with the caret.  Returns false if the
 * file has no such place or can't be read, or the diag hides the file.
 */
bool fm_caret_print(struct fm_caret *, const struct fm_diag *,
    const struct fm_place *, char buf[FM_CARET_ROOM]);
void fm_caret_fini(struct fm_caret *);

/*
 * Adds their lines to the messages of the diag (fm_diag_excerpt()), and finds
 * the messages that quote no secret (fm_diag_public()).  `input` is the text of
 * "-".
 */
void fm_caret_attach(struct fm_diag *, struct fm_text input);

#endif
