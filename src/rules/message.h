/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A message is a request in the sense of HTTP (messages_check.h has messages of
 * another kind).  Makes one from arguments of the command line, or from a line
 * of a log, as Varnish would have it.  fm_message_view() shows the request to a
 * program.
 */

#ifndef FM_MESSAGE_H
#define FM_MESSAGE_H

#include "arena.h"
#include "view.h"

/*
 * `fastmatch explain -H "Cookie: a=1" http://a.example/x#top` makes
 *
 *	method GET	url /x		proto HTTP/1.1
 *	fields "Host: a.example", "Cookie: a=1"
 */
struct fm_message {
	struct fm_text		method;		/* GET unless set */
	struct fm_text		url;
	struct fm_text		proto;		/* HTTP/1.1 unless set */
	struct fm_field		*fields;
	size_t			nfields, room;
	unsigned char		*marks;		/* for the view: a byte for
						 * each field */
	size_t			marks_room;
	struct fm_addr		client;		/* no address unless set */
	bool			esi;		/* an ESI sub-request */
	struct fm_text		url_host;	/* of a URL http://host/; or
						 * missing */
	struct fm_arena		arena;		/* of all texts */
	bool			no_memory;	/* parts of the request are
						 * lacking */
};

void fm_message_init(struct fm_message *);
void fm_message_fini(struct fm_message *);

/* The source of the text of a URL. */
enum fm_url_is {
	FM_URL_SENT,		/* from the request itself: as it is */
	FM_URL_TYPED,		/* from a person: `#` begins a fragment, which
				 * curl would not send */
	FM_URL_LOGGED		/* from varnishncsa, which writes the Host
				 * before what was sent, that may be `*` */
};

void fm_message_method(struct fm_message *, struct fm_text);
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
