/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The bytes of a file, as they are or unpacked where gzip packed them.  What
 * can be unpacked is, up to the byte that is wrong.
 */

#ifndef FM_GZ_H
#define FM_GZ_H

#include <stddef.h>

struct fm_gz;

enum fm_gz_end {
	FM_GZ_FINE,
	FM_GZ_ERRNO,
	FM_GZ_CUT,
	FM_GZ_DAMAGED,
	FM_GZ_MORE		/* behind what gzip packed is something else */
};

/* NULL as the path: the standard input.  NULL: errno says why. */
struct fm_gz *fm_gz_open(const char *path);
void fm_gz_close(struct fm_gz **);

/* As many as there is room for; fewer: that was all. */
size_t fm_gz_read(struct fm_gz *, char *b, size_t room);

/* Why it was all; of what is damaged, in *what, how. */
enum fm_gz_end fm_gz_ended(const struct fm_gz *, const char **what);

/* How many bytes of the file that took. */
double fm_gz_taken(const struct fm_gz *);

#endif
