/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the edits of the rules in a request or a response of Varnish, and sets
 * the Location of a redirect or the Content-Type of an answer.
 */

#ifndef FM_RULES_EDIT_H
#define FM_RULES_EDIT_H

#include <string.h>

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
 * Fields that rules leave free in what is sent to a backend.  After
 * vcl_backend_fetch Varnish 7.1, 7.7 and Vinyl Cache 9 add Host, if there is
 * none, and Content-Length or Transfer-Encoding.
 */
#define FM_EDIT_SPARE_SENT	2

/*
 * Fields that rules leave free in a response.  After vcl_deliver Varnish 7.1,
 * 7.7 and Vinyl Cache 9 add Connection, Content-Range, and Content-Length or
 * Transfer-Encoding; before it, to what is stored, X-Varnish, Age, Via and
 * Accept-Ranges.
 */
#define FM_EDIT_SPARE_DELIVERED	3
#define FM_EDIT_SPARE_STORED	(4 + FM_EDIT_SPARE_DELIVERED)
/* After vcl_backend_response `gzip` adds Content-Encoding and Vary. */
#define FM_EDIT_SPARE_GZIP	2

/*
 * Edits of more bytes than this are large.  Varnish copies all the headers of
 * a request to the workspace of the fetch, and rules can copy what a client has
 * sent.  So that a client can't fill that workspace through rules, the request
 * after large edits must be one that a client could have sent (http_req_size).
 */
#define FM_EDIT_LARGE		4096

/* Returns why a result can't be applied at all; FM_REFUSED_NOT: it can be. */
enum fm_refusal fm_edit_refused_why(const struct fm_result *);

static inline enum fm_refusal
fm_edit_refused(const struct fm_result *result)
{
	return (!result->no_memory && result->verdict != FM_VERDICT_REFUSE ?
	    FM_REFUSED_NOT : fm_edit_refused_why(result));
}

/*
 * Makes all edits of a result that fits, and uses the bytes at room for them.
 * Does not overwrite the request's own bytes, as a restart or a rollback may
 * need them.  Sets *header to the header line of the answer: Location of a
 * redirect, Content-Type of an answer, NULL for other verdicts.
 */
void fm_edit_request(struct http *, const struct fm_result *, char *room,
    const char **header);

/* Does so with the response that the result is about. */
void fm_edit_response(struct http *, const struct fm_result *, char *room);

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

/* Return the bytes of this header line with a NUL, and write it to room. */
static inline size_t
fm_edit_answer_bytes(const struct fm_result *result)
{
	return (fm_edit_answer_name(result->verdict).len + 2 +
	    result->text.len + 1);
}

const char *fm_edit_answer_line(const struct fm_result *, char *room);

/* Does what fm_edit_fits() does, where more than the usual room is needed. */
enum fm_refusal fm_edit_fits_tight(struct http *, const struct fm_result *,
    unsigned more, size_t bytes);

/* Returns true if the edits of a request change its Host. */
bool fm_edit_sets_host(const struct fm_result *);

/*
 * Returns FM_REFUSED_NOT if the edits of a result, and `more` headers, fit into
 * the request, else what there is no room in.  Sets *bytes to the workspace
 * that the edits take, with the header of an answer.
 */
static inline enum fm_refusal
fm_edit_fits(struct http *hp, const struct fm_result *result, unsigned more,
    size_t *bytes)
{
	enum fm_refusal refused = FM_REFUSED_NOT;

	*bytes = result->edits.lines;
	if (result->url_changed)
		*bytes += result->url.len + 1;
	if (hp->nhd + result->edits.nadded + more + FM_EDIT_SPARE_FIELDS >=
	    hp->shd || *bytes > FM_EDIT_LARGE)
		refused = fm_edit_fits_tight(hp, result, more, *bytes);
	if (fm_edit_answers(result->verdict))
		*bytes += fm_edit_answer_bytes(result);
	return (refused);
}

/* Makes this line the only one of its name, as below. */
bool fm_edit_line(struct http *, struct fm_text name, const char *line);

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

	memcpy(start, text.b, text.len);
	start[text.len] = '\0';
	*to += text.len + 1;
	return (start);
}

#endif
