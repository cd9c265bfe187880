/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the edits that the rules decided on in a request of Varnish, and sets
 * the Location of a redirect or the Content-Type of an answer.
 */

#ifndef FM_RULES_EDIT_H
#define FM_RULES_EDIT_H

#include "copy.h"
#include "rules_refuse.h"
#include "run.h"

/*
 * Fields that rules leave free for Varnish.  The request that needs most is a
 * conditional fetch for a client without Accept-Encoding: Varnish 7.1, 7.7
 * and Vinyl Cache 9 add Accept-Encoding, X-Varnish, If-None-Match and
 * If-Modified-Since.  If the client has sent no Host, Varnish adds one as well.
 */
#define FM_EDIT_SPARE_FIELDS	4

/*
 * Edits of more bytes than this are large.  Varnish copies all the headers of
 * a request to the workspace of the fetch, and rules can copy what a client has
 * sent.  So that a client can't fill that workspace through rules, the request
 * after large edits must be one that a client could have sent (http_req_size).
 */
#define FM_EDIT_LARGE		4096

/*
 * Makes all edits of a result that fits, and uses the bytes at room for them.
 * Does not overwrite the request's own bytes, as a restart or a rollback may
 * need them.  Sets *header to the header line of the answer: Location of a
 * redirect, Content-Type of an answer, NULL for other verdicts.
 */
void fm_edit_request(struct http *, const struct fm_result *, char *room,
    const char **header);

/* Returns true if the rules make the response: a redirect or an answer. */
static inline bool
fm_edit_answers(enum fm_verdict verdict)
{
	return (verdict == FM_VERDICT_REDIRECT ||
	    verdict == FM_VERDICT_ANSWER);
}

/* Returns the header that such a response gets. */
static inline struct fm_text
fm_edit_answer_name(enum fm_verdict verdict)
{
	return (fm_text_of(verdict == FM_VERDICT_REDIRECT ? "Location" :
	    "Content-Type"));
}

/* Does what fm_edit_fits() does, where more than the usual room is needed. */
enum fm_refusal fm_edit_fits_tight(struct http *, const struct fm_result *,
    size_t bytes);

/*
 * Returns FM_REFUSED_NOT if the edits of a result fit into the request, else
 * what there is no room in.  Sets *bytes to the workspace that the edits take,
 * with the header of an answer.
 */
static inline enum fm_refusal
fm_edit_fits(struct http *hp, const struct fm_result *result, size_t *bytes)
{
	enum fm_refusal refused = FM_REFUSED_NOT;

	*bytes = result->edits.lines;
	if (result->url_changed)
		*bytes += result->url.len + 1;
	if (hp->nhd + result->edits.nadded + FM_EDIT_SPARE_FIELDS >= hp->shd ||
	    *bytes > FM_EDIT_LARGE)
		refused = fm_edit_fits_tight(hp, result, *bytes);
	if (fm_edit_answers(result->verdict))
		*bytes += fm_edit_answer_name(result->verdict).len + 2 +
		    result->text.len + 1;
	return (refused);
}

/*
 * Makes this line the response's only Location (of a redirect) or Content-Type
 * (of an answer).  Takes no workspace.  Returns false if no slot is free.
 */
bool fm_edit_answer(struct http *, enum fm_verdict, const char *line);

/* Copies a text and a NUL to *to, moves *to past the NUL, returns the copy. */
static inline const char *
fm_edit_put(char **to, struct fm_text text)
{
	char *start = *to;

	fm_copy(start, text.b, text.len);
	start[text.len] = '\0';
	*to += text.len + 1;
	return (start);
}

#endif
