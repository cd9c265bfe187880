/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The canonical host: what a Host header names, in the one spelling by which
 * it is looked up.  Lower case, without port, without one trailing dot; the
 * brackets of an IPv6 literal stay.
 *
 *	input				outcome
 *	missing, or empty		FM_HOSTNAME_NONE
 *	Example.COM			example.com
 *	example.com:80 :080 :		example.com (digits or nothing: the
 *					port is dropped unread)
 *	example.com. example.com.:80	example.com (one dot, before the port)
 *	[2001:DB8::1]:80		[2001:db8::1]
 *	example.com:http  a:80:80	FM_HOSTNAME_BAD, as a client that sends
 *					this means no host of ours
 *	.  ..  a..b  .a  a..  :80	bad: an empty label, or no name
 *	[::1  [x]  []  [::1].  ::1	bad: not an IPv6 literal in brackets
 *	any byte but a-z A-Z 0-9 - _ .	bad
 *	more than 253 bytes of name	bad: longer than DNS allows
 *
 * Nothing is trimmed: a blank is a byte that does not belong in a host.  How
 * long a label is does not matter, only how long the name is.  An IPv6 literal
 * is one that inet_pton(3) knows, without a zone, and is kept as it is written
 * but for the case of its letters: `[::0]` and `[::]` are two hosts.
 */

#ifndef FM_HOSTNAME_H
#define FM_HOSTNAME_H

#include "text.h"

#define FM_HOSTNAME_MAX	253

enum fm_hostname {
	FM_HOSTNAME_OK,
	FM_HOSTNAME_NONE,
	FM_HOSTNAME_BAD
};

/*
 * Finds the canonical host of a Host header.  On FM_HOSTNAME_OK *canon is that
 * host: a part of raw if nothing has to change, else in buf.  Otherwise *canon
 * is the missing text.  *canon does not end in NUL.
 */
enum fm_hostname fm_hostname_canon(struct fm_text raw,
    char buf[FM_HOSTNAME_MAX], struct fm_text *canon);

#endif
