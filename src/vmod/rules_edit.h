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
 * the header of an answer.
 */
enum fm_refusal fm_edit_fits(const struct http *, const struct fm_result *,
    size_t *bytes);

/*
 * Makes all edits of a result that fits, in a room of so many bytes.  The bytes
 * of the request are not written to: a restart or a rollback may need them.
 * *header is the line of the answer's header as it is to be sent: Location of
 * a redirect, Content-Type of an answer; for all else NULL.
 */
void fm_edit_request(struct http *, const struct fm_result *, char *room,
    const char **header);

/* Returns true if the rules make the answer: by a header, and maybe a body. */
static inline bool
fm_edit_answers(enum fm_verdict verdict)
{
	return (verdict == FM_VERDICT_REDIRECT ||
	    verdict == FM_VERDICT_ANSWER);
}

/*
 * Makes this line the only Location, or Content-Type.  Takes no workspace.
 * Returns false if there is no slot for it.
 */
bool fm_edit_answer(struct http *, enum fm_verdict, const char *line);

/* Copies a text, which mostly is short: then without a call. */
static inline void
fm_edit_copy(char *to, const char *from, size_t len)
{
	uint64_t first, last;
	uint32_t f, l;

	if (len > 16) {
		memcpy(to, from, len);
	} else if (len >= 8) {
		memcpy(&first, from, 8);
		memcpy(&last, from + len - 8, 8);
		memcpy(to, &first, 8);
		memcpy(to + len - 8, &last, 8);
	} else if (len >= 4) {
		memcpy(&f, from, 4);
		memcpy(&l, from + len - 4, 4);
		memcpy(to, &f, 4);
		memcpy(to + len - 4, &l, 4);
	} else if (len > 0) {
		to[0] = from[0];
		to[len / 2] = from[len / 2];
		to[len - 1] = from[len - 1];
	}
}

/* Writes a copy, with NUL, to *to, which then is behind it. */
static inline const char *
fm_edit_put(char **to, struct fm_text text)
{
	char *start = *to;

	fm_edit_copy(start, text.b, text.len);
	start[text.len] = '\0';
	*to += text.len + 1;
	return (start);
}

#endif
