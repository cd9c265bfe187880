/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parses the list files that .load() reads.  Each line is one entry:
 *
 *	# a line that begins with # is a comment
 *	*.example.com site1
 *
 * Blanks at both ends of a line, empty lines, and a UTF-8 byte order mark at
 * the start of the file don't count.  Carriage returns at the end of a line are
 * blanks.  The last line needs no newline.
 */

#ifndef FM_LISTFILE_H
#define FM_LISTFILE_H

#include "diag.h"
#include "text.h"

#define FM_LISTFILE_MAX		(256UL << 20)	/* bytes of a file: ten
						 * million entries */
#define FM_LISTFILE_LINE_MAX	(64UL << 10)	/* bytes of an entry: no header
						 * is that long */

/* A reader: { .name = path, .rest = the bytes of the file }. */
struct fm_listfile {
	const char	*name;
	struct fm_text	rest;		/* bytes that were not read yet */
	unsigned	line;		/* number of lines that were read */
};

/*
 * Returns true and the next entry, with its place (the column is that of its
 * first byte); false at the end.  The entry is a part of the file's bytes.
 * Skips an entry that is too long or contains a NUL, with an error in the diag.
 */
bool fm_listfile_next(struct fm_listfile *, struct fm_text *line,
    struct fm_place *, struct fm_diag *);

/*
 * Splits "key -> value" at the first arrow that has blanks around it, the ends
 * of the line included: "key ->" has an empty value, "-> value" an empty key.
 * Without an arrow *value is the missing text.
 */
void fm_listfile_arrow(struct fm_text line, struct fm_text *key,
    struct fm_text *value);

/*
 * Cuts the next column off a line of CSV (RFC 4180), and the comma after it;
 * then the line is the missing text if there is no other column.  Blanks around
 * a column, or around its quotes, don't count.  A column that has quotes inside
 * is written to `room`, which has as many bytes as the line.  Returns false if
 * the quotes don't fit: one that is not closed, or is not the whole column.
 *
 *	a, "b ""c"" d"	a	b "c" d
 */
bool fm_listfile_column(struct fm_text *line, struct fm_text *column,
    char *room);

/* Splits "key value" at the first blank.  Without one *value is missing. */
void fm_listfile_word(struct fm_text line, struct fm_text *key,
    struct fm_text *value);

#endif
