/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Doing to a request of Varnish what the rules decided, and setting the
 * Location of a redirect.
 */

#ifndef FM_RULES_EDIT_H
#define FM_RULES_EDIT_H

#include "run.h"

enum fm_edited {
	FM_EDITED,
	FM_EDITED_NO_WORKSPACE,
	FM_EDITED_NO_SLOT,	/* more headers than http_max_hdr */
	FM_EDITED_TOO_LARGE	/* a request larger than http_req_size */
};

/*
 * What Varnish itself needs to answer a request once vcl_recv is over, with
 * some to spare: so many places for headers are left alone, like FM_WS_SPARE of
 * the workspace.
 */
#define FM_EDIT_SPARE_SLOTS	8

/*
 * All headers of a request are copied to the workspace of a fetch, which a
 * client must not fill by the copies that rules make of what it sent.  So
 * edits that are larger than this must leave a request that a client could
 * have sent as it is.
 */
#define FM_EDIT_LARGE		4096

/*
 * All edits of the result, or none of them; but where the request has too many
 * headers or is too large, the headers that would be taken away or replaced
 * (other than Host) are taken away.  The bytes of the request are not
 * written to: a restart or a rollback may need them.  *location, for a
 * redirect, is the line of the header as it is to be sent; for all else NULL.
 */
enum fm_edited fm_edit_request(struct http *, const struct fm_result *,
    const char **location);

/*
 * Makes this line the only Location.  Takes no workspace.  FM_EDITED also
 * where it was so before.
 */
enum fm_edited fm_edit_location(struct http *, const char *line);

/* Writes a copy, with NUL, to *to, which then is behind it. */
static inline const char *
fm_edit_put(char **to, struct fm_text text)
{
	char *start = *to;

	if (text.len > 0)
		memcpy(start, text.b, text.len);
	start[text.len] = '\0';
	*to += text.len + 1;
	return (start);
}

#endif
