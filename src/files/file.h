/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A file, read whole and once.
 */

#ifndef FM_FILE_H
#define FM_FILE_H

#include <sys/stat.h>

#include "diag.h"
#include "text.h"

struct fm_file {
	unsigned	magic;
#define FM_FILE_MAGIC	0x70e2d91f
	char		*bytes;		/* malloc'ed; not ending in NUL */
	size_t		len;
	struct stat	st;		/* of when it was opened */
};

/*
 * Reads a regular file of at most max bytes.  Never waits for a writer, as a
 * FIFO would make it.  NULL with what is wrong in the diag: at the file
 * itself, or, where `asked` is given, at the place that names it ("can't read
 * 'x.list': No such file or directory").
 */
struct fm_file *fm_file_read(const char *path, size_t max,
    const struct fm_place *asked, struct fm_diag *);
void fm_file_free(struct fm_file **);

/* The same without a word: NULL with an errno. */
struct fm_file *fm_file_try(const char *path, size_t max, int *error);

#define FM_FILE_CHANGED	(-1)		/* an error that is no errno */
void fm_file_fault(const char *path, int error, size_t max,
    const struct fm_place *asked, struct fm_diag *);

/* Returns an empty file, with room for so many bytes.  NULL: no memory. */
struct fm_file *fm_file_new(size_t room);

#endif
