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
 * copies nothing, so it is valid until the request is edited.  If `client` is
 * true, the client's address is looked up as well.
 */
void fm_rules_view(VRT_CTX, bool client, struct fm_view *);

/*
 * Fill in what a response has beside its headers: in vcl_backend_response, and
 * in vcl_deliver or vcl_synth.
 */
void fm_rules_view_stored(VRT_CTX, struct fm_response *);
void fm_rules_view_delivered(VRT_CTX, struct fm_response *);

/*
 * Returns where a response comes from, in vcl_deliver or vcl_synth: hit, miss,
 * pass or own.
 */
unsigned fm_rules_view_cache(VRT_CTX);

/*
 * Makes the view of a response for a program, in vcl_backend_response,
 * vcl_deliver and vcl_synth.  The fields are copied to `room`, which has
 * fm_rules_view_room() of them; what they point to is not.
 */
size_t fm_rules_view_room(VRT_CTX);
void fm_rules_view_response(VRT_CTX, const struct fm_program *,
    const struct fm_response *, struct fm_field *room, struct fm_view *);

#endif
