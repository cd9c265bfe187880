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

#endif
