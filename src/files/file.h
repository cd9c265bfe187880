/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads a whole file into memory, with the stat() and the name of the file that
 * was read.
 */

#ifndef FM_FILE_H
#define FM_FILE_H

#include <sys/stat.h>

#include "diag.h"
#include "text.h"

struct fm_file {
	unsigned	magic;
#define FM_FILE_MAGIC	0x70e2d91f
	char		*bytes;		/* malloc'ed; no NUL at the end */
	size_t		len;
	struct stat	st;		/* when it was opened */
	char		*real;		/* malloc'ed: the absolute path of what
					 * was opened, without links; "": a
					 * text, not a file; NULL: not
					 * known */
};

/*
 * Reads a regular file of at most max bytes.  Does not wait for a writer, as
 * opening a FIFO would.  Returns NULL with an error in the diag: at the place
 * `asked` that names the file ("can't read 'x.list': No such file or
 * directory"), or at the file itself if `asked` is NULL.
 */
struct fm_file *fm_file_read(const char *path, size_t max,
    const struct fm_place *asked, struct fm_diag *);
void fm_file_free(struct fm_file **);

/*
 * fm_file_try() reads as fm_file_read() does, but returns NULL and sets *error
 * to an errno or FM_FILE_CHANGED.  fm_file_fault() makes an error in the diag
 * of that.
 */
struct fm_file *fm_file_try(const char *path, size_t max, int *error);

#define FM_FILE_CHANGED	(-1)		/* the file has changed meanwhile */
void fm_file_fault(const char *path, int error, size_t max,
    const struct fm_place *asked, struct fm_diag *);

/* Returns an empty file with room for these bytes; NULL: no memory. */
struct fm_file *fm_file_new(size_t room);

#endif
