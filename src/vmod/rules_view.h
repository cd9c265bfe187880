/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A client request of Varnish as the rules see it.
 */

#ifndef FM_RULES_VIEW_H
#define FM_RULES_VIEW_H

#include "view.h"

/*
 * In vcl_recv only.  The view points into the request: nothing is copied, and
 * it holds for as long as the request is not edited.  client: whether to look
 * for the client's address as well.
 */
void fm_rules_view(VRT_CTX, bool client, struct fm_view *);

#endif
