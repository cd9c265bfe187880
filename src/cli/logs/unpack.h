/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The bytes of a file, as they are or unpacked where gzip or zstd packed them.
 * What can be unpacked is, up to the byte that is wrong.
 */

#ifndef FM_UNPACK_H
#define FM_UNPACK_H

#include <stddef.h>

struct fm_unpack;

enum fm_unpack_end {
	FM_UNPACK_FINE,
	FM_UNPACK_ERRNO,
	FM_UNPACK_CUT,
	FM_UNPACK_DAMAGED,
	FM_UNPACK_MORE		/* behind what was packed is something else */
};

/* NULL as the path: the standard input.  NULL: errno says why. */
struct fm_unpack *fm_unpack_open(const char *path);
void fm_unpack_close(struct fm_unpack **);

/* As many as there is room for; fewer: that was all. */
size_t fm_unpack_read(struct fm_unpack *, char *b, size_t room);

/* Why it was all; of what is damaged, in *what, how. */
enum fm_unpack_end fm_unpack_ended(const struct fm_unpack *,
    const char **what);

/* "gzip" or "zstd", which packed the file; NULL: nobody did. */
const char *fm_unpack_by(const struct fm_unpack *);

/* How many bytes of the file that took. */
double fm_unpack_taken(const struct fm_unpack *);

#endif
