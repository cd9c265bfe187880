/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes requests of the lines of an access log, which varnishncsa has written
 * by a format such as '%h %l %u %t "%r" %s %b'.
 */

#ifndef FM_ACCESS_H
#define FM_ACCESS_H

#include "made_request.h"

struct fm_access;

/* What a line has beside the request. */
struct fm_access_also {
	double			time;		/* s since 1970; 0: not known */
	unsigned		status;		/* of the response; 0: not
						 * known */
};

/*
 * Reads a format of varnishncsa's -F.  With the format NULL, each line may have
 * any of the usual formats (fastmatch(1)).  Returns NULL if the format can't be
 * used; *wrong says why.
 */
struct fm_access *fm_access_new(const char *format, const char **wrong);
void fm_access_free(struct fm_access **);

/*
 * Reads a line (without its newline) into an initialised request.  *format
 * becomes the number of the line's format, which is less than 32.  *also
 * becomes what else the line has.  The line is overwritten.  Returns false if
 * no format fits; the request is then as before.
 */
bool fm_access_read(const struct fm_access *, char *line, size_t len,
    struct fm_made_request *, struct fm_access_also *, unsigned *format);

/* Parts of a request that a format may lack; path and Host are in each. */
enum fm_access_part {
	FM_ACCESS_CLIENT,
	FM_ACCESS_METHOD,
	FM_ACCESS_QUERY,
	FM_ACCESS_HEADER
};

/* Returns true if a format has a part; `header` is the name for HEADER. */
bool fm_access_has(const struct fm_access *, unsigned format,
    enum fm_access_part, struct fm_text header);

#endif
