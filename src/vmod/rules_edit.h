/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Doing to a request of Varnish what the rules decided, and setting the
 * Location of a redirect.
 */

#ifndef FM_RULES_EDIT_H
#define FM_RULES_EDIT_H

#include "rules_refuse.h"
#include "run.h"

/*
 * Places for headers that are left to Varnish.  The dearest request is a
 * conditional fetch for a client without Accept-Encoding: Varnish 7.1, 7.7 and
 * Vinyl Cache 9 add that, X-Varnish, If-None-Match and If-Modified-Since.  A
 * Host is one more where the client has sent none.
 */
#define FM_EDIT_SPARE_SLOTS	4

/*
 * All headers of a request are copied to the workspace of a fetch, which a
 * client must not fill by the copies that rules make of what it sent.  So
 * edits that are larger than this must leave a request that a client could
 * have sent as it is.
 */
#define FM_EDIT_LARGE		4096

/*
 * Finds out what the edits of a result need: whether they fit into the request,
 * or what there is no room in; and how many bytes of workspace they take, with
 * the Location of a redirect.
 */
enum fm_refusal fm_edit_fits(const struct http *, const struct fm_result *,
    size_t *bytes);

/*
 * Makes all edits of a result that fits, in a room of so many bytes.  The bytes
 * of the request are not written to: a restart or a rollback may need them.
 * *location, for a redirect, is the line of the header as it is to be sent; for
 * all else NULL.
 */
void fm_edit_request(struct http *, const struct fm_result *, char *room,
    const char **location);

/*
 * Makes this line the only Location.  Takes no workspace.  Returns false if
 * there is no slot for it.
 */
bool fm_edit_location(struct http *, const char *line);

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
