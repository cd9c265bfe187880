/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Shows a client request of Varnish to the rules, as a view (rules/view.h).
 */

#ifndef FM_RULES_VIEW_H
#define FM_RULES_VIEW_H

#include "view.h"

/*
 * Fills in the view; only in vcl_recv.  The view points into the request and
 * copies nothing, so it is valid until the request is edited.  Of what it has
 * beside the message it gets what fm_program_wants().
 */
void fm_rules_view(VRT_CTX, unsigned wants, struct fm_view *);

/*
 * Finds the host that a request names; the buffer must last as long as the
 * host.
 */
void fm_rules_view_host(const struct http *, const struct fm_program *,
    char buf[FM_HOSTNAME_MAX], struct fm_known_host *);

/*
 * Fill in what a response has beside its headers: in vcl_backend_fetch, where
 * only flags are known; in vcl_backend_response; and in vcl_deliver or
 * vcl_synth.
 */
void fm_rules_view_sent(VRT_CTX, struct fm_response *);
void fm_rules_view_stored(VRT_CTX, struct fm_response *);
void fm_rules_view_delivered(VRT_CTX, struct fm_response *);

/*
 * Returns where a response comes from, in vcl_deliver or vcl_synth: hit, miss,
 * pass or own.
 */
unsigned fm_rules_view_cache(VRT_CTX);

/*
 * Makes the view of a message for a program, in vcl_backend_fetch,
 * vcl_backend_response, vcl_deliver and vcl_synth.  The second function adds
 * the request's fields for a program that reads them: it copies all fields to
 * `room`, but not what they point to.
 */
void fm_rules_view_response(VRT_CTX, const struct fm_program *,
    const struct http *, struct fm_view *);
void fm_rules_view_request(VRT_CTX, struct fm_field *room, struct fm_view *);

#endif
