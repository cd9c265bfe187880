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

/*
 * The same in its parts, for one who remembers how it went: reading, what
 * there is to say of an error, and saying it.
 */
struct fm_file_fate {
	int		error;		/* errno; 0: it was read */
	int		unseen;		/* errno of stat(); 0: there is st */
	struct stat	st;		/* of when it was opened; where it
					 * could not be, of just before */
};

struct fm_file *fm_file_try(const char *path, size_t max,
    struct fm_file_fate *);

#define FM_FILE_WHY_LEN	64

/* Returns buf. */
const char *fm_file_why(int error, size_t max, char buf[FM_FILE_WHY_LEN]);
void fm_file_fault(const char *path, const char *why,
    const struct fm_place *asked, struct fm_diag *);

/* As if it had been read from such a file.  NULL: no memory. */
struct fm_file *fm_file_new(struct fm_text, const struct stat *);

#endif
