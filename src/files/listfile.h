/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The files that .load() reads: one entry a line.  Blanks at both ends of a
 * line, empty lines, and lines whose first byte other than a blank is `#` do
 * not count; carriage returns before the end of a line are blanks.  The last
 * line needs no newline.  A UTF-8 byte order mark before the first line does
 * not count.
 */

#ifndef FM_LISTFILE_H
#define FM_LISTFILE_H

#include "diag.h"
#include "text.h"

#define FM_LISTFILE_MAX		(256UL << 20)	/* bytes of a file: ten
						 * million entries */
#define FM_LISTFILE_LINE_MAX	(64UL << 10)	/* bytes of an entry: no header
						 * has as many */

/* A reader: { .name = path, .rest = the bytes of the file }. */
struct fm_listfile {
	const char	*name;
	struct fm_text	rest;		/* that was not read yet */
	unsigned	line;		/* how many were read */
};

/*
 * Returns the next entry and its place, with the column of its first byte; the
 * entry is a part of the file's bytes, the name in the place is the reader's.
 * false at the end.  A malformed entry (a NUL byte, too long) goes to the diag
 * and is passed over.
 */
bool fm_listfile_next(struct fm_listfile *, struct fm_text *line,
    struct fm_place *, struct fm_diag *);

/*
 * "key -> value": the arrow has blanks around it, the first one counts.  The
 * ends of the line are blanks here: "key ->" has an empty value, "-> value"
 * an empty key.  Without an arrow *value is the missing text.
 */
void fm_listfile_arrow(struct fm_text line, struct fm_text *key,
    struct fm_text *value);

/* "key value": up to the first blank.  Without one *value is missing. */
void fm_listfile_word(struct fm_text line, struct fm_text *key,
    struct fm_text *value);

#endif
