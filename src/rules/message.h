/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes a request from arguments of the command line, or from a line of a log,
 * as Varnish would have it.  fm_message_view() shows the request to a program.
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
	struct fm_addr		client;		/* no address unless set */
	bool			esi;		/* an ESI sub-request */
	char			*url_host;	/* host of a URL that was typed
						 * as http://host/, or NULL */
	char			*owned_url;	/* bytes of url to free, or
						 * NULL */
	char			*owned_method;	/* bytes of method to free, or
						 * NULL */
	bool			no_memory;	/* parts of the request are
						 * lacking */
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

/* Sets the protocol, if it is one that Varnish speaks. */
void fm_message_proto(struct fm_message *, struct fm_text proto);

/* Adds a header, without the blanks around its value. */
void fm_message_header(struct fm_message *, struct fm_text name,
    struct fm_text value);

/*
 * Adds a header from a line "Name: value".  Returns NULL, or what is wrong with
 * the line, for a message "-H 'line': what".
 */
const char *fm_message_line(struct fm_message *, struct fm_text line);

/*
 * Ends the request: if it has no Host header, the host of its URL becomes the
 * first header.
 */
void fm_message_host(struct fm_message *);

void fm_message_view(const struct fm_message *, struct fm_view *);

/* Returns the value of the first header of a name, or the missing text. */
struct fm_text fm_message_value(const struct fm_message *, struct fm_text name);

/* Splits a field into name and value. */
void fm_field_parts(const struct fm_field *, struct fm_text *name,
    struct fm_text *value);

#endif
