/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A request made of what somebody says it is: arguments, or a line of a log.
 * It is what Varnish would have, headers as "Name: value".
 */

#ifndef FM_MESSAGE_H
#define FM_MESSAGE_H

#include "view.h"

struct fm_message {
	struct fm_text		method;		/* GET unless set */
	struct fm_text		url;
	struct fm_text		proto;		/* HTTP/1.1 unless set */
	struct fm_field		*fields;
	size_t			nfields, room;
	struct fm_addr		client;		/* none unless set */
	bool			esi;		/* an ESI sub-request */
	char			*url_host;	/* of http://host/, or NULL */
	char			*owned_url;	/* the bytes of url, */
	char			*owned_method;	/* of method; or NULL */
	bool			no_memory;	/* it is not whole */
};

void fm_message_init(struct fm_message *);
void fm_message_fini(struct fm_message *);

/*
 * The URL as it was sent; or as somebody types it, of which curl would send for
 * http:// and https:// the path without what follows `#`, and the host
 * (fm_message_host()); or as varnishncsa logs it, with the Host before what was
 * sent, which may be `*`.
 */
enum fm_url_is {
	FM_URL_SENT,
	FM_URL_TYPED,
	FM_URL_LOGGED
};

void fm_message_url(struct fm_message *, struct fm_text url, enum fm_url_is);

/* The protocol, if it is one that Varnish speaks. */
void fm_message_proto(struct fm_message *, struct fm_text proto);

/* Blanks around the value don't count. */
void fm_message_header(struct fm_message *, struct fm_text name,
    struct fm_text value);

/*
 * A header in one line, "Name: value".  NULL, or what is wrong with it, for
 * "-H 'line': what".
 */
const char *fm_message_line(struct fm_message *, struct fm_text line);

/*
 * At the end: the host of the URL becomes the first header, unless there is a
 * Host.
 */
void fm_message_host(struct fm_message *);

void fm_message_view(const struct fm_message *, struct fm_view *);

/* The value of the first header of this name; missing: there is none. */
struct fm_text fm_message_value(const struct fm_message *, struct fm_text name);

/* A field in its two parts. */
void fm_field_parts(const struct fm_field *, struct fm_text *name,
    struct fm_text *value);

#endif
