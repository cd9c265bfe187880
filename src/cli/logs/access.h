/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A line of an access log, by the format that varnishncsa wrote it with.
 */

#ifndef FM_ACCESS_H
#define FM_ACCESS_H

#include "message.h"

struct fm_access;

/*
 * A format as that of varnishncsa's -F; NULL: the usual ones, whichever a line
 * has (fastmatch(1)).  NULL where the format can't be used; *wrong says why.
 */
struct fm_access *fm_access_new(const char *format, const char **wrong);
void fm_access_free(struct fm_access **);

/*
 * The request of a line (without its newline), into a message that was
 * initialised, and the number of the format that the line has, which is less
 * than 32.  The line is overwritten.  false: it can't be read so, and the
 * message is as it was.
 */
bool fm_access_read(const struct fm_access *, char *line, size_t len,
    struct fm_message *, unsigned *format);

/* Parts of a request that a format may have, beside its path and its Host. */
enum fm_access_part {
	FM_ACCESS_CLIENT,
	FM_ACCESS_METHOD,
	FM_ACCESS_QUERY,
	FM_ACCESS_HEADER
};

/* Returns true if a format has it; header: its name, if it is HEADER. */
bool fm_access_has(const struct fm_access *, unsigned format,
    enum fm_access_part, struct fm_text header);

#endif
