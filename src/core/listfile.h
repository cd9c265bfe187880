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

#include <sys/stat.h>

#include "diag.h"
#include "sources.h"
#include "text.h"

#define FM_LISTFILE_MAX		(256UL << 20)	/* bytes of a file */
#define FM_LISTFILE_LINE_MAX	(64UL << 10)	/* bytes of an entry */

struct fm_listfile;

/*
 * Reads the whole file, once, as fm_sources_read() does (NULL sources: nobody
 * remembers it).  NULL with what is wrong in the diag: at the file, or at the
 * place that asked for it, where there is one.
 */
struct fm_listfile *fm_listfile_read(const char *path, struct fm_sources *,
    const struct fm_place *asked, struct fm_diag *);

/* Of a file that was read, and is the listfile's from now on, come what may. */
struct fm_listfile *fm_listfile_of(struct fm_file **, const char *path,
    const struct fm_place *asked, struct fm_diag *);
void fm_listfile_free(struct fm_listfile **);

/* Of the file when it was opened. */
const struct stat *fm_listfile_stat(const struct fm_listfile *);

/*
 * The next entry and its place, with the column of its first byte; the texts
 * live as long as the listfile, the name in the place too.  false at the end.
 * A malformed entry (a NUL byte, too long) goes to the diag and is passed
 * over.
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
