/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Marks the fields that a Connection header names, as varnishd does when it has
 * received a request: varnishd keeps such fields to itself (RFC 9110, 7.6.1).
 * The module has varnishd's own marks; this is for requests without a varnishd.
 */

#ifndef FM_CONNECTION_H
#define FM_CONNECTION_H

#include "view.h"

/*
 * Fills in an array of nfields marks, for a view.
 *
 *	Connection: close, X-A		0
 *	X-A: 1				FM_MARK_DROPPED
 *	X-B: 2				0
 */
void fm_connection_mark(const struct fm_field *, unsigned nfields,
    unsigned char *marks);

#endif
